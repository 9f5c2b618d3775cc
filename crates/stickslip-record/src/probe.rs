//! A first look at files of HDF5 from another process.
//!
//! The HDF5 library may crash on a damaged file, or never come back. A file that no seal vouches
//! for is read by a child process first, where the program has named one; what ends the child does
//! not end the program.

use std::{
    ffi::OsString,
    path::Path,
    process::{Command, Stdio},
    sync::OnceLock,
    time::{Duration, Instant},
};

use crate::{
    RecordError,
    seal::{self, Seal},
};

static READER: OnceLock<Vec<OsString>> = OnceLock::new();

/// Time that the child gets \[s\], and more for each megabyte.
const SECONDS: f64 = 10.0;
const SECONDS_PER_MEGABYTE: f64 = 0.2;

/// Names the program, and its arguments, that reads the file given as its last argument and ends.
/// Only the first call counts.
pub fn read_first_with(command: Vec<OsString>) {
    let _ = READER.set(command);
}

/// Whether a file can be read without harm; an error says that it is damaged.
pub fn check(path: &Path) -> Result<(), RecordError> {
    let damaged = |reason: &str| RecordError::Format { path: path.into(), reason: reason.into() };
    match seal::check(path) {
        Ok(Seal::Whole) => return Ok(()),
        Ok(Seal::Broken) => {
            return Err(damaged("it is damaged: its checksum is not that of its contents"));
        }
        // What cannot be opened HDF5 refuses as well, and says why.
        Ok(Seal::None) | Err(_) => {}
    }
    let Some([program, arguments @ ..]) = READER.get().map(Vec::as_slice) else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(arguments).arg(path);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Without a child there is only the direct way.
    let Ok(mut child) = command.spawn() else { return Ok(()) };
    let size = std::fs::metadata(path).map_or(0, |m| m.len()) as f64 / 1e6;
    let limit = Duration::from_secs_f64(SECONDS + SECONDS_PER_MEGABYTE * size);
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            // A plain refusal (1) comes out here as well, with its reason.
            Ok(Some(status)) if matches!(status.code(), Some(0 | 1)) => return Ok(()),
            Ok(Some(_)) | Err(_) => {
                return Err(damaged("it is damaged: the HDF5 library crashes on it"));
            }
            Ok(None) if start.elapsed() > limit => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(damaged("it is damaged: the HDF5 library does not come back from it"));
            }
            Ok(None) => std::thread::sleep(pause),
        }
        pause = (2 * pause).min(Duration::from_millis(50));
    }
}
