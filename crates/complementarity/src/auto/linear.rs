//! The chain for LCP and MLCP.

use super::chain::Chain;
use super::{Auto, EXACT, SMALL, is_factored, ready, small};
use crate::active_set::{self, ActiveSet};
use crate::interior_point::{InteriorPoint, active, class, core::Core};
use crate::newton::Homotopy;
use crate::pivoting::{Enumerate, Lemke, Pivotal};
use crate::problem::{Matrix, Problem, nonzeros};
use crate::residual;
use crate::solver::Solution;
use crate::splitting::Psor;

/// Up to here the dense dictionary is the fastest, but for a factored matrix.
const MEDIUM: usize = 150;
/// Contacts of more bodies than this are given up after `interior-point`: a path of pivots through
/// them would take minutes.
const LARGE: usize = 1500;

/// Rounds of active sets for matrices that they are not made for.
const ROUNDS: usize = 40;

/// Steps of `homotopy`, each of which factors a full matrix.
const CURVE: usize = 300;

impl Auto {
    /// From the third line of the module's documentation on; `bodies` as [`super::of_bodies`] says.
    pub(super) fn linear(&self, mut chain: Chain<'_>, z0: &[f64], bodies: bool) -> Solution {
        let Self { tolerance, max_iterations, .. } = *self;
        let problem = chain.problem;
        let n = problem.size();
        if n > MEDIUM && self.by_multigrid(&mut chain, z0) {
            return chain.best;
        }
        let small = n <= if is_factored(problem) { SMALL } else { MEDIUM };
        let plain = !small && is_plain(problem);
        // without friction few contacts press: the bases of `pivotal` are smaller than what the
        // active set of all rows would factor; contacts of bodies have been through that
        if !plain
            && !bodies
            && let Some(z) = self.by_active_set(problem, z0)
        {
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
        let hopeful = || !alone || class::is_hopeful(problem.matrix());
        let lemke = || Lemke { tolerance, max_iterations: pivots };
        let few = Psor { tolerance, max_iterations: 200, relaxation: 1.0 };
        let mut interior = InteriorPoint { tolerance: chain.tolerance, max_iterations };
        let steps = if max_iterations == 0 { CURVE } else { max_iterations };
        let mut curve = Homotopy { tolerance, max_iterations: steps, ..Homotopy::default() };
        let sweeps = if max_iterations == 0 { 2000 } else { max_iterations };
        let sweep_first = !small && !is_factored(problem) && !problem.contacts().is_empty();
        let sparse = alone && plain && is_sparse(problem);
        let mut first = pivotal(usize::from(sparse));
        if sparse && n > LARGE {
            // a long path costs more than an interior point; its turn comes again after that
            (first.max_iterations, first.restarts) = (pivots.min(n / 20 + 100), 0);
        }
        let done = (small && chain.run(&mut lemke(), false))
            || (sweep_first && chain.run(&mut few.clone(), false))
            || (plain && chain.attempt(&mut first, z0))
            || (hopeful() && chain.run(&mut interior, false))
            || (n > LARGE && bodies)
            || (!alone && chain.run(&mut pivotal(1), false))
            || (alone && class::is_raised(problem.matrix()) && chain.run(&mut curve, false))
            || (alone && chain.run(&mut all_paths, false))
            || (!small && n <= 500 && chain.run(&mut lemke(), false))
            || chain.run(&mut Psor { tolerance, max_iterations: sweeps, relaxation: 1.0 }, false)
            || chain.run(&mut pivotal(if n <= 150 { 8 } else { 0 }), true);
        if !done && n <= 12 {
            chain.run(&mut Enumerate { tolerance, max_size: 16 }, false);
        }
        chain.best
    }

    /// Large sparse M-matrices: active sets with multigrid. Other symmetric ones: a few rounds.
    fn by_multigrid(&self, chain: &mut Chain<'_>, z0: &[f64]) -> bool {
        let problem = chain.problem;
        let Self { tolerance, max_iterations, .. } = *self;
        if !problem.contacts().is_empty() {
            return false;
        }
        let (rows, max_iterations) = match active_set::m_matrix(problem) {
            Some(rows) => (rows, max_iterations),
            None if problem.size() <= LARGE => return false,
            None => match active_set::symmetric(problem) {
                Some(rows) => (rows, ROUNDS),
                None => return false,
            },
        };
        let found = ActiveSet { tolerance, max_iterations }.run(problem, rows, z0, chain.watch);
        chain.take(found)
    }

    /// The active set of the start, corrected up to three times, if that solves the problem.
    pub(super) fn by_active_set(&self, problem: &Problem, z0: &[f64]) -> Option<Vec<f64>> {
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

/// Whether most entries are zero, as in circuits: bases cost little to factor.
fn is_sparse(problem: &Problem) -> bool {
    let n = problem.size();
    let entries = match problem.matrix() {
        Matrix::Dense(a) => nonzeros(&a.values),
        Matrix::Sparse(a) => nonzeros(&a.values),
        other => other.to_sparse().values.len(),
    };
    entries <= n * n / 10
}

/// Without friction the matrix is symmetric or nearly so.
fn is_plain(problem: &Problem) -> bool {
    match problem.matrix() {
        Matrix::Factored(a) => a.d_block.to_triplets().iter().all(|e| e.0 == e.1),
        _ => problem.contacts().iter().all(|c| c.friction.is_empty()),
    }
}
