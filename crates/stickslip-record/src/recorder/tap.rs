//! Listens to formulation and solver from outside: names and values of the unknowns (the memory
//! that a resumed run needs), and the error after every iteration.

use std::{
    ops::ControlFlow,
    sync::{Arc, Mutex, MutexGuard},
};

use stickslip::{
    Settings,
    complementarity::{self, Problem, ProblemClass, residual, solver::Watch},
    formulate::{FormulateError, Formulation, Frame, Pass},
    solve::{Solution, SolveError, Solver},
    step::Pipeline,
};

/// What was heard of the last solve.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// Name of each unknown.
    pub keys: Vec<u64>,
    /// The solution.
    pub z: Vec<f64>,
    /// Natural residual after each iteration, where asked for.
    pub errors: Vec<f64>,
    /// Whether errors are wanted for the coming step.
    pub measure: bool,
}

/// Shared by the two taps and the recorder.
#[derive(Clone, Debug, Default)]
pub(super) struct Tap(Arc<Mutex<Heard>>);

impl Tap {
    pub fn lock(&self) -> MutexGuard<'_, Heard> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Puts itself around the two stages.
    pub fn attach(&self, pipeline: &mut Pipeline) {
        let formulation = std::mem::replace(&mut pipeline.formulation, Box::new(Hole));
        pipeline.formulation = Box::new(TapFormulation { inner: formulation, tap: self.clone() });
        let tap = self.clone();
        complementarity::Tap::put(&mut pipeline.solver, move |inner, problem, z0, watch| {
            tap.hear(inner, problem, z0, watch)
        });
    }

    /// Solves, and keeps the solution and, where wanted, the errors on the way.
    fn hear(
        &self,
        solver: &mut dyn Solver,
        problem: &Problem,
        z0: &[f64],
        watch: &mut dyn Watch,
    ) -> Result<Solution, SolveError> {
        let measure = self.lock().measure;
        let mut errors = Vec::new();
        let solution = if measure {
            let mut meter = Meter { problem, watch, errors: &mut errors };
            solver.solve(problem, z0, &mut meter)?
        } else {
            solver.solve(problem, z0, watch)?
        };
        let mut heard = self.lock();
        heard.z.clone_from(&solution.z);
        if measure {
            errors.push(residual::natural(problem, &solution.z));
        }
        heard.errors = errors;
        Ok(solution)
    }
}

struct TapFormulation {
    inner: Box<dyn Formulation>,
    tap: Tap,
}

impl Formulation for TapFormulation {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn class(&self, settings: &Settings) -> ProblemClass {
        self.inner.class(settings)
    }

    fn formulate(
        &mut self,
        frame: &Frame,
        last: Option<&Solution>,
    ) -> Result<Pass, FormulateError> {
        let pass = self.inner.formulate(frame, last)?;
        if let Pass::Solve { keys, .. } = &pass {
            self.tap.lock().keys.clone_from(keys);
        }
        Ok(pass)
    }
}

/// Measures every iterate and passes it on.
struct Meter<'a> {
    problem: &'a Problem,
    watch: &'a mut dyn Watch,
    errors: &'a mut Vec<f64>,
}

impl Watch for Meter<'_> {
    fn iterate(&mut self, k: usize, z: &[f64]) -> ControlFlow<()> {
        self.errors.push(residual::natural(self.problem, z));
        self.watch.iterate(k, z)
    }
}

/// Keeps a place while a stage is being wrapped; never called.
struct Hole;

impl Formulation for Hole {
    fn name(&self) -> &'static str {
        "none"
    }

    fn class(&self, _settings: &Settings) -> ProblemClass {
        ProblemClass::Lcp
    }

    fn formulate(&mut self, _: &Frame, _: Option<&Solution>) -> Result<Pass, FormulateError> {
        Err(FormulateError::Custom("no formulation".into()))
    }
}
