//! Recordings end to end: written by a running simulator, read back, exported, resumed, killed.

mod export;
mod frames;
mod full_disk;
mod kill;
mod resume;
mod round_trip;
mod support;
