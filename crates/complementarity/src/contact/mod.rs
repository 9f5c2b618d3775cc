//! `proximal-newton`: contacts of many bodies, solved in the velocities.
//!
//! For impulses y of the last round and a small proximal parameter `r_c` at every contact, the velocities
//! minimise a smooth convex function:
//!
//! ```text
//! f(v) = |v|²/2 + sum_c r_c θ_c(y_c - w_c / r_c),   w = J v + b + mu s n,   ∇θ_c = P_c
//! ∇f   = v - Jᵀ p,          p_c = P_c(y_c - w_c / r_c)
//! ∇²f  = I + sum_c J_cᵀ (P_c' / r_c) J_c
//! ```
//! P_c projects onto the impulses that contact c allows. Newton's method with an exact line search
//! finds the minimum from everywhere; a step costs one sparse Cholesky factorisation over the
//! graph of bodies, whatever the number of contacts. Then `y <- p` (the proximal point method:
//! Rockafellar 1976), and the slip speeds s, which the minimum takes as given (De Saxcé and Feng
//! 1998), are taken from the new velocities. Both are repeated until `r (p - y)` and the change of
//! s are below the tolerance. Redundant contacts do no harm: of all impulses the nearest to the
//! start are found.
//!
//! Slips that feed on each other, as in a pile that lands, never settle that way. Once the minimum
//! is roughly known, the impulses follow the non-associated law (Alart and Curnier 1991), which needs no
//! slips:
//!
//! ```text
//! F(v) = v - Jᵀ p,   p_n = max(0, q_n),   p_t = P_{mu p_n}(q_t),   q = y - (J v + b) / r
//! ```
//! Newton's method on F has a matrix that is not symmetric, and no minimum that it is drawn to:
//! where it gains too little, the proximal parameter is increased, and in the end the slips are taken up again.
//!
//! Between rounds the velocities are moved to where the minimum goes while every contact keeps its
//! state, so that a round at the end costs no factorisation; the slips are extrapolated (Anderson's
//! acceleration), and so are impulses that drift from one redundant contact to another.
//!
//! Without a start a few sweeps of Gauss and Seidel's method make one where most pairs of bodies share
//! but one contact.
//!
//! Takes problems whose matrix is `J Jᵀ` (given so, or found by a dense factorisation up to 2000
//! unknowns) with friction pyramids or cones and bounded rows.

mod globalization;
mod iterate;
pub(crate) mod root;
mod sweep;
pub(crate) mod system;

