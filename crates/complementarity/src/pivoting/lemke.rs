//! `lemke`: Lemke's method, for problems small enough for a dense dictionary.
//!
//! A mixed problem is first brought to an LCP (see [`crate::transform`]). The method solves every
//! problem with a copositive matrix that has a feasible point, among them the Stewart-Trinkle
//! problems of contact; elsewhere it may end on a ray, which says nothing about solvability.

use super::{polish, tableau::Tableau};
use crate::problem::{Lcp, Matrix, Problem, ProblemClass};
use crate::registry::{Reader, RegistryError, Setting};
use crate::residual;
use crate::solver::{Solution, SolveError, Solver, Status, Watch, check};
use crate::transform::Reduced;

/// Lemke's complementary pivoting.
#[derive(Clone, Debug, PartialEq)]
pub struct Lemke {
    /// Residual below which the end of the path counts as solved. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the number of pivots; 0 means 50 per unknown plus 100.
    pub max_iterations: usize,
}

impl Lemke {
    pub(crate) const CLASSES: &'static [ProblemClass] = &[ProblemClass::Lcp, ProblemClass::Mlcp];
    pub(crate) const SETTINGS: &'static [Setting] = &[
        crate::registry::TOLERANCE,
        Setting {
            key: "max_iterations",
            doc: "limit on the pivots; 0 means 50 per unknown plus 100 (default 0)",
        },
    ];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        Ok(Self {
            tolerance: read.tolerance(1e-8)?,
            max_iterations: read.count("max_iterations", 0)?,
        })
    }

    fn solve_lcp(
        &self,
        problem: &Lcp,
        see: impl FnMut(usize, &Tableau) -> bool,
    ) -> (Vec<f64>, Status, usize) {
        let n = problem.b.len();
        let limit = if self.max_iterations == 0 { 50 * n + 100 } else { self.max_iterations };
        let mut tableau = match &problem.matrix {
            Matrix::Dense(a) => Tableau::new(a, &problem.b),
            other => Tableau::new(&other.to_dense(), &problem.b),
        };
        let (status, pivots) = tableau.run(limit, see);
        let z = tableau.z();
        if status == Status::Solved {
            return (polish::lcp(problem, &tableau.active(), z), status, pivots);
        }
        (z, status, pivots)
    }
}

impl Default for Lemke {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 0 }
    }
}

impl Solver for Lemke {
    fn name(&self) -> &'static str {
        "lemke"
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
        let (z, status, iterations) = match problem {
            Problem::Cone(_) => {
                return Err(SolveError::Class { solver: "lemke", class: ProblemClass::Cone });
            }
            Problem::Lcp(p) => self
                .solve_lcp(p, |k, t| watch.wants_iterates() && watch.iterate(k, &t.z()).is_break()),
            Problem::Mlcp(p) => {
                let reduced = Reduced::new(p);
                let (y, status, pivots) = self.solve_lcp(&reduced.lcp, |k, t| {
                    watch.wants_iterates() && watch.iterate(k, &reduced.restore(&t.z())).is_break()
                });
                (reduced.restore(&y), status, pivots)
            }
        };
        let z: Vec<f64> = z.into_iter().map(|x| if x.is_finite() { x } else { 0.0 }).collect();
        // a tableau that went wrong by rounding can end as if it were right
        let status = match status {
            Status::Solved if !residual::solved(problem, &z, self.tolerance) => Status::Numerical,
            other => other,
        };
        Ok(Solution { z, status, iterations, solver: "lemke", fallbacks: 0 })
    }
}
