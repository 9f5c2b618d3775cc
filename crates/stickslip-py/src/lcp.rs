//! The library of solvers.

use complementarity::{Metric, ProblemClass, registry};
use pyo3::prelude::*;

use crate::error::raise;

/// The word for a class.
pub fn class_name(class: ProblemClass) -> &'static str {
    class.as_str()
}

/// name, summary, classes, settings (key, doc).
type Info = (&'static str, &'static str, Vec<&'static str>, Vec<(&'static str, &'static str)>);

/// All solvers: name, summary, classes of problems, settings with their meaning.
#[pyfunction]
pub fn solver_info() -> Vec<Info> {
    let settings = |i: &registry::Info| i.settings.iter().map(|s| (s.key, s.doc)).collect();
    let classes = |i: &registry::Info| i.classes.iter().map(|&c| class_name(c)).collect();
    registry::info().iter().map(|i| (i.name, i.summary, classes(i), settings(i))).collect()
}

/// The names of the error measures.
#[pyfunction]
pub fn metrics() -> Vec<&'static str> {
    Metric::ALL.iter().map(|m| m.as_str()).collect()
}

/// The error of `z` in that measure.
pub fn measure(problem: &complementarity::Problem, z: &[f64], metric: &str) -> PyResult<f64> {
    let found = Metric::from_name(metric).map(|m| m.measure(problem, z));
    found.ok_or_else(|| {
        let known = metrics().join(", ");
        raise("SettingsError", format!("no metric is named {metric:?}; there are: {known}"))
    })
}
