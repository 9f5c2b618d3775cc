//! `stickslip soak`: random scenes, run and judged.

mod judge;
mod make;
mod results;
mod shrink;

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use clap::Args;

use super::interrupt;
use crate::{
    failure::{Failure, named},
    output::{self, bar::Bar},
};
use judge::{Finding, Kind, judge};
use make::Plan;
use results::{Found, Piece, Results};

/// Runs after which the file of results is brought up to date.
const RUNS_PER_FILE: u64 = 20;

/// Run random scenes and say which end badly.
///
/// Every seed is a scene of two to eight bodies: all shapes, joints, motors, restitution, sizes from
/// millimetres to metres; one in nine on a heightfield, one with a body that moves as prescribed, one
/// with bodies that overlap at the start. A run fails if it panics, if a step does not end (counted in iterations of
/// the solver), if it stops with an error, if a body is lost through the floor, if energy rises that
/// no motor put in, if bodies overlap by more than a thousandth of their size, or if a solve fails.
/// The scene of a seed that fails is made smaller and printed. Exit code 1 if any fails.
#[derive(Debug, Args)]
pub struct Soak {
    /// The seeds, first and last, or one; several, with commas between
    #[arg(long, value_name = "A..B", default_value = "0..99", value_delimiter = ',')]
    seeds: Vec<Seeds>,
    /// The formulation; may be given several times
    #[arg(long, value_name = "NAME", default_value = "separation")]
    formulation: Vec<String>,
    /// Steps of each run
    #[arg(long, value_name = "N", default_value_t = 200)]
    steps: u64,
    /// Runs at the same time; 0 means one for each core
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// Print a table in Markdown and not the seeds: a row for each formulation, a column for each way
    /// to end badly
    #[arg(long)]
    report: bool,
    /// Print the scenes of the seeds and run none
    #[arg(long)]
    print: bool,
    /// Do not make failing scenes smaller, nor print them
    #[arg(long)]
    brief: bool,
    /// Write what was found to a file: pieces, totals, and for each run that ended badly seed, kind,
    /// step, value and bodies. Kept up to date as runs end
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Run nothing; put together what runs of other seeds wrote with --json
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["seeds", "formulation", "steps", "jobs", "print"])]
    merge: Vec<PathBuf>,
}

/// `A..B`, both included, or one seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seeds(u64, u64);

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no range of seeds such as 0..99");
        let (a, b) = text.split_once("..").unwrap_or((text, text));
        let number = |part: &str| part.parse::<u64>().map_err(|_| wrong());
        let (a, b) = (number(a)?, number(b)?);
        if a <= b && b - a < 1_000_000_000 { Ok(Self(a, b)) } else { Err(wrong()) }
    }
}

impl Soak {
    pub fn execute(&self) -> Result<(), Failure> {
        let files: Vec<&Path> = self.json.as_deref().into_iter().collect();
        let inputs: Vec<&Path> = self.merge.iter().map(PathBuf::as_path).collect();
        output::distinct(&files, &inputs)?;
        let results = match self.merge.is_empty() {
            false => self.merged()?,
            true => self.nothing_yet()?,
        };
        if self.print {
            for piece in &results.pieces {
                for seed in piece.seeds[0]..=piece.seeds[1] {
                    output::print(&Plan::new(seed, &piece.formulation, self.steps).text())?;
                }
            }
            return Ok(());
        }
        let interrupted = interrupt::flag()?;
        let results = match self.merge.is_empty() {
            false => results,
            true => self.run(results, &interrupted)?,
        };
        self.keep(&results)?;
        match self.report {
            true => table(&results)?,
            false => self.tell(&results)?,
        }
        let runs = results.runs();
        match (interrupted.load(Ordering::SeqCst), results.found.len()) {
            (true, _) => Err(Failure::Interrupted(format!("interrupted after {runs} runs"))),
            (false, 0) => Ok(()),
            (false, n) => Err(Failure::Simulation(format!("{n} of {runs} runs ended badly"))),
        }
    }

    /// What is to be run.
    fn nothing_yet(&self) -> Result<Results, Failure> {
        let known = stickslip::formulate::FORMULATIONS;
        if let Some(name) = self.formulation.iter().find(|n| !known.iter().any(|k| k.name == **n)) {
            let names: Vec<&str> = known.iter().map(|k| k.name).collect();
            let list = names.join(", ");
            return Err(Failure::Input(format!(
                "no formulation is named {name:?}; there are: {list}"
            )));
        }
        let mut all = Results { steps: self.steps, ..Results::default() };
        for formulation in &self.formulation {
            for Seeds(a, b) in &self.seeds {
                let piece = Piece { formulation: formulation.clone(), seeds: [*a, *b], runs: 0 };
                let one = Results { steps: self.steps, pieces: vec![piece], found: Vec::new() };
                all.join(one).map_err(Failure::Input)?;
            }
        }
        Ok(all)
    }

    /// What other runs have written.
    fn merged(&self) -> Result<Results, Failure> {
        let mut all = Results::default();
        for path in &self.merge {
            let wrong = |error: &dyn std::fmt::Display| Failure::Input(named(path, error));
            let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
            let part = Results::parse(&text).map_err(|error| wrong(&error))?;
            all.join(part).map_err(|error| wrong(&error))?;
        }
        Ok(all)
    }

