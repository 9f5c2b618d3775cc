//! Polytope exact geometry (Williams 2014, chapters 3-4): which gaps may close together.
//!
//! A vertex near a corner may be behind one of its faces, but not behind all of them: that is an
//! inter-contact (I) constraint, `max(psi_1, .., psi_n) >= 0` with one force. Two corners pass each
//! other on one side or on the other: cross-contact (X) constraints, of the same form. A gap by
//! itself is a unilateral (U) constraint. All of them are rows of one complementarity problem
//! ([`program`]).
//!
//! Which contact of a constraint pushes (its *head*) is chosen along the motion that the bodies
//! already have: the one whose gap closes last. If in the solution another contact turns out to
//! be the one that touches, it becomes the head and the problem is solved again, at most
//! [`MAX_ROUNDS`](work::MAX_ROUNDS) times.
//!
//! The rates of the gaps are taken in the middle of the step, half turned by the spin that the
//! bodies have; which features face each other, at its end.
//!
//! The problem is not copositive. It has a solution whenever all heads can be kept open together
//! (each row is at least that of the standard model at its head), which is so for bodies that do
//! not overlap at the start. Where no solver finds one, or finds one that gains energy, the pairs with violated rows lose their X
//! constraints, and if that does not help, all but the head of each constraint: the standard
//! model. With the true cone the problem at the heads is tried before that. Every such retreat is counted in [`StepMotion::fallbacks`](super::StepMotion::fallbacks).

mod astray;
mod clause;
mod heads;
mod pair;
mod plane;
mod program;
mod refine;
mod rows;
mod solid;
mod space;
mod work;

use complementarity::{ProblemClass, Solution, Status};

use self::{heads::Judged, work::Work};
use super::{FormulateError, Formulation, Frame, Pass, StepMotion, impact::Next};
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
    work: Option<Work>,
}

impl Default for Peg {
    fn default() -> Self {
        Self { name: "peg", contents: Contents::All, several: false, whole: false, work: None }
    }
}

impl Peg {
    /// With a force at every primary contact of a constraint (4.11-4.13), not at one of them. The
    /// bare inequality (4.11) becomes complementary to the head's force, so that the problem
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

    fn recovers(&self) -> bool {
        self.work.as_ref().is_some_and(Work::can_retreat)
    }

    fn formulate(
        &mut self,
        frame: &Frame,
        last: Option<&Solution>,
    ) -> Result<Pass, FormulateError> {
        let (mut work, solution) = match (last, self.work.take()) {
            (Some(solution), Some(work)) => (work, solution),
            _ => return self.begin(frame),
        };
        if let Some(passes) = &mut work.rebound {
            let impulses = passes.system.impulses(&solution.z).to_vec();
            let next = passes.next(&impulses);
            return self.rebound(work, next);
        }
        let solved = solution.status == Status::Solved;
        if let Some(heads) = &work.heads {
            let outcome = heads.outcome(&solution.z);
            match if solved || !work.is_small() {
                work.judge(frame, &outcome)
            } else {
                Judged::Lost
            } {
                Judged::Again => return self.hand_out(frame, work),
                Judged::Lost => {
                    work.leave_heads();
                    return self.hand_out(frame, work);
                }
                Judged::Settled => {
                    let (motion, pushes) = (work.motion_of(&outcome), work.pushes_of(&outcome));
                    return self.end(frame, work, motion, &pushes);
                }
            }
        }
        let z = work.program.in_order(&solution.z);
        if solved && work.change_heads(&z) {
            return self.hand_out(frame, work);
        }
        if !solved && work.try_heads(frame) {
            return self.hand_out(frame, work);
        }
        let sound = solved && !work.program.gains_energy(&z);
        if !sound && work.retreat(frame, solution) {
            return self.hand_out(frame, work);
        }
        if sound && work.refine(frame, Some(&z)) {
            return self.hand_out(frame, work);
        }
        let mut motion = work.program.motion(Some(&z));
        (motion.fallbacks, motion.unsettled) = (work.fallbacks, work.unsettled);
        let pushes = work.program.clause_pushes(&z);
        self.end(frame, work, motion, &pushes)
    }
}

impl Peg {
    /// The first problem of a step.
    fn begin(&mut self, frame: &Frame) -> Result<Pass, FormulateError> {
        let mut work = Work::begin(frame, self.contents, self.several);
        if work.program.rests() && !work.refine(frame, None) {
            let motion = work.program.motion(None);
            return Ok(Pass::Done(StepMotion { unsettled: work.unsettled, ..motion }));
        }
        if !self.whole && frame.settings.problem_form == ProblemForm::Condensed {
            work.begin_heads(frame);
        }
        self.hand_out(frame, work)
    }

    /// The inelastic motion is found: restitution, or the end.
    fn end(
        &mut self,
        frame: &Frame,
        mut work: Work,
        motion: StepMotion,
        pushes: &[f64],
    ) -> Result<Pass, FormulateError> {
        match work.impacts(frame, &motion.nu, pushes) {
            None => Ok(Pass::Done(motion)),
            Some(passes) => {
                let next = passes.first();
                work.rebound = Some(passes);
                self.rebound(work, next)
            }
        }
    }

    /// The problem of the present clauses and heads.
    fn hand_out(&mut self, frame: &Frame, mut work: Work) -> Result<Pass, FormulateError> {
        if let Some(heads) = &mut work.heads {
            let pass = heads.pass(frame, &work.program, self.name)?;
            self.work = Some(work);
            return Ok(pass);
        }
        work.program.lay_out(frame);
        let problem = work
            .program
            .problem()
            .map_err(|source| FormulateError::Problem { formulation: self.name, source })?;
        let keys = work.program.keys();
        work.problem = Some(problem.clone());
        self.work = Some(work);
        Ok(Pass::Solve { problem, keys })
    }

    /// A pass of restitution, or its end.
    fn rebound(&mut self, mut work: Work, next: Next) -> Result<Pass, FormulateError> {
        match (next, &work.rebound) {
            (Next::Solve { nu0, target }, Some(passes)) => {
                let pass = passes.pass(&nu0, &target, self.name)?;
                work.problem = None;
                self.work = Some(work);
                Ok(pass)
            }
            (Next::Done(mut motion), _) => {
                motion.constraints = work.program.motion(None).constraints;
                (motion.fallbacks, motion.unsettled) = (work.fallbacks, work.unsettled);
                Ok(Pass::Done(motion))
            }
            (Next::Solve { .. }, None) => Ok(Pass::Done(work.program.motion(None))),
        }
    }
}

#[cfg(test)]
mod tests;
