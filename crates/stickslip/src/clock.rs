//! Where the time of a step goes, and how much work it has been.

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use std::time::Instant;

#[cfg(target_arch = "wasm32")]
pub(crate) use still::Instant;

use crate::{fault::Stage, report::StageTimes};

/// WebAssembly has no clock of its own: there time stands still, and reports say zero seconds.
#[cfg(target_arch = "wasm32")]
mod still {
    use std::time::Duration;

    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Instant;

    impl Instant {
        pub fn now() -> Self {
            Self
        }

        pub fn elapsed(&self) -> Duration {
            Duration::ZERO
        }
    }

    impl std::ops::Sub for Instant {
        type Output = Duration;

        fn sub(self, _: Self) -> Duration {
            Duration::ZERO
        }
    }
}

/// Adds up the seconds of each stage. What goes on between two stages counts with the second of
/// them: reading the clock costs too much where a step takes microseconds.
pub(crate) struct Clock {
    pub times: StageTimes,
    /// Seconds of diagnoses, which belong to no stage.
    pub judging: f64,
    /// Solves of this step, those of rejected trials too, and one more for every twenty iterations: solves that
    /// have no solution take hundreds.
    pub solves: usize,
    /// Those among them that took several methods.
    pub hard: usize,
    last: Instant,
}

impl Clock {
    pub fn start() -> Self {
        Self {
            times: StageTimes::default(),
            judging: 0.0,
            solves: 0,
            hard: 0,
            last: Instant::now(),
        }
    }

    /// Counts a solve of so many iterations.
    pub fn count(&mut self, iterations: usize) {
        self.solves += 1 + iterations / 20;
    }

    /// Charges the time since the last call to diagnoses.
    pub fn judge(&mut self) {
        let now = Instant::now();
        self.judging += (now - self.last).as_secs_f64();
        self.last = now;
    }

    /// Charges the time since the last call to `stage`.
    pub fn charge(&mut self, stage: Stage) {
        let now = Instant::now();
        let seconds = (now - self.last).as_secs_f64();
        self.last = now;
        match stage {
            Stage::Detect => self.times.detect += seconds,
            Stage::Formulate => self.times.formulate += seconds,
            Stage::Solve => self.times.solve += seconds,
            Stage::Integrate => self.times.integrate += seconds,
            Stage::Stabilize => self.times.stabilize += seconds,
            Stage::Hook => {}
        }
    }
}
