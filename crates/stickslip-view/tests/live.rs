//! A live server as a client sees it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use serde_json::{Value, json};
use stickslip::{
    BodyInit, Dimension, ModelBuilder, Settings, Simulator,
    geometry::{Solid, Vec3},
};
use stickslip_record::Replay;
use stickslip_view::Server;
use tungstenite::{Message, WebSocket, client::IntoClientRequest};

fn simulator() -> Simulator {
    let mut builder = ModelBuilder::new(Dimension::Three);
    builder.gravity(Vec3::ZERO);
    let cube = Solid::cuboid(Vec3::ONE).unwrap();
    builder.add(BodyInit::new(&cube).named("cube").spin(Vec3::Z)).unwrap();
    let (model, state) = builder.build();
    Simulator::new(model, state, Settings { threads: 1, ..Settings::default() }).unwrap()
}

fn port(server: &Server) -> u16 {
    server.url().split('/').nth(2).unwrap().rsplit(':').next().unwrap().parse().unwrap()
}

/// What follows the path in the server's address.
fn query(server: &Server) -> String {
    server.url().split_once('?').unwrap().1.to_owned()
}

/// Status line and body of a plain request.
fn ask(port: u16, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap().to_owned(), body.to_owned())
}

type Socket = WebSocket<TcpStream>;

fn connect(server: &Server, origin: Option<&str>) -> Result<Socket, String> {
    let (port, query) = (port(server), query(server));
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let mut request = format!("ws://127.0.0.1:{port}/ws?{query}").into_client_request().unwrap();
    if let Some(origin) = origin {
        request.headers_mut().insert("Origin", origin.parse().unwrap());
    }
    tungstenite::client(request, stream).map(|(socket, _)| socket).map_err(|e| e.to_string())
}

fn send(socket: &mut Socket, command: Value) {
    socket.send(Message::Text(command.to_string().into())).unwrap();
}

/// Header and position of the first body in the last frame of a container.
fn decode(bytes: &[u8]) -> (Value, [f64; 3]) {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let start = 16 + word(12);
    let header: Value = serde_json::from_slice(&bytes[16..start]).unwrap();
    let info = &header["arrays"]["position"];
    let frames = info["shape"][0].as_u64().unwrap() as usize;
    let at = start + info["offset"].as_u64().unwrap() as usize + 24 * (frames - 1);
    let number =
        |i: usize| f64::from_le_bytes(bytes[at + 8 * i..at + 8 * i + 8].try_into().unwrap());
    (header, [number(0), number(1), number(2)])
}

/// Reads messages until one satisfies the test.
fn until(socket: &mut Socket, mut test: impl FnMut(&Message) -> bool) -> Message {
    loop {
        let message = socket.read().unwrap();
        if test(&message) {
            return message;
        }
    }
}

fn status(socket: &mut Socket, wanted: impl Fn(&Value) -> bool) -> Value {
    let mut found = Value::Null;
    until(socket, |message| match message {
        Message::Text(text) => {
            found = serde_json::from_str(text).unwrap();
            wanted(&found)
        }
        _ => false,
    });
    found
}

#[test]
fn the_page_is_served_to_its_own_host_alone() {
    let server = Server::live("cube", simulator(), 0).unwrap();
    let (port, query) = (port(&server), query(&server));
    let get = |path: &str, more: &str| {
        let head = format!("GET {path}?{query} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{more}\r\n");
        ask(port, &head)
    };
    let (line, body) = get("/", "");
    assert_eq!(line, "HTTP/1.1 200 OK");
    assert!(body.contains(&format!("data-live=\"/ws?{query}\"")) && body.len() > 100_000);
    // Whoever does not know the token gets nothing.
    for path in ["/", "/?token=", "/?token=0123456789abcdef0123456789abcdef", "/ws"] {
        let (line, _) =
            ask(port, &format!("GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"));
        assert_eq!(line, "HTTP/1.1 403 Forbidden", "{path}");
    }
    for path in ["/../etc/passwd", "/etc/passwd", "/index.html", "/%2e%2e/x", "//"] {
        assert_eq!(get(path, "").0, "HTTP/1.1 404 Not Found", "{path}");
    }
    let evil = "Origin: http://evil.example\r\n";
    assert_eq!(get("/", evil).0, "HTTP/1.1 403 Forbidden");
    let (line, _) = ask(port, &format!("GET / HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n"));
    assert_eq!(line, "HTTP/1.1 403 Forbidden");
    let (line, _) =
        ask(port, &format!("POST /?{query} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"));
    assert_eq!(line, "HTTP/1.1 405 Method Not Allowed");
    assert_eq!(ask(port, "nonsense\r\n\r\n").0, "HTTP/1.1 400 Bad Request");
    assert!(connect(&server, Some("http://evil.example")).unwrap_err().contains("403"));
    assert!(connect(&server, Some(&format!("http://127.0.0.1:{port}"))).is_ok());
}

