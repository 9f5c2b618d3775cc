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
use crate::scaling::diagonal;
use crate::solver::{Solution, SolveError, Solver, Status, Watch, check, start_or_zero};

/// Semismooth Newton with Gauss-Seidel as a safeguard.
#[derive(Clone, Debug, PartialEq)]
pub struct NonsmoothNewton {
    /// Natural-map error accepted, relative to the size of b. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the Newton steps. Default 300.
    pub max_iterations: usize,
    /// Gauss-Seidel sweeps before the first step. Default 10.
    pub sweeps: usize,
}

impl Default for NonsmoothNewton {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 300, sweeps: 10 }
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

    /// Alart and Curnier's function in units of velocity, squared: what a Newton step must lower.
    fn merit(&self, p: &[f64]) -> f64 {
        let u = self.cone.w(p);
        let mut sum = 0.0;
        for contact in &self.cone.contacts {
            let first = contact.rows.start;
            let rho = self.rho[first];
            let normal = (p[first] - rho * u[first]).max(0.0);
            sum += ((p[first] - normal) / rho).powi(2);
            for (a, e, mu) in contact.groups() {
                let rows = first + a..first + e;
                let rho = self.rho[rows.start];
                let y: f64 = rows.clone().map(|i| (p[i] - rho * u[i]).powi(2)).sum::<f64>().sqrt();
                let factor = if y > mu * normal { mu * normal / y } else { 1.0 };
                sum += rows
                    .map(|i| ((p[i] - factor * (p[i] - rho * u[i])) / rho).powi(2))
                    .sum::<f64>();
            }
        }
        for i in self.cone.others() {
            let x = p[i] - self.rho[i] * u[i];
            sum +=
                ((p[i] - x.max(self.cone.lower[i]).min(self.cone.upper[i])) / self.rho[i]).powi(2);
        }
        sum
    }

    /// One damped Newton step; false when no length of it helps.
    fn newton(&mut self) -> bool {
        let u = self.cone.w(&self.p);
        let Some(target) = Reduced::new(self.cone, &self.p, &u, &self.rho).solve(self.cone) else {
            return false;
        };
        let now = self.merit(&self.p);
        let mut t = 1.0;
        for _ in 0..6 {
            let p: Vec<f64> = self
                .p
                .iter()
                .zip(&target)
                .map(|(p, q)| if t == 1.0 { *q } else { p + t * (q - p) })
                .collect();
            if self.merit(&p) < (1.0 - 1e-3 * t) * now {
                let error = residual::natural(self.problem, &p);
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

/// One call of damped Newton with sweeps.
struct Phase {
    target: f64,
    limit: usize,
    sweeps: usize,
    used: usize,
}

impl Phase {
    /// Newton from `p` until the natural map is below the target.
    fn newton(
        &mut self,
        problem: &Problem,
        cone: &Cone,
        p: Vec<f64>,
        see: &mut dyn FnMut(usize, &[f64]) -> bool,
    ) -> (Vec<f64>, Status) {
        let sweeper = Sweeper::new(cone, &p);
        let rho = scales(cone, &sweeper);
        let error = residual::natural(problem, &p);
        let best = p.clone();
        let mut run = Run { problem, cone, sweeper, rho, p, error, best, lowest: error };
        let mut sweeps = self.sweeps;
        // few contacts that do not feel each other need no more than one
        run.sweep(sweeps.min(1));
        if run.lowest > self.target && sweeps > 1 {
            run.sweep(sweeps - 1);
        }
        for _ in 0..self.limit {
            if run.lowest <= self.target {
                return (run.best, Status::Solved);
            }
            if !run.newton() {
                sweeps = (2 * sweeps).clamp(5, 300);
                run.sweep(sweeps);
            }
            self.used += 1;
            if see(self.used, &run.p) {
                return (run.best, Status::Stopped);
            }
        }
        let solved = run.lowest <= self.target;
        (run.best, if solved { Status::Solved } else { Status::IterationLimit })
    }
}

impl NonsmoothNewton {
    /// Newton alone, then with proximal terms; `p` is the start and the best point found.
    fn run(
        &self,
        problem: &Problem,
        p: &mut Vec<f64>,
        (target, used): (f64, &mut usize),
        see: &mut dyn FnMut(usize, &[f64]) -> bool,
    ) -> Status {
        let Problem::Cone(cone) = problem else { return Status::Numerical };
        let limit = if self.max_iterations == 0 { 300 } else { self.max_iterations };
        let first = limit.min(20);
        let mut phase = Phase { target, limit: first, sweeps: self.sweeps, used: *used };
        let (best, status) = phase.newton(problem, cone, p.clone(), see);
        (*p, *used) = (best, phase.used);
        if status != Status::IterationLimit || first == limit {
            return status;
        }
        self.proximal((problem, cone), p, (target, limit, used), see)
    }

    /// Proximal point iterations: `W + a`, `b - a p_k` has the solutions of the problem as its
    /// fixed points and is the better conditioned the larger a is. a shrinks while the inner
    /// iterations are few and grows when they fail.
    fn proximal(
        &self,
        (problem, cone): (&Problem, &Cone),
        best: &mut [f64],
        (target, limit, used): (f64, usize, &mut usize),
        see: &mut dyn FnMut(usize, &[f64]) -> bool,
    ) -> Status {
        let n = cone.b.len();
        let sums = cone.matrix.magnitude(&vec![1.0; n], &vec![0.0; n]);
        let mut a = 0.1 * sums.iter().sum::<f64>() / n.max(1) as f64;
        let mut p = best.to_vec();
        let mut lowest = residual::natural(problem, best);
        while *used < limit {
            let mut inner = cone.clone();
            inner.matrix = cone.matrix.shifted(a);
            inner.b.iter_mut().zip(&p).for_each(|(b, p)| *b -= a * p);
            let whole = Problem::Cone(inner);
            let Problem::Cone(inner) = &whole else { return Status::Numerical };
            let now = residual::natural(problem, &p);
            let mut phase =
                Phase { target: (1e-2 * now).max(0.3 * target), limit: 15, sweeps: 3, used: 0 };
            let offset = *used;
            let mut inner_see = |k: usize, p: &[f64]| see(offset + k, p);
            let (next, status) = phase.newton(&whole, inner, p.clone(), &mut inner_see);
            *used += phase.used.max(1);
            if status == Status::Stopped {
                return status;
            }
            p = next;
            let error = residual::natural(problem, &p);
            if error < lowest {
                lowest = error;
                best.copy_from_slice(&p);
            }
            if lowest <= target {
                return Status::Solved;
            }
            a *= if status == Status::Solved { 0.3 } else { 4.0 };
        }
        Status::IterationLimit
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
        // in units where W is about 1, an error of p weighs as much as one of u
        let size = mean_diagonal(cone);
        let Cone { b, contacts, lower, upper, .. } = cone;
        let inner = Cone {
            matrix: cone.matrix.times(1.0 / size),
            b: b.clone(),
            contacts: contacts.clone(),
            lower: lower.clone(),
            upper: upper.clone(),
        };
        let mut p: Vec<f64> = p.iter().map(|p| p * size).collect();
        let scaled = Problem::Cone(inner);
        let mut see = |k: usize, p: &[f64]| {
            let p: Vec<f64> = p.iter().map(|p| p / size).collect();
            watch.iterate(k, &p).is_break()
        };
        let mut used = 0;
        let mut inner_target = target;
        loop {
            let status = self.run(&scaled, &mut p, (inner_target, &mut used), &mut see);
            let z: Vec<f64> = p.iter().map(|p| p / size).collect();
            let error = residual::natural(problem, &z);
            if status != Status::Solved || error <= target {
                let status = if error <= target { Status::Solved } else { status };
                return done(z, status, used);
            }
            // solved in its own units, not in those of the problem
            inner_target *= (0.3 * target / error).min(0.1);
            if inner_target < 1e-6 * target {
                return done(z, Status::Numerical, used);
            }
        }
    }
}

/// Mean of the diagonal of W, 1 if that is no use.
fn mean_diagonal(cone: &Cone) -> f64 {
    let sum: f64 = diagonal(&cone.matrix).iter().sum();
    let mean = sum / cone.b.len().max(1) as f64;
    if mean.is_finite() && mean > 0.0 { mean } else { 1.0 }
}
