//! Methods tried one after the other on one part of a problem.

use super::Auto;
use crate::problem::Problem;
use crate::residual;
use crate::solver::{Solution, Solver, Status, Watch};

/// The attempts on one part.
pub(super) struct Chain<'a> {
    pub(super) tolerance: f64,
    pub(super) problem: &'a Problem,
    pub(super) watch: &'a mut dyn Watch,
    pub(super) best: Solution,
    pub(super) error: f64,
    tried: usize,
    stopped: bool,
}

impl<'a> Chain<'a> {
    /// Begins with a point and its residual.
    pub(super) fn new(
        auto: &Auto,
        problem: &'a Problem,
        (z, error): (Vec<f64>, f64),
        watch: &'a mut dyn Watch,
    ) -> Self {
        let best =
            Solution { z, status: Status::Stalled, iterations: 0, solver: "auto", fallbacks: 0 };
        Self { tolerance: auto.tolerance, problem, watch, best, error, tried: 0, stopped: false }
    }

    /// Tries a method, from the best point so far if `onward`. True when there is no need to go
    /// on: solved by the library's measure, proved unsolvable, or stopped by the watcher.
    pub(super) fn run(&mut self, solver: &mut dyn Solver, onward: bool) -> bool {
        let start = if onward { self.best.z.clone() } else { vec![] };
        self.attempt(solver, &start)
    }

    pub(super) fn attempt(&mut self, solver: &mut dyn Solver, start: &[f64]) -> bool {
        // an error means that the method does not apply
        let Ok(found) = solver.solve(self.problem, start, self.watch) else { return false };
        self.take(found)
    }

    /// Judges what a method found; as [`run`](Self::run).
    pub(super) fn take(&mut self, found: Solution) -> bool {
        self.stopped = found.status == Status::Stopped;
        let iterations = self.best.iterations + found.iterations;
        let error = residual::natural(self.problem, &found.z);
        let solved = residual::accepts(self.problem, &found.z, error, self.tolerance);
        let status = match (solved, found.status) {
            (true, _) => Status::Solved,
            (false, Status::Solved) => Status::Numerical,
            (false, other) => other,
        };
        if solved || error < self.error {
            self.error = error;
            self.best = Solution { status, ..found };
        } else if matches!(status, Status::Ray | Status::NoSolution | Status::Stopped) {
            self.best.status = status;
        }
        self.best.iterations = iterations;
        self.best.fallbacks = self.tried;
        self.tried += 1;
        solved || self.stopped || status == Status::NoSolution
    }
}
