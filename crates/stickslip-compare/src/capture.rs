//! The problems of a run, as its solver sees them.

use std::sync::{Arc, Mutex, PoisonError};

use stickslip::Simulator;
use stickslip::complementarity::{Problem, ProblemClass, Solution, SolveError, Solver, Watch};

use crate::source::{Entry, SourceError};

/// Passes problems on to the solver of the run and keeps those that are wanted.
struct Keeper {
    inner: Box<dyn Solver>,
    kept: Arc<Mutex<Kept>>,
}

#[derive(Default)]
struct Kept {
    wanted: bool,
    problems: Vec<Problem>,
}

impl Solver for Keeper {
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
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.wanted {
            kept.problems.push(problem.clone());
        }
        drop(kept);
        self.inner.solve(problem, z0, watch)
    }
}

/// Runs `simulator` for its duration and takes the problems of every `every`-th step: one per pass
/// of the formulation, the first under `NAME-STEP`, further ones under `NAME-STEP-2` and so on.
/// `after` sees the number of each step done and ends the run by returning false.
pub fn run(
    mut simulator: Simulator,
    name: &str,
    every: u64,
    mut after: impl FnMut(u64) -> bool,
) -> Result<Vec<Entry>, SourceError> {
    let kept = Arc::new(Mutex::new(Kept::default()));
    let place: Box<dyn Solver> = Box::new(Nothing);
    let inner = std::mem::replace(&mut simulator.pipeline.solver, place);
    simulator.pipeline.solver = Box::new(Keeper { inner, kept: Arc::clone(&kept) });
    let mut out = vec![];
    for step in 1..=simulator.settings.steps() {
        let lock = || kept.lock().unwrap_or_else(PoisonError::into_inner);
        lock().wanted = step % every.max(1) == 0;
        simulator.step().map_err(|e| SourceError::Step(format!("{name}: {e}")))?;
        for (k, problem) in std::mem::take(&mut lock().problems).into_iter().enumerate() {
            let pass = if k == 0 { String::new() } else { format!("-{}", k + 1) };
            let name = format!("{name}-{step:06}{pass}");
            out.push(Entry { name, family: String::new(), content: problem.into() });
        }
        if !after(step) {
            break;
        }
    }
    Ok(out)
}

/// Stands where a solver is being exchanged; takes no problem.
struct Nothing;

impl Solver for Nothing {
    fn name(&self) -> &'static str {
        "none"
    }

    fn accepts(&self) -> &'static [ProblemClass] {
        &[]
    }

    fn solve(
        &mut self,
        problem: &Problem,
        _z0: &[f64],
        _watch: &mut dyn Watch,
    ) -> Result<Solution, SolveError> {
        Err(SolveError::Class { solver: "none", class: problem.class() })
    }
}
