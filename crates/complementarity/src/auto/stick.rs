//! Contacts at rest as they are: those that pressed go on pressing, none slips and none is new. As
//! [`super::stick_rows`], with three rows to a contact and memory that is kept:
//!
//! ```text
//! J Jᵀ dp = -u,     dp = -J (Jᵀ J)⁻² Jᵀ u
//! ```
//!
//! over the contacts that press, the smallest change of the impulses that brings all of them to rest.
//! Few velocities: a dense factor of `Jᵀ J`. Many: conjugate gradients on `J Jᵀ`.

use super::stick_rows::{FEW, FREE, MOVES, ROUNDS, STALLED, STEPS};
use crate::linalg::block_cholesky::{backward, eliminate_front, forward};
use crate::problem::{ContactProblem, Law};

/// What is kept from call to call.
#[derive(Clone, Debug, Default)]
pub(super) struct Stick {
    pub(super) p: Vec<[f64; 3]>,
    presses: Vec<bool>,
    u: Vec<[f64; 3]>,
    v: Vec<f64>,
    square: Vec<f64>,
    x: Vec<f64>,
    change: Vec<[f64; 3]>,
    direction: Vec<[f64; 3]>,
    image: Vec<[f64; 3]>,
}

/// Rows of block `c` that carry when it presses; 0 where its law is not that of a contact.
fn carried(problem: &ContactProblem, c: usize) -> usize {
    match problem.law(c) {
        law if law == Law::FRICTIONLESS => 1,
        Law::Interval { .. } => 0,
        law if law.mu() == 0.0 => 1,
        _ => problem.dim(c),
    }
}

fn largest(u: &[[f64; 3]]) -> f64 {
    u.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()))
}

impl Stick {
    /// Impulses near `start` that keep everything at rest to an accuracy of `target`, in `p`; false
    /// where contacts do not rest. The caller measures the error. A contact that would pull leaves,
    /// one that would close joins.
    pub(super) fn at_rest(
        &mut self,
        problem: &ContactProblem,
        start: &[[f64; 3]],
        target: f64,
    ) -> bool {
        if (0..problem.len()).any(|c| carried(problem, c) == 0) {
            return false;
        }
        self.p.clear();
        self.p.extend_from_slice(start);
        self.presses.clear();
        self.presses.extend(start.iter().map(|p| p[0] > 0.0));
        let few = problem.velocities() <= FEW;
        // where many bodies move on nothing more is tried
        let mut last = f64::INFINITY;
        if !few {
            let most = |m: f64, c: usize| problem.b(c).iter().fold(m, |m, b| m.max(b.abs()));
            last = MOVES * (0..problem.len()).fold(0.0, most);
        }
        for _ in 0..ROUNDS {
            self.speeds(problem);
            if !self.active(problem, target) {
                return false;
            }
            let error = largest(&self.u);
            // as good as round-off allows
            if error <= target || (error > 0.5 * last && error <= STALLED * target) {
                return true;
            }
            if error.is_nan() || error > last {
                return false;
            }
            last = error;
            let found = match few {
                true => self.by_factor(problem),
                false => self.by_gradients(problem, 0.5 * target),
            };
            if !found {
                return false;
            }
            for ((p, change), presses) in self.p.iter_mut().zip(&self.change).zip(&mut self.presses)
            {
                (0..3).for_each(|i| p[i] -= change[i]);
                if p[0] < 0.0 {
                    (*p, *presses) = ([0.0; 3], false);
                }
            }
        }
        false
    }

    /// `u = J Jᵀ p + b`.
    fn speeds(&mut self, problem: &ContactProblem) {
        problem.motion_into(&self.p, &mut self.v);
        self.u.clear();
        self.u.extend((0..problem.len()).map(|c| problem.speed(c, &self.v)));
    }

    /// Which contacts press, with the speeds of all other rows left out; false where one slips.
    fn active(&mut self, problem: &ContactProblem, target: f64) -> bool {
        for (c, (presses, u)) in self.presses.iter_mut().zip(&mut self.u).enumerate() {
            if *presses && !problem.law(c).allows(self.p[c]) {
                return false;
            }
            *presses |= u[0] < -target;
            let rows = if *presses { carried(problem, c) } else { 0 };
            u[rows..].fill(0.0);
        }
        true
    }

    /// `J (Jᵀ J)⁻² Jᵀ u` into the change.
    fn by_factor(&mut self, problem: &ContactProblem) -> bool {
        let n = problem.velocities();
        self.square.clear();
        self.square.resize(n * n, 0.0);
        for c in (0..problem.len()).filter(|&c| self.presses[c]) {
            let (columns, m) = (problem.columns(c), problem.columns(c).len());
            for row in problem.rows(c).chunks_exact(m.max(1)).take(carried(problem, c)) {
                for (k, (&a, x)) in columns.iter().zip(row).enumerate() {
                    for (&b, y) in columns[k..].iter().zip(&row[k..]) {
                        let (low, high) = (a.min(b) as usize, a.max(b) as usize);
                        self.square[low * n + high] += x * y;
                    }
                }
            }
        }
        let most = (0..n).fold(0.0_f64, |m, i| m.max(self.square[i * n + i]));
        if most == 0.0 {
            return false;
        }
        (0..n).for_each(|i| self.square[i * n + i] += FREE * most);
        if !eliminate_front(&mut self.square, n, n) {
            return false;
        }
        problem.motion_into(&self.u, &mut self.x);
        for _ in 0..2 {
            forward(&self.square, n, n, &mut self.x);
            backward(&self.square, n, n, &mut self.x);
        }
        let Self { change, presses, x, .. } = self;
        images(problem, presses, x, change);
        true
    }

