//! `auto`: the solver for those who want a solution.
//!
//! Where all contacts of the warm start go on resting, one linear system tells their impulses. Else
//! the problem is split into independent parts. For every part, in this order, until the residual
//! says that it is solved:
//!
//! 1. all unknowns at their bounds (nothing touches);
//! 2. where the matrix of contacts is given as `J Jᵀ + D` (or with a diagonal M⁻¹ between, and
//!    the bodies are like balls): the active set of the warm start (up to
//!    60 unknowns), then `proximal-newton` from there;
//! 3. the active set of the warm start, solved exactly (with friction);
//! 4. `lemke` for up to 150 unknowns (60 where the matrix is factored);
//! 5. `psor` for 200 sweeps, where there are contacts and the matrix is not factored;
//! 6. `pivotal` from the warm start where the matrix has no friction in it (its crash mostly ends
//!    at the solution), with a second path where it has no contacts and is sparse;
//! 7. `interior-point`;
//! 8. `pivotal`, but contacts of bodies with more than 1500 unknowns end here;
//! 9. `lemke` for up to 500 unknowns;
//! 10. `psor`, then `pivotal` from where it ended;
//! 11. `enumerate` for up to 12 unknowns, which can prove that there is no solution.
//!
//! Friction cones: the first two, `nonsmooth-newton` from the start, `proximal-newton`, then
//! `nonsmooth-newton` from the solution with pyramids of 24 and 8 edges for the cones, `ncp-pgs`
//! alone, and `nonsmooth-newton` from where that ended. With up to 150 unknowns four more Newton steps
//! take what they found towards round-off.
//!
//! The result names the method that solved the largest part that needed one, and counts how many
//! methods failed before, over all parts. A part that none of them solves makes the whole result
//! unsolved, with the status of the last pivoting method.

pub(crate) mod blocks;
mod chain;
mod rest;
mod small;

use std::borrow::Cow;
use std::ops::ControlFlow;

use self::chain::Chain;
use crate::cone::{NcpPgs, NonsmoothNewton};
use crate::contact::{ProximalNewton, root};
use crate::interior_point::{InteriorPoint, active, core::Core};
use crate::pivoting::{Enumerate, Lemke, Pivotal};
use crate::problem::{ContactRows, Csc, Lcp, Matrix, Mlcp, Problem, ProblemClass};
use crate::registry::{ENOUGH, MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::residual;
use crate::solver::{Solution, SolveError, Solver, Status, Watch, check};
use crate::splitting::Psor;

/// Picks by size and structure and falls back along a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct Auto {
    /// Residual accepted, see [`residual::target`]. Default 1e-8.
    pub tolerance: f64,
    /// Residual accepted of contacts of many bodies (600 unknowns) where the tolerance is not cheap to reach; at
    /// least the tolerance. Default 0, for the tolerance.
    pub enough: f64,
    /// Limit on the iterations of each method; 0 leaves each its own. Default 0.
    pub max_iterations: usize,
}

impl Default for Auto {
    fn default() -> Self {
        Self { tolerance: 1e-8, enough: 0.0, max_iterations: 0 }
    }
}

/// Up to here the dense dictionary is the fastest, for a factored matrix..
const SMALL: usize = 60;
/// .. and for any other.
const MEDIUM: usize = 150;

/// Contacts with more unknowns than this may stop at `enough`.
const PILE: usize = 600;
/// Contacts of more bodies than this are given up after `interior-point`: a path of pivots through
/// them would take minutes.
const LARGE: usize = 1500;

