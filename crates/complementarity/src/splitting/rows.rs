//! Access to a matrix row by row, with `w = A z + b` kept up to date as z changes.

use crate::problem::{Csc, Factored, Matrix};

/// A matrix and the running product with the current unknowns.
///
/// A factored matrix is never formed: `nu = B z` is kept, a row of w is `J_i nu + D_i z + b_i`.
pub(crate) enum Rows {
    /// Rows of A (the transpose of its columns).
    Formed { rows: Csc, z: Vec<f64> },
    /// Rows of J and D, columns of B, and nu.
    Factored { left: Csc, right: Csc, rest: Csc, nu: Vec<f64>, z: Vec<f64> },
}

impl Rows {
    /// Starts at `z`.
    pub(crate) fn new(matrix: &Matrix, z: &[f64]) -> Self {
        let z = z.to_vec();
        match matrix {
            Matrix::Factored(a) => {
                let Factored { left, right, rest } = a.as_ref();
                let mut nu = vec![0.0; right.rows];
                right.add_times(&z, &mut nu);
                let (left, rest) = (left.transpose(), rest.transpose());
                Self::Factored { left, right: right.clone(), rest, nu, z }
            }
            other => Self::Formed { rows: other.to_sparse().transpose(), z },
        }
    }

    /// The unknowns.
    pub(crate) fn z(&self) -> &[f64] {
        match self {
            Self::Formed { z, .. } | Self::Factored { z, .. } => z,
        }
    }

    /// `(A z)_i`.
    pub(crate) fn product(&self, i: usize) -> f64 {
        let dot = |a: &Csc, x: &[f64]| a.col(i).map(|(j, v)| v * x[j]).sum::<f64>();
        match self {
            Self::Formed { rows, z } => dot(rows, z),
            Self::Factored { left, rest, nu, z, .. } => dot(left, nu) + dot(rest, z),
        }
    }

    /// Sets `z_i`.
    pub(crate) fn set(&mut self, i: usize, value: f64) {
        match self {
            Self::Formed { z, .. } => z[i] = value,
            Self::Factored { right, nu, z, .. } => {
                let change = value - z[i];
                if change != 0.0 {
                    right.col(i).for_each(|(v, b)| nu[v] += b * change);
                    z[i] = value;
                }
            }
        }
    }

    /// `A_ij`.
    pub(crate) fn entry(&self, i: usize, j: usize) -> f64 {
        let find = |a: &Csc| a.col(i).find(|(c, _)| *c == j).map_or(0.0, |(_, x)| x);
        match self {
            Self::Formed { rows, .. } => find(rows),
            Self::Factored { left, right, rest, .. } => {
                let mut sum = find(rest);
                let mut column = right.col(j).peekable();
                for (v, x) in left.col(i) {
                    while column.next_if(|(u, _)| *u < v).is_some() {}
                    if let Some((_, b)) = column.next_if(|(u, _)| *u == v) {
                        sum += x * b;
                    }
                }
                sum
            }
        }
    }

    /// Recomputes nu from z, so that rounding does not add up over thousands of sweeps.
    pub(crate) fn refresh(&mut self) {
        if let Self::Factored { right, nu, z, .. } = self {
            nu.fill(0.0);
            right.add_times(z, nu);
        }
    }
}
