//! Whether bodies can rest.

use pyo3::prelude::*;
use stickslip_geometry::Vec3;
use stickslip_stability::{Cone, Load, Options, StabilityError, analyze, page};

use crate::{convert::Triple, engine::Engine, error::raise};

/// A body, a force on it, and where it acts.
type Force = (String, Triple, Option<Triple>);

/// Whether the least friction is sought, edges of pyramids, the gap, and for how long to simulate.
type Question = (bool, Option<usize>, Option<f64>, Option<f64>);

fn loads(forces: Vec<Force>) -> Vec<Load> {
    let load =
        |(body, force, at): Force| Load { body, force: Vec3::from(force), at: at.map(Vec3::from) };
    forces.into_iter().map(load).collect()
}

/// The answers as JSON, and the page with the drawing if a name for it is given.
#[pyfunction]
#[pyo3(signature = (engine, forces, tilt, question, name))]
pub fn stability(
    py: Python<'_>,
    engine: &Engine,
    forces: (Vec<Force>, Vec<Force>),
    tilt: Vec<Triple>,
    question: Question,
    name: Option<String>,
) -> PyResult<(String, Option<String>)> {
    let (model, state, settings) = engine.present(py)?;
    let (friction, pyramid, gap, simulate) = question;
    let options = Options {
        tilt: tilt.into_iter().map(Vec3::from).collect(),
        loads: loads(forces.0),
        pushes: loads(forces.1),
        friction,
        cone: pyramid.map_or(Cone::Quadratic, Cone::Pyramid),
        gap,
        simulate,
    };
    let found = py.detach(|| analyze(&model, &state, &settings, &options)).map_err(|e| {
        let kind = match e {
            StabilityError::UnknownBody { .. } => "UnknownBodyError",
            StabilityError::Collide(_) => "DetectError",
            StabilityError::Program(_) => "SolveError",
            _ => "ModelError",
        };
        raise(kind, e.to_string())
    })?;
    let html = name.map(|name| page(&name, &model, &state, &found));
    let json = serde_json::to_string(&found);
    Ok((json.map_err(|e| raise("StickslipError", e.to_string()))?, html))
}
