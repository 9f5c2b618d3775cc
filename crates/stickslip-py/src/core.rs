//! What an [`Engine`](crate::engine::Engine) owns: the scene as it was described, and the
//! simulator built from it.
//!
//! The simulator is taken out while it steps, so that no lock is held meanwhile; whoever looks
//! then finds `out` set and says so. A stage written in Python sees a copy of the state.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

use pyo3::prelude::*;
use stickslip::{
    BodyId, BodyInit, Dimension, JointInit, Model, ModelBuilder, ModelError, Motion, Runner,
    Settings, Simulator, State,
    model::{Camera, FrictionRule, JointId, Motor, PairOverride, RestitutionRule},
};
use stickslip_geometry::Vec3;
use stickslip_record::Recorder;
use stickslip_scene::{Plan, PlannedSensor};

use crate::{
    error::{OrRaise, busy, raise},
    force::Forces,
    live::Live,
    stages::{Link, PyDetector, PyFormulation, PySolver, PyWatch},
};

/// Which stages are written in Python.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Custom {
    pub detector: bool,
    pub formulation: bool,
    pub solver: bool,
    pub watch: bool,
}

impl Custom {
    pub fn any(self) -> bool {
        self != Self::default()
    }
}

/// The scene, as it was described.
#[derive(Clone)]
pub struct Description {
    pub dimension: Dimension,
    pub gravity: Vec3,
    pub friction_rule: FrictionRule,
    pub restitution_rule: RestitutionRule,
    pub bodies: Vec<BodyInit>,
    pub names: BTreeMap<String, usize>,
    pub joints: Vec<JointInit>,
    /// Force elements, beyond those of the scene file.
    pub forces: Forces,
    /// A scene file's model: its joints and pairs come before the ones here.
    pub base: Option<Arc<Model>>,
    /// Motors of joints of the scene file that had none there.
    pub drives: BTreeMap<usize, Motor>,
    pub pairs: BTreeMap<(usize, usize), PairOverride>,
    /// Bodies and the names of those they do not touch, which may come later.
    pub ignores: BTreeSet<(usize, String)>,
    /// What happens, in one line.
    pub about: String,
    pub camera: Option<Camera>,
    /// Sensors of the robots.
    pub sensors: Vec<PlannedSensor>,
}

impl Description {
    /// Adds a body after checking it by itself.
    pub fn add(&mut self, init: BodyInit) -> Result<usize, ModelError> {
        let index = self.bodies.len();
        let mut init = init;
        if init.body.name.is_empty() {
            init.body.name = self.free_name(index + 1);
        }
        if self.names.contains_key(&init.body.name) {
            return Err(ModelError::DuplicateName(init.body.name));
        }
        self.check(&init)?;
        self.names.insert(init.body.name.clone(), index);
        self.bodies.push(init);
        Ok(index)
    }

    fn free_name(&self, first: usize) -> String {
        let mut number = first;
        while self.names.contains_key(&format!("body-{number}")) {
            number += 1;
        }
        format!("body-{number}")
    }

    /// Whether the builder takes this body.
    pub fn check(&self, init: &BodyInit) -> Result<(), ModelError> {
        ModelBuilder::new(self.dimension).add(init.clone()).map(|_| ())
    }

    /// The body of that name.
    pub fn find(&self, name: &str) -> Result<usize, ModelError> {
        self.names.get(name).copied().ok_or_else(|| ModelError::UnknownBody {
            name: name.to_owned(),
            hint: match self.names.len() {
                0 => "; there are no bodies".to_owned(),
                1..=20 => {
                    let all: Vec<&str> = self.names.keys().map(String::as_str).collect();
                    format!("; there are: {}", all.join(", "))
                }
                n => format!(" among {n}"),
            },
        })
    }

    /// Adds a joint after checking it.
    pub fn add_joint(&mut self, mut init: JointInit) -> Result<usize, ModelError> {
        let names = self.joint_names();
        let index = names.len();
        if init.name.is_empty() {
            let taken = |n: usize| names.contains(&format!("joint-{n}"));
            let free = (index + 1..).find(|&n| !taken(n)).unwrap_or(index + 1);
            init.name = format!("joint-{free}");
        }
        self.joints.push(init);
        let built = self.build();
        if built.is_err() {
            self.joints.pop();
        }
        built.map(|_| index)
    }

