//! `interior-point`: predictor-corrector path following (Mehrotra 1992; Wright, Primal-Dual
//! Interior-Point Methods, chapter 8), for mixed problems with bounds.
//!
//! ```text
//! A z + b - a + c = 0,   a (z - l) = mu,   c (u - z) = mu,   mu -> 0
//! (A + a/(z-l) + c/(u-z)) dz = ...
//! ```
//! Proved for positive semidefinite A; the problems of frictional contact are not, but the method
//! solves most of them in 10 to 25 steps, whatever the size. A step costs one factorisation, in
//! the velocities where the matrix is factored. The last digits come from solving for the active set alone.

pub(crate) mod active;
pub(crate) mod class;
pub(crate) mod core;

use self::core::Core;
use crate::problem::{Problem, ProblemClass};
use crate::registry::{MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::residual;
use crate::solver::{Solution, SolveError, Solver, Status, Watch, check};

/// Predictor-corrector interior point.
#[derive(Clone, Debug, PartialEq)]
pub struct InteriorPoint {
    /// Residual accepted, see [`residual::target`]. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the steps. Default 80.
    pub max_iterations: usize,
}

impl Default for InteriorPoint {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 80 }
    }
}

impl InteriorPoint {
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

/// The iterate: unknowns and the multipliers of their bounds (zero where there is none).
struct Point {
    z: Vec<f64>,
    a: Vec<f64>,
    c: Vec<f64>,
}

/// A direction.
struct Step {
    z: Vec<f64>,
    a: Vec<f64>,
    c: Vec<f64>,
}

impl Point {
    /// Well inside: multipliers of the size of b; slacks too, or of the size that the solution of
    /// the unconstrained problem has there (a light body under a heavy one carries far more than
    /// its own row says).
    fn start(core: &mut Core, strength: f64) -> Self {
        let n = core.n();
        let held: Vec<bool> = (0..n).map(|i| core.lower[i] == core.upper[i]).collect();
        let mut guess = vec![0.0; n];
        if core.factor(vec![1e-4; n], held) {
            let r: Vec<f64> = core.b.iter().map(|b| -b).collect();
            guess = core.solve(&r);
        }
        let room =
            |i: usize| if guess[i].is_finite() { guess[i].abs().max(core.size) } else { core.size };
        let (mut z, mut a, mut c) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for i in 0..n {
            let (l, u) = (core.lower[i], core.upper[i]);
            z[i] = match (l.is_finite(), u.is_finite()) {
                (true, true) => l + (0.5 * (u - l)).min(room(i)),
                (true, false) => l + room(i),
                (false, true) => u - room(i),
                (false, false) => 0.0,
            };
            a[i] = if l.is_finite() && l < u { strength * core.size } else { 0.0 };
            c[i] = if u.is_finite() && l < u { strength * core.size } else { 0.0 };
        }
        Self { z, a, c }
    }

    /// Mean of all products a (z - l) and c (u - z) after a step of length `t`.
    fn gap(&self, core: &Core, step: Option<(&Step, f64)>) -> f64 {
        let (mut sum, mut count) = (0.0, 0);
        for i in 0..self.z.len() {
            let (dz, da, dc) =
                step.map_or((0.0, 0.0, 0.0), |(s, t)| (t * s.z[i], t * s.a[i], t * s.c[i]));
            if self.a[i] > 0.0 {
                sum += (self.a[i] + da) * (self.z[i] + dz - core.lower[i]);
                count += 1;
            }
            if self.c[i] > 0.0 {
                sum += (self.c[i] + dc) * (core.upper[i] - self.z[i] - dz);
                count += 1;
            }
        }
        if count == 0 { 0.0 } else { sum / f64::from(count) }
    }

