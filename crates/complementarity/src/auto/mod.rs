//! `auto`: the solver for those who want a solution.
//!
//! Where all contacts of the warm start go on resting, one linear system tells their impulses: at
//! once where there are few bodies, else part by part. The problem is split into independent parts,
//! unless it is tiny. For every part, in this order, until the residual says that it is solved:
//!
//! 1. all unknowns at their bounds (nothing touches);
//! 2. where the matrix of contacts is given as `J Jᵀ + D` (or with a diagonal M⁻¹ between, and
//!    the bodies are like balls): the active set of the warm start (up to
//!    60 unknowns), then `proximal-newton` from there, then without a start;
//! 3. without contacts, and with more than 150 unknowns: `active-set` where the matrix is a sparse
//!    M-matrix, or sparse and symmetric with more than 1500 unknowns; else the active set of the warm start, solved exactly (with friction);
//! 4. `lemke` for up to 150 unknowns (60 where the matrix is factored);
//! 5. `psor` for 200 sweeps, where there are contacts and the matrix is not factored;
//! 6. `pivotal` from the warm start where the matrix has no friction in it (its crash mostly ends
//!    at the solution), with a second path where it has no contacts and is sparse; with more than
//!    1500 unknowns only for a while;
//! 7. `interior-point`, unless nothing is known of contacts and the matrix is large, full and not
//!    monotone;
//! 8. contacts of bodies with more than 1500 unknowns end here; `homotopy` where there are no contacts and the
//!    matrix is full, not monotone and has a positive diagonal;
//! 9. `pivotal`;
//! 10. `lemke` for up to 500 unknowns;
//! 11. `psor`, then `pivotal` from where it ended;
//! 12. `enumerate` for up to 12 unknowns, which can prove that there is no solution.
//!
//! Friction cones: the first two, `nonsmooth-newton` from the start, `proximal-newton`, then
//! `nonsmooth-newton` from the solution with pyramids of 24 and 8 edges for the cones, `ncp-pgs`
//! alone, and `nonsmooth-newton` from where that ended.
//!
//! Contacts as they are have a table of their own: `auto/contacts.rs`.
//!
//! The result names the method that solved the largest part that needed one, and counts how many
//! methods failed before, over all parts. A part that none of them solves makes the whole result
//! unsolved, with the status of the last pivoting method.

