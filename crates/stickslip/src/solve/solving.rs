//! The solver as a formulation sees it: with warm start, clock, residual and report around it.

use complementarity::{Problem, Solution, residual, solver::Watch};

use super::{Solver, WarmStart};
use crate::{
    clock::Clock,
    fault::{Cause, Stage},
    formulate::{FormulateError, Solve},
    hook,
    report::SolveReport,
    settings::{OnUnsolved, Settings},
};

/// Solves the problems of one step.
pub(crate) struct Solving<'a> {
    pub solver: &'a mut dyn Solver,
    pub warm_start: &'a mut WarmStart,
    pub watch: &'a mut dyn Watch,
    /// The last problem and its solution, for those who look on.
    pub last: &'a mut Option<hook::Solve>,
    pub settings: &'a Settings,
    pub report: &'a mut SolveReport,
    pub clock: &'a mut Clock,
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
        let kept = self.last.insert(hook::Solve { problem, z0, solution: None });
        let solution = match found {
            Ok(solution) => solution,
            Err(error) => return Err(self.end(error.into())),
        };
        // The error is measured here, by one function for all solvers.
        let error = residual::natural(&kept.problem, &solution.z);
        let accepted = self.settings.accept_residual;
        let close = residual::accepts(&kept.problem, &solution.z, error, accepted);
        kept.solution = Some(solution.clone());
        let solved = self.report.add(&solution, error, close);
        Ok((solution, solved, error))
    }
}

impl Solve for Solving<'_> {
    fn solve(&mut self, problem: Problem, keys: Vec<u64>) -> Result<Solution, FormulateError> {
        let (solution, solved, residual) = self.measured(problem, &keys)?;
        let stops = self.settings.on_unsolved == OnUnsolved::Stop || !residual.is_finite();
        if !solved && stops {
            return Err(self.end(Cause::Unsolved { status: solution.status, residual }));
        }
        self.warm_start.remember(keys, &solution.z);
        Ok(solution)
    }

    fn attempt(&mut self, problem: Problem, keys: Vec<u64>) -> Result<Solution, FormulateError> {
        let (solution, solved, residual) = self.measured(problem, &keys)?;
        if solved {
            self.warm_start.remember(keys, &solution.z);
        } else if residual.is_finite() {
            self.report.failures -= 1;
        } else {
            return Err(self.end(Cause::Unsolved { status: solution.status, residual }));
        }
        Ok(solution)
    }
}
