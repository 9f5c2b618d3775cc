//! How long a substep is: a step is cut where a body would pass through another on its way, or where
//! the rounds of a formulation ran out.

use crate::{
    collide::Candidates,
    model::Model,
    motion::StepMotion,
    settings::{Epsilon, Settings},
    state::State,
    sweep,
};

/// Substeps after which the rest of a step is taken without a check.
pub(crate) const MAX_SUBSTEPS: usize = 4096;
/// Solves after which the rest of a step is taken without a check. A bullet that ricochets in a corner
/// takes some hundred; seconds a step began where a kinematic body squeezed others, with thousands.
pub(crate) const MAX_SOLVES: usize = 1000;
/// What is left of a step below this part of it is round-off.
pub(crate) const SLIVER: f64 = 1e-12;
/// What is left at the least of a substep whose rounds ran out.
const MOST_CUT: f64 = 0.1;
/// The part of a step down to which one is halved whose rounds ran out: with few contacts,
/// and in piles, where short steps cost much and some pair always cycles.
const MIN_UNSETTLED: [f64; 2] = [1e-3, 0.1];
/// Contacts that are few.
const FEW: usize = 100;
/// How often one substep may be cut shorter.
const MAX_CUTS: usize = 32;

/// The length of a substep while it is being decided.
pub(crate) struct Substep {
    /// Length tried \[s\].
    pub h: f64,
    cuts: usize,
}

impl Substep {
    /// The first trial for the `left` seconds of a step.
    pub fn new(model: &Model, state: &State, settings: &Settings, left: f64, cut: bool) -> Self {
        let cuts = if cut && settings.epsilon == Epsilon::Auto { MAX_CUTS } else { 0 };
        let h = if cuts > 0 { sweep::horizon(model, state, left, settings.step) } else { left };
        Self { h, cuts }
    }

    /// Whether the trial is rejected; then the substep is shorter.
    pub fn rejects(
        &mut self,
        (model, state): (&Model, &State),
        settings: &Settings,
        (candidates, motion): (&Candidates, &StepMotion),
    ) -> bool {
        if self.cuts == 0 {
            return false;
        }
        let passed = sweep::cut((model, state), (candidates, motion), self.h, settings.step);
        // With joints the rounds may run out for their sake, which shorter steps do not mend.
        let jointed = model.joint_ids().next().is_some();
        let shortest = MIN_UNSETTLED[usize::from(motion.contacts.len() > FEW)] * settings.step;
        let halve = motion.unsettled && self.h > shortest && !jointed;
        match shortened(self.h, passed, halve, motion.unsettled) {
            Some(h) => {
                (self.h, self.cuts) = (h, self.cuts - 1);
                true
            }
            None => false,
        }
    }
}

/// How long a substep is to be tried instead of one of `h` seconds whose motion passes through
/// something after `passed`. A motion whose rounds ran out may be any: where it passes through
/// something says little. So such a substep is halved where it may be, else cut by no more than
/// [`MOST_CUT`].
fn shortened(h: f64, passed: Option<f64>, halve: bool, unsettled: bool) -> Option<f64> {
    match passed {
        _ if halve => Some(0.5 * h),
        Some(t) if unsettled => Some(t.max(MOST_CUT * h)),
        t => t,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A motion that nothing settled once passed through a wall after 1e-25 s: the step that was
    /// planned up to there threw twenty bodies apart.
    #[test]
    fn a_motion_that_did_not_settle_does_not_say_where_to_cut() {
        assert_eq!(shortened(1.0, Some(1e-25), true, true), Some(0.5));
        assert_eq!(shortened(1.0, Some(1e-25), false, true), Some(0.1));
        assert_eq!(shortened(1.0, Some(1e-3), false, false), Some(1e-3));
        assert_eq!(shortened(1.0, None, true, true), Some(0.5));
        assert_eq!(shortened(1.0, None, false, true), None);
    }
}
