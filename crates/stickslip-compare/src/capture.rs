//! The problems of a run, as its solver sees them.

use std::sync::{Arc, Mutex, PoisonError};

use stickslip::Simulator;
use stickslip::complementarity::{Decorator, Problem};

use crate::source::{Entry, SourceError};

/// Problems of the present step, where it is wanted.
#[derive(Default)]
struct Kept {
    wanted: bool,
    problems: Vec<Problem>,
}

/// Runs `simulator` for its duration and takes the problems of every `every`-th step: one per pass
/// of the formulation, the first under `NAME-STEP`, further ones under `NAME-STEP-2` and so on.
/// Bodies at rest are kept awake, since they have no problem else. `after` sees the number of each step done and ends the run by returning false.
pub fn run(
    mut simulator: Simulator,
    name: &str,
    every: u64,
    mut after: impl FnMut(u64) -> bool,
) -> Result<Vec<Entry>, SourceError> {
    simulator.settings.sleep = false;
    let kept = Arc::new(Mutex::new(Kept::default()));
    let keep = Arc::clone(&kept);
    Decorator::put(&mut simulator.pipeline.solver, move |inner, problem, z0, watch| {
        let mut kept = keep.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.wanted {
            kept.problems.push(problem.clone());
        }
        drop(kept);
        inner.solve(problem, z0, watch)
    });
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
