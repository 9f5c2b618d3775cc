//! Contacts at rest: those that pressed go on pressing, none slips and none is new.
//!
//! With J the rows of the impulses that carry (the normals that press, and their friction), the
//! change of the impulses that brings all of them to rest is, among all that do, the smallest one:
//!
//! ```text
//! J Jᵀ dz = -w,     dz = -J (Jᵀ J)⁻² Jᵀ w
//! ```
//!
//! Few velocities: a dense factor of `Jᵀ J`, which is no larger than they are, however many contacts
//! there are. Many: conjugate gradients on `J Jᵀ`, which lead to the same `dz`; things that rested
//! in the last step need few of them.

use std::ops::Range;

use crate::linalg::block_cholesky::{backward, eliminate_front, forward};
use crate::problem::{ConeRows, ContactRows, Csc, Factored, Matrix, Problem};
use crate::residual;

/// How a start compares with `tolerance`.
pub(crate) enum Start {
    /// There is none.
    Useless,
    /// It is far better.
    Solves,
    /// `w = A z0 + b`, and the error below which it would do.
    Off { w: Vec<f64>, fine: f64 },
}

/// The start itself where it solves the problem, or what it leads to where all contacts rest as they
/// did; with the number of iterations.
pub(crate) fn as_before(
    problem: &Problem,
    z0: &[f64],
    start: Start,
    tolerance: f64,
) -> Option<(Vec<f64>, usize)> {
    let (w, fine) = match start {
        Start::Useless => return None,
        Start::Solves => return Some((z0.to_vec(), 0)),
        Start::Off { w, fine } => (w, fine),
    };
    let z = at_rest(problem, (z0, w), fine)?;
    // the round-off of a large start does not excuse a small solution
    let finite = z.iter().all(|x| x.is_finite());
    (finite && residual::solved(problem, &z, tolerance)).then_some((z, 1))
}

/// Compares a start with `tolerance`.
pub(crate) fn compare(problem: &Problem, z0: &[f64], tolerance: f64) -> Start {
    if z0.is_empty() || z0.iter().any(|x| !x.is_finite()) {
        return Start::Useless;
    }
    // errors add up from step to step: what is taken as it is must be better, where that costs little
    let better = if is_small(problem) { FINE } else { 0.1 };
    let w = problem.matrix().times_plus(z0, problem.b());
    let error = residual::natural_with(problem, z0, &w);
    if error <= better * residual::asked(problem, tolerance) {
        return Start::Solves;
    }
    let fine = better * residual::target(problem, z0, tolerance);
    if error <= fine { Start::Solves } else { Start::Off { w, fine } }
}

/// The impulses near `z0` that keep everything at rest to an accuracy of `target`, where its contacts
/// can; the caller measures the error. `w` is `A z0 + b`. A contact that would pull leaves, one that
/// would close joins.
fn at_rest(problem: &Problem, (z0, mut w): (&[f64], Vec<f64>), target: f64) -> Option<Vec<f64>> {
    let Matrix::Factored(a) = problem.matrix() else { return None };
    let groups = groups(problem, z0.len())?;
    let mut z = z0.to_vec();
    // sticking contacts have no slip, whatever round-off says
    let slips = || groups.iter().filter_map(|g| g.slip);
    if slips().any(|s| z0[s] != 0.0) {
        slips().for_each(|s| z[s] = 0.0);
        w = problem.matrix().times_plus(&z, problem.b());
    }
    let mut presses: Vec<bool> = groups.iter().map(|g| z0[g.normal] > 0.0).collect();
    let mut carries = vec![false; z.len()];
    // where many bodies move on nothing more is tried
    let mut last = match a.right.rows {
        0..=FEW => f64::INFINITY,
        _ => MOVES * problem.b().iter().fold(0.0_f64, |m, b| m.max(b.abs())),
    };
    for _ in 0..ROUNDS {
        for (g, presses) in groups.iter().zip(&mut presses) {
            if *presses && g.slack(&z) < 0.0 {
                return None;
            }
            *presses |= w[g.normal] < -target;
            carries[g.normal] = *presses;
            carries[g.friction.clone()].fill(*presses);
        }
        w.iter_mut().zip(&carries).filter(|(_, c)| !**c).for_each(|(w, _)| *w = 0.0);
        let error = w.iter().fold(0.0_f64, |m, w| m.max(w.abs()));
        // as good as round-off allows
        if error <= target || (error > 0.5 * last && error <= STALLED * target) {
            raise_friction(problem, &mut z);
            return Some(z);
        }
        if error > last {
            return None;
        }
        last = error;
        let rows = Rows { a, carries: &carries };
        let change = match a.right.rows {
            0..=FEW => rows.by_factor(&w)?,
            _ => rows.by_gradients(&w, 0.5 * target)?,
        };
        z.iter_mut().zip(&change).for_each(|(z, d)| *z -= d);
        for (g, presses) in groups.iter().zip(&mut presses) {
            if z[g.normal] < 0.0 {
                *presses = false;
                z[g.normal] = 0.0;
                z[g.friction.clone()].fill(0.0);
            }
        }
        w = problem.matrix().times_plus(&z, problem.b());
    }
    None
}

