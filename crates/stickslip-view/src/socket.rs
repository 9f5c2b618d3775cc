//! One client of a live run.

use std::{
    io::ErrorKind,
    net::TcpStream,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::Sender,
    },
    time::Duration,
};

use tungstenite::{Error, Message, WebSocket, protocol::WebSocketConfig};

use crate::{
    session::{Seen, Session},
    simulation::Command,
};

/// Longest command \[bytes\].
const COMMAND: usize = 64 << 10;
/// Pause between looking for commands and sending what is new.
const BEAT: Duration = Duration::from_millis(12);

/// Talks until either side ends.
pub(crate) fn serve(
    stream: TcpStream,
    session: &Session,
    commands: &Sender<Command>,
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
    let _ = commands.send(Command::Release);
    session.leave();
}

fn talk(
    mut socket: WebSocket<TcpStream>,
    session: &Session,
    commands: &Sender<Command>,
    stop: &AtomicBool,
) -> Result<(), Error> {
    socket.get_ref().set_read_timeout(Some(BEAT))?;
    let mut seen = Seen::default();
    while !stop.load(Ordering::SeqCst) {
        match socket.read() {
            Ok(Message::Text(text)) => {
                // What cannot be understood is not done; the page sends nothing of the kind.
                if let Ok(command) = serde_json::from_str::<Command>(&text) {
                    let _ = commands.send(command);
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
