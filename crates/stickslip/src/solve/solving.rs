//! The solver as a formulation sees it: with warm start, clock, residual and report around it.

use complementarity::{
    Ask, ContactProblem, ContactSolution, Problem, Solution, Status, residual, solver::Watch,
};

use stickslip_geometry::Vec3;

use super::{Solver, WarmStart};
use crate::{
    clock::Clock,
    fault::{Cause, Stage},
    formulate::{FormulateError, Name, Solve},
    hook,
    report::{OneSolve, SolveReport},
    settings::{OnUnsolved, Settings},
};

/// Solves of a step that took several methods, after which the last resorts of a solver are skipped. A body squeezed
/// between others that nothing moves has no solution: in five steps of such a scene (a kinematic body among four
/// others) every method was tried in vain some thousand times, for 114 s.
const LAST_RESORTS: usize = 4;

/// Solves the problems of one step.
pub(crate) struct Solving<'a> {
    pub solver: &'a mut dyn Solver,
    pub warm_start: &'a mut WarmStart,
    pub watch: &'a mut dyn Watch,
    /// The last problem and its solution, for those who look on.
    pub last: &'a mut Option<hook::Solve>,
    pub settings: &'a Settings,
    /// Length of the step \[s\].
    pub h: f64,
    pub report: &'a mut SolveReport,
    pub clock: &'a mut Clock,
    /// Of the last named contacts, block by block.
    pub errors: Vec<f64>,
    /// Why a solve ended the step.
    pub cause: Option<Cause>,
}

impl Solving<'_> {
    fn end(&mut self, cause: Cause) -> FormulateError {
        self.cause = Some(cause);
        FormulateError::Interrupted
    }

    /// Solves and measures; whether it counts as solved, and the residual.
    fn measured(
        &mut self,
        problem: Problem,
        keys: &[u64],
    ) -> Result<(Solution, bool, f64), FormulateError> {
        self.clock.charge(Stage::Formulate);
        let z0 = self.warm_start.guess(keys);
        let found = self.solver.solve(&problem, &z0, &mut *self.watch);
        self.clock.charge(Stage::Solve);
        let solution = match found {
            Ok(solution) => solution,
            Err(error) => {
                *self.last = Some(hook::Solve::General { problem, z0, solution: None });
                return Err(self.end(error.into()));
            }
        };
        // The error is measured here, by one function for all solvers.
        let error = residual::natural(&problem, &solution.z);
        let accepted = self.settings.accept_residual;
        let close = residual::accepts(&problem, &solution.z, error, accepted);
        let kept = Some(solution.clone());
        *self.last = Some(hook::Solve::General { problem, z0, solution: kept });
        let Solution { status, iterations, fallbacks, solver, .. } = solution;
        let solve = OneSolve { status, iterations, fallbacks, solver, size: solution.z.len() };
        let solved = self.report.add(&solve, error, close);
        self.clock.count(iterations);
        Ok((solution, solved, error))
    }

    /// Failures so far, and the largest residual.
    fn counted(&self) -> (usize, f64) {
        (self.report.failures, self.report.residual)
    }

    /// What becomes of a solve: ends the step, is taken back from the count, or is remembered.
    fn outcome(
        &mut self,
        (status, solved, residual): (Status, bool, f64),
        (attempt, before): (bool, (usize, f64)),
        remember: impl FnOnce(&mut WarmStart),
    ) -> Result<(), FormulateError> {
        let stops =
            !residual.is_finite() || (!attempt && self.settings.on_unsolved == OnUnsolved::Stop);
        match solved {
            false if stops => return Err(self.end(Cause::Unsolved { status, residual })),
            // The formulation goes on from another problem.
            false if attempt => (self.report.failures, self.report.residual) = before,
            _ => remember(self.warm_start),
        }
        Ok(())
    }
}

impl Solve for Solving<'_> {
    fn solve(&mut self, problem: Problem, keys: Vec<u64>) -> Result<Solution, FormulateError> {
        let before = self.counted();
        let (found, solved, error) = self.measured(problem, &keys)?;
        self.outcome((found.status, solved, error), (false, before), |w| {
            w.remember(keys, &found.z)
        })?;
        Ok(found)
    }

    fn attempt(&mut self, problem: Problem, keys: Vec<u64>) -> Result<Solution, FormulateError> {
        let before = self.counted();
        let (found, solved, error) = self.measured(problem, &keys)?;
        self.outcome((found.status, solved, error), (true, before), |w| {
            w.remember(keys, &found.z)
        })?;
        Ok(found)
    }

    fn contacts(
        &mut self,
        problem: ContactProblem,
        names: Vec<Name>,
        ask: &Ask,
        attempt: bool,
    ) -> Result<ContactSolution, FormulateError> {
        self.clock.charge(Stage::Formulate);
        let known = !names.is_empty();
        let start = if known { self.warm_start.guess_contacts(&names, self.h) } else { Vec::new() };
        // A step in which nothing helps must end all the same.
        let ask = &Ask { gives_up: ask.gives_up || self.clock.hard >= LAST_RESORTS, ..*ask };
        let found = self.solver.solve_contacts(&problem, &start, ask, &mut *self.watch);
        self.clock.charge(Stage::Solve);
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                *self.last = Some(hook::Solve::Contacts { problem, start, solution: None });
                return Err(self.end(error.into()));
            }
        };
        let error = match known {
            true => residual::contacts_by_block(&problem, &found.impulses, &mut self.errors),
            false => residual::contacts(&problem, &found.impulses),
        };
        let accepted = self.settings.accept_residual.max(ask.accuracy).max(ask.acceptable);
        let excused = accepted.max(residual::contacts_excused(&problem));
        let close = error <= excused
            && residual::accepts_contacts(&problem, &found.impulses, error, accepted);
        let ContactSolution { status, iterations, fallbacks, solver, .. } = found;
        let size = (0..problem.len()).map(|c| problem.dim(c)).sum();
        let solve = OneSolve { status, iterations, fallbacks, solver, size };
        let before = self.counted();
        let solved = self.report.add(&solve, error, close);
        self.clock.count(iterations);
        self.clock.hard += usize::from(fallbacks > 1);
        if known {
            let solution = Some(found.clone());
            *self.last = Some(hook::Solve::Contacts { problem, start, solution });
        }
        let h = self.h;
        let remember = |w: &mut WarmStart| {
            if known {
                w.remember_contacts(&names, &found.impulses, h);
            }
        };
        self.outcome((status, solved, error), (attempt, before), remember)?;
        // What a solver says of itself does not count.
        let status = if !solved && status == Status::Solved { Status::Stalled } else { status };
        Ok(ContactSolution { status, ..found })
    }

    fn errors(&self) -> &[f64] {
        &self.errors
    }

    fn guess(&self, names: &[Name]) -> Vec<[f64; 3]> {
        self.warm_start.guess_contacts(names, self.h)
    }

    fn know(&mut self, contacts: &[(Name, Vec3)]) {
        self.warm_start.add_contacts(contacts, self.h);
    }

    fn unsettled(&mut self, residual: f64, attempt: bool) -> Result<(), FormulateError> {
        let before = self.counted();
        self.report.failures += 1;
        self.report.residual = self.report.residual.max(residual);
        self.outcome((Status::Stalled, false, residual), (attempt, before), |_| {})
    }
}
