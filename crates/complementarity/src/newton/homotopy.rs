//! `homotopy`: follows a smooth curve from a problem with one solution to the given one.
//!
//! ```text
//! w = A z + b + t r,   z_i w_i = mu t,   z, w > 0,   r = c (1, .., 1)
//! ```
//! With `z - w = x` both are smooth functions of (x, t) without bounds: `z = (x + s) / 2`,
//! `w = (s - x) / 2`, `s² = x² + 4 mu t` (Chen and Harker 1993, Kanzow 1996). For large t there is one solution;
//! from there the curve is followed by its length, so that it may turn back in t, to t = 0 (Allgower and
//! Georg 1990). Where A is strictly copositive it cannot go anywhere else: the smooth companion of Lemke's
//! path, whose kinks are as many as its pivots. Made for full matrices that are not monotone; every step factors one.
//!
//! 1. Predict along the tangent, correct by Newton's method in the plane normal to it, with old factors as
//!    long as they serve. The step grows and shrinks with the success of that.
//! 2. Now and then, and where the curve ends: which z are positive is read off x, and the rest is solved
//!    exactly.

use crate::interior_point::active;
use crate::interior_point::core::Core;
use crate::linalg::dense_lu::DenseLu;
use crate::problem::{Dense, Lcp, Problem, ProblemClass};
use crate::registry::{MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::residual;
use crate::solver::{Solution, SolveError, Solver, Status, Watch, check};
use crate::transform::Reduced;

/// Follows a smooth curve to a solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Homotopy {
    /// Residual accepted, see [`crate::residual::target`]. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the steps along the curve; 0 means 1000. Default 0.
    pub max_iterations: usize,
    /// Largest number of unknowns (after the reduction to an LCP) it starts on: every step factors a full
    /// matrix. Default 2000.
    pub max_size: usize,
}

impl Default for Homotopy {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 0, max_size: 2000 }
    }
}

/// c, where the largest entry of b is 1.
const COVER: f64 = 3.0;
/// How far from its bounds the curve runs: `A z` at t = 1 against c.
const WIDE: f64 = 0.5;
/// The curve has ended.
const END: f64 = 1e-11;
/// Where t grows beyond this the curve leads away: A is not copositive.
const AWAY: f64 = 1e3;
/// Steps between two tries of the active set.
const EVERY: usize = 5;

impl Homotopy {
    pub(crate) const CLASSES: &'static [ProblemClass] = &[ProblemClass::Lcp, ProblemClass::Mlcp];
    pub(crate) const SETTINGS: &'static [Setting] = &[
        TOLERANCE,
        MAX_ITERATIONS,
        Setting { key: "max_size", doc: "largest problem it starts on (default 2000)" },
    ];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        Ok(Self {
            tolerance: read.tolerance(1e-8)?,
            max_iterations: read.count("max_iterations", 0)?,
            max_size: read.count("max_size", 2000)?,
        })
    }

    /// The best point, how it ended, and the number of steps.
    fn run(
        &self,
        lcp: &Lcp,
        see: &mut dyn FnMut(usize, &[f64]) -> bool,
    ) -> (Vec<f64>, Status, usize) {
        let problem = Problem::Lcp(lcp.clone());
        let mut core = Core::new(&problem);
        let mut best = (vec![0.0; lcp.b.len()], f64::INFINITY);
        let mut judge = |z: Vec<f64>| {
            let error = residual::natural(&problem, &z);
            let solved = residual::accepts(&problem, &z, error, self.tolerance);
            if error < best.1 {
                best = (z, error);
            }
            solved
        };
        if judge(vec![0.0; lcp.b.len()]) {
            return (best.0, Status::Solved, 0);
        }
        let curve = Curve::new(&core);
        let Some(mut walk) = curve.start() else { return (best.0, Status::Numerical, 0) };
        let limit = if self.max_iterations == 0 { 1000 } else { self.max_iterations };
        for k in 1..=limit {
            let moved = walk.step(&curve);
            let (z, w) = curve.pair(&walk.x, walk.t);
            if see(k, &core.unscale(&problem, &curve.own(&z))) {
                return (best.0, Status::Stopped, k);
            }
            let ended = !moved || walk.t <= END || walk.t > AWAY;
            if ended || (k % EVERY == 0 && walk.t < 0.1) {
                let (mut z, w) = (curve.own(&z), curve.own(&w));
                let places = active::places(&core, &z, &w);
                active::clean(&mut core, &mut z, places, if ended { 20 } else { 3 });
                if z.iter().all(|x| x.is_finite()) && judge(core.unscale(&problem, &z)) {
                    return (best.0, Status::Solved, k);
                }
            }
            if ended {
                return (best.0, Status::Stalled, k);
            }
        }
        (best.0, Status::IterationLimit, limit)
    }
}

