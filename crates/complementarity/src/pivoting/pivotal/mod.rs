//! `pivotal`: mixed LCP with bounds by a path of pivots on a sparse factorised basis, in the
//! spirit of Dirkse and Ferris, The PATH solver (1995).
//!
//! 1. Scale rows and columns ([`model`]).
//! 2. Crash: a basis from the warm start or from block pivoting ([`crash`]), then the active set of
//!    an interior point where the problem is large enough for that to pay. Where A has no negative
//!    entries, solutions with one or two positive unknowns are looked for first ([`supports`]), in games
//!    of two players those with two moves each ([`players`]);
//!    where it is symmetric and indefinite, sweeps lead to a better start ([`descent`]).
//! 3. Follow the path ([`path`]) on a basis with updates ([`basis`]).
//! 4. On a ray, in numerical trouble, or when a path gets long, start again: from the all-slack basis
//!    (where the method is Lemke's and inherits its guarantees), from the active set of an interior point (unless A is
//!    indefinite and full), with proximal terms, and with other directions.
//! 5. Solve the final basis afresh with refinement, and measure.
//!
//! `ray` means that every start ended on a ray: no solution along these paths, which for
//! copositive matrices means no solution. `numerical` means that some path broke down.

mod basis;
mod crash;
mod descent;
mod model;
mod outside;
mod path;
mod players;
mod supports;

use crate::interior_point::{InteriorPoint, class, core::Core};
use crate::problem::{Matrix, Problem, ProblemClass};
use crate::registry::{MAX_ITERATIONS, Reader, RegistryError, Setting, TOLERANCE};
use crate::residual;
use crate::solver::{Inside, Solution, SolveError, Solver, Status, Watch, check};
use model::Model;
use path::{Cover, Path, Point};

/// Pivots per unknown after which another path is tried.
const SHORT: usize = 4;
/// Paths of one pivot per unknown, tried after a long one: where the matrix is not positive
/// semidefinite the lengths of paths vary by orders of magnitude, and many short tries find a
/// solution sooner than a few long ones.
const LOTTERY: u64 = 40;
/// Pivots per unknown of the last paths.
const LONG: usize = 20;

/// The path-following pivotal method.
#[derive(Clone, Debug, PartialEq)]
pub struct Pivotal {
    /// Residual accepted, see [`residual::target`]. Default 1e-8.
    pub tolerance: f64,
    /// Limit on the pivots of one path; 0 means 4 per unknown plus 200, and 20 per unknown for two
    /// last paths. Default 0.
    pub max_iterations: usize,
    /// Rounds of block pivoting before the path. Default 12.
    pub crash: usize,
    /// Take the active set of an interior point as a start where block pivoting did not end at a
    /// solution, the matrix is factored and there are more than 60 unknowns. Default true; without it the first path
    /// starts from the best basis of block pivoting.
    pub interior: bool,
    /// Further starts after the first path failed. Default 8.
    pub restarts: usize,
    /// Seed of the small random factors in the direction of the path. Default 1.
    pub seed: u64,
}

impl Default for Pivotal {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 0, crash: 12, interior: true, restarts: 8, seed: 1 }
    }
}

impl Pivotal {
    pub(crate) const CLASSES: &'static [ProblemClass] = &[ProblemClass::Lcp, ProblemClass::Mlcp];
    pub(crate) const SETTINGS: &'static [Setting] = &[
        TOLERANCE,
        MAX_ITERATIONS,
        Setting { key: "crash", doc: "rounds of block pivoting before the path (default 12)" },
        Setting {
            key: "interior",
            doc: "start from an interior point's active set (default true)",
        },
        Setting { key: "restarts", doc: "further starts after a path failed (default 8)" },
        Setting { key: "seed", doc: "seed of the direction of the path (default 1)" },
    ];

    pub(crate) fn from_options(read: &Reader<'_>) -> Result<Self, RegistryError> {
        let base = Self::default();
        Ok(Self {
            tolerance: read.tolerance(base.tolerance)?,
            max_iterations: read.count("max_iterations", base.max_iterations)?,
            crash: read.count("crash", base.crash)?,
            interior: read.flag("interior", base.interior)?,
            restarts: read.count("restarts", base.restarts)?,
            seed: read.count("seed", 1)? as u64,
        })
    }
}

