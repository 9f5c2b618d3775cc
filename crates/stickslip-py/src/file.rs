//! Scene files and problem files.

use std::{path::PathBuf, sync::Arc};

use _complementarity::exchange;
use pyo3::prelude::*;
use stickslip::BodyInit;
use stickslip_scene::{BUILTIN, Override, Scene, SceneText};

use crate::{
    core::{Core, Description},
    engine::Engine,
    error::OrRaise,
};

/// File, name, text, folder.
pub type Text = (String, String, String, Option<PathBuf>);

/// The built-in scenes: name and one line about each.
#[pyfunction]
pub fn scenes() -> Vec<(&'static str, &'static str)> {
    BUILTIN.iter().map(|b| (b.name, b.summary)).collect()
}

/// The text of a scene file or of a built-in scene.
#[pyfunction]
pub fn scene_text(scene: &str) -> PyResult<Text> {
    let SceneText { file, name, text, folder } = SceneText::open(scene).or_raise()?;
    Ok((file, name, text, folder))
}

/// An engine from the text of a scene, with changes (key, value as TOML), and its warnings.
#[pyfunction]
pub fn load_scene(
    py: Python<'_>,
    text: Text,
    changes: Vec<(String, String)>,
) -> PyResult<(Engine, Vec<String>)> {
    let (file, name, text, folder) = text;
    let change = |(path, value): (String, String)| {
        let label = format!("{path} = {value}");
        Override { label, path, value }
    };
    let changes: Vec<Override> = changes.into_iter().map(change).collect();
    // Meshes and overlap checks may take a while.
    let read = py.detach(|| Scene::read(SceneText { file, name, text, folder }, &changes));
    let scene = read.or_raise()?;
    let warnings = scene.warnings.iter().map(ToString::to_string).collect();
    let mut core = Core::new(describe(&scene), scene.settings.clone());
    core.ready("it cannot be loaded")?;
    Ok((Engine::of(core), warnings))
}

fn describe(scene: &Scene) -> Description {
    let (model, state) = (&scene.model, &scene.state);
    let bodies: Vec<BodyInit> = model
        .ids()
        .map(|id| BodyInit {
            body: model.body(id).clone(),
            pose: *state.pose(id),
            angle: state.angle[id.index()],
            twist: *state.twist(id),
        })
        .collect();
    let names = bodies.iter().enumerate().map(|(k, b)| (b.body.name.clone(), k)).collect();
    let (friction_rule, restitution_rule) = model.rules();
    Description {
        dimension: model.dimension(),
        gravity: model.gravity(),
        friction_rule,
        restitution_rule,
        bodies,
        names,
        joints: Vec::new(),
        forces: Default::default(),
        base: Some(Arc::new(model.clone())),
        drives: Default::default(),
        pairs: Default::default(),
        ignores: Default::default(),
        about: model.description().to_owned(),
        camera: model.camera().cloned(),
        sensors: scene.imports.iter().flat_map(|plan| plan.sensors.iter().cloned()).collect(),
    }
}

/// The problem in a file, as the package `complementarity` takes it.
#[pyfunction]
pub fn load_problem(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyAny>> {
    exchange::parts(py, &complementarity::file::read(&path).or_raise()?)
}

/// Writes a problem to a file.
#[pyfunction]
pub fn save_problem(path: PathBuf, parts: exchange::Parts<'_>) -> PyResult<()> {
    let problem = exchange::problem(&parts).or_raise()?;
    complementarity::file::write(&path, &problem).or_raise()
}
