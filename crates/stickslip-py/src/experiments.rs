//! The papers' experiments.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use pyo3::prelude::*;
use stickslip_experiments::{Context, Cores, EXPERIMENTS, Experiment, Report, find, write_report};

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
    let report = py.detach(|| watched(experiment, quick, &out))?;
    let reproduced = |v| v == stickslip_experiments::Verdict::Reproduced;
    let claims = report.claims.into_iter().map(|c| (c.paper, c.ours, reproduced(c.verdict)));
    Ok((claims.collect(), report.seconds))
}

/// Runs it on other threads while this one looks for Ctrl-C, which ends it.
fn watched(experiment: &Experiment, quick: bool, out: &Path) -> PyResult<Report> {
    let stop = Arc::new(AtomicBool::new(false));
    let cores = Cores::new(0, Arc::clone(&stop));
    std::thread::scope(|scope| {
        let work = scope.spawn(|| {
            let report = experiment.run(&Context::new(quick, out, &cores, &|_| {}))?;
            write_report(&report, out).map(|()| report)
        });
        let mut signal = Ok(());
        while !work.is_finished() {
            std::thread::sleep(Duration::from_millis(10));
            if signal.is_ok() {
                signal = Python::attach(|py| py.check_signals());
                stop.store(signal.is_err(), Ordering::SeqCst);
            }
        }
        let done = work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        signal?;
        done.map_err(|e| raise("StickslipError", e.to_string()))
    })
}
