//! What every method looks like from outside.

use std::ops::ControlFlow;

use crate::problem::{ContactProblem, Problem, ProblemClass, ProblemError};
use crate::reduce::Reduced;
use crate::residual;

/// How a solve ended, in the solver's own view; the caller measures the error itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The stopping test was met.
    Solved,
    /// Out of iterations.
    IterationLimit,
    /// A pivoting method left along a ray: no solution on its path.
    Ray,
    /// No further progress.
    Stalled,
    /// Arithmetic broke down (singular basis, overflow).
    Numerical,
    /// The watcher asked to stop.
    Stopped,
    /// Proved that the problem has no solution.
    NoSolution,
}

impl Status {
    /// The word used in reports and files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::IterationLimit => "iteration-limit",
            Self::Ray => "ray",
            Self::Stalled => "stalled",
            Self::Numerical => "numerical",
            Self::Stopped => "stopped",
            Self::NoSolution => "no-solution",
        }
    }
}

/// What a solver returns, whether it succeeded or not: `z` is always finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The unknowns.
    pub z: Vec<f64>,
    /// How it ended.
    pub status: Status,
    /// Pivots, sweeps or Newton steps.
    pub iterations: usize,
    /// Name of the method that produced `z` (`auto` names the one it chose).
    pub solver: &'static str,
    /// How many other methods were tried before that one.
    pub fallbacks: usize,
}

/// What one call of [`Solver::solve_contacts`] asks for; the default leaves everything to the
/// solver's own settings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ask {
    /// Tolerance on [`residual::contacts`], scaled as [`residual::contacts_target`] has it (m/s for
    /// problems whose speeds reach 1 m/s); 0 for the solver's own. A caller whose own loop is not
    /// yet near its end asks for less.
    pub accuracy: f64,
    /// Tolerance at which to stop where `accuracy` costs too much to reach; 0 for the solver's own,
    /// and never below `accuracy`.
    pub acceptable: f64,
    /// Most sweeps over all contacts of methods that sweep; `None` for the solver's own.
    pub sweeps: Option<usize>,
    /// Most factorizations of methods that factor, for contacts of which a hundred hang together in
    /// a heap; others get more or fewer as these cost less or more. `None` for the solver's own.
    pub factorizations: Option<usize>,
    /// Speed above which contacts that approach or slip are in motion (m/s); 0: none is. Those need no
    /// digits that the next step throws away: also few of them, and those that cost little to factor,
    /// stop at `acceptable` where sweeps get there. What is slower gets its digits.
    pub rough: f64,
    /// Whether few contacts that Newton's method leaves unsolved are given up at once. Else a chain
    /// of other methods is tried, each of which may take as long as all before it.
    pub gives_up: bool,
    /// Threads that problems of a thousand contacts and more are shared among, 0 for all cores; `None` for
    /// the solver's own, mostly one. Nothing but the time depends on it.
    pub threads: Option<usize>,
}

/// What [`Solver::solve_contacts`] returns: impulses are always finite.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactSolution {
    /// Impulses of every block (N s): normal, first and second tangent; 0 beyond its rows.
    pub impulses: Vec<[f64; 3]>,
    /// How it ended.
    pub status: Status,
    /// Pivots, sweeps or Newton steps.
    pub iterations: usize,
    /// Name of the method that produced the impulses.
    pub solver: &'static str,
    /// How many other methods were tried before that one.
    pub fallbacks: usize,
}

