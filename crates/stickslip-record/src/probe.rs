//! A first look at files of HDF5 from another process.
//!
//! The HDF5 library may crash on a damaged file, or never come back. A file that no seal vouches
//! for is read by a child process first, where the program has named one; what ends the child does
//! not end the program.

use std::{
    ffi::OsString,
    path::Path,
    process::{Child, Command, Stdio},
    sync::OnceLock,
    time::{Duration, Instant},
};

use crate::{
    RecordError,
    seal::{self, Seal},
};

static READER: OnceLock<Vec<OsString>> = OnceLock::new();

/// Processor time that the child gets \[s\], and more for each megabyte.
const SECONDS: f64 = 10.0;
const SECONDS_PER_MEGABYTE: f64 = 0.2;
/// How many times as long it may take by the clock: on a busy machine it waits. A whole file of 150 MB was called
/// damaged beside ten other processes.
const BUSY: f64 = 30.0;

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
            Ok(None) if is_over(&child, start, limit) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(damaged("it is damaged: the HDF5 library does not come back from it"));
            }
            Ok(None) => std::thread::sleep(pause),
        }
        pause = (2 * pause).min(Duration::from_millis(50));
    }
}

/// Whether the child has had its time: of the processor where the system tells, else by the clock.
fn is_over(child: &Child, start: Instant, limit: Duration) -> bool {
    let elapsed = start.elapsed();
    let spent = processor_time(child.id()).unwrap_or(elapsed);
    spent > limit || elapsed > limit.mul_f64(BUSY)
}

/// Processor time of a process, its own and that of the system for it: fields 14 and 15 of `stat`, in
/// hundredths of a second, counted behind the name in parentheses.
fn processor_time(process: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, behind) = stat.rsplit_once(')')?;
    let mut fields = behind.split_ascii_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (next()? + next()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that waits spends no time, however long it takes; one that counts does.
    #[test]
    #[cfg(target_os = "linux")]
    fn who_waits_spends_nothing() {
        let run = |script: &str| {
            Command::new("sh").args(["-c", script]).stdin(Stdio::null()).spawn().expect("a shell")
        };
        let (mut waits, mut counts) = (run("sleep 100"), run("while :; do :; done"));
        while processor_time(counts.id()).is_some_and(|t| t < Duration::from_millis(300)) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let [still, busy] = [waits.id(), counts.id()].map(processor_time);
        for child in [&mut waits, &mut counts] {
            child.kill().expect("it runs");
            child.wait().expect("it ends");
        }
        assert!(still.is_some_and(|t| t < Duration::from_millis(100)), "{still:?}");
        assert!(busy.is_some_and(|t| t >= Duration::from_millis(300)), "{busy:?}");
    }
}
