//! One client of a live run.

use std::{
    io::ErrorKind,
    net::TcpStream,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::SyncSender,
    },
    time::{Duration, Instant},
};

use tungstenite::{Error, Message, WebSocket, protocol::WebSocketConfig};

use crate::{
    command::Command,
    session::{Seen, Session},
};

/// Longest command \[bytes\].
const COMMAND: usize = 64 << 10;
/// Pause between looking for commands and sending what is new.
const BEAT: Duration = Duration::from_millis(12);

/// A client that takes nothing for so long is dropped.
const SLOW: Duration = Duration::from_secs(5);
/// Commands in a second after which a client is dropped; a mouse sends a tenth of that.
const COMMANDS: usize = 1000;

/// Counts the commands of a second.
struct Rate {
    since: Instant,
    count: usize,
}

impl Rate {
    fn new() -> Self {
        Self { since: Instant::now(), count: 0 }
    }

    /// Whether one more may come.
    fn allows(&mut self) -> bool {
        if self.since.elapsed() > Duration::from_secs(1) {
            *self = Self::new();
        }
        self.count += 1;
        self.count <= COMMANDS
    }
}

/// Talks until either side ends.
pub(crate) fn serve(
    stream: TcpStream,
    session: &Session,
    commands: &SyncSender<Command>,
    stop: &AtomicBool,
) {
    let config =
        WebSocketConfig::default().max_message_size(Some(COMMAND)).max_frame_size(Some(COMMAND));
    // Host and origin were checked with the head of the request.
    let Ok(socket) = tungstenite::accept_with_config(stream, Some(config)) else {
        return;
    };
    session.enter();
    // An error means that the client has gone.
    let _ = talk(socket, session, commands, stop);
    let _ = commands.try_send(Command::Release);
    session.leave();
}

fn talk(
    mut socket: WebSocket<TcpStream>,
    session: &Session,
    commands: &SyncSender<Command>,
    stop: &AtomicBool,
) -> Result<(), Error> {
    socket.get_ref().set_read_timeout(Some(BEAT))?;
    socket.get_ref().set_write_timeout(Some(SLOW))?;
    let (mut seen, mut rate) = (Seen::default(), Rate::new());
    while !stop.load(Ordering::SeqCst) {
        match socket.read() {
            Ok(Message::Text(text)) => {
                if !rate.allows() {
                    return socket.close(None);
                }
                // What cannot be understood is not done; the page sends nothing of the kind.
                if let Ok(command) = serde_json::from_str::<Command>(&text) {
                    // Where the simulation cannot keep up, commands are dropped.
                    let _ = commands.try_send(command);
                }
            }
            Ok(Message::Close(_)) => return Ok(()),
            Ok(_) => {}
            Err(Error::Io(e))
                if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(error) => return Err(error),
        }
        // Frames that came meanwhile go out as one message: a slow client gets fewer, not later.
        let Ok(news) = session.news(&mut seen) else { return Ok(()) };
        if let Some(frames) = news.frames {
            socket.send(Message::Binary(frames.into()))?;
        }
        if let Some(status) = news.status {
            socket.send(Message::Text(status.into()))?;
        }
    }
    socket.close(None)
}
