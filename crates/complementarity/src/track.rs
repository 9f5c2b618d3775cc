//! What every iterative method keeps: the best point so far, and when to stop.

use crate::problem::Problem;
use crate::residual;
use crate::solver::{Solution, Status, Watch};

/// The course of one solve.
pub(crate) struct Track<'a> {
    problem: &'a Problem,
    watch: &'a mut dyn Watch,
    solver: &'static str,
    tolerance: f64,
    best: Vec<f64>,
    /// Residual of the best point.
    pub(crate) lowest: f64,
    iterations: usize,
    since: usize,
}

impl<'a> Track<'a> {
    pub(crate) fn new(
        solver: &'static str,
        tolerance: f64,
        (problem, z): (&'a Problem, &[f64]),
        watch: &'a mut dyn Watch,
    ) -> Self {
        let lowest = residual::natural(problem, z);
        let best = z.to_vec();
        Self { problem, watch, solver, tolerance, best, lowest, iterations: 0, since: 0 }
    }

    /// Whether the best point is good enough.
    pub(crate) fn is_solved(&self) -> bool {
        self.lowest <= residual::target(self.problem, &self.best, self.tolerance)
    }

    /// Looks at a new iterate; `Some` says why to stop.
    pub(crate) fn step(&mut self, z: &[f64]) -> Option<Status> {
        self.iterations += 1;
        self.since += 1;
        let error = residual::natural(self.problem, z);
        if !error.is_finite() || z.iter().any(|x| x.abs() > 1e150) {
            return Some(Status::Numerical);
        }
        if error < self.lowest {
            if error < 0.99 * self.lowest {
                self.since = 0;
            }
            self.lowest = error;
            self.best.copy_from_slice(z);
        }
        if self.watch.iterate(self.iterations, z).is_break() {
            return Some(Status::Stopped);
        }
        self.is_solved().then_some(Status::Solved)
    }

    /// Iterations without progress worth the name.
    pub(crate) fn idle(&self) -> usize {
        self.since
    }

    /// The result; solved if it is, whatever the method thinks.
    pub(crate) fn finish(self, status: Status) -> Solution {
        let status = match status {
            Status::Stopped => status,
            _ if self.is_solved() => Status::Solved,
            Status::Solved => Status::Numerical,
            other => other,
        };
        Solution {
            z: self.best,
            status,
            iterations: self.iterations,
            solver: self.solver,
            fallbacks: 0,
        }
    }
}
