//! What a step and a run tell about themselves.

use crate::{formulate::ConstraintCounts, solve::Status};

/// Seconds spent in each stage of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageTimes {
    /// Contact detection.
    pub detect: f64,
    /// Writing problems.
    pub formulate: f64,
    /// Solving them.
    pub solve: f64,
    /// Moving the bodies.
    pub integrate: f64,
    /// Joint stabilization.
    pub stabilize: f64,
}

impl StageTimes {
    /// Sum over the stages \[s\].
    pub fn total(&self) -> f64 {
        self.detect + self.formulate + self.solve + self.integrate + self.stabilize
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.detect += other.detect;
        self.formulate += other.formulate;
        self.solve += other.solve;
        self.integrate += other.integrate;
        self.stabilize += other.stabilize;
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepReport {
    /// Number of the step, from 1.
    pub step: u64,
    /// Time at its end \[s\].
    pub time: f64,
    /// Potential contacts found.
    pub contacts: usize,
    /// Constraints in the problem, by kind.
    pub constraints: ConstraintCounts,
    /// How often the formulation gave up constraints because its problem had no solution.
    pub fallbacks: usize,
    /// Contacts that the standard model gets wrong: pushed, or to be pushed by it, although
    /// another direction keeps the bodies apart. `None` unless asked for
    /// ([`crate::step::Pipeline::count_spurious`]).
    pub spurious: Option<usize>,
    /// Seconds that counting them took; no part of the stages.
    pub judging: f64,
    /// How often the step was cut short: a body would have passed through another on its way, or
    /// the passes of a formulation ran out. Zero in a step taken as a whole.
    pub substeps: usize,
    /// The problems solved in this step.
    pub solves: SolveReport,
    /// Largest joint error \[m or rad\].
    pub joint_error: f64,
    /// Seconds per stage.
    pub seconds: StageTimes,
}

/// The solves of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// How many problems.
    pub count: usize,
    /// Unknowns of the largest.
    pub size: usize,
    /// Iterations, all together.
    pub iterations: usize,
    /// Methods tried in vain before the one that solved.
    pub fallbacks: usize,
    /// Problems left unsolved: not reported as solved, or with a residual above the limit.
    pub failures: usize,
    /// Largest natural residual, measured by the loop.
    pub residual: f64,
    /// Status of the last solve.
    pub status: Option<Status>,
    /// Method that gave the last solution.
    pub solver: &'static str,
}

/// What a solver says of one solve.
pub(crate) struct OneSolve {
    pub status: Status,
    pub iterations: usize,
    pub fallbacks: usize,
    pub solver: &'static str,
    /// Unknowns.
    pub size: usize,
}

impl SolveReport {
    /// Adds the solves of what follows in the same step.
    pub(crate) fn join(&mut self, next: Self) {
        self.count += next.count;
        self.size = self.size.max(next.size);
        self.iterations += next.iterations;
        self.fallbacks += next.fallbacks;
        self.failures += next.failures;
        self.residual = self.residual.max(next.residual);
        if next.status.is_some() {
            (self.status, self.solver) = (next.status, next.solver);
        }
    }

    /// Adds one solve; `close`: the measured residual is below the limit. Returns whether it
    /// counts as solved.
    pub(crate) fn add(&mut self, solve: &OneSolve, residual: f64, close: bool) -> bool {
        let solved = solve.status == Status::Solved && close;
        self.count += 1;
        self.size = self.size.max(solve.size);
        self.iterations += solve.iterations;
        self.fallbacks += solve.fallbacks;
        self.failures += usize::from(!solved);
        self.residual = self.residual.max(residual);
        self.status = Some(solve.status);
        self.solver = solve.solver;
        solved
    }
}
