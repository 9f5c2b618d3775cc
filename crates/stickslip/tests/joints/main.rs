//! Mechanisms against the laws of physics.
#![allow(clippy::unwrap_used)]

mod andrews;
mod contact;
mod control;
mod drives;
mod elements;
mod gripper;
mod held;
mod kinds;
mod loops;
mod pendulum;
mod reactions;
mod reduced;
mod rotor;
mod scene;