/// Whether there are so few velocities that round-off is all that is left of the error.
pub(crate) fn is_small(problem: &Problem) -> bool {
    matches!(problem.matrix(), Matrix::Factored(a) if a.right.rows <= FEW)
}

/// How much better still contacts at rest are known, whose errors would add up over many steps.
pub(super) const FINE: f64 = 1e-3;
/// Velocities up to which the factor is dense.
pub(super) const FEW: usize = 72;
/// Rounds, and steps of conjugate gradients in each, after which something more than rest is going
/// on.
pub(super) const ROUNDS: usize = 4;
pub(super) const STEPS: usize = 120;
/// Errors of a start beyond this part of the largest speed mean that things do not rest.
pub(super) const MOVES: f64 = 1e-3;
/// An error that no longer falls may be larger than the target by this.
pub(super) const STALLED: f64 = 1e3;
/// Added to the diagonal of `Jᵀ J`, against its largest entry: motions that no contact holds.
pub(super) const FREE: f64 = 1e-12;

/// Rows that carry together: a contact, or a row of its own.
struct Group {
    normal: usize,
    friction: Range<usize>,
    slip: Option<usize>,
    mu: f64,
    round: bool,
}

impl Group {
    /// How far inside its friction cone the impulse is.
    fn slack(&self, z: &[f64]) -> f64 {
        let friction = z[self.friction.clone()].iter();
        let total = match self.round {
            true => friction.map(|x| x * x).sum::<f64>().sqrt(),
            false => friction.sum(),
        };
        self.mu * z[self.normal] - total
    }
}

/// `None` for problems with other laws than contact.
fn groups(problem: &Problem, n: usize) -> Option<Vec<Group>> {
    let mut groups = Vec::new();
    match problem {
        Problem::Lcp(p) => {
            let mut alone = vec![true; n];
            for ContactRows { normal, friction, slip, mu } in p.contacts.iter().cloned() {
                alone[normal] = false;
                alone[friction.clone()].fill(false);
                slip.iter().for_each(|&s| alone[s] = false);
                groups.push(Group { normal, friction, slip, mu, round: false });
            }
            let single = (0..n).filter(|&i| alone[i]);
            groups.extend(single.map(|normal| {
                let friction = normal..normal;
                Group { normal, friction, slip: None, mu: 0.0, round: false }
            }));
        }
        Problem::Cone(p) if p.others().is_empty() => {
            for ConeRows { rows, mu, rolling } in p.contacts.iter().cloned() {
                if rolling != 0.0 {
                    return None;
                }
                let (normal, friction) = (rows.start, rows.start + 1..rows.end);
                groups.push(Group { normal, friction, slip: None, mu, round: true });
            }
        }
        _ => return None,
    }
    Some(groups)
}

/// Friction impulses must not be negative: the same amount for every direction of a contact is no
/// force at all.
fn raise_friction(problem: &Problem, z: &mut [f64]) {
    for c in problem.contacts() {
        let lowest = z[c.friction.clone()].iter().fold(0.0_f64, |m, x| m.min(*x));
        z[c.friction.clone()].iter_mut().for_each(|x| *x -= lowest);
    }
}

