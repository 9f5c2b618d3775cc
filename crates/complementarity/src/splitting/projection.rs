//! `fixed-point` and `prox`: projection onto the set of allowed impulses, in the extragradient form
//! of Khobotov (1987) with a step that adapts itself.
//!
//! ```text
//! y = P(z - r F(z)),   z <- P(z - r F(y)),   r |F(z) - F(y)| <= 0.9 |z - y|
//! ```
//! P clamps to the bounds (LCP, mixed LCP: `fixed-point`) or projects onto the friction cones
//! (`prox`, with `F = W p + b + sum mu_k |u_k| n`). Converges for monotone problems from
//! everywhere, linearly and slowly; nothing is factorised.

use crate::cone::law;
use crate::problem::{Problem, ProblemClass};
use crate::registry::{MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::scaling::Scaled;
use crate::solver::{Solution, SolveError, Solver, Status, Watch, check, start_or_zero};
use crate::track::Track;

/// Extragradient projection for linear complementarity.
#[derive(Clone, Debug, PartialEq)]
pub struct FixedPoint {
    /// Residual accepted, see [`crate::residual::target`]. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the iterations. Default 20000.
    pub max_iterations: usize,
}

/// Extragradient projection for friction cones.
#[derive(Clone, Debug, PartialEq)]
pub struct Prox {
    /// Natural-map error accepted, relative to the size of b. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the iterations. Default 20000.
    pub max_iterations: usize,
}

impl Default for FixedPoint {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 20_000 }
    }
}

impl Default for Prox {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 20_000 }
    }
}

impl FixedPoint {
    pub(crate) const CLASSES: &'static [ProblemClass] = &[ProblemClass::Lcp, ProblemClass::Mlcp];
    pub(crate) const SETTINGS: &'static [Setting] = &[TOLERANCE, MAX_ITERATIONS];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        Ok(Self {
            tolerance: read.tolerance(1e-8)?,
            max_iterations: read.count("max_iterations", 20_000)?,
        })
    }
}

impl Prox {
    pub(crate) const CLASSES: &'static [ProblemClass] = &[ProblemClass::Cone];
    pub(crate) const SETTINGS: &'static [Setting] = FixedPoint::SETTINGS;

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        let FixedPoint { tolerance, max_iterations } = FixedPoint::from_options(read)?;
        Ok(Self { tolerance, max_iterations })
    }
}

/// The map and the projection, in scaled unknowns for linear problems.
struct Map<'a> {
    problem: &'a Problem,
    scaled: Option<Scaled>,
    b: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl<'a> Map<'a> {
    fn new(problem: &'a Problem) -> Self {
        let (mut lower, mut upper) = problem.bounds();
        let mut b = problem.b().to_vec();
        // cones mix their rows, so they must not be scaled one by one
        let scaled = match problem {
            Problem::Cone(_) => None,
            _ => Some(Scaled::new(problem.matrix())),
        };
        if let Some(s) = &scaled {
            b.iter_mut().zip(&s.rows).for_each(|(b, r)| *b *= r);
            lower.iter_mut().zip(&s.columns).for_each(|(l, c)| *l /= c);
            upper.iter_mut().zip(&s.columns).for_each(|(u, c)| *u /= c);
        }
        Self { problem, scaled, b, lower, upper }
    }

    fn value(&self, z: &[f64]) -> Vec<f64> {
        let matrix = self.scaled.as_ref().map_or(self.problem.matrix(), |s| &s.matrix);
        let mut f = matrix.times_plus(z, &self.b);
        if let Problem::Cone(cone) = self.problem {
            for contact in &cone.contacts {
                let u = &f[contact.rows.clone()];
                let slip: f64 = contact.groups().map(|(a, e, mu)| mu * law::norm(&u[a..e])).sum();
                f[contact.rows.start] += slip;
            }
        }
        f
    }

    fn project(&self, z: &mut [f64]) {
        for (i, z) in z.iter_mut().enumerate() {
            *z = z.min(self.upper[i]);
            if self.lower[i] != 0.0 || !matches!(self.problem, Problem::Cone(_)) {
                *z = z.max(self.lower[i]);
            }
        }
        if let Problem::Cone(cone) = self.problem {
            for contact in &cone.contacts {
                law::project(contact, &mut z[contact.rows.clone()]);
            }
        }
    }

    fn moved(&self, z: &[f64], f: &[f64], r: f64) -> Vec<f64> {
        let mut y: Vec<f64> = z.iter().zip(f).map(|(z, f)| z - r * f).collect();
        self.project(&mut y);
        y
    }

    fn out(&self, z: &[f64]) -> Vec<f64> {
        match &self.scaled {
            Some(s) => z.iter().zip(&s.columns).map(|(z, c)| z * c).collect(),
            None => z.to_vec(),
        }
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

fn run(
    (solver, tolerance, limit): (&'static str, f64, usize),
    problem: &Problem,
    z0: &[f64],
    watch: &mut dyn Watch,
) -> Solution {
    let map = Map::new(problem);
    let start = start_or_zero(problem, z0);
    let mut z = match &map.scaled {
        Some(s) => start.iter().zip(&s.columns).map(|(z, c)| z / c).collect(),
        None => start.clone(),
    };
    map.project(&mut z);
    let mut track = Track::new(solver, tolerance, (problem, &map.out(&z)), watch);
    if track.is_solved() {
        return track.finish(Status::Solved);
    }
    let diagonal = problem.matrix().magnitude(&vec![1.0; z.len()], &vec![0.0; z.len()]);
    let mut r = if map.scaled.is_some() {
        1.0
    } else {
        1.0 / diagonal.iter().fold(1e-300_f64, |m, x| m.max(*x))
    };
    for _ in 0..if limit == 0 { 20_000 } else { limit } {
        let f = map.value(&z);
        let (mut y, mut g, mut ratio);
        loop {
            y = map.moved(&z, &f, r);
            g = map.value(&y);
            let moved = distance(&z, &y);
            ratio = if moved > 0.0 { r * distance(&f, &g) / moved } else { 0.0 };
            if ratio <= 0.9 || r < 1e-280 {
                break;
            }
            r *= 2.0 / 3.0;
        }
        z = map.moved(&z, &g, r);
        if ratio < 0.3 {
            r *= 1.5;
        }
        if let Some(status) = track.step(&map.out(&z)) {
            return track.finish(status);
        }
    }
    track.finish(Status::IterationLimit)
}

impl Solver for FixedPoint {
    fn name(&self) -> &'static str {
        "fixed-point"
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
        Ok(run(("fixed-point", self.tolerance, self.max_iterations), problem, z0, watch))
    }
}

impl Solver for Prox {
    fn name(&self) -> &'static str {
        "prox"
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
        Ok(run(("prox", self.tolerance, self.max_iterations), problem, z0, watch))
    }
}
