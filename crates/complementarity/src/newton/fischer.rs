//! `fischer-newton`: Newton's method on the function of Fischer and Burmeister.
//!
//! ```text
//! phi(a, b) = sqrt(a² + b²) - a - b = 0   <=>   a, b >= 0, a b = 0
//! (p + q A) d = -phi,   p = a / |(a,b)| - 1,   q = b / |(a,b)| - 1
//! ```
//! with a = z - l, b = w at a lower bound, mirrored at an upper one, and one inside the other where
//! both are finite (Billups 1995); an equation is `-w = 0`. Dividing row i by q_i turns the system
//! into `A + diag(p/q)`. What to do where a = b = 0 (the function has a kink there) and how the
//! system is changed is the setting `system`:
//! `perturbation` moves the point off the kink, `zero` takes the row of a as it is (d_i = 0),
//! `penalized` uses Chen, Chen and Kanzow's function `0.95 phi - 0.05 a⁺ b⁺`.

use super::line;
use crate::interior_point::core::Core;
use crate::problem::{Problem, ProblemClass};
use crate::registry::{MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::solver::{Solution, SolveError, Solver, Status, Watch, check, start_or_zero};
use crate::track::Track;

/// Newton on Fischer and Burmeister's function.
#[derive(Clone, Debug, PartialEq)]
pub struct FischerNewton {
    /// Residual accepted, see [`crate::residual::target`]. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the steps. Default 200.
    pub max_iterations: usize,
    /// How the Newton system is made.
    pub system: System,
}

/// Variants of the Newton system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Off the kink.
    Perturbation,
    /// Stay where the function has a kink.
    Zero,
    /// Penalised function.
    Penalized,
}

impl Default for FischerNewton {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 200, system: System::Perturbation }
    }
}

impl FischerNewton {
    pub(crate) const CLASSES: &'static [ProblemClass] = &[ProblemClass::Lcp, ProblemClass::Mlcp];
    pub(crate) const SETTINGS: &'static [Setting] = &[
        TOLERANCE,
        MAX_ITERATIONS,
        Setting {
            key: "system",
            doc: "\"perturbation\" (default), \"zero\" or \"penalized\": what is done at kinks",
        },
    ];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        let words = ["perturbation", "zero", "penalized"];
        let range = "\"perturbation\", \"zero\" or \"penalized\"";
        Ok(Self {
            tolerance: read.tolerance(1e-8)?,
            max_iterations: read.count("max_iterations", 200)?,
            system: match read.choice("system", &words, range)? {
                "zero" => System::Zero,
                "penalized" => System::Penalized,
                _ => System::Perturbation,
            },
        })
    }
}

/// Value and derivatives of phi (or its penalised form) at (a, b).
fn phi(system: System, a: f64, b: f64) -> (f64, f64, f64) {
    let length = a.hypot(b);
    let value = length - a - b;
    let (p, q) = match (length > 1e-150, system) {
        (true, _) => (a / length - 1.0, b / length - 1.0),
        (false, System::Zero) => (-1.0, 0.0),
        (false, _) => (0.5_f64.sqrt() - 1.0, 0.5_f64.sqrt() - 1.0),
    };
    if system != System::Penalized {
        return (value, p, q);
    }
    let (ap, bp) = (a.max(0.0), b.max(0.0));
    let both = f64::from(u8::from(a > 0.0 && b > 0.0));
    (0.95 * value - 0.05 * ap * bp, 0.95 * p - 0.05 * bp * both, 0.95 * q - 0.05 * ap * both)
}

/// Row i of the equation: value, derivative by z_i (apart from w) and by w_i.
pub(crate) fn row(system: System, z: f64, w: f64, (l, u): (f64, f64)) -> (f64, f64, f64) {
    match (l.is_finite(), u.is_finite()) {
        (false, false) => (-w, 0.0, -1.0),
        (true, false) => phi(system, z - l, w),
        (false, true) => {
            let (value, p, q) = phi(system, u - z, -w);
            (-value, p, q)
        }
        (true, true) => {
            let (inner, pi, qi) = phi(system, u - z, -w);
            // it has the sign of w and vanishes at the upper bound: it plays the part of w
            let (value, p, q) = phi(system, z - l, inner);
            (value, p - q * pi, -q * qi)
        }
    }
}

