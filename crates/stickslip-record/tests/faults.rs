//! Writes and allocations that fail at every point of the recorder. A program of its own, for the same reason
//! as `kill.rs`.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

#[path = "record/faults.rs"]
mod faults;
#[path = "record/support.rs"]
#[allow(dead_code, reason = "the other tests use more of it")]
mod support;
