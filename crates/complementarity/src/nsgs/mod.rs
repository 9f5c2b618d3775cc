//! `nsgs`: nonsmooth Gauss-Seidel (Jean and Moreau 1987, Jourdan, Alart and Jean 1998), accelerated.
//!
//! Contact after contact is solved by itself, with the velocities that all others give: it parts, or
//! sticks (`p = -W⁻¹ q` with its 3x3 block W), or slides. A sweep costs O(contacts) and no
//! factorization. After every sweep the impulses go on in the direction they moved (Nesterov 1983), cut to what
//! the laws allow:
//!
//! ```text
//! y = P(x + beta (x - x_last)),   beta = (theta_last - 1) / theta,   theta = (1 + sqrt(1 + 4 theta_last²)) / 2
//! ```
//!
//! and theta starts again from 1 where they turn round, `(y - x) . (x - x_last) > 0` (O'Donoghue
//! and Candès 2015). A contact that turns round by itself stays where it is.

mod blocks;
mod local;
mod parallel;
mod partition;
mod sweep;

use self::parallel::Sweeps;
use crate::contact::system::System;
use crate::problem::{ContactProblem, Problem, ProblemClass};
use crate::registry::{ACCEPTABLE, MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::residual;
use crate::solver::{
    Ask, ContactSolution, Solution, SolveError, Solver, Status, Watch, check, check_contacts,
};

/// Accelerated Gauss-Seidel over contacts.
#[derive(Clone, Debug)]
pub struct Nsgs {
    /// Residual accepted, see [`residual::contacts_target`]. Default 1e-8.
    pub tolerance: f64,
    /// Residual at which it stops if that is larger than the tolerance. Default 0.
    pub acceptable: f64,
    /// Limit on the sweeps; 0 for 1000. Default 0.
    pub max_iterations: usize,
    sweeps: Sweeps,
}

impl Default for Nsgs {
    fn default() -> Self {
        Self { tolerance: 1e-8, acceptable: 0.0, max_iterations: 0, sweeps: Sweeps::default() }
    }
}

/// Other path: sweeps without a limit of the user's.
const SWEEPS: usize = 1000;

impl Nsgs {
    pub(crate) const CLASSES: &'static [ProblemClass] =
        &[ProblemClass::Lcp, ProblemClass::Mlcp, ProblemClass::Cone];
    pub(crate) const SETTINGS: &'static [Setting] = &[TOLERANCE, ACCEPTABLE, MAX_ITERATIONS];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        let base = Self::default();
        Ok(Self {
            tolerance: read.tolerance(base.tolerance)?,
            acceptable: read.acceptable()?,
            max_iterations: read.count("max_iterations", base.max_iterations)?,
            sweeps: Sweeps::default(),
        })
    }

    /// Solves into the workspace: how it ended, sweeps, and the residual reached.
    pub(crate) fn run(
        &mut self,
        problem: &ContactProblem,
        start: &[[f64; 3]],
        ask: &Ask,
        watch: &mut dyn Watch,
    ) -> (Status, usize, f64) {
        let tolerance = if ask.accuracy > 0.0 { ask.accuracy } else { self.tolerance };
        let accepted =
            tolerance.max(if ask.acceptable > 0.0 { ask.acceptable } else { self.acceptable });
        let own = if self.max_iterations == 0 { SWEEPS } else { self.max_iterations };
        let limit = ask.sweeps.unwrap_or(own);
        let threads = ask.threads.unwrap_or(1);
        self.sweeps.run((problem, start), (accepted, limit), threads, watch)
    }

    /// The impulses of the last [`run`](Self::run).
    pub(crate) fn best(&self) -> &[[f64; 3]] {
        self.sweeps.best()
    }
}

impl Solver for Nsgs {
    fn name(&self) -> &'static str {
        "nsgs"
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
        let Some(system) = System::read(problem) else {
            let reason = "nsgs needs a matrix that is symmetric and positive semidefinite beside the friction cones";
            return Err(SolveError::Custom(reason.into()));
        };
        let start = if z0.is_empty() { vec![] } else { system.impulses(z0) };
        let mut shown = system.watch(watch);
        let ask = Ask::default();
        let (status, iterations, _) = self.run(&system.contacts, &start, &ask, &mut shown);
        let z = system.unknowns(self.best());
        let solved = residual::solved(problem, &z, self.tolerance.max(self.acceptable));
        let status = crate::contact::judged(solved, status);
        Ok(Solution { z, status, iterations, solver: "nsgs", fallbacks: 0 })
    }

    fn solve_contacts(
        &mut self,
        problem: &ContactProblem,
        start: &[[f64; 3]],
        ask: &Ask,
        watch: &mut dyn Watch,
    ) -> Result<ContactSolution, SolveError> {
        check_contacts(problem, start)?;
        let (status, iterations, _) = self.run(problem, start, ask, watch);
        let impulses = self.best().to_vec();
        Ok(ContactSolution { impulses, status, iterations, solver: "nsgs", fallbacks: 0 })
    }
}
