//! Proof that a linear problem has no solution because its inequalities cannot hold together, and the ray on
//! which a path of pivots ended.
//!
//! ```text
//! lower bound only: w_i >= 0,   upper bound only: w_i <= 0,   none: w_i = 0,   both: any w_i
//! ```
//! must hold at a solution, with `w = A z + b` and `l <= z <= u`. The point that violates them least
//! (in squares) solves a monotone problem that always has a solution,
//!
//! ```text
//! l <= z <= u ⟂ -Aᵀ y,     y ⟂ A z + b + y
//! ```
//! and its y, if not zero, has the signs of w and `y · (A z + b) <= -|y|² < 0` for every z between
//! the bounds: Farkas' lemma. It is checked by itself.

use crate::interior_point::InteriorPoint;
use crate::pivoting::Pivotal;
use crate::pivoting::tableau::{Open, Tableau};
use crate::problem::{Csc, Lcp, Matrix, Mlcp, Problem};
use crate::residual;
use crate::solver::{NoWatch, Solver, Status};

/// Larger problems are not checked.
const LARGE: usize = 20_000;

/// The proof `y`, its largest entry 1; `None` where the inequalities can hold together, or where
/// that could not be decided. Friction cones: always `None`.
pub fn infeasible(problem: &Problem) -> Option<Vec<f64>> {
    let n = problem.size();
    if matches!(problem, Problem::Cone(_)) || n > LARGE {
        return None;
    }
    let both = least_violation(problem)?;
    let interior = InteriorPoint { tolerance: 1e-10, ..InteriorPoint::default() };
    let pivotal = Pivotal { tolerance: 1e-10, ..Pivotal::default() };
    let mut methods: [Box<dyn Solver>; 2] = [Box::new(interior), Box::new(pivotal)];
    for method in &mut methods {
        let found = method.solve(&both, &[], &mut NoWatch).ok()?;
        if found.status != Status::Solved {
            continue;
        }
        let mut y = found.z[n..].to_vec();
        let size = y.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
        if size <= 1e-9 * problem.b().iter().fold(0.0_f64, |m, b| m.max(b.abs())) {
            return None;
        }
        y.iter_mut().for_each(|y| *y /= size);
        if proves(problem, &mut y) {
            return Some(y);
        }
    }
    None
}

/// A ray of Lemke's method: for every s >= 0, `z + s direction` solves the problem with
/// `b + (t + s rate) (1, .., 1)` instead of b, and t never comes down to zero.
///
/// Where A is copositive this means that the inequalities cannot hold together; elsewhere it says that the
/// path ended, no more.
#[derive(Clone, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins; not negative.
    pub z: Vec<f64>,
    /// Where it leads; not negative, largest entry 1.
    pub direction: Vec<f64>,
    /// What is added to b at its beginning; positive.
    pub t: f64,
    /// How fast that grows; not negative.
    pub rate: f64,
}

/// Larger problems are not checked for rays: the dictionary is dense.
const DENSE: usize = 2000;

/// The ray on which Lemke's method ends, checked by itself; `None` where it does not end on one, and for
/// problems that are mixed, cones or have more than 2000 unknowns.
pub fn ray(problem: &Problem) -> Option<Ray> {
    let Problem::Lcp(lcp) = problem else { return None };
    let n = lcp.b.len();
    if n > DENSE {
        return None;
    }
    let mut tableau = Tableau::new(&lcp.matrix.to_dense(), &lcp.b);
    let (status, _) = tableau.run(50 * n + 100, |_, _| false);
    if status != Status::Ray {
        return None;
    }
    let Open { z, dz, t, dt } = tableau.open()?;
    let size = dz.iter().fold(0.0_f64, |m, d| m.max(*d));
    if !(t > 0.0 && size > 0.0) {
        return None;
    }
    let direction: Vec<f64> = dz.iter().map(|d| d / size).collect();
    let ray = Ray { z, direction, t, rate: dt / size };
    // two points of a line between which nothing changes stand for all of them
    let holds = |s: f64| {
        let z: Vec<f64> = ray.z.iter().zip(&ray.direction).map(|(z, d)| z + s * d).collect();
        let b = lcp.b.iter().map(|b| b + ray.t + s * ray.rate).collect();
        let moved = Lcp::new(lcp.matrix.clone(), b).ok()?;
        residual::solved(&Problem::Lcp(moved), &z, 1e-8).then_some(())
    };
    let large = 1.0 + ray.z.iter().fold(0.0_f64, |m, z| m.max(*z));
    (holds(0.0).is_some() && holds(1.0).is_some() && holds(10.0 * large).is_some()).then_some(ray)
}

