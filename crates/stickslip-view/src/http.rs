//! The little HTTP that one page needs.

use std::{
    io::{ErrorKind, Read, Result, Write},
    net::TcpStream,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use crate::{Shared, guard, socket};

/// Longest request head \[bytes\].
const HEAD: usize = 16 << 10;
/// Longest wait for it.
const PATIENCE: Duration = Duration::from_secs(5);

/// The parts of a request that matter.
struct Request {
    method: String,
    path: String,
    host: Option<String>,
    origin: Option<String>,
    upgrade: bool,
    /// Bytes of the head.
    length: usize,
}

/// Serves one request, or hands the connection over to the socket.
pub(crate) fn answer(mut stream: TcpStream, shared: &Shared) -> Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_millis(100)))?;
    stream.set_write_timeout(Some(Duration::from_secs(20)))?;
    let Some(request) = head(&stream, shared)? else {
        // Closing with unread bytes would take the answer back.
        let _ = stream.read(&mut vec![0; HEAD])?;
        return reply(&mut stream, "400 Bad Request", "text/plain", b"bad request\n");
    };
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let own = guard::allowed(request.host.as_deref(), request.origin.as_deref(), shared.port);
    let allowed = own && shared.token.is_in(query);
    let to_socket = allowed && request.upgrade && path == "/ws";
    // The socket reads the head again; all others are done with it.
    if let (true, Some((session, sender))) = (to_socket, &shared.live) {
        socket::serve(stream, session, sender, &shared.stop);
        return Ok(());
    }
    stream.read_exact(&mut vec![0; request.length])?;
    if !allowed {
        let why: &[u8] = match own {
            true => b"use the whole address that was printed, with its token\n",
            false => b"not from this page\n",
        };
        return reply(&mut stream, "403 Forbidden", "text/plain", why);
    }
    match (request.method.as_str(), path) {
        ("GET", "/") => {
            let page = shared.page.as_bytes();
            reply_with(&mut stream, ("200 OK", "text/html; charset=utf-8"), &shared.policy, page)
        }
        ("GET", _) => reply(&mut stream, "404 Not Found", "text/plain", b"no such page\n"),
        _ => reply(&mut stream, "405 Method Not Allowed", "text/plain", b"only GET\n"),
    }
}

/// Looks at the head of the request without taking it off the stream.
fn head(stream: &TcpStream, shared: &Shared) -> Result<Option<Request>> {
    let begin = Instant::now();
    let mut buffer = vec![0; HEAD];
    loop {
        let n = match stream.peek(&mut buffer) {
            Ok(0) => return Ok(None),
            Ok(n) => n,
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => 0,
            Err(e) => return Err(e),
        };
        if let Some(end) = buffer[..n].windows(4).position(|w| w == b"\r\n\r\n") {
            return Ok(parse(&buffer[..end + 4]));
        }
        let late = begin.elapsed() > PATIENCE || shared.stop.load(Ordering::SeqCst);
        if n == HEAD || late {
            return Ok(None);
        }
        // `peek` returns at once with what is there already.
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn parse(head: &[u8]) -> Option<Request> {
    let text = std::str::from_utf8(head).ok()?;
    let mut lines = text.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, path, version) = (first.next()?, first.next()?, first.next()?);
    if !version.starts_with("HTTP/1.") || !path.starts_with('/') {
        return None;
    }
    let headers: Vec<(&str, &str)> = lines.filter_map(|l| l.split_once(':')).collect();
    let get = |name: &str| {
        let mut found = headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.trim().to_owned())
    };
    let upgrade = get("upgrade").is_some_and(|v| v.eq_ignore_ascii_case("websocket"));
    Some(Request {
        method: method.to_owned(),
        path: path.to_owned(),
        host: get("host"),
        origin: get("origin"),
        upgrade,
        length: head.len(),
    })
}

/// Nothing but the text itself may be shown.
const PLAIN: &str = "default-src 'none'; frame-ancestors 'none'";

pub(crate) fn reply(stream: &mut TcpStream, status: &str, kind: &str, body: &[u8]) -> Result<()> {
    reply_with(stream, (status, kind), PLAIN, body)
}

fn reply_with(
    stream: &mut TcpStream,
    (status, kind): (&str, &str),
    policy: &str,
    body: &[u8],
) -> Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
         Referrer-Policy: no-referrer\r\nContent-Security-Policy: {policy}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}
