//! Nonlinear mixed complementarity: `l <= z <= u ⟂ F(z)`, F and its Jacobian as functions.
//!
//! Where `z_i` is at its lower bound `F_i >= 0`, at its upper bound `F_i <= 0`, between them
//! `F_i = 0`. Josephy's method: at every point F is replaced by its linearisation, and the mixed
//! LCP is solved from the current active set. Near a solution that converges quadratically. Away
//! from one:
//!
//! 1. full steps are taken as long as the merit function (Fischer and Burmeister) falls at least
//!    every fifth step, else the run returns to its best point and searches along the step (a
//!    watchdog, Chamberlain and others 1982; Dirkse and Ferris 1995);
//! 2. where the linearised problem has no solution it gets a proximal term, `J + rho I`;
//! 3. where no length of the step helps, a step down the gradient of the merit function;
//! 4. where that run ends at a point that is no solution: a run without bold steps, proximal point
//!    iterations `F(z) + rho (z - z_k)`, and runs from other starts, which are drawn from a
//!    generator with a fixed seed.

mod map;
mod merit;
mod newton;
mod starts;

pub use map::{Function, Map, differences, undefined};

use self::map::Proximal;
use self::merit::Point;
use self::newton::{End, Runs, Style};
use crate::problem::{ProblemError, check_bounds};
use crate::solver::{SolveError, Status, Watch};

/// `l <= z <= u ⟂ F(z)`.
pub struct Ncp<'a> {
    /// F.
    pub map: &'a dyn Map,
    /// Lower bounds; `-inf` allowed.
    pub lower: Vec<f64>,
    /// Upper bounds; `+inf` allowed.
    pub upper: Vec<f64>,
}

/// Settings of [`Ncp::solve`].
#[derive(Clone, Debug, PartialEq)]
pub struct NonlinearSettings {
    /// Natural residual accepted; where round-off in F is larger, that. Default 1e-10.
    pub tolerance: f64,
    /// Limit on the linearisations of one run. Default 100.
    pub max_iterations: usize,
    /// Runs from other starts after those from the given one. Default 12.
    pub restarts: usize,
    /// Seed of the other starts. Default 1.
    pub seed: u64,
}

impl Default for NonlinearSettings {
    fn default() -> Self {
        Self { tolerance: 1e-10, max_iterations: 100, restarts: 12, seed: 1 }
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The unknowns, inside their bounds: the solution, or the point with the smallest residual.
    pub z: Vec<f64>,
    /// F there.
    pub f: Vec<f64>,
    /// `max_i |mid(z_i - l_i, F_i, z_i - u_i)|` there.
    pub residual: f64,
    /// How it ended.
    pub status: Status,
    /// The same in a sentence, with the numbers.
    pub reason: String,
    /// Linearisations, over all runs.
    pub iterations: usize,
    /// Values of F, without those taken for differences.
    pub evaluations: usize,
    /// Runs after the first.
    pub restarts: usize,
}

/// The function or its bounds make no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NonlinearError {
    /// Sizes or bounds.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The inner solver refused.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// F is not finite at the start, nor a little inside the bounds, or so large that its square is not.
    #[error("F is {value:e} in row {row} at the start; start where F is defined")]
    Start {
        /// Where.
        row: usize,
        /// What F gave.
        value: f64,
    },
    /// The Jacobian is not finite at the start, nor at any other that was tried.
    #[error("the Jacobian is {value:e} in row {}, column {} at the start; start where it is defined", place[0], place[1])]
    Jacobian {
        /// Row and column.
        place: [usize; 2],
        /// What is there.
        value: f64,
    },
}

