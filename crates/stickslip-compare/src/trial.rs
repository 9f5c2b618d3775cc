//! One solver on one problem.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use complementarity::registry::{self, RegistryError};
use complementarity::{Metric, Options, Problem, Solution, SolveError, Watch, residual};
use serde::Serialize;

/// What `compare --json` says about one solver on one problem.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Name of the problem.
    pub problem: String,
    /// `lcp`, `mlcp` or `cone`.
    pub class: &'static str,
    /// Number of unknowns.
    pub size: usize,
    /// Number of contacts, where the problem says.
    pub contacts: Option<usize>,
    /// Name of the solver.
    pub solver: String,
    /// The solver's own view, `time-limit`, or `failed: ` and why it cannot take the problem.
    pub status: String,
    /// Whether the natural residual is below [`residual::target`], whatever the solver says.
    pub solved: bool,
    /// The error in the metric asked for; not finite (null in JSON) where there is no result.
    pub error: f64,
    /// Iterations as the solver counts them.
    pub iterations: usize,
    /// Time of one solve from a cold start \[s\]: the least of some where it is short.
    pub seconds: f64,
}

/// What `seconds` counts for solves that are too long to repeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// Elapsed time.
    #[default]
    Wall,
    /// Time of the solving thread on a processor, where the system tells (Linux): for machines
    /// that have other work. Other threads of `colored-pgs` do not count.
    Cpu,
}

impl Clock {
    /// Time since some moment \[s\].
    fn now(self) -> Option<f64> {
        match self {
            Self::Wall => None,
            Self::Cpu => {
                let read = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
                Some(1e-9 * read.split_whitespace().next()?.parse::<f64>().ok()?)
            }
        }
    }
}

/// The error after an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Which iteration.
    pub iteration: usize,
    /// Time since the start, without the time for measuring \[s\].
    pub seconds: f64,
    /// The error in the metric asked for.
    pub error: f64,
}

/// What every trial shares.
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    /// Tolerance given to the solver and used to judge it.
    pub tolerance: f64,
    /// What `error` is.
    pub metric: Metric,
    /// Most seconds of one solve; checked after every iteration.
    pub time_limit: f64,
    /// Settings for the solvers that know them.
    pub options: &'a Options,
    /// What counts as time.
    pub clock: Clock,
    /// Ends the solve under way when it returns true.
    pub interrupted: &'a dyn Interrupt,
}

/// Asked after every iteration whether to end.
pub trait Interrupt: std::fmt::Debug {
    /// True to end.
    fn now(&self) -> bool;
}

/// Repeats of a short solve last this long, to rise above the clock's grain \[s\].
const REPEAT: f64 = 0.02;
/// What a clock of processor time may be off by \[s\].
const TICK: f64 = 0.004;

/// Stops at the time limit.
struct Limit<'a> {
    begin: Instant,
    /// The clock, and what it showed at the start.
    clock: (Clock, Option<f64>),
    limit: Duration,
    late: bool,
    interrupted: &'a dyn Interrupt,
}

impl Limit<'_> {
    /// Time since the start by the clock that counts \[s\].
    fn spent(&self) -> f64 {
        match (self.clock.1, self.clock.0.now()) {
            (Some(from), Some(to)) => to - from,
            _ => self.begin.elapsed().as_secs_f64(),
        }
    }
}

impl Watch for Limit<'_> {
    fn iterate(&mut self, _k: usize, _z: &[f64]) -> ControlFlow<()> {
        self.late = self.begin.elapsed() > self.limit && self.spent() > self.limit.as_secs_f64();
        if self.late || self.interrupted.now() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn stops(&mut self) -> bool {
        self.iterate(0, &[]).is_break()
    }
}

/// Measures every iterate.
struct Recorder<'a> {
    problem: &'a Problem,
    metric: Metric,
    limit: Limit<'a>,
    /// Time spent measuring, taken off.
    aside: Duration,
    samples: Vec<Sample>,
}