    /// Runs all pieces; judged in any order, told in that of the seeds.
    fn run(&self, results: Results, interrupted: &AtomicBool) -> Result<Results, Failure> {
        let pieces = results.pieces.clone();
        let total: u64 = pieces.iter().map(Piece::len).sum();
        let (next, results) = (AtomicU64::new(0), Mutex::new(results));
        let trouble: Mutex<Option<Failure>> = Mutex::new(None);
        let stops = AtomicBool::new(false);
        let bar = Bar::start(false);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = if self.jobs == 0 { cores } else { self.jobs };
        let work = || {
            while !interrupted.load(Ordering::SeqCst) && !stops.load(Ordering::SeqCst) {
                let mut seed = next.fetch_add(1, Ordering::SeqCst);
                let Some(k) = pieces.iter().position(|piece| {
                    let here = seed < piece.len();
                    seed -= if here { 0 } else { piece.len() };
                    here
                }) else {
                    return;
                };
                let (formulation, seed) =
                    (pieces[k].formulation.clone(), pieces[k].seeds[0] + seed);
                let finding = judge(&Plan::new(seed, &formulation, self.steps));
                let mut all = results.lock().unwrap_or_else(PoisonError::into_inner);
                all.pieces[k].runs += 1;
                all.found.extend(finding.map(|finding| Found { formulation, seed, finding }));
                all.sort();
                let runs = all.runs();
                bar.show(runs, total, &format!("{} ended badly", all.found.len()));
                if runs.is_multiple_of(RUNS_PER_FILE)
                    && let Err(failure) = self.keep(&all)
                {
                    *trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
                    stops.store(true, Ordering::SeqCst);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(work);
            }
        });
        match trouble.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(failure) => Err(failure),
            None => Ok(results.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// Writes the file of results, if one is asked for.
    fn keep(&self, results: &Results) -> Result<(), Failure> {
        let Some(path) = &self.json else { return Ok(()) };
        let text = format!("{:#}\n", results.json());
        let wrong = |error| Failure::Simulation(named(path, &error));
        stickslip_record::write_whole(path, text.as_bytes()).map_err(wrong)
    }

    fn tell(&self, results: &Results) -> Result<(), Failure> {
        for Found { formulation, seed, finding } in &results.found {
            let Finding { kind, step, detail, .. } = finding;
            let name = kind.name();
            output::print(&format!(
                "{formulation} seed {seed}: {name} at step {step}: {detail}\n"
            ))?;
            if !self.brief && self.merge.is_empty() {
                let plan = Plan::new(*seed, formulation, self.steps);
                let (small, now) = shrink::shrink(&plan, finding);
                let (step, detail) = (now.step, now.detail);
                output::print(&format!(
                    "# smaller: {name} at step {step}: {detail}\n{}\n",
                    small.text()
                ))?;
            }
        }
        for formulation in results.formulations() {
            let of = |kind: &Kind| (results.count(formulation, *kind), kind.name());
            let counts: Vec<String> = Kind::ALL
                .iter()
                .map(of)
                .filter(|(count, _)| *count > 0)
                .map(|(count, name)| format!("{count} {name}"))
                .collect();
            let text = if counts.is_empty() { "all well".into() } else { counts.join(", ") };
            output::print(&format!("{formulation}: {text}\n"))?;
        }
        Ok(output::print(&format!("{} runs of {} steps\n", results.runs(), results.steps))?)
    }
}

/// How many runs of each formulation ended in which way.
fn table(results: &Results) -> Result<(), Failure> {
    let kinds = &Kind::ALL[..Kind::ALL.len() - 1];
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    let mut out = format!("| formulation | runs x steps | {} |\n", names.join(" | "));
    out += &format!("|{}\n", "---|".repeat(2 + kinds.len()));
    for formulation in results.formulations() {
        let of = |kind: &Kind| results.count(formulation, *kind).to_string();
        let counts: Vec<String> = kinds.iter().map(of).collect();
        let (runs, steps) = (results.runs_of(formulation), results.steps);
        out += &format!("| `{formulation}` | {runs} x {steps} | {} |\n", counts.join(" | "));
    }
    Ok(output::print(&out)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The generator's scenes are scenes: none is refused, and bodies overlap at the start only where
    /// they should.
    #[test]
    fn random_scenes_are_sound() {
        for seed in 0..300 {
            let plan = Plan::new(seed, "separation", 1);
            let scene = stickslip_scene::Scene::parse("soak", &plan.text());
            let scene = scene.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", plan.text()));
            let deep = stickslip::oracle::measure(&scene.model, &scene.state).depth;
            assert!(deep < 1e-9 || plan.overlaps, "seed {seed}: {deep}\n{}", plan.text());
        }
    }

    #[test]
    fn seeds_are_ranges() {
        assert_eq!("3..7".parse(), Ok(Seeds(3, 7)));
        assert_eq!("3".parse(), Ok(Seeds(3, 3)));
        for wrong in ["", "3..", "7..3", "a..b", "-1..2"] {
            assert!(wrong.parse::<Seeds>().is_err(), "{wrong}");
        }
    }
}
