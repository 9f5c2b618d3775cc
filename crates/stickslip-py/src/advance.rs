//! Steps, with and without user functions around them.

use std::{
    sync::{PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use pyo3::prelude::*;
use stickslip::{Runner, StepError, StepReport};

use crate::{core::Core, engine::Engine, error::Raise, log::Log};

/// Work of this length and more gives up the interpreter's lock; for shorter work that costs more
/// than it brings, and Python itself changes threads between two calls.
const WORTH_DETACHING: Duration = Duration::from_micros(5);

/// The same between user functions, which want the lock back at once: whoever took it meanwhile
/// would have to be waited for.
const WORTH_DETACHING_AROUND: Duration = Duration::from_micros(50);

/// A batch without user functions ends after about this long.
const BATCH: Duration = Duration::from_millis(5);

/// The callables of a simulator: before, after, detector, formulation, solver, watch.
#[derive(FromPyObject)]
struct Calls(
    Option<Py<PyAny>>,
    Option<Py<PyAny>>,
    Option<Py<PyAny>>,
    Option<Py<PyAny>>,
    Option<Py<PyAny>>,
    Option<Py<PyAny>>,
);

/// How a call of [`run`] is to go.
pub struct Plan<'a> {
    pub steps: u64,
    pub budget: f64,
    pub log: Option<&'a Log>,
    pub judged: bool,
}

/// Steps until the number or the time is used up; returns how many and the last report.
pub fn run(
    py: Python<'_>,
    engine: &Bound<'_, Engine>,
    sim: &Bound<'_, PyAny>,
    plan: &Plan<'_>,
) -> PyResult<(u64, Option<StepReport>)> {
    let me = engine.get();
    let begin = Instant::now();
    let (mut done, mut report, mut batch) = (0, None, 1);
    // How long a step took last time; the first one may be long.
    let mut pace = Duration::from_nanos(me.pace.load(Ordering::Relaxed));
    while done < plan.steps && (done == 0 || begin.elapsed().as_secs_f64() < plan.budget) {
        let calls: Calls = sim.getattr("_calls")?.extract()?;
        let around = calls.0.is_some() || calls.1.is_some();
        if let Some(before) = &calls.0 {
            call(py, me, before, sim)?;
        }
        let mut runner = me.lock(py).take()?;
        let staged = open_link(py, engine, sim, &calls);
        let n = if around { 1 } else { batch.min(plan.steps - done) };
        let started = Instant::now();
        let log = if around { None } else { plan.log };
        let foreseen = pace.saturating_mul(u32::try_from(n).unwrap_or(u32::MAX));
        let worth = if around { WORTH_DETACHING_AROUND } else { WORTH_DETACHING };
        let detached = !staged && foreseen >= worth;
        let mut work = || many(&mut runner, n, plan.judged, log);
        let result = if detached { py.detach(work) } else { work() };
        let spent = started.elapsed();
        pace = spent / u32::try_from(n).unwrap_or(u32::MAX).max(1);
        let nanoseconds = u64::try_from(pace.as_nanos()).unwrap_or(u64::MAX);
        me.pace.store(nanoseconds, Ordering::Relaxed);
        if spent < BATCH && n == batch {
            batch = (batch * 2).min(1 << 16);
        } else if spent > 4 * BATCH {
            batch = (batch / 2).max(1);
        }
        me.keep(std::mem::take(&mut runner.simulator.pipeline.last));
        let raised = close_link(py, me, runner)?;
        if let Some(error) = raised.or_else(|| me.lock(py).description.forces.raised()) {
            return Err(error);
        }
        let last = result.map_err(Raise::raise)?;
        done += n;
        if around {
            let outcome = calls.1.as_ref().map_or(Ok(()), |after| call(py, me, after, sim));
            // The step has happened, whatever the user function says.
            if let Some(log) = plan.log {
                let mut core = me.lock(py);
                let model = core.model()?;
                log.open().record(&model, core.state()?, last.as_ref());
            }
            outcome?;
        }
        report = last;
    }
    Ok((done, report))
}

/// Calls a user function around a step.
fn call(py: Python<'_>, me: &Engine, f: &Py<PyAny>, sim: &Bound<'_, PyAny>) -> PyResult<()> {
    me.lock(py).calling = true;
    let result = f.bind(py).call1((sim,));
    let mut core = me.lock(py);
    core.calling = false;
    core.refresh(py)?;
    result.map(|_| ())
}

/// Hands the callables to the stages; whether any stage is written in Python.
fn open_link(
    py: Python<'_>,
    engine: &Bound<'_, Engine>,
    sim: &Bound<'_, PyAny>,
    calls: &Calls,
) -> bool {
    let core = engine.get().lock(py);
    if !core.custom.any() {
        return false;
    }
    let copy = |f: &Option<Py<PyAny>>| f.as_ref().map(|f| f.clone_ref(py));
    let mut link = core.link.lock().unwrap_or_else(PoisonError::into_inner);
    link.engine = Some(engine.clone().unbind());
    link.sim = Some(sim.clone().unbind());
    link.detector = copy(&calls.2);
    link.formulation = copy(&calls.3);
    link.solver = copy(&calls.4);
    link.watch = copy(&calls.5);
    link.error = None;
    true
}

/// Puts the simulator back and takes the callables out of the stages; what they raised.
fn close_link(py: Python<'_>, me: &Engine, runner: Box<Runner>) -> PyResult<Option<PyErr>> {
    let mut core = me.lock(py);
    core.put(runner);
    core.refresh(py)?;
    let link = std::mem::take(&mut *core.link.lock().unwrap_or_else(PoisonError::into_inner));
    drop(core);
    Ok(link.error)
}

/// Some steps in a row, without Python.
fn many(
    runner: &mut Runner,
    n: u64,
    judged: bool,
    log: Option<&Log>,
) -> Result<Option<StepReport>, StepError> {
    let mut last = None;
    for _ in 0..n {
        let report = match judged {
            true => runner.step()?,
            false => {
                runner.simulator.pipeline.count_spurious = false;
                runner.simulator.step()?
            }
        };
        if let Some(log) = log {
            let sim = &runner.simulator;
            log.open().record(&sim.model, &sim.state, Some(&report));
        }
        last = Some(report);
    }
    Ok(last)
}

impl Core {
    /// Brings the arrays that were handed out up to date.
    pub fn refresh(&mut self, py: Python<'_>) -> PyResult<()> {
        if self.live.is_empty() || self.out {
            return Ok(());
        }
        match &self.runner {
            Some(r) => self.live.refresh(py, self.description.dimension, &r.simulator.state),
            None => Ok(()),
        }
    }
}
