//! Whole simulations against the laws of physics.

#![allow(clippy::unwrap_used)]

mod convergence;
mod detector;
mod determinism;
mod exact;
mod free;
mod friction;
mod impact;
mod last;
mod rest;
mod rolling;
mod scene;
mod stacks;
