//! Writes a run to HDF5 while it goes on.
//!
//! Rows are collected, appended in blocks and flushed, so that a run killed at any moment leaves
//! a file with every flushed step. The first failure to write stops the run with its reason.

mod column;
mod frame;
pub(crate) mod inputs;
mod iteration_log;
mod joints;
mod options;
mod room;
mod setup;
mod store;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Instant,
};

use hdf5_metno::{File, Group};
use stickslip::{
    Model, Settings, Simulator, State, collide,
    dynamics::reactions,
    hook::{Hook, HookError, StepData},
    oracle,
};

use crate::{
    RecordError,
    replay::{ContactRow, fill_contact_rows},
    seal::{self, SealAtEnd},
    series,
};
use frame::FrameInput;
use iteration_log::SharedLog;
pub(crate) use joints::JOINT_COLUMNS;
pub use options::{ContactsKept, FrameChoice, RecordOptions, RunInfo, Summary};
use room::Room;
use store::Store;

/// Up to this many bodies costly extras are on by default.
const FEW: usize = 100;

/// A recording being written. Clones share one file.
#[derive(Clone)]
pub struct Recorder {
    shared: Arc<Mutex<Writer>>,
    log: SharedLog,
}

impl Recorder {
    /// Makes the file, with the present state as its first row.
    pub fn create(
        path: &Path,
        simulator: &Simulator,
        info: &RunInfo,
        options: RecordOptions,
    ) -> Result<Self, RecordError> {
        let log = SharedLog::default();
        let writer = Writer::create(path, simulator, info, options, log.clone())?;
        Ok(Self { shared: Arc::new(Mutex::new(writer)), log })
    }

    /// Makes the file and listens to the simulator from now on.
    pub fn attach(
        path: &Path,
        simulator: &mut Simulator,
        info: &RunInfo,
        options: RecordOptions,
    ) -> Result<Self, RecordError> {
        let recorder = Self::create(path, simulator, info, options)?;
        recorder.log.attach(&mut simulator.pipeline);
        simulator.pipeline.hooks.push(Box::new(recorder.clone()));
        Ok(recorder)
    }

    /// After a step that failed: keeps the frame at which it did, with its contacts.
    pub fn failed(&self, simulator: &mut Simulator, reason: &str) -> Result<(), RecordError> {
        let Simulator { model, state, pipeline, settings } = simulator;
        let query = collide::query(model, state, settings);
        let contacts = pipeline.detector.detect(model, state, &query).unwrap_or_default();
        let mut writer = self.lock();
        let input = FrameInput {
            model,
            state,
            contacts: &contacts,
            h: settings.step,
            outcome: None,
            errors: &[],
        };
        let step = state.step + 1;
        writer.guarded("write the frame of the failed step", |w| {
            w.room.reserve(w.file.size() + frame_bytes(model, contacts.len(), 0))?;
            input.write(&w.frames, step)?;
            setup::text(&w.file, "failure", reason)
        })?;
        writer.frame_count += 1;
        writer.flush(false)
    }

    /// Writes what is buffered.
    pub fn flush(&self) -> Result<(), RecordError> {
        self.lock().flush(false)
    }