/// The problem of the point that violates the inequalities least.
fn least_violation(problem: &Problem) -> Option<Problem> {
    let n = problem.size();
    let a = problem.matrix().to_sparse();
    let mut entries = vec![];
    for (i, j, x) in a.to_triplets() {
        entries.push((n + i, j, x));
        entries.push((j, n + i, -x));
    }
    entries.extend((n..2 * n).map(|i| (i, i, 1.0)));
    let (mut lower, mut upper) = problem.bounds();
    let inf = f64::INFINITY;
    for i in 0..n {
        let (l, u) = match (lower[i].is_finite(), upper[i].is_finite()) {
            (true, true) => (0.0, 0.0),
            (true, false) => (0.0, inf),
            (false, true) => (-inf, 0.0),
            (false, false) => (-inf, inf),
        };
        lower.push(l);
        upper.push(u);
    }
    let mut b = vec![0.0; n];
    b.extend(problem.b());
    let matrix = Matrix::Sparse(Csc::from_triplets(2 * n, 2 * n, &entries));
    Mlcp::new(matrix, b, lower, upper).ok().map(Problem::Mlcp)
}

/// Whether `y · (A z + b)` stays below zero between all bounds; entries of `Aᵀ y` within rounding
/// count as zero, and y is put onto its signs.
fn proves(problem: &Problem, y: &mut [f64]) -> bool {
    let (lower, upper) = problem.bounds();
    for (i, y) in y.iter_mut().enumerate() {
        let (low, high) = (lower[i].is_finite(), upper[i].is_finite());
        *y = match (low, high) {
            (true, true) => 0.0,
            (true, false) => y.max(0.0),
            (false, true) => y.min(0.0),
            (false, false) => *y,
        };
    }
    let mut most: f64 = problem.b().iter().zip(y.iter()).map(|(b, y)| b * y).sum();
    let size: f64 = problem.b().iter().zip(y.iter()).map(|(b, y)| (b * y).abs()).sum();
    for j in 0..y.len() {
        let (mut slope, mut rounding) = (0.0, 0.0);
        problem.matrix().for_column(j, |i, x| {
            slope += x * y[i];
            rounding += (x * y[i]).abs();
        });
        if slope.abs() <= 1e-8 * rounding {
            continue;
        }
        most += if slope > 0.0 { slope * upper[j] } else { slope * lower[j] };
    }
    most < -1e-9 * size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Dense;

    fn lcp(rows: &[&[f64]], b: &[f64]) -> Problem {
        Problem::Lcp(Lcp::new(Matrix::Dense(Dense::from_rows(rows)), b.to_vec()).unwrap())
    }

    /// `z1 - z2 - 1 >= 0` and `z2 - z1 - 1 >= 0`: their sum says `-2 >= 0`.
    #[test]
    fn contradictions_are_proved() {
        let problem = lcp(&[&[1.0, -1.0], &[-1.0, 1.0]], &[-1.0, -1.0]);
        let y = infeasible(&problem).unwrap();
        assert!((y[0] - 1.0).abs() < 1e-6 && (y[1] - 1.0).abs() < 1e-6, "{y:?}");
        // -z - 1 >= 0 with z >= 0
        assert_eq!(infeasible(&lcp(&[&[-1.0]], &[-1.0])).unwrap(), vec![1.0]);
        // an equation that no z between its bounds meets: z in [0, 1], 0 = z - 3
        let a = Matrix::Dense(Dense::from_rows(&[&[1.0, 0.0], &[1.0, 0.0]]));
        let inf = f64::INFINITY;
        let mixed = Mlcp::new(a, vec![0.0, -3.0], vec![0.0, -inf], vec![1.0, inf]).unwrap();
        assert!(infeasible(&Problem::Mlcp(mixed)).is_some());
    }

    /// Feasible problems have no proof, whether they have a solution or not.
    #[test]
    fn nothing_is_proved_of_feasible_problems() {
        assert_eq!(infeasible(&lcp(&[&[2.0, 1.0], &[1.0, 2.0]], &[-5.0, -6.0])), None);
        // feasible, but without a solution: w = (-z2 + ..), enumerated
        assert_eq!(infeasible(&lcp(&[&[0.0, 1.0], &[0.0, 0.0]], &[-1.0, 0.0])), None);
    }

    /// Both unknowns grow together for ever; a problem with a solution has no ray.
    #[test]
    fn rays_are_handed_out() {
        let problem = lcp(&[&[1.0, -1.0], &[-1.0, 1.0]], &[-1.0, -1.0]);
        let ray = ray(&problem).unwrap();
        assert_eq!((ray.direction, ray.rate), (vec![1.0, 1.0], 0.0));
        assert!((ray.t - 1.0).abs() < 1e-12, "{}", ray.t);
        assert_eq!(super::ray(&lcp(&[&[2.0, 1.0], &[1.0, 2.0]], &[-5.0, -6.0])), None);
    }
}
