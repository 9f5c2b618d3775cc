//! The simulator as the Python classes see it.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicU64},
};

use _complementarity::exchange;
use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::{
    IntoPyObjectExt, PyTraverseError, PyVisit,
    prelude::*,
    sync::MutexExt,
    types::{PyDict, PyTuple},
};
use stickslip::{
    Dimension, Model, Runner, Settings, State, StepReport, collide, formulate,
    hook::{Last, StepData},
    registry, state,
};
use stickslip_geometry::Vec3;
use stickslip_record::RunInfo;

use crate::{
    advance::{self, Plan},
    contacts,
    convert::{self, Triple},
    core::{Core, Custom, Description},
    error::{OrRaise, busy, raise},
    frame::{self, Rows},
    log::Log,
    record, settings,
};

/// A scene and its simulator. Safe to share between threads: it is locked only briefly, and says
/// so when it is in the middle of a step.
#[pyclass(frozen, module = "stickslip._core")]
pub struct Engine {
    core: Mutex<Core>,
    /// What the last step saw and did.
    last: Mutex<Last>,
    /// How long a step took last time [ns].
    pub pace: AtomicU64,
}

/// The parts of the problem, z0, z, status, iterations, solver.
type LastSolve<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyArray1<f64>>,
    Option<(Bound<'py, PyArray1<f64>>, &'static str, usize, &'static str)>,
);

impl Engine {
    pub fn of(core: Core) -> Self {
        Self { core: Mutex::new(core), last: Mutex::default(), pace: AtomicU64::new(u64::MAX) }
    }

    /// The contents; waits without the interpreter's lock.
    pub fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Core> {
        self.core.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// A consistent copy of scene, state and settings.
    pub fn present(&self, py: Python<'_>) -> PyResult<(Arc<Model>, State, Settings)> {
        let mut core = self.lock(py);
        let model = core.model()?;
        Ok((model, core.state()?.clone(), core.settings.clone()))
    }

    /// Refuses what must be added before the first step after it.
    pub fn not_started(&self, py: Python<'_>, what: &str) -> PyResult<()> {
        let mut core = self.lock(py);
        if !core.out && core.state()?.step > 0 {
            let text = format!("{what} must be added before the first step");
            return Err(raise("ModelError", text));
        }
        Ok(())
    }

    /// Changes the description, which is then built anew.
    pub fn describe_anew<T>(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut Description) -> PyResult<T>,
    ) -> PyResult<T> {
        let mut core = self.lock(py);
        core.may_change("the scene cannot be changed")?;
        let result = change(&mut core.description)?;
        core.stale = true;
        Ok(result)
    }

    /// What the last step saw and did.
    pub fn last_step(&self) -> Option<stickslip::hook::StepData> {
        self.kept().data.clone()
    }

    /// Takes over what the last step leaves to look at.
    pub fn keep(&self, last: Last) {
        let mut kept = self.kept();
        kept.solve = last.solve;
        // A step that failed has done nothing.
        if last.data.is_some() {
            kept.data = last.data;
        }
    }

