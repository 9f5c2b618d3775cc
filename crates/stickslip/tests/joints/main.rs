//! Mechanisms against the laws of physics.

mod pendulum;
mod scene;