    /// `s` of the Newton matrix; a little for equations, which may be redundant.
    fn shifts(&self, core: &Core) -> Vec<f64> {
        (0..self.z.len())
            .map(|i| {
                let mut s = 0.0;
                if self.a[i] > 0.0 {
                    s += self.a[i] / (self.z[i] - core.lower[i]);
                }
                if self.c[i] > 0.0 {
                    s += self.c[i] / (core.upper[i] - self.z[i]);
                }
                if core.is_free(i) { 1e-10 } else { s.clamp(1e-30, 1e30) }
            })
            .collect()
    }

    /// The direction towards products `mu`, with the second-order terms of `last` taken off.
    fn direction(&self, core: &mut Core, w: &[f64], mu: f64, last: Option<&Step>) -> Step {
        let n = self.z.len();
        let (mut tl, mut tu, mut rhs) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for i in 0..n {
            rhs[i] = -w[i];
            let second = |d: &[f64]| last.map_or(0.0, |s| s.z[i] * d[i]);
            if self.a[i] > 0.0 {
                tl[i] = (mu - second(last.map_or(&[], |s| &s.a))) / (self.z[i] - core.lower[i]);
                rhs[i] += tl[i];
            }
            if self.c[i] > 0.0 {
                tu[i] = (mu + second(last.map_or(&[], |s| &s.c))) / (core.upper[i] - self.z[i]);
                rhs[i] -= tu[i];
            }
        }
        let z = core.solve(&rhs);
        let (mut a, mut c) = (vec![0.0; n], vec![0.0; n]);
        for i in 0..n {
            if self.a[i] > 0.0 {
                a[i] = tl[i] - self.a[i] - self.a[i] / (self.z[i] - core.lower[i]) * z[i];
            }
            if self.c[i] > 0.0 {
                c[i] = tu[i] - self.c[i] + self.c[i] / (core.upper[i] - self.z[i]) * z[i];
            }
        }
        Step { z, a, c }
    }

    /// The longest step that keeps all slacks and multipliers positive, at most 1.
    fn longest(&self, core: &Core, step: &Step) -> f64 {
        let mut t = 1.0_f64;
        let mut limit = |value: f64, rate: f64| {
            if rate < 0.0 {
                t = t.min(-value / rate);
            }
        };
        for i in 0..self.z.len() {
            if self.a[i] > 0.0 {
                limit(self.a[i], step.a[i]);
                limit(self.z[i] - core.lower[i], step.z[i]);
            }
            if self.c[i] > 0.0 {
                limit(self.c[i], step.c[i]);
                limit(core.upper[i] - self.z[i], -step.z[i]);
            }
        }
        t
    }

    fn advance(&mut self, step: &Step, t: f64) {
        let add = |x: &mut [f64], d: &[f64]| x.iter_mut().zip(d).for_each(|(x, d)| *x += t * d);
        add(&mut self.z, &step.z);
        add(&mut self.a, &step.a);
        add(&mut self.c, &step.c);
    }
}

/// What the steps led to.
pub(crate) struct Outcome {
    pub(crate) z: Vec<f64>,
    pub(crate) status: Status,
    pub(crate) iterations: usize,
}

impl InteriorPoint {
    /// The method on a prepared problem. A path that stalls is begun again from further inside.
    pub(crate) fn run(&self, problem: &Problem, core: &mut Core, watch: &mut dyn Watch) -> Outcome {
        let mut total = 0;
        let mut best: Option<Outcome> = None;
        for strength in [1.0, 10.0, 100.0] {
            let mut outcome = self.once(problem, core, strength, watch);
            total += outcome.iterations;
            outcome.iterations = total;
            let error = residual::natural(problem, &outcome.z);
            let done = matches!(outcome.status, Status::Solved | Status::Stopped);
            let better = best.as_ref().is_none_or(|b| error < residual::natural(problem, &b.z));
            if done {
                return outcome;
            }
            if better {
                best = Some(outcome);
            } else if let Some(b) = &mut best {
                b.iterations = total;
            }
        }
        let nothing =
            Outcome { z: vec![0.0; core.n()], status: Status::Numerical, iterations: total };
        best.unwrap_or(nothing)
    }

