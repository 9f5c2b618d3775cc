//! Who may ask: only the server's own page, and people on this machine.
//!
//! A web page from elsewhere can make a browser call 127.0.0.1. Its `Origin` gives it away; and if
//! it made its own name point here (DNS rebinding), the `Host` does.

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

#[cfg(test)]
mod tests {
    use super::allowed;

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