impl Auto {
    pub(crate) const CLASSES: &'static [ProblemClass] =
        &[ProblemClass::Lcp, ProblemClass::Mlcp, ProblemClass::Cone];
    pub(crate) const SETTINGS: &'static [Setting] = &[TOLERANCE, ENOUGH, MAX_ITERATIONS];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        let base = Self::default();
        Ok(Self {
            tolerance: read.tolerance(base.tolerance)?,
            enough: read.enough()?,
            max_iterations: read.count("max_iterations", base.max_iterations)?,
        })
    }

    /// The start itself where it is as good as the exact solutions of the methods below, or what
    /// it leads to where all contacts rest as they did; with the number of iterations.
    fn as_before(&self, problem: &Problem, z0: &[f64]) -> Option<(Vec<f64>, usize)> {
        if z0.is_empty() || z0.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let target = residual::target(problem, z0, EXACT * self.tolerance);
        // errors add up from step to step: what is taken as it is must be better, where that is cheap
        let fine = if rest::is_small(problem) { FINE } else { 0.1 } * target;
        if residual::natural(problem, z0) <= fine {
            return Some((z0.to_vec(), 0));
        }
        let z = rest::at_rest(problem, z0, fine)?;
        // the round-off of a large start does not excuse a small solution
        let fine = z.iter().all(|x| x.is_finite());
        (fine && residual::solved(problem, &z, EXACT * self.tolerance)).then_some((z, 1))
    }

    /// The chain of the module's documentation on one part; `bodies` as [`of_bodies`] says.
    fn part(&self, problem: &Problem, z0: &[f64], bodies: bool, watch: &mut dyn Watch) -> Solution {
        let n = problem.size();
        let z = resting(problem);
        let ready = |z, solver, iterations| Solution {
            z,
            status: Status::Solved,
            iterations,
            solver,
            fallbacks: 0,
        };
        if residual::natural(problem, &z) == 0.0 {
            return ready(z, "auto", 0);
        }
        let mut chain = Chain::new(self, problem, z, watch);
        let Self { tolerance, max_iterations, .. } = *self;
        if bodies && self.bodies(&mut chain, z0) {
            return chain.best;
        }
        if let Problem::Cone(_) = problem {
            return self.cones(chain, z0);
        }
        let small = n <= if is_factored(problem) { SMALL } else { MEDIUM };
        let plain = !small && is_plain(problem);
        // without friction few contacts press: the bases of `pivotal` are smaller than what the
        // active set of all rows would factor
        if !plain && let Some(z) = self.by_active_set(problem, z0) {
            return ready(z, "warm-start", 1);
        }
        let pivots = if max_iterations == 0 { 6 * n + 200 } else { max_iterations };
        let pivotal = |restarts| Pivotal {
            tolerance,
            max_iterations: pivots,
            interior: false,
            restarts,
            ..Pivotal::default()
        };
        // without contacts nothing is known of the problem but its numbers: all paths are tried
        let alone = problem.contacts().is_empty();
        let mut all_paths =
            Pivotal { tolerance, max_iterations, interior: false, ..Pivotal::default() };
        let lemke = || Lemke { tolerance, max_iterations: pivots };
        let few = Psor { tolerance, max_iterations: 200, relaxation: 1.0 };
        let sweeps = if max_iterations == 0 { 2000 } else { max_iterations };
        let sweep_first = !small && !is_factored(problem) && !problem.contacts().is_empty();
        let done = (small && chain.run(&mut lemke(), false))
            || (sweep_first && chain.run(&mut few.clone(), false))
            || (plain && chain.attempt(&mut pivotal(usize::from(alone && is_sparse(problem))), z0))
            || chain.run(&mut InteriorPoint { tolerance, max_iterations }, false)
            || (n > LARGE && bodies)
            || (!alone && chain.run(&mut pivotal(1), false))
            || (alone && chain.run(&mut all_paths, false))
            || (!small && n <= 500 && chain.run(&mut lemke(), false))
            || chain.run(&mut Psor { tolerance, max_iterations: sweeps, relaxation: 1.0 }, false)
            || chain.run(&mut pivotal(if n <= 150 { 8 } else { 0 }), true);
        if !done && n <= 12 {
            chain.run(&mut Enumerate { tolerance, max_size: 16 }, false);
        }
        chain.best
    }

    /// The second line of the module's documentation; whether that was all.
    fn bodies(&self, chain: &mut Chain<'_>, z0: &[f64]) -> bool {
        let Self { tolerance, enough, max_iterations } = *self;
        let n = chain.problem.size();
        if n <= SMALL
            && let Some(dense) = multiplied_out(chain.problem)
            && let Some(z) = self.by_active_set(&dense, z0)
        {
            let (status, solver) = (Status::Solved, "warm-start");
            chain.best = Solution { z, status, iterations: 1, solver, fallbacks: 0 };
            return true;
        }
        let enough = if n > PILE { enough } else { 0.0 };
        let mut newton = ProximalNewton { tolerance, enough, max_iterations };
        chain.tolerance = tolerance.max(enough);
        let done = chain.attempt(&mut newton, z0);
        chain.tolerance = tolerance;
        done
    }

    /// The chain for friction cones.
    fn cones(&self, mut chain: Chain<'_>, z0: &[f64]) -> Solution {
        let Self { tolerance, max_iterations, .. } = *self;
        let steps = if max_iterations == 0 { 120 } else { max_iterations };
        let few = NonsmoothNewton { tolerance, max_iterations: steps, sweeps: 10 };
        let sweeps = if max_iterations == 0 { 2000 } else { max_iterations };
        let mut newton = ProximalNewton { tolerance, enough: 0.0, max_iterations };
        let done = chain.attempt(&mut few.clone(), z0)
            || chain.attempt(&mut newton, z0)
            || chain.pyramids(&mut few.clone(), 24)
            || chain.pyramids(&mut few.clone(), 8)
            || chain.run(&mut NcpPgs { tolerance, max_iterations: sweeps }, true);
        if !done {
            chain.run(&mut few.clone(), true);
        }
        if chain.problem.size() <= MEDIUM {
            chain.polish();
        }
        chain.best
    }

    /// The active set of the start, corrected up to three times, if that solves the problem.
    fn by_active_set(&self, problem: &Problem, z0: &[f64]) -> Option<Vec<f64>> {
        if z0.is_empty() || z0.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let exact = |z: &[f64]| {
            let fine = z.iter().all(|x| x.is_finite());
            fine && residual::solved(problem, z, EXACT * self.tolerance)
        };
        if z0.len() <= SMALL && matches!(problem.matrix(), Matrix::Dense(_)) {
            return small::active_set(problem, z0).filter(|z| exact(z));
        }
        let mut core = Core::new(problem);
        let mut z = core.scale(z0);
        z.iter_mut().enumerate().for_each(|(i, z)| *z = z.max(core.lower[i]).min(core.upper[i]));
        let w = core.w(&z);
        let places = active::places(&core, &z, &w);
        active::clean(&mut core, &mut z, places, 3);
        let z = core.unscale(problem, &z);
        exact(&z).then_some(z)
    }
}