struct Rows<'a> {
    a: &'a Factored,
    carries: &'a [bool],
}

impl Rows<'_> {
    /// `J (Jᵀ J)⁻² Jᵀ w`.
    fn by_factor(&self, w: &[f64]) -> Option<Vec<f64>> {
        let right = &self.a.right;
        let n = right.rows;
        let mut square = vec![0.0; n * n];
        for j in (0..right.cols).filter(|&j| self.carries[j]) {
            add_outer(right, j, &mut square, n);
        }
        let largest = (0..n).fold(0.0_f64, |m, i| m.max(square[i * n + i]));
        if largest == 0.0 {
            return None;
        }
        (0..n).for_each(|i| square[i * n + i] += FREE * largest);
        if !eliminate_front(&mut square, n, n) {
            return None;
        }
        let mut x = vec![0.0; n];
        right.add_times(w, &mut x);
        for _ in 0..2 {
            forward(&square, n, n, &mut x);
            backward(&square, n, n, &mut x);
        }
        let change = (0..right.cols).map(|j| match self.carries[j] {
            true => right.col(j).map(|(i, v)| v * x[i]).sum(),
            false => 0.0,
        });
        Some(change.collect())
    }

    /// The same by conjugate gradients, until no row is off by more than `target`.
    fn by_gradients(&self, w: &[f64], target: f64) -> Option<Vec<f64>> {
        let (right, left) = (&self.a.right, &self.a.left);
        let times = |p: &[f64], out: &mut [f64], nu: &mut [f64]| {
            nu.fill(0.0);
            out.fill(0.0);
            right.add_times(p, nu);
            left.add_times(nu, out);
            out.iter_mut().zip(self.carries).filter(|(_, c)| !**c).for_each(|(x, _)| *x = 0.0);
        };
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let (mut x, mut r) = (vec![0.0; w.len()], w.to_vec());
        let (mut p, mut q, mut nu) = (r.clone(), vec![0.0; w.len()], vec![0.0; right.rows]);
        let mut square = dot(&r, &r);
        for _ in 0..STEPS {
            if r.iter().all(|r| r.abs() <= target) {
                return Some(x);
            }
            times(&p, &mut q, &mut nu);
            let step = square / dot(&p, &q);
            x.iter_mut().zip(&p).for_each(|(x, p)| *x += step * p);
            r.iter_mut().zip(&q).for_each(|(r, q)| *r -= step * q);
            let last = std::mem::replace(&mut square, dot(&r, &r));
            p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + square / last * *p);
        }
        None
    }
}

