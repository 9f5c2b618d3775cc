//! The library of solvers.

use complementarity::{ProblemClass, registry, residual};
use pyo3::prelude::*;

use crate::error::raise;

/// The word for a class.
pub fn class_name(class: ProblemClass) -> &'static str {
    match class {
        ProblemClass::Lcp => "lcp",
        ProblemClass::Mlcp => "mlcp",
        ProblemClass::Cone => "cone",
    }
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
    vec!["natural", "alart-curnier"]
}

/// The error of `z` in that measure.
pub fn measure(problem: &complementarity::Problem, z: &[f64], metric: &str) -> PyResult<f64> {
    match metric {
        "natural" => Ok(residual::natural(problem, z)),
        "alart-curnier" => Ok(residual::alart_curnier(problem, z)),
        _ => {
            let text =
                format!("no metric is named {metric:?}; there are: {}", metrics().join(", "));
            Err(raise("SettingsError", text))
        }
    }
}
