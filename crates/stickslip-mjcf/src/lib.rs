//! Robots described in MJCF, the format of MuJoCo.
//!
//! [`read`] makes the same [`Robot`] of a file that URDF files become: bodies are its links. Bodies
//! with several joints get a body of a millionth of the robot's mass between each two. Shapes of
//! the world are bodies that stand still; bits of `contype` and `conaffinity` are honoured for whole
//! bodies. Position, velocity and affine actuators become motors at their control of zero or that of
//! the keyframe; actuators of pure force give their joint its largest force.
//!
//! Sensors become those of the scene. What cannot be honoured is noted once: soft contact parameters, tendons,
//! armature, sensors of other kinds.

mod actuator;
mod compiler;
mod defaults;
mod element;
mod geom;
mod reader;
mod relation;
mod sensor;

use std::path::Path;

use element::Element;
use reader::Reader;
use stickslip::geometry::Vec3;
use stickslip_urdf::{Robot, UrdfError};

/// Whether a file is MJCF, by its name and the name of its first element.
pub fn is_mjcf(path: &Path) -> bool {
    let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("mjcf") => true,
        // URDF files may hold a <mujoco> element too, within <robot>.
        Some("xml") => std::fs::read_to_string(path).is_ok_and(|text| {
            let first = |tag| text.find(tag).unwrap_or(usize::MAX);
            first("<mujoco") < first("<robot")
        }),
        _ => false,
    }
}

/// Reads a file, with the joints where a keyframe has them (by name, or by number from 0).
pub fn read(path: &Path, keyframe: Option<&str>) -> Result<Robot, UrdfError> {
    let root = Element::read(path)?;
    if root.tag != "mujoco" {
        let what = format!("the file must begin with <mujoco>, not <{}>", root.tag);
        return Err(UrdfError::At { file: path.display().to_string(), line: root.line, what });
    }
    let mut reader = Reader::new(path, &root);
    reader.assets(&root);
    reader.world(&root)?;
    reader.relations(&root);
    let controls = keyframe.map(|name| reader.keyframe(&root, name)).transpose()?;
    reader.actuators(&root, &controls.unwrap_or_default());
    reader.sensors(&root);
    unhonoured(&root, &mut reader);
    let mut robot = reader.robot;
    total_mass(&mut robot, reader.compiler.total_mass);
    unique(&mut robot);
    Ok(robot)
}

/// Notes what a scene decides, or nothing here honours.
fn unhonoured(root: &Element, reader: &mut Reader<'_>) {
    for element in root.walk() {
        for key in ["solref", "solimp", "solreflimit", "solimplimit", "margin", "gap"] {
            if element.get(key).is_some() {
                let what = "parameters of soft contacts and limits are not honoured: ours are hard";
                reader.note(what, key, 0);
            }
        }
        let unbuilt = ["tendon", "skin", "deformable", "extension", "custom"];
        if unbuilt.contains(&element.tag.as_str()) && !element.children.is_empty() {
            let item = format!("<{}>", element.tag);
            reader.note("elements that are not honoured", &item, element.line);
        }
    }
    for option in root.all("option") {
        let gravity = reader.numbers(option, "main", "gravity").filter(|v| v.len() == 3);
        let gravity = gravity.map(|v| Vec3::new(v[0], v[1], v[2]));
        if let Some(g) = gravity.filter(|g| g.distance(Vec3::new(0.0, 0.0, -9.81)) > 1e-9) {
            let item = format!("simulation.gravity = [{}, {}, {}]", g.x, g.y, g.z);
            reader.note(
                "the file has its own gravity; the scene's counts: set",
                &item,
                option.line,
            );
        }
        for key in ["density", "viscosity", "wind"] {
            if reader.number(option, "main", key).is_some_and(|x| x != 0.0) {
                reader.note("the medium around bodies is not honoured", key, option.line);
            }
        }
        for flag in option.all("flag") {
            for (key, value) in flag.attributes.iter().filter(|(_, v)| v == "disable") {
                let item = format!("{key} = {value}");
                reader.note("flags are not honoured", &item, flag.line);
            }
        }
    }
}

/// Scales masses and inertias to a total.
fn total_mass(robot: &mut Robot, wanted: Option<f64>) {
    let total: f64 = robot.links.iter().filter_map(|l| l.inertial).map(|i| i.mass).sum();
    if let Some(wanted) = wanted.filter(|_| total > 0.0) {
        for inertial in robot.links.iter_mut().filter_map(|l| l.inertial.as_mut()) {
            inertial.mass *= wanted / total;
            inertial.inertia *= wanted / total;
        }
    }
}

/// Gives shapes of the world names that no body has.
fn unique(robot: &mut Robot) {
    let mut taken: Vec<String> = robot.links.iter().map(|l| l.name.clone()).collect();
    for (k, scenery) in robot.scenery.iter_mut().enumerate() {
        let mut name = match scenery.name.as_str() {
            "" => format!("scenery-{}", k + 1),
            name => name.to_owned(),
        };
        while taken.contains(&name) {
            name.push_str("-geom");
        }
        taken.push(name.clone());
        scenery.name = name;
    }
}
