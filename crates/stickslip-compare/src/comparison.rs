//! Every solver on every problem.

use complementarity::registry::{self, RegistryError};
use complementarity::{Metric, Options, Problem};
use serde::Serialize;

use crate::source::Entry;
use crate::trial::{Clock, Interrupt, Row, Sample, Trial};

/// How to compare.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Solvers by name; those that do not take a problem's class are left out for it. Empty: all
    /// but `enumerate`, which takes tiny problems only.
    pub solvers: Vec<String>,
    /// For every solver, and to judge it. Default 1e-8.
    pub tolerance: f64,
    /// What the column `error` and the curves show. Default natural.
    pub metric: Metric,
    /// Most seconds of one solve. Default 10.
    pub time_limit: f64,
    /// Settings for the solvers that know them.
    pub options: Options,
    /// What counts as time. Default wall.
    pub clock: Clock,
    /// Record curves on at most this many problems of each class, the largest ones. Default 0.
    pub curves: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            solvers: vec![],
            tolerance: 1e-8,
            metric: Metric::Natural,
            time_limit: 10.0,
            options: Options::new(),
            clock: Clock::Wall,
            curves: 0,
        }
    }
}

/// Told what goes on; may end it.
pub trait Progress {
    /// Before each trial, of which there are `count` in all.
    fn begin(&mut self, done: usize, count: usize, what: &str);
    /// True to end with what there is.
    fn interrupted(&self) -> bool;
}

impl std::fmt::Debug for dyn Progress + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Progress")
    }
}

impl Interrupt for &dyn Progress {
    fn now(&self) -> bool {
        self.interrupted()
    }
}

/// The errors of one solver on one problem, iteration by iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The problem.
    pub problem: String,
    /// Its class.
    pub class: &'static str,
    /// The solver.
    pub solver: String,
    /// After each iteration.
    pub samples: Vec<Sample>,
}

/// The results. As JSON: what `compare --json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// For every solver.
    pub tolerance: f64,
    /// What `error` is.
    pub metric: &'static str,
    /// Problem by problem, in each solver by solver.
    pub results: Vec<Row>,
    /// The solvers that were asked for, in the order of the registry.
    #[serde(skip)]
    pub asked: Vec<&'static str>,
    /// The family of the problem of each result.
    #[serde(skip)]
    pub families: Vec<String>,
    /// Convergence, where it was asked for.
    #[serde(skip)]
    pub curves: Vec<Curve>,
    /// Whether it was ended before its time.
    #[serde(skip)]
    pub interrupted: bool,
}

/// Names that the registry does not know are an error that lists the known ones.
fn check(settings: &Settings) -> Result<(), RegistryError> {
    for name in &settings.solvers {
        registry::make(name, &Options::new())?;
    }
    Ok(())
}

fn asked(settings: &Settings) -> Vec<&'static str> {
    let chosen = |name: &&str| match settings.solvers.is_empty() {
        true => *name != "enumerate",
        false => settings.solvers.iter().any(|s| s == name),
    };
    registry::names().into_iter().filter(chosen).collect()
}

fn fitting(settings: &Settings, problem: &Problem) -> Vec<&'static str> {
    let takes = |name: &&str| takes(name, problem.class().as_str());
    asked(settings).into_iter().filter(takes).collect()
}

/// Whether a solver takes problems of a class.
fn takes(solver: &str, class: &str) -> bool {
    let info = registry::info().iter().find(|i| i.name == solver);
    info.is_some_and(|i| i.classes.iter().any(|c| c.as_str() == class))
}

impl Comparison {
    /// Runs every chosen solver on every problem that it takes.
    pub fn run(
        entries: &[(Entry, Problem)],
        settings: &Settings,
        progress: &mut dyn Progress,
    ) -> Result<Self, RegistryError> {
        check(settings)?;
        let mut out = Self {
            tolerance: settings.tolerance,
            metric: settings.metric.as_str(),
            results: vec![],
            asked: asked(settings),
            families: vec![],
            curves: vec![],
            interrupted: false,
        };
        let drawn = drawn(entries, settings.curves);
        let trials: Vec<(usize, &'static str)> = (0..entries.len())
            .flat_map(|k| fitting(settings, &entries[k].1).into_iter().map(move |s| (k, s)))
            .collect();
        for (done, &(k, solver)) in trials.iter().enumerate() {
            let (entry, problem) = &entries[k];
            progress.begin(done, trials.len(), &format!("{solver} on {}", entry.name));
            let watcher: &dyn Progress = progress;
            let trial = Trial {
                tolerance: settings.tolerance,
                metric: settings.metric,
                time_limit: settings.time_limit,
                options: &settings.options,
                clock: settings.clock,
                interrupted: &watcher,
            };
            let row = trial.run(&entry.name, problem, solver)?;
            if watcher.interrupted() {
                out.interrupted = true;
                break;
            }
            if drawn.contains(&k) {
                let samples = trial.curve(problem, solver)?;
                let (problem, solver) = (entry.name.clone(), solver.to_owned());
                out.curves.push(Curve { problem, class: row.class, solver, samples });
            }
            out.results.push(row);
            out.families.push(entry.family.clone());
        }
        Ok(out)
    }

    /// The solvers that occur, in the order of the registry.
    pub fn solvers(&self, class: Option<&str>) -> Vec<&'static str> {
        let has = |name: &str| {
            self.results.iter().any(|r| r.solver == name && class.is_none_or(|c| r.class == c))
        };
        registry::names().into_iter().filter(|n| has(n)).collect()
    }

    /// The solvers that were asked for and have no row in a class, and why.
    pub fn absent(&self, class: &str) -> Vec<(&'static str, &'static str)> {
        let there = self.solvers(Some(class));
        let why = |name: &'static str| match takes(name, class) {
            true => (name, "not reached before the end"),
            false => (name, "does not take problems of this class"),
        };
        self.asked.iter().filter(|n| !there.contains(n)).map(|n| why(n)).collect()
    }

    /// The classes that occur.
    pub fn classes(&self) -> Vec<&'static str> {
        let all = ["lcp", "mlcp", "cone"];
        all.into_iter().filter(|c| self.results.iter().any(|r| r.class == *c)).collect()
    }
}

/// The largest problems of each class.
fn drawn(entries: &[(Entry, Problem)], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&k| std::cmp::Reverse(entries[k].1.size()));
    let mut out: Vec<usize> = vec![];
    for class in ["lcp", "mlcp", "cone"] {
        let of = order.iter().filter(|&&k| entries[k].1.class().as_str() == class);
        out.extend(of.take(count));
    }
    out
}