/// One solve: the problem, its scaled form and what has been found so far.
struct Run<'a> {
    settings: &'a Pivotal,
    problem: &'a Problem,
    model: &'a Model,
    watch: &'a mut dyn Watch,
    count: usize,
    best: Vec<f64>,
    error: f64,
    solved: bool,
    stopped: bool,
    broke_down: bool,
    out_of_pivots: bool,
    /// Whether an interior point may lead to a solution.
    hopeful: bool,
    /// Pivots of one path per unknown.
    patience: usize,
}

impl<'a> Run<'a> {
    /// Takes the point if it is the best so far.
    fn keep(&mut self, z: &[f64]) -> bool {
        let z = self.model.unscale(self.problem, z);
        if !z.iter().all(|x| x.is_finite()) {
            return false;
        }
        let error = residual::natural(self.problem, &z);
        if error < self.error {
            self.error = error;
            self.solved = error <= residual::target(self.problem, &z, self.settings.tolerance);
            self.best = z;
        }
        self.solved
    }

    /// Follows paths from the basis of `path` until solved or stuck; a solved path whose exact
    /// values are slightly outside their bounds is the start of the next.
    fn follow<'m>(
        &mut self,
        model: &'m Model,
        mut path: Path<'m>,
        mut cover: Cover,
    ) -> Option<Path<'m>> {
        let limit = match self.settings.max_iterations {
            0 => self.patience * model.n() + 200,
            limit => limit,
        };
        for _ in 0..4 {
            if path.infeasibility() <= 1e-11 * model.size {
                return Some(path);
            }
            let (count, watch, scaled) = (self.count, &mut *self.watch, self.model);
            let problem = self.problem;
            let mut see = |path: &Path<'_>| {
                let z = || scaled.unscale(problem, &path.values().0);
                watch.wants_iterates() && watch.iterate(count + path.pivots, &z()).is_break()
            };
            let status = path.run(&mut cover, limit, &mut see);
            self.count += path.pivots;
            match status {
                Status::Solved => {}
                Status::Ray => return None,
                Status::Stopped => {
                    self.stopped = true;
                    return None;
                }
                Status::IterationLimit => {
                    self.out_of_pivots = true;
                    return None;
                }
                _ => {
                    self.broke_down = true;
                    return None;
                }
            }
            path = Path::new(model, path.point())?;
            if path.infeasibility() <= 1e-9 * model.size {
                return Some(path);
            }
        }
        self.broke_down = true;
        None
    }

    /// A path on the problem itself; the outcome is measured.
    fn attempt(&mut self, point: Point, cover: Cover) -> bool {
        Path::new(self.model, point).is_some_and(|path| self.walk(path, cover))
    }

    /// The same from a basis that is factored already.
    fn walk(&mut self, path: Path<'a>, cover: Cover) -> bool {
        let model = self.model;
        let end = self.follow(model, path, cover);
        end.is_some_and(|path| self.keep(&tidy(model, path.values().0)))
    }

    /// Proximal point iterations `0 <= z ⟂ A z + b + rho (z - z_k)`: their matrices are better
    /// behaved, and their fixed points are the solutions.
    fn proximal(&mut self, rho: f64) -> bool {
        let mut z = self.model.scale(&self.best);
        let mut point = crash::guess(self.model, &z, &self.model.w(&z));
        for k in 0..10 {
            let model = self.model.proximal(rho, &z);
            let cover = Cover::new(self.settings.seed + k, 1.0, 0.01);
            let Some(start) = Path::new(&model, point) else { return false };
            let Some(path) = self.follow(&model, start, cover) else { return false };
            let end = path.point();
            z = tidy(&model, path.values().0);
            if self.keep(&z) || self.exact(end.clone()) {
                return true;
            }
            point = end;
        }
        let cover = Cover::new(self.settings.seed, 1.0, 0.01);
        self.attempt(point, cover)
    }

    /// From the basis that an interior-point solution suggests.
    fn inside(&mut self, cover: Cover) -> bool {
        let inner = InteriorPoint { tolerance: self.settings.tolerance, max_iterations: 60 };
        let mut core = Core::new(self.problem);
        let found = inner.run(self.problem, &mut core, &mut Inside(self.watch));
        self.count += found.iterations;
        let z = tidy(self.model, self.model.scale(&found.z));
        let w = self.model.w(&z);
        self.keep(&z) || self.attempt(crash::guess(self.model, &z, &w), cover)
    }

    /// Whether the basis of a proximal problem solves the problem itself.
    fn exact(&mut self, point: Point) -> bool {
        let model = self.model;
        Path::new(model, point).is_some_and(|path| self.keep(&tidy(model, path.values().0)))
    }

    /// Many short paths from the all-slack basis with different directions.
    fn lottery(&mut self) -> bool {
        let patience = std::mem::replace(&mut self.patience, 1);
        let mut draws = 0..LOTTERY;
        let won = draws.any(|k| {
            let spread = [0.1, 1.0, 10.0, 100.0][k as usize % 4];
            let cover = Cover::even(self.settings.seed + 100 + k, spread);
            !self.stopped && self.attempt(crash::slack(self.model), cover)
        });
        self.patience = patience;
        won
    }

    /// Paths from small bases, where the all-slack basis leads to a ray.
    fn games(&mut self) -> bool {
        let seed = self.settings.seed + 200;
        let starts = supports::starts(self.model, LOTTERY as usize);
        let patience = std::mem::replace(&mut self.patience, 1);
        let won = [0.01, 1.0].into_iter().any(|inside| {
            let mut points = starts.iter().cloned();
            points.any(|point| !self.stopped && self.attempt(point, Cover::new(seed, 1.0, inside)))
        });
        self.patience = patience;
        won
    }

    /// Block pivoting from where sweeps led to.
    fn descend(&mut self) -> bool {
        let model = self.model;
        let mut z = tidy(model, vec![0.0; model.n()]);
        for sweeps in [30, 100, 300] {
            descent::sweep(model, &mut z, sweeps);
            if !z.iter().all(|x| x.is_finite()) {
                return false;
            }
            let point = crash::guess(model, &z, &model.w(&z));
            let path = crash::improve(model, point, self.settings.crash, &mut self.count);
            if path.is_some_and(|path| self.keep(&tidy(model, path.values().0))) {
                return true;
            }
        }
        false
    }

    /// All that comes before the first path: its start where there is one, or `None` where a
    /// solution was found.
    fn begin(&mut self, first: Point, warm: bool, interior: bool) -> Option<Option<Path<'a>>> {
        let (model, seed) = (self.model, self.settings.seed);
        // block pivoting rarely finds its way through friction, and its bases are costly there
        let friction = self.problem.contacts().iter().any(|c| !c.friction.is_empty());
        if interior && friction && !warm && self.inside(Cover::new(seed + 2, 1.0, 0.01)) {
            return None;
        }
        let few = if warm { None } else { supports::find(model) };
        if let Some(point) = few {
            self.count += 1;
            if self.exact(point) {
                return None;
            }
        }
        let rounds = self.settings.crash;
        let path = crash::improve(model, first, rounds, &mut self.count);
        if path.as_ref().is_some_and(|path| self.keep(&tidy(model, path.values().0))) {
            return None;
        }
        if interior && (!friction || warm) && self.inside(Cover::new(seed + 2, 1.0, 0.01)) {
            return None;
        }
        self.hopeful = class::is_hopeful(self.problem.matrix());
        if !self.hopeful && !warm && descent::applies(model) && self.descend() {
            return None;
        }
        Some(path)
    }

    fn all(&mut self, start: Point, warm: bool) -> Status {
        let model = self.model;
        let seed = self.settings.seed;
        let condensed = matches!(self.problem.matrix(), Matrix::Factored(_));
        let interior = self.settings.interior && condensed && model.n() > 60;
        let Some(mut path) = self.begin(start.clone(), warm, interior) else {
            return Status::Solved;
        };
        let first = path.as_ref().map_or(start, Path::point);
        let restarts = self.settings.restarts as u64;
        for k in 0..=restarts {
            let solved = match k {
                0 => path.take().is_some_and(|path| self.walk(path, Cover::new(seed, 1.0, 0.01))),
                1 => self.attempt(crash::slack(model), Cover::even(seed + 1, 0.1)),
                2 if self.out_of_pivots && self.lottery() => true,
                2 if !self.out_of_pivots && self.games() => true,
                2 if interior || !self.hopeful => false,
                2 => self.inside(Cover::new(seed + 2, 1.0, 0.01)),
                3 => self.proximal(1e-4),
                4 => self.proximal(1e-1),
                5 => self.attempt(first.clone(), Cover::new(seed + k, 10.0, 10.0)),
                _ => self.attempt(crash::slack(model), Cover::even(seed + k, 0.1)),
            };
            if solved {
                return Status::Solved;
            }
            if self.stopped {
                return Status::Stopped;
            }
        }
        if self.out_of_pivots && restarts > 0 && self.settings.max_iterations == 0 {
            self.out_of_pivots = false;
            self.patience = LONG;
            if self.attempt(first, Cover::new(seed, 1.0, 0.01))
                || self.attempt(crash::slack(model), Cover::even(seed + 1, 0.1))
            {
                return Status::Solved;
            }
            if self.stopped {
                return Status::Stopped;
            }
        }
        match (self.broke_down, self.out_of_pivots) {
            (true, _) => Status::Numerical,
            (_, true) => Status::IterationLimit,
            _ => Status::Ray,
        }
    }
}

