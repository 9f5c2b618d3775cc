//! The problem of a recorded step again, under any formulation.

use stickslip::{
    Simulator,
    collide::{self, Candidates},
    complementarity::{Ask, ContactProblem, ContactSolution, Problem, Solution, reduce::Reduced},
    dynamics::{AddedConstraints, SharedMechanism},
    formulate::{FormulateError, Frame, Name, Solve},
};

use super::Recording;
use crate::RecordError;

impl Recording {
    /// The first problem of `step` as the simulator's detector, formulation and settings write
    /// it; `None` where there is nothing to solve. The simulator is left at the start of the step.
    ///
    /// Needs the row before the step. Forces that hooks applied are those of the recorded step.
    pub fn subproblem(
        &self,
        simulator: &mut Simulator,
        step: u64,
    ) -> Result<Option<Problem>, RecordError> {
        let Simulator { model, state, pipeline, settings } = simulator;
        self.restore(step.saturating_sub(1), state)?;
        self.inputs()?.apply(step, state);
        let query = collide::query(model, state, settings);
        let wrong = |reason: String| RecordError::Format { path: self.path.clone(), reason };
        pipeline.detect(model, state, &query).map_err(|e| wrong(e.to_string()))?;
        let Candidates { pairs, contacts } = &pipeline.candidates;
        let h = settings.step;
        let added = AddedConstraints::NONE;
        let (query, shared) = (&query, &SharedMechanism::default());
        let exact = pipeline.detector.is_exact();
        let frame =
            Frame { model, state, contacts, pairs, added, shared, exact, query, h, settings };
        let mut first = First::default();
        match pipeline.formulation.plan(&frame, &mut first) {
            Ok(_) | Err(FormulateError::Interrupted) => Ok(first.0),
            Err(error) => Err(wrong(error.to_string())),
        }
    }
}

/// Keeps the first problem and solves none.
#[derive(Default)]
struct First(Option<Problem>);

impl Solve for First {
    fn solve(&mut self, problem: Problem, _keys: Vec<u64>) -> Result<Solution, FormulateError> {
        self.0 = Some(problem);
        Err(FormulateError::Interrupted)
    }

    fn attempt(&mut self, problem: Problem, keys: Vec<u64>) -> Result<Solution, FormulateError> {
        self.solve(problem, keys)
    }

    fn contacts(
        &mut self,
        problem: ContactProblem,
        _names: Vec<Name>,
        _ask: &Ask,
        _attempt: bool,
    ) -> Result<ContactSolution, FormulateError> {
        let wrong = |source| FormulateError::Problem { formulation: "the recording", source };
        self.0 = Some(Reduced::new(&problem).map_err(wrong)?.problem);
        Err(FormulateError::Interrupted)
    }
}
