//! Linear problems.

use complementarity::{
    Lcp, Mlcp, Options, Problem, Solution, SolveError, Status, Watch, certificate, registry,
};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{Given, matrix, options, wrong};
use crate::interrupt::{Caller, interruptible};

/// name, summary, classes, settings (key, doc).
type Info = (&'static str, &'static str, Vec<&'static str>, Vec<(&'static str, &'static str)>);

/// All solvers of linear problems: name, summary, classes, settings with their meaning.
#[pyfunction]
pub fn solver_info() -> Vec<Info> {
    let settings = |i: &registry::Info| i.settings.iter().map(|s| (s.key, s.doc)).collect();
    let classes = |i: &registry::Info| i.classes.iter().map(|c| c.as_str()).collect();
    let linear = |i: &&registry::Info| i.classes.iter().any(|c| c.as_str() != "cone");
    let all = registry::info().iter().filter(linear);
    all.map(|i| (i.name, i.summary, classes(i), settings(i))).collect()
}

type Array<'py> = Bound<'py, PyArray1<f64>>;

/// Beginning and direction of a ray, t and its rate.
type Ray<'py> = (Array<'py>, Array<'py>, f64, f64);

/// Certificate and ray, where there are any.
type Proof<'py> = (Option<Array<'py>>, Option<Ray<'py>>);

/// z, w, status, iterations, solver, fallbacks, residual, certificate and ray.
type Solved<'py> =
    (Array<'py>, Array<'py>, &'static str, usize, &'static str, usize, f64, Proof<'py>);

/// What is wrong with a result, and why there may be no better one.
struct Judged {
    w: Vec<f64>,
    error: f64,
    proof: Option<Vec<f64>>,
    ray: Option<certificate::Ray>,
}

/// Lower and upper bounds; `None`: zero and infinity.
type Bounds<'py> = Option<(PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>)>;

fn problem(a: &Given<'_>, b: &PyReadonlyArray1<'_, f64>, bounds: &Bounds<'_>) -> PyResult<Problem> {
    let (a, b) = (matrix(a)?, b.as_array().to_vec());
    match bounds {
        None => Ok(Problem::Lcp(Lcp::new(a, b).map_err(wrong)?)),
        Some((l, u)) => {
            let (l, u) = (l.as_array().to_vec(), u.as_array().to_vec());
            Ok(Problem::Mlcp(Mlcp::new(a, b, l, u).map_err(wrong)?))
        }
    }
}

fn run(
    problem: &Problem,
    (name, options): (&str, &Options),
    z0: &[f64],
    watch: &mut dyn Watch,
) -> Result<Solution, String> {
    let mut solver = registry::make(name, options).map_err(|e| e.to_string())?;
    let class = problem.class();
    if !solver.accepts().contains(&class) {
        return Err(SolveError::Class { solver: solver.name(), class }.to_string());
    }
    solver.solve(problem, z0, watch).map_err(|e| e.to_string())
}

/// What is handed back, and whether the problem was shown to have no solution.
fn judged(problem: &Problem, found: &Solution, prove: bool) -> Judged {
    let w = problem.matrix().times_plus(&found.z, problem.b());
    let error = complementarity::residual::natural(problem, &found.z);
    let failed = !matches!(found.status, Status::Solved | Status::Stopped);
    let proof = (prove && failed).then(|| certificate::infeasible(problem)).flatten();
    let open = prove && proof.is_none() && found.status == Status::Ray;
    let ray = open.then(|| certificate::ray(problem)).flatten();
    Judged { w, error, proof, ray }
}

/// Solves a linear problem.
#[pyfunction]
pub fn solve_linear<'py>(
    py: Python<'py>,
    problem_parts: (Given<'py>, PyReadonlyArray1<'py, f64>, Bounds<'py>),
    solver: (String, Bound<'py, PyDict>),
    z0: Option<PyReadonlyArray1<'py, f64>>,
    prove: bool,
    callback: Option<Bound<'py, PyAny>>,
) -> PyResult<Solved<'py>> {
    let (a, b, bounds) = &problem_parts;
    let problem = problem(a, b, bounds)?;
    let (name, settings) = (solver.0, options(&solver.1)?);
    let z0 = z0.map_or_else(Vec::new, |z| z.as_array().to_vec());
    let (found, Judged { w, error, proof, ray }) = match &callback {
        None => interruptible(py, move |flag| {
            let found = run(&problem, (&name, &settings), &z0, flag)?;
            let judged = judged(&problem, &found, prove);
            Ok((found, judged))
        })?
        .map_err(|text: String| wrong(text))?,
        Some(f) => {
            let mut watch = Caller { py, callback: Some(f), error: None };
            let found = run(&problem, (&name, &settings), &z0, &mut watch);
            if let Some(error) = watch.error {
                return Err(error);
            }
            let found = found.map_err(wrong)?;
            let judged = judged(&problem, &found, prove);
            (found, judged)
        }
    };
    let Solution { z, status, iterations, solver, fallbacks } = found;
    let (z, w) = (PyArray1::from_vec(py, z), PyArray1::from_vec(py, w));
    let proof = proof.map(|y| PyArray1::from_vec(py, y));
    let ray = ray
        .map(|r| (PyArray1::from_vec(py, r.z), PyArray1::from_vec(py, r.direction), r.t, r.rate));
    Ok((z, w, status.as_str(), iterations, solver, fallbacks, error, (proof, ray)))
}

/// The natural residual of a point, and what it must stay below with that tolerance.
#[pyfunction]
pub fn residual(
    problem_parts: (Given<'_>, PyReadonlyArray1<'_, f64>, Bounds<'_>),
    z: PyReadonlyArray1<'_, f64>,
    tolerance: f64,
) -> PyResult<(f64, f64)> {
    let (a, b, bounds) = &problem_parts;
    let problem = problem(a, b, bounds)?;
    let z = z.as_array().to_vec();
    if z.len() != problem.size() {
        return Err(wrong(format!("z has {} numbers, the problem {}", z.len(), problem.size())));
    }
    let error = complementarity::residual::natural(&problem, &z);
    Ok((error, complementarity::residual::target(&problem, &z, tolerance)))
}
