//! Listens to the solver from outside: the error after every iteration, for whole frames.

use std::{
    ops::ControlFlow,
    sync::{Arc, Mutex, MutexGuard},
};

use stickslip::{
    complementarity::{
        self, Ask, ContactProblem, ContactSolution, Problem, reduce::Reduced, residual,
        solver::Watch,
    },
    solve::{Solution, SolveError, Solver},
    step::Pipeline,
};

/// What the last solve did.
#[derive(Debug, Default)]
pub(super) struct IterationLog {
    /// Natural residual after each iteration, where asked for.
    pub errors: Vec<f64>,
    /// Whether errors are wanted for the coming step.
    pub measure: bool,
}

/// Shared by the solver's wrapper and the recorder.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedLog(Arc<Mutex<IterationLog>>);

impl SharedLog {
    pub fn lock(&self) -> MutexGuard<'_, IterationLog> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Before a step: whether its errors are wanted.
    pub fn expect(&self, measure: bool) {
        *self.lock() = IterationLog { measure, errors: Vec::new() };
    }

    /// Puts itself around the solver.
    pub fn attach(&self, pipeline: &mut Pipeline) {
        let (log, same) = (self.clone(), self.clone());
        let general =
            move |inner: &mut dyn Solver, problem: &Problem, z0: &[f64], watch: &mut dyn Watch| {
                log.record(inner, problem, z0, watch)
            };
        let contacts = Box::new(
            move |inner: &mut dyn Solver,
                  problem: &ContactProblem,
                  start: &[[f64; 3]],
                  ask: &Ask,
                  watch: &mut dyn Watch| {
                same.record_contacts(inner, (problem, start, ask), watch)
            },
        );
        complementarity::Decorator::put_with_contacts(&mut pipeline.solver, general, contacts);
    }

    /// The same for contacts as they are.
    fn record_contacts(
        &self,
        solver: &mut dyn Solver,
        (problem, start, ask): (&ContactProblem, &[[f64; 3]], &Ask),
        watch: &mut dyn Watch,
    ) -> Result<ContactSolution, SolveError> {
        if !self.lock().measure {
            return solver.solve_contacts(problem, start, ask, watch);
        }
        let mut errors = Vec::new();
        let reduced = Reduced::new(problem)?.problem;
        let mut measure = |z: &[f64]| match z.as_chunks::<3>() {
            (impulses, []) if impulses.len() == problem.len() && z.len() != reduced.size() => {
                residual::contacts(problem, impulses)
            }
            _ => residual::natural(&reduced, z),
        };
        let mut meter = Meter { measure: &mut measure, watch, errors: &mut errors };
        let solution = solver.solve_contacts(problem, start, ask, &mut meter)?;
        errors.push(residual::contacts(problem, &solution.impulses));
        self.lock().errors = errors;
        Ok(solution)
    }

    /// Solves, and keeps the errors on the way where they are wanted.
    fn record(
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
        let mut measure = |z: &[f64]| residual::natural(problem, z);
        let mut meter = Meter { measure: &mut measure, watch, errors: &mut errors };
        let solution = solver.solve(problem, z0, &mut meter)?;
        errors.push(residual::natural(problem, &solution.z));
        self.lock().errors = errors;
        Ok(solution)
    }
}

/// Measures every iterate and passes it on.
struct Meter<'a> {
    measure: &'a mut dyn FnMut(&[f64]) -> f64,
    watch: &'a mut dyn Watch,
    errors: &'a mut Vec<f64>,
}

impl Watch for Meter<'_> {
    fn iterate(&mut self, k: usize, z: &[f64]) -> ControlFlow<()> {
        self.errors.push((self.measure)(z));
        self.watch.iterate(k, z)
    }

    fn stops(&mut self) -> bool {
        self.watch.stops()
    }
}
