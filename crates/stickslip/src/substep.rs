//! How long a substep is: a step is cut where a body would pass through another on its way, or where
//! the rounds of a formulation ran out.

use stickslip_geometry::tolerance::MERGE;

use crate::{
    collide::Candidates,
    model::{BodyId, Model},
    motion::StepMotion,
    settings::{Accuracy, Epsilon, Settings},
    state::{State, rotate},
    sweep::{self, Stops},
};

/// Substeps and solves after which the rest of a step is taken without a check, and evaluations of one
/// pair after which it is cut there. A bullet that ricochets in a corner takes some hundred; seconds a
/// step began where a kinematic body squeezed others, with thousands.
pub(crate) const MAX_TRIALS: usize = 1000;
/// The part of a step down to which a substep is halved whose rounds ran out, and the part of a substep
/// that is left of it at the least. With 0.1 a pair whose edge lies across a small face ends 1 mm deep
/// (pair 58342 of `tests/exact/many.rs`).
const SHORTEST: f64 = 1e-3;
/// Overlap that a step may leave which was not taken as planned, as a part of the smaller body: ten times what
/// a plan may leave. The next step takes it up.
const SPOILED: f64 = 10.0 * MERGE;

/// The length of a substep while it is being decided.
pub(crate) struct Substep {
    /// Length tried \[s\].
    pub h: f64,
    /// Whether it may be cut shorter, and how often it was.
    cut: bool,
    cuts: usize,
}

impl Substep {
    /// The first trial for the `left` seconds of a step: no more than `longest`, if it may be cut.
    pub fn new(
        (model, state): (&Model, &State),
        settings: &Settings,
        (left, longest): (f64, f64),
        cut: bool,
    ) -> Self {
        let cut = cut && settings.epsilon == Epsilon::Auto;
        let length = (left.min(longest), settings.step);
        let h = match cut {
            true => sweep::horizon((model, state), length, stops(model, settings)),
            false => left,
        };
        Self { h, cut, cuts: 0 }
    }

    /// Whether the trial is rejected after so many solves in this step; then the substep is shorter.
    pub fn rejects(
        &mut self,
        (model, state): (&Model, &State),
        settings: &Settings,
        (candidates, motion): (&Candidates, &StepMotion),
        solves: usize,
    ) -> bool {
        if !self.cut || self.cuts + solves >= MAX_TRIALS {
            return false;
        }
        let passed = sweep::cut((model, state), (candidates, motion), self.h, settings.step);
        let halve = motion.unsettled && self.h > SHORTEST * settings.step;
        let shorter = shortened(self.h, passed, halve, motion.unsettled);
        (self.h, self.cuts) = (shorter.unwrap_or(self.h), self.cuts + 1);
        shorter.is_some()
    }

    /// Whether the step taken has put bodies into each other; then the substep is shorter. What is taken is
    /// not always what was planned: trees that nothing pushes move in joint coordinates, and the stabilizer
    /// closes joints by moving their bodies.
    pub fn spoils(
        &mut self,
        (model, settings): (&Model, &Settings),
        (start, end): (&State, &State),
        (candidates, motion): (&Candidates, &StepMotion),
        solves: usize,
    ) -> bool {
        let given = motion.acts_on_overlap || motion.displacement.is_some();
        let out = !self.cut || self.cuts + solves >= MAX_TRIALS;
        if given || out || self.h <= SHORTEST * settings.step || candidates.is_empty() {
            return false;
        }
        let moved = |id| is_elsewhere((model, id), (start, end), &motion.nu, self.h);
        if !model.ids().any(moved) {
            return false;
        }
        let overlaps = |pair: &[BodyId; 2]| {
            let sizes = pair.map(|id| model.body(id).radius);
            let least = SPOILED * sizes[0].min(sizes[1]);
            let deeper = |depth: f64| depth > least && depth > sweep::depth((model, start), *pair);
            pair.iter().any(|&id| moved(id)) && deeper(sweep::depth((model, end), *pair))
        };
        let spoiled = candidates.bodies().iter().any(overlaps);
        if spoiled {
            (self.h, self.cuts) = (0.5 * self.h, self.cuts + 1);
        }
        spoiled
    }
}

/// Whether points of a body are farther than does not matter from where a motion `nu` of `h` seconds was to
/// take them.
fn is_elsewhere(
    (model, id): (&Model, BodyId),
    (start, end): (&State, &State),
    nu: &[f64],
    h: f64,
) -> bool {
    let (dimension, radius) = (model.dimension(), model.body(id).radius);
    let Some(dof) = model.dof(id).filter(|_| radius.is_finite()) else { return false };
    let (linear, angular) = dimension.split(&nu[dof..dof + dimension.dof()]);
    let (from, to) = (start.pose(id), end.pose(id));
    let planned = rotate(from.orientation, angular * h);
    let turn = 2.0 * (planned.conjugate() * to.orientation).xyz().length();
    let off = to.position.distance(from.position + linear * h) + turn * radius;
    off > MERGE * radius
}

/// Where there are so many bodies that the work on them is bounded, each stop costs a solve of all.
fn stops(model: &Model, settings: &Settings) -> Stops {
    let exact = settings.implicit || settings.accuracy == Accuracy::Exact;
    let moving = model.n_dof() / model.dimension().dof();
    match moving > settings.separation.pile && !exact {
        true => Stops::AtPassages,
        false => Stops::AtAll,
    }
}

/// How long a substep is to be tried instead of one of `h` seconds whose motion passes through
/// something after `passed`. A motion whose rounds ran out may be any: where it passes through
/// something says little. So such a substep is halved where it may be, else cut by no more than
/// [`SHORTEST`].
fn shortened(h: f64, passed: Option<f64>, halve: bool, unsettled: bool) -> Option<f64> {
    match passed {
        _ if halve => Some(0.5 * h),
        Some(t) if unsettled => Some(t.max(SHORTEST * h)),
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
        assert_eq!(shortened(1.0, Some(1e-25), false, true), Some(1e-3));
        assert_eq!(shortened(1.0, Some(1e-3), false, false), Some(1e-3));
        assert_eq!(shortened(1.0, None, true, true), Some(0.5));
        assert_eq!(shortened(1.0, None, false, true), None);
    }
}
