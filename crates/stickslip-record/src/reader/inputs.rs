//! What came from outside between the recorded steps, put back in.

use std::ops::Range;

use stickslip::{
    State, Twist,
    geometry::{Pose, Quat, Vec3},
    model::{Motor, MotorTarget},
    state::Wrench,
};

use super::Recording;
use crate::{
    RecordError,
    recorder::inputs::{NAMES, NO_MOTOR, POSITION, VELOCITY, WIDTHS},
};

/// One log: step and index of each row, and its numbers.
#[derive(Debug, Default)]
struct Log {
    of: Vec<u64>,
    value: Vec<f64>,
    width: usize,
}

impl Log {
    fn step(&self, row: usize) -> u64 {
        self.of[2 * row]
    }

    /// Index and numbers of some rows.
    fn rows(&self, range: Range<usize>) -> impl Iterator<Item = (usize, &[f64])> {
        let row = |k: usize| &self.value[k * self.width..(k + 1) * self.width];
        range.map(move |k| (self.of[2 * k + 1] as usize, row(k)))
    }

    /// Rows of one step; steps never go down.
    fn of_step(&self, step: u64) -> Range<usize> {
        self.before(step)..self.before(step + 1)
    }

    /// Number of rows of steps before `step`.
    fn before(&self, step: u64) -> usize {
        let (mut low, mut high) = (0, self.of.len() / 2);
        while low < high {
            let middle = (low + high) / 2;
            if self.step(middle) < step { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// All that came from outside.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    force: Log,
    motor: Log,
    place: Log,
}

impl Inputs {
    /// The state at the start of `step` from that at the end of the step before.
    pub fn apply(&self, step: u64, state: &mut State) {
        for (b, v) in self.place.rows(self.place.of_step(step)) {
            let vector = |i: usize| Vec3::new(v[i], v[i + 1], v[i + 2]);
            let (Some(pose), Some(twist)) = (state.q.get_mut(b), state.nu.get_mut(b)) else {
                continue;
            };
            let orientation = Quat::from_xyzw(v[4], v[5], v[6], v[3]);
            *pose = Pose { position: vector(0), orientation };
            *twist = Twist { linear: vector(7), angular: vector(10) };
            state.angle.get_mut(b).into_iter().for_each(|angle| *angle = v[13]);
        }
        for (b, v) in self.force.rows(self.force.of_step(step)) {
            let force = Vec3::new(v[0], v[1], v[2]);
            let torque = Vec3::new(v[3], v[4], v[5]);
            state.applied.get_mut(b).into_iter().for_each(|f| *f = Wrench { force, torque });
        }
        self.set_motors(self.motor.of_step(step), state);
    }

    /// The motors as they are at the end of `step`.
    pub fn motors_at(&self, step: u64, state: &mut State) {
        self.set_motors(0..self.motor.before(step + 1), state);
    }

    fn set_motors(&self, rows: Range<usize>, state: &mut State) {
        for (j, v) in self.motor.rows(rows) {
            if let (Some(place), Some(motor)) = (state.motors.get_mut(j), motor(v)) {
                *place = motor;
            }
        }
    }
}

/// `None` for a row that was not written.
fn motor(v: &[f64]) -> Option<Option<Motor>> {
    let target = match v[0] {
        NO_MOTOR => return Some(None),
        VELOCITY => MotorTarget::Velocity(v[1]),
        POSITION => MotorTarget::Position { position: v[1], stiffness: v[2], damping: v[3] },
        _ => return None,
    };
    let max_force = (!v[4].is_nan()).then_some(v[4]);
    Some(Some(Motor { target, max_force, follows: v[5] != 0.0 }))
}

impl Recording {
    /// What came from outside; nothing in recordings from before it was kept.
    pub(super) fn inputs(&self) -> Result<Inputs, RecordError> {
        if !self.file.link_exists("inputs") {
            return Ok(Inputs::default());
        }
        let last = self.step.last().copied().unwrap_or(0);
        let log = |k: usize| -> Result<Log, RecordError> {
            let value = self.numbers(&format!("inputs/{}", NAMES[k]), 0)?;
            let mut of = self.whole(&format!("inputs/{}_of", NAMES[k]), 0)?;
            // Rows of a flush that was cut short: beyond the last step, or not filled.
            let whole = (value.len() / WIDTHS[k]).min(of.len() / 2);
            let steps = of.chunks_exact(2).map(|pair| pair[0]);
            let mut highest = 0;
            let known = steps.take_while(|&step| {
                let rising = step >= highest && step <= last;
                highest = step;
                rising
            });
            let known = known.count().min(whole);
            of.truncate(2 * known);
            Ok(Log { of, value, width: WIDTHS[k] })
        };
        Ok(Inputs { force: log(0)?, motor: log(1)?, place: log(2)? })
    }
}
