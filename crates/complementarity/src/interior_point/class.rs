//! Whether a path through the interior can be expected to lead to a solution.

use crate::linalg::block_cholesky::eliminate_front;
use crate::problem::{Dense, Matrix, nonzeros};

/// How negative an eigenvalue may be against a unit diagonal.
const ROUNDING: f64 = 1e-8;

/// False for a large full matrix whose symmetric part has a negative eigenvalue over the rows with a
/// positive diagonal, or over those without. A zero there beside others (equations, slips) makes a
/// problem of friction, which is not monotone either, but rarely in the way of the method. Costs less than a step.
pub(crate) fn is_hopeful(matrix: &Matrix) -> bool {
    match matrix {
        Matrix::Dense(a) if a.rows > CHECKED_WHOLE && is_full(a) => is_monotone(a),
        Matrix::Dense(a) => !is_game(a),
        _ => true,
    }
}

/// A full matrix with a positive diagonal that is not monotone, and not too large to be factored many
/// times: a curve may lead through it where paths of pivots are long.
pub(crate) fn is_raised(matrix: &Matrix) -> bool {
    let Matrix::Dense(a) = matrix else { return false };
    let positive = || (0..a.rows).all(|i| a.get(i, i) > 0.0);
    (150..=2000).contains(&a.rows) && is_full(a) && positive() && !is_monotone(a)
}

/// Smaller problems are worth a try in any case.
const CHECKED_WHOLE: usize = 300;

/// No diagonal at all, and not skew: two players who do not play for each other's losses.
fn is_game(a: &Dense) -> bool {
    let n = a.rows;
    n > 12 && (0..n).all(|i| a.get(i, i) == 0.0) && !is_monotone(a)
}

fn is_full(a: &Dense) -> bool {
    5 * nonzeros(&a.values) > a.values.len()
}

fn is_monotone(a: &Dense) -> bool {
    let (set, zero): (Vec<usize>, Vec<usize>) = (0..a.rows).partition(|&i| a.get(i, i) > 0.0);
    let half = |i: usize, j: usize| 0.5 * (a.get(i, j) + a.get(j, i));
    let any = |set: &[usize], wrong: &dyn Fn(usize, usize) -> bool| {
        set.iter().enumerate().any(|(k, &j)| set[..k].iter().any(|&i| wrong(i, j)))
    };
    let largest = a.values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    // most matrices that are not semidefinite show it in two rows
    !any(&set, &|i, j| half(i, j).powi(2) > (1.0 + ROUNDING) * a.get(i, i) * a.get(j, j))
        && !any(&zero, &|i, j| half(i, j).abs() > ROUNDING * largest)
        && is_semidefinite(a, &set)
}

/// Cholesky of the symmetric part over `set`, its diagonal scaled to one and raised a little.
fn is_semidefinite(a: &Dense, set: &[usize]) -> bool {
    let n = set.len();
    let scale: Vec<f64> = set.iter().map(|&i| 1.0 / a.get(i, i).sqrt()).collect();
    let mut lower = vec![0.0; n * n];
    for (c, &j) in set.iter().enumerate() {
        for (r, &i) in set.iter().enumerate().skip(c) {
            lower[c * n + r] = 0.5 * scale[c] * scale[r] * (a.get(i, j) + a.get(j, i));
        }
        lower[c * n + c] += ROUNDING;
    }
    eliminate_front(&mut lower, n, n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn monotone(rows: &[&[f64]]) -> bool {
        is_monotone(&Dense::from_rows(rows))
    }

    #[test]
    fn the_symmetric_part_decides() {
        assert!(monotone(&[&[1.0, 5.0], &[-5.0, 1.0]]));
        assert!(monotone(&[&[1.0, 1.0], &[1.0, 1.0]]));
        assert!(!monotone(&[&[1.0, 1.1], &[1.1, 1.0]]));
        // every pair of rows is definite, all three are not: eigenvalues 1 - 2 * 0.6 and 1.6
        let x = -0.6;
        assert!(!monotone(&[&[1.0, x, x], &[x, 1.0, x], &[x, x, 1.0]]));
    }

    #[test]
    fn without_a_diagonal_only_skew_matrices_are_monotone() {
        assert!(monotone(&[&[0.0, 2.0], &[-2.0, 0.0]]));
        assert!(!monotone(&[&[0.0, 2.0], &[1.0, 0.0]]));
    }

    /// One contact with two friction directions: no diagonal in the row of the slip.
    #[test]
    fn friction_is_not_held_against_a_problem() {
        assert!(monotone(&[
            &[1.0, 0.0, 0.0, 0.0],
            &[0.0, 1.0, -1.0, 1.0],
            &[0.0, -1.0, 1.0, 1.0],
            &[0.5, -1.0, -1.0, 0.0],
        ]));
    }
}
