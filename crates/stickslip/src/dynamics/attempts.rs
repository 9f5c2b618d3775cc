//! Whether the motion that a step's problem gave will do, or what the problem must know besides.
//!
//! Two things about joints show only in the motion: limits that looked far away and would be
//! passed all the same (an impact far down a chain), and joints that contacts leave open. The
//! stabilisation `shake` closes the joints at the end of the free motion; what contacts then add
//! opens them, and bends the limits, by the square of the angles turned. With that change known,
//! the joints are closed for the motion that includes it, limits are linearised at its end, and the
//! contacts are solved for anew.

use super::JointRows;
use crate::{frame::Frame, motion::StepMotion, state::Retry};

/// Attempts to close joints that contacts leave open. Each gains a factor of about the angle turned
/// in a step; what is left then is for the stabiliser.
const MAX_CLOSINGS: usize = 2;

/// The attempts at one step.
#[derive(Clone, Debug, Default)]
pub struct Attempts {
    closings: usize,
    /// The best motion so far, what its problem knew, and the joint error that it leaves.
    best: Option<(f64, StepMotion, Retry)>,
}

/// What to do after an attempt.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Write and solve the problem again, knowing this.
    Again(Retry),
    /// Take this motion, whose problem knew that.
    Take(StepMotion, Retry),
}

impl Attempts {
    /// Judges a motion. Every round adds a limit or halves the error of the joints, so this ends.
    pub fn judge(&mut self, frame: &Frame, motion: StepMotion) -> Verdict {
        let Frame { model, state, h, .. } = *frame;
        let passed = JointRows::overlooked(model, state, &motion.nu, h);
        if !passed.is_empty() {
            let mut retry = state.retry.clone();
            retry.enforced.extend(passed);
            return Verdict::Again(retry);
        }
        let Some((retry, error)) = JointRows::left_open(frame, &motion) else {
            return Verdict::Take(motion, state.retry.clone());
        };
        match self.best.take() {
            Some((last, motion, retry)) if error >= 0.5 * last => Verdict::Take(motion, retry),
            _ if self.closings == MAX_CLOSINGS => Verdict::Take(motion, state.retry.clone()),
            _ => {
                self.closings += 1;
                self.best = Some((error, motion, state.retry.clone()));
                Verdict::Again(retry)
            }
        }
    }
}
