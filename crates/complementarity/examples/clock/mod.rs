//! The clock of the examples, and their memory.

#![allow(dead_code)] // not every example asks for both

use std::sync::LazyLock;
use std::time::Instant;

static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Time this thread has spent on a processor \[s\], where the system tells; else elapsed time.
pub fn cpu_seconds() -> f64 {
    let read = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = read.and_then(|s| s.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| BEGIN.elapsed().as_secs_f64(), |ns| 1e-9 * ns)
}

/// Begins to watch the memory of the process anew, where the system does that.
pub fn forget_memory() {
    // elsewhere the peak since the start is told, or nothing
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The most memory the process had since \[MB\], where the system tells.
pub fn peak_megabytes() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? * 1024e-6)
}
