//! One run of the Josephy-Newton method, watched by a merit function.

use std::ops::ControlFlow;

use super::merit::Point;
use super::{Ncp, NonlinearError};
use crate::auto::Auto;
use crate::pivoting::Pivotal;
use crate::problem::{Matrix, Mlcp, Problem, ProblemError};
use crate::solver::{Inside, Solver, Status, Watch};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum End {
    Solved,
    /// No direction makes the merit function smaller.
    Stationary,
    /// The linearised problem had no solution, and the gradient led nowhere.
    Unsolvable,
    Limit,
    /// The Jacobian is not finite in this row and column.
    Undefined([usize; 2], f64),
    Stopped,
}

/// How boldly a run steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// Full steps in a row that may raise the merit function before the run returns to its best point.
    pub(super) watchdog: usize,
    /// A search may raise the merit function up to the largest of so many before.
    pub(super) memory: usize,
    /// Limit on the linearisations.
    pub(super) limit: usize,
}

/// What runs have in common.
pub(super) struct Runs<'a> {
    pub(super) tolerance: f64,
    pub(super) watch: &'a mut dyn Watch,
    /// Linearisations so far.
    pub(super) iterations: usize,
    /// Values of F so far, without those of differences.
    pub(super) evaluations: usize,
}

/// Larger problems are left to `auto`, which chooses by their structure.
const MEDIUM: usize = 600;
/// A full step may not raise the merit function more than this.
const WILD: f64 = 1e6;

/// The linearised problem, or a part of it, solved.
enum Linear {
    At(Vec<f64>),
    Nowhere,
    /// The caller wants no more.
    Stopped,
}

