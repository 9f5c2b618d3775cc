//! Piles: one problem with friction, then positions by normal impulses alone.
//!
//! In a pile some pair always sits where two axes meet, and taking all of them anew until none is
//! wrong has no bound. So the axes are those of the start, kept from step to step, and what overlap
//! that leaves at the end is taken away by the nearest velocities, in the metric of the masses, that
//! end without: a convex problem, linearised where the bodies then are, a few times at the most.
//!
//! ```text
//! min |nu' - nu|_M    psi_end + h G_endᵀ (nu' - nu) >= 0
//! ```

use super::{
    ContactSystem, End, FormulateError, Frame, Pairs, Solve, StepMotion,
    hull::Drift,
    pair::View,
    places::{end_state, hulls_at},
};
use crate::{collide::Contact, settings::Accuracy, state::State};

/// Near pairs that make a pile.
const PILE: usize = 20;

/// Whether there are so many pairs that the work on them is bounded.
pub(super) fn is_bounded(frame: &Frame) -> bool {
    let settings = frame.settings;
    frame.pairs.len() > PILE && !settings.implicit && settings.accuracy != Accuracy::Exact
}

impl Pairs {
    /// Takes away what overlap a motion ends with.
    pub(super) fn project(
        &mut self,
        frame: &Frame,
        motion: &mut StepMotion,
        solve: &mut dyn Solve,
    ) -> Result<(), FormulateError> {
        let budget = frame.settings.accuracy.budget();
        // What a solve of many contacts may leave of a gap is no reason for another one \[m\].
        let slack = if self.bounded { 2.0 * budget.enough * frame.h } else { 0.0 };
        for _ in 0..budget.projections {
            let Some(end) = self.overlaps(frame, &motion.nu, slack) else { break };
            let system = |contacts| ContactSystem::frictionless(frame, contacts);
            let passes = self.end_rows(frame, &motion.nu, end, system);
            let passes = if self.bounded { passes.rough() } else { passes };
            passes.project(motion, solve)?;
        }
        Ok(())
    }

    /// Rows for the pairs at the end of a motion; `None` where none overlaps by more than `slack` \[m\].
    fn overlaps(&mut self, frame: &Frame, nu: &[f64], slack: f64) -> Option<End> {
        let end = end_state(frame, nu);
        let nothing = vec![0.0; self.others.rows.len()];
        let others = self.others.at_the_end(frame, &end, &nothing, slack);
        let hulls = hulls_at(frame, &end, &self.index, &self.hulls);
        let accepted = self.accepted(frame);
        let mut deepest = if others.off <= accepted { 0.0 } else { others.deepest };
        for pair in &mut self.pairs {
            let view = View {
                hulls: pair.parts.map(|p| &*hulls[self.index[&p]]),
                drifts: pair.parts.map(|(body, _)| Drift::at_rest(end.pose(body).position)),
                h: frame.h,
            };
            let start = pair.parts.map(|p| &self.hulls[self.index[&p]]);
            let slack = slack.max(accepted * pair.tolerance());
            let spared = pair.overlap_kept(frame) + slack;
            deepest = deepest.max(pair.follow(&view, start, spared) - spared);
        }
        if deepest <= 0.0 {
            return None;
        }
        let mut out = End { others, ..End::default() };
        let (contacts, gaps, owner) = &mut out.rows;
        for (k, pair) in self.pairs.iter().enumerate() {
            let first = contacts.len();
            pair.contacts(pair.parts.map(|p| &*hulls[self.index[&p]]), contacts);
            gaps.extend(contacts[first..].iter().map(|c| c.gap));
            contacts[first..].iter_mut().for_each(|c| seen_from_start(c, frame.state, &end));
            owner.resize(contacts.len(), k);
        }
        Some(out)
    }
}

/// Moves the points of a contact so that their levers about the centres of the bodies at the start
/// are those at the end.
fn seen_from_start(c: &mut Contact, start: &State, end: &State) {
    for side in [&mut c.a, &mut c.b] {
        side.point += start.pose(side.body).position - end.pose(side.body).position;
    }
}
