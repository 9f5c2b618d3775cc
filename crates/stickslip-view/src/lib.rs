//! Shows runs in the browser: a live simulation behind a WebSocket, or a recording.
//!
//! The server listens on 127.0.0.1 only, and answers only pages that came from itself: a request
//! with a foreign `Host` or `Origin` is refused, as is any path but the page and the socket, and
//! any request without the token that is part of the address.

mod command;
mod drag;
mod guard;
mod http;
pub mod passive;
mod session;
mod simulation;
mod socket;
mod status;

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use stickslip::{Simulator, step::SetupError};
use stickslip_record::{RecordError, Replay, replay};

use command::Command;
use guard::Token;
use session::Session;
use simulation::Simulation;

/// The server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The port is taken or not allowed.
    #[error("cannot listen on 127.0.0.1:{port}: {source}")]
    Listen {
        /// The port asked for; 0 is any free one.
        port: u16,
        /// Why.
        source: std::io::Error,
    },
    /// The system has no thread left.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// The page cannot be made.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The simulator cannot be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// A server that runs until it is dropped.
pub struct Server {
    address: SocketAddr,
    token: Token,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

/// What the threads of a server share.
#[derive(Clone)]
struct Shared {
    page: Arc<str>,
    /// The content-security policy of the page.
    policy: Arc<str>,
    token: Token,
    clients: Arc<AtomicUsize>,
    port: u16,
    stop: Arc<AtomicBool>,
    live: Option<(Session, SyncSender<Command>)>,
}

impl Server {
    /// Runs a simulation and shows it; `port` 0 takes a free one. The run goes at the pace of the
    /// clock, or as fast as it can, and stands still while nobody looks.
    pub fn live(scene: &str, simulator: Simulator, port: u16) -> Result<Self, ViewError> {
        let (sender, receiver) = sync_channel(COMMANDS);
        let session = Session::new(Replay::begin(scene, &simulator));
        let mut server = Self::connected(session.clone(), sender, port)?;
        let stop = server.stop.clone();
        let mut simulation = Simulation::new(scene, simulator, session, (receiver, stop.clone()));
        server.threads.push(spawn(move || simulation.run(&stop))?);
        Ok(server)
    }

    /// The page, connected to a session.
    fn connected(
        session: Session,
        sender: SyncSender<Command>,
        port: u16,
    ) -> Result<Self, ViewError> {
        let (mark, token) = (replay::LIVE_PAGE_MARK, Token::for_port(port));
        let root = mark.replace('>', &format!(" data-live=\"/ws?token={}\">", token.as_str()));
        let page = replay::page().replacen(mark, &root, 1);
        Self::start(page, token, port, Some((session, sender)))
    }

    /// Shows recordings, side by side if there are several.
    pub fn recordings(replays: &[Replay], port: u16) -> Result<Self, ViewError> {
        Self::start(replay::html(replays)?, Token::new(), port, None)
    }

    fn start(
        page: String,
        token: Token,
        port: u16,
        live: Option<(Session, SyncSender<Command>)>,
    ) -> Result<Self, ViewError> {
        let listen = |source| ViewError::Listen { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(listen)?;
        // Accepting must not block forever, or the server could not be stopped.
        listener.set_nonblocking(true).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let stop = Arc::new(AtomicBool::new(false));
        // Only the one script of the page runs; names in a scene cannot bring another.
        let page = page.replacen(SCRIPT, &SCRIPT.replace('>', &nonce(&token)), 1);
        let shared = Shared {
            page: page.into(),
            policy: policy(address.port(), &token).into(),
            token: token.clone(),
            clients: Arc::default(),
            port: address.port(),
            stop: stop.clone(),
            live,
        };
        let thread = spawn(move || accept(&listener, &shared))?;
        Ok(Self { address, token, stop, threads: vec![thread] })
    }

    /// Where the page is, with the token that opens it.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.token.as_str())
    }

    /// Waits until another thread stops the server. A step that does not end is not waited for.
    pub fn wait(&mut self) {
        let mut since = None;
        while self.threads.iter().any(|thread| !thread.is_finished()) {
            if self.stop.load(Ordering::SeqCst) {
                let begin: Instant = *since.get_or_insert_with(Instant::now);
                if begin.elapsed() > PATIENCE {
                    break;
                }
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.threads.clear();
    }

    /// What stops the server when set to true.
    pub fn stopper(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        self.wait();
    }
}

/// Commands that wait at most; more are dropped.
const COMMANDS: usize = 256;
/// Connections at the same time.
const CLIENTS: usize = 512;
/// How long the threads of a server that was stopped get for their last step.
const PATIENCE: Duration = Duration::from_secs(3);
/// The element of the page's own script.
const SCRIPT: &str = "<script type=\"module\">";

/// What the end of a script's tag becomes.
fn nonce(token: &Token) -> String {
    format!(" nonce=\"{}\">", token.as_str())
}

/// What the page may do: run its own script, draw, and talk to this server.
fn policy(port: u16, token: &Token) -> String {
    format!(
        "default-src 'none'; script-src 'nonce-{}'; style-src 'unsafe-inline'; \
         img-src data: blob:; font-src data:; media-src blob:; \
         connect-src 'self' ws://127.0.0.1:{port} ws://localhost:{port}; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        token.as_str()
    )
}

/// A thread; running out of them is an error.
fn spawn(work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, ViewError> {
    std::thread::Builder::new().spawn(work).map_err(ViewError::Thread)
}

/// Counts a connection while it lasts.
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn accept(listener: &TcpListener, shared: &Shared) {
    while !shared.stop.load(Ordering::SeqCst) {
        match listener.accept() {
            Ok((stream, _)) => {
                let place = Place(shared.clients.clone());
                let full = shared.clients.fetch_add(1, Ordering::SeqCst) >= CLIENTS;
                let (shared, spare) = (shared.clone(), stream.try_clone());
                let work = move || {
                    let _place = place;
                    answer(stream, &shared);
                };
                if full || spawn(work).is_err() {
                    // Dropped with its connection; told if that does not block.
                    if let Ok(mut stream) = spare {
                        let _ = stream.set_nonblocking(true);
                        let busy = b"too many connections\n";
                        let _ = http::reply(&mut stream, "503 Busy", "text/plain", busy);
                    }
                }
            }
            Err(_) => std::thread::sleep(Duration::from_millis(15)),
        }
    }
}

/// One connection, from its request on.
fn answer(stream: TcpStream, shared: &Shared) {
    // A peer that breaks off is no concern of anybody else.
    let _ = http::answer(stream, shared);
}
