//! The simulator as the Python classes see it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::{prelude::*, sync::MutexExt, types::PyDict};
use stickslip::{
    Dimension, Model, ModelError, Motion, Runner, Settings, State, StepReport, collide, formulate,
    model::PairOverride, state,
};
use stickslip_geometry::{Quat, Vec3};

use crate::{
    advance::{self, Plan},
    body,
    capture::{Captured, Solve},
    contacts,
    convert::{self, Triple},
    core::{Core, Custom, Description},
    error::{OrRaise, busy, raise},
    frame, live,
    log::Log,
    problem::Problem,
    settings,
    snapshot::Snapshot,
    solid::Solid,
};

/// A scene and its simulator. Safe to share between threads: it is locked only briefly, and says
/// so when it is in the middle of a step.
#[pyclass(frozen, module = "stickslip._core")]
pub struct Engine {
    core: Mutex<Core>,
    /// What the last step saw.
    pub captured: Arc<Mutex<Captured>>,
}

/// step, time, contacts, unknowns, solves, iterations, failures, residual, status, solver, traps,
/// joint error, seconds.
type Report = (
    (u64, f64, usize, usize),
    (usize, usize, usize, f64, Option<&'static str>, &'static str),
    (usize, f64, f64),
);

/// The problem, z0, z, status, iterations, solver.
type LastSolve<'py> = (
    Problem,
    Bound<'py, PyArray1<f64>>,
    Option<(Bound<'py, PyArray1<f64>>, &'static str, usize, &'static str)>,
);

impl Engine {
    fn of(core: Core) -> Self {
        let captured = Arc::clone(&core.captured);
        Self { core: Mutex::new(core), captured }
    }

    /// The contents; waits without the interpreter's lock.
    pub fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Core> {
        self.core.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// A consistent look at scene, state and settings.
    fn look(&self, py: Python<'_>) -> PyResult<(Arc<Model>, State, Settings)> {
        let mut core = self.lock(py);
        let model = core.model()?;
        Ok((model, core.state()?.clone(), core.settings.clone()))
    }

    /// Changes the description, which is then built anew.
    fn describe_anew<T>(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut Description) -> PyResult<T>,
    ) -> PyResult<T> {
        let mut core = self.lock(py);
        if core.out {
            return Err(busy("the scene cannot be changed"));
        }
        let result = change(&mut core.description)?;
        core.stale = true;
        Ok(result)
    }

