//! Stages written in Python.
//!
//! The adapters sit in the pipeline and hold only a [`Link`]; the callables are in the link while
//! a step runs and nowhere else. What a callable raises waits in the link until the step has
//! unwound, and is then raised as it was.

use std::{
    ops::ControlFlow,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use _complementarity::exchange::{self, Parts};
use complementarity::{Problem, ProblemClass, Solution, SolveError, Solver, Status, Watch};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use stickslip::{
    Model, Settings, State,
    collide::{CollideError, CollisionDetector, Contact, Query},
    formulate::{ConstraintCounts, FormulateError, Formulation, Frame, Solve, StepMotion},
};

use crate::{
    contacts, convert,
    engine::Engine,
    error::{OrRaise, raise},
};

/// The callables of the step that runs, and what they raised.
#[derive(Default)]
pub struct Link {
    pub engine: Option<Py<Engine>>,
    pub sim: Option<Py<PyAny>>,
    pub detector: Option<Py<PyAny>>,
    pub formulation: Option<Py<PyAny>>,
    pub solver: Option<Py<PyAny>>,
    pub watch: Option<Py<PyAny>>,
    pub error: Option<PyErr>,
}

type Shared = Arc<Mutex<Link>>;

fn open(link: &Shared) -> MutexGuard<'_, Link> {
    link.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `work`; what it raises is kept in the link, and its text returned.
fn guarded<T>(link: &Shared, work: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, String> {
    Python::attach(|py| {
        work(py).map_err(|error| {
            let text = error.to_string();
            open(link).error = Some(error);
            text
        })
    })
}

fn callable(
    py: Python<'_>,
    link: &Shared,
    pick: fn(&Link) -> &Option<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    let found = pick(&open(link)).as_ref().map(|f| f.clone_ref(py));
    found.ok_or_else(|| raise("BusyError", "a stage was called outside of a step".to_owned()))
}

/// Calls a stage that may look at the state.
fn call_seeing<'py, T>(
    py: Python<'py>,
    link: &Shared,
    state: &State,
    work: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<T> {
    let (engine, sim) = {
        let link = open(link);
        let engine = link.engine.as_ref().map(|e| e.clone_ref(py));
        (engine, link.sim.as_ref().map(|s| s.clone_ref(py)))
    };
    let (Some(engine), Some(sim)) = (engine, sim) else {
        return Err(raise("BusyError", "a stage was called outside of a step".to_owned()));
    };
    engine.get().lock(py).seen = Some(state.clone());
    let result = work(sim.bind(py));
    engine.get().lock(py).seen = None;
    result
}

/// `detector(sim) -> table of contacts`.
pub struct PyDetector {
    link: Shared,
}

impl PyDetector {
    pub fn new(link: &Shared) -> Self {
        Self { link: Arc::clone(link) }
    }
}

impl CollisionDetector for PyDetector {
    fn name(&self) -> &'static str {
        "python"
    }

    fn detect(
        &mut self,
        model: &Model,
        state: &State,
        _query: &Query,
    ) -> Result<Vec<Contact>, CollideError> {
        guarded(&self.link, |py| {
            let f = callable(py, &self.link, |l| &l.detector)?;
            let found = call_seeing(py, &self.link, state, |sim| f.bind(py).call1((sim,)))?;
            let table: PyReadonlyArray2<'_, f64> = found.extract()?;
            let rows = convert::rows_of(&table, contacts::COLUMNS)?;
            contacts::read(&rows, model.bodies().len())
                .map_err(|text| raise("DetectError", format!("the detector's {text}")))
        })
        .map_err(CollideError::Custom)
    }
}

/// `formulation(sim, table of contacts) -> (parts of a problem, velocity)`, with `velocity(z) -> nu`.
pub struct PyFormulation {
    link: Shared,
}

impl PyFormulation {
    pub fn new(link: &Shared) -> Self {
        Self { link: Arc::clone(link) }
    }

    fn motion(
        &self,
        frame: &Frame,
        velocity: &Py<PyAny>,
        z: &[f64],
    ) -> Result<StepMotion, FormulateError> {
        let n = frame.model.n_dof();
        let nu = guarded(&self.link, |py| {
            let found = call_seeing(py, &self.link, frame.state, |_| {
                velocity.bind(py).call1((PyArray1::from_slice(py, z),))
            })?;
            let nu = found.extract::<PyReadonlyArray1<'_, f64>>()?.as_array().to_vec();
            if nu.len() != n {
                let text =
                    format!("the formulation gave {} velocities, but there are {n}", nu.len());
                return Err(raise("FormulateError", text));
            }
            Ok(nu)
        })
        .map_err(FormulateError::Custom)?;
        let contacts = frame.contacts.to_vec();
        let constraints = ConstraintCounts { unilateral: contacts.len(), ..Default::default() };
        Ok(StepMotion { nu, contacts, constraints, ..Default::default() })
    }
}

impl Formulation for PyFormulation {
    fn name(&self) -> &'static str {
        "python"
    }

    fn class(&self, _settings: &Settings) -> ProblemClass {
        ProblemClass::Lcp
    }

    fn plan(&mut self, frame: &Frame, solve: &mut dyn Solve) -> Result<StepMotion, FormulateError> {
        let (problem, velocity) = guarded(&self.link, |py| {
            let f = callable(py, &self.link, |l| &l.formulation)?;
            let rows = contacts::table(frame.contacts, &[]);
            let table = convert::table(py, rows, contacts::COLUMNS)?;
            let found =
                call_seeing(py, &self.link, frame.state, |sim| f.bind(py).call1((sim, table)))?;
            let (parts, velocity): (Parts<'_>, Py<PyAny>) = found.extract()?;
            Ok((exchange::problem(&parts).or_raise()?, velocity))
        })
        .map_err(FormulateError::Custom)?;
        let size = problem.size();
        if size == 0 {
            return self.motion(frame, &velocity, &[]);
        }
        // Unknowns are only known by their place: a guess from a problem of another size would
        // be worse than none.
        let keys = (1..=size as u64).map(|i| (size as u64) << 32 | i).collect();
        let solution = solve.solve(problem, keys)?;
        self.motion(frame, &velocity, &solution.z)
    }
}

/// `solver(parts of a problem, z0) -> (z, iterations)`.
pub struct PySolver {
    link: Shared,
}

impl PySolver {
    pub fn new(link: &Shared) -> Self {
        Self { link: Arc::clone(link) }
    }
}

impl Solver for PySolver {
    fn name(&self) -> &'static str {
        "python"
    }

    fn accepts(&self) -> &'static [ProblemClass] {
        &[ProblemClass::Lcp, ProblemClass::Mlcp, ProblemClass::Cone]
    }

    fn solve(
        &mut self,
        problem: &Problem,
        z0: &[f64],
        _watch: &mut dyn Watch,
    ) -> Result<Solution, SolveError> {
        let n = problem.size();
        let mut start = z0.to_vec();
        start.resize(n, 0.0);
        let (z, iterations) = guarded(&self.link, |py| {
            let f = callable(py, &self.link, |l| &l.solver)?;
            let parts = exchange::parts(py, problem)?;
            let found = f.bind(py).call1((parts, PyArray1::from_vec(py, start)))?;
            let (z, iterations): (PyReadonlyArray1<'_, f64>, usize) = found.extract()?;
            let z = z.as_array().to_vec();
            if z.len() != n {
                let text = format!("the solver gave {} numbers for {n} unknowns", z.len());
                return Err(raise("SolveError", text));
            }
            if let Some(i) = z.iter().position(|x| !x.is_finite()) {
                let text = format!("the solver gave {} for unknown {i}", z[i]);
                return Err(raise("SolveError", text));
            }
            Ok((z, iterations))
        })
        .map_err(SolveError::Custom)?;
        // The loop measures the error; a claim of success is all a method can make.
        let status = Status::Solved;
        Ok(Solution { z, status, iterations, solver: "python", fallbacks: 0 })
    }
}

/// `watch(k, z)`; true stops the solver.
pub struct PyWatch {
    link: Shared,
}

impl PyWatch {
    pub fn new(link: &Shared) -> Self {
        Self { link: Arc::clone(link) }
    }
}

impl Watch for PyWatch {
    fn iterate(&mut self, k: usize, z: &[f64]) -> ControlFlow<()> {
        let stop = guarded(&self.link, |py| {
            let f = callable(py, &self.link, |l| &l.watch)?;
            f.bind(py).call1((k, PyArray1::from_slice(py, z)))?.is_truthy()
        });
        match stop {
            Ok(false) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}