    fn once(
        &self,
        problem: &Problem,
        core: &mut Core,
        strength: f64,
        watch: &mut dyn Watch,
    ) -> Outcome {
        let mut point = Point::start(core, strength);
        let held: Vec<bool> = (0..core.n()).map(|i| core.lower[i] == core.upper[i]).collect();
        let limit = if self.max_iterations == 0 { 80 } else { self.max_iterations };
        let first_gap = point.gap(core, None).max(1e-300);
        let (mut best, mut lowest) = (core.unscale(problem, &point.z), f64::INFINITY);
        let (mut next_try, mut short, mut steps) = (1e-4, 0, 0);
        for k in 0..=limit {
            steps = k;
            let w = core.w(&point.z);
            let z = core.unscale(problem, &point.z);
            let error = residual::natural(problem, &z);
            if !error.is_finite() {
                return Outcome { z: best, status: Status::Numerical, iterations: k };
            }
            if error < lowest {
                (best, lowest) = (z, error);
            }
            let done = lowest <= residual::target(problem, &best, self.tolerance);
            let gap = point.gap(core, None);
            if done || gap / first_gap < next_try {
                next_try = (gap / first_gap * 1e-2).min(next_try);
                if let Some(z) = self.finish(problem, core, &point) {
                    return Outcome { z, status: Status::Solved, iterations: k };
                }
            }
            if done {
                return Outcome { z: best, status: Status::Solved, iterations: k };
            }
            if k > 0 && watch.iterate(k, &best).is_break() {
                return Outcome { z: best, status: Status::Stopped, iterations: k };
            }
            // a path that has hardly moved by now leads nowhere
            let lost = k >= 30 && gap > 0.05 * first_gap;
            if k == limit || short > 5 || lost {
                break;
            }
            if !core.factor(point.shifts(core), held.clone()) {
                return Outcome { z: best, status: Status::Numerical, iterations: k };
            }
            let t = advance(&mut point, core, &w, gap);
            short = if t < 1e-3 { short + 1 } else { 0 };
        }
        let status = if steps < limit { Status::Stalled } else { Status::IterationLimit };
        Outcome { z: best, status, iterations: steps }
    }

    /// Tries to jump from the interior to the exact solution.
    fn finish(&self, problem: &Problem, core: &mut Core, point: &Point) -> Option<Vec<f64>> {
        let mut z = point.z.clone();
        let w: Vec<f64> = point.a.iter().zip(&point.c).map(|(a, c)| a - c).collect();
        let places = active::places(core, &z, &w);
        active::clean(core, &mut z, places, 3);
        let z = core.unscale(problem, &z);
        let fine = z.iter().all(|x| x.is_finite());
        // as exact as arithmetic allows, not only within the tolerance
        (fine && residual::solved(problem, &z, 1e-4 * self.tolerance)).then_some(z)
    }
}

/// One predictor-corrector step; returns its length.
fn advance(point: &mut Point, core: &mut Core, w: &[f64], gap: f64) -> f64 {
    let predictor = point.direction(core, w, 0.0, None);
    let t = point.longest(core, &predictor);
    let ahead = point.gap(core, Some((&predictor, t)));
    let sigma = (ahead / gap.max(1e-300)).clamp(0.0, 1.0).powi(3).max(1e-6);
    let mut step = point.direction(core, w, sigma * gap, Some(&predictor));
    let mut t = 0.995 * point.longest(core, &step);
    if t < 0.1 {
        // the corrector of a poor predictor does harm: aim at the centre instead
        step = point.direction(core, w, 0.5 * gap, None);
        t = 0.99 * point.longest(core, &step);
    }
    point.advance(&step, t);
    t
}

impl Solver for InteriorPoint {
    fn name(&self) -> &'static str {
        "interior-point"
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
        let mut core = Core::new(problem);
        let Outcome { z, status, iterations } = self.run(problem, &mut core, watch);
        Ok(Solution { z, status, iterations, solver: "interior-point", fallbacks: 0 })
    }
}