    /// Writes all that is left and says what there is.
    pub fn finish(&self) -> Result<Summary, RecordError> {
        let mut writer = self.lock();
        writer.flush(true)?;
        let size = writer.file.size();
        writer.room.release(size);
        // Without a seal the file can be read as well.
        let _ = seal::close(&writer.path);
        writer.sealed = true;
        let summary = Summary {
            rows: writer.store.rows(),
            frames: writer.frame_count,
            bytes: std::fs::metadata(&writer.path).map_or(0, |m| m.len()),
        };
        Ok(summary)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Writer> {
        self.shared.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Hook for Recorder {
    fn before_step(&mut self, _model: &Model, state: &mut State) {
        let writer = self.lock();
        let wanted = writer.options.frames.wants(state.step + 1);
        writer.log.expect(wanted);
    }

    fn wants_contacts(&self, step: u64, failed: bool) -> bool {
        let options = &self.lock().options;
        failed || options.frames.wants(step) || options.contacts == ContactsKept::All
    }

    fn wants_memory(&self, step: u64) -> bool {
        self.lock().wants_memory(step)
    }

    fn wants_spurious(&self, model: &Model) -> bool {
        self.lock().judges(model)
    }

    fn after_step(
        &mut self,
        model: &Model,
        state: &State,
        data: &StepData,
    ) -> Result<(), HookError> {
        Ok(self.lock().step(model, state, data)?)
    }
}

struct Writer {
    path: PathBuf,
    file: File,
    room: Room,
    frames: Group,
    store: Store,
    options: RecordOptions,
    settings: Settings,
    log: SharedLog,
    /// State after the last step.
    last: State,
    /// Contacts of the present step; kept for its memory.
    touches: Vec<ContactRow>,
    unflushed: usize,
    last_flush: Instant,
    frame_count: usize,
    /// Whether all is written and sealed.
    sealed: bool,
    /// Why nothing more is written.
    stopped: Option<String>,
    /// Dropped last, when HDF5 has closed the file.
    seal: SealAtEnd,
}

impl Writer {
    fn step(&mut self, model: &Model, state: &State, data: &StepData) -> Result<(), RecordError> {
        if let Some(reason) = &self.stopped {
            return Err(RecordError::Stopped(reason.clone()));
        }
        if self.sealed {
            self.guarded("append to the recording", |_| Ok(()))?;
        }
        let few = model.bodies().len() <= FEW;
        if state.step.is_multiple_of(self.options.every.max(1)) {
            let depth = self.judges(model).then(|| oracle::measure(model, state).depth);
            let scalars = series::measure(model, state, Some(data), depth);
            self.gather_contacts(model, state, data, few);
            self.store.push(state, &scalars, &self.touches);
            let forces = few.then(|| reactions(model, &self.settings, data, state));
            self.store.push_joints(joints::row(model, state, forces.as_deref()));
            self.unflushed += 1;
        }
        self.store.push_inputs(state.step, &self.last, &data.start);
        copy_state(&mut self.last, state);
        if let Some(memory) = data.memory.as_ref().filter(|_| self.wants_memory(state.step)) {
            self.store.checkpoint(state.step, memory);
        }
        if self.options.frames.wants(state.step) || data.report.solves.failures > 0 {
            self.frame(model, state, data)?;
        }
        let waited = self.last_flush.elapsed().as_secs_f64();
        if self.unflushed >= self.store.limit || waited > self.options.flush_seconds {
            self.flush(false)?;
        }
        Ok(())
    }

    /// Whether overlap and spurious contacts are measured.
    fn judges(&self, model: &Model) -> bool {
        self.options.penetration.unwrap_or(model.bodies().len() <= FEW)
    }

    fn wants_memory(&self, step: u64) -> bool {
        step.is_multiple_of(self.options.checkpoint_every.max(1))
    }

    fn gather_contacts(&mut self, model: &Model, state: &State, data: &StepData, few: bool) {
        self.touches.clear();
        let all = match self.options.contacts {
            ContactsKept::None => return,
            ContactsKept::Pushing => false,
            ContactsKept::All => true,
            ContactsKept::Auto => few,
        };
        fill_contact_rows(model, data, state.last_h, all, &mut self.touches);
    }

    fn frame(&mut self, model: &Model, state: &State, data: &StepData) -> Result<(), RecordError> {
        let errors = self.log.lock().errors.clone();
        self.guarded("write a frame", |w| {
            let bytes = frame_bytes(model, data.contacts.len(), errors.len());
            w.room.reserve(w.file.size() + bytes)?;
            let input = FrameInput {
                model,
                state: &data.start,
                contacts: &data.contacts,
                h: state.last_h,
                outcome: Some((&data.motion, &data.report.solves)),
                errors: &errors,
            };
            input.write(&w.frames, state.step)
        })?;
        self.frame_count += 1;
        Ok(())
    }

    /// In two halves, so that a run killed in between leaves no row that is not whole.
    fn flush(&mut self, end: bool) -> Result<(), RecordError> {
        self.unflushed = 0;
        self.last_flush = Instant::now();
        self.guarded("append to the recording", |w| {
            let bytes = w.store.bytes() as u64;
            w.room.reserve(w.file.size() + bytes)?;
            w.store.write_data(end)?;
            w.file.flush()?;
            w.store.write_steps()?;
            w.file.flush()
        })
    }

    fn unseal(&mut self) -> std::io::Result<()> {
        if self.sealed {
            seal::open(&self.path)?;
            self.sealed = false;
        }
        Ok(())
    }

    /// Runs an action of HDF5; the first failure is kept and stops all later ones.
    fn guarded(
        &mut self,
        action: &str,
        run: impl FnOnce(&mut Self) -> hdf5_metno::Result<()>,
    ) -> Result<(), RecordError> {
        if let Some(reason) = &self.stopped {
            return Err(RecordError::Stopped(reason.clone()));
        }
        let done = match self.unseal() {
            Ok(()) => run(self),
            Err(error) => Err(hdf5_metno::Error::from(format!("cannot go on: {error}"))),
        };
        done.map_err(|source| {
            let path = self.path.clone();
            let error = RecordError::Hdf5 { path, action: action.to_owned(), source };
            self.stopped = Some(error.to_string());
            error
        })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Nobody is left to tell; whoever wants to know calls `finish` first. HDF5 writes once more when
        // it closes the file.
        if self.sealed {
            self.seal.ready = true;
            let _ = self.unseal();
        } else if self.stopped.is_none() && self.flush(true).is_ok() {
            self.room.release(self.file.size());
            self.seal.ready = true;
        }
    }
}

/// Bytes that a frame needs at most.
fn frame_bytes(model: &Model, contacts: usize, errors: usize) -> u64 {
    8 * (40 * model.bodies().len() + 90 * model.joints().len() + 10 * contacts + errors) as u64
}

/// What [`inputs`] compares, without asking for memory.
fn copy_state(to: &mut State, from: &State) {
    to.q.clone_from(&from.q);
    to.nu.clone_from(&from.nu);
    to.angle.clone_from(&from.angle);
    to.motors.clone_from(&from.motors);
}
