//! The scene of an engine: bodies, joints, pairs.

use std::collections::BTreeMap;

use numpy::PyArray1;
use pyo3::{prelude::*, types::PyDict};
use stickslip::{
    BodyId, ModelError,
    model::{Camera, JointId, Mortar, PairOverride},
};
use stickslip_geometry::{Pose, Vec3};
use stickslip_scene::{PlannedSensor, Scene, SceneText, Zone};

use crate::{
    body,
    convert::{self, Triple},
    engine::Engine,
    error::{OrRaise, raise},
    file::Text,
    force,
    joint::{self, MotorNumbers},
    settings,
    solid::Solid,
};

/// Kind, bodies, positions, velocities, error.
type JointLook<'py> =
    (&'static str, [String; 2], Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, f64);

/// Body, position, quaternion.
type Place = (Option<String>, Triple, [f64; 4]);

/// Name, kind, place, frame, joint and its anchor, gear, zone, cutoff, bodies of the subtree.
type SensorFields = (
    String,
    String,
    Place,
    Place,
    Option<String>,
    Triple,
    f64,
    Option<(&'static str, Vec<f64>)>,
    f64,
    Vec<String>,
);

fn sensor_fields(sensor: &PlannedSensor) -> SensorFields {
    let place = |(body, pose): &(Option<String>, Pose)| {
        (body.clone(), pose.position.into(), convert::wxyz(pose.orientation))
    };
    let zone = sensor.zone.map(|zone| match zone {
        Zone::Ellipsoid(half) => ("ellipsoid", half.to_array().to_vec()),
        Zone::Box(half) => ("box", half.to_array().to_vec()),
        Zone::Cylinder(size) => ("cylinder", size.to_vec()),
        Zone::Capsule(size) => ("capsule", size.to_vec()),
    });
    (
        sensor.name.clone(),
        sensor.kind.clone(),
        place(&sensor.at),
        place(&sensor.relative_to),
        sensor.joint.clone(),
        sensor.anchor.into(),
        sensor.gear,
        zone,
        sensor.cutoff,
        sensor.subtree.clone(),
    )
}

/// Position, target, fov, height, follow.
type CameraFields = (Option<Triple>, Option<Triple>, Option<f64>, Option<f64>, Option<String>);

#[pymethods]
impl Engine {
    /// Dimension, gravity, friction rule, restitution rule.
    fn world(&self, py: Python<'_>) -> (usize, Triple, String, String) {
        let core = self.lock(py);
        let d = &core.description;
        let (friction, restitution) =
            (settings::spell(&d.friction_rule), settings::spell(&d.restitution_rule));
        (convert::width(d.dimension), d.gravity.to_array(), friction, restitution)
    }

    fn set_gravity(&self, py: Python<'_>, gravity: Triple) -> PyResult<()> {
        let gravity = Vec3::from(gravity);
        if !gravity.is_finite() {
            let text = format!("gravity = {gravity}, but it must be finite");
            return Err(raise("SettingsError", text));
        }
        self.describe_anew(py, |d| {
            d.gravity = gravity;
            Ok(())
        })
    }

    /// What happens, in one line.
    fn about(&self, py: Python<'_>) -> String {
        self.lock(py).description.about.clone()
    }

    fn set_about(&self, py: Python<'_>, text: String) -> PyResult<()> {
        self.describe_anew(py, |d| {
            d.about = text;
            Ok(())
        })
    }

    /// Where pictures are taken from: position, target, fov, height, follow.
    fn camera(&self, py: Python<'_>) -> Option<CameraFields> {
        let camera = self.lock(py).description.camera.clone()?;
        Some((camera.position, camera.target, camera.fov, camera.height, camera.follow))
    }

    fn set_camera(&self, py: Python<'_>, fields: Option<CameraFields>) -> PyResult<()> {
        let camera = fields.map(|(position, target, fov, height, follow)| Camera {
            position,
            target,
            fov,
            height,
            follow,
        });
        self.describe_anew(py, |d| {
            if let Some(camera) = &camera {
                camera
                    .check(d.dimension)
                    .map_err(|(key, reason)| ModelError::Camera { key, reason })
                    .or_raise()?;
                if let Some(name) = &camera.follow {
                    d.find(name).or_raise()?;
                }
            }
            d.camera = camera;
            Ok(())
        })
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

    /// What holds between two bodies, by the keys of `[[pair]]`; what is not given is left to the rules.
    fn pair(
        &self,
        py: Python<'_>,
        bodies: (usize, usize),
        values: BTreeMap<String, f64>,
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
            let get = |key: &str| values.get(key).copied();
            for (key, what) in [
                ("friction", "friction"),
                ("rolling_friction", "rolling friction"),
                ("torsional_friction", "torsional friction"),
                ("tensile_strength", "tensile strength"),
                ("crack_opening", "crack opening"),
            ] {
                range(what, get(key), |x| x >= 0.0 && x.is_finite(), "0 or more").or_raise()?;
            }
            let restitution = get("restitution");
            range("restitution", restitution, |x| (0.0..=1.0).contains(&x), "between 0 and 1")
                .or_raise()?;
            let opening = get("crack_opening").unwrap_or(Mortar::OPENING);
            let mortar = get("tensile_strength").map(|strength| Mortar { strength, opening });
            let (rolling, torsional) = (get("rolling_friction"), get("torsional_friction"));
            let friction = get("friction");
            let values = PairOverride { friction, restitution, rolling, torsional, mortar };
            d.pairs.insert((a, b), values);
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

    /// Where the velocities of a body start in that vector.
    fn dof(&self, py: Python<'_>, index: usize) -> PyResult<Option<usize>> {
        let model = self.lock(py).model()?;
        Ok(model.dof(BodyId::new(index)))
    }

    /// Friction and restitution between two bodies.
    fn material(&self, py: Python<'_>, a: usize, b: usize) -> PyResult<(f64, f64)> {
        let model = self.lock(py).model()?;
        let found = model.material(BodyId::new(a), BodyId::new(b));
        Ok((found.friction, found.restitution))
    }

    /// Adds a joint; its anchor and axis are those of the present places.
    fn add_joint(&self, py: Python<'_>, fields: &Bound<'_, PyDict>) -> PyResult<usize> {
        self.not_started(py, "joints")?;
        self.describe_anew(py, |d| {
            let init = joint::make(d, fields)?;
            d.add_joint(init).or_raise()
        })
    }

    /// Adds a force element; its anchors are those of the places at the start. Returns its name.
    fn add_force(&self, py: Python<'_>, fields: &Bound<'_, PyDict>) -> PyResult<String> {
        self.not_started(py, "force elements")?;
        self.describe_anew(py, |d| force::add(d, fields))
    }

    /// Adds the robot that the text of a scene imports; how many bodies and joints it has, and
    /// what was assumed.
    fn add_robot(&self, py: Python<'_>, text: Text) -> PyResult<(usize, usize, Vec<String>)> {
        self.not_started(py, "robots")?;
        let (file, name, text, folder) = text;
        let scene = SceneText { file, name, text, folder };
        let scene = py.detach(|| Scene::read(scene, &[])).or_raise()?;
        let warnings = scene.warnings.iter().map(ToString::to_string).collect();
        let mut counts = (0, 0);
        for plan in &scene.imports {
            self.describe_anew(py, |d| d.add_robot(plan).or_raise())?;
            counts = (counts.0 + plan.bodies.len(), counts.1 + plan.joints.len());
        }
        Ok((counts.0, counts.1, warnings))
    }

    /// The sensors of the robots.
    fn sensors(&self, py: Python<'_>) -> Vec<SensorFields> {
        let core = self.lock(py);
        core.description.sensors.iter().map(sensor_fields).collect()
    }

    fn joint_names(&self, py: Python<'_>) -> Vec<String> {
        self.lock(py).description.joint_names()
    }

    fn find_joint(&self, py: Python<'_>, name: &str) -> PyResult<usize> {
        self.lock(py).description.find_joint(name)
    }

    /// Kind, bodies, positions and velocities of the free directions, error.
    fn joint<'py>(&self, py: Python<'py>, index: usize) -> PyResult<JointLook<'py>> {
        let (model, state, _) = self.present(py)?;
        let id = JointId::new(index);
        let joint = model.joint(id);
        let name = |b: Option<BodyId>| b.map_or("world", |b| &model.body(b).name).to_owned();
        Ok((
            joint.kind.name(),
            joint.bodies.map(name),
            PyArray1::from_vec(py, model.joint_position(&state, id)),
            PyArray1::from_vec(py, model.joint_velocity(&state, id)),
            model.joint_error(&state, id),
        ))
    }

    /// The motor: whether it aims at a position, target, stiffness, damping, largest force.
    fn motor(&self, py: Python<'_>, index: usize) -> PyResult<Option<MotorNumbers>> {
        let mut core = self.lock(py);
        let model = core.model()?;
        let (joint, state) = (&model.joints()[index], core.state()?);
        let present = state.motors[index].map(|m| m.at(joint.path.as_ref(), state.time));
        Ok(present.and_then(|m| joint::own_numbers(joint, &m)))
    }

    fn set_motor(
        &self,
        py: Python<'_>,
        index: usize,
        numbers: Option<MotorNumbers>,
    ) -> PyResult<()> {
        let mut core = self.lock(py);
        let motor = joint::put_on(&core.model()?.joints()[index], numbers)?;
        core.state_mut()?;
        // A joint that never had a motor has no rows for one.
        let known = core.description.base.as_ref().map_or(0, |m| m.joints().len());
        let missing = core.model()?.joints()[index].motor.is_none() && motor.is_some();
        if let Some(motor) = motor.filter(|_| missing) {
            match index < known {
                true => drop(core.description.drives.insert(index, motor)),
                false => core.description.joints[index - known].motor = Some(motor),
            }
            core.stale = true;
        }
        core.state_mut()?.motors[index] = motor;
        Ok(())
    }
}
