//! `stickslip sweep`: many runs over a grid of settings and seeds.

use std::{
    io::IsTerminal,
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use clap::Args;
use stickslip_scene::sweep::{Plan, Point, Results, check, csv, run};

use crate::{failure::Failure, output};

/// Run a scene many times over a grid of settings and seeds.
///
/// The sweep file names a scene and lists of values:
///
///   scene = "peg-in-hole"
///   seeds = [1, 2, 3]          # each shifts the moving bodies by up to `jitter`
///   jitter = 1e-6              # metres
///   [grid]
///   step = [0.01, 0.005]
///   formulation = ["peg", "separation"]
///   body.peg.friction = [0.1, 0.5]
///
/// Every run writes one JSON file; a sweep that was stopped goes on where it was. All runs
/// together are in sweep.csv.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Sweep {
    /// The sweep file
    #[arg(value_name = "SWEEP.toml")]
    file: PathBuf,
    /// Where the results go
    #[arg(long, value_name = "DIR", default_value = "sweep")]
    out: PathBuf,
    /// Runs at the same time; 0 means one for each core
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
}

impl Sweep {
    pub fn execute(&self) -> Result<(), Failure> {
        let plan = Plan::read(&self.file)?;
        let points = plan.points();
        // What is wrong with the scene or a value shows before anything runs.
        points.iter().try_for_each(|point| check(&plan.scene, point))?;
        let results = Results::new(&self.out.join("runs"))?;
        let done = results.finished(&points);
        let left: Vec<usize> = (0..points.len()).filter(|k| !done.contains(k)).collect();
        output::notice(&format!("{} runs, {} of them done before", points.len(), done.len()));
        let failures = self.work(&plan, &points, &left, &results)?;
        let found = |(k, point)| Some((point, results.load(k)?));
        let table = csv(points.iter().enumerate().filter_map(found));
        let path = self.out.join("sweep.csv");
        stickslip_record::write_whole(&path, table.as_bytes())?;
        output::print(&format!(
            "{} runs, {failures} failed; see {}\n",
            points.len(),
            path.display()
        ))?;
        Ok(())
    }

    /// All runs that are left, on all cores; how many failed.
    fn work(
        &self,
        plan: &Plan,
        points: &[Point],
        left: &[usize],
        results: &Results,
    ) -> Result<usize, Failure> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = if self.jobs == 0 { cores } else { self.jobs }.min(left.len().max(1));
        let (next, failures) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let trouble: Mutex<Option<Failure>> = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    while let Some(&k) = left.get(next.fetch_add(1, Ordering::SeqCst)) {
                        let made = run(&plan.scene, &points[k], plan.jitter);
                        let result = made.map_err(Failure::from).and_then(|value| {
                            let failed = usize::from(!value["error"].is_null());
                            failures.fetch_add(failed, Ordering::SeqCst);
                            Ok(results.keep(k, &value)?)
                        });
                        if let Err(failure) = result {
                            *trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
                            return;
                        }
                        if std::io::stderr().is_terminal() {
                            eprint!("\r\x1b[K{} of {}: {}", k + 1, points.len(), points[k].label());
                        }
                    }
                });
            }
        });
        if std::io::stderr().is_terminal() {
            eprint!("\r\x1b[K");
        }
        match trouble.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(failure) => Err(failure),
            None => Ok(failures.into_inner()),
        }
    }
}
