//! Recordings end to end: written by a running simulator, read back, exported, resumed, killed.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod export;
mod frames;
mod full_disk;
mod plot;
mod problem;
mod readers;
mod resume;
mod round_trip;
mod support;
