//! One method after the other on one part of a problem, the best point kept.

use super::{Auto, FINE};
use crate::cone::{Linearized, NonsmoothNewton};
use crate::interior_point::InteriorPoint;
use crate::problem::Problem;
use crate::residual;
use crate::solver::{NoWatch, Solution, Solver, Status, Watch};

/// Newton steps from a solution of friction cones towards round-off.
const POLISH: usize = 4;

/// The attempts on one part.
pub(super) struct Chain<'a> {
    pub tolerance: f64,
    pub problem: &'a Problem,
    watch: &'a mut dyn Watch,
    pub best: Solution,
    error: f64,
    tried: usize,
    pub stopped: bool,
}

impl<'a> Chain<'a> {
    pub fn new(auto: &Auto, problem: &'a Problem, z: Vec<f64>, watch: &'a mut dyn Watch) -> Self {
        let error = residual::natural(problem, &z);
        let best =
            Solution { z, status: Status::Stalled, iterations: 0, solver: "auto", fallbacks: 0 };
        Self { tolerance: auto.tolerance, problem, watch, best, error, tried: 0, stopped: false }
    }

    /// Tries a cone method from the solution of the problem with pyramids for its cones.
    pub fn pyramids(&mut self, solver: &mut dyn Solver, edges: usize) -> bool {
        let Problem::Cone(cone) = self.problem else { return false };
        let linear = Linearized::new(cone, edges);
        let mut inner = InteriorPoint { tolerance: self.tolerance, max_iterations: 0 };
        let whole = Problem::Mlcp(linear.mlcp.clone());
        match inner.solve(&whole, &[], &mut NoWatch) {
            Ok(found) => self.attempt(solver, &linear.restore(&found.z)),
            Err(_) => false,
        }
    }

    /// A few more steps towards round-off, where the best point so far will do: it may be a start that
    /// just did, and not yet tell what changed since.
    pub fn polish(&mut self) {
        let tolerance = FINE * self.tolerance;
        let mut newton = NonsmoothNewton { tolerance, max_iterations: POLISH, sweeps: 0 };
        let Ok(found) = newton.solve(self.problem, &self.best.z, &mut NoWatch) else { return };
        let error = residual::natural(self.problem, &found.z);
        if error < self.error {
            (self.error, self.best.z) = (error, found.z);
            self.best.iterations += found.iterations;
        }
    }

    /// Tries a method, from the best point so far if `onward`. True when there is no need to go
    /// on: solved by the library's measure, proved unsolvable, or stopped by the watcher.
    pub fn run(&mut self, solver: &mut dyn Solver, onward: bool) -> bool {
        let start = if onward { self.best.z.clone() } else { vec![] };
        self.attempt(solver, &start)
    }

    pub fn attempt(&mut self, solver: &mut dyn Solver, start: &[f64]) -> bool {
        // an error means that the method does not apply
        let Ok(found) = solver.solve(self.problem, start, self.watch) else { return false };
        self.stopped = found.status == Status::Stopped;
        let iterations = self.best.iterations + found.iterations;
        let solved = residual::solved(self.problem, &found.z, self.tolerance);
        let error = residual::natural(self.problem, &found.z);
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