    /// The same by conjugate gradients, until no row is off by more than `target`.
    fn by_gradients(&mut self, problem: &ContactProblem, target: f64) -> bool {
        let Self { u: r, v, presses, change, direction, image, .. } = self;
        let dot = |x: &[[f64; 3]], y: &[[f64; 3]]| -> f64 {
            x.as_flattened().iter().zip(y.as_flattened()).map(|(x, y)| x * y).sum()
        };
        change.clear();
        change.resize(r.len(), [0.0; 3]);
        direction.clear();
        direction.extend_from_slice(r);
        let mut square = dot(r, r);
        for _ in 0..STEPS {
            if largest(r) <= target {
                return true;
            }
            problem.motion_into(direction, v);
            images(problem, presses, v, image);
            let step = square / dot(direction, image);
            let add = |x: &mut [[f64; 3]], y: &[[f64; 3]], t: f64| {
                let pairs = x.as_flattened_mut().iter_mut().zip(y.as_flattened());
                pairs.for_each(|(x, y)| *x += t * y);
            };
            add(change, direction, step);
            add(r, image, -step);
            let last = std::mem::replace(&mut square, dot(r, r));
            for (d, r) in direction.as_flattened_mut().iter_mut().zip(r.as_flattened()) {
                *d = r + square / last * *d;
            }
        }
        false
    }
}

/// `J x` of the rows that carry.
fn images(problem: &ContactProblem, presses: &[bool], x: &[f64], out: &mut Vec<[f64; 3]>) {
    out.clear();
    out.extend(presses.iter().enumerate().map(|(c, &presses)| {
        let mut u = if presses { problem.times(c, x) } else { [0.0; 3] };
        u[carried(problem, c)..].fill(0.0);
        u
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::residual;

    /// A bar of unit mass and unit inertia on three contacts at x = -1, 0 and 1, over velocities
    /// (vx, vz, turn).
    fn bar(b_normal: [f64; 3], b_side: f64) -> ContactProblem {
        let mut problem = ContactProblem::new(3);
        for (x, b) in [-1.0, 0.0, 1.0].into_iter().zip(b_normal) {
            let rows = [0.0, 1.0, x, 1.0, 0.0, 0.0];
            problem.push(Law::Disc { mu: 0.5 }, &[0, 1, 2], &rows, [b, b_side, 0.0]).unwrap();
        }
        problem
    }

    fn at_rest(problem: &ContactProblem, normals: [f64; 3]) -> Option<Vec<[f64; 3]>> {
        let mut stick = Stick::default();
        let start = normals.map(|p| [p, 0.0, 0.0]);
        stick.at_rest(problem, &start, 1e-13).then_some(stick.p)
    }

    #[test]
    fn the_nearest_impulses_that_hold_are_found() {
        let problem = bar([-1.0; 3], -0.2);
        let p = at_rest(&problem, [0.3; 3]).unwrap();
        assert!(residual::contacts(&problem, &p) < 1e-14);
        // three contacts share what is missing, as the smallest change has it
        for p in &p {
            assert!((p[0] - 1.0 / 3.0).abs() < 1e-12 && (p[1] - 0.2 / 3.0).abs() < 1e-12, "{p:?}");
        }
    }

    /// The right end is pulled up: its contact parts, and the others hold.
    #[test]
    fn contacts_leave_and_join() {
        let problem = bar([-1.0, -1.0, 0.5], 0.0);
        for first in [[0.1, 0.5, 0.1], [0.0, 0.5, 0.0]] {
            let p = at_rest(&problem, first).unwrap();
            assert!(residual::contacts(&problem, &p) < 1e-14, "{p:?}");
            assert_eq!(p[2], [0.0; 3]);
        }
    }

    #[test]
    fn what_slides_does_not_rest() {
        let problem = bar([-1.0; 3], -0.8);
        let found = at_rest(&problem, [0.3; 3]);
        assert!(found.is_none_or(|p| residual::contacts(&problem, &p) > 1e-3));
    }

    /// Gradients and the factor lead to the same impulses.
    #[test]
    fn both_ways_agree() {
        let problem = bar([-1.0, -1.1, -1.2], -0.2);
        let mut stick = Stick { presses: vec![true; 3], ..Stick::default() };
        stick.u = vec![[-0.3, 0.1, 0.0], [-0.2, 0.1, 0.0], [-0.1, 0.1, 0.0]];
        assert!(stick.by_factor(&problem));
        let found = stick.change.clone();
        assert!(stick.by_gradients(&problem, 1e-13));
        for (x, y) in found.as_flattened().iter().zip(stick.change.as_flattened()) {
            assert!((x - y).abs() < 1e-11, "{found:?}");
        }
    }
}
