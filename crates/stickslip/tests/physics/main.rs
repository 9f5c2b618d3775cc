//! Whole simulations against the laws of physics.

mod convergence;
mod determinism;
mod free;
mod friction;
mod impact;
mod scene;
mod stacks;
