//! Force elements from keywords, and those that are functions written in Python.
//!
//! A function is held here, where Python's garbage collector sees it ([`Functions::traverse`]): it
//! may well refer to the simulator that it acts in.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::PyReadonlyArray2;
use pyo3::{PyTraverseError, PyVisit, prelude::*, types::PyDict};
use stickslip::{
    BodyId, ForceInit, Model, State,
    model::{ForceKind, JointId},
    state::Wrench,
};
use stickslip_geometry::Vec3;

use crate::{
    body::read,
    convert::{self, Triple},
    core::Description,
    error::{OrRaise, raise},
};

/// A function and what it raised.
#[derive(Default)]
struct Held {
    function: Mutex<Option<Py<PyAny>>>,
    raised: Mutex<Option<PyErr>>,
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The force elements of a description.
#[derive(Clone, Default)]
pub struct Forces {
    pub list: Vec<ForceInit>,
    /// Functions among them, by their place.
    functions: Vec<(usize, Arc<Held>)>,
}

impl Forces {
    /// The same with functions of their own: a reference that two owners count would be counted
    /// twice by the garbage collector.
    pub fn duplicate(&self, py: Python<'_>) -> Self {
        let mut out = Self { list: self.list.clone(), functions: Vec::new() };
        for (index, held) in &self.functions {
            let function = open(&held.function).as_ref().map(|f| f.clone_ref(py));
            out.hold(*index, function);
        }
        out
    }

    fn hold(&mut self, index: usize, function: Option<Py<PyAny>>) {
        let held = Arc::new(Held { function: Mutex::new(function), raised: Mutex::default() });
        let caller = Arc::clone(&held);
        let call = move |model: &Model, state: &State, out: &mut [Wrench]| {
            if open(&caller.raised).is_some() {
                return;
            }
            if let Err(error) = Python::attach(|py| call(py, &caller, (model, state), out)) {
                // The step ends at once, and raises what was raised here.
                out.iter_mut().for_each(|w| w.force = Vec3::NAN);
                *open(&caller.raised) = Some(error);
            }
        };
        let init = &mut self.list[index];
        init.kind = ForceInit::function(call).kind;
        self.functions.push((index, held));
    }

    /// What a function raised.
    pub fn raised(&self) -> Option<PyErr> {
        self.functions.iter().find_map(|(_, held)| open(&held.raised).take())
    }

    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        for (_, held) in &self.functions {
            if let Ok(function) = held.function.try_lock()
                && let Some(function) = &*function
            {
                visit.call(function)?;
            }
        }
        Ok(())
    }

    pub fn clear(&mut self) {
        let taken: Vec<_> =
            self.functions.iter().map(|(_, held)| open(&held.function).take()).collect();
        drop(taken);
    }
}

/// `function(time, positions, velocities, names) -> table of forces and torques`.
fn call(
    py: Python<'_>,
    held: &Held,
    (model, state): (&Model, &State),
    out: &mut [Wrench],
) -> PyResult<()> {
    let Some(function) = open(&held.function).as_ref().map(|f| f.clone_ref(py)) else {
        return Ok(());
    };
    let pose = |q: &stickslip_geometry::Pose| {
        let turn = convert::wxyz(q.orientation);
        q.position.to_array().into_iter().chain(turn)
    };
    let places = convert::table(py, state.q.iter().flat_map(pose).collect(), 7)?;
    let twist =
        |nu: &stickslip::Twist| nu.linear.to_array().into_iter().chain(nu.angular.to_array());
    let rates = convert::table(py, state.nu.iter().flat_map(twist).collect(), 6)?;
    let names: Vec<&str> = model.bodies().iter().map(|b| b.name.as_str()).collect();
    let found = function.bind(py).call1((state.time, places, rates, names))?;
    let table: PyReadonlyArray2<'_, f64> = found.extract()?;
    for (row, w) in convert::rows_of(&table, 6)?.iter().zip(out) {
        if row.iter().any(|x| !x.is_finite()) {
            let text = "a force element gave a force that is not finite".to_owned();
            return Err(raise("ModelError", text));
        }
        w.force += Vec3::new(row[0], row[1], row[2]);
        w.torque += Vec3::new(row[3], row[4], row[5]);
    }
    Ok(())
}

/// Adds a force element from the keywords that were given.
pub fn add(scene: &mut Description, fields: &Bound<'_, PyDict>) -> PyResult<String> {
    let mut init = make(scene, fields)?;
    let base = scene.base.iter().flat_map(|m| m.force_elements()).map(|f| f.name.clone());
    let names: Vec<String> = base.chain(scene.forces.list.iter().map(|f| f.name.clone())).collect();
    init.name = read(fields, "name")?.unwrap_or_default();
    if init.name.is_empty() {
        let taken = |n: &usize| names.contains(&format!("force-{n}"));
        let free = (names.len() + 1..).find(|n| !taken(n)).unwrap_or_default();
        init.name = format!("force-{free}");
    }
    let (name, index) = (init.name.clone(), scene.forces.list.len());
    scene.forces.list.push(init);
    if let Err(error) = scene.build() {
        scene.forces.list.pop();
        return Err(error).or_raise();
    }
    if let Some(function) = read::<Py<PyAny>>(fields, "function")? {
        scene.forces.hold(index, Some(function));
    }
    Ok(name)
}

fn make(scene: &Description, fields: &Bound<'_, PyDict>) -> PyResult<ForceInit> {
    let vector = |key: &str| Ok::<_, PyErr>(read::<Triple>(fields, key)?.map(Vec3::from));
    let body = |name: &str| -> PyResult<Option<BodyId>> {
        match name {
            "world" if !scene.names.contains_key(name) => Ok(None),
            _ => Ok(Some(BodyId::new(scene.find(name).or_raise()?))),
        }
    };
    let bodies = match read::<[String; 2]>(fields, "bodies")? {
        Some([a, b]) => [body(&a)?, body(&b)?],
        None => [None, None],
    };
    let six = |key: &str| Ok::<_, PyErr>(read::<[f64; 6]>(fields, key)?.unwrap_or_default());
    let (stiffness, damping) = (six("stiffness")?, six("damping")?);
    let kind: String = read(fields, "kind")?.unwrap_or_default();
    let kind = match kind.as_str() {
        "spring" => {
            let rest_length = read(fields, "rest_length")?.unwrap_or(f64::NAN);
            ForceKind::Spring { rest_length, stiffness: stiffness[0], damping: damping[0] }
        }
        "joint-spring" => {
            let joint: String = read(fields, "joint")?.unwrap_or_default();
            let joint = JointId::new(scene.find_joint(&joint)?);
            let position = read(fields, "position")?.unwrap_or(0.0);
            ForceKind::JointSpring { joint, position, stiffness: stiffness[0], damping: damping[0] }
        }
        "bushing" => ForceKind::Bushing { stiffness, damping },
        "gravity-compensation" => {
            ForceKind::GravityCompensation { part: read(fields, "part")?.unwrap_or(1.0) }
        }
        _ => ForceInit::function(|_, _, _| {}).kind,
    };
    let mut init = ForceInit::new(kind, bodies[0], bodies[1]);
    init.anchors = [vector("anchor")?, vector("anchor_b")?];
    Ok(init)
}