    /// Adds the bodies and joints of a robot, all or none.
    pub fn add_robot(&mut self, plan: &Plan) -> Result<(), ModelError> {
        let mut changed = self.clone();
        let first = (changed.bodies.len(), changed.joint_names().len());
        for init in &plan.bodies {
            changed.add(init.clone())?;
        }
        changed.joints.extend(plan.joints_from(first.0, first.1));
        for &[a, b] in &plan.ignored {
            changed.ignores.insert((first.0 + a, plan.bodies[b].body.name.clone()));
        }
        changed.sensors.extend(plan.sensors.iter().cloned());
        changed.build()?;
        *self = changed;
        Ok(())
    }

    /// The names of all joints, those of the scene file first.
    pub fn joint_names(&self) -> Vec<String> {
        let base = self.base.iter().flat_map(|m| m.joints()).map(|j| j.name.clone());
        base.chain(self.joints.iter().map(|j| j.name.clone())).collect()
    }

    /// The joint of that name.
    pub fn find_joint(&self, name: &str) -> PyResult<usize> {
        let all = self.joint_names();
        all.iter().position(|j| j == name).ok_or_else(|| {
            let there = if all.is_empty() { "none".to_owned() } else { all.join(", ") };
            raise("UnknownBodyError", format!("no joint is named {name:?}; there are: {there}"))
        })
    }

    pub fn build(&self) -> Result<(Model, State), ModelError> {
        let mut builder = ModelBuilder::new(self.dimension);
        builder.gravity(self.gravity).rules(self.friction_rule, self.restitution_rule);
        for init in &self.bodies {
            builder.add(init.clone())?;
        }
        if let Some(base) = &self.base {
            builder.adopt(base);
        }
        for (index, motor) in &self.drives {
            builder.drive(JointId::new(*index), *motor, None)?;
        }
        for joint in &self.joints {
            builder.joint(joint.clone())?;
        }
        for force in &self.forces.list {
            builder.force(force.clone())?;
        }
        for (a, name) in &self.ignores {
            builder.ignore(BodyId::new(*a), BodyId::new(self.find(name)?));
        }
        for ((a, b), values) in &self.pairs {
            builder.pair(BodyId::new(*a), BodyId::new(*b), *values);
        }
        builder.describe(&self.about).camera(self.camera.clone())?;
        Ok(builder.build())
    }
}

/// See the module.
pub struct Core {
    pub description: Description,
    pub settings: Settings,
    pub custom: Custom,
    /// The scene as last built, for those who look while the simulator is out.
    pub model: Arc<Model>,
    pub runner: Option<Box<Runner>>,
    /// The description changed since the simulator was built.
    pub stale: bool,
    /// The simulator is in a step.
    pub out: bool,
    /// A user function around a step is being called.
    pub calling: bool,
    /// The state that a stage written in Python may look at.
    pub seen: Option<State>,
    pub link: Arc<Mutex<Link>>,
    pub live: Live,
    /// The file that the present run goes to.
    pub recorder: Option<Recorder>,
}

impl Core {
    pub fn new(description: Description, settings: Settings) -> Self {
        let (model, _) = ModelBuilder::new(description.dimension).build();
        Self {
            description,
            settings,
            custom: Custom::default(),
            model: Arc::new(model),
            runner: None,
            stale: true,
            out: false,
            calling: false,
            seen: None,
            link: Arc::default(),
            live: Live::default(),
            recorder: None,
        }
    }

    /// The same scene at the same state, by itself.
    pub fn duplicate(&mut self, py: Python<'_>) -> PyResult<Self> {
        let runner = self.ready("it cannot be copied")?;
        let (state, memory) = (runner.simulator.state.clone(), runner.simulator.pipeline.memory());
        let mut description = self.description.clone();
        description.forces = self.description.forces.duplicate(py);
        let mut copy = Self::new(description, self.settings.clone());
        copy.custom = self.custom;
        let runner = copy.ready("it cannot be copied")?;
        runner.simulator.state = state;
        let same = runner.simulator.pipeline.recall(&memory);
        same.map_err(|e| raise("ModelError", e.to_string()))?;
        Ok(copy)
    }

