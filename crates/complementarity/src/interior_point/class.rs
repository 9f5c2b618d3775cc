//! Whether a path through the interior can be expected to lead to a solution.

use crate::linalg::block_cholesky::eliminate_front;
use crate::problem::{Dense, Matrix, nonzeros};

/// How negative an eigenvalue may be against a unit diagonal.
const ROUNDING: f64 = 1e-8;

/// False for a large full matrix whose symmetric part has a negative eigenvalue over the rows with a
/// positive diagonal. Rows with a zero there (equations, slips) make a problem of friction, which
/// is not monotone either, but rarely in the way of the method. Costs less than a step.
pub(crate) fn is_hopeful(matrix: &Matrix) -> bool {
    match matrix {
        Matrix::Dense(a) if a.rows > CHEAP && is_full(a) => is_monotone(a),
        _ => true,
    }
}

/// Smaller problems are worth a try in any case.
const CHEAP: usize = 150;

fn is_full(a: &Dense) -> bool {
    5 * nonzeros(&a.values) > a.values.len()
}

fn is_monotone(a: &Dense) -> bool {
    let set: Vec<usize> = (0..a.rows).filter(|&i| a.get(i, i) > 0.0).collect();
    let pairs = |j: usize| set.iter().take_while(move |i| **i < j).map(move |&i| (i, j));
    // most matrices that are not semidefinite show it in two rows
    let crossed = |(i, j)| {
        let half = 0.5 * (a.get(i, j) + a.get(j, i));
        half * half > (1.0 + ROUNDING) * a.get(i, i) * a.get(j, j)
    };
    !set.iter().any(|&j| pairs(j).any(crossed)) && is_semidefinite(a, &set)
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