impl Ncp<'_> {
    /// `max_i |mid(z_i - l_i, F_i(z), z_i - u_i)|`; infinite where F is not finite.
    pub fn residual(&self, z: &[f64]) -> f64 {
        self.point(z.to_vec()).residual
    }

    /// Solves from `z0` (moved into the bounds; empty means zero).
    pub fn solve(
        &self,
        z0: &[f64],
        settings: &NonlinearSettings,
        watch: &mut dyn Watch,
    ) -> Result<Report, NonlinearError> {
        let n = self.map.size();
        if !z0.is_empty() && z0.len() != n {
            return Err(SolveError::Start { found: z0.len(), expected: n }.into());
        }
        check_bounds(&self.lower, &self.upper, n)?;
        if let Some(row) = z0.iter().position(|x| !x.is_finite()) {
            let what = "the start";
            return Err(ProblemError::NotFinite { what, row, value: z0[row] }.into());
        }
        let zero = vec![0.0; n];
        let z0 = self.inside(if z0.is_empty() { &zero } else { z0 });
        let start = self.first(z0)?;
        let tolerance = settings.tolerance;
        let mut runs = Runs { tolerance, watch, iterations: 0, evaluations: 1 };
        let (best, end, restarts) = self.all(&mut runs, start, settings)?;
        if let (End::Undefined(place, value), 0) = (end, runs.iterations) {
            return Err(NonlinearError::Jacobian { place, value });
        }
        let solved = end == End::Solved;
        let status = status(end);
        let reason = reason(end, best.residual, (runs.iterations, restarts));
        let Runs { iterations, evaluations, .. } = runs;
        let z = if solved { self.tidy(best.z) } else { best.z };
        let best = self.point(z);
        let Point { z, f, residual, .. } = best;
        Ok(Report { z, f, residual, status, reason, iterations, evaluations, restarts })
    }

    /// Puts unknowns that rounding left beside a bound onto it.
    fn tidy(&self, mut z: Vec<f64>) -> Vec<f64> {
        for (i, z) in z.iter_mut().enumerate() {
            for bound in [self.lower[i], self.upper[i]] {
                if bound.is_finite() && (*z - bound).abs() <= 4.0 * f64::EPSILON * bound.abs() {
                    *z = bound;
                }
            }
        }
        z
    }

    /// All runs, until one of them ends at a solution.
    fn all(
        &self,
        runs: &mut Runs<'_>,
        start: Point,
        settings: &NonlinearSettings,
    ) -> Result<(Point, End, usize), NonlinearError> {
        let limit = settings.max_iterations;
        let bold = Style { watchdog: 4, memory: 4, limit };
        let careful = Style { watchdog: 0, memory: 1, limit };
        let done = |end: End| matches!(end, End::Solved | End::Stopped);
        let (mut best, first) = runs.run(self, start.clone(), bold)?;
        if done(first) || settings.restarts == 0 {
            return Ok((best, first, 0));
        }
        if runs.watch.stops() {
            return Ok((best, End::Stopped, 0));
        }
        let mut count = 0;
        let mut seed = settings.seed;
        for k in 0..settings.restarts + 2 {
            count += 1;
            let (found, end) = match k {
                0 => runs.run(self, start.clone(), careful)?,
                1 => self.proximal(runs, start.clone(), limit)?,
                _ => {
                    let Some(z) = starts::another(self, &start.z, (k - 2, &mut seed)) else {
                        break;
                    };
                    let point = runs.point(self, z);
                    if !point.theta.is_finite() {
                        continue;
                    }
                    runs.run(self, point, if k % 2 == 0 { bold } else { careful })?
                }
            };
            if done(end) {
                return Ok((found, end, count));
            }
            if runs.watch.stops() {
                return Ok((best, End::Stopped, count));
            }
            if found.residual < best.residual {
                best = found;
            }
        }
        Ok((best, first, count))
    }

    /// Proximal point iterations: each is a problem with a better Jacobian, near the last point.
    fn proximal(
        &self,
        runs: &mut Runs<'_>,
        start: Point,
        limit: usize,
    ) -> Result<(Point, End), NonlinearError> {
        let mut at = start;
        let mut rho = 1.0;
        for _ in 0..limit.min(40) {
            let anchor = at.z.clone();
            let map = Proximal { map: self.map, rho, anchor };
            let (lower, upper) = (self.lower.clone(), self.upper.clone());
            let inner = Ncp { map: &map, lower, upper };
            let first = runs.point(&inner, at.z.clone());
            let style = Style { watchdog: 0, memory: 1, limit: 12 };
            let (found, end) = runs.run(&inner, first, style)?;
            if end == End::Stopped {
                return Ok((at, end));
            }
            let next = runs.point(self, found.z);
            if runs.good(&next, None) {
                return Ok((next, End::Solved));
            }
            if end == End::Solved {
                at = next;
                rho = (0.3 * rho).max(1e-8);
            } else {
                rho *= 10.0;
                if rho > 1e6 {
                    break;
                }
            }
        }
        Ok((at, End::Stationary))
    }
}

fn status(end: End) -> Status {
    match end {
        End::Solved => Status::Solved,
        End::Stationary => Status::Stalled,
        End::Unsolvable => Status::Ray,
        End::Limit => Status::IterationLimit,
        End::Undefined(..) => Status::Numerical,
        End::Stopped => Status::Stopped,
    }
}

