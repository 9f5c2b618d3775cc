//! Hooks: controllers, recorders, plots, callbacks. The one way into the loop from outside.

use complementarity::{Problem, Solution};

use crate::{
    collide::Contact, formulate::StepMotion, memory::Memory, model::Model, report::StepReport,
    state::State,
};

/// What a step did, for those who look on.
#[derive(Clone, Debug)]
pub struct StepData {
    /// The state at its start, with the forces that hooks applied.
    pub start: State,
    /// Potential contacts at the start of the step.
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
pub struct Solve {
    /// The problem.
    pub problem: Problem,
    /// What the solver started from; empty: nothing known.
    pub z0: Vec<f64>,
    /// What it found; `None` where it could not go on.
    pub solution: Option<Solution>,
}

/// What the last step leaves to look at. It is handed over, not copied.
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
    /// Whether it wants to know what the stages remember after `step`.
    fn wants_memory(&self, _step: u64) -> bool {
        false
    }
    /// Whether it wants standard-model traps to be counted.
    fn wants_traps(&self, _model: &Model) -> bool {
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
