//! Killed runs leave a recording that can be read. A program of its own: programs that a test starts inherit the
//! locks of the files that other tests have open.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

#[path = "record/kill.rs"]
mod kill;
#[path = "record/support.rs"]
#[allow(dead_code, reason = "the other tests use more of it")]
mod support;
