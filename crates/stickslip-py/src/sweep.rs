//! Sweeps: the runs are those of the command line.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use pyo3::prelude::*;
use serde_json::{Value, json};
use stickslip_scene::sweep::{self, Plan, Point, Results, SweepError};

use crate::error::{OrRaise, Raise, raise};

/// Keys with a value each as TOML, and a seed.
type PointFields = (Vec<(String, String)>, u64);

/// How often a run lets Python see whether it is to stop.
const LISTENS: Duration = Duration::from_millis(50);

impl Raise for SweepError {
    fn raise(self) -> PyErr {
        match self {
            Self::Scene(error) => error.raise(),
            Self::Setup { source, .. } => source.raise(),
            other => raise("ModelError", other.to_string()),
        }
    }
}

fn point((values, seed): PointFields) -> Point {
    Point { values, seed }
}

fn from_text(result: &str) -> PyResult<Value> {
    serde_json::from_str(result)
        .map_err(|e| raise("FileError", format!("the result of a run is no JSON: {e}")))
}

/// Every combination of the values in the grid with every seed.
#[pyfunction]
pub fn sweep_points(grid: Vec<(String, Vec<String>)>, seeds: Vec<u64>) -> Vec<PointFields> {
    let plan = Plan { scene: String::new(), grid, seeds, jitter: 0.0 };
    plan.points().into_iter().map(|p| (p.values, p.seed)).collect()
}

/// Whether the scene takes the values of a point.
#[pyfunction]
pub fn sweep_check(py: Python<'_>, scene: &str, at: PointFields) -> PyResult<()> {
    py.detach(|| sweep::check(scene, &point(at))).or_raise()
}

/// One run; its result as JSON.
#[pyfunction]
pub fn sweep_run(py: Python<'_>, scene: &str, at: PointFields, jitter: f64) -> PyResult<String> {
    let point = point(at);
    let mut interrupted = None;
    let result = py.detach(|| {
        let mut heard = Instant::now();
        sweep::run_while(scene, &point, jitter, &mut || {
            if heard.elapsed() > LISTENS {
                interrupted = Python::attach(|py| py.check_signals()).err();
                heard = Instant::now();
            }
            interrupted.is_none()
        })
    });
    match interrupted {
        Some(error) => Err(error),
        None => Ok(result.or_raise()?.to_string()),
    }
}

/// The row of a result in the table, as a JSON list of pairs.
#[pyfunction]
pub fn sweep_row(at: PointFields, result: &str) -> PyResult<String> {
    Ok(json!(sweep::row(&point(at), &from_text(result)?)).to_string())
}

/// The table of results as CSV.
#[pyfunction]
pub fn sweep_csv(results: Vec<(PointFields, String)>) -> PyResult<String> {
    let read = |(at, text): (PointFields, String)| Ok((point(at), from_text(&text)?));
    let all = results.into_iter().map(read).collect::<PyResult<Vec<(Point, Value)>>>()?;
    Ok(sweep::csv(all.iter().map(|(point, value)| (point, value.clone()))))
}

/// The results of these points in the folder of a sweep, where they are there.
#[pyfunction]
pub fn sweep_finished(folder: &str, points: Vec<PointFields>) -> PyResult<Vec<Option<String>>> {
    let points: Vec<Point> = points.into_iter().map(point).collect();
    let results = Results::new(&Path::new(folder).join("runs"))?;
    let done = results.finished(&points);
    let load = |k| done.contains(&k).then(|| results.load(k).map(|v| v.to_string())).flatten();
    Ok((0..points.len()).map(load).collect())
}

/// Writes the result of run `k` into the folder of a sweep.
#[pyfunction]
pub fn sweep_keep(folder: &str, k: usize, result: &str) -> PyResult<()> {
    let results = Results::new(&Path::new(folder).join("runs"))?;
    Ok(results.keep(k, &from_text(result)?)?)
}
