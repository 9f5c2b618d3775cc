//! `enumerate`: every complementary basis of a tiny problem. The oracle of the tests, and the
//! only method that can say that a problem has no solution at all.
//!
//! For each set a of unknowns the system `w_i - A_ia z_a = b_i` (w zero on a, z zero elsewhere) is
//! solved for z, w >= 0. Where its matrix is singular, non-negative least squares decides whether
//! the cone spanned by its columns holds b, so that no solution can hide in a degenerate basis.

use crate::linalg::lu::Lu;
use crate::linalg::nnls::nnls;
use crate::problem::{Dense, Lcp, Problem, ProblemClass};
use crate::registry::{Reader, RegistryError, Setting};
use crate::solver::{Solution, SolveError, Solver, Status, Watch, check};
use crate::transform::Reduced;

/// Enumeration of complementary bases.
#[derive(Clone, Debug, PartialEq)]
pub struct Enumerate {
    /// Natural residual accepted, relative to `1 + max|b|`. Default 1e-8.
    pub tolerance: f64,
    /// Largest number of unknowns (after the reduction to an LCP) it starts on. Default 16.
    pub max_size: usize,
}

impl Enumerate {
    pub(crate) const CLASSES: &'static [ProblemClass] = &[ProblemClass::Lcp, ProblemClass::Mlcp];
    pub(crate) const SETTINGS: &'static [Setting] = &[
        crate::registry::TOLERANCE,
        crate::registry::MAX_ITERATIONS,
        Setting { key: "max_size", doc: "largest problem it starts on (default 16)" },
    ];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        read.count("max_iterations", 0)?;
        Ok(Self { tolerance: read.tolerance(1e-8)?, max_size: read.count("max_size", 16)? })
    }

    fn search(
        &self,
        problem: &Lcp,
        mut see: impl FnMut(usize, &[f64]) -> bool,
    ) -> (Vec<f64>, Status, usize) {
        let n = problem.b.len();
        let a = problem.matrix.to_dense();
        let size = problem.b.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for mask in 0..1_usize << n {
            let z = candidate(&a, &problem.b, mask);
            if see(mask + 1, &z) {
                return (z, Status::Stopped, mask + 1);
            }
            let whole = problem.w(&z);
            let error = z.iter().zip(&whole).fold(0.0_f64, |e, (z, w)| e.max(z.min(*w).abs()));
            if error <= self.tolerance * size {
                return (z, Status::Solved, mask + 1);
            }
        }
        (vec![0.0; n], Status::NoSolution, 1 << n)
    }
}

impl Default for Enumerate {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_size: 16 }
    }
}

/// The z of the basis where bit i of `mask` says that z_i may be positive.
fn candidate(a: &Dense, b: &[f64], mask: usize) -> Vec<f64> {
    let n = b.len();
    let set: Vec<usize> = (0..n).filter(|i| mask >> i & 1 == 1).collect();
    let k = set.len();
    let mut block = Vec::with_capacity(k * k);
    for &j in &set {
        block.extend(set.iter().map(|&i| a.get(i, j)));
    }
    let lu = Lu::new(k, block);
    let mut z = vec![0.0; n];
    if lu.singular.is_empty() {
        let mut x: Vec<f64> = set.iter().map(|&i| -b[i]).collect();
        lu.solve(&mut x);
        for (&i, x) in set.iter().zip(x) {
            z[i] = x;
        }
        return z;
    }
    let mut cone = Dense::zeros(n, n);
    for j in 0..n {
        if mask >> j & 1 == 1 {
            for i in 0..n {
                cone.values[j * n + i] = -a.get(i, j);
            }
        } else {
            cone.values[j * n + j] = 1.0;
        }
    }
    let x = nnls(&cone, b);
    for &i in &set {
        z[i] = x[i];
    }
    z
}

impl Solver for Enumerate {
    fn name(&self) -> &'static str {
        "enumerate"
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
        let too_large = |n: usize| SolveError::Setting {
            solver: "enumerate",
            key: "max_size",
            value: format!("{} for a problem of {n} unknowns", self.max_size),
            range: "at least the number of unknowns, and at most 24",
        };
        let (z, status, iterations) = match problem {
            Problem::Cone(_) => {
                return Err(SolveError::Class { solver: "enumerate", class: ProblemClass::Cone });
            }
            Problem::Lcp(p) if p.b.len() > self.max_size.min(24) => {
                return Err(too_large(p.b.len()));
            }
            Problem::Lcp(p) => self.search(p, |k, z| watch.iterate(k, z).is_break()),
            Problem::Mlcp(p) => {
                let reduced = Reduced::new(p);
                let n = reduced.lcp.b.len();
                if n > self.max_size.min(24) {
                    return Err(too_large(n));
                }
                let (y, status, count) = self
                    .search(&reduced.lcp, |k, y| watch.iterate(k, &reduced.restore(y)).is_break());
                (reduced.restore(&y), status, count)
            }
        };
        let z = z.into_iter().map(|x| if x.is_finite() { x } else { 0.0 }).collect();
        let iterations = if problem.size() == 0 { 0 } else { iterations };
        Ok(Solution { z, status, iterations, solver: "enumerate", fallbacks: 0 })
    }
}