/// An active set is only believed when it solves far better than asked for.
const EXACT: f64 = 1e-4;

/// How much better still contacts at rest are known, whose errors would add up over many steps.
const FINE: f64 = 1e-3;

/// Whether most entries are zero, as in circuits: bases are cheap to factor.
fn is_sparse(problem: &Problem) -> bool {
    let (mut entries, n) = (0, problem.size());
    (0..n).for_each(|j| problem.matrix().for_column(j, |_, x| entries += usize::from(x != 0.0)));
    entries <= n * n / 10
}

/// Without friction the matrix is symmetric or nearly so.
fn is_plain(problem: &Problem) -> bool {
    match problem.matrix() {
        Matrix::Factored(a) => a.rest.to_triplets().iter().all(|e| e.0 == e.1),
        _ => problem.contacts().iter().all(|c| c.friction.is_empty()),
    }
}

/// The same problem with a dense matrix; cones have no active sets to solve for.
fn multiplied_out(problem: &Problem) -> Option<Problem> {
    let matrix = || Matrix::Dense(problem.matrix().to_dense());
    match problem {
        Problem::Lcp(Lcp { b, contacts, .. }) => {
            let (b, contacts) = (b.clone(), contacts.clone());
            Some(Problem::Lcp(Lcp { matrix: matrix(), b, contacts }))
        }
        Problem::Mlcp(Mlcp { b, lower, upper, contacts, .. }) => {
            let (b, contacts) = (b.clone(), contacts.clone());
            let (lower, upper) = (lower.clone(), upper.clone());
            Some(Problem::Mlcp(Mlcp { matrix: matrix(), b, lower, upper, contacts }))
        }
        Problem::Cone(_) => None,
    }
}