pub(crate) mod blocks;
mod chain;
mod cones;
mod contacts;
mod islands;
mod large;
mod linear;
mod small;
mod stick;
mod stick_rows;

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use self::chain::Chain;
use self::stick_rows::Start;
use crate::contact::{EXACT, FACTORIZATIONS, ProximalNewton, root};
use crate::problem::{ContactProblem, Csc, Lcp, Matrix, Mlcp, Problem, ProblemClass};
use crate::registry::{ACCEPTABLE, MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::residual;
use crate::sets::mostly_different;
use crate::solver::{
    Ask, ContactSolution, Solution, SolveError, Solver, Status, Watch, check, check_contacts,
};

/// Picks by size and structure and falls back along a chain.
#[derive(Clone, Debug)]
pub struct Auto {
    /// Residual accepted, see [`residual::target`]. Default 1e-8.
    pub tolerance: f64,
    /// Residual accepted of contacts of many bodies (600 unknowns) where the tolerance costs too much to reach; at
    /// least the tolerance. Default 0, for the tolerance.
    pub acceptable: f64,
    /// Limit on the iterations of each method; 0 leaves each its own. Default 0.
    pub max_iterations: usize,
    memory: contacts::Memory,
}

impl Default for Auto {
    fn default() -> Self {
        let memory = contacts::Memory::default();
        Self { tolerance: 1e-8, acceptable: 0.0, max_iterations: 0, memory }
    }
}

/// Parts up to this size are solved with a dense matrix even where theirs is factored.
const SMALL: usize = 60;
/// Speed: smaller problems are solved sooner than split.
const TINY: usize = 12;
/// Other path: LCPs and cones of contacts with more unknowns than this may stop at `acceptable`.
const PILE: usize = 600;

impl Auto {
    pub(crate) const CLASSES: &'static [ProblemClass] =
        &[ProblemClass::Lcp, ProblemClass::Mlcp, ProblemClass::Cone];
    pub(crate) const SETTINGS: &'static [Setting] = &[TOLERANCE, ACCEPTABLE, MAX_ITERATIONS];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        let base = Self::default();
        Ok(Self {
            tolerance: read.tolerance(base.tolerance)?,
            acceptable: read.acceptable()?,
            max_iterations: read.count("max_iterations", base.max_iterations)?,
            memory: base.memory,
        })
    }

    /// What the start leads to where it goes on as before.
    fn as_before(&self, problem: &Problem, z0: &[f64], start: Start) -> Option<Solution> {
        let (z, iterations) = stick_rows::as_before(problem, z0, start, EXACT * self.tolerance)?;
        Some(ready(z, "warm-start", iterations))
    }

    fn compare(&self, problem: &Problem, z0: &[f64]) -> Start {
        stick_rows::compare(problem, z0, EXACT * self.tolerance)
    }

    /// The whole problem as one part.
    fn all(&self, problem: &Problem, z0: &[f64], bodies: bool, watch: &mut dyn Watch) -> Solution {
        let found = self.part(problem, z0, bodies, watch);
        found.unwrap_or_else(|| ready(resting(problem), "auto", 0))
    }

    /// The chain of the module's documentation on one part; `bodies` as [`of_bodies`] says. `None` where
    /// all unknowns stay at their bounds.
    fn part(
        &self,
        problem: &Problem,
        z0: &[f64],
        bodies: bool,
        watch: &mut dyn Watch,
    ) -> Option<Solution> {
        let z = resting(problem);
        let error = residual::natural(problem, &z);
        if error == 0.0 {
            return None;
        }
        let mut chain = Chain::new(self, problem, (z, error), watch);
        if bodies && self.bodies(&mut chain, z0) {
            return Some(chain.best);
        }
        Some(match problem {
            Problem::Cone(_) => self.cones(chain, z0),
            _ => self.linear(chain, z0, bodies),
        })
    }

    /// The second line of the module's documentation; whether that was all.
    fn bodies(&self, chain: &mut Chain<'_>, z0: &[f64]) -> bool {
        let Self { tolerance, acceptable, max_iterations, .. } = *self;
        let n = chain.problem.size();
        if n <= SMALL
            && let Some(dense) = multiplied_out(chain.problem)
            && let Some(z) = self.by_active_set(&dense, z0)
        {
            chain.best = ready(z, "warm-start", 1);
            return true;
        }
        let acceptable = if n > PILE { acceptable } else { 0.0 };
        let warm = z0.iter().any(|x| *x != 0.0);
        let limit = if warm && max_iterations == 0 { FACTORIZATIONS } else { max_iterations };
        let mut newton = ProximalNewton { tolerance, acceptable, max_iterations: limit };
        // what follows need not be better
        chain.tolerance = tolerance.max(acceptable);
        let done = chain.attempt(&mut newton, z0);
        newton.max_iterations = max_iterations;
        done || (warm && chain.run(&mut newton, false))
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
    // a simulation writes unit masses, and has a start; cones have no pivoting methods
    matches!((problem, &factors), (Problem::Cone(_), _) | (_, Cow::Borrowed(_)))
        || is_loose(problem, &factors.right)
}

/// Whether contacts are mostly between different bodies and all feel masses of one size, as those of
/// balls do: then `proximal-newton` is fast without a start, too.
fn is_loose(problem: &Problem, right: &Csc) -> bool {
    let normals =
        || problem.contacts().iter().map(|c| right.start[c.normal]..right.start[c.normal + 1]);
    let mass = |range: Range<usize>| right.values[range].iter().map(|x| x * x).sum::<f64>();
    let (least, most) =
        normals().map(mass).fold((f64::INFINITY, 0.0_f64), |(l, m), x| (l.min(x), m.max(x)));
    most < 100.0 * least && mostly_different(normals().map(|range| &right.index[range]))
}

fn is_factored(problem: &Problem) -> bool {
    matches!(problem.matrix(), Matrix::Factored(_))
}

/// A point found without a chain of methods.
fn ready(z: Vec<f64>, solver: &'static str, iterations: usize) -> Solution {
    Solution { z, status: Status::Solved, iterations, solver, fallbacks: 0 }
}

/// Every unknown as near to zero as its bounds allow.
fn resting(problem: &Problem) -> Vec<f64> {
    if let Problem::Lcp(_) = problem {
        return vec![0.0; problem.size()];
    }
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

    fn wants_iterates(&self) -> bool {
        self.watch.wants_iterates()
    }

    fn stops(&mut self) -> bool {
        self.watch.stops()
    }
}

impl Solver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn accepts(&self) -> &'static [ProblemClass] {
        Self::CLASSES
    }

    fn set_acceptable(&mut self, residual: f64) {
        self.acceptable = residual;
    }

    fn solve(
        &mut self,
        problem: &Problem,
        z0: &[f64],
        watch: &mut dyn Watch,
    ) -> Result<Solution, SolveError> {
        check(self, problem, z0)?;
        // many bodies are solved island by island
        let few = stick_rows::is_small(problem) || !is_factored(problem);
        let mut start = Some(self.compare(problem, z0));
        if few || matches!(start, Some(Start::Solves)) {
            let found = start.take().and_then(|start| self.as_before(problem, z0, start));
            if let Some(found) = found {
                return Ok(found);
            }
        }
        let dense = matches!(problem.matrix(), Matrix::Dense(_));
        let bodies = of_bodies(problem);
        if !is_factored(problem) && problem.size() <= TINY {
            return Ok(self.all(problem, z0, bodies, watch));
        }
        let parts = blocks::split(problem);
        if parts.len() == 1 && (dense || bodies || problem.size() > SMALL) {
            let found = start.and_then(|start| self.as_before(problem, z0, start));
            return Ok(found.unwrap_or_else(|| self.all(problem, z0, bodies, watch)));
        }
        let mut cutter = blocks::Cutter::new(problem, if bodies { 0 } else { SMALL });
        let mut whole = ready(resting(problem), "auto", 0);
        let mut largest = 0;
        for set in &parts {
            let part = cutter.cut(set);
            let start: Vec<f64> =
                if z0.is_empty() { vec![] } else { set.iter().map(|&i| z0[i]).collect() };
            let offset = whole.iterations;
            let mut part_watch = PartWatch { whole: &mut whole.z, set, offset, watch };
            let found = self
                .as_before(&part, &start, self.compare(&part, &start))
                .or_else(|| self.part(&part, &start, bodies, &mut part_watch));
            let Some(found) = found else { continue };
            for (&i, &x) in set.iter().zip(&found.z) {
                whole.z[i] = x;
            }
            whole.iterations += found.iterations;
            whole.fallbacks += found.fallbacks;
            if set.len() > largest {
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

    fn solve_contacts(
        &mut self,
        problem: &ContactProblem,
        start: &[[f64; 3]],
        ask: &Ask,
        watch: &mut dyn Watch,
    ) -> Result<ContactSolution, SolveError> {
        check_contacts(problem, start)?;
        self.contacts(problem, start, ask, watch)
    }

    fn reuse(&mut self, solution: ContactSolution) {
        self.memory.reuse(solution.impulses);
    }
}
