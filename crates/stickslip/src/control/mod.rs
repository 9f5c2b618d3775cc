//! Controllers: hooks that drive joints.
//!
//! A controller reads joint positions and velocities before the step and applies generalised
//! forces: forces along, torques about the joint's directions, on both bodies. Where a gain is
//! too stiff for forces that are fixed over the step, use a position motor
//! ([`crate::model::MotorTarget`]) instead, which is part of the step's own problem.

mod computed_torque;
mod ik;
mod joint_system;
mod kinematics;
mod pd;

pub use crate::model::{Blend, Desired, Trajectory, Waypoint};
pub use computed_torque::ComputedTorque;
pub use ik::{Found, Goal, ik};
pub use joint_system::{CoordinateError, JointSystem, Place};
pub use kinematics::{Chain, PointJacobian, apply_joint_force};
pub use pd::PdController;
