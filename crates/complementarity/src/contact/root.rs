//! A matrix that is not factored, as `J Jᵀ` and the friction cones.

use std::borrow::Cow;

use crate::problem::{Csc, Factored, Matrix, Problem};

/// Larger matrices are not factored densely.
const LARGEST: usize = 2000;
/// Pivots below this part of the largest diagonal entry end the factorisation.
const RANK: f64 = 1e-14;
/// What is left then, and what is not symmetric, must be below this part.
const CLOSE: f64 = 1e-11;

/// `A = J Jᵀ + D` with D the rows and columns of the slips; `None` where the rest of A is not
/// symmetric and positive semidefinite, or too large.
pub(super) fn factored(problem: &Problem) -> Option<Factored> {
    let n = problem.size();
    if n > LARGEST {
        return None;
    }
    let mut slip = vec![false; n];
    problem.contacts().iter().filter_map(|c| c.slip).for_each(|i| slip[i] = true);
    let mut w = vec![0.0; n * n];
    let mut d_block = vec![];
    for j in 0..n {
        problem.matrix().for_column(j, |i, x| match slip[i] || slip[j] {
            true => d_block.push((i, j, x)),
            false => w[j * n + i] += x,
        });
    }
    let largest = (0..n).fold(0.0_f64, |m, i| m.max(w[i * n + i].abs()));
    for j in 0..n {
        if (0..j).any(|i| (w[j * n + i] - w[i * n + j]).abs() > CLOSE * largest) {
            return None;
        }
    }
    let right = root(n, w, largest)?;
    Some(Factored { left: right.transpose(), right, d_block: Csc::from_triplets(n, n, &d_block) })
}

/// Cholesky with the largest pivot first: rows of `Lᵀ` with `L Lᵀ = W`.
fn root(n: usize, mut w: Vec<f64>, largest: f64) -> Option<Csc> {
    let mut entries = vec![];
    for row in 0..n {
        let at = |i: usize| w[i * n + i];
        let p = (0..n).fold(0, |p, i| if at(i) > at(p) { i } else { p });
        let pivot = at(p);
        if pivot <= RANK * largest {
            // what is left must be round-off
            let sound = (0..n).all(|i| w[i * n + i].abs() <= CLOSE * largest);
            return sound.then(|| Csc::from_triplets(row, n, &entries));
        }
        let scale = 1.0 / pivot.sqrt();
        let column: Vec<f64> = w[p * n..(p + 1) * n].iter().map(|x| x * scale).collect();
        for (j, &l) in column.iter().enumerate().filter(|e| *e.1 != 0.0) {
            entries.push((row, j, l));
            w[j * n..(j + 1) * n].iter_mut().zip(&column).for_each(|(w, x)| *w -= x * l);
        }
        // exactly zero from here on
        (0..n).for_each(|i| (w[i * n + p], w[p * n + i]) = (0.0, 0.0));
    }
    Some(Csc::from_triplets(n, n, &entries))
}

/// The factors of a problem whose matrix has them, or finds them.
pub(crate) fn of(problem: &Problem) -> Option<Cow<'_, Factored>> {
    given(problem.matrix()).or_else(|| factored(problem).map(Cow::Owned))
}

/// The factors of a matrix that is given as `J Jᵀ + D`, or as `J M⁻¹ Jᵀ + D` with a diagonal M.
pub(crate) fn given(matrix: &Matrix) -> Option<Cow<'_, Factored>> {
    let Matrix::Factored(a) = matrix else { return None };
    let transposed = a.right.transpose();
    if a.left == transposed {
        return Some(Cow::Borrowed(a.as_ref()));
    }
    if (&a.left.start, &a.left.index) != (&transposed.start, &transposed.index) {
        return None;
    }
    let mut left = a.left.clone();
    for v in 0..left.cols {
        let range = left.start[v]..left.start[v + 1];
        let (j, b) = (&mut left.values[range.clone()], &transposed.values[range]);
        // the inverse mass of this velocity, from its largest entry
        let largest = j.iter().zip(b).max_by(|x, y| x.0.abs().total_cmp(&y.0.abs()));
        let mass = largest.map_or(1.0, |(j, b)| b / j);
        let alike = |(j, b): (&f64, &f64)| (b - mass * j).abs() <= ALIKE * b.abs();
        if mass.is_nan() || mass <= 0.0 || !j.iter().zip(b).all(alike) {
            return None;
        }
        j.iter_mut().for_each(|x| *x *= mass.sqrt());
    }
    let (right, d_block) = (left.transpose(), a.d_block.clone());
    Some(Cow::Owned(Factored { left, right, d_block }))
}

/// How closely the two factors must agree on the masses.
const ALIKE: f64 = 1e-14;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Dense, Lcp};

    fn lcp(rows: &[&[f64]]) -> Problem {
        let b = vec![-1.0; rows.len()];
        Problem::Lcp(Lcp::new(Matrix::Dense(Dense::from_rows(rows)), b).unwrap())
    }

    #[test]
    fn the_factors_give_the_matrix_back() {
        // rank two
        let rows: [&[f64]; 3] = [&[2.0, 1.0, 3.0], &[1.0, 1.0, 2.0], &[3.0, 2.0, 5.0]];
        let a = factored(&lcp(&rows)).unwrap();
        assert_eq!(a.right.rows, 2);
        let product = Matrix::Factored(Box::new(a)).to_dense();
        for (i, row) in rows.iter().enumerate() {
            for (j, x) in row.iter().enumerate() {
                assert!((product.get(i, j) - x).abs() < 1e-14);
            }
        }
    }

    /// `J M⁻¹ Jᵀ` with a diagonal M is read as the root of it; with any other B it is not.
    #[test]
    fn a_diagonal_mass_is_taken_apart() {
        let left = Csc::from_triplets(3, 2, &[(0, 0, 1.0), (1, 0, -2.0), (1, 1, 3.0), (2, 1, 0.5)]);
        let weigh = |masses: [f64; 4]| {
            let mut right = left.transpose();
            right.values.iter_mut().zip(masses).for_each(|(x, m)| *x /= m);
            let d_block = Csc::from_triplets(3, 3, &[(2, 2, 0.1)]);
            Matrix::Factored(Box::new(Factored { left: left.clone(), right, d_block }))
        };
        // columns of B: (1, 0), (-2, 3), (0, 0.5)
        let matrix = weigh([4.0, 4.0, 0.25, 0.25]);
        let found = given(&matrix).unwrap().into_owned();
        assert_eq!(found.left, found.right.transpose());
        let (x, y) = (found.dense(), matrix.to_dense());
        assert!(x.values.iter().zip(&y.values).all(|(x, y)| (x - y).abs() < 1e-14));
        assert!(given(&weigh([4.0, 4.1, 0.25, 0.25])).is_none());
        assert!(given(&weigh([-4.0, -4.0, 0.25, 0.25])).is_none());
    }

    #[test]
    fn indefinite_and_skew_matrices_have_none() {
        assert!(factored(&lcp(&[&[1.0, 2.0], &[2.0, 1.0]])).is_none());
        assert!(factored(&lcp(&[&[1.0, 2.0], &[-2.0, 1.0]])).is_none());
    }
}
