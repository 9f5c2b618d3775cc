//! `stickslip compare`: many solvers on the same problems.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use clap::Args;
use stickslip::complementarity::{Metric, Options, Problem, Value};
use stickslip_compare::{
    Clock, Comparison, Entry, Progress, Settings, markdown, page, source, table,
};
use stickslip_scene::Override;

use super::{export::write, interrupt};
use crate::{
    failure::Failure,
    output::{self, bar::Bar},
};

/// Run many solvers on the same problems, judged by the same measure.
///
/// PROBLEMS are files (.npz, .dat, .mtx, .h5, FCLIB's .hdf5), folders of them, and recorded runs
/// (.h5), whose frames are written again under their formulation or another one. Ctrl-C reports
/// what is done.
#[derive(Debug, Args)]
pub struct Compare {
    /// Problem files, folders of them, recorded runs
    #[arg(required = true, value_name = "PROBLEMS")]
    problems: Vec<PathBuf>,
    /// Solvers, separated by commas; all: every one but `enumerate`
    #[arg(long, value_name = "A,B", default_value = "all", value_delimiter = ',')]
    solvers: Vec<String>,
    /// The formulation for recorded runs; that of the run unless given
    #[arg(long, value_name = "NAME")]
    formulation: Option<String>,
    /// Other changes to the scenes of recorded runs, such as friction=quadratic
    #[arg(long = "set", value_name = "KEY=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
    /// For every solver, and to judge it
    #[arg(long, value_name = "T", default_value_t = 1e-8)]
    tolerance: f64,
    /// The error shown: natural, norm_CCK, square_CCK, norm_mCCK, square_mCCK,
    /// fischer-burmeister, alart-curnier
    #[arg(long, value_name = "NAME", default_value = "natural")]
    metric: String,
    /// Most seconds of one solve, checked after every iteration
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    time_limit: f64,
    /// Count the time of the solving thread on a processor, not elapsed time: for machines that
    /// have other work
    #[arg(long)]
    cpu_time: bool,
    /// A setting for the solvers that know it, such as max_iterations=200
    #[arg(long = "option", value_name = "KEY=VALUE", allow_hyphen_values = true)]
    options: Vec<String>,
    /// Print one JSON object on standard output in place of the table
    #[arg(long)]
    json: bool,
    /// Print tables for a page of the book
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Write a page with tables and plots
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,
    /// Write the plots as SVG files into this folder
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
    /// Convergence curves for at most this many problems of each class, the largest ones
    #[arg(long, value_name = "N", default_value_t = 4)]
    curves: usize,
    /// No progress bar
    #[arg(long, short)]
    quiet: bool,
}

/// Shows a bar and listens to Ctrl-C.
struct Watch {
    bar: Bar,
    interrupted: Arc<AtomicBool>,
}

impl Progress for Watch {
    fn begin(&mut self, done: usize, count: usize, what: &str) {
        self.bar.show(done as u64, count as u64, what);
    }

    fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }
}

impl Compare {
    pub fn execute(&self) -> Result<(), Failure> {
        let settings = self.settings()?;
        let interrupted = interrupt::flag()?;
        let problems = self.load()?;
        let mut watch = Watch { bar: Bar::start(self.quiet), interrupted };
        let done = Comparison::run(&problems, &settings, &mut watch)
            .map_err(|e| Failure::Input(e.to_string()))?;
        drop(watch);
        self.report(&done)?;
        if done.interrupted {
            let message = format!("interrupted after {} results", done.results.len());
            return Err(Failure::Interrupted(message));
        }
        Ok(())
    }

    fn settings(&self) -> Result<Settings, Failure> {
        let bad = |text: String| Failure::Input(text);
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return Err(bad(format!("--tolerance {}: it must be in (0, 1)", self.tolerance)));
        }
        if self.time_limit.is_nan() || self.time_limit <= 0.0 {
            return Err(bad(format!("--time-limit {}: it must be positive", self.time_limit)));
        }
        let metric = Metric::from_name(&self.metric).ok_or_else(|| {
            let known: Vec<&str> = Metric::ALL.iter().map(|m| m.as_str()).collect();
            bad(format!("--metric {}: there are {}", self.metric, known.join(", ")))
        })?;
        let all = self.solvers.iter().any(|s| s == "all");
        let drawn = self.html.is_some() || self.plots.is_some();
        Ok(Settings {
            solvers: if all { vec![] } else { self.solvers.clone() },
            tolerance: self.tolerance,
            metric,
            time_limit: self.time_limit,
            options: options(&self.options)?,
            clock: if self.cpu_time { Clock::Cpu } else { Clock::Wall },
            curves: if drawn { self.curves } else { 0 },
        })
    }

    fn load(&self) -> Result<Vec<(Entry, Problem)>, Failure> {
        let mut changes = vec![];
        for text in &self.set {
            changes.push(Override::parse(text)?);
        }
        let rebuild = source::Rebuild { formulation: self.formulation.clone(), changes };
        let mut out: Vec<(Entry, Problem)> = vec![];
        let files = source::expand(&self.problems)?;
        let inputs: Vec<&Path> = files.iter().map(|p| &**p).collect();
        let outputs: Vec<&Path> = self.html.iter().map(|p| &**p).collect();
        output::distinct(&outputs, &inputs)?;
        for path in files {
            for mut entry in source::load(&path, &rebuild)? {
                if out.iter().any(|(other, _)| other.name == entry.name) {
                    entry.name = format!("{}/{}", entry.family, entry.name);
                }
                let problem = entry.problem()?;
                out.push((entry, problem));
            }
        }
        if out.is_empty() {
            return Err(Failure::Input("nothing to solve in these files".into()));
        }
        Ok(out)
    }

    fn report(&self, done: &Comparison) -> Result<(), Failure> {
        if let Some(path) = &self.html {
            write(path, page::render(done)?.as_bytes())?;
        }
        if let Some(folder) = &self.plots {
            std::fs::create_dir_all(folder)
                .map_err(|e| Failure::Input(format!("{}: {e}", folder.display())))?;
            for (name, svg) in page::figures(done)? {
                write(&folder.join(format!("{}.svg", name.replace('/', "-"))), svg.as_bytes())?;
            }
        }
        let text = if self.json {
            let json = serde_json::to_string(done)
                .map_err(|error| Failure::Simulation(format!("cannot write JSON: {error}")))?;
            format!("{json}\n")
        } else if self.markdown {
            markdown::render(done)
        } else {
            table::render(done)
        };
        Ok(output::print(&text)?)
    }
}

/// `key=value`: a number, true or false, or a word.
fn options(texts: &[String]) -> Result<Options, Failure> {
    let mut out = Options::new();
    for text in texts {
        let Some((key, value)) = text.split_once('=') else {
            return Err(Failure::Input(format!("--option {text}: write key=value")));
        };
        let value: Value = match (value.parse::<f64>(), value.parse::<bool>()) {
            (Ok(x), _) => x.into(),
            (_, Ok(x)) => x.into(),
            _ => value.into(),
        };
        out.set(key.trim(), value);
    }
    Ok(out)
}