    /// Whether the scene and its stages may change now.
    pub fn may_change(&self, doing: &str) -> PyResult<()> {
        if self.out {
            return Err(busy(doing));
        }
        match self.recorder {
            Some(_) => Err(raise("BusyError", format!("the run is being recorded, so {doing}"))),
            None => Ok(()),
        }
    }

    /// The simulator, built anew if the description changed.
    pub fn ready(&mut self, doing: &str) -> PyResult<&mut Runner> {
        if self.out {
            return Err(busy(doing));
        }
        if self.stale || self.runner.is_none() {
            self.build()?;
        }
        self.runner.as_deref_mut().ok_or_else(|| busy(doing))
    }

    /// The present state, as far as the caller may see it.
    pub fn state(&mut self) -> PyResult<&State> {
        if self.out {
            return self.seen.as_ref().ok_or_else(|| {
                busy("its state cannot be read; read it in after_step, or wait for the run to end")
            });
        }
        Ok(&self.ready("its state cannot be read")?.simulator.state)
    }

    /// The present state, for changes.
    pub fn state_mut(&mut self) -> PyResult<&mut State> {
        Ok(&mut self.ready("its state cannot be changed; use before_step")?.simulator.state)
    }

    /// The model that belongs to [`Core::state`].
    pub fn model(&mut self) -> PyResult<Arc<Model>> {
        if !self.out {
            self.ready("it cannot be read")?;
        }
        Ok(Arc::clone(&self.model))
    }

    /// Takes the simulator out for a step.
    pub fn take(&mut self) -> PyResult<Box<Runner>> {
        self.ready("another cannot begin")?;
        self.out = true;
        self.runner.take().ok_or_else(|| busy("another cannot begin"))
    }

    /// Puts it back.
    pub fn put(&mut self, runner: Box<Runner>) {
        self.runner = Some(runner);
        self.out = false;
        self.seen = None;
    }

    fn build(&mut self) -> PyResult<()> {
        let (model, mut state) = self.description.build().or_raise()?;
        // What was there stays if the new one cannot be built.
        if let Some(old) = &self.runner {
            carry(&old.simulator.state, &mut state, &model);
        }
        let shown = Arc::new(model.clone());
        let mut simulator = Simulator::new(model, state, self.settings.clone()).or_raise()?;
        self.install(&mut simulator);
        if let Some(old) = self.runner.take() {
            simulator.pipeline.warm_start = old.simulator.pipeline.warm_start;
        }
        self.model = shown;
        self.runner = Some(Box::new(Runner::new(simulator)));
        self.stale = false;
        self.live.forget();
        Ok(())
    }

    /// Stages written in Python.
    fn install(&self, simulator: &mut Simulator) {
        let pipeline = &mut simulator.pipeline;
        if self.custom.detector {
            pipeline.detector = Box::new(PyDetector::new(&self.link));
        }
        if self.custom.formulation {
            pipeline.formulation = Box::new(PyFormulation::new(&self.link));
        }
        if self.custom.solver {
            pipeline.solver = Box::new(PySolver::new(&self.link));
        }
        if self.custom.watch {
            pipeline.watch = Box::new(PyWatch::new(&self.link));
        }
    }
}

/// Bodies that were there before keep their place and velocity.
fn carry(old: &State, new: &mut State, model: &Model) {
    (new.time, new.step, new.last_h) = (old.time, old.step, old.last_h);
    for (new, old) in new.joint_angles.iter_mut().zip(&old.joint_angles) {
        *new = *old;
    }
    for (new, old) in new.motors.iter_mut().zip(&old.motors) {
        *new = *old;
    }
    for (new, old) in new.broken.iter_mut().zip(&old.broken) {
        *new = *old;
    }
    for id in model.ids().take(old.q.len()) {
        let i = id.index();
        (new.q[i], new.angle[i], new.applied[i]) = (old.q[i], old.angle[i], old.applied[i]);
        if model.body(id).motion != Motion::Static {
            new.nu[i] = old.nu[i];
            new.instant_spin[i] = old.instant_spin[i];
        }
    }
}