/// The equation of all rows at z.
fn equation(core: &Core, system: System, z: &[f64]) -> Vec<(f64, f64, f64)> {
    let w = core.w(z);
    (0..z.len()).map(|i| row(system, z[i], w[i], (core.lower[i], core.upper[i]))).collect()
}

fn merit(core: &Core, system: System, z: &[f64]) -> f64 {
    equation(core, system, z).iter().map(|e| e.0 * e.0).sum()
}

impl Solver for FischerNewton {
    fn name(&self) -> &'static str {
        "fischer-newton"
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
        let mut z = core.scale(&start_or_zero(problem, z0));
        let mut track = Track::new(
            "fischer-newton",
            self.tolerance,
            (problem, &core.unscale(problem, &z)),
            watch,
        );
        if track.is_solved() {
            return Ok(track.finish(Status::Solved));
        }
        let none = vec![false; z.len()];
        let mut now = merit(&core, self.system, &z);
        for _ in 0..if self.max_iterations == 0 { 200 } else { self.max_iterations } {
            let rows = equation(&core, self.system, &z);
            let mut shifts = vec![0.0; z.len()];
            let mut r = vec![0.0; z.len()];
            for (i, &(value, p, q)) in rows.iter().enumerate() {
                let q = q.min(-1e-12);
                shifts[i] = (p / q).clamp(1e-12, 1e12);
                r[i] = -value / q;
            }
            if !core.factor(shifts, none.clone()) {
                return Ok(track.finish(Status::Numerical));
            }
            let d = core.solve(&r);
            let Some((next, value)) = line::search(&z, &d, now, |z| merit(&core, self.system, z))
            else {
                return Ok(track.finish(Status::Stalled));
            };
            (z, now) = (next, value);
            if let Some(status) = track.step(&core.unscale(problem, &z)) {
                return Ok(track.finish(status));
            }
        }
        Ok(track.finish(Status::IterationLimit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_vanish_exactly_at_complementary_points() {
        for system in [System::Perturbation, System::Zero, System::Penalized] {
            let inf = f64::INFINITY;
            for (z, w, bounds) in [
                (0.0, 2.0, (0.0, inf)),
                (3.0, 0.0, (0.0, inf)),
                (1.0, -2.0, (-inf, 1.0)),
                (-1.0, 2.0, (-1.0, 1.0)),
                (0.3, 0.0, (-1.0, 1.0)),
                (1.0, -2.0, (-1.0, 1.0)),
            ] {
                assert!(row(system, z, w, bounds).0.abs() < 1e-15, "{system:?} {z} {w} {bounds:?}");
                assert!(row(system, z + 0.1, w + 0.1, bounds).0.abs() > 1e-3);
            }
        }
    }

    #[test]
    fn derivatives_agree_with_finite_differences() {
        let h = 1e-6;
        for system in [System::Perturbation, System::Penalized] {
            for bounds in [(0.0, f64::INFINITY), (f64::NEG_INFINITY, 1.0), (-1.0, 1.0)] {
                for (z, w) in [(0.4, 0.3), (-0.2, 0.7), (0.5, -0.6)] {
                    let (_, p, q) = row(system, z, w, bounds);
                    let f = |z: f64, w: f64| row(system, z, w, bounds).0;
                    let dz = (f(z + h, w) - f(z - h, w)) / (2.0 * h);
                    let dw = (f(z, w + h) - f(z, w - h)) / (2.0 * h);
                    assert!((dz - p).abs() < 1e-8, "{system:?} {bounds:?} {z} {w}: {dz} {p}");
                    assert!((dw - q).abs() < 1e-8, "{system:?} {bounds:?} {z} {w}: {dw} {q}");
                }
            }
        }
    }
}