impl Runs<'_> {
    pub(super) fn point(&mut self, ncp: &Ncp<'_>, z: Vec<f64>) -> Point {
        self.evaluations += 1;
        ncp.point(z)
    }

    /// Whether a point is as good as asked for, or as round-off allows.
    pub(super) fn good(&self, at: &Point, jacobian: Option<&Matrix>) -> bool {
        if at.residual <= self.tolerance {
            return true;
        }
        // as in `residual::target`: the rounding error of J z + (F - J z)
        let rounding = |j: &Matrix| {
            let size = j.magnitude(&at.z, &at.f).into_iter().fold(0.0, f64::max);
            64.0 * f64::EPSILON * size
        };
        at.residual < 1e-5 && jacobian.is_some_and(|j| at.residual <= rounding(j))
    }

    /// Follows linearisations from `start`; the best point and how it ended.
    pub(super) fn run(
        &mut self,
        ncp: &Ncp<'_>,
        start: Point,
        style: Style,
    ) -> Result<(Point, End), NonlinearError> {
        let mut at = start;
        let mut check = at.clone();
        let (mut since, mut careful) = (0, style.watchdog == 0);
        let mut recent = vec![at.theta];
        for _ in 0..style.limit {
            if self.good(&at, None) {
                return Ok((at, End::Solved));
            }
            let jacobian = ncp.map.jacobian(&at.z);
            if let Some((place, value)) = undefined_at(&jacobian) {
                return Ok((check, End::Undefined(place, value)));
            }
            if self.good(&at, Some(&jacobian)) {
                return Ok((at, End::Solved));
            }
            self.iterations += 1;
            let end = self.linear(ncp, &at, &jacobian)?;
            let full = match &end {
                Linear::At(z) => Some(self.point(ncp, z.clone())),
                Linear::Nowhere => None,
                Linear::Stopped => return Ok((check, End::Stopped)),
            };
            match full {
                Some(full) if full.theta <= 0.9 * check.theta => {
                    (at, since, careful) = (full, 0, style.watchdog == 0);
                    check = at.clone();
                }
                Some(full)
                    if !careful && since < style.watchdog && full.theta < WILD * check.theta =>
                {
                    since += 1;
                    at = full;
                }
                _ if since > 0 => {
                    // the bold steps led nowhere: back, and search from there
                    (at, since, careful) = (check.clone(), 0, true);
                    continue;
                }
                _ => match self.search(ncp, &at, (&end, &jacobian), &recent, style.memory) {
                    Some(next) => {
                        (at, careful) = (next, style.watchdog == 0);
                        if at.theta < check.theta {
                            check = at.clone();
                        }
                    }
                    None => {
                        let lost = matches!(end, Linear::Nowhere);
                        let how = if lost { End::Unsolvable } else { End::Stationary };
                        return Ok((check, how));
                    }
                },
            }
            recent.push(at.theta);
            if self.watch.iterate(self.iterations, &at.z) == ControlFlow::Break(()) {
                return Ok((check, End::Stopped));
            }
        }
        let solved = self.good(&check, None);
        Ok((check, if solved { End::Solved } else { End::Limit }))
    }

    /// The solution of the linearised problem at a point, with proximal terms where it has none.
    fn linear(
        &mut self,
        ncp: &Ncp<'_>,
        at: &Point,
        jacobian: &Matrix,
    ) -> Result<Linear, NonlinearError> {
        let minus: Vec<f64> = at.z.iter().map(|x| -x).collect();
        let size = largest(jacobian);
        // a start that is nearly good enough is not to be handed back as it is
        let tolerance = (1e-2 * self.tolerance).clamp(1e-15, 1e-8);
        for rho in [0.0, 1e-6, 1e-3, 1e-1, 1.0] {
            let a = if rho == 0.0 { jacobian.clone() } else { jacobian.shifted(rho * size) };
            let b = a.times_plus(&minus, &at.f);
            let made = Mlcp::new(a, b, ncp.lower.clone(), ncp.upper.clone());
            let problem = match made {
                Ok(problem) => Problem::Mlcp(problem),
                // overflow: there is no linearisation here
                Err(ProblemError::NotFinite { .. }) => return Ok(Linear::Nowhere),
                Err(error) => return Err(error.into()),
            };
            let found = if at.z.len() <= MEDIUM {
                let restarts = if rho == 0.0 { 4 } else { 1 };
                let mut pivotal = Pivotal { restarts, tolerance, ..Pivotal::default() };
                pivotal.solve(&problem, &at.z, &mut Inside(self.watch))?
            } else {
                let mut auto = Auto::default();
                auto.tolerance = tolerance;
                auto.solve(&problem, &at.z, &mut Inside(self.watch))?
            };
            if found.status == Status::Stopped {
                return Ok(Linear::Stopped);
            }
            if found.status == Status::Solved {
                return Ok(Linear::At(found.z));
            }
        }
        Ok(Linear::Nowhere)
    }

    /// The first of ever shorter steps that helps: towards the solution of the linearised problem,
    /// else down the gradient of the merit function.
    fn search(
        &mut self,
        ncp: &Ncp<'_>,
        at: &Point,
        (end, jacobian): (&Linear, &Matrix),
        recent: &[f64],
        memory: usize,
    ) -> Option<Point> {
        if let Linear::At(end) = end {
            let allowed = recent.iter().rev().take(memory).fold(at.theta, |m, x| m.max(*x));
            let mut t = 1.0;
            while t > 1e-7 {
                let z = at.z.iter().zip(end).map(|(z, y)| z + t * (y - z)).collect();
                let next = self.point(ncp, z);
                if next.theta < (1.0 - 1e-4 * t) * allowed {
                    return Some(next);
                }
                t *= 0.5;
            }
        }
        let g = ncp.gradient(at, jacobian);
        let steep: f64 = g.iter().map(|x| x * x).sum();
        if steep == 0.0 || !steep.is_finite() {
            return None;
        }
        let mut t = (at.theta / steep).min(1e6);
        for _ in 0..40 {
            let away: Vec<f64> = at.z.iter().zip(&g).map(|(z, g)| z - t * g).collect();
            let z = ncp.inside(&away);
            let moved: f64 = at.z.iter().zip(&z).zip(&g).map(|((a, b), g)| (a - b) * g).sum();
            let next = self.point(ncp, z);
            if moved > 0.0 && next.theta <= at.theta - 1e-4 * moved && next.theta < at.theta {
                // so little is round-off, or the floor of a valley
                return (next.theta < (1.0 - 1e-9) * at.theta).then_some(next);
            }
            t *= 0.4;
        }
        None
    }
}

/// Row and column of the first entry that is not finite, and the entry.
fn undefined_at(a: &Matrix) -> Option<([usize; 2], f64)> {
    let finite = |values: &[f64]| values.iter().all(|x| x.is_finite());
    let fine = match a {
        Matrix::Dense(a) => finite(&a.values),
        Matrix::Sparse(a) => finite(&a.values),
        Matrix::Factored(a) => [&a.left, &a.right, &a.d_block].iter().all(|p| finite(&p.values)),
    };
    if fine {
        return None;
    }
    let mut first = None;
    for j in 0..a.cols() {
        a.for_column(j, |i, x| {
            if !x.is_finite() && first.is_none() {
                first = Some(([i, j], x));
            }
        });
    }
    first.or(Some(([0, 0], f64::NAN)))
}

/// The largest entry.
fn largest(a: &Matrix) -> f64 {
    let mut most = 0.0_f64;
    for j in 0..a.cols() {
        a.for_column(j, |_, x| most = most.max(x.abs()));
    }
    if most > 0.0 { most } else { 1.0 }
}
