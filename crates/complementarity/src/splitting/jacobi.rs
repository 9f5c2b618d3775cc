//! `jacobi`: projected Jacobi, every row (or contact) from the same old values; the order of rows
//! does not matter and all of them could be done at once.
//!
//! ```text
//! z_i <- clamp(z_i - omega (A z + b)_i / sum_j |A_ij|, l_i, u_i)
//! ```
//! Dividing by the row's sum instead of its diagonal makes it converge for every symmetric
//! positive definite A. Contacts are solved as blocks and moved by omega of the way divided by the
//! number of contacts they touch at most.

use super::rows::Rows;
use super::sweep::Sweep;
use crate::problem::{Problem, ProblemClass};
use crate::registry::{MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::solver::{Solution, SolveError, Solver, Status, Watch, check, start_or_zero};
use crate::track::Track;

/// Projected Jacobi.
#[derive(Clone, Debug, PartialEq)]
pub struct Jacobi {
    /// Residual accepted, see [`crate::residual::target`]. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the sweeps. Default 5000.
    pub max_iterations: usize,
    /// omega in (0, 2). Default 1.
    pub relaxation: f64,
}

impl Default for Jacobi {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 5000, relaxation: 1.0 }
    }
}

impl Jacobi {
    pub(crate) const CLASSES: &'static [ProblemClass] = &[ProblemClass::Lcp, ProblemClass::Mlcp];
    pub(crate) const SETTINGS: &'static [Setting] = &[
        TOLERANCE,
        MAX_ITERATIONS,
        Setting { key: "relaxation", doc: "omega in (0, 2) (default 1)" },
    ];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        let base = Self::default();
        let inside = |x: f64| x > 0.0 && x < 2.0;
        Ok(Self {
            tolerance: read.tolerance(base.tolerance)?,
            max_iterations: read.count("max_iterations", base.max_iterations)?,
            relaxation: read.number("relaxation", base.relaxation, inside, "in (0, 2)")?,
        })
    }
}

impl Solver for Jacobi {
    fn name(&self) -> &'static str {
        "jacobi"
    }

    fn accepts(&self) -> &'static [ProblemClass] {
        Self::CLASSES
    }

    fn solve(
        &mut self,
        problem: &Problem,
        z0: &[f64],
        watch: &mut dyn Watch,
    ) -> Result<Solution, SolveError> {
        check(self, problem, z0)?;
        let mut rows = Rows::new(problem.matrix(), &start_or_zero(problem, z0));
        let sweep = Sweep::new(problem, &rows, "jacobi")?;
        let shares = sweep.shares(problem);
        let mut track = Track::new("jacobi", self.tolerance, (problem, rows.z()), watch);
        if track.is_solved() {
            return Ok(track.finish(Status::Solved));
        }
        let limit = if self.max_iterations == 0 { 5000 } else { self.max_iterations };
        for _ in 0..limit {
            sweep.jacobi(&mut rows, self.relaxation, &shares);
            if let Some(status) = track.step(rows.z()) {
                return Ok(track.finish(status));
            }
        }
        Ok(track.finish(Status::IterationLimit))
    }
}
