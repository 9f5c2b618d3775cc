//! What exact contact promises, scene by scene.
#![allow(clippy::unwrap_used)]

mod floors;
mod grasp;
mod many;
#[path = "../peg/scene.rs"]
#[allow(dead_code, reason = "shared with the other tests, which use the rest")]
mod scene;
mod solutions;
mod speed;
mod standing;
