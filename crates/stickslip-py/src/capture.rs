//! Keeps what the last step saw and did.

use std::sync::{Arc, Mutex, PoisonError};

use complementarity::{Problem, Solution, Solver, Tap};
use stickslip::{
    Model, State,
    hook::{Hook, HookError, StepData},
};

/// The last step, where it was wanted.
#[derive(Default)]
pub struct Captured {
    /// Whether the present step is to be kept; copying every one would be waste.
    pub wanted: bool,
    pub solve: Option<Solve>,
    pub data: Option<StepData>,
}

/// One solve.
#[derive(Clone)]
pub struct Solve {
    pub problem: Problem,
    pub z0: Vec<f64>,
    pub solution: Option<Solution>,
}

/// Passes problems on to the method and keeps a copy.
pub fn capturing(inner: Box<dyn Solver>, kept: &Arc<Mutex<Captured>>) -> Box<dyn Solver> {
    let kept = Arc::clone(kept);
    Box::new(Tap::new(inner, move |inner, problem, z0, watch| {
        let solution = inner.solve(problem, z0, watch);
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        // A problem that could not be solved is the most interesting one.
        if kept.wanted || solution.is_err() {
            kept.solve = Some(Solve {
                problem: problem.clone(),
                z0: z0.to_vec(),
                solution: solution.as_ref().ok().cloned(),
            });
        }
        solution
    }))
}

/// Keeps contacts and impulses.
pub struct Keep {
    kept: Arc<Mutex<Captured>>,
}

impl Keep {
    pub fn new(kept: &Arc<Mutex<Captured>>) -> Self {
        Self { kept: Arc::clone(kept) }
    }
}

impl Hook for Keep {
    fn before_step(&mut self, _model: &Model, _state: &mut State) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.wanted {
            kept.solve = None;
        }
    }

    fn after_step(
        &mut self,
        _model: &Model,
        _state: &State,
        data: &StepData,
    ) -> Result<(), HookError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.wanted {
            kept.data = Some(data.clone());
        }
        Ok(())
    }
}
