//! `ncp-pgs`: nonlinear Gauss-Seidel over the contacts, each solved exactly in its turn (Jean and
//! Moreau's NSGS). Rows outside the contacts are swept one by one.

use super::local;
use crate::problem::{Cone, Dense, Problem, ProblemClass};
use crate::registry::{MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::residual;
use crate::solver::{Solution, SolveError, Solver, Status, Watch, check, start_or_zero};
use crate::splitting::Rows;

/// Nonlinear Gauss-Seidel.
#[derive(Clone, Debug, PartialEq)]
pub struct NcpPgs {
    /// Natural-map error accepted, relative to the size of b. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the sweeps. Default 10000.
    pub max_iterations: usize,
}

impl Default for NcpPgs {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 10_000 }
    }
}

impl NcpPgs {
    pub(crate) const CLASSES: &'static [ProblemClass] = &[ProblemClass::Cone];
    pub(crate) const SETTINGS: &'static [Setting] = &[TOLERANCE, MAX_ITERATIONS];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        let base = Self::default();
        Ok(Self {
            tolerance: read.tolerance(base.tolerance)?,
            max_iterations: read.count("max_iterations", base.max_iterations)?,
        })
    }
}

/// The sweeps over one problem, with the local matrices computed once.
pub(crate) struct Sweeper<'a> {
    cone: &'a Cone,
    blocks: Vec<Dense>,
    others: Vec<(usize, f64)>,
    pub(crate) rows: Rows,
}

impl<'a> Sweeper<'a> {
    pub(crate) fn new(cone: &'a Cone, p: &[f64]) -> Self {
        let rows = Rows::new(&cone.matrix, p);
        let blocks = cone
            .contacts
            .iter()
            .map(|contact| {
                let (first, d) = (contact.rows.start, contact.rows.len());
                let mut block = Dense::zeros(d, d);
                for j in 0..d {
                    for i in 0..d {
                        block.values[j * d + i] = rows.entry(first + i, first + j);
                    }
                }
                block
            })
            .collect();
        let others = cone.others().into_iter().map(|i| (i, rows.entry(i, i))).collect();
        Self { cone, blocks, others, rows }
    }

    /// One sweep over all contacts and other rows.
    pub(crate) fn sweep(&mut self) {
        for (contact, block) in self.cone.contacts.iter().zip(&self.blocks) {
            let (first, d) = (contact.rows.start, contact.rows.len());
            let (mut old, mut q) = ([0.0; 5], [0.0; 5]);
            let (p, q) = (&mut old[..d], &mut q[..d]);
            p.copy_from_slice(&self.rows.z()[contact.rows.clone()]);
            for (i, q) in q.iter_mut().enumerate() {
                let own: f64 = (0..d).map(|j| block.get(i, j) * p[j]).sum();
                *q = self.rows.product(first + i) + self.cone.b[first + i] - own;
            }
            local::solve(contact, block, q, p);
            for (i, &x) in p.iter().enumerate().filter(|e| e.1.is_finite()) {
                self.rows.set(first + i, x);
            }
        }
        for &(i, diagonal) in self.others.iter().filter(|o| o.1 != 0.0) {
            let w = self.rows.product(i) + self.cone.b[i];
            let z = self.rows.z()[i] - w / diagonal;
            self.rows.set(i, z.max(self.cone.lower[i]).min(self.cone.upper[i]));
        }
    }
}

impl Solver for NcpPgs {
    fn name(&self) -> &'static str {
        "ncp-pgs"
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
        let class = problem.class();
        let Problem::Cone(cone) = problem else {
            return Err(SolveError::Class { solver: "ncp-pgs", class });
        };
        let start = start_or_zero(problem, z0);
        let done = |z: Vec<f64>, status, iterations| {
            Ok(Solution { z, status, iterations, solver: "ncp-pgs", fallbacks: 0 })
        };
        let target = residual::target(problem, &start, self.tolerance);
        let mut lowest = residual::natural(problem, &start);
        if lowest <= target {
            return done(start, Status::Solved, 0);
        }
        let mut sweeper = Sweeper::new(cone, &start);
        let mut best = start;
        let limit = if self.max_iterations == 0 { 10_000 } else { self.max_iterations };
        for k in 1..=limit {
            sweeper.sweep();
            if k % 64 == 0 {
                sweeper.rows.refresh();
            }
            let z = sweeper.rows.z();
            if watch.iterate(k, z).is_break() {
                return done(best, Status::Stopped, k);
            }
            let error = residual::natural(problem, z);
            if error < lowest {
                lowest = error;
                best.copy_from_slice(z);
            }
            if error <= target {
                return done(best, Status::Solved, k);
            }
        }
        done(best, Status::IterationLimit, limit)
    }
}