    fn kept(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine {
    /// All potential contacts of a step, also where its formulation started from pairs.
    fn all_contacts(&self, py: Python<'_>, data: &StepData) -> PyResult<Vec<f64>> {
        let (model, _, settings) = self.present(py)?;
        let known = formulate::make(&settings.formulation).is_ok_and(|f| f.starts_from_features());
        if known || self.lock(py).custom.detector {
            return Ok(contacts::table(&data.contacts, &[]));
        }
        let mut detector = collide::make(&settings.detector).or_raise()?;
        let query = collide::query(&model, &data.start, &settings);
        let found = py.detach(|| detector.detect(&model, &data.start, &query)).or_raise()?;
        Ok(contacts::table(&found, &[]))
    }
}

#[pymethods]
impl Engine {
    #[new]
    fn new(
        dimension: usize,
        gravity: Option<Triple>,
        friction_rule: &Bound<'_, PyAny>,
        restitution_rule: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let dimension = match dimension {
            2 => Dimension::Two,
            3 => Dimension::Three,
            other => {
                let text = format!("dimension = {other}, but it must be 2 or 3");
                return Err(raise("SettingsError", text));
            }
        };
        let gravity = gravity.map_or_else(|| dimension.default_gravity(), Vec3::from);
        if !gravity.is_finite() {
            let text = format!("gravity = {gravity}, but it must be finite");
            return Err(raise("SettingsError", text));
        }
        let rules = "\"geometric-mean\", \"product\", \"min\", \"max\" or \"mean\"";
        let bounces = "\"max\", \"min\", \"mean\" or \"product\"";
        let description = Description {
            dimension,
            gravity,
            friction_rule: settings::word("friction_rule", friction_rule, rules)?,
            restitution_rule: settings::word("restitution_rule", restitution_rule, bounces)?,
            bodies: Vec::new(),
            names: Default::default(),
            joints: Vec::new(),
            forces: Default::default(),
            base: None,
            drives: Default::default(),
            pairs: Default::default(),
            ignores: Default::default(),
            about: String::new(),
            camera: None,
            sensors: Vec::new(),
        };
        Ok(Self::of(Core::new(description, Settings::default())))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Who holds the lock is using it: then nothing is garbage.
        match self.core.try_lock() {
            Ok(core) => core.description.forces.traverse(&visit),
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        if let Ok(mut core) = self.core.try_lock() {
            core.description.forces.clear();
        }
    }

    /// The same scene at the same state, by itself.
    fn duplicate(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(Self::of(self.lock(py).duplicate(py)?))
    }

    fn setting(&self, py: Python<'_>, key: &str) -> PyResult<Py<PyAny>> {
        let settings = self.lock(py).settings.clone();
        settings::get(py, &settings, key)
    }

    /// Sets several settings: all of them or none.
    fn configure(&self, py: Python<'_>, changes: &Bound<'_, PyDict>) -> PyResult<()> {
        let old = self.lock(py).settings.clone();
        let new = settings::update(&old, changes)?;
        let mut core = self.lock(py);
        if core.out {
            return Err(busy("its settings cannot be changed"));
        }
        match &mut core.runner {
            Some(runner) if settings::same_stages(&old, &new) => {
                runner.simulator.settings = new.clone();
            }
            _ => {
                core.may_change("its stages cannot be changed")?;
                core.stale = true;
            }
        }
        core.settings = new;
        Ok(())
    }

    /// Which stages are written in Python.
    fn customize(
        &self,
        py: Python<'_>,
        detector: bool,
        formulation: bool,
        solver: bool,
        watch: bool,
    ) -> PyResult<()> {
        let mut core = self.lock(py);
        let custom = Custom { detector, formulation, solver, watch };
        if custom != core.custom {
            core.may_change("its stages cannot be changed")?;
            core.stale = true;
        }
        core.custom = custom;
        Ok(())
    }

    /// A log with the present state as its first sample, and counters set to zero.
    #[pyo3(signature = (every, judge, record=None))]
    fn begin_log(
        &self,
        py: Python<'_>,
        every: u64,
        judge: bool,
        record: Option<(PathBuf, String, String)>,
    ) -> PyResult<Log> {
        let mut core = self.lock(py);
        if core.calling {
            return Err(busy("another run cannot begin"));
        }
        core.ready("another run cannot begin")?;
        let runner = core.take()?;
        let mut runner = Runner::new(runner.simulator);
        runner.judge = judge;
        if let Some((path, name, scene)) = record {
            let info = RunInfo { name, scene, revision: String::new() };
            match record::attach(&path, &mut runner.simulator, &info) {
                Ok(recorder) => core.recorder = Some(recorder),
                Err(error) => {
                    core.put(Box::new(runner));
                    return Err(error);
                }
            }
        }
        let sim = &runner.simulator;
        let log = Log::new(sim.model.dimension(), sim.model.bodies().len(), every);
        log.open().record(&sim.model, &sim.state, None);
        core.put(Box::new(runner));
        Ok(log)
    }

    /// What the run so far reports, as JSON.
    fn summary(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        let mut core = self.lock(py);
        let summary = core.ready("it cannot be summed up")?.summary(name);
        serde_json::to_string(&summary).map_err(|e| raise("StickslipError", e.to_string()))
    }

    /// What to tell of joints that parted during the run.
    fn parted_joints(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let mut core = self.lock(py);
        let runner = core.ready("it cannot be summed up")?;
        Ok(runner.summary("").parted_joints(&runner.simulator.model))
    }

    /// Steps; returns how many, and what the last one reports.
    fn advance<'py>(
        slf: &Bound<'py, Self>,
        sim: &Bound<'py, PyAny>,
        steps: u64,
        budget: f64,
        log: Option<&Bound<'py, Log>>,
    ) -> PyResult<(u64, Option<Bound<'py, PyTuple>>)> {
        let py = slf.py();
        if slf.get().lock(py).calling {
            return Err(busy("another cannot begin"));
        }
        let plan = Plan { steps, budget, judged: log.is_some(), log: log.map(|l| l.get()) };
        let (done, last) = advance::run(py, slf, sim, &plan)?;
        Ok((done, last.map(|r| report(py, &r)).transpose()?))
    }

    /// Contacts of the last step: those in its problem with impulses, or all that were found.
    fn contacts<'py>(&self, py: Python<'py>, all: bool) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = match &self.kept().data {
            None => Vec::new(),
            Some(data) if all => self.all_contacts(py, data)?,
            Some(data) => contacts::table(&data.motion.contacts, &data.motion.forces),
        };
        convert::table(py, rows, contacts::COLUMNS)
    }