fn reason(end: End, residual: f64, (iterations, restarts): (usize, usize)) -> String {
    let what = match end {
        End::Solved => return format!("solved: residual {residual:e} after {iterations} steps"),
        End::Stationary => "the merit function has a minimum here that is no solution",
        End::Unsolvable => "the linearised problem has no solution here, however regularised",
        End::Limit => "out of iterations",
        End::Undefined([row, column], _) => {
            &format!("the Jacobian is not finite here (row {row}, column {column})")
        }
        End::Stopped => "stopped by the caller",
    };
    format!("{what}: residual {residual:e} after {iterations} steps and {restarts} restarts")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Dense, Matrix};
    use crate::solver::NoWatch;

    fn exponential() -> impl Map {
        Function::new(1, |z: &[f64], f: &mut [f64]| f[0] = z[0].exp() - 2.0)
    }

    #[test]
    fn bounds_and_free_unknowns_of_a_scalar() {
        for (l, u, right) in [
            (f64::NEG_INFINITY, f64::INFINITY, std::f64::consts::LN_2),
            (1.0, f64::INFINITY, 1.0),
            (-1.0, 0.5, 0.5),
        ] {
            let ncp = Ncp { map: &exponential(), lower: vec![l], upper: vec![u] };
            let found = ncp.solve(&[0.0], &NonlinearSettings::default(), &mut NoWatch).unwrap();
            assert_eq!(found.status, Status::Solved);
            assert!((found.z[0] - right).abs() < 1e-9, "{l} {u}: {:?}", found.z);
        }
    }

    #[test]
    fn what_makes_no_sense_is_an_error_that_says_where() {
        let map = exponential();
        let settings = NonlinearSettings::default();
        let solve = |l: f64, u: f64, z0: &[f64]| {
            let ncp = Ncp { map: &map, lower: vec![l], upper: vec![u] };
            ncp.solve(z0, &settings, &mut NoWatch).unwrap_err().to_string()
        };
        assert!(solve(0.0, 1.0, &[0.0; 3]).contains("3 numbers"));
        assert!(solve(2.0, 1.0, &[]).contains("row 0 has lower bound 2 above upper bound 1"));
        assert!(solve(0.0, 1.0, &[f64::NAN]).contains("the start is NaN at row 0"));
        let log = Function::new(1, |z: &[f64], f: &mut [f64]| f[0] = (z[0] - 9.0).ln());
        let ncp = Ncp { map: &log, lower: vec![0.0], upper: vec![1.0] };
        let error = ncp.solve(&[], &settings, &mut NoWatch).unwrap_err().to_string();
        assert!(error.contains("F is NaN in row 0"), "{error}");
    }

    /// A Jacobian that is undefined at the start alone is no obstacle; one that is undefined everywhere is an error,
    /// and one that becomes so on the way is told.
    #[test]
    fn a_jacobian_that_is_not_finite_is_named() {
        let solve = |undefined: fn(f64) -> bool| {
            let f = |z: &[f64], f: &mut [f64]| (f[0], f[1]) = (z[0].powi(3) - 8.0, z[1] - z[0]);
            let map = Function::new(2, f).with_jacobian(move |z| {
                let corner = if undefined(z[0]) { f64::INFINITY } else { -1.0 };
                Matrix::Dense(Dense::from_rows(&[&[3.0 * z[0] * z[0], 0.0], &[corner, 1.0]]))
            });
            let ncp = Ncp { map: &map, lower: vec![0.0; 2], upper: vec![f64::INFINITY; 2] };
            ncp.solve(&[1.0; 2], &NonlinearSettings::default(), &mut NoWatch)
        };
        let error = solve(|_| true).unwrap_err().to_string();
        assert!(error.contains("inf in row 1, column 0 at the start"), "{error}");
        let found = solve(|z| z == 1.0).unwrap();
        assert_eq!(found.status, Status::Solved, "{}", found.reason);
        let found = solve(|z| z != 1.0).unwrap();
        assert_eq!(found.status, Status::Numerical);
        assert!(found.reason.contains("row 1, column 0"), "{}", found.reason);
    }

    /// `z² + 1 = 0` has no solution; the report says so and ends.
    #[test]
    fn an_equation_without_a_solution_is_not_solved() {
        let f = Function::new(1, |z: &[f64], f: &mut [f64]| f[0] = z[0] * z[0] + 1.0);
        let ncp = Ncp { map: &f, lower: vec![-5.0], upper: vec![f64::INFINITY] };
        let inside = ncp.solve(&[3.0], &NonlinearSettings::default(), &mut NoWatch).unwrap();
        // the bound is a solution: z at its lower bound and F > 0
        assert_eq!((inside.status, inside.z), (Status::Solved, vec![-5.0]));
        let ncp = Ncp { map: &f, lower: vec![f64::NEG_INFINITY], upper: vec![f64::INFINITY] };
        let found = ncp.solve(&[3.0], &NonlinearSettings::default(), &mut NoWatch).unwrap();
        assert_ne!(found.status, Status::Solved);
        assert!(found.residual >= 1.0 && found.reason.contains("residual"), "{}", found.reason);
    }
}
