//! Who may ask: only the server's own page, and people on this machine.
//!
//! A web page from elsewhere can make a browser call 127.0.0.1. Its `Origin` gives it away; and if
//! it made its own name point here (DNS rebinding), the `Host` does.

use std::{
    fs::File,
    hash::{BuildHasher, Hasher, RandomState},
    io::Read,
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
