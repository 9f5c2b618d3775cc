//! Computed torque: the forces that give the joints the accelerations asked for.
//!
//! ```text
//! a = q*'' + kd (q*' - q') + kp (q* - q)
//! ```
//!
//! A motor that keeps a joint's acceleration is one more row of the mechanism; solving masses,
//! joints and these rows together gives their forces, gravity, Coriolis and coupling included,
//! in one sweep along the tree. The forces are then applied as a motor would.

use super::{Trajectory, apply_joint_force};
use crate::{
    dynamics::acceleration::inverse_dynamics,
    hook::Hook,
    model::{JointId, Model},
    state::State,
};

/// Computed-torque control of the first coordinate of each joint along a trajectory.
#[derive(Clone, Debug)]
pub struct ComputedTorque {
    /// The joints, in the order of the trajectory's coordinates.
    pub joints: Vec<JointId>,
    /// Where they should be.
    pub trajectory: Trajectory,
    /// Gain on the position error \[1/s²\].
    pub kp: f64,
    /// Gain on the velocity error \[1/s\].
    pub kd: f64,
    /// Step of the simulation \[s\]: the forces aim at the end of the step.
    pub step: f64,
}

impl ComputedTorque {
    /// Critically damped with the rate `w` \[1/s\]: `kp = w²`, `kd = 2 w`.
    pub fn critical(joints: Vec<JointId>, trajectory: Trajectory, w: f64, step: f64) -> Self {
        Self { joints, trajectory, kp: w * w, kd: 2.0 * w, step }
    }

    /// The forces at the present state, in the order of the joints.
    pub fn forces(&self, model: &Model, state: &State) -> Vec<f64> {
        let accelerations: Vec<(JointId, f64)> = self
            .joints
            .iter()
            .enumerate()
            .map(|(i, &joint)| {
                let want = self.trajectory.at(i, state.time + self.step);
                let [q, v] =
                    [model.joint_position(state, joint), model.joint_velocity(state, joint)]
                        .map(|x| x.first().copied().unwrap_or(0.0));
                let a = want.acceleration
                    + self.kd * (want.velocity - v)
                    + self.kp * (want.position - q);
                (joint, a)
            })
            .collect();
        inverse_dynamics(model, state, &accelerations)
    }
}

impl Hook for ComputedTorque {
    fn before_step(&mut self, model: &Model, state: &mut State) {
        let forces = self.forces(model, state);
        for (&joint, force) in self.joints.iter().zip(forces) {
            apply_joint_force(model, state, joint, 0, force);
        }
    }
}