/// Adds the lower triangle of `c cᵀ`, c column `j`, column by column.
fn add_outer(right: &Csc, j: usize, square: &mut [f64], n: usize) {
    let range = right.start[j]..right.start[j + 1];
    let (rows, values) = (&right.index[range.clone()], &right.values[range]);
    for k in 0..rows.len().min(values.len()) {
        let column = &mut square[rows[k] * n..(rows[k] + 1) * n];
        for l in k..rows.len().min(values.len()) {
            column[rows[l]] += values[k] * values[l];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Cone, Lcp};

    fn at_rest(problem: &Problem, z0: &[f64], target: f64) -> Option<Vec<f64>> {
        let w = problem.matrix().times_plus(z0, problem.b());
        super::at_rest(problem, (z0, w), target)
    }

    /// A bar of unit mass and unit inertia on three contacts at x = -1, 0 and 1, each with one
    /// friction direction to either side: velocities (vx, vz, turn).
    fn bar(b_normal: [f64; 3], b_side: f64) -> Problem {
        let (mut entries, mut d_block, mut b) = (vec![], vec![], vec![]);
        let mut contacts = vec![];
        for (k, x) in [-1.0, 0.0, 1.0].into_iter().enumerate() {
            let row = 4 * k;
            entries.extend([(1, row, 1.0), (2, row, x)]);
            entries.extend([(0, row + 1, 1.0), (0, row + 2, -1.0)]);
            d_block.extend([(row + 1, row + 3, 1.0), (row + 2, row + 3, 1.0)]);
            d_block.extend([
                (row + 3, row + 1, -1.0),
                (row + 3, row + 2, -1.0),
                (row + 3, row, 0.5),
            ]);
            b.extend([b_normal[k], b_side, -b_side, 0.0]);
            let (friction, slip) = (row + 1..row + 3, Some(row + 3));
            contacts.push(ContactRows { normal: row, friction, slip, mu: 0.5 });
        }
        let right = Csc::from_triplets(3, 12, &entries);
        let left = right.transpose();
        let d_block = Csc::from_triplets(12, 12, &d_block);
        let matrix = Matrix::Factored(Box::new(Factored { left, right, d_block }));
        Problem::Lcp(Lcp::new(matrix, b).unwrap().with_contacts(contacts))
    }

    fn start(normals: [f64; 3]) -> Vec<f64> {
        normals.into_iter().flat_map(|p| [p, 0.0, 0.0, 0.0]).collect()
    }

    #[test]
    fn the_nearest_impulses_that_hold_are_found() {
        let problem = bar([-1.0; 3], -0.2);
        let z = at_rest(&problem, &start([0.3, 0.3, 0.3]), 1e-13).unwrap();
        assert!(residual::natural(&problem, &z) < 1e-14);
        // three contacts share what is missing, as the smallest change has it
        for k in 0..3 {
            assert!((z[4 * k] - 1.0 / 3.0).abs() < 1e-12, "{z:?}");
            assert!((z[4 * k + 1] - z[4 * k + 2] - 0.2 / 3.0).abs() < 1e-12, "{z:?}");
        }
    }

    /// The right end is pulled up: its contact parts, and the others hold.
    #[test]
    fn contacts_leave_and_join() {
        let problem = bar([-1.0, -1.0, 0.5], 0.0);
        for first in [[0.1, 0.5, 0.1], [0.0, 0.5, 0.0]] {
            let z = at_rest(&problem, &start(first), 1e-13).unwrap();
            assert!(residual::natural(&problem, &z) < 1e-14, "{z:?}");
            assert!(z[8] == 0.0, "{z:?}");
        }
    }

    #[test]
    fn what_slides_does_not_rest() {
        assert!(
            at_rest(&bar([-1.0; 3], -0.8), &start([0.3, 0.3, 0.3]), 1e-13)
                .is_none_or(|z| residual::natural(&bar([-1.0; 3], -0.8), &z) > 1e-3)
        );
    }

    /// Gradients and the factor lead to the same impulses.
    #[test]
    fn both_ways_agree() {
        let problem = bar([-1.0, -1.1, -1.2], -0.2);
        let Matrix::Factored(a) = problem.matrix() else { unreachable!() };
        let carries: Vec<bool> = (0..12).map(|i| i % 4 != 3).collect();
        let rows = Rows { a, carries: &carries };
        let mut w = problem.matrix().times_plus(&start([0.3, 0.3, 0.3]), problem.b());
        (0..3).for_each(|k| w[4 * k + 3] = 0.0);
        // three normals of two velocities: only what is consistent can be met
        (w[0], w[4], w[8]) = (-0.3, -0.2, -0.1);
        let (x, y) = (rows.by_factor(&w).unwrap(), rows.by_gradients(&w, 1e-13).unwrap());
        assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-11), "{x:?} {y:?}");
    }

    /// A round cone that sticks.
    #[test]
    fn true_cones_rest_too() {
        let right = Csc::from_triplets(3, 3, &[(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)]);
        let (left, d_block) = (right.transpose(), Csc::from_triplets(3, 3, &[]));
        let matrix = Matrix::Factored(Box::new(Factored { left, right, d_block }));
        let contacts = vec![ConeRows { rows: 0..3, mu: 0.5, rolling: 0.0 }];
        let problem = Problem::Cone(Cone::new(matrix, vec![-1.0, 0.2, -0.3], contacts).unwrap());
        let z = at_rest(&problem, &[0.9, -0.1, 0.1], 1e-13).unwrap();
        assert!((z[0] - 1.0).abs() < 1e-12 && (z[1] + 0.2).abs() < 1e-12, "{z:?}");
        assert!(residual::natural(&problem, &z) < 1e-12);
    }
}
