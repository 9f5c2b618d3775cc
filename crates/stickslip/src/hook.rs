//! Hooks: controllers, recorders, plots, callbacks. The one way into the loop from outside.

use complementarity::{
    ContactProblem, ContactSolution, Problem, ProblemError, Solution, reduce::Reduced,
};

use crate::{
    collide::Contact, formulate::StepMotion, memory::Memory, model::Model, report::StepReport,
    state::State,
};

/// What a step did, for those who look on.
#[derive(Clone, Debug)]
pub struct StepData {
    /// The state at its start, with the forces that hooks applied.
    pub start: State,
    /// Potential contacts at the start of the step. A formulation that starts from pairs knows
    /// only those of shapes without corners, unless a hook [asks](Hook::wants_contacts) for all.
    pub contacts: Vec<Contact>,
    /// Velocities and impulses found.
    pub motion: StepMotion,
    /// Counts, times, errors.
    pub report: StepReport,
    /// What the stages carry over to the next step, where a hook asked for it.
    pub memory: Option<Memory>,
}

/// One solve of a step.
#[derive(Clone, Debug)]
pub enum Solve {
    /// A problem in its general form.
    General {
        /// The problem.
        problem: Problem,
        /// What the solver started from; empty: nothing known.
        z0: Vec<f64>,
        /// What it found; `None` where it could not go on.
        solution: Option<Solution>,
    },
    /// Contacts as they are.
    Contacts {
        /// The problem.
        problem: ContactProblem,
        /// What the solver started from; empty: nothing known.
        start: Vec<[f64; 3]>,
        /// What it found; `None` where it could not go on.
        solution: Option<ContactSolution>,
    },
}

impl Solve {
    /// Problem, start and solution in the general form; contacts are reduced to it.
    pub fn general(&self) -> Result<(Problem, Vec<f64>, Option<Solution>), ProblemError> {
        match self {
            Self::General { problem, z0, solution } => {
                Ok((problem.clone(), z0.clone(), solution.clone()))
            }
            Self::Contacts { problem, start, solution } => {
                let reduced = Reduced::new(problem)?;
                let z0 = if start.is_empty() { Vec::new() } else { reduced.start(start) };
                let solution = solution.as_ref().map(|found| {
                    let ContactSolution { status, iterations, solver, fallbacks, .. } = *found;
                    let z = reduced.start(&found.impulses);
                    Solution { z, status, iterations, solver, fallbacks }
                });
                Ok((reduced.problem, z0, solution))
            }
        }
    }
}

/// What is kept of the last step. It is handed over, not copied.
#[derive(Clone, Debug, Default)]
pub struct Last {
    /// The last solve of the last step; `None` where nothing was to be solved.
    pub solve: Option<Solve>,
    /// What the last step that came to its end did.
    pub data: Option<StepData>,
}

/// Called around every step.
pub trait Hook: Send {
    /// Before detection; may apply forces (`state.applied`) or set velocities.
    fn before_step(&mut self, _model: &Model, _state: &mut State) {}
    /// Whether it wants all potential contacts of the step with that number, whatever the
    /// formulation starts from; `failed`: a solve of it did.
    fn wants_contacts(&self, _step: u64, _failed: bool) -> bool {
        false
    }
    /// Whether it wants to know what the stages remember after `step`.
    fn wants_memory(&self, _step: u64) -> bool {
        false
    }
    /// Whether it wants spurious contacts to be counted.
    fn wants_spurious(&self, _model: &Model) -> bool {
        false
    }
    /// After the state has moved. An error stops the run.
    fn after_step(
        &mut self,
        _model: &Model,
        _state: &State,
        _data: &StepData,
    ) -> Result<(), HookError> {
        Ok(())
    }
}

/// A hook that cannot go on (disk full, exception in a callback).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct HookError(pub String);
