//! A progress bar for work in pieces.

use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shows which piece is under way, on a terminal only. Vanishes when dropped.
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// A bar; none if `quiet` or if standard error is no terminal.
    pub fn start(quiet: bool) -> Self {
        let target = match !quiet && stderr().is_terminal() {
            true => ProgressDrawTarget::stderr_with_hz(10),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        // The template is a constant; if it were wrong, the default style would show.
        if let Ok(style) = ProgressStyle::with_template("{bar:32} {pos}/{len}, {eta} left, {msg}") {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// Piece `done` of `count` begins.
    pub fn show(&self, done: u64, count: u64, what: &str) {
        self.bar.set_length(count);
        self.bar.set_position(done);
        self.bar.set_message(what.to_owned());
    }

    /// Writes a line to standard error, above the bar if there is one.
    pub fn say(&self, line: &str) {
        self.bar.suspend(|| super::notice(line));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
