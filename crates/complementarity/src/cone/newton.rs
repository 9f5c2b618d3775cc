//! `nonsmooth-newton`: Newton's method on the function of Alart and Curnier (1991), made safe.
//!
//! Each step solves the linearised law ([`super::reduced`]) and is shortened until the natural map
//! shrinks. Where no step does, some sweeps of nonlinear Gauss-Seidel move to another place: they
//! converge slowly but from everywhere, Newton fast but only nearby.

use super::pgs::Sweeper;
use super::reduced::Reduced;
use crate::problem::{Cone, Problem, ProblemClass};
use crate::registry::{MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::residual;
use crate::solver::{Solution, SolveError, Solver, Status, Watch, check, start_or_zero};

/// Semismooth Newton with Gauss-Seidel as a safeguard.
#[derive(Clone, Debug, PartialEq)]
pub struct NonsmoothNewton {
    /// Natural-map error accepted, relative to the size of b. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the Newton steps. Default 200.
    pub max_iterations: usize,
    /// Gauss-Seidel sweeps before the first step. Default 10.
    pub sweeps: usize,
}

impl Default for NonsmoothNewton {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 200, sweeps: 10 }
    }
}

impl NonsmoothNewton {
    pub(crate) const CLASSES: &'static [ProblemClass] = &[ProblemClass::Cone];
    pub(crate) const SETTINGS: &'static [Setting] = &[
        TOLERANCE,
        MAX_ITERATIONS,
        Setting { key: "sweeps", doc: "Gauss-Seidel sweeps before the first step (default 10)" },
    ];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        let base = Self::default();
        Ok(Self {
            tolerance: read.tolerance(base.tolerance)?,
            max_iterations: read.count("max_iterations", base.max_iterations)?,
            sweeps: read.count("sweeps", base.sweeps)?,
        })
    }
}

/// One over the diagonal of W: the scale between u and p at every row, the same for the rows of a
/// tangential group.
fn scales(cone: &Cone, sweeper: &Sweeper<'_>) -> Vec<f64> {
    let n = cone.b.len();
    let mut rho: Vec<f64> = (0..n).map(|i| sweeper.rows.entry(i, i)).collect();
    let mean = rho.iter().map(|x| x.abs()).sum::<f64>() / (n.max(1) as f64);
    for contact in &cone.contacts {
        for (a, e, _) in contact.groups() {
            let rows = contact.rows.start + a..contact.rows.start + e;
            let largest = rho[rows.clone()].iter().fold(0.0_f64, |m, x| m.max(*x));
            rho[rows].fill(largest);
        }
    }
    let floor = if mean > 0.0 { 1e-12 * mean } else { 1.0 };
    rho.iter().map(|x| 1.0 / if *x > floor { *x } else { mean.max(floor) }).collect()
}

/// The iterations on one problem.
struct Run<'a> {
    problem: &'a Problem,
    cone: &'a Cone,
    sweeper: Sweeper<'a>,
    rho: Vec<f64>,
    p: Vec<f64>,
    error: f64,
    best: Vec<f64>,
    lowest: f64,
}

impl Run<'_> {
    fn accept(&mut self, p: Vec<f64>, error: f64) {
        (self.p, self.error) = (p, error);
        if error < self.lowest {
            self.lowest = error;
            self.best.copy_from_slice(&self.p);
        }
    }

    fn sweep(&mut self, count: usize) {
        let p = self.p.clone();
        p.iter().enumerate().for_each(|(i, &x)| self.sweeper.rows.set(i, x));
        self.sweeper.rows.refresh();
        (0..count).for_each(|_| self.sweeper.sweep());
        let p = self.sweeper.rows.z().to_vec();
        let error = residual::natural(self.problem, &p);
        self.accept(p, error);
    }

    /// One damped Newton step; false when no length of it helps.
    fn newton(&mut self) -> bool {
        let u = self.cone.w(&self.p);
        let Some(target) = Reduced::new(self.cone, &self.p, &u, &self.rho).solve(self.cone) else {
            return false;
        };
        let mut t = 1.0;
        for _ in 0..5 {
            let p: Vec<f64> = self
                .p
                .iter()
                .zip(&target)
                .map(|(p, q)| if t == 1.0 { *q } else { p + t * (q - p) })
                .collect();
            let error = residual::natural(self.problem, &p);
            if error < (1.0 - 1e-3 * t) * self.error {
                self.accept(p, error);
                return true;
            }
            t *= 0.4;
        }
        // the full step may still lead somewhere: try it with a sweep behind it
        let from = (self.p.clone(), self.error);
        self.p = target;
        self.sweep(2);
        if self.error < from.1 {
            return true;
        }
        (self.p, self.error) = from;
        false
    }
}

impl Solver for NonsmoothNewton {
    fn name(&self) -> &'static str {
        "nonsmooth-newton"
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
            return Err(SolveError::Class { solver: "nonsmooth-newton", class });
        };
        let p = start_or_zero(problem, z0);
        let target = residual::target(problem, &p, self.tolerance);
        let error = residual::natural(problem, &p);
        let done = |z: Vec<f64>, status, iterations| {
            Ok(Solution { z, status, iterations, solver: "nonsmooth-newton", fallbacks: 0 })
        };
        if error <= target {
            return done(p, Status::Solved, 0);
        }
        let sweeper = Sweeper::new(cone, &p);
        let rho = scales(cone, &sweeper);
        let best = p.clone();
        let mut run = Run { problem, cone, sweeper, rho, p, error, best, lowest: error };
        let limit = if self.max_iterations == 0 { 200 } else { self.max_iterations };
        let mut sweeps = self.sweeps;
        run.sweep(sweeps);
        for k in 1..=limit {
            if run.lowest <= target {
                return done(run.best, Status::Solved, k - 1);
            }
            if !run.newton() {
                sweeps = (2 * sweeps).clamp(5, 300);
                run.sweep(sweeps);
            }
            if watch.iterate(k, &run.p).is_break() {
                return done(run.best, Status::Stopped, k);
            }
        }
        let status = if run.lowest <= target { Status::Solved } else { Status::IterationLimit };
        done(run.best, status, limit)
    }
}
