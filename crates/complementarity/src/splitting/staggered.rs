//! `staggered`: normal impulses and friction in turn (dvc3D; Kaufman et al. 2008).
//!
//! With the friction held, the normal impulses (and all rows outside contacts) solve a convex
//! problem; with the normal impulses held, friction is bounded by `mu p_n` and solves another. Each
//! is solved by `interior-point`. A fixed point of the two solves the whole; that there is one
//! that attracts is not guaranteed.

use crate::auto::blocks::Cutter;
use crate::interior_point::InteriorPoint;
use crate::problem::{Problem, ProblemClass};
use crate::registry::{MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::solver::{NoWatch, Solution, SolveError, Solver, Status, Watch, check, start_or_zero};
use crate::track::Track;

/// Staggered projections.
#[derive(Clone, Debug, PartialEq)]
pub struct Staggered {
    /// Residual accepted, see [`crate::residual::target`]. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the rounds. Default 200.
    pub max_iterations: usize,
}

impl Default for Staggered {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 200 }
    }
}

impl Staggered {
    pub(crate) const CLASSES: &'static [ProblemClass] = &[ProblemClass::Lcp, ProblemClass::Mlcp];
    pub(crate) const SETTINGS: &'static [Setting] = &[TOLERANCE, MAX_ITERATIONS];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        Ok(Self {
            tolerance: read.tolerance(1e-8)?,
            max_iterations: read.count("max_iterations", 200)?,
        })
    }
}

/// One half of the unknowns as a problem of its own.
struct Half {
    set: Vec<usize>,
    part: Problem,
}

impl Half {
    fn new(problem: &Problem, set: Vec<usize>) -> Self {
        let part = Cutter::new(problem, 60).cut(&set);
        Self { set, part }
    }

    /// Solves for this half with the other held, in place.
    fn solve(
        &mut self,
        problem: &Problem,
        z: &mut [f64],
        tolerance: f64,
    ) -> Result<(), SolveError> {
        if self.set.is_empty() {
            return Ok(());
        }
        let mut others = z.to_vec();
        self.set.iter().for_each(|&i| others[i] = 0.0);
        let w = problem.matrix().times_plus(&others, problem.b());
        let b: Vec<f64> = self.set.iter().map(|&i| w[i]).collect();
        match &mut self.part {
            Problem::Lcp(p) => p.b = b,
            Problem::Mlcp(p) => p.b = b,
            Problem::Cone(p) => p.b = b,
        }
        let mut inner = InteriorPoint { tolerance: 0.1 * tolerance, ..InteriorPoint::default() };
        let found = inner.solve(&self.part, &[], &mut NoWatch)?;
        self.set.iter().zip(found.z).for_each(|(&i, x)| z[i] = x);
        Ok(())
    }
}

impl Solver for Staggered {
    fn name(&self) -> &'static str {
        "staggered"
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
        let mut z = start_or_zero(problem, z0);
        let mut is_friction = vec![false; z.len()];
        for contact in problem.contacts() {
            let rows = contact.friction.clone().chain(contact.slip);
            rows.filter(|i| *i < z.len()).for_each(|i| is_friction[i] = true);
        }
        let pick = |friction: bool| (0..z.len()).filter(|&i| is_friction[i] == friction).collect();
        let (mut normal, mut friction) =
            (Half::new(problem, pick(false)), Half::new(problem, pick(true)));
        let mut track = Track::new("staggered", self.tolerance, (problem, &z), watch);
        if track.is_solved() {
            return Ok(track.finish(Status::Solved));
        }
        for _ in 0..if self.max_iterations == 0 { 200 } else { self.max_iterations } {
            normal.solve(problem, &mut z, self.tolerance)?;
            friction.solve(problem, &mut z, self.tolerance)?;
            if let Some(status) = track.step(&z) {
                return Ok(track.finish(status));
            }
            if track.idle() > 50 {
                return Ok(track.finish(Status::Stalled));
            }
        }
        Ok(track.finish(Status::IterationLimit))
    }
}
