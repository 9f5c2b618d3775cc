//! Going on from a recorded step, as if the run had never stopped.

use hdf5_metno::{Hyperslab, Selection, SliceOrIndex};
use stickslip::{
    Simulator, State, Twist,
    geometry::{Pose, Quat, Vec3},
    memory::Memory,
};

use super::Recording;
use crate::RecordError;

impl Recording {
    /// The row of a step.
    pub fn row_of(&self, step: u64) -> Result<usize, RecordError> {
        self.step.binary_search(&step).map_err(|_| RecordError::NoStep {
            step,
            first: self.step.first().copied().unwrap_or(0),
            last: self.step.last().copied().unwrap_or(0),
        })
    }

    /// One row of a column of `trajectory`, from its tail where it has not reached a block yet.
    fn row(&self, name: &str, row: usize, width: usize) -> Result<Vec<f64>, RecordError> {
        let main = format!("trajectory/{name}");
        let blocks = self.length(&main)?;
        let (place, at) =
            if row < blocks { (main, row) } else { (format!("tail/{name}"), row - blocks) };
        let mut slices = vec![SliceOrIndex::from(at..at + 1)];
        let set = self.dataset(&place)?;
        slices.extend((1..set.ndim()).map(|_| SliceOrIndex::from(..)));
        let selection = Selection::from(Hyperslab::from(slices));
        let read = || set.read_slice::<f64, _, ndarray::IxDyn>(selection.clone());
        let data: Vec<f64> = read().map_err(|e| self.broken(&place, e))?.into_iter().collect();
        if data.len() != width {
            let reason = format!("{place} has {} numbers in a row, not {width}", data.len());
            return Err(RecordError::Format { path: self.path.clone(), reason });
        }
        Ok(data)
    }

    /// Puts the recorded numbers of a step into a state of the same scene, bit for bit: places,
    /// velocities and aims of motors at its end. Forces of hooks are none between two steps.
    pub fn restore(&self, step: u64, state: &mut State) -> Result<(), RecordError> {
        let (row, n) = (self.row_of(step)?, self.model.bodies.len());
        if state.q.len() != n {
            return Err(RecordError::OtherScene { recorded: n, found: state.q.len() });
        }
        let x = self.row("position", row, 3 * n)?;
        let q = self.row("orientation", row, 4 * n)?;
        let v = self.row("velocity", row, 3 * n)?;
        let w = self.row("angular_velocity", row, 3 * n)?;
        let three = |d: &[f64], i: usize| Vec3::new(d[3 * i], d[3 * i + 1], d[3 * i + 2]);
        for i in 0..n {
            let o = &q[4 * i..4 * i + 4];
            let orientation = Quat::from_xyzw(o[1], o[2], o[3], o[0]);
            state.q[i] = Pose { position: three(&x, i), orientation };
            state.nu[i] = Twist { linear: three(&v, i), angular: three(&w, i) };
        }
        // Recordings from before it was kept have none.
        state.instant_spin.fill(false);
        if self.file.link_exists("trajectory/instant_spin") {
            let flags = self.row("instant_spin", row, n)?;
            state.instant_spin = flags.iter().map(|&x| x != 0.0).collect();
        }
        if self.model.dimension == 2 {
            state.angle = self.row("angle", row, n)?;
        }
        if !self.model.joints.is_empty() {
            let angles = self.row("joint_angles", row, 3 * self.model.joints.len())?;
            state.joint_angles = angles.chunks_exact(3).map(|a| [a[0], a[1], a[2]]).collect();
        }
        if !state.broken.is_empty() && self.file.link_exists("trajectory/broken") {
            let flags = self.row("broken", row, state.broken.len())?;
            state.broken = flags.iter().map(|&x| x != 0.0).collect();
        }
        self.inputs()?.motors_at(step, state);
        state.applied.fill(Default::default());
        state.last_h = self.row("last_h", row, 1)?.first().copied().unwrap_or(0.0);
        state.time = self.time[row];
        state.step = step;
        Ok(())
    }

    /// Brings a simulator of the same scene and settings to the end of `step`, with all that its
    /// stages remember: it then goes on exactly as the recorded run did.
    ///
    /// The memory is kept at checkpoints; from the last one before `step` the steps in between
    /// are simulated again, with the forces and aims that were recorded in place of the hooks
    /// that made them, and must come out as recorded. Hooks with a memory of their own must be
    /// brought to `step` by whoever made them.
    pub fn resume(&self, simulator: &mut Simulator, step: u64) -> Result<(), RecordError> {
        self.row_of(step)?;
        let (from, memory) = self.checkpoint_before(step)?;
        self.restore(from, &mut simulator.state)?;
        simulator.pipeline.recall(&memory)?;
        let hooks = std::mem::take(&mut simulator.pipeline.hooks);
        let done = self.catch_up(simulator, step);
        simulator.pipeline.hooks = hooks;
        done?;
        let mut recorded = simulator.state.clone();
        self.restore(step, &mut recorded)?;
        if recorded != simulator.state {
            return Err(RecordError::NotReproduced { step });
        }
        Ok(())
    }

    fn catch_up(&self, simulator: &mut Simulator, step: u64) -> Result<(), RecordError> {
        let inputs = self.inputs()?;
        while simulator.state.step < step {
            inputs.apply(simulator.state.step + 1, &mut simulator.state);
            simulator.step()?;
        }
        Ok(())
    }

    /// Step and memory of the last checkpoint at or before `step` that has its row. The memory of
    /// the first row is that of a run that has not begun, should none be whole.
    fn checkpoint_before(&self, step: u64) -> Result<(u64, Memory), RecordError> {
        let steps = self.whole("checkpoints/step", 0)?;
        let starts = self.whole("checkpoints/start", 0)?;
        let usable = |&(_, s): &(usize, &u64)| *s <= step && self.step.binary_search(s).is_ok();
        let mut found = steps.iter().enumerate().take(starts.len().saturating_sub(1));
        let first = (self.step.first().copied().unwrap_or(0), Memory::default());
        let Some((k, &at)) = found.rfind(usable) else { return Ok(first) };
        let (keys, values) =
            (self.whole("checkpoints/key", 0)?, self.numbers("checkpoints/value", 0)?);
        let range = starts[k] as usize..starts[k + 1] as usize;
        let (Some(keys), Some(values)) = (keys.get(range.clone()), values.get(range)) else {
            return Ok(first);
        };
        let Some([formulation, integrator]) = self.words(k)? else { return Ok(first) };
        let unknowns = keys.iter().copied().zip(values.iter().copied()).collect();
        Ok((at, Memory { unknowns, formulation, integrator }))
    }

    /// Words of the two stages at a checkpoint; none in recordings from before they were kept.
    fn words(&self, checkpoint: usize) -> Result<Option<[Vec<u64>; 2]>, RecordError> {
        if !self.file.link_exists("checkpoints/words") {
            return Ok(Some(Default::default()));
        }
        let (words, ends) =
            (self.whole("checkpoints/words", 0)?, self.whole("checkpoints/words_end", 0)?);
        let end = |i: Option<usize>| match i {
            Some(i) => ends.get(i).map(|&e| e as usize),
            None => Some(0),
        };
        let part = |i: usize| -> Option<Vec<u64>> {
            Some(words.get(end(i.checked_sub(1))?..end(Some(i))?)?.to_vec())
        };
        Ok(part(2 * checkpoint).zip(part(2 * checkpoint + 1)).map(|(a, b)| [a, b]))
    }
}
