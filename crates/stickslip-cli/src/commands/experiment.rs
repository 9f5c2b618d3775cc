//! `stickslip experiment`: the papers' experiments, repeated and judged.

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
    time::Instant,
};

use clap::Args;
use stickslip_experiments::{
    Context, EXPERIMENTS, Experiment, Report, find, write_index, write_report,
};

use crate::{failure::Failure, output};

/// Repeat the papers' experiments: tables, plots and a page each.
///
/// Every page sets the paper's claims beside what was measured and says whether they hold. `all`
/// runs all of them and writes an index page; `list` lists them.
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
        let (begin, mut done) = (Instant::now(), Vec::new());
        for (k, experiment) in chosen.iter().enumerate() {
            let report = self.run(experiment, (k + 1, chosen.len()))?;
            done.push((*experiment, report));
        }
        let seconds = begin.elapsed().as_secs_f64();
        if done.len() > 1 {
            let listed: Vec<(&Experiment, &Report)> = done.iter().map(|(e, r)| (*e, r)).collect();
            write_index(&listed, seconds, &self.out).map_err(simulation)?;
            let page = self.out.join("index.html");
            output::print(&format!("{:.0} s in all; see {}\n", seconds, page.display()))?;
        }
        Ok(())
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

    /// Runs one, writes its page and prints its verdicts.
    fn run(&self, experiment: &Experiment, (k, n): (usize, usize)) -> Result<Report, Failure> {
        let folder: &Path = &self.out.join(experiment.name);
        let terminal = std::io::stderr().is_terminal();
        let note = |text: &str| {
            if terminal {
                // The line is written over by the next one.
                eprint!("\r\x1b[K[{k}/{n}] {text}");
            }
        };
        let context = Context { quick: self.quick, out: folder, note: &note };
        let report = experiment.run(&context).map_err(simulation)?;
        if terminal {
            eprint!("\r\x1b[K");
        }
        write_report(&report, folder).map_err(simulation)?;
        let (held, all) = report.score();
        let mut text = format!(
            "[{k}/{n}] {}: {held} of {all} claims reproduced, {:.1} s, {}\n",
            experiment.name,
            report.seconds,
            folder.join("index.html").display()
        );
        for claim in &report.claims {
            text.push_str(&format!(
                "    {:<10} {} | {}\n",
                claim.verdict.word(),
                claim.paper,
                claim.ours
            ));
        }
        output::print(&text)?;
        Ok(report)
    }
}

fn simulation(error: stickslip_experiments::ExperimentError) -> Failure {
    Failure::Simulation(error.to_string())
}
