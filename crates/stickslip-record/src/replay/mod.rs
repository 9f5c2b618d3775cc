//! A run as the viewer shows it, in memory.

mod contacts;
mod container;
mod html;

use std::sync::{Arc, Mutex};

#[cfg(feature = "files")]
pub(crate) use contacts::fill_contact_rows;
pub use contacts::{ContactRow, ContactTable, contact_rows};
pub use container::Message;
pub use html::{LIVE_PAGE_MARK, html, page};

use stickslip::{
    Model, Simulator, State,
    hook::{Hook, HookError, StepData},
};

use crate::{
    series::{self, COUNT},
    view::{ViewModel, quaternion},
};

/// Most frames in a page: more make it heavy and are not seen.
const PAGE_FRAMES: usize = 3000;
/// Most numbers in a page, of poses and contacts.
const PAGE_NUMBERS: usize = 24 << 20;

/// Scene and frames. Every frame has the numbers of all bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// What stays.
    pub model: ViewModel,
    /// Time of each frame \[s\].
    pub time: Vec<f64>,
    /// Step that led to it.
    pub step: Vec<u64>,
    /// Positions \[m\], three numbers per body and frame.
    pub position: Vec<f64>,
    /// Orientations w, x, y, z.
    pub orientation: Vec<f64>,
    /// Velocities \[m/s\].
    pub velocity: Vec<f64>,
    /// Angular velocities \[rad/s\].
    pub angular_velocity: Vec<f64>,
    /// Contacts of all frames.
    pub contacts: ContactTable,
    /// The scalars of [`crate::series::SERIES`].
    pub series: Vec<[f64; COUNT]>,
}

impl Replay {
    /// An empty replay of a model.
    pub fn empty(model: ViewModel) -> Self {
        Self {
            model,
            time: Vec::new(),
            step: Vec::new(),
            position: Vec::new(),
            orientation: Vec::new(),
            velocity: Vec::new(),
            angular_velocity: Vec::new(),
            contacts: ContactTable::default(),
            series: Vec::new(),
        }
    }

    /// A replay that begins with the present state of a simulator.
    pub fn begin(scene: &str, simulator: &Simulator) -> Self {
        let run = &simulator.pipeline;
        let stages = [run.formulation.name(), run.solver.name()];
        let view = ViewModel::new(scene, &simulator.model, simulator.settings.step, stages);
        let mut replay = Self::empty(view);
        replay.push(&simulator.model, &simulator.state, None);
        replay
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.time.len()
    }

    /// Adds the state after a step, with its contacts and scalars.
    pub fn push(&mut self, model: &Model, state: &State, data: Option<&StepData>) {
        self.time.push(state.time);
        self.step.push(state.step);
        for (pose, twist) in state.q.iter().zip(&state.nu) {
            self.position.extend(pose.position.to_array());
            self.orientation.extend(quaternion(pose));
            self.velocity.extend(twist.linear.to_array());
            self.angular_velocity.extend(twist.angular.to_array());
        }
        let rows = data.map_or_else(Vec::new, |data| contact_rows(model, data, state.last_h, true));
        self.contacts.push(&rows);
        self.series.push(series::measure(model, state, data, None));
    }

    /// Forgets the first frames.
    pub fn forget(&mut self, frames: usize) {
        let (frames, n) = (frames.min(self.frames()), self.model.bodies.len());
        self.time.drain(..frames);
        self.step.drain(..frames);
        self.position.drain(..3 * n * frames);
        self.orientation.drain(..4 * n * frames);
        self.velocity.drain(..3 * n * frames);
        self.angular_velocity.drain(..3 * n * frames);
        self.contacts.forget(frames);
        self.series.drain(..frames);
    }

    /// Few enough frames for a page that loads and plays well: all of them, or every `n`-th.
    pub fn for_page(self) -> Self {
        let frames = self.frames();
        let numbers = self.orientation.len() / 4 * 13 + self.contacts.kind.len() * 13;
        match frames.div_ceil(PAGE_FRAMES).max(numbers.div_ceil(PAGE_NUMBERS)) {
            0 | 1 => self,
            n => self.thinned(n),
        }
    }

    /// Keeps every `n`-th frame and the last one.
    pub fn thinned(&self, n: usize) -> Self {
        let n = n.max(1);
        let mut out = Self::empty(self.model.clone());
        let bodies = self.model.bodies.len();
        for k in (0..self.frames()).filter(|k| k % n == 0 || k + 1 == self.frames()) {
            let row = |data: &[f64], width: usize| data[k * width..(k + 1) * width].to_vec();
            out.time.push(self.time[k]);
            out.step.push(self.step[k]);
            out.position.extend(row(&self.position, 3 * bodies));
            out.orientation.extend(row(&self.orientation, 4 * bodies));
            out.velocity.extend(row(&self.velocity, 3 * bodies));
            out.angular_velocity.extend(row(&self.angular_velocity, 3 * bodies));
            out.contacts.push(&self.contacts.frame(k));
            out.series.push(self.series[k]);
        }
        out
    }
}

/// Collects a replay while a simulator runs. Clones share one replay.
#[derive(Clone, Debug)]
pub struct ReplayHook {
    shared: Arc<Mutex<Replay>>,
}

impl ReplayHook {
    /// Begins with the present state.
    pub fn new(scene: &str, simulator: &Simulator) -> Self {
        Self { shared: Arc::new(Mutex::new(Replay::begin(scene, simulator))) }
    }

    /// What has been collected so far.
    pub fn replay(&self) -> Replay {
        match self.shared.lock() {
            Ok(replay) => replay.clone(),
            Err(poisoned) => poisoned.into_inner().clone(),
        }
    }
}

impl Hook for ReplayHook {
    fn after_step(
        &mut self,
        model: &Model,
        state: &State,
        data: &StepData,
    ) -> Result<(), HookError> {
        let mut replay =
            self.shared.lock().map_err(|_| HookError("another hook panicked".into()))?;
        replay.push(model, state, Some(data));
        Ok(())
    }
}
