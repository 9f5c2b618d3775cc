//! Shows runs in the browser: a live simulation behind a WebSocket, or a recording.
//!
//! The server listens on 127.0.0.1 only, and answers only pages that came from itself: a request
//! with a foreign `Host` or `Origin` is refused, as is any path but the page and the socket.

mod drag;
mod guard;
mod http;
mod session;
mod simulation;
mod socket;

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Sender, channel},
    },
    thread::JoinHandle,
    time::Duration,
};

use stickslip::{Simulator, step::SetupError};
use stickslip_record::{RecordError, Replay, replay};

use session::Session;
use simulation::{Command, Simulation};

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
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

/// What the threads of a server share.
#[derive(Clone)]
struct Shared {
    page: Arc<str>,
    port: u16,
    stop: Arc<AtomicBool>,
    live: Option<(Session, Sender<Command>)>,
}

impl Server {
    /// Runs a simulation and shows it; `port` 0 takes a free one. The run goes at the pace of the
    /// clock, or as fast as it can, and stands still while nobody looks.
    pub fn live(scene: &str, simulator: Simulator, port: u16) -> Result<Self, ViewError> {
        let (sender, receiver) = channel();
        let session = Session::new(Replay::begin(scene, &simulator));
        let mark = replay::LIVE_PAGE_MARK;
        let root = mark.replace('>', " data-live=\"/ws\">");
        let page = replay::page().replacen(mark, &root, 1);
        let mut server = Self::start(page, port, Some((session.clone(), sender)))?;
        let mut simulation = Simulation::new(scene, simulator, session, receiver);
        let stop = server.stop.clone();
        server.threads.push(std::thread::spawn(move || simulation.run(&stop)));
        Ok(server)
    }

    /// Shows recordings, side by side if there are several.
    pub fn recordings(replays: &[Replay], port: u16) -> Result<Self, ViewError> {
        Self::start(replay::html(replays)?, port, None)
    }

    fn start(
        page: String,
        port: u16,
        live: Option<(Session, Sender<Command>)>,
    ) -> Result<Self, ViewError> {
        let listen = |source| ViewError::Listen { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(listen)?;
        // Accepting must not block forever, or the server could not be stopped.
        listener.set_nonblocking(true).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let stop = Arc::new(AtomicBool::new(false));
        let shared = Shared { page: page.into(), port: address.port(), stop: stop.clone(), live };
        let thread = std::thread::spawn(move || accept(&listener, &shared));
        Ok(Self { address, stop, threads: vec![thread] })
    }

    /// Where the page is.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Waits until another thread stops the server.
    pub fn wait(&mut self) {
        self.threads.drain(..).for_each(|thread| {
            // A thread that panicked has nothing more to do.
            let _ = thread.join();
        });
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

fn accept(listener: &TcpListener, shared: &Shared) {
    while !shared.stop.load(Ordering::SeqCst) {
        match listener.accept() {
            Ok((stream, _)) => {
                let shared = shared.clone();
                std::thread::spawn(move || answer(stream, &shared));
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