/// Contacts of bodies, with velocities of unit mass at hand or to be had: `A = J Jᵀ + D`.
fn of_bodies(problem: &Problem) -> bool {
    let contacts = match problem {
        Problem::Cone(cone) => !cone.contacts.is_empty(),
        other => !other.contacts().is_empty(),
    };
    let Some(factors) = contacts.then(|| root::given(problem.matrix())).flatten() else {
        return false;
    };
    // a simulation writes unit masses, and has a start
    matches!(factors, Cow::Borrowed(_)) || is_loose(problem, &factors.right)
}

/// Whether no two contacts are between the same bodies and all feel masses of one size, as balls do:
/// then `proximal-newton` is fast without a start, too.
fn is_loose(problem: &Problem, right: &Csc) -> bool {
    let bodies = |c: &ContactRows| {
        let range = right.start[c.normal]..right.start[c.normal + 1];
        let rows = &right.index[range];
        (rows.first().copied(), rows.last().copied())
    };
    let mut pairs: Vec<_> = problem.contacts().iter().map(bodies).collect();
    pairs.sort_unstable();
    let mass = |c: &ContactRows| right.col(c.normal).map(|(_, x)| x * x).sum::<f64>();
    let masses = || problem.contacts().iter().map(mass);
    let spread = masses().fold(0.0, f64::max) / masses().fold(f64::INFINITY, f64::min);
    pairs.windows(2).all(|w| w[0] != w[1]) && spread < 100.0
}

fn is_factored(problem: &Problem) -> bool {
    matches!(problem.matrix(), Matrix::Factored(_))
}

/// Every unknown as near to zero as its bounds allow.
fn resting(problem: &Problem) -> Vec<f64> {
    let (lower, upper) = problem.bounds();
    lower.iter().zip(&upper).map(|(l, u)| 0.0_f64.max(*l).min(*u)).collect()
}

/// Shows the iterates of a part as iterates of the whole.
struct PartWatch<'a> {
    whole: &'a mut [f64],
    set: &'a [usize],
    offset: usize,
    watch: &'a mut dyn Watch,
}

impl Watch for PartWatch<'_> {
    fn iterate(&mut self, k: usize, z: &[f64]) -> ControlFlow<()> {
        for (&i, &x) in self.set.iter().zip(z) {
            self.whole[i] = x;
        }
        self.watch.iterate(self.offset + k, self.whole)
    }

    fn looks(&self) -> bool {
        self.watch.looks()
    }
}

impl Solver for Auto {
    fn name(&self) -> &'static str {
        "auto"
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
        if let Some((z, iterations)) = self.as_before(problem, z0) {
            let (status, solver) = (Status::Solved, "warm-start");
            return Ok(Solution { z, status, iterations, solver, fallbacks: 0 });
        }
        let parts = blocks::split(problem);
        let dense = matches!(problem.matrix(), Matrix::Dense(_));
        let bodies = of_bodies(problem);
        if parts.len() == 1 && (dense || bodies || problem.size() > SMALL) {
            return Ok(self.part(problem, z0, bodies, watch));
        }
        let mut cutter = blocks::Cutter::new(problem, if bodies { 0 } else { SMALL });
        let mut whole = Solution {
            z: resting(problem),
            status: Status::Solved,
            iterations: 0,
            solver: "auto",
            fallbacks: 0,
        };
        let mut largest = 0;
        for set in &parts {
            let part = cutter.cut(set);
            let start: Vec<f64> =
                if z0.is_empty() { vec![] } else { set.iter().map(|&i| z0[i]).collect() };
            let offset = whole.iterations;
            let mut part_watch = PartWatch { whole: &mut whole.z, set, offset, watch };
            let found = self.part(&part, &start, bodies, &mut part_watch);
            for (&i, &x) in set.iter().zip(&found.z) {
                whole.z[i] = x;
            }
            whole.iterations += found.iterations;
            whole.fallbacks += found.fallbacks;
            if set.len() > largest && found.solver != "auto" {
                (largest, whole.solver) = (set.len(), found.solver);
            }
            if found.status != Status::Solved {
                whole.status = found.status;
                if found.status == Status::Stopped {
                    break;
                }
            }
        }
        Ok(whole)
    }
}
