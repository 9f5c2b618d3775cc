//! What the simulation tells and the sockets read.

use std::sync::{Arc, Mutex, MutexGuard};

use stickslip_record::{RecordError, Replay, replay::Message};

/// Frames kept for those who come later.
const KEPT: usize = 4000;

/// How far a client has got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    run: u64,
    frame: usize,
    status: u64,
}

struct Inner {
    /// Counts the starts of the run.
    run: u64,
    /// Frames forgotten since the start.
    forgotten: usize,
    replay: Replay,
    status: String,
    status_count: u64,
    clients: usize,
}

/// Shared by the simulation and its clients.
#[derive(Clone)]
pub(crate) struct Session(Arc<Mutex<Inner>>);

/// What a client has not seen yet.
pub(crate) struct News {
    pub frames: Option<Vec<u8>>,
    pub status: Option<String>,
}

impl Session {
    pub fn new(replay: Replay) -> Self {
        let inner = Inner {
            run: 1,
            forgotten: 0,
            replay,
            status: String::new(),
            status_count: 0,
            clients: 0,
        };
        Self(Arc::new(Mutex::new(inner)))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The run starts over.
    pub fn restart(&self, replay: Replay) {
        let mut inner = self.lock();
        inner.run += 1;
        inner.forgotten = 0;
        inner.replay = replay;
    }

    /// Adds to the replay.
    pub fn extend(&self, add: impl FnOnce(&mut Replay)) {
        let mut inner = self.lock();
        add(&mut inner.replay);
        if inner.replay.frames() > KEPT {
            inner.replay.forget(KEPT / 4);
            inner.forgotten += KEPT / 4;
        }
    }

    pub fn set_status(&self, status: String) {
        let mut inner = self.lock();
        if inner.status != status {
            inner.status = status;
            inner.status_count += 1;
        }
    }

    pub fn enter(&self) {
        self.lock().clients += 1;
    }

    pub fn leave(&self) {
        self.lock().clients -= 1;
    }

    pub fn watched(&self) -> bool {
        self.lock().clients > 0
    }

    /// What is new since `seen`, which is brought up to date.
    pub fn news(&self, seen: &mut Seen) -> Result<News, RecordError> {
        let inner = self.lock();
        let total = inner.forgotten + inner.replay.frames();
        let frames = if seen.run != inner.run || seen.frame < inner.forgotten {
            Some(inner.replay.container(Message::Scene, 0)?)
        } else if seen.frame < total {
            Some(inner.replay.container(Message::Frames, seen.frame - inner.forgotten)?)
        } else {
            None
        };
        let status = (seen.status != inner.status_count).then(|| inner.status.clone());
        *seen = Seen { run: inner.run, frame: total, status: inner.status_count };
        Ok(News { frames, status })
    }
}
