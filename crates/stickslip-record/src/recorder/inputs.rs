//! What came from outside between two steps: forces and velocities set by hooks, aims of motors.
//! Only changes are kept; with them the steps between two checkpoints can be simulated again
//! without those who made them.

use hdf5_metno::{File, Result};
use stickslip::{
    State,
    model::{Motor, MotorTarget},
};

use super::column::Column;
use crate::view::quaternion;

/// Rows per chunk.
const CHUNK: usize = 512;

/// Numbers of a force, of a motor and of a place.
pub(crate) const WIDTHS: [usize; 3] = [6, 6, 14];
/// Their datasets in `inputs`; beside each one, `NAME_of` holds step and body (or joint).
pub(crate) const NAMES: [&str; 3] = ["force", "motor", "place"];

/// First number of a motor's row. Zero is none of them: rows that were made room for but not
/// written read so.
pub(crate) const NO_MOTOR: f64 = 1.0;
pub(crate) const VELOCITY: f64 = 2.0;
pub(crate) const POSITION: f64 = 3.0;

/// One log: whose, and what.
struct Log {
    of: Column<u64>,
    value: Column<f64>,
}

impl Log {
    fn push(&mut self, step: u64, index: usize, numbers: impl IntoIterator<Item = f64>) {
        self.of.push([step, index as u64]);
        self.value.push(numbers);
    }

    fn write(&mut self) -> Result<()> {
        self.value.write()?;
        self.of.write()
    }
}

/// The three logs.
pub(super) struct Inputs {
    force: Log,
    motor: Log,
    place: Log,
}

impl Inputs {
    pub fn create(file: &File, start: &State) -> Result<Self> {
        let group = file.create_group("inputs")?;
        let log = |k: usize| -> Result<Log> {
            Ok(Log {
                of: Column::create(&group, &format!("{}_of", NAMES[k]), &[2], CHUNK)?,
                value: Column::create(&group, NAMES[k], &[WIDTHS[k]], CHUNK)?,
            })
        };
        let mut inputs = Self { force: log(0)?, motor: log(1)?, place: log(2)? };
        for (j, motor) in start.motors.iter().enumerate() {
            inputs.motor.push(start.step, j, motor_row(motor));
        }
        Ok(inputs)
    }

    /// The difference between the end of the last step and the `start` of `step`.
    pub fn push(&mut self, step: u64, last: &State, start: &State) {
        for (b, wrench) in start.applied.iter().enumerate() {
            if *wrench != Default::default() {
                let numbers = wrench.force.to_array().into_iter().chain(wrench.torque.to_array());
                self.force.push(step, b, numbers);
            }
        }
        let motors = start.motors.iter().zip(&last.motors).enumerate();
        for (j, (motor, _)) in motors.filter(|(_, (now, before))| now != before) {
            self.motor.push(step, j, motor_row(motor));
        }
        for b in 0..start.q.len() {
            let same = start.q[b] == last.q[b]
                && start.nu[b] == last.nu[b]
                && start.angle.get(b) == last.angle.get(b);
            if !same {
                self.place.push(step, b, place_row(start, b));
            }
        }
    }

    /// Bytes not yet written.
    pub fn bytes(&self) -> usize {
        [&self.force, &self.motor, &self.place].iter().map(|l| l.of.bytes() + l.value.bytes()).sum()
    }

    pub fn write(&mut self) -> Result<()> {
        [&mut self.force, &mut self.motor, &mut self.place].into_iter().try_for_each(Log::write)
    }
}

/// Kind, aim, stiffness, damping, largest force (NaN: no limit), whether it follows a path.
fn motor_row(motor: &Option<Motor>) -> [f64; 6] {
    let Some(Motor { target, max_force, follows }) = *motor else {
        return [NO_MOTOR, 0.0, 0.0, 0.0, 0.0, 0.0];
    };
    let limit = max_force.unwrap_or(f64::NAN);
    let follows = f64::from(u8::from(follows));
    match target {
        MotorTarget::Velocity(speed) => [VELOCITY, speed, 0.0, 0.0, limit, follows],
        MotorTarget::Position { position, stiffness, damping } => {
            [POSITION, position, stiffness, damping, limit, follows]
        }
    }
}

/// Position, orientation w x y z, velocity, angular velocity, angle (2D).
fn place_row(state: &State, b: usize) -> impl IntoIterator<Item = f64> {
    let (pose, twist) = (&state.q[b], &state.nu[b]);
    let place = pose.position.to_array().into_iter().chain(quaternion(pose));
    let motion = twist.linear.to_array().into_iter().chain(twist.angular.to_array());
    place.chain(motion).chain([state.angle.get(b).copied().unwrap_or(0.0)])
}
