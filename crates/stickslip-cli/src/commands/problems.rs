//! `stickslip problems`: problem files described, collected, converted, recorded.

use std::{
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

use clap::{Args, Subcommand};
use stickslip::Simulator;
use stickslip::complementarity::file::{self, Named};
use stickslip_compare::{Entry, SourceError, capture, facts::Facts, source};
use stickslip_record::probe;

use super::{interrupt, select::Select};
use crate::{
    failure::Failure,
    output::{self, bar::Bar},
};

/// Describe, collect, convert or record problems.
///
/// Without a sub-command: says of each problem its class, size, contacts and conditioning; with -o
/// also collects all of them in one file.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub struct Problems {
    #[command(subcommand)]
    command: Option<Command>,
    /// Problem files, folders of them, recorded runs
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The formulation for recorded runs; that of the run unless given
    #[arg(long, value_name = "NAME")]
    formulation: Option<String>,
    /// Collect the problems in this file
    #[arg(short, long, value_name = "OUT.h5")]
    output: Option<PathBuf>,
    /// Print one JSON object on standard output in place of the lines
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Convert(Convert),
    Record(Box<Record>),
}

/// Write a problem in another format, by the extensions of the names.
///
/// .npz and .h5 (ours) hold every problem, .dat is Siconos' text (LCP, MLCP, contact), .hdf5 is
/// FCLIB (contact), .mtx is MatrixMarket with the vectors in files beside it.
#[derive(Debug, Args)]
struct Convert {
    /// The file to read
    from: PathBuf,
    /// The file to write
    to: PathBuf,
    /// Write a global contact problem in its local form, u = W p + b
    #[arg(long)]
    local: bool,
}

/// Run a scene and keep the problems that its solver is given.
#[derive(Debug, Args)]
struct Record {
    #[command(flatten)]
    select: Select,
    /// Keep those of every so many steps
    #[arg(long, value_name = "K", default_value_t = 10)]
    every: u64,
    /// What the problems are called, before the step; the name of the scene unless given
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// A folder for one .npz file each, or one .h5 file for all
    #[arg(long, value_name = "OUT")]
    out: PathBuf,
    /// No progress bar
    #[arg(long, short)]
    quiet: bool,
}

impl Problems {
    pub fn execute(&self) -> Result<(), Failure> {
        match &self.command {
            Some(Command::Convert(convert)) => convert.execute(),
            Some(Command::Record(record)) => record.execute(),
            None => self.describe(),
        }
    }

    fn describe(&self) -> Result<(), Failure> {
        let formulation = self.formulation.clone();
        let rebuild = source::Rebuild { formulation, ..Default::default() };
        let mut all = vec![];
        let files = source::expand(&self.files)?;
        let inputs: Vec<&Path> = files.iter().map(|p| &**p).collect();
        let outputs: Vec<&Path> = self.output.iter().map(|p| &**p).collect();
        output::distinct(&outputs, &inputs)?;
        for path in files {
            all.extend(source::load(&path, &rebuild)?);
        }
        let mut described = vec![];
        for entry in &all {
            let facts = Facts::of(&entry.problem()?);
            if self.json {
                described.push(serde_json::json!({ "problem": entry.name, "facts": facts }));
            } else {
                let form = entry.content.class_name();
                output::print(&format!("{}: {form}, {}\n", entry.name, facts.describe()))?;
            }
        }
        if self.json {
            output::print(&format!("{}\n", serde_json::json!({ "problems": described })))?;
        }
        match &self.output {
            Some(path) => save(path, all),
            None => Ok(()),
        }
    }
}

/// All problems in one file.
fn save(path: &Path, all: Vec<Entry>) -> Result<(), Failure> {
    let count = all.len();
    let named: Vec<Named> =
        all.into_iter().map(|e| Named { name: e.name, content: e.content }).collect();
    file::save_all(path, &named).map_err(|e| Failure::Input(e.to_string()))?;
    output::notice(&format!("wrote {}: {count} problems", path.display()));
    Ok(())
}

impl Convert {
    fn execute(&self) -> Result<(), Failure> {
        let input = |e: file::FileError| Failure::Input(e.to_string());
        output::distinct(&[&self.to], &[&self.from])?;
        probe::check(&self.from)?;
        let mut all = file::load_all(&self.from).map_err(input)?;
        if self.local {
            for one in &mut all {
                let problem = one.content.clone().into_problem();
                one.content = problem.map_err(|e| Failure::Input(e.to_string()))?.into();
            }
        }
        if self.to.extension().is_some_and(|e| e == "h5") {
            file::save_all(&self.to, &all).map_err(input)?;
        } else if let [one] = &all[..] {
            file::save(&self.to, &one.content).map_err(input)?;
        } else {
            let (from, count) = (self.from.display(), all.len());
            let text = format!("{from} holds {count} problems; only an .h5 file can hold them");
            return Err(Failure::Input(text));
        }
        output::notice(&format!("wrote {}", self.to.display()));
        Ok(())
    }
}

impl Record {
    fn execute(&self) -> Result<(), Failure> {
        if self.every == 0 {
            return Err(Failure::Input("--every 0: it must be at least 1".into()));
        }
        let interrupted = interrupt::flag()?;
        let scene = self.select.open(self.quiet)?;
        let steps = scene.settings.steps();
        let simulator = Simulator::new(scene.model, scene.state, scene.settings)
            .map_err(|error| Failure::Input(format!("{}: {error}", self.select.scene)))?;
        let bar = Bar::start(self.quiet);
        let name = self.name.as_deref().unwrap_or(&scene.name);
        let all = capture::run(simulator, name, self.every, |step| {
            bar.show(step, steps, "");
            !interrupted.load(Ordering::SeqCst)
        });
        drop(bar);
        let all = all.map_err(|e| match e {
            SourceError::Step(text) => Failure::Simulation(text),
            other => other.into(),
        })?;
        if all.is_empty() {
            return Err(Failure::Input(format!("{}: nothing to solve", self.select.scene)));
        }
        if self.out.extension().is_some_and(|e| e == "h5") {
            return save(&self.out, all);
        }
        let wrong =
            |e: &dyn std::fmt::Display| Failure::Input(format!("{}: {e}", self.out.display()));
        std::fs::create_dir_all(&self.out).map_err(|e| wrong(&e))?;
        for entry in &all {
            let path = self.out.join(format!("{}.npz", entry.name));
            file::save(&path, &entry.content).map_err(|e| Failure::Input(e.to_string()))?;
        }
        output::notice(&format!("wrote {} problems to {}", all.len(), self.out.display()));
        match interrupted.load(Ordering::SeqCst) {
            true => Err(Failure::Interrupted("interrupted before the end of the run".into())),
            false => Ok(()),
        }
    }
}
