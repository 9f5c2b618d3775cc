//! Proportional and derivative control of joint coordinates.
//!
//! ```text
//! force = kp (q* - q) + kd (q*' - q')        q, q' at the end of the step
//! ```
//!
//! The force is that of the joint's position motor, which is part of the step's problem: gains
//! may be as stiff as one likes.

use super::Trajectory;
use crate::{
    hook::Hook,
    model::{JointId, Model, Motor, MotorTarget},
    state::State,
};

/// PD control of the first coordinate of each joint along a trajectory, within a force limit. It
/// sets the motors of these joints ([`State::motors`]).
#[derive(Clone, Debug)]
pub struct PdController {
    /// The joints, in the order of the trajectory's coordinates.
    pub joints: Vec<JointId>,
    /// Where they should be.
    pub trajectory: Trajectory,
    /// Proportional gain \[N/m or N m/rad\], more than zero.
    pub stiffness: f64,
    /// Derivative gain \[N s/m or N m s/rad\].
    pub damping: f64,
    /// Largest force or torque \[N or N m\]; may be infinite.
    pub max_force: f64,
    /// Step of the simulation \[s\]: the trajectory is read at the end of the step.
    pub step: f64,
}

impl PdController {
    /// Without force limit.
    pub fn new(
        joints: Vec<JointId>,
        trajectory: Trajectory,
        (stiffness, damping): (f64, f64),
        step: f64,
    ) -> Self {
        Self { joints, trajectory, stiffness, damping, max_force: f64::INFINITY, step }
    }
}

impl Hook for PdController {
    fn before_step(&mut self, _model: &Model, state: &mut State) {
        let Self { stiffness, damping, .. } = *self;
        let max_force = self.max_force.is_finite().then_some(self.max_force);
        let time = state.time + self.step;
        for (i, joint) in self.joints.iter().enumerate() {
            let want = self.trajectory.at(i, time);
            // kd q*' is the pull of a spring that leads by kd / kp q*'.
            let lead = if stiffness > 0.0 { damping / stiffness * want.velocity } else { 0.0 };
            let position = want.position + lead;
            let target = MotorTarget::Position { position, stiffness, damping };
            if let Some(motor) = state.motors.get_mut(joint.index()) {
                *motor = Some(Motor::new(target, max_force));
            }
        }
    }
}
