//! A scene over a grid of settings and seeds: what `stickslip sweep` and `ss.sweep` of Python both do.
//!
//! A [`Plan`] has one [`Point`] for every combination of values and seed; [`run`] makes the result of one, which
//! depends on nothing but the scene, the point and the jitter; [`Results`] keeps them in a folder, so that a
//! sweep that was stopped goes on; [`row`] and [`csv`] are the table.
//!
//! ```
//! use stickslip_scene::sweep;
//!
//! let plan = sweep::Plan {
//!     scene: "sliding-block".into(),
//!     grid: vec![("duration".into(), vec!["0.05".into()]), ("step".into(), vec!["0.01".into(), "0.005".into()])],
//!     seeds: vec![0, 1],
//!     jitter: 1e-6,
//! };
//! let points = plan.points();
//! let result = sweep::run(&plan.scene, &points[2], plan.jitter)?;
//! assert_eq!(result["summary"]["steps"], 10);
//! assert_eq!(sweep::row(&points[2], &result)[1], ("step".to_owned(), "0.005".into()));
//! # Ok::<(), sweep::SweepError>(())
//! ```

mod plan;
mod results;

pub use plan::{Plan, Point};
pub use results::{Results, csv, row};

use serde_json::{Value, json};
use stickslip::{Dimension, Motion, Runner, Simulator, geometry::Vec3};

use crate::{NoValue, Scene, SceneError};

/// A sweep that cannot be done. A simulation that fails is a result.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The sweep file.
    #[error("{0}")]
    Plan(String),
    /// A key without a name.
    #[error(transparent)]
    Value(#[from] NoValue),
    /// The scene, or a value for it.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The settings do not go together.
    #[error("{scene}: {source}")]
    Setup {
        /// The scene.
        scene: String,
        /// Why.
        source: Box<stickslip::step::SetupError>,
    },
    /// The run was stopped from outside.
    #[error("the run was stopped")]
    Stopped,
    /// The result is no JSON.
    #[error("the summary cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Whether the scene takes the values of the point; nothing runs.
pub fn check(scene: &str, point: &Point) -> Result<(), SweepError> {
    simulator(scene, point, 0.0).map(|_| ())
}

/// One run on one thread, as JSON: `run` (the [label](Point::label)), `settings`, `seed`, `error` (null, or why it
/// ended early) and `summary`, that of `stickslip run --json`.
pub fn run(scene: &str, point: &Point, jitter: f64) -> Result<Value, SweepError> {
    run_while(scene, point, jitter, &mut || true)
}

/// The same; `goes_on` is asked before every step, and ends the run with [`SweepError::Stopped`].
pub fn run_while(
    scene: &str,
    point: &Point,
    jitter: f64,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Value, SweepError> {
    let (simulator, name) = simulator(scene, point, jitter)?;
    let mut runner = Runner::new(simulator);
    let mut ended = None;
    while ended.is_none() && runner.simulator.state.step < runner.simulator.settings.steps() {
        if !goes_on() {
            return Err(SweepError::Stopped);
        }
        ended = runner.step().err().map(|e| e.to_string());
    }
    let summary = serde_json::to_value(runner.summary(&name))?;
    let values: serde_json::Map<String, Value> =
        point.shown().map(|(key, value)| (key.to_owned(), json!(value))).collect();
    Ok(json!({
        "run": point.label(), "settings": values, "seed": point.seed, "error": ended, "summary": summary,
    }))
}

/// The simulator of a run, and the name of its scene.
fn simulator(scene: &str, point: &Point, jitter: f64) -> Result<(Simulator, String), SweepError> {
    let opened = Scene::open(scene, &point.overrides()?)?;
    let settings = stickslip::Settings { threads: 1, ..opened.settings };
    let wrong = |e| SweepError::Setup { scene: scene.to_owned(), source: Box::new(e) };
    let mut simulator = Simulator::new(opened.model, opened.state, settings).map_err(wrong)?;
    shift(&mut simulator, point.seed, jitter);
    Ok((simulator, opened.name))
}

/// Moves every body that forces move by up to `jitter` along each axis. Seed 0 moves nothing.
fn shift(simulator: &mut Simulator, seed: u64, jitter: f64) {
    if seed == 0 {
        return;
    }
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut signed = || {
        // xorshift64*.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let x = state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        x as f64 / (1u64 << 52) as f64 - 1.0
    };
    let flat = simulator.model.dimension() == Dimension::Two;
    for (body, pose) in simulator.model.bodies().iter().zip(&mut simulator.state.q) {
        let by = Vec3::new(signed(), signed(), signed()) * jitter;
        if body.motion == Motion::Dynamic {
            pose.position += if flat { by.with_z(0.0) } else { by };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A result depends on its point alone; another seed shifts the bodies by at most the jitter.
    #[test]
    fn a_run_is_its_point() {
        let point = |seed| Point {
            values: vec![("duration".into(), "0".into()), ("step".into(), "0.02".into())],
            seed,
        };
        let of = |seed| run("sliding-block", &point(seed), 1e-3).unwrap();
        let without_times = |mut v: Value| {
            v["summary"]["wall"] = Value::Null;
            v
        };
        assert_eq!(without_times(of(3)), without_times(of(3)));
        let place = |v: &Value| {
            let bodies = v["summary"]["bodies"].as_object().unwrap().values();
            let all = bodies.flat_map(|b| b["position"].as_array().unwrap());
            all.map(|x| x.as_f64().unwrap()).collect::<Vec<_>>()
        };
        let (a, b) = (place(&of(0)), place(&of(3)));
        let off: Vec<f64> = a.iter().zip(&b).map(|(x, y)| (x - y).abs()).collect();
        assert!(off.iter().all(|x| *x <= 1e-3) && off.iter().any(|x| *x > 1e-6), "{off:?}");
        assert_eq!(of(3)["run"], "duration=0 step=0.02 seed=3");
    }

    #[test]
    fn what_is_wrong_is_told_before_anything_runs() {
        let point = Point { values: vec![("stpe".into(), "0.1".into())], seed: 0 };
        let error = check("sliding-block", &point).unwrap_err();
        assert!(error.to_string().contains("stpe"), "{error}");
    }
}
