//! Going on from a recorded step, as if the run had never stopped.

use hdf5_metno::{Hyperslab, Selection, SliceOrIndex};
use stickslip::{
    Simulator, State, Twist,
    geometry::{Pose, Quat, Vec3},
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
    fn row(&self, name: &str, row: usize, rank: usize) -> Result<Vec<f64>, RecordError> {
        let main = format!("trajectory/{name}");
        let blocks = self.length(&main)?;
        let (place, at) =
            if row < blocks { (main, row) } else { (format!("tail/{name}"), row - blocks) };
        let mut slices = vec![SliceOrIndex::from(at..at + 1)];
        slices.extend((1..rank).map(|_| SliceOrIndex::from(..)));
        let selection = Selection::from(Hyperslab::from(slices));
        let read =
            || self.file.dataset(&place)?.read_slice::<f64, _, ndarray::IxDyn>(selection.clone());
        Ok(read().map_err(|e| self.broken(&place, e))?.into_iter().collect())
    }

    /// Puts the recorded numbers of a step into a state of the same scene, bit for bit. What the
    /// recording does not hold (aims of motors, forces of hooks) stays as it is.
    pub fn restore(&self, step: u64, state: &mut State) -> Result<(), RecordError> {
        let (row, n) = (self.row_of(step)?, self.model.bodies.len());
        if state.q.len() != n {
            return Err(RecordError::OtherScene { recorded: n, found: state.q.len() });
        }
        let x = self.row("position", row, 3)?;
        let q = self.row("orientation", row, 3)?;
        let v = self.row("velocity", row, 3)?;
        let w = self.row("angular_velocity", row, 3)?;
        let three = |d: &[f64], i: usize| Vec3::new(d[3 * i], d[3 * i + 1], d[3 * i + 2]);
        for i in 0..n {
            let o = &q[4 * i..4 * i + 4];
            let orientation = Quat::from_xyzw(o[1], o[2], o[3], o[0]);
            state.q[i] = Pose { position: three(&x, i), orientation };
            state.nu[i] = Twist { linear: three(&v, i), angular: three(&w, i) };
        }
        if self.model.dimension == 2 {
            state.angle = self.row("angle", row, 2)?;
        }
        if !self.model.joints.is_empty() {
            let angles = self.row("joint_angles", row, 3)?;
            state.joint_angles = angles.chunks_exact(3).map(|a| [a[0], a[1], a[2]]).collect();
        }
        state.applied.fill(Default::default());
        state.last_h = self.row("last_h", row, 1)?.first().copied().unwrap_or(0.0);
        state.time = self.time[row];
        state.step = step;
        Ok(())
    }

    /// Brings a simulator of the same scene and settings to the end of `step`, the solver's
    /// memory included: it then goes on exactly as the recorded run did.
    ///
    /// The memory is kept at checkpoints; from the last one before `step` the steps in between
    /// are simulated again, and must come out as recorded.
    pub fn resume(&self, simulator: &mut Simulator, step: u64) -> Result<(), RecordError> {
        self.row_of(step)?;
        let (from, keys, values) = self.checkpoint_before(step)?;
        self.restore(from, &mut simulator.state)?;
        simulator.pipeline.warm_start.forget();
        simulator.pipeline.warm_start.remember(keys, &values);
        while simulator.state.step < step {
            simulator.step()?;
        }
        let mut recorded = simulator.state.clone();
        self.restore(step, &mut recorded)?;
        if recorded != simulator.state {
            return Err(RecordError::NotReproduced { step });
        }
        Ok(())
    }

    /// Step, names and values of the last checkpoint at or before `step` that has its row.
    fn checkpoint_before(&self, step: u64) -> Result<(u64, Vec<u64>, Vec<f64>), RecordError> {
        let steps = self.whole("checkpoints/step", 0)?;
        let starts = self.whole("checkpoints/start", 0)?;
        let usable = |&(_, s): &(usize, &u64)| *s <= step && self.step.binary_search(s).is_ok();
        let mut found = steps.iter().enumerate().take(starts.len().saturating_sub(1));
        let first = self.step.first().copied().unwrap_or(0);
        let Some((k, &at)) = found.rfind(usable) else {
            return Ok((first, Vec::new(), Vec::new()));
        };
        let range = starts[k] as usize..starts[k + 1] as usize;
        let (keys, values) =
            (self.whole("checkpoints/key", 0)?, self.numbers("checkpoints/value", 0)?);
        match (keys.get(range.clone()), values.get(range)) {
            (Some(keys), Some(values)) => Ok((at, keys.to_vec(), values.to_vec())),
            _ => Ok((first, Vec::new(), Vec::new())),
        }
    }
}