/// Puts values that rounding pushed over a bound back onto it.
fn tidy(model: &Model, mut z: Vec<f64>) -> Vec<f64> {
    for (i, z) in z.iter_mut().enumerate() {
        *z = z.max(model.lower[i]).min(model.upper[i]);
    }
    z
}

impl Solver for Pivotal {
    fn name(&self) -> &'static str {
        "pivotal"
    }

    fn accepts(&self) -> &'static [ProblemClass] {
        Self::CLASSES
    }

    fn solve(
        &mut self,
        problem: &Problem,
        z0: &[f64],
        watch: &mut dyn Watch,
    ) -> Result<Solution, SolveError> {
        check(self, problem, z0)?;
        let model = Model::new(problem);
        let start = if z0.is_empty() || z0.iter().any(|x| !x.is_finite()) {
            crash::slack(&model)
        } else {
            let z = tidy(&model, model.scale(z0));
            crash::guess(&model, &z, &model.w(&z))
        };
        let resting = tidy(&model, vec![0.0; problem.size()]);
        let mut run = Run {
            settings: self,
            problem,
            model: &model,
            watch,
            count: 0,
            best: model.unscale(problem, &resting),
            error: f64::INFINITY,
            solved: false,
            stopped: false,
            broke_down: false,
            out_of_pivots: false,
            hopeful: true,
            patience: SHORT,
        };
        let status =
            if run.keep(&resting) { Status::Solved } else { run.all(start, !z0.is_empty()) };
        let Run { best: z, count: iterations, .. } = run;
        Ok(Solution { z, status, iterations, solver: "pivotal", fallbacks: 0 })
    }
}
