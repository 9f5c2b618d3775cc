//! The clock of the examples.

use std::sync::LazyLock;
use std::time::Instant;

static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Time this thread has spent on a processor \[s\], where the system tells; else elapsed time.
pub fn cpu_seconds() -> f64 {
    let read = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = read.and_then(|s| s.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| BEGIN.elapsed().as_secs_f64(), |ns| 1e-9 * ns)
}