#[test]
fn a_run_plays_pauses_steps_resets_and_changes() {
    let server = Server::live("cube", simulator(), 0).unwrap();
    let mut socket = connect(&server, None).unwrap();
    let first = until(&mut socket, |m| matches!(m, Message::Binary(_)));
    let (header, _) = decode(&first.into_data());
    assert_eq!(header["message"], "scene");
    assert_eq!(header["bodies"][0]["name"], "cube");
    // It runs by itself as soon as somebody looks.
    status(&mut socket, |s| s["step"].as_u64() > Some(3));
    send(&mut socket, json!({ "command": "pause" }));
    let paused = status(&mut socket, |s| s["running"] == false);
    let step = paused["step"].as_u64().unwrap();
    send(&mut socket, json!({ "command": "step" }));
    status(&mut socket, |s| s["step"] == step + 1 && s["running"] == false);
    send(&mut socket, json!({ "command": "settings", "step": 0.002, "solver": "pgs" }));
    status(&mut socket, |s| s["h"] == 0.002 && s["solver"] == "pgs" && s["step"] == step + 1);
    // Who comes now sees everything from the start on, and the settings of now.
    let mut late = connect(&server, None).unwrap();
    let whole = until(&mut late, |m| matches!(m, Message::Binary(_)));
    let (header, _) = decode(&whole.into_data());
    assert_eq!(header["arrays"]["time"]["shape"][0], step + 2);
    assert_eq!((&header["step"], &header["solver"]), (&json!(0.002), &json!("pgs")));
    drop(late);
    send(&mut socket, json!({ "command": "settings", "step": -1.0 }));
    let refused = status(&mut socket, |s| s["error"].is_string());
    assert_eq!(refused["h"], 0.002);
    send(&mut socket, json!({ "command": "reset" }));
    status(&mut socket, |s| s["step"] == 0 && s["error"].is_null());
    // Nonsense is ignored and does not end the session.
    socket.send(Message::Text("{\"command\": \"explode\"}".into())).unwrap();
    send(&mut socket, json!({ "command": "step" }));
    status(&mut socket, |s| s["step"] == 1);
}

/// The run goes no faster than it is told to: the real-time factor falls to a quarter, and rises again
/// with the speed. How far it rises is the machine's affair.
#[test]
fn the_speed_is_obeyed() {
    let server = Server::live("cube", simulator(), 0).unwrap();
    let mut socket = connect(&server, None).unwrap();
    for (speed, from, to) in [(0.25, 0.0, 0.3), (4.0, 0.3, 5.0)] {
        send(&mut socket, json!({ "command": "speed", "speed": speed }));
        let near = |s: &Value| s["rate"].as_f64().is_some_and(|rate| rate > from && rate < to);
        let said = status(&mut socket, |s| s["speed"] == speed && near(s));
        assert!(said["failed"] == 0 && said["traps"] == 0, "{said}");
    }
    send(&mut socket, json!({ "command": "pause" }));
    status(&mut socket, |s| s["running"] == false && s["rate"].is_null());
}

/// Pulled by a corner, a free body follows the mouse and comes to rest there.
#[test]
fn a_body_follows_the_mouse() {
    let server = Server::live("cube", simulator(), 0).unwrap();
    let mut socket = connect(&server, None).unwrap();
    let drag = json!({ "command": "drag", "body": 0, "point": [0.0, 0.0, 0.0], "target": [1.0, 2.0, 3.0] });
    send(&mut socket, drag);
    let mut last = [0.0; 3];
    until(&mut socket, |message| match message {
        Message::Binary(bytes) => {
            last = decode(bytes).1;
            last.iter().zip([1.0, 2.0, 3.0]).all(|(x, target)| (x - target).abs() < 0.01)
        }
        _ => false,
    });
    send(
        &mut socket,
        json!({ "command": "drag", "body": 99, "point": [0, 0, 0], "target": [1, 2, 3] }),
    );
    send(&mut socket, json!({ "command": "release" }));
    send(&mut socket, json!({ "command": "pause" }));
    status(&mut socket, |s| s["running"] == false && s["error"].is_null());
}

