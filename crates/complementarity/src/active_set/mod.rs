//! `active-set`: primal-dual active sets with multigrid, for large sparse M-matrices.
//!
//! ```text
//! held at a bound: z_i = l_i or u_i,   between: (A z + b)_i = 0,   next sets: z - w / diag(A)
//! ```
//! A semismooth Newton method (Hintermueller, Ito and Kunisch 2003), known as policy iteration in
//! finance (Howard 1960). For M-matrices (no positive entry off the diagonal, and a dominant
//! diagonal: obstacles, bearings, options, networks) it converges from everywhere, and from the
//! solution of a coarser problem in a few rounds, whatever the size. The equations between the
//! bounds are solved by conjugate gradients (or residuals) with multigrid by aggregation, narrow
//! bands directly: time and memory grow as the number of unknowns.
//!
//! For any other matrix nothing is promised; the result says whether it is a solution.

mod level;

use self::level::{Goal, Level, Outcome};
use crate::linalg::csr::Csr;
use crate::problem::{Matrix, Problem, ProblemClass, nonzeros};
use crate::registry::{MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::residual;
use crate::solver::{Solution, SolveError, Solver, Status, Watch, check};

/// Active sets with multigrid.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveSet {
    /// Residual accepted, see [`residual::target`]. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the rounds, each with one system of equations; 0 for 200. Default 0.
    pub max_iterations: usize,
}

impl Default for ActiveSet {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 0 }
    }
}

/// Rounds from a start that was given, before one of its own is made.
const WARM: usize = 15;

impl ActiveSet {
    pub(crate) const CLASSES: &'static [ProblemClass] = &[ProblemClass::Lcp, ProblemClass::Mlcp];
    pub(crate) const SETTINGS: &'static [Setting] = &[TOLERANCE, MAX_ITERATIONS];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        let base = Self::default();
        Ok(Self {
            tolerance: read.tolerance(base.tolerance)?,
            max_iterations: read.count("max_iterations", base.max_iterations)?,
        })
    }

    /// The rounds, with the problem as sparse rows.
    pub(crate) fn run(
        &self,
        problem: &Problem,
        rows: Csr,
        z0: &[f64],
        watch: &mut dyn Watch,
    ) -> Solution {
        let (lower, upper) = problem.bounds();
        let level = Level::new(rows, problem.b().to_vec(), lower, upper);
        let limit = if self.max_iterations == 0 { 200 } else { self.max_iterations };
        let goal = |z: &[f64]| residual::target(problem, z, self.tolerance);
        let mut iterations = 0;
        let mut see = |z: &[f64]| {
            iterations += 1;
            watch.wants_iterates() && watch.iterate(iterations, &level.inside(z)).is_break()
        };
        let mut best = level.resting();
        let mut outcome = Outcome::Stuck;
        if !z0.is_empty() && z0.iter().all(|x| x.is_finite()) {
            let mut z = level.inside(z0);
            outcome = level.improve(&mut z, &Goal::Residual(&goal), WARM.min(limit), &mut see);
            best = level.inside(&z);
        }
        if matches!(outcome, Outcome::Stuck | Outcome::Limit) && level.is_positive() {
            let mut z = level.start();
            outcome = level.improve(&mut z, &Goal::Residual(&goal), limit, &mut see);
            let z = level.inside(&z);
            if z.iter().all(|x| x.is_finite()) {
                best = z;
            }
        }
        let solved = residual::solved(problem, &best, self.tolerance);
        let status = match outcome {
            Outcome::Stopped => Status::Stopped,
            _ if solved => Status::Solved,
            Outcome::Limit => Status::IterationLimit,
            _ => Status::Stalled,
        };
        Solution { z: best, status, iterations, solver: "active-set", fallbacks: 0 }
    }
}

impl Solver for ActiveSet {
    fn name(&self) -> &'static str {
        "active-set"
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
        let rows = match problem.matrix() {
            Matrix::Sparse(a) => Csr::new(a),
            other => Csr::new(&other.to_sparse()),
        };
        let Some(rows) = rows else {
            let (z, status) = (vec![0.0; problem.size()], Status::Stalled);
            return Ok(Solution { z, status, iterations: 0, solver: "active-set", fallbacks: 0 });
        };
        Ok(self.run(problem, rows, z0, watch))
    }
}

/// The rows of a sparse M-matrix: none positive off the diagonal, which dominates all rows or all
/// columns; `None` for any other matrix.
pub(crate) fn m_matrix(problem: &Problem) -> Option<Csr> {
    let rows = match problem.matrix() {
        Matrix::Sparse(a) => Csr::new(a)?,
        Matrix::Dense(a) if 20 * nonzeros(&a.values) <= a.values.len() => {
            Csr::new(&problem.matrix().to_sparse())?
        }
        _ => return None,
    };
    let n = rows.len();
    let mut columns = rows.diagonal.clone();
    let mut by_rows = true;
    for i in 0..n {
        let slack = 1e-12 * rows.diagonal[i];
        let mut sum = rows.diagonal[i];
        for (j, a) in rows.row(i) {
            if a > slack {
                return None;
            }
            sum += a;
            columns[j] += a;
        }
        by_rows &= sum >= -slack && rows.diagonal[i] > 0.0;
    }
    let by_columns =
        || columns.iter().zip(&rows.diagonal).all(|(c, d)| *d > 0.0 && *c >= -1e-12 * d);
    (by_rows || by_columns()).then_some(rows)
}

/// The rows of a symmetric matrix with a positive diagonal and few entries: worth a try, as plates
/// show; `None` for any other.
pub(crate) fn symmetric(problem: &Problem) -> Option<Csr> {
    let Matrix::Sparse(a) = problem.matrix() else { return None };
    if a.index.len() > FEW * a.cols {
        return None;
    }
    let rows = Csr::new(a)?;
    (rows.diagonal.iter().all(|d| *d > 0.0) && level::is_symmetric(&rows)).then_some(rows)
}

/// Entries per row of a sparse matrix.
const FEW: usize = 40;
