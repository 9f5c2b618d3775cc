//! Keeps what the last step saw and did.

use std::sync::{Arc, Mutex, PoisonError};

use complementarity::{Problem, ProblemClass, Solution, SolveError, Solver, Watch};
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
pub struct CapturingSolver {
    inner: Box<dyn Solver>,
    kept: Arc<Mutex<Captured>>,
}

impl CapturingSolver {
    pub fn new(inner: Box<dyn Solver>, kept: &Arc<Mutex<Captured>>) -> Self {
        Self { inner, kept: Arc::clone(kept) }
    }
}

impl Solver for CapturingSolver {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn accepts(&self) -> &'static [ProblemClass] {
        self.inner.accepts()
    }

    fn solve(
        &mut self,
        problem: &Problem,
        z0: &[f64],
        watch: &mut dyn Watch,
    ) -> Result<Solution, SolveError> {
        let solution = self.inner.solve(problem, z0, watch);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // A problem that could not be solved is the most interesting one.
        if kept.wanted || solution.is_err() {
            kept.solve = Some(Solve {
                problem: problem.clone(),
                z0: z0.to_vec(),
                solution: solution.as_ref().ok().cloned(),
            });
        }
        solution
    }
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