    fn kept(&self) -> MutexGuard<'_, Captured> {
        self.captured.lock().unwrap_or_else(PoisonError::into_inner)
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
            pairs: Default::default(),
            ignores: Default::default(),
        };
        Ok(Self::of(Core::new(description, Settings::default())))
    }

    /// The same scene at the same state, by itself.
    fn duplicate(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(Self::of(self.lock(py).duplicate()?))
    }

    /// Dimension, gravity, friction rule, restitution rule.
    fn world(&self, py: Python<'_>) -> (usize, Triple, String, String) {
        let core = self.lock(py);
        let d = &core.description;
        let (friction, restitution) =
            (settings::spell(&d.friction_rule), settings::spell(&d.restitution_rule));
        (convert::width(d.dimension), d.gravity.to_array(), friction, restitution)
    }

    fn set_gravity(&self, py: Python<'_>, gravity: Triple) -> PyResult<()> {
        self.describe_anew(py, |d| {
            d.gravity = Vec3::from(gravity);
            Ok(())
        })
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
            _ => core.stale = true,
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
        if core.out {
            return Err(busy("its stages cannot be changed"));
        }
        let custom = Custom { detector, formulation, solver, watch };
        core.stale |= custom != core.custom;
        core.custom = custom;
        Ok(())
    }

    fn add(&self, py: Python<'_>, solid: &Solid, fields: &Bound<'_, PyDict>) -> PyResult<usize> {
        let init = body::make(solid, fields)?;
        let ignore: Vec<String> =
            fields.get_item("ignore")?.map_or(Ok(Vec::new()), |names| names.extract())?;
        self.describe_anew(py, |d| {
            let index = d.add(init).or_raise()?;
            d.ignores.extend(ignore.into_iter().map(|name| (index, name)));
            Ok(index)
        })
    }

    fn find(&self, py: Python<'_>, name: &str) -> PyResult<usize> {
        self.lock(py).description.find(name).or_raise()
    }

    fn names(&self, py: Python<'_>) -> Vec<String> {
        self.lock(py).description.bodies.iter().map(|b| b.body.name.clone()).collect()
    }

    fn body<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyDict>> {
        let init = self.lock(py).description.bodies[index].clone();
        body::describe(py, &init)
    }

    /// Changes properties of a body.
    fn set_body(&self, py: Python<'_>, index: usize, fields: &Bound<'_, PyDict>) -> PyResult<()> {
        let mut init = self.lock(py).description.bodies[index].clone();
        body::update(&mut init, fields)?;
        self.describe_anew(py, |d| {
            d.check(&init).or_raise()?;
            d.bodies[index] = init;
            Ok(())
        })
    }

    /// Friction and restitution of two bodies; `None` leaves the rule.
    fn pair(
        &self,
        py: Python<'_>,
        bodies: (usize, usize),
        friction: Option<f64>,
        restitution: Option<f64>,
    ) -> PyResult<()> {
        let (a, b) = (bodies.0.min(bodies.1), bodies.0.max(bodies.1));
        self.describe_anew(py, |d| {
            let range = |what, value: Option<f64>, ok: fn(f64) -> bool, range| match value {
                Some(value) if !ok(value) => {
                    let body = d.bodies[a].body.name.clone();
                    Err(ModelError::Range { body, what, value, range })
                }
                _ => Ok(()),
            };
            range("friction", friction, |x| x >= 0.0 && x.is_finite(), "0 or more").or_raise()?;
            range("restitution", restitution, |x| (0.0..=1.0).contains(&x), "between 0 and 1")
                .or_raise()?;
            d.pairs.insert((a, b), PairOverride { friction, restitution });
            Ok(())
        })
    }

    fn ignore(&self, py: Python<'_>, a: usize, b: usize) -> PyResult<()> {
        self.describe_anew(py, |d| {
            let name = d.bodies[b].body.name.clone();
            d.ignores.insert((a, name));
            Ok(())
        })
    }

    /// Time and number of steps.
    fn clock(&self, py: Python<'_>) -> PyResult<(f64, u64)> {
        let mut core = self.lock(py);
        let state = core.state()?;
        Ok((state.time, state.step))
    }

    /// A quantity of all bodies, following the simulation.
    fn live<'py>(&self, py: Python<'py>, quantity: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let mut core = self.lock(py);
        if core.out {
            return Err(busy("its state cannot be read as a whole"));
        }
        core.ready("its state cannot be read")?;
        let core = &mut *core;
        let Some(runner) = &core.runner else { return Err(busy("its state cannot be read")) };
        let seen = (core.description.dimension, &runner.simulator.state);
        core.live.get(py, quantity, seen)
    }

    /// A quantity of one body.
    fn quantity<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        which: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut core = self.lock(py);
        let dimension = core.description.dimension;
        let (all, n) = live::numbers(dimension, core.state()?, index, which);
        Ok(PyArray1::from_slice(py, &all[..n]))
    }

    /// Moves a body: any of position, orientation (or angle), velocity, angular velocity.
    fn place(&self, py: Python<'_>, index: usize, fields: &Bound<'_, PyDict>) -> PyResult<()> {
        let mut core = self.lock(py);
        let two = core.description.dimension == Dimension::Two;
        let mut init = core.description.bodies[index].clone();
        let fixed = init.body.motion == Motion::Static;
        let state = core.state()?;
        (init.pose, init.angle, init.twist) = (state.q[index], state.angle[index], state.nu[index]);
        body::update(&mut init, fields)?;
        core.description.check(&init).or_raise()?;
        let state = core.state_mut()?;
        state.angle[index] = init.angle;
        let turn = init.pose.orientation.normalize();
        init.pose.orientation = if two { Quat::from_rotation_z(init.angle) } else { turn };
        state.q[index] = init.pose;
        if !fixed {
            state.nu[index] = init.twist;
        }
        core.refresh(py)
    }

    /// Adds to the force and torque that act during the coming step.
    fn apply(
        &self,
        py: Python<'_>,
        index: usize,
        force: Triple,
        torque: Triple,
        point: Option<Triple>,
    ) -> PyResult<()> {
        let (force, mut torque) = (Vec3::from(force), Vec3::from(torque));
        let mut core = self.lock(py);
        let state = core.state_mut()?;
        if let Some(point) = point {
            torque += (Vec3::from(point) - state.q[index].position).cross(force);
        }
        if !force.is_finite() || !torque.is_finite() {
            let name = core.description.bodies[index].body.name.clone();
            let what = "force and torque";
            return Err(ModelError::NotFinite { body: name, what }).or_raise();
        }
        let applied = &mut state.applied[index];
        applied.force += force;
        applied.torque += torque;
        Ok(())
    }

    fn save(&self, py: Python<'_>) -> PyResult<Snapshot> {
        let mut core = self.lock(py);
        let sim = &core.ready("its state cannot be saved")?.simulator;
        Ok(Snapshot { state: sim.state.clone(), warm: sim.pipeline.warm_start.clone() })
    }

    fn restore(&self, py: Python<'_>, saved: &Snapshot) -> PyResult<()> {
        let mut core = self.lock(py);
        let sim = &mut core.ready("its state cannot be restored")?.simulator;
        if saved.state.q.len() != sim.state.q.len() {
            let (found, n) = (saved.state.q.len(), sim.state.q.len());
            let text = format!("the saved state has {found} bodies, the simulator {n}");
            return Err(raise("ModelError", text));
        }
        sim.state = saved.state.clone();
        sim.pipeline.warm_start = saved.warm.clone();
        core.refresh(py)
    }

    /// Kinetic plus potential energy; linear and angular momentum.
    fn totals(&self, py: Python<'_>) -> PyResult<(f64, Triple, Triple)> {
        let (model, state, _) = self.look(py)?;
        let (linear, angular) = state.momentum(&model);
        Ok((state.energy(&model), linear.to_array(), angular.to_array()))
    }

    /// True overlap: depth, volume, the worst pair.
    fn overlap(&self, py: Python<'_>) -> PyResult<(f64, f64, Option<(usize, usize)>)> {
        let (model, state, _) = self.look(py)?;
        let found = py.detach(|| stickslip::oracle::measure(&model, &state));
        Ok((found.depth, found.volume, found.worst.map(|(a, b)| (a.index(), b.index()))))
    }

    /// A log with the present state as its first sample, and counters set to zero.
    fn begin_log(&self, py: Python<'_>, every: u64, judge: bool) -> PyResult<Log> {
        let mut core = self.lock(py);
        if core.calling {
            return Err(busy("another run cannot begin"));
        }
        core.ready("another run cannot begin")?;
        let runner = core.take()?;
        let mut runner = Runner::new(runner.simulator);
        runner.judge = judge;
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

    /// Steps; returns how many, and what the last one reports.
    fn advance(
        slf: &Bound<'_, Self>,
        sim: &Bound<'_, PyAny>,
        steps: u64,
        budget: f64,
        log: Option<&Bound<'_, Log>>,
    ) -> PyResult<(u64, Option<Report>)> {
        let py = slf.py();
        if slf.get().lock(py).calling {
            return Err(busy("another cannot begin"));
        }
        let plan = Plan { steps, budget, judged: log.is_some(), log: log.map(|l| l.get()) };
        let (done, last) = advance::run(py, slf, sim, &plan)?;
        Ok((done, last.map(|r| report(&r))))
    }

    /// Contacts of the last step: those in its problem with impulses, or all that were found.
    fn contacts<'py>(&self, py: Python<'py>, all: bool) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = match &self.kept().data {
            None => Vec::new(),
            Some(data) if all => contacts::table(&data.contacts, &[]),
            Some(data) => contacts::table(&data.motion.contacts, &data.motion.forces),
        };
        convert::table(py, rows, contacts::COLUMNS)
    }

    /// The last problem that was solved in the last step.
    fn last_solve<'py>(&self, py: Python<'py>) -> Option<LastSolve<'py>> {
        let Solve { problem, z0, solution } = self.kept().solve.clone()?;
        let solution = solution
            .map(|s| (PyArray1::from_vec(py, s.z), s.status.as_str(), s.iterations, s.solver));
        Some((Problem::of(problem), PyArray1::from_vec(py, z0), solution))
    }

    /// Contacts at the present state by the detector of that name.
    fn detect<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (model, state, settings) = self.look(py)?;
        frame::detect(py, (&model, &state), &settings, name)
    }

    fn mass_matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (model, state, _) = self.look(py)?;
        Ok(frame::mass_matrix(py, &model, &state))
    }

    fn free_velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (model, state, settings) = self.look(py)?;
        Ok(frame::free_velocity(py, (&model, &state), &settings))
    }

    /// The velocities of the bodies that forces move.
    fn velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (model, state, _) = self.look(py)?;
        Ok(PyArray1::from_vec(py, state::gather(&model, &state)))
    }

    /// Where the velocities of a body start in that vector.
    fn dof(&self, py: Python<'_>, index: usize) -> PyResult<Option<usize>> {
        let model = self.lock(py).model()?;
        Ok(model.dof(stickslip::BodyId::new(index)))
    }

    /// Friction and restitution between two bodies.
    fn material(&self, py: Python<'_>, a: usize, b: usize) -> PyResult<(f64, f64)> {
        let model = self.lock(py).model()?;
        let found = model.material(stickslip::BodyId::new(a), stickslip::BodyId::new(b));
        Ok((found.friction, found.restitution))
    }

    /// One row per contact and direction, and what prescribed motions add.
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        table: PyReadonlyArray2<'py, f64>,
        directions: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>)> {
        let (model, state, _) = self.look(py)?;
        frame::jacobian(py, (&model, &state), &table, &directions)
    }
}

fn report(r: &StepReport) -> Report {
    let s = &r.solves;
    (
        (r.step, r.time, r.contacts, s.size),
        (s.count, s.iterations, s.failures, s.residual, s.status.map(|x| x.as_str()), s.solver),
        (r.traps, r.joint_error, r.seconds.total()),
    )
}

/// The names of the formulations, and one line about each.
#[pyfunction]
pub fn formulations() -> Vec<(&'static str, &'static str)> {
    formulate::FORMULATIONS.to_vec()
}

/// The names of the detectors.
#[pyfunction]
pub fn detectors() -> Vec<&'static str> {
    collide::names().collect()
}
