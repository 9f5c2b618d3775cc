//! How long a substep is: a step is cut where a body would pass through another on its way, or where
//! the rounds of a formulation ran out.

use crate::{
    collide::{Candidates, Contact},
    integrate::TURN,
    model::{BodyId, Model, Motion},
    motion::StepMotion,
    settings::{Accuracy, Epsilon, Settings},
    state::State,
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

/// The length of a substep while it is being decided.
pub(crate) struct Substep {
    /// Length tried \[s\].
    pub h: f64,
    /// Whether it may be cut shorter, and how often it was.
    cut: bool,
    cuts: usize,
    /// Whether bodies that may be pushed turn no more than [`TURN`] in it.
    bounds_turns: bool,
}

impl Substep {
    /// The first trial for the `left` seconds of a step: no more than `longest`, if it may be cut, and as far as
    /// bodies turn little, if that is asked for.
    pub fn new(
        (model, state): (&Model, &State),
        settings: &Settings,
        (left, longest): (f64, f64),
        (cut, bounds_turns): (bool, bool),
    ) -> Self {
        let cut = cut && settings.epsilon == Epsilon::Auto;
        let length = (left.min(longest), settings.step);
        let h = match cut {
            true => sweep::horizon((model, state), length, stops(model, settings)),
            false => left,
        };
        // Of many bodies one that whirls does not hold up all.
        let bounds_turns = bounds_turns && cut && stops(model, settings) == Stops::AtAll;
        Self { h, cut, cuts: 0, bounds_turns }
    }

    /// Shortens a trial in which a body that may be pushed turns too far; whether it was.
    ///
    /// Rows of contacts and joints are linear in the rotation. Beyond about a radian the motion that they give
    /// has little to do with the one that the bodies make, and impulses along them do work: a chain that
    /// whirled by two radians in a step gained a hundredth of its energy in each (soak seed 753), one by three 570 J in
    /// one step where it had 0.5 J (1190).
    pub fn turns_too_far(
        &mut self,
        (model, state): (&Model, &State),
        settings: &Settings,
        candidates: &Candidates,
    ) -> bool {
        if !self.bounds_turns {
            return false;
        }
        let spin = |id: BodyId| state.twist(id).angular.length();
        let parts = turns(model, candidates, self.h, spin);
        let shorter = (self.h / parts.ceil()).max(SHORTEST * settings.step);
        let shortens = parts > 1.0 && shorter < self.h;
        self.h = if shortens { shorter } else { self.h };
        shortens
    }

    /// Whether a motion turns such a body by twice as much: contacts may have made it fast.
    fn was_turned(&self, model: &Model, (candidates, motion): (&Candidates, &StepMotion)) -> bool {
        if !self.bounds_turns {
            return false;
        }
        let d = model.dimension();
        let angular = |dof: usize| d.split(&motion.nu[dof..dof + d.dof()]).1.length();
        let spin = |id: BodyId| model.dof(id).map_or(0.0, angular);
        turns(model, candidates, self.h, spin) > 2.0
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
        let turned = self.was_turned(model, (candidates, motion));
        let halve = (motion.unsettled || turned) && self.h > SHORTEST * settings.step;
        let shorter = shortened(self.h, passed, halve, motion.unsettled);
        (self.h, self.cuts) = (shorter.unwrap_or(self.h), self.cuts + 1);
        shorter.is_some()
    }
}

/// How many times as far as they should bodies turn in `h` seconds that something is near, or that joints connect to
/// one; 0 if none turns too far.
///
/// In joints that is [`TURN`]; alone twice that: parts of more than [`TURN`] each are all those of a fast
/// body, while one that is fast in every other part gained a hundredth of its energy in a step (a capsule on a
/// heightfield, soak seed 629). How a ball without joints turns does not matter.
fn turns(model: &Model, candidates: &Candidates, h: f64, spin: impl Fn(BodyId) -> f64) -> f64 {
    let is_fast = |id: &BodyId| model.body(*id).motion != Motion::Static && h * spin(*id) > TURN;
    let fast: Vec<BodyId> = model.ids().filter(is_fast).collect();
    if fast.is_empty() {
        return 0.0;
    }
    let mut near = vec![false; model.bodies().len()];
    let pairs =
        candidates.pairs.iter().copied().chain(candidates.contacts.iter().map(Contact::parts));
    pairs.flatten().for_each(|(id, _)| near[id.index()] = true);
    model.spread_along_joints(&mut near);
    let part = |id: BodyId| match model.is_jointed(id) {
        true => h * spin(id) / TURN,
        false if model.body(id).is_ball() => 0.0,
        false => h * spin(id) / (2.0 * TURN),
    };
    let parts = fast.into_iter().filter(|id| near[id.index()]).map(part);
    parts.filter(|x| *x > 1.0).fold(0.0, f64::max)
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