use self::globalization::Globalization;
use self::iterate::Iterate;
use self::system::System;
use crate::problem::{ContactProblem, Law, Problem, ProblemClass};
use crate::registry::{ACCEPTABLE, MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::residual;
use crate::sets::mostly_different;
use crate::solver::{
    Ask, ContactSolution, Solution, SolveError, Solver, Status, Watch, check, check_contacts,
    start_or_zero,
};

/// Newton on the velocities inside a proximal point method on the impulses.
#[derive(Clone, Debug, PartialEq)]
pub struct ProximalNewton {
    /// Residual accepted, see [`residual::target`]. Default 1e-8.
    pub tolerance: f64,
    /// Residual at which it stops where the tolerance costs much to reach; at least the
    /// tolerance. Default 0, for the tolerance.
    pub acceptable: f64,
    /// Limit on the Newton steps. Default 200.
    pub max_iterations: usize,
}

impl Default for ProximalNewton {
    fn default() -> Self {
        Self { tolerance: 1e-8, acceptable: 0.0, max_iterations: 200 }
    }
}

/// Methods go on to the tolerance, and below by this factor, where that costs little, and believe an active set
/// that solves as well: errors add up from step to step.
pub(crate) const EXACT: f64 = 1e-4;
/// Rounds; factorizations of a large island and Newton steps from a warm start, before the same without; and half
/// of the Newton steps, each where the caller sets no bound. With 25 a tower of fifty cubes is left unsolved and
/// leans by 0.4 mm.
pub(crate) const FACTORIZATIONS: usize = 100;
/// Sweeps that a cold start is worth.
const SWEEPS: usize = 30;

impl ProximalNewton {
    pub(crate) const CLASSES: &'static [ProblemClass] =
        &[ProblemClass::Lcp, ProblemClass::Mlcp, ProblemClass::Cone];
    pub(crate) const SETTINGS: &'static [Setting] = &[TOLERANCE, ACCEPTABLE, MAX_ITERATIONS];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        let base = Self::default();
        Ok(Self {
            tolerance: read.tolerance(base.tolerance)?,
            acceptable: read.acceptable()?,
            max_iterations: read.count("max_iterations", base.max_iterations)?,
        })
    }

    /// Solves; `None` where the problem does not have the form that the method needs.
    pub(crate) fn run(
        &self,
        problem: &Problem,
        z0: &[f64],
        watch: &mut dyn Watch,
    ) -> Option<Solution> {
        let start = start_or_zero(problem, z0);
        let system = System::read(problem)?;
        let cold = start.iter().all(|x| *x == 0.0);
        let first = if cold { vec![] } else { system.impulses(&start) };
        let accepted = self.tolerance.max(self.acceptable);
        let target = |tolerance| residual::target(problem, &start, tolerance);
        let goals = (target(accepted), target(self.tolerance));
        let mut watch = system.watch(watch);
        let (best, status, iterations) =
            self.iterate_from(&system.contacts, first, goals, &mut watch);
        let z = system.unknowns(&best);
        let status = judged(residual::solved(problem, &z, accepted), status);
        let solver = "proximal-newton";
        Some(Solution { z, status, iterations, solver, fallbacks: 0 })
    }

    /// The same for contacts as they are, from impulses and their residual; with the residual reached.
    /// Impulses that are no better than the start are not taken.
    pub(crate) fn contacts(
        &self,
        problem: &ContactProblem,
        (start, before): (&[[f64; 3]], f64),
        ask: &Ask,
        watch: &mut dyn Watch,
    ) -> (ContactSolution, f64) {
        let tolerance = if ask.accuracy > 0.0 { ask.accuracy } else { self.tolerance };
        let accepted =
            tolerance.max(if ask.acceptable > 0.0 { ask.acceptable } else { self.acceptable });
        let own = if self.max_iterations == 0 { 200 } else { self.max_iterations };
        let limit = ask.factorizations.map_or(own, |most| own.min(most));
        let warm = before.is_finite() && start.iter().flatten().any(|x| *x != 0.0);
        let first = if warm { start } else { &[] };
        let round_off = residual::contacts_target(problem, first, 0.0);
        let goal = |tolerance| residual::contacts_asked(problem, tolerance).max(round_off);
        let goals = (goal(accepted), goal(tolerance));
        let (mut best, status, iterations) = match limit {
            0 => (first.to_vec(), Status::IterationLimit, 0),
            _ => {
                let method = Self { max_iterations: limit, ..self.clone() };
                method.iterate_from(problem, first.to_vec(), goals, watch)
            }
        };
        best.resize(problem.len(), [0.0; 3]);
        let mut error = residual::contacts(problem, &best);
        if (warm && before < error) || !error.is_finite() {
            best.clear();
            best.extend_from_slice(first);
            best.resize(problem.len(), [0.0; 3]);
            error = before;
        }
        let solved = residual::accepts_contacts(problem, &best, error, accepted);
        let (status, solver) = (judged(solved, status), "proximal-newton");
        (ContactSolution { impulses: best, status, iterations, solver, fallbacks: 0 }, error)
    }

    /// Goes from `first` (empty for no start) towards residuals of `accepted` and, where that is
    /// affordable, far below `asked`: impulses, how it ended, Newton steps.
    fn iterate_from(
        &self,
        problem: &ContactProblem,
        first: Vec<[f64; 3]>,
        (accepted, asked): (f64, f64),
        watch: &mut dyn Watch,
    ) -> (Vec<[f64; 3]>, Status, usize) {
        let first = match first.is_empty() {
            true if is_loose(problem) => sweep::guess(problem, SWEEPS),
            true => vec![[0.0; 3]; problem.len()],
            false => first,
        };
        let mut iterate = Iterate::new(problem, first);
        // the residual may be somewhat larger than the errors that it comes from
        let mut globalization =
            Globalization::new(0.3 * accepted, EXACT * asked, self.max_iterations);
        // the matrix of a round cone follows the slip: it is factored in every round, and the
        // slips converge linearly
        globalization.patience = if has_discs(problem) { 3 } else { 2 };
        let status = globalization.run(&mut iterate, watch);
        (globalization.best, status, globalization.steps)
    }
}

/// What the residual makes of how a method ended.
pub(crate) fn judged(solved: bool, status: Status) -> Status {
    match (solved, status) {
        (_, Status::Stopped) => Status::Stopped,
        (true, _) => Status::Solved,
        (false, Status::Solved) => Status::Numerical,
        (false, other) => other,
    }
}

/// Whether most contacts are the only one between their bodies, as with balls.
fn is_loose(problem: &ContactProblem) -> bool {
    mostly_different((0..problem.len()).map(|c| problem.columns(c)))
}

/// Whether some friction cone is round: two tangential rows and no corners.
pub(crate) fn has_discs(problem: &ContactProblem) -> bool {
    let round = |c| matches!(problem.law(c), Law::Disc { .. }) && problem.dim(c) == 3;
    (0..problem.len()).any(round)
}

