//! Mechanisms against the laws of physics.

mod control;
mod drives;
mod kinds;
mod loops;
mod pendulum;
mod scene;
