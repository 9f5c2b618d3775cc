//! Whether the motion that a step's problem gave is accepted, or which constraints of joints the
//! problem must have besides.
//!
//! Two things about joints show only in the motion: limits that looked far away and would be
//! passed all the same (an impact far down a chain), and joints that contacts leave open. The
//! stabilization `shake` closes the joints at the end of the free motion; what contacts then add
//! opens them, and bends the limits, by the square of the angles turned. With that change known,
//! the joints are closed for the motion that includes it, limits are linearised at its end, and the
//! contacts are solved for anew.

use std::ops::ControlFlow;

use stickslip_geometry::tolerance::MERGE;

use super::JointRows;
use crate::{frame::Frame, model::JointId, motion::StepMotion};

/// Constraints of joints added after a rejected trial step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AddedConstraints {
    /// Joints whose limits were too far away to be in the problem, but would be passed.
    pub enforced: Vec<JointId>,
    /// Change of velocities by contacts, limits and friction, in the layout of the model; the
    /// stabilization `shake` closes the joints for the motion that includes it.
    pub push: Vec<f64>,
    /// By how much the rates of limits differ from their linear prediction over the step, by joint
    /// and row \[m/s or rad/s\].
    pub bends: Vec<(JointId, usize, f64)>,
}

impl AddedConstraints {
    /// None: the first trial of a step.
    pub const NONE: &'static Self =
        &Self { enforced: Vec::new(), push: Vec::new(), bends: Vec::new() };
}

/// The trials of one step. Each gains a factor of about the angle turned in a step; what is left in the
/// end is for the stabilizer.
#[derive(Clone, Debug, Default)]
pub struct Attempts {
    /// The best motion so far, and the joint error that it leaves.
    best: Option<(f64, StepMotion)>,
}

impl Attempts {
    /// Checks the joints at the end of a motion: the motion to take, or the constraints to solve again
    /// with. Every trial adds a limit or halves the error of the joints, so this ends.
    pub fn check(
        &mut self,
        frame: &Frame,
        motion: StepMotion,
    ) -> ControlFlow<StepMotion, AddedConstraints> {
        let passed = JointRows::overlooked(frame, &motion.nu);
        if !passed.is_empty() {
            let mut added = frame.added.clone();
            added.enforced.extend(passed);
            return ControlFlow::Continue(added);
        }
        let Some((more, error)) = JointRows::left_open(frame, &motion) else {
            return ControlFlow::Break(StepMotion { added: frame.added.clone(), ..motion });
        };
        let motion = StepMotion { added: frame.added.clone(), ..motion };
        match self.best.take() {
            // They do not close: a shorter step turns them less, and less is left to the stabilizer.
            Some((last, better)) if error >= 0.5 * last => {
                let opened = last > MERGE && last > 2.0 * frame.model.max_joint_error(frame.state);
                ControlFlow::Break(StepMotion { unsettled: better.unsettled | opened, ..better })
            }
            _ => {
                self.best = Some((error, motion));
                ControlFlow::Continue(more)
            }
        }
    }
}
