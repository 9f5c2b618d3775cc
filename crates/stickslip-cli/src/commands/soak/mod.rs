//! `stickslip soak`: random scenes, run and judged.

mod judge;
mod make;
mod shrink;

use std::{
    str::FromStr,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use clap::Args;

use super::interrupt;
use crate::{failure::Failure, output};
use judge::{Finding, Kind, judge};
use make::Plan;

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
    /// The seeds, first and last
    #[arg(long, value_name = "A..B", default_value = "0..99")]
    seeds: Seeds,
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
}

/// `A..B`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seeds(u64, u64);

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no range of seeds such as 0..99");
        let (a, b) = text.split_once("..").ok_or_else(wrong)?;
        let number = |part: &str| part.parse::<u64>().map_err(|_| wrong());
        let (a, b) = (number(a)?, number(b)?);
        if a <= b && b - a < 1_000_000_000 { Ok(Self(a, b)) } else { Err(wrong()) }
    }
}

type Found = (String, u64, Finding);

impl Soak {
    pub fn execute(&self) -> Result<(), Failure> {
        let interrupted = interrupt::flag()?;
        let known = stickslip::formulate::FORMULATIONS;
        if let Some(name) = self.formulation.iter().find(|n| !known.iter().any(|k| k.name == **n)) {
            let names: Vec<&str> = known.iter().map(|k| k.name).collect();
            let list = names.join(", ");
            return Err(Failure::Input(format!(
                "no formulation is named {name:?}; there are: {list}"
            )));
        }
        if self.print {
            let plans = (self.seeds.0..=self.seeds.1)
                .flat_map(|seed| self.formulation.iter().map(move |f| (seed, f)));
            for (seed, formulation) in plans {
                output::print(&Plan::new(seed, formulation, self.steps).text())?;
            }
            return Ok(());
        }
        let per = self.seeds.1 - self.seeds.0 + 1;
        let total = per * self.formulation.len() as u64;
        let (next, found) = (AtomicU64::new(0), Mutex::new(Vec::<Found>::new()));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = if self.jobs == 0 { cores } else { self.jobs };
        // Judged in any order, told in that of the seeds.
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    while !interrupted.load(Ordering::SeqCst) {
                        let k = next.fetch_add(1, Ordering::SeqCst);
                        if k >= total {
                            return;
                        }
                        let formulation = &self.formulation[(k / per) as usize];
                        let seed = self.seeds.0 + k % per;
                        if let Some(finding) = judge(&Plan::new(seed, formulation, self.steps)) {
                            let mut list = found.lock().unwrap_or_else(PoisonError::into_inner);
                            list.push((formulation.clone(), seed, finding));
                        }
                    }
                });
            }
        });
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        let runs = next.load(Ordering::SeqCst).min(total);
        match self.report {
            true => self.table(&found, runs)?,
            false => self.tell(&found, runs)?,
        }
        match (interrupted.load(Ordering::SeqCst), found.len()) {
            (true, _) => Err(Failure::Interrupted(format!("interrupted after {runs} runs"))),
            (false, 0) => Ok(()),
            (false, n) => Err(Failure::Simulation(format!("{n} of {runs} runs ended badly"))),
        }
    }

    /// How many runs of each formulation ended in which way.
    fn table(&self, found: &[Found], runs: u64) -> Result<(), Failure> {
        let kinds = &Kind::ALL[..Kind::ALL.len() - 1];
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        let mut out = format!("| formulation | runs x steps | {} |\n", names.join(" | "));
        out += &format!("|{}\n", "---|".repeat(2 + kinds.len()));
        let per = runs / self.formulation.len() as u64;
        for formulation in &self.formulation {
            let of = |kind: &Kind| {
                let all = found.iter().filter(|f| f.0 == *formulation && f.2.kind == *kind);
                all.count().to_string()
            };
            let counts: Vec<String> = kinds.iter().map(of).collect();
            let steps = self.steps;
            out += &format!("| `{formulation}` | {per} x {steps} | {} |\n", counts.join(" | "));
        }
        Ok(output::print(&out)?)
    }

    fn tell(&self, found: &[Found], runs: u64) -> Result<(), Failure> {
        for (formulation, seed, finding) in found {
            let Finding { kind, step, detail } = finding;
            let name = kind.name();
            output::print(&format!(
                "{formulation} seed {seed}: {name} at step {step}: {detail}\n"
            ))?;
            if !self.brief {
                let plan = Plan::new(*seed, formulation, self.steps);
                let (small, now) = shrink::shrink(&plan, finding);
                let (step, detail) = (now.step, now.detail);
                output::print(&format!(
                    "# smaller: {name} at step {step}: {detail}\n{}\n",
                    small.text()
                ))?;
            }
        }
        for formulation in &self.formulation {
            let of = |kind: Kind| {
                found.iter().filter(|f| f.0 == *formulation && f.2.kind == kind).count()
            };
            let counts: Vec<String> = Kind::ALL
                .iter()
                .filter(|&&kind| of(kind) > 0)
                .map(|&kind| format!("{} {}", of(kind), kind.name()))
                .collect();
            let text = if counts.is_empty() { "all well".into() } else { counts.join(", ") };
            output::print(&format!("{formulation}: {text}\n"))?;
        }
        Ok(output::print(&format!("{runs} runs of {} steps\n", self.steps))?)
    }
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
        for wrong in ["", "3", "7..3", "a..b", "-1..2"] {
            assert!(wrong.parse::<Seeds>().is_err(), "{wrong}");
        }
    }
}
