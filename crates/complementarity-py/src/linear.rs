//! Linear problems and friction cones.

use std::path::PathBuf;
use std::time::Instant;

use complementarity::{
    Metric, Options, Problem, ProblemError as WrongProblem, Solution, SolveError as WrongSolve,
    Status, Watch, certificate, file, registry,
};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{OrRaise, SettingsError, options};
use crate::exchange::{self, Parts};
use crate::interrupt::{Caller, interruptible};

/// name, summary, classes, settings (key, doc).
type Info = (&'static str, &'static str, Vec<&'static str>, Vec<(&'static str, &'static str)>);

/// All solvers: name, summary, classes, settings with their meaning.
#[pyfunction]
pub fn solver_info() -> Vec<Info> {
    let settings = |i: &registry::Info| i.settings.iter().map(|s| (s.key, s.doc)).collect();
    let classes = |i: &registry::Info| i.classes.iter().map(|c| c.as_str()).collect();
    registry::info().iter().map(|i| (i.name, i.summary, classes(i), settings(i))).collect()
}

/// The names of the error measures.
#[pyfunction]
pub fn metrics() -> Vec<&'static str> {
    Metric::ALL.iter().map(|m| m.as_str()).collect()
}

type Array<'py> = Bound<'py, PyArray1<f64>>;

/// Beginning and direction of a ray, t and its rate.
type Ray<'py> = (Array<'py>, Array<'py>, f64, f64);

/// Certificate and ray, where there are any.
type Proof<'py> = (Option<Array<'py>>, Option<Ray<'py>>);

/// Status, iterations, solver, fallbacks.
type Told = (&'static str, usize, &'static str, usize);

/// z, w, what the solver says, residual, whether that is small enough, seconds, certificate and ray.
type Solved<'py> = (Array<'py>, Array<'py>, Told, f64, bool, f64, Proof<'py>);

/// What a solver gave, and what there is to say about it.
struct Judged {
    found: Solution,
    w: Vec<f64>,
    error: f64,
    close: bool,
    seconds: f64,
    proof: Option<Vec<f64>>,
    ray: Option<certificate::Ray>,
}

fn run(
    problem: &Problem,
    (name, options, prove): (&str, &Options, bool),
    z0: &[f64],
    watch: &mut dyn Watch,
) -> PyResult<Judged> {
    let mut solver = registry::make(name, options).or_raise()?;
    let class = problem.class();
    if !solver.accepts().contains(&class) {
        return Err(WrongSolve::Class { solver: solver.name(), class }).or_raise();
    }
    let begin = Instant::now();
    let found = solver.solve(problem, z0, watch).or_raise()?;
    let seconds = begin.elapsed().as_secs_f64();
    let w = problem.matrix().times_plus(&found.z, problem.b());
    let error = complementarity::residual::natural(problem, &found.z);
    let tolerance = options.number("tolerance").ok().flatten().unwrap_or(1e-8);
    let close = complementarity::residual::solved(problem, &found.z, tolerance.max(1e-8));
    let failed = prove && !matches!(found.status, Status::Solved | Status::Stopped);
    let proof = failed.then(|| certificate::infeasible(problem)).flatten();
    let open = failed && proof.is_none() && found.status == Status::Ray;
    let ray = open.then(|| certificate::ray(problem)).flatten();
    Ok(Judged { found, w, error, close, seconds, proof, ray })
}

/// Solves a problem.
#[pyfunction]
pub fn solve<'py>(
    py: Python<'py>,
    parts: Parts<'py>,
    solver: (String, Bound<'py, PyDict>, bool),
    z0: Option<PyReadonlyArray1<'py, f64>>,
    callback: Option<Bound<'py, PyAny>>,
) -> PyResult<Solved<'py>> {
    let problem = exchange::problem(&parts).or_raise()?;
    let (name, settings, prove) = (solver.0, options(&solver.1)?, solver.2);
    let z0 = z0.map_or_else(Vec::new, |z| z.as_array().to_vec());
    let judged = match &callback {
        None => {
            interruptible(py, move |flag| run(&problem, (&name, &settings, prove), &z0, flag))??
        }
        Some(f) => {
            let mut watch = Caller { py, callback: Some(f), error: None };
            let judged = run(&problem, (&name, &settings, prove), &z0, &mut watch);
            if let Some(error) = watch.error {
                return Err(error);
            }
            judged?
        }
    };
    let Judged { found, w, error, close, seconds, proof, ray } = judged;
    let Solution { z, status, iterations, solver, fallbacks } = found;
    let (z, w) = (PyArray1::from_vec(py, z), PyArray1::from_vec(py, w));
    let proof = proof.map(|y| PyArray1::from_vec(py, y));
    let ray = ray
        .map(|r| (PyArray1::from_vec(py, r.z), PyArray1::from_vec(py, r.direction), r.t, r.rate));
    Ok((
        z,
        w,
        (status.as_str(), iterations, solver, fallbacks),
        error,
        close,
        seconds,
        (proof, ray),
    ))
}

/// The error of a point by that measure, and whether it counts as a solution to that tolerance.
#[pyfunction]
pub fn residual(
    parts: Parts<'_>,
    z: PyReadonlyArray1<'_, f64>,
    metric: &str,
    tolerance: f64,
) -> PyResult<(f64, bool)> {
    let problem = exchange::problem(&parts).or_raise()?;
    let z = z.as_array().to_vec();
    if z.len() != problem.size() {
        let (found, expected) = (z.len(), problem.size());
        return Err(WrongProblem::Size { what: "z", found, expected }).or_raise();
    }
    let measure = Metric::from_name(metric).ok_or_else(|| {
        let known = metrics().join(", ");
        SettingsError::new_err(format!("no metric is named {metric:?}; there are: {known}"))
    })?;
    let solved = complementarity::residual::solved(&problem, &z, tolerance);
    Ok((measure.measure(&problem, &z), solved))
}

/// Checks a problem: its class, its size, and how many contacts it has, where it says.
#[pyfunction]
pub fn describe(parts: Parts<'_>) -> PyResult<(&'static str, usize, Option<usize>)> {
    let problem = exchange::problem(&parts).or_raise()?;
    Ok((problem.class().as_str(), problem.size(), problem.n_contacts()))
}

/// All entries of the matrix.
#[pyfunction]
pub fn dense<'py>(py: Python<'py>, parts: Parts<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    Ok(exchange::dense(py, &exchange::problem(&parts).or_raise()?.matrix().to_dense()))
}

/// The matrix as compressed columns.
#[pyfunction]
pub fn sparse<'py>(py: Python<'py>, parts: Parts<'py>) -> PyResult<Bound<'py, PyAny>> {
    exchange::sparse(py, &exchange::problem(&parts).or_raise()?.matrix().to_sparse())
}

/// Lower and upper bounds of every unknown.
#[pyfunction]
pub fn bounds<'py>(py: Python<'py>, parts: Parts<'py>) -> PyResult<(Array<'py>, Array<'py>)> {
    let (lower, upper) = exchange::problem(&parts).or_raise()?.bounds();
    Ok((PyArray1::from_vec(py, lower), PyArray1::from_vec(py, upper)))
}

/// The problem in a file.
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyAny>> {
    exchange::parts(py, &file::read(&path).or_raise()?)
}

/// Writes a problem to a file.
#[pyfunction]
pub fn save(path: PathBuf, parts: Parts<'_>) -> PyResult<()> {
    file::write(&path, &exchange::problem(&parts).or_raise()?).or_raise()
}
