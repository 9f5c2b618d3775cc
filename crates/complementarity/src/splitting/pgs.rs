//! `pgs` and `psor`: projected Gauss-Seidel and successive over-relaxation (Cottle, Pang, Stone,
//! section 5.2).
//!
//! ```text
//! z_i <- clamp(z_i - omega (A z + b)_i / A_ii, l_i, u_i),   i = 1 .. n in turn
//! ```
//! Converges for symmetric positive definite A and 0 < omega < 2. Frictional contacts are solved
//! block by block, see [`super::sweep`]; there convergence is not proved, but usual.

use super::rows::Rows;
use super::sweep::Sweep;
use crate::problem::{Problem, ProblemClass};
use crate::registry::{MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::residual;
use crate::solver::{Solution, SolveError, Solver, Status, Watch, check, start_or_zero};

/// Projected Gauss-Seidel.
#[derive(Clone, Debug, PartialEq)]
pub struct Pgs {
    /// Residual accepted, see [`residual::target`]. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the sweeps. Default 1000.
    pub max_iterations: usize,
}

/// Projected successive over-relaxation.
#[derive(Clone, Debug, PartialEq)]
pub struct Psor {
    /// Residual accepted, see [`residual::target`]. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the sweeps. Default 1000.
    pub max_iterations: usize,
    /// omega in (0, 2). Default 1.3.
    pub relaxation: f64,
}

impl Default for Pgs {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 1000 }
    }
}

impl Default for Psor {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 1000, relaxation: 1.3 }
    }
}

impl Pgs {
    pub(crate) const CLASSES: &'static [ProblemClass] = &[ProblemClass::Lcp, ProblemClass::Mlcp];
    pub(crate) const SETTINGS: &'static [Setting] = &[TOLERANCE, MAX_ITERATIONS];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        let base = Self::default();
        Ok(Self {
            tolerance: read.tolerance(base.tolerance)?,
            max_iterations: read.count("max_iterations", base.max_iterations)?,
        })
    }
}

impl Psor {
    pub(crate) const CLASSES: &'static [ProblemClass] = Pgs::CLASSES;
    pub(crate) const SETTINGS: &'static [Setting] = &[
        TOLERANCE,
        MAX_ITERATIONS,
        Setting { key: "relaxation", doc: "omega in (0, 2); 1 is Gauss-Seidel (default 1.3)" },
    ];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        let base = Self::default();
        Ok(Self {
            tolerance: read.tolerance(base.tolerance)?,
            max_iterations: read.count("max_iterations", base.max_iterations)?,
            relaxation: read.number(
                "relaxation",
                base.relaxation,
                |x| x > 0.0 && x < 2.0,
                "in (0, 2)",
            )?,
        })
    }
}

/// The sweeps shared by both.
fn run(
    solver: &'static str,
    settings: &Psor,
    (problem, z0): (&Problem, &[f64]),
    watch: &mut dyn Watch,
) -> Result<Solution, SolveError> {
    let mut rows = Rows::new(problem.matrix(), &start_or_zero(problem, z0));
    let done =
        |z: Vec<f64>, status, iterations| Solution { z, status, iterations, solver, fallbacks: 0 };
    let sweep = Sweep::new(problem, &rows, solver)?;
    let mut best = rows.z().to_vec();
    if residual::solved(problem, &best, settings.tolerance) {
        return Ok(done(best, Status::Solved, 0));
    }
    let mut lowest = residual::natural(problem, &best);
    let limit = if settings.max_iterations == 0 { 1000 } else { settings.max_iterations };
    for k in 1..=limit {
        sweep.run(&mut rows, settings.relaxation);
        if k % 64 == 0 {
            rows.refresh();
        }
        let error = residual::natural(problem, rows.z());
        if !error.is_finite() || rows.z().iter().any(|x| x.abs() > 1e100) {
            return Ok(done(best, Status::Numerical, k));
        }
        if error <= lowest {
            lowest = error;
            best.copy_from_slice(rows.z());
        }
        if watch.iterate(k, rows.z()).is_break() {
            return Ok(done(best, Status::Stopped, k));
        }
        if error <= residual::target(problem, rows.z(), settings.tolerance) {
            return Ok(done(rows.z().to_vec(), Status::Solved, k));
        }
    }
    Ok(done(best, Status::IterationLimit, limit))
}

impl Solver for Pgs {
    fn name(&self) -> &'static str {
        "pgs"
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
        let Self { tolerance, max_iterations } = *self;
        run("pgs", &Psor { tolerance, max_iterations, relaxation: 1.0 }, (problem, z0), watch)
    }
}

impl Solver for Psor {
    fn name(&self) -> &'static str {
        "psor"
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
        run("psor", self, (problem, z0), watch)
    }
}
