//! `colored-pgs`: projected Gauss-Seidel whose blocks are swept color by color, those of one color
//! at the same time.
//!
//! ```text
//! for every color: for all its blocks at once: z_B <- the block's solution, all others held
//! ```
//! Blocks of one color do not see each other ([`super::coloring`]), so their order and the number
//! of threads make no difference to any bit. It is Gauss-Seidel in another order: the same limits,
//! other iterates. Without the feature `parallel` one thread does the same. A dense matrix has one
//! color per block, and nothing to gain.

use super::coloring;
use super::rows::Rows;
use super::sweep::Sweep;
use crate::problem::{Problem, ProblemClass};
use crate::registry::{MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::solver::{Solution, SolveError, Solver, Status, Watch, check, start_or_zero};
use crate::track::Track;

/// Gauss-Seidel by colors, in parallel.
#[derive(Clone, Debug, PartialEq)]
pub struct ColoredPgs {
    /// Residual accepted, see [`crate::residual::target`]. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the sweeps. Default 1000.
    pub max_iterations: usize,
    /// omega in (0, 2). Default 1.
    pub relaxation: f64,
    /// Threads; 0 means those of the program. The result does not depend on it. Default 0.
    pub threads: usize,
}

impl Default for ColoredPgs {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 1000, relaxation: 1.0, threads: 0 }
    }
}

impl ColoredPgs {
    pub(crate) const CLASSES: &'static [ProblemClass] = &[ProblemClass::Lcp, ProblemClass::Mlcp];
    pub(crate) const SETTINGS: &'static [Setting] = &[
        TOLERANCE,
        MAX_ITERATIONS,
        Setting { key: "relaxation", doc: "omega in (0, 2) (default 1)" },
        Setting { key: "threads", doc: "threads; 0: those of the program (default 0)" },
    ];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        let base = Self::default();
        let inside = |x: f64| x > 0.0 && x < 2.0;
        Ok(Self {
            tolerance: read.tolerance(base.tolerance)?,
            max_iterations: read.count("max_iterations", base.max_iterations)?,
            relaxation: read.number("relaxation", base.relaxation, inside, "in (0, 2)")?,
            threads: read.count("threads", base.threads)?,
        })
    }

    /// All sweeps.
    fn sweeps(&self, problem: &Problem, z: &[f64], watch: &mut dyn Watch) -> Outcome {
        let mut rows = Rows::new(problem.matrix(), z);
        let sweep = Sweep::new(problem, &rows, "colored-pgs")?;
        let mut track = Track::new("colored-pgs", self.tolerance, (problem, rows.z()), watch);
        if track.is_solved() {
            return Ok(track.finish(Status::Solved));
        }
        let colors = coloring::color(&rows, &sweep.rows_of_blocks());
        let limit = if self.max_iterations == 0 { 1000 } else { self.max_iterations };
        let crew = Crew::new(self.threads);
        for k in 1..=limit {
            for blocks in &colors {
                for (block, z) in blocks.iter().zip(crew.solutions(&sweep, &rows, blocks)) {
                    sweep.put(&mut rows, *block, &z, self.relaxation);
                }
            }
            if k % 64 == 0 {
                rows.refresh();
            }
            if let Some(status) = track.step(rows.z()) {
                return Ok(track.finish(status));
            }
        }
        Ok(track.finish(Status::IterationLimit))
    }
}

type Outcome = Result<Solution, SolveError>;

/// Those who work at the same time.
#[cfg(feature = "parallel")]
struct Crew(Option<rayon::ThreadPool>);

/// Fewer blocks than this are not worth waking a thread for.
#[cfg(feature = "parallel")]
const WORTH: usize = 64;

#[cfg(feature = "parallel")]
impl Crew {
    /// A pool of that many threads; the program's where 0 or where none can be made.
    fn new(threads: usize) -> Self {
        let pool = || rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok();
        Self(if threads == 0 { None } else { pool() })
    }

    /// What each block would be with all others held, in the order of `blocks`.
    fn solutions(&self, sweep: &Sweep, rows: &Rows, blocks: &[usize]) -> Vec<Vec<f64>> {
        use rayon::prelude::*;
        let threads =
            self.0.as_ref().map_or_else(rayon::current_num_threads, |p| p.current_num_threads());
        if blocks.len() < WORTH || threads == 1 {
            return one_by_one(sweep, rows, blocks);
        }
        let work = || {
            blocks
                .par_iter()
                .with_min_len(WORTH / 4)
                .map_init(Sweep::scratch, |scratch, &k| sweep.solve(rows, k, scratch))
                .collect()
        };
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

/// One thread.
#[cfg(not(feature = "parallel"))]
struct Crew;

#[cfg(not(feature = "parallel"))]
impl Crew {
    fn new(_threads: usize) -> Self {
        Self
    }

    fn solutions(&self, sweep: &Sweep, rows: &Rows, blocks: &[usize]) -> Vec<Vec<f64>> {
        one_by_one(sweep, rows, blocks)
    }
}

fn one_by_one(sweep: &Sweep, rows: &Rows, blocks: &[usize]) -> Vec<Vec<f64>> {
    let mut scratch = Sweep::scratch();
    blocks.iter().map(|&k| sweep.solve(rows, k, &mut scratch)).collect()
}

impl Solver for ColoredPgs {
    fn name(&self) -> &'static str {
        "colored-pgs"
    }

    fn accepts(&self) -> &'static [ProblemClass] {
        Self::CLASSES
    }

    fn solve(&mut self, problem: &Problem, z0: &[f64], watch: &mut dyn Watch) -> Outcome {
        check(self, problem, z0)?;
        self.sweeps(problem, &start_or_zero(problem, z0), watch)
    }
}
