//! Access to a matrix row by row, with `w = A z + b` kept up to date as z changes.

use crate::problem::{Csc, Dense, Factored, Matrix, nonzeros};

/// A matrix and the running product with the current unknowns.
///
/// A factored matrix is never formed: `nu = B z` is kept, a row of w is `J_i nu + D_i z + b_i`.
pub(crate) enum Rows {
    /// Rows of A (the transpose of its columns).
    Formed { rows: Csc, z: Vec<f64> },
    /// Rows of J and D, columns of B, and nu.
    Factored { left: Csc, right: Csc, d_block: Csc, nu: Vec<f64>, z: Vec<f64> },
}

impl Rows {
    /// Starts at `z`.
    pub(crate) fn new(matrix: &Matrix, z: &[f64]) -> Self {
        let z = z.to_vec();
        match matrix {
            Matrix::Factored(a) => {
                let Factored { left, right, d_block } = a.as_ref();
                let mut nu = vec![0.0; right.rows];
                right.add_times(&z, &mut nu);
                let (left, d_block) = (left.transpose(), d_block.transpose());
                Self::Factored { left, right: right.clone(), d_block, nu, z }
            }
            Matrix::Dense(a) => Self::Formed { rows: rows_of(a), z },
            Matrix::Sparse(a) => Self::Formed { rows: a.transpose(), z },
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
            Self::Factored { left, d_block, nu, z, .. } => dot(left, nu) + dot(d_block, z),
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
            Self::Factored { left, right, d_block, .. } => {
                let mut sum = find(d_block);
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

/// The rows of a dense matrix, without zeros.
fn rows_of(a: &Dense) -> Csc {
    let entries = nonzeros(&a.values);
    let (mut index, mut values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
    let mut start = Vec::with_capacity(a.rows + 1);
    start.push(0);
    for i in 0..a.rows {
        for j in 0..a.cols {
            let x = a.get(i, j);
            if x != 0.0 {
                index.push(j);
                values.push(x);
            }
        }
        start.push(index.len());
    }
    Csc { rows: a.cols, cols: a.rows, start, index, values }
}
