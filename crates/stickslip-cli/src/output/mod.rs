//! What the user sees.

pub mod bar;
pub mod progress;
pub mod recording;
pub mod table;

use std::io::{self, Write};

/// Writes to standard output; a reader that has gone is an error, not a panic.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a line to standard error. When that fails there is nobody left to tell.
pub fn notice(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