impl Watch for Recorder<'_> {
    fn iterate(&mut self, k: usize, z: &[f64]) -> ControlFlow<()> {
        let seen = Instant::now();
        let seconds = (self.limit.begin.elapsed().saturating_sub(self.aside)).as_secs_f64();
        // The first hundred, then ever fewer: a curve needs no more.
        if k <= 100 || k.is_multiple_of(k / 100) {
            let error = self.metric.measure(self.problem, z);
            self.samples.push(Sample { iteration: k, seconds, error });
        }
        self.aside += seen.elapsed();
        self.limit.limit += seen.elapsed();
        self.limit.iterate(k, z)
    }

    fn stops(&mut self) -> bool {
        self.limit.stops()
    }
}

impl Trial<'_> {
    /// The settings that `solver` knows, the tolerance among them.
    fn settings(&self, solver: &str) -> Options {
        let known = registry::info().iter().find(|i| i.name == solver);
        let has = |key: &str| known.is_some_and(|i| i.settings.iter().any(|s| s.key == key));
        let mut options = Options::new();
        if has("tolerance") {
            options.set("tolerance", self.tolerance);
        }
        for (key, value) in self.options.iter().filter(|(key, _)| has(key)) {
            options.set(key, value.clone());
        }
        options
    }

    fn limit(&self) -> Limit<'_> {
        let limit = Duration::try_from_secs_f64(self.time_limit).unwrap_or(Duration::MAX);
        let clock = (self.clock, self.clock.now());
        Limit { begin: Instant::now(), clock, limit, late: false, interrupted: self.interrupted }
    }

    /// Solves, times and judges. An unknown solver or a setting out of range is an error.
    pub fn run(&self, name: &str, problem: &Problem, solver: &str) -> Result<Row, RegistryError> {
        let mut method = registry::make(solver, &self.settings(solver))?;
        let mut limit = self.limit();
        let found = method.solve(problem, &[], &mut limit);
        let mut seconds = limit.begin.elapsed().as_secs_f64();
        // a clock of processor time may tick in milliseconds: only for what is long
        if seconds > 2.0 * REPEAT {
            seconds = limit.spent().max(TICK).min(seconds);
        }
        let late = limit.late;
        let (begin, mut repeats) = (Instant::now(), 0);
        while found.is_ok()
            && seconds < 2.0 * REPEAT
            && (repeats < 3 || begin.elapsed().as_secs_f64() < REPEAT)
        {
            repeats += 1;
            let mut limit = self.limit();
            let start = Instant::now();
            let _ = method.solve(problem, &[], &mut limit);
            seconds = seconds.min(start.elapsed().as_secs_f64());
        }
        Ok(self.row(name, problem, solver, (found, seconds, late)))
    }

    fn row(
        &self,
        name: &str,
        problem: &Problem,
        solver: &str,
        (found, seconds, late): (Result<Solution, SolveError>, f64, bool),
    ) -> Row {
        let mut row = Row {
            problem: name.to_owned(),
            class: problem.class().as_str(),
            size: problem.size(),
            contacts: problem.n_contacts(),
            solver: solver.to_owned(),
            status: String::new(),
            solved: false,
            error: f64::INFINITY,
            iterations: 0,
            seconds: 0.0,
        };
        match found {
            Err(why) => row.status = format!("failed: {why}"),
            Ok(found) => {
                row.status = if late { "time-limit" } else { found.status.as_str() }.to_owned();
                row.solved = residual::solved(problem, &found.z, self.tolerance);
                row.error = self.metric.measure(problem, &found.z);
                (row.iterations, row.seconds) = (found.iterations, seconds);
            }
        }
        row
    }

    /// The error after every iteration; empty where the solver does not take the problem. Ends with
    /// the result itself.
    pub fn curve(&self, problem: &Problem, solver: &str) -> Result<Vec<Sample>, RegistryError> {
        let mut method = registry::make(solver, &self.settings(solver))?;
        let aside = Duration::ZERO;
        let (metric, limit) = (self.metric, self.limit());
        let mut watch = Recorder { problem, metric, limit, aside, samples: vec![] };
        let Ok(found) = method.solve(problem, &[], &mut watch) else { return Ok(vec![]) };
        let seconds = watch.limit.begin.elapsed().saturating_sub(watch.aside).as_secs_f64();
        let error = self.metric.measure(problem, &found.z);
        let mut samples = watch.samples;
        let last = samples.last().map_or(0, |s| s.iteration);
        let iteration = found.iterations.max(last);
        samples.push(Sample { iteration, seconds, error });
        Ok(samples)
    }
}
