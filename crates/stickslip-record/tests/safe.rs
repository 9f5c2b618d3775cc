//! Nothing that is on the disk gets lost. A program of its own, for the same reason as `kill.rs`.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

#[path = "record/safe.rs"]
mod safe;
#[path = "record/support.rs"]
#[allow(dead_code, reason = "the other tests use more of it")]
mod support;
