//! The progress bar.

use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use stickslip::StepReport;

/// Shows how far a run is, on a terminal only. Vanishes when dropped.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar for that many steps; none if `quiet` or if standard error is no terminal.
    pub fn start(steps: u64, quiet: bool) -> Self {
        let target = match !quiet && stderr().is_terminal() {
            true => ProgressDrawTarget::stderr_with_hz(10),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(steps), target);
        let template = "{bar:32} step {pos}/{len}, {eta} left, {msg}";
        // The template is a constant; if it were wrong, the default style would show.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// One more step is done.
    pub fn show(&self, report: &StepReport) {
        self.bar.set_position(report.step);
        if !self.bar.is_hidden() {
            let (contacts, residual) = (report.contacts, report.solves.residual);
            self.bar.set_message(format!("{contacts} contacts, residual {residual:.1e}"));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
