//! `admm`: alternating directions of multipliers for friction cones.
//!
//! ```text
//! (W + r) p = r (x - y) - b - s,   x = P_K(p + y),   y <- y + p - x,   s = mu |u_t| n
//! ```
//! W + r is factored once and again only when r is changed to keep the two residuals in balance.
//! Without the slip term s the problem is convex and the method converges; s follows the last u.

use super::law;
use crate::linalg::shifted::Shifted;
use crate::problem::{Cone, Problem, ProblemClass};
use crate::registry::{MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::solver::{Solution, SolveError, Solver, Status, Watch, check, start_or_zero};
use crate::track::Track;

/// Alternating directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Admm {
    /// Natural-map error accepted, relative to the size of b. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the iterations. Default 5000.
    pub max_iterations: usize,
}

impl Default for Admm {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 5000 }
    }
}

impl Admm {
    pub(crate) const CLASSES: &'static [ProblemClass] = &[ProblemClass::Cone];
    pub(crate) const SETTINGS: &'static [Setting] = &[TOLERANCE, MAX_ITERATIONS];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        Ok(Self {
            tolerance: read.tolerance(1e-8)?,
            max_iterations: read.count("max_iterations", 5000)?,
        })
    }
}

/// Onto the cones, and onto the bounds of the other rows.
fn project(cone: &Cone, others: &[usize], x: &mut [f64]) {
    for contact in &cone.contacts {
        law::project(contact, &mut x[contact.rows.clone()]);
    }
    for &i in others {
        x[i] = x[i].max(cone.lower[i]).min(cone.upper[i]);
    }
}

/// The state of the iterations.
struct Run<'a> {
    cone: &'a Cone,
    others: Vec<usize>,
    shifted: Shifted,
    r: f64,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Run<'_> {
    fn factor(&mut self) -> bool {
        let n = self.cone.b.len();
        self.shifted.factor(&vec![self.r; n], &vec![false; n])
    }

    /// One iteration; returns the primal and the dual residual.
    fn step(&mut self) -> (f64, f64) {
        let u = self.cone.w(&self.x);
        let mut rhs: Vec<f64> =
            (0..u.len()).map(|i| self.r * (self.x[i] - self.y[i]) - self.cone.b[i]).collect();
        for contact in &self.cone.contacts {
            let u = &u[contact.rows.clone()];
            let slip: f64 = contact.groups().map(|(a, e, mu)| mu * law::norm(&u[a..e])).sum();
            rhs[contact.rows.start] -= slip;
        }
        let p = self.shifted.solve(&rhs);
        let mut x: Vec<f64> = p.iter().zip(&self.y).map(|(p, y)| p + y).collect();
        project(self.cone, &self.others, &mut x);
        let (mut primal, mut dual) = (0.0, 0.0);
        for i in 0..x.len() {
            self.y[i] += p[i] - x[i];
            primal += (p[i] - x[i]) * (p[i] - x[i]);
            dual += (x[i] - self.x[i]) * (x[i] - self.x[i]);
        }
        self.x = x;
        (primal.sqrt(), dual.sqrt())
    }
}

impl Solver for Admm {
    fn name(&self) -> &'static str {
        "admm"
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
            return Err(SolveError::Class { solver: "admm", class });
        };
        let x = start_or_zero(problem, z0);
        let mut track = Track::new("admm", self.tolerance, (problem, &x), watch);
        if track.is_solved() {
            return Ok(track.finish(Status::Solved));
        }
        let n = x.len();
        let others = cone.others();
        let mut equation = vec![false; n];
        others.iter().for_each(|&i| equation[i] = true);
        let sums = cone.matrix.magnitude(&vec![1.0; n], &vec![0.0; n]);
        let r = 0.1 * sums.iter().sum::<f64>() / n.max(1) as f64;
        let shifted = Shifted::new(&cone.matrix, &equation);
        let r = if r > 0.0 { r } else { 1.0 };
        let mut run = Run { cone, others, shifted, r, x, y: vec![0.0; n] };
        if !run.factor() {
            return Ok(track.finish(Status::Numerical));
        }
        for k in 1..=if self.max_iterations == 0 { 5000 } else { self.max_iterations } {
            let (primal, dual) = run.step();
            if let Some(status) = track.step(&run.x) {
                return Ok(track.finish(status));
            }
            let factor = match () {
                () if k % 20 != 0 || k > 1000 => 1.0,
                () if primal > 10.0 * dual => 2.0,
                () if dual > 10.0 * primal => 0.5,
                () => 1.0,
            };
            if factor != 1.0 {
                run.r *= factor;
                run.y.iter_mut().for_each(|y| *y /= factor);
                if !run.factor() {
                    return Ok(track.finish(Status::Numerical));
                }
            }
        }
        Ok(track.finish(Status::IterationLimit))
    }
}