/// The scaled problem with `max |b| = 1`.
struct Curve {
    n: usize,
    a: Dense,
    b: Vec<f64>,
    /// What b was divided by.
    size: f64,
    mu: f64,
}

/// A point of the curve, the way on, and the factors at hand.
struct Walk {
    x: Vec<f64>,
    t: f64,
    /// Unit tangent, that of t last.
    along: Vec<f64>,
    length: f64,
}

impl Curve {
    fn new(core: &Core) -> Self {
        let (a, n) = (core.matrix.to_dense(), core.n());
        let mut sums = vec![0.0; n];
        for column in a.values.chunks_exact(n) {
            sums.iter_mut().zip(column).for_each(|(s, a)| *s += a.abs());
        }
        let norm = sums.iter().fold(0.0_f64, |m, s| m.max(*s)).max(f64::MIN_POSITIVE);
        let b = core.b.iter().map(|b| b / core.size).collect();
        Self { n, a, b, size: core.size, mu: WIDE * COVER * COVER / norm }
    }

    /// In the units of the problem.
    fn own(&self, z: &[f64]) -> Vec<f64> {
        z.iter().map(|z| z * self.size).collect()
    }

    /// z and w, without cancellation.
    fn pair(&self, x: &[f64], t: f64) -> (Vec<f64>, Vec<f64>) {
        let product = self.mu * t;
        let two = |x: f64| {
            let large = 0.5 * (x.abs() + (x * x + 4.0 * product).sqrt());
            let small = if large > 0.0 { product / large } else { 0.0 };
            if x > 0.0 { (large, small) } else { (small, large) }
        };
        x.iter().map(|x| two(*x)).unzip()
    }

    /// `A z + b + t r - w`.
    fn value(&self, z: &[f64], w: &[f64], t: f64) -> Vec<f64> {
        let mut f: Vec<f64> = self.b.iter().zip(w).map(|(b, w)| b + t * COVER - w).collect();
        self.add_product(z, &mut f);
        f
    }

    fn add_product(&self, z: &[f64], f: &mut [f64]) {
        for (column, z) in self.a.values.chunks_exact(self.n).zip(z) {
            f.iter_mut().zip(column).for_each(|(f, a)| *f += a * z);
        }
    }

    /// Factors of the derivative by x, and the derivative by t.
    fn derivative(&self, z: &[f64], w: &[f64]) -> Option<(DenseLu, Vec<f64>)> {
        let n = self.n;
        let mut a = self.a.values.clone();
        let mut by_t = vec![COVER; n];
        let s: Vec<f64> = z.iter().zip(w).map(|(z, w)| (z + w).max(f64::MIN_POSITIVE)).collect();
        for (j, column) in a.chunks_exact_mut(n).enumerate() {
            let share = z[j] / s[j];
            column.iter_mut().for_each(|a| *a *= share);
            column[j] += w[j] / s[j];
        }
        let rate: Vec<f64> = s.iter().map(|s| self.mu / s).collect();
        by_t.iter_mut().zip(&rate).for_each(|(t, r)| *t -= r);
        self.add_product(&rate, &mut by_t);
        Some((DenseLu::new(n, a, 1e-14)?, by_t))
    }

    /// The point at t = 1, by Newton's method with a line search.
    fn start(&self) -> Option<Walk> {
        let mut x: Vec<f64> = self.b.iter().map(|b| -b - COVER).collect();
        let (mut z, mut w) = self.pair(&x, 1.0);
        let mut f = self.value(&z, &w, 1.0);
        for _ in 0..50 {
            let (lu, mut by_t) = self.derivative(&z, &w)?;
            if largest(&f) <= 1e-9 {
                lu.solve(&mut by_t);
                let mut walk = Walk { x, t: 1.0, along: vec![], length: 0.1 };
                walk.turn(&by_t);
                if walk.along[self.n] > 0.0 {
                    walk.along.iter_mut().for_each(|a| *a = -*a);
                }
                return Some(walk);
            }
            let mut d = f.clone();
            lu.solve(&mut d);
            let mut part = 1.0;
            loop {
                let tried: Vec<f64> = x.iter().zip(&d).map(|(x, d)| x - part * d).collect();
                (z, w) = self.pair(&tried, 1.0);
                let next = self.value(&z, &w, 1.0);
                if norm(&next) < (1.0 - 0.1 * part) * norm(&f) {
                    (x, f) = (tried, next);
                    break;
                }
                part *= 0.5;
                if part < 1e-6 {
                    return None;
                }
            }
        }
        None
    }
}

