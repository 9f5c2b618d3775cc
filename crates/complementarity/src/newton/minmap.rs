//! `minmap-newton`: Newton's method on `mid(z - l, w, z - u) = 0` with a line search.
//!
//! Where `z - w` lies between the bounds the row says `w = 0`, elsewhere `z` is at a bound: so
//! each step fixes some unknowns and solves for the others (Pang 1990). A direction that does not
//! lower the merit is replaced by a projected gradient step once, then the method gives up.

use super::line;
use crate::interior_point::core::Core;
use crate::problem::{Problem, ProblemClass};
use crate::registry::{MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::solver::{Solution, SolveError, Solver, Status, Watch, check, start_or_zero};
use crate::track::Track;

/// Newton on the min map.
#[derive(Clone, Debug, PartialEq)]
pub struct MinmapNewton {
    /// Residual accepted, see [`crate::residual::target`]. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the steps. Default 200.
    pub max_iterations: usize,
}

impl Default for MinmapNewton {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 200 }
    }
}

impl MinmapNewton {
    pub(crate) const CLASSES: &'static [ProblemClass] = &[ProblemClass::Lcp, ProblemClass::Mlcp];
    pub(crate) const SETTINGS: &'static [Setting] = &[TOLERANCE, MAX_ITERATIONS];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        Ok(Self {
            tolerance: read.tolerance(1e-8)?,
            max_iterations: read.count("max_iterations", 200)?,
        })
    }
}

/// `mid(z - l, w, z - u)` of all rows.
fn map(core: &Core, z: &[f64]) -> Vec<f64> {
    let w = core.w(z);
    (0..z.len()).map(|i| (z[i] - core.lower[i]).min((z[i] - core.upper[i]).max(w[i]))).collect()
}

fn merit(core: &Core, z: &[f64]) -> f64 {
    map(core, z).iter().map(|x| x * x).sum()
}

/// The Newton direction: bounded unknowns go to their bound, the others solve their rows.
fn direction(core: &mut Core, z: &[f64]) -> Option<Vec<f64>> {
    let w = core.w(z);
    let n = z.len();
    let mut target = z.to_vec();
    let mut held = vec![false; n];
    for i in 0..n {
        let x = z[i] - w[i];
        if x <= core.lower[i] {
            (target[i], held[i]) = (core.lower[i], true);
        } else if x >= core.upper[i] {
            (target[i], held[i]) = (core.upper[i], true);
        }
    }
    let r: Vec<f64> = core.w(&target).iter().map(|w| -w).collect();
    if !core.factor(vec![1e-10; n], held.clone()) {
        return None;
    }
    let d = core.solve(&r);
    Some((0..n).map(|i| if held[i] { target[i] - z[i] } else { d[i] }).collect())
}

impl Solver for MinmapNewton {
    fn name(&self) -> &'static str {
        "minmap-newton"
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
            "minmap-newton",
            self.tolerance,
            (problem, &core.unscale(problem, &z)),
            watch,
        );
        if track.is_solved() {
            return Ok(track.finish(Status::Solved));
        }
        let mut now = merit(&core, &z);
        for _ in 0..if self.max_iterations == 0 { 200 } else { self.max_iterations } {
            let Some(d) = direction(&mut core, &z) else {
                return Ok(track.finish(Status::Numerical));
            };
            let step = line::search(&z, &d, now, |z| merit(&core, z)).or_else(|| {
                let back: Vec<f64> = map(&core, &z).iter().map(|x| -x).collect();
                line::search(&z, &back, now, |z| merit(&core, z))
            });
            let Some((next, value)) = step else {
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
