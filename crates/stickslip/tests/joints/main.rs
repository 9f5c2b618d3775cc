//! Mechanisms against the laws of physics.

mod drives;
mod kinds;
mod loops;
mod pendulum;
mod scene;