impl Walk {
    /// The tangent from `A⁻¹ by_t`, in the direction of the last one.
    fn turn(&mut self, by_t: &[f64]) {
        let size = (1.0 + by_t.iter().map(|x| x * x).sum::<f64>()).sqrt();
        let mut next: Vec<f64> = by_t.iter().map(|x| -x / size).collect();
        next.push(1.0 / size);
        if dot(&next, &self.along) < 0.0 {
            next.iter_mut().for_each(|x| *x = -*x);
        }
        self.along = next;
    }

    /// One step along the curve; false where there is none to be made.
    fn step(&mut self, curve: &Curve) -> bool {
        let n = curve.n;
        let fall = -self.along[n];
        // t shrinks by a factor of twenty at most
        let most = if fall > 0.0 { 0.95 * self.t / fall } else { f64::INFINITY };
        self.length = self.length.min(most);
        while self.length > 1e-13 {
            let h = self.length;
            let x: Vec<f64> = self.x.iter().zip(&self.along).map(|(x, a)| x + h * a).collect();
            if let Some((x, t, by_t, rounds)) = self.correct(curve, x, self.t + h * self.along[n]) {
                (self.x, self.t) = (x, t);
                self.turn(&by_t);
                self.length *= [2.0, 2.0, 1.7, 1.2, 1.0, 0.8, 0.7][rounds.min(6)];
                return true;
            }
            self.length *= 0.4;
        }
        false
    }

    /// Newton's method in the plane through (x, t) normal to the tangent: the point, `A⁻¹ by_t`, rounds.
    fn correct(
        &self,
        curve: &Curve,
        mut x: Vec<f64>,
        mut t: f64,
    ) -> Option<(Vec<f64>, f64, Vec<f64>, usize)> {
        let n = curve.n;
        let (across, up) = (&self.along[..n], self.along[n]);
        let mut factors: Option<(DenseLu, Vec<f64>)> = None;
        let mut last = f64::INFINITY;
        for round in 0..8 {
            let (z, w) = curve.pair(&x, t);
            let f = curve.value(&z, &w, t);
            let error = largest(&f);
            let enough = 1e-6 * t + 2e-14 * (n as f64).sqrt();
            if let Some((_, by_t)) = factors.take_if(|_| error <= enough) {
                return Some((x, t, by_t, round));
            }
            if error.is_nan() || error > last || (round > 3 && error > 0.5 * last) {
                return None;
            }
            // old factors serve as long as they halve the error thrice
            if factors.is_none() || error > 0.125 * last {
                let (lu, mut by_t) = curve.derivative(&z, &w)?;
                lu.solve(&mut by_t);
                factors = Some((lu, by_t));
            }
            last = error;
            let (lu, by_t) = factors.as_ref()?;
            let mut d = f;
            lu.solve(&mut d);
            let dt = dot(across, &d) / (up - dot(across, by_t));
            x.iter_mut().zip(&d).zip(by_t).for_each(|((x, d), b)| *x -= d + b * dt);
            t += dt;
            if t.is_nan() || t <= 0.0 {
                return None;
            }
        }
        None
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0_f64, |m, x| if x.is_nan() { f64::NAN } else { m.max(x.abs()) })
}

impl Solver for Homotopy {
    fn name(&self) -> &'static str {
        "homotopy"
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
            solver: "homotopy",
            key: "max_size",
            value: format!("{} for a problem of {n} unknowns", self.max_size),
            range: "at least the number of unknowns",
        };
        let (z, status, iterations) = match problem {
            Problem::Cone(_) => {
                return Err(SolveError::Class { solver: "homotopy", class: ProblemClass::Cone });
            }
            Problem::Lcp(p) if p.b.len() > self.max_size => return Err(too_large(p.b.len())),
            Problem::Lcp(p) => self.run(p, &mut |k, z| watch.iterate(k, z).is_break()),
            // bounds on both sides need a further unknown each, and the reduction is full
            Problem::Mlcp(p) if p.b.len() > self.max_size => return Err(too_large(p.b.len())),
            Problem::Mlcp(p) => {
                let reduced = Reduced::new(p);
                let n = reduced.lcp.b.len();
                if n > self.max_size {
                    return Err(too_large(n));
                }
                let (y, status, steps) = self.run(&reduced.lcp, &mut |k, y| {
                    watch.iterate(k, &reduced.restore(y)).is_break()
                });
                (reduced.restore(&y), status, steps)
            }
        };
        let solved = residual::solved(problem, &z, self.tolerance);
        let status = match (solved, status) {
            (true, _) => Status::Solved,
            (false, Status::Solved) => Status::Numerical,
            (false, other) => other,
        };
        Ok(Solution { z, status, iterations, solver: "homotopy", fallbacks: 0 })
    }
}
