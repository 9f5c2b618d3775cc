//! The formulations with exact geometry, `peg` and `separation`, on the scenes that the standard
//! model gets wrong, and the simpler ones they are compared with.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod friction;
mod geometry;
mod holes;
mod joints;
mod plain;
mod scene;
mod sizes;
mod slides;
mod stacks;
mod triangle;