    /// The last problem that was solved in the last step.
    fn last_solve<'py>(&self, py: Python<'py>) -> PyResult<Option<LastSolve<'py>>> {
        let found = self.kept().solve.as_ref().and_then(|s| s.general().ok());
        let Some((problem, z0, solution)) = found else { return Ok(None) };
        let solution = solution
            .map(|s| (PyArray1::from_vec(py, s.z), s.status.as_str(), s.iterations, s.solver));
        Ok(Some((exchange::parts(py, &problem)?, PyArray1::from_vec(py, z0), solution)))
    }

    /// Contacts at the present state by the detector of that name.
    fn detect<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (model, state, settings) = self.present(py)?;
        frame::detect(py, (&model, &state), &settings, name)
    }

    fn mass_matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (model, state, _) = self.present(py)?;
        Ok(frame::mass_matrix(py, &model, &state))
    }

    fn free_velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (model, state, settings) = self.present(py)?;
        Ok(frame::free_velocity(py, (&model, &state), &settings))
    }

    /// The velocities of the bodies that forces move.
    fn velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (model, state, _) = self.present(py)?;
        Ok(PyArray1::from_vec(py, state::gather(&model, &state)))
    }

    /// One row per contact and direction, and what prescribed motions add.
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        table: PyReadonlyArray2<'py, f64>,
        directions: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Rows<'py>> {
        let (model, state, _) = self.present(py)?;
        frame::jacobian(py, (&model, &state), &table, &directions)
    }
}

/// step, time, contacts, unknowns, solves, iterations, failures, residual, status, solver, spurious contacts,
/// joint error, seconds.
fn report<'py>(py: Python<'py>, r: &StepReport) -> PyResult<Bound<'py, PyTuple>> {
    let s = &r.solves;
    let numbers: [Py<PyAny>; 13] = [
        r.step.into_py_any(py)?,
        r.time.into_py_any(py)?,
        r.contacts.into_py_any(py)?,
        s.size.into_py_any(py)?,
        s.count.into_py_any(py)?,
        s.iterations.into_py_any(py)?,
        s.failures.into_py_any(py)?,
        s.residual.into_py_any(py)?,
        s.status.map(|x| x.as_str()).into_py_any(py)?,
        s.solver.into_py_any(py)?,
        r.spurious.into_py_any(py)?,
        r.joint_error.into_py_any(py)?,
        r.seconds.total().into_py_any(py)?,
    ];
    PyTuple::new(py, numbers)
}

/// The names of the formulations, and one line about each.
#[pyfunction]
pub fn formulations() -> Vec<(&'static str, &'static str)> {
    formulate::FORMULATIONS.iter().map(|f| (f.name, f.about)).collect()
}

/// The names of the detectors.
#[pyfunction]
pub fn detectors() -> Vec<&'static str> {
    registry::names(collide::DETECTORS).collect()
}
