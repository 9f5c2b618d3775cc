//! The chain for friction cones.

use super::chain::Chain;
use super::stick_rows::FINE;
use super::{Auto, SMALL};
use crate::cone::{Linearized, NcpPgs, NonsmoothNewton};
use crate::contact::ProximalNewton;
use crate::interior_point::InteriorPoint;
use crate::problem::Problem;
use crate::residual;
use crate::solver::{Inside, NoWatch, Solution, Solver};

/// Newton steps from a solution towards round-off, for up to so many unknowns.
const POLISH: usize = 4;
const POLISHED: usize = 150;

impl Auto {
    /// Newton's method from the start, then from ever safer starts.
    pub(super) fn cones(&self, mut chain: Chain<'_>, z0: &[f64]) -> Solution {
        let Self { tolerance, max_iterations, .. } = *self;
        let steps = if max_iterations == 0 { 120 } else { max_iterations };
        // a step of Newton's method costs less than a sweep over few contacts
        let sweeps = if chain.problem.size() <= SMALL { 3 } else { 10 };
        let few = NonsmoothNewton { tolerance, max_iterations: steps, sweeps };
        let sweeps = if max_iterations == 0 { 2000 } else { max_iterations };
        let mut newton = ProximalNewton { tolerance, acceptable: 0.0, max_iterations };
        let done = chain.attempt(&mut few.clone(), z0)
            || chain.attempt(&mut newton, z0)
            || chain.pyramids(&mut few.clone(), 24)
            || chain.pyramids(&mut few.clone(), 8)
            || chain.run(&mut NcpPgs { tolerance, max_iterations: sweeps }, true);
        if !done {
            chain.run(&mut few.clone(), true);
        }
        if chain.problem.size() <= POLISHED {
            chain.polish();
        }
        chain.best
    }
}

impl Chain<'_> {
    /// Tries a cone method from the solution of the problem with pyramids for its cones.
    fn pyramids(&mut self, solver: &mut dyn Solver, edges: usize) -> bool {
        let Problem::Cone(cone) = self.problem else { return false };
        let linear = Linearized::new(cone, edges);
        let mut inner = InteriorPoint { tolerance: self.tolerance, max_iterations: 0 };
        let whole = Problem::Mlcp(linear.mlcp.clone());
        match inner.solve(&whole, &[], &mut Inside(self.watch)) {
            Ok(found) => self.attempt(solver, &linear.restore(&found.z)),
            Err(_) => false,
        }
    }

    /// A few more steps towards round-off, where the best point so far will do: it may be a start that
    /// just did, and not yet tell what changed since.
    fn polish(&mut self) {
        let tolerance = FINE * self.tolerance;
        let mut newton = NonsmoothNewton { tolerance, max_iterations: POLISH, sweeps: 0 };
        let Ok(found) = newton.solve(self.problem, &self.best.z, &mut NoWatch) else { return };
        let error = residual::natural(self.problem, &found.z);
        if error < self.error {
            (self.error, self.best.z) = (error, found.z);
            self.best.iterations += found.iterations;
        }
    }
}