#[test]
fn recordings_are_served_without_a_socket() {
    let sim = simulator();
    let server = Server::recordings(&[Replay::begin("cube", &sim)], 0).unwrap();
    let (port, query) = (port(&server), query(&server));
    let (line, body) =
        ask(port, &format!("GET /?{query} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"));
    assert_eq!(line, "HTTP/1.1 200 OK");
    assert!(body.contains("application/x-stickslip"));
    assert!(connect(&server, None).unwrap_err().contains("404"));
    // The port is taken: a second server says so.
    let error = Server::recordings(&[Replay::begin("cube", &sim)], port).err().unwrap();
    assert!(error.to_string().contains(&port.to_string()));
}

/// One script runs, by its nonce; the page may ask nobody but its own server.
#[test]
fn the_page_comes_with_a_policy() {
    let server = Server::live("cube", simulator(), 0).unwrap();
    let (port, query) = (port(&server), query(&server));
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let request = format!("GET /?{query} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let policy = head.lines().find_map(|l| l.strip_prefix("Content-Security-Policy: ")).unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'nonce-"), "{policy}");
    let nonce = policy.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap();
    assert_eq!(body.matches(&format!("<script type=\"module\" nonce=\"{nonce}\">")).count(), 1);
}

/// Absurd values are refused, and the server goes on and stops when told to.
#[test]
fn absurd_commands_are_refused() {
    let server = Server::live("cube", simulator(), 0).unwrap();
    let mut socket = connect(&server, None).unwrap();
    for step in [1e308, 1e-300, 0.0, -1.0, 2.0] {
        send(&mut socket, json!({ "command": "settings", "step": step }));
        let said = status(&mut socket, |s| s["error"].is_string());
        assert!(said["h"].as_f64().unwrap() < 1.0, "{said}");
        send(&mut socket, json!({ "command": "play" }));
        status(&mut socket, |s| s["error"].is_null());
    }
    let far = json!({ "command": "drag", "body": 0, "point": [0, 0, 0], "target": [1e300, 0, 0] });
    send(&mut socket, far);
    let said = status(&mut socket, |s| s["error"].is_string());
    assert!(said["error"].as_str().unwrap().contains("pulled"), "{said}");
}

/// Who floods the server is dropped; others are served.
#[test]
fn floods_are_cut_off() {
    let server = Server::live("cube", simulator(), 0).unwrap();
    let mut flood = connect(&server, None).unwrap();
    let text = json!({ "command": "pause" }).to_string();
    let mut sent = 0;
    while sent < 100_000 && flood.send(Message::Text(text.clone().into())).is_ok() {
        sent += 1;
    }
    assert!(sent < 100_000, "never dropped");
    let mut other = connect(&server, None).unwrap();
    send(&mut other, json!({ "command": "reset" }));
    status(&mut other, |s| s["error"].is_null());
}

#[path = "../../complementarity/tests/support/mutate.rs"]
mod mutate;

/// Whatever a client sends, the server goes on.
#[test]
fn damaged_messages_are_ignored_or_refused() {
    let server = Server::live("cube", simulator(), 0).unwrap();
    let originals: Vec<Vec<u8>> = [
        json!({ "command": "settings", "step": 0.01, "formulation": "peg", "solver": "auto" }),
        json!({ "command": "drag", "body": 0, "point": [0.0, 0.1, 0.2], "target": [1.0, 2.0, 3.0] }),
        json!({ "command": "step" }),
        json!({ "command": "reset" }),
    ]
    .map(|v| v.to_string().into_bytes())
    .into();
    for part in 0..4 {
        let mut socket = connect(&server, None).unwrap();
        // Fewer than a flood.
        for case in 0..150 {
            let bytes = mutate::damaged(&originals, 1000 * part + case);
            let message = match case % 3 {
                0 => Message::Binary(bytes.into()),
                _ => Message::Text(String::from_utf8_lossy(&bytes).into_owned().into()),
            };
            socket.send(message).unwrap();
        }
        send(&mut socket, json!({ "command": "pause" }));
        status(&mut socket, |s| s["running"] == false);
    }
    let mut socket = connect(&server, None).unwrap();
    send(&mut socket, json!({ "command": "reset" }));
    status(&mut socket, |s| s["step"] == 0);
}