/// The problem cannot be handed to this method at all. Not finding a solution is a [`Status`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// The solver does not take this class.
    #[error("{solver} does not solve problems of class {class:?}")]
    Class {
        /// The solver.
        solver: &'static str,
        /// The class it was given.
        class: ProblemClass,
    },
    /// The start has the wrong length.
    #[error("the start has {found} numbers, the problem {expected} unknowns")]
    Start {
        /// Length of the start.
        found: usize,
        /// Unknowns of the problem.
        expected: usize,
    },
    /// Division by a diagonal entry that is zero.
    #[error("{solver} divides by the diagonal, but row {row} of A has {value:e} there")]
    ZeroDiagonal {
        /// The solver.
        solver: &'static str,
        /// Where.
        row: usize,
        /// The entry.
        value: f64,
    },
    /// A setting out of its range.
    #[error("{solver}: {key} = {value}, but it must be {range}")]
    Setting {
        /// The solver.
        solver: &'static str,
        /// The setting.
        key: &'static str,
        /// What was given.
        value: String,
        /// What would be right.
        range: &'static str,
    },
    /// The contacts do not make sense.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A solver written by the user failed.
    #[error("{0}")]
    Custom(String),
}

/// Sees every iterate; may record it, or stop the solver.
pub trait Watch {
    /// Called after iteration `k` with the current unknowns.
    fn iterate(&mut self, k: usize, z: &[f64]) -> ControlFlow<()>;

    /// Whether iterates are evaluated; methods that would have to compute them for the watcher
    /// alone do without where they are not.
    fn wants_iterates(&self) -> bool {
        true
    }

    /// Asked after every iteration of a method inside another one, whose unknowns are not those
    /// that are watched: true to stop. Watchers that end a solve for its time answer here too.
    fn stops(&mut self) -> bool {
        false
    }
}

/// Watches a method inside another one: shows nothing, and stops it where its watcher would.
pub(crate) struct Inside<'a>(pub(crate) &'a mut dyn Watch);

