//! Polytope exact geometry (Williams 2014, chapters 3-4): which gaps may close together.
//!
//! A vertex near a corner may be behind one of its faces, but not behind all of them: that is an
//! inter-contact (I) constraint, `max(psi_1, .., psi_n) >= 0` with one force. Two corners pass each
//! other on one side or on the other: cross-contact (X) constraints, of the same form. A gap by
//! itself is a unilateral (U) constraint. All of them are rows of one complementarity problem
//! ([`program`]).
//!
//! Which contact of a constraint pushes (its *active alternative*) is chosen along the motion that the bodies
//! already have: the one whose gap closes last. If in the solution another contact turns out to
//! be the one that touches, it becomes the active one and the problem is solved again, at most
//! [`MAX_ROUNDS`](work::MAX_ROUNDS) times.
//!
//! The rates of the gaps are taken in the middle of the step, half turned by the spin that the
//! bodies have; which features face each other, at its end.
//!
//! The problem is not copositive. It has a solution whenever all active alternatives can be kept open together
//! (each row is at least that of the standard model at its active alternative), which is so for bodies that do
//! not overlap at the start. Where no solver finds one, or finds one that gains energy, the pairs with violated rows lose their X
//! constraints, and if that does not help, all but the active alternative of each constraint: the standard
//! model. With the true cone the problem at the active alternatives is tried before that. Every such retreat is counted in [`StepMotion::fallbacks`](super::StepMotion::fallbacks).

mod active;
mod astray;
mod clause;
mod pair;
mod plane;
mod program;
mod refine;
mod rows;
mod solid;
mod space;
mod work;

use complementarity::{ProblemClass, Status};

use self::{active::Progress, work::StepPlan};
use super::{FormulateError, Formulation, Frame, Solve, StepMotion};
use crate::settings::{ProblemForm, Settings};

/// Which constraints are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    /// U, I and X.
    All,
    /// U and I alone: the locally non-convex model.
    Vertices,
}

/// The PEG formulation.
#[derive(Debug)]
pub struct Peg {
    name: &'static str,
    contents: Contents,
    several: bool,
    /// Whether the whole problem is written at once.
    whole: bool,
}

impl Default for Peg {
    fn default() -> Self {
        Self { name: "peg", contents: Contents::All, several: false, whole: false }
    }
}

impl Peg {
    /// With a force at every primary contact of a constraint (4.11-4.13), not at one of them. The
    /// bare inequality (4.11) becomes complementary to the force of the active one, so that the problem
    /// stays square.
    pub fn several() -> Self {
        Self { name: "peg-several", several: true, whole: true, ..Self::default() }
    }

    /// With every problem written as a whole, (4.30)-(4.51), for a solver that pivots.
    pub fn whole() -> Self {
        Self { name: "peg-whole", whole: true, ..Self::default() }
    }

    /// U and I constraints alone.
    pub(super) fn vertices_only(name: &'static str) -> Self {
        Self { name, contents: Contents::Vertices, ..Self::default() }
    }
}

impl Formulation for Peg {
    fn name(&self) -> &'static str {
        self.name
    }

    fn class(&self, settings: &Settings) -> ProblemClass {
        super::class_of(settings)
    }

    fn sees_free_motion(&self) -> bool {
        false
    }

    fn plan(&mut self, frame: &Frame, solve: &mut dyn Solve) -> Result<StepMotion, FormulateError> {
        let mut work = StepPlan::begin(frame, self.contents, self.several);
        if work.program.rests() && !work.refine(frame, None) {
            let motion = work.program.motion(None);
            return Ok(StepMotion { unsettled: work.unsettled, ..motion });
        }
        if !self.whole && frame.settings.problem_form == ProblemForm::Condensed {
            work.begin_active(frame);
        }
        let (motion, pushes) = loop {
            let settled = match work.active.is_some() {
                true => self.with_active(frame, &mut work, solve)?,
                false => self.as_a_whole(frame, &mut work, solve)?,
            };
            if let Some(settled) = settled {
                break settled;
            }
        };
        let Some(passes) = work.impacts(frame, &motion.nu, &pushes, self.name) else {
            return Ok(motion);
        };
        let rebound = passes.run(solve)?;
        let constraints = work.program.motion(None).constraints;
        let (fallbacks, unsettled) = (work.fallbacks, work.unsettled);
        Ok(StepMotion { constraints, fallbacks, unsettled, ..rebound })
    }
}

/// A motion that obeys every constraint, and the normal impulse of each.
type Settled = (StepMotion, Vec<f64>);

impl Peg {
    /// Solves the problem of the present active alternatives. `None` where active alternatives or gaps changed.
    fn with_active(
        &self,
        frame: &Frame,
        work: &mut StepPlan,
        solve: &mut dyn Solve,
    ) -> Result<Option<Settled>, FormulateError> {
        let attempt = work.can_retreat();
        let Some(active) = &mut work.active else { return Ok(None) };
        let (outcome, status) = active.solve(frame, (&work.program, self.name), attempt, solve)?;
        let progress = match status == Status::Solved || !work.is_small() {
            true => work.check(frame, &outcome),
            false => Progress::Cycling,
        };
        Ok(match progress {
            Progress::Changed => None,
            Progress::Cycling => {
                work.leave_active();
                None
            }
            Progress::Settled => Some((work.motion_of(&outcome), work.pushes_of(&outcome))),
        })
    }

    /// Solves the whole problem. `None` where active alternatives, gaps or the constraints themselves changed.
    fn as_a_whole(
        &self,
        frame: &Frame,
        work: &mut StepPlan,
        solve: &mut dyn Solve,
    ) -> Result<Option<Settled>, FormulateError> {
        work.program.lay_out(frame);
        let wrong = |source| FormulateError::Problem { formulation: self.name, source };
        let problem = work.program.problem().map_err(wrong)?;
        let keys = work.program.keys();
        work.problem = Some(problem.clone());
        let solution = match work.can_retreat() {
            true => solve.attempt(problem, keys)?,
            false => solve.solve(problem, keys)?,
        };
        let solved = solution.status == Status::Solved;
        let z = work.program.in_order(&solution.z);
        if (solved && work.change_active(&z)) || (!solved && work.try_active(frame)) {
            return Ok(None);
        }
        let sound = solved && !work.program.gains_energy(&z);
        if (!sound && work.retreat(frame, &solution)) || (sound && work.refine(frame, Some(&z))) {
            return Ok(None);
        }
        let mut motion = work.program.motion(Some(&z));
        (motion.fallbacks, motion.unsettled) = (work.fallbacks, work.unsettled);
        Ok(Some((motion, work.program.clause_pushes(&z))))
    }
}

#[cfg(test)]
mod tests;
