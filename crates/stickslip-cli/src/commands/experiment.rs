//! `stickslip experiment`: the papers' experiments, repeated and judged.

use std::{
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use clap::Args;
use stickslip_experiments::{
    Cores, EXPERIMENTS, Experiment, ExperimentError, Report, Suite, find, write_index,
};

use super::interrupt;
use crate::{
    failure::Failure,
    output::{self, bar::Bar},
};

/// Repeat the papers' experiments: tables, plots and a page each.
///
/// Every page sets the paper's claims beside what was measured and says whether they hold. `all`
/// runs all of them and writes an index page; `list` lists them. Runs go side by side on all cores;
/// those that measure times come last, each on a core of its own.
#[derive(Debug, Args)]
pub struct RunExperiment {
    /// Names of experiments, or `all`, or `list`
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// Where the pages go, one folder for each experiment
    #[arg(long, value_name = "DIR", default_value = "report")]
    out: PathBuf,
    /// Fewer and shorter runs: all in some minutes
    #[arg(long)]
    quick: bool,
    /// Runs at the same time; 0 means one for each core. The numbers do not depend on it
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
}

impl RunExperiment {
    pub fn execute(&self) -> Result<(), Failure> {
        if self.names.iter().any(|n| n == "list") {
            let lines =
                EXPERIMENTS.iter().map(|e| format!("{:<16} {}; {}\n", e.name, e.title, e.source));
            output::print(&lines.collect::<String>())?;
            return Ok(());
        }
        let chosen = self.chosen()?;
        let cores = Cores::new(self.jobs, interrupt::flag()?);
        let begin = Instant::now();
        let reports = self.work(&chosen, &cores, begin)?;
        let mut text = String::new();
        for (k, (experiment, report)) in chosen.iter().zip(&reports).enumerate() {
            let folder = self.out.join(experiment.name);
            text.push_str(&format!(
                "[{}/{}] {}, {}\n",
                k + 1,
                chosen.len(),
                told(experiment, report),
                folder.join("index.html").display()
            ));
            for claim in &report.claims {
                let word = claim.verdict.word();
                text.push_str(&format!("    {word:<10} {} | {}\n", claim.paper, claim.ours));
            }
        }
        if chosen.len() > 1 {
            let (seconds, count) = (begin.elapsed().as_secs_f64(), cores.count());
            let page = self.out.join("index.html");
            text.push_str(&format!("{seconds:.0} s on {count} cores; see {}\n", page.display()));
        }
        output::print(&text)?;
        Ok(())
    }

    /// Runs them with a bar, or with a line for each that ends where nobody looks at a bar. The
    /// index page is written again with each, so that it is there after an interruption.
    fn work(
        &self,
        chosen: &[&'static Experiment],
        cores: &Cores,
        begin: Instant,
    ) -> Result<Vec<Report>, Failure> {
        let (bar, ended) = (Mutex::new(Bar::start(false)), AtomicUsize::new(0));
        let count = chosen.len();
        let note = |text: &str| {
            let bar = bar.lock().unwrap_or_else(PoisonError::into_inner);
            bar.show(ended.load(Ordering::SeqCst) as u64, count as u64, text);
        };
        let mut done: Vec<(usize, Report)> = Vec::new();
        let mut trouble = None;
        let suite = Suite { quick: self.quick, out: &self.out, cores, note: &note };
        let result = suite.run(chosen, &mut |experiment, report| {
            let k = ended.fetch_add(1, Ordering::SeqCst) + 1;
            note(experiment.name);
            bar.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .say(&format!("{k} of {count} done: {}", told(experiment, report)));
            let place = chosen.iter().position(|e| e.name == experiment.name).unwrap_or(0);
            done.push((place, report.clone()));
            done.sort_by_key(|d| d.0);
            let listed: Vec<_> = done.iter().map(|(k, r)| (chosen[*k], r)).collect();
            if count > 1 {
                let time = (begin.elapsed().as_secs_f64(), cores.count());
                trouble = write_index(&listed, time, &self.out).err().or(trouble.take());
            }
        });
        match (result, trouble) {
            (Ok(reports), None) => Ok(reports),
            (Ok(_), Some(error)) => Err(Failure::Simulation(error.to_string())),
            (Err(ExperimentError::Interrupted), _) => Err(Failure::Interrupted(format!(
                "interrupted after {} of {count} experiments; their pages are in {}",
                done.len(),
                self.out.display()
            ))),
            (Err(error), _) => Err(Failure::Simulation(error.to_string())),
        }
    }

    fn chosen(&self) -> Result<Vec<&'static Experiment>, Failure> {
        if self.names.iter().any(|n| n == "all") {
            return Ok(EXPERIMENTS.iter().collect());
        }
        self.names
            .iter()
            .map(|name| {
                find(name).ok_or_else(|| {
                    let known: Vec<&str> = EXPERIMENTS.iter().map(|e| e.name).collect();
                    let known = known.join(", ");
                    Failure::Input(format!(
                        "no experiment is named {name:?}; there are: all, {known}"
                    ))
                })
            })
            .collect()
    }
}

fn told(experiment: &Experiment, report: &Report) -> String {
    let (held, all) = report.score();
    let seconds = report.seconds;
    format!("{}: {held} of {all} claims reproduced, {seconds:.1} s of work", experiment.name)
}