impl Watch for Inside<'_> {
    fn iterate(&mut self, _k: usize, _z: &[f64]) -> ControlFlow<()> {
        if self.0.stops() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn wants_iterates(&self) -> bool {
        self.0.wants_iterates()
    }

    fn stops(&mut self) -> bool {
        self.0.stops()
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWatch;

impl Watch for NoWatch {
    fn iterate(&mut self, _k: usize, _z: &[f64]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn wants_iterates(&self) -> bool {
        false
    }
}

/// A method. Running out of iterations is a [`Status`], not an `Err`.
pub trait Solver: Send {
    /// The name in the registry.
    fn name(&self) -> &'static str;
    /// The classes it takes; checked once, when a pipeline is built.
    fn accepts(&self) -> &'static [ProblemClass];
    /// Solves, starting from `z0` (empty means no guess).
    fn solve(
        &mut self,
        problem: &Problem,
        z0: &[f64],
        watch: &mut dyn Watch,
    ) -> Result<Solution, SolveError>;

    /// Solves contacts as they are, starting from the impulses `start` (empty means no guess).
    ///
    /// Unless a method knows contacts itself, they are reduced to an LCP, MLCP or cone problem,
    /// which must be of a class it [accepts](Self::accepts), and what it finds is mapped back; it
    /// then follows its own settings whatever `ask` says, but [`Status::Solved`] means that
    /// [`residual::accepts_contacts`] agrees to the looser tolerance of `ask`, if that names one.
    /// `watch` sees the unknowns of the reduced problem; methods that know contacts show three
    /// impulses per block.
    fn solve_contacts(
        &mut self,
        problem: &ContactProblem,
        start: &[[f64; 3]],
        ask: &Ask,
        watch: &mut dyn Watch,
    ) -> Result<ContactSolution, SolveError> {
        solve_reduced(self, problem, start, ask, watch)
    }

    /// What the caller accepts of any problem; a method that spends more on the last digits than on all
    /// others may then stop there. Default: nothing changes.
    fn set_acceptable(&mut self, _residual: f64) {}

    /// Takes back a solution that is no longer needed, for its memory: with it the next
    /// [`solve_contacts`](Self::solve_contacts) of contacts at rest allocates nothing in `auto`.
    fn reuse(&mut self, _solution: ContactSolution) {}
}

/// What [`Solver::solve_contacts`] does unless a method knows contacts itself.
pub(crate) fn solve_reduced<S: Solver + ?Sized>(
    solver: &mut S,
    problem: &ContactProblem,
    start: &[[f64; 3]],
    ask: &Ask,
    watch: &mut dyn Watch,
) -> Result<ContactSolution, SolveError> {
    check_contacts(problem, start)?;
    let reduced = Reduced::new(problem)?;
    let class = reduced.problem.class();
    if !solver.accepts().contains(&class) {
        return Err(SolveError::Class { solver: solver.name(), class });
    }
    let z0 = if start.is_empty() { vec![] } else { reduced.start(start) };
    let found = solver.solve(&reduced.problem, &z0, watch)?;
    let impulses = reduced.impulses(&found.z);
    let tolerance = ask.accuracy.max(ask.acceptable);
    let error = residual::contacts(problem, &impulses);
    let status = match found.status {
        Status::Stopped => Status::Stopped,
        _ if tolerance > 0.0
            && residual::accepts_contacts(problem, &impulses, error, tolerance) =>
        {
            Status::Solved
        }
        other => other,
    };
    let Solution { iterations, solver, fallbacks, .. } = found;
    Ok(ContactSolution { impulses, status, iterations, solver, fallbacks })
}

/// The numbers must be finite, the start empty or one entry per block.
pub(crate) fn check_contacts(
    problem: &ContactProblem,
    start: &[[f64; 3]],
) -> Result<(), SolveError> {
    problem.validate()?;
    if start.is_empty() || start.len() == problem.len() {
        Ok(())
    } else {
        Err(SolveError::Start { found: start.len(), expected: problem.len() })
    }
}

/// The class must be one the solver takes, the start empty or one number per unknown.
pub(crate) fn check(solver: &dyn Solver, problem: &Problem, z0: &[f64]) -> Result<(), SolveError> {
    let class = problem.class();
    if !solver.accepts().contains(&class) {
        return Err(SolveError::Class { solver: solver.name(), class });
    }
    if z0.is_empty() || z0.len() == problem.size() {
        Ok(())
    } else {
        Err(SolveError::Start { found: z0.len(), expected: problem.size() })
    }
}

/// The start as given, zero where none was given or where it is not finite.
pub(crate) fn start_or_zero(problem: &Problem, z0: &[f64]) -> Vec<f64> {
    let mut z: Vec<f64> = z0.iter().map(|x| if x.is_finite() { *x } else { 0.0 }).collect();
    z.resize(problem.size(), 0.0);
    z
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interior_point::InteriorPoint;
    use crate::problem::{Dense, Lcp, Matrix};

    /// Lets its own iterations go on, and stops those of methods inside others.
    struct StopsInside;

    impl Watch for StopsInside {
        fn iterate(&mut self, _k: usize, _z: &[f64]) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }

        fn stops(&mut self) -> bool {
            true
        }
    }

    /// `auto` ran on for ten times its time limit in methods that nobody watched.
    #[test]
    fn methods_inside_others_can_be_stopped() {
        let n = 12;
        let entry =
            |k: usize| if k / n == k % n { 1.0 } else { f64::from(u8::from(k / n < k % n)) };
        let matrix = Dense { rows: n, cols: n, values: (0..n * n).map(entry).collect() };
        let problem = Problem::Lcp(Lcp::new(Matrix::Dense(matrix), vec![-1.0; n]).unwrap());
        let mut method = InteriorPoint { tolerance: 1e-10, max_iterations: 100 };
        let mut solve = |watch: &mut dyn Watch| method.solve(&problem, &[], watch).unwrap();
        let free = solve(&mut Inside(&mut NoWatch));
        let stopped = solve(&mut Inside(&mut StopsInside));
        assert_eq!((free.status, stopped.status), (Status::Solved, Status::Stopped));
        assert!(stopped.iterations < free.iterations);
    }
}
