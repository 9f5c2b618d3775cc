//! Listens to the solver from outside: the error after every iteration, for whole frames.

use std::{
    ops::ControlFlow,
    sync::{Arc, Mutex, MutexGuard},
};

use stickslip::{
    complementarity::{self, Problem, residual, solver::Watch},
    solve::{Solution, SolveError, Solver},
    step::Pipeline,
};

/// What was heard of the last solve.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// Natural residual after each iteration, where asked for.
    pub errors: Vec<f64>,
    /// Whether errors are wanted for the coming step.
    pub measure: bool,
}

/// Shared by the solver's wrapper and the recorder.
#[derive(Clone, Debug, Default)]
pub(super) struct Tap(Arc<Mutex<Heard>>);

impl Tap {
    pub fn lock(&self) -> MutexGuard<'_, Heard> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Before a step: whether its errors are wanted.
    pub fn expect(&self, measure: bool) {
        *self.lock() = Heard { measure, errors: Vec::new() };
    }

    /// Puts itself around the solver.
    pub fn attach(&self, pipeline: &mut Pipeline) {
        let tap = self.clone();
        complementarity::Tap::put(&mut pipeline.solver, move |inner, problem, z0, watch| {
            tap.hear(inner, problem, z0, watch)
        });
    }

    /// Solves, and keeps the errors on the way where they are wanted.
    fn hear(
        &self,
        solver: &mut dyn Solver,
        problem: &Problem,
        z0: &[f64],
        watch: &mut dyn Watch,
    ) -> Result<Solution, SolveError> {
        if !self.lock().measure {
            return solver.solve(problem, z0, watch);
        }
        let mut errors = Vec::new();
        let mut meter = Meter { problem, watch, errors: &mut errors };
        let solution = solver.solve(problem, z0, &mut meter)?;
        errors.push(residual::natural(problem, &solution.z));
        self.lock().errors = errors;
        Ok(solution)
    }
}

/// Measures every iterate and passes it on.
struct Meter<'a> {
    problem: &'a Problem,
    watch: &'a mut dyn Watch,
    errors: &'a mut Vec<f64>,
}

impl Watch for Meter<'_> {
    fn iterate(&mut self, k: usize, z: &[f64]) -> ControlFlow<()> {
        self.errors.push(residual::natural(self.problem, z));
        self.watch.iterate(k, z)
    }
}
