//! Who may ask: only the server's own page, and people on this machine.
//!
//! A web page from elsewhere can make a browser call 127.0.0.1. Its `Origin` gives it away; and if
//! it made its own name point here (DNS rebinding), the `Host` does.

use std::{
    fs::File,
    hash::{BuildHasher, Hasher, RandomState},
    io::Read,
    path::Path,
};

/// Whether a request with these headers is answered by a server on `port`.
pub(crate) fn allowed(host: Option<&str>, origin: Option<&str>, port: u16) -> bool {
    let own = |name: &str| {
        ["127.0.0.1", "localhost"].iter().any(|n| {
            name.eq_ignore_ascii_case(&format!("{n}:{port}"))
                || (port == 80 && name.eq_ignore_ascii_case(n))
        })
    };
    let origin_is_own = |origin: &str| origin.strip_prefix("http://").is_some_and(own);
    host.is_some_and(own) && origin.is_none_or(origin_is_own)
}

/// A word that only those know who were told the address: other users of this machine could reach
/// the port as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token(String);

impl Token {
    /// 128 random bits.
    pub fn new() -> Self {
        let mut bytes = [0_u8; 16];
        let system = File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut bytes));
        if system.is_err() {
            // The keys of hash maps are random as well.
            for part in bytes.chunks_mut(8) {
                part.copy_from_slice(&RandomState::new().build_hasher().finish().to_le_bytes());
            }
        }
        Self(bytes.iter().map(|b| format!("{b:02x}")).collect())
    }

    /// The same one for every server of this user on a port that was asked for, such that an open page
    /// finds the next one; kept where only the user can read. Port 0, any free one, gets a new one.
    pub fn for_port(port: u16) -> Self {
        let folder = std::env::var_os("XDG_RUNTIME_DIR").filter(|_| port != 0);
        folder.and_then(|f| Self::kept(Path::new(&f), port)).unwrap_or_else(Self::new)
    }

    /// The token of a port in a folder; none where others can look into it.
    #[cfg(unix)]
    fn kept(folder: &Path, port: u16) -> Option<Self> {
        use std::{
            fs::OpenOptions,
            io::Write,
            os::unix::fs::{OpenOptionsExt, PermissionsExt},
        };
        let private = |m: std::fs::Metadata| m.permissions().mode() & 0o077 == 0;
        if !folder.is_absolute() || !folder.metadata().is_ok_and(private) {
            return None;
        }
        let path = folder.join(format!("stickslip-view-{port}"));
        if let Ok(text) = std::fs::read_to_string(&path) {
            let right = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
            let own = path.symlink_metadata().is_ok_and(|m| m.is_file() && private(m));
            return (right && own).then_some(Self(text));
        }
        let token = Self::new();
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).ok()?;
        file.write_all(token.0.as_bytes()).ok().map(|()| token)
    }

    #[cfg(not(unix))]
    fn kept(_folder: &Path, _port: u16) -> Option<Self> {
        None
    }

    /// As part of an address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the query of a request (`token=...`) has it. Takes as long for any wrong one.
    pub fn is_in(&self, query: &str) -> bool {
        let given = query.split('&').find_map(|pair| pair.strip_prefix("token="));
        given.is_some_and(|given| {
            let pairs = given.bytes().zip(self.0.bytes());
            given.len() == self.0.len() && pairs.fold(0, |wrong, (a, b)| wrong | (a ^ b)) == 0
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Token, allowed};

    #[test]
    fn tokens_differ_and_are_recognized() {
        let (a, b) = (Token::new(), Token::new());
        assert_ne!(a, b);
        assert!(a.is_in(&format!("x=1&token={}", a.as_str())));
        for wrong in ["", "token=", b.as_str(), &format!("token={}", b.as_str())] {
            assert!(!a.is_in(wrong), "{wrong}");
        }
    }

    /// A port keeps its token, in a folder that is private.
    #[test]
    #[cfg(unix)]
    fn a_port_keeps_its_token() {
        use std::{fs, os::unix::fs::PermissionsExt};
        let folder = std::env::temp_dir().join(format!("stickslip-token-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let mode = |path: &std::path::Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        mode(&folder, 0o700);
        let first = Token::kept(&folder, 8000).unwrap();
        assert_eq!(Token::kept(&folder, 8000), Some(first.clone()));
        assert_ne!(Token::kept(&folder, 8001), Some(first));
        // Others could read it, or it is no token.
        mode(&folder.join("stickslip-view-8000"), 0o644);
        assert_eq!(Token::kept(&folder, 8000), None);
        fs::write(folder.join("stickslip-view-8001"), "short").unwrap();
        assert_eq!(Token::kept(&folder, 8001), None);
        mode(&folder, 0o755);
        assert_eq!(Token::kept(&folder, 8002), None);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn only_the_own_page_is_answered() {
        let own = Some("127.0.0.1:8000");
        assert!(allowed(own, None, 8000));
        assert!(allowed(Some("localhost:8000"), Some("http://localhost:8000"), 8000));
        for host in [None, Some("evil.example:8000"), Some("127.0.0.1:8001"), Some("127.0.0.1")] {
            assert!(!allowed(host, None, 8000), "{host:?}");
        }
        for origin in ["null", "http://evil.example", "https://127.0.0.1:8000", "http://127.0.0.1"]
        {
            assert!(!allowed(own, Some(origin), 8000), "{origin}");
        }
    }
}
