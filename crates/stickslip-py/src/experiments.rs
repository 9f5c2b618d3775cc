//! The papers' experiments.

use std::{path::PathBuf, sync::Arc};

use pyo3::prelude::*;
use stickslip_experiments::{Context, Cores, EXPERIMENTS, find, write_report};

use crate::error::raise;

/// A claim: the paper's, ours, whether it is reproduced.
type Row = (String, String, bool);

/// The experiments: name, title, source.
#[pyfunction]
pub fn experiments() -> Vec<(&'static str, &'static str, &'static str)> {
    EXPERIMENTS.iter().map(|e| (e.name, e.title, e.source)).collect()
}

/// Runs an experiment, writes its page into the folder, and returns its claims and seconds.
#[pyfunction]
pub fn run_experiment(
    py: Python<'_>,
    name: &str,
    quick: bool,
    out: PathBuf,
) -> PyResult<(Vec<Row>, f64)> {
    let experiment = find(name).ok_or_else(|| {
        let known: Vec<&str> = EXPERIMENTS.iter().map(|e| e.name).collect();
        let text = format!("no experiment is named {name:?}; there are: {}", known.join(", "));
        raise("SettingsError", text)
    })?;
    let done = py.detach(|| {
        let cores = Cores::new(0, Arc::default());
        let context = Context::new(quick, &out, &cores, &|_| {});
        let report = experiment.run(&context)?;
        write_report(&report, &out).map(|()| report)
    });
    let report = done.map_err(|e| raise("StickslipError", e.to_string()))?;
    let reproduced = |v| v == stickslip_experiments::Verdict::Reproduced;
    let claims = report.claims.into_iter().map(|c| (c.paper, c.ours, reproduced(c.verdict)));
    Ok((claims.collect(), report.seconds))
}