impl Solver for ProximalNewton {
    fn name(&self) -> &'static str {
        "proximal-newton"
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
        self.run(problem, z0, watch).ok_or_else(|| {
            let reason = "proximal-newton needs a matrix that is symmetric and positive semidefinite beside the friction cones";
            SolveError::Custom(reason.into())
        })
    }

    /// A factorisation counts as a step: `ask.factorizations` bounds the Newton steps.
    fn solve_contacts(
        &mut self,
        problem: &ContactProblem,
        start: &[[f64; 3]],
        ask: &Ask,
        watch: &mut dyn Watch,
    ) -> Result<ContactSolution, SolveError> {
        check_contacts(problem, start)?;
        // infinite without a start
        let error = residual::contacts(problem, start);
        Ok(self.contacts(problem, (start, error), ask, watch).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Cone, ConeRows, ContactRows, Csc, Dense, Factored, Lcp, Matrix};
    use crate::solver::NoWatch;

    /// A block on a floor as seen by one contact: W = I over (n, t1, t2), pushed by b.
    fn one_contact(edges: usize, mu: f64, b: [f64; 3]) -> Problem {
        let mut entries = vec![(0, 0, 1.0)];
        let mut d_block = vec![(edges + 1, 0, mu)];
        let mut constant = vec![b[0]];
        for k in 0..edges {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / edges as f64).sin_cos();
            entries.extend([(1, k + 1, cos), (2, k + 1, sin)]);
            d_block.extend([(k + 1, edges + 1, 1.0), (edges + 1, k + 1, -1.0)]);
            constant.push(cos * b[1] + sin * b[2]);
        }
        constant.push(0.0);
        let right = Csc::from_triplets(3, edges + 2, &entries);
        let d_block = Csc::from_triplets(edges + 2, edges + 2, &d_block);
        let matrix =
            Matrix::Factored(Box::new(Factored { left: right.transpose(), right, d_block }));
        let rows = ContactRows { normal: 0, friction: 1..edges + 1, slip: Some(edges + 1), mu };
        Problem::Lcp(Lcp::new(matrix, constant).unwrap().with_contacts(vec![rows]))
    }

    fn solve(problem: &Problem) -> Solution {
        let found = ProximalNewton::default().solve(problem, &[], &mut NoWatch).unwrap();
        assert_eq!(found.status, Status::Solved, "{found:?}");
        assert!(residual::natural(problem, &found.z) < 1e-11, "{found:?}");
        found
    }

    /// Pushed down by 1 and sideways: sticks inside the cone, slides with mu p_n outside it.
    #[test]
    fn a_contact_sticks_slides_and_parts() {
        for edges in [3, 4, 7] {
            let sticks = solve(&one_contact(edges, 0.5, [-1.0, 0.2, 0.0]));
            assert!(sticks.z[edges + 1] < 1e-12 && (sticks.z[0] - 1.0).abs() < 1e-12);
            // slides along -t1: the polygon has a corner along +t1
            let slides = solve(&one_contact(edges, 0.5, [-1.0, -2.0, 0.0]));
            assert!((slides.z[1] - 0.5).abs() < 1e-12, "{slides:?}");
            assert!((slides.z[edges + 1] - 1.5).abs() < 1e-12, "{slides:?}");
            let parts = solve(&one_contact(edges, 0.5, [1.0, -2.0, 0.0]));
            assert_eq!(parts.z[0], 0.0);
        }
    }

    #[test]
    fn the_true_cone_opposes_the_slip() {
        let w = Dense::from_rows(&[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]]);
        let contacts = vec![ConeRows { rows: 0..3, mu: 0.5, rolling: 0.0 }];
        let cone = Cone::new(Matrix::Dense(w), vec![-2.0, 3.0, 4.0], contacts).unwrap();
        let found = solve(&Problem::Cone(cone));
        for (x, y) in found.z.iter().zip([2.0, -0.6, -0.8]) {
            assert!((x - y).abs() < 1e-11, "{found:?}");
        }
    }

    /// Two equal rows that ask for slightly different speeds: the stricter one carries all, though
    /// the start has it the other way round.
    #[test]
    fn redundant_rows_that_disagree_do_not_stall() {
        let right = Csc::from_triplets(1, 2, &[(0, 0, 1.0), (0, 1, 1.0)]);
        let d_block = Csc::from_triplets(2, 2, &[]);
        let matrix =
            Matrix::Factored(Box::new(Factored { left: right.transpose(), right, d_block }));
        let row = |normal| ContactRows { normal, friction: 0..0, slip: None, mu: 0.0 };
        let lcp = Lcp::new(matrix, vec![-1.0, -1.0 - 1e-7]).unwrap();
        let problem = Problem::Lcp(lcp.with_contacts(vec![row(0), row(1)]));
        let mut solver = ProximalNewton { tolerance: 1e-10, ..ProximalNewton::default() };
        let found = solver.solve(&problem, &[1.0, 0.0], &mut NoWatch).unwrap();
        assert_eq!(found.status, Status::Solved, "{found:?}");
        assert!(found.z[0].abs() < 1e-9 && (found.z[1] - 1.0 - 1e-7).abs() < 1e-9, "{found:?}");
    }
}
