//! Row and column scaling that keeps the factors of a matrix apart.

use crate::problem::{Csc, Factored, Matrix};

/// `A = R A₀ C` with positive diagonal R and C (powers of two): `z₀ = C z`, `w = R w₀`.
#[derive(Clone, Debug)]
pub(crate) struct Scaled {
    pub(crate) matrix: Matrix,
    pub(crate) rows: Vec<f64>,
    pub(crate) columns: Vec<f64>,
}

impl Scaled {
    /// Diagonal entries become 1; rows and columns without one are scaled by their largest entry.
    pub(crate) fn new(matrix: &Matrix) -> Self {
        let diagonal = diagonal(matrix);
        let factor = |x: f64| if x > 0.0 { power_of_two(1.0 / x) } else { 1.0 };
        let mut rows: Vec<f64> = diagonal.iter().map(|d| factor(d.max(0.0).sqrt())).collect();
        let mut columns = rows.clone();
        let (mut row_max, mut column_max) = (vec![0.0_f64; rows.len()], vec![0.0_f64; rows.len()]);
        let mut visit = |i: usize, j: usize, x: f64| {
            row_max[i] = row_max[i].max((x * columns[j]).abs());
            column_max[j] = column_max[j].max((x * rows[i]).abs());
        };
        match matrix {
            Matrix::Factored(a) => entries(&a.d_block, &mut visit),
            Matrix::Sparse(a) => entries(a, &mut visit),
            Matrix::Dense(_) => {
                (0..diagonal.len()).for_each(|j| matrix.for_column(j, |i, x| visit(i, j, x)));
            }
        }
        for i in (0..rows.len()).filter(|&i| diagonal[i] <= 0.0) {
            rows[i] = factor(row_max[i]);
            columns[i] = factor(column_max[i]);
        }
        Self { matrix: scale(matrix, &rows, &columns), rows, columns }
    }
}

fn entries(a: &Csc, visit: &mut impl FnMut(usize, usize, f64)) {
    for j in 0..a.cols {
        a.col(j).for_each(|(i, x)| visit(i, j, x));
    }
}

fn power_of_two(x: f64) -> f64 {
    x.log2().round().clamp(-300.0, 300.0).exp2()
}

/// `A_ii`.
pub(crate) fn diagonal(matrix: &Matrix) -> Vec<f64> {
    let n = matrix.rows();
    let pick = |a: &Csc, i: usize| a.col(i).filter(|e| e.0 == i).map(|e| e.1).sum::<f64>();
    match matrix {
        Matrix::Dense(a) => (0..n).map(|i| a.get(i, i)).collect(),
        Matrix::Sparse(a) => (0..n).map(|i| pick(a, i)).collect(),
        Matrix::Factored(a) => {
            let rows = a.left.transpose();
            let dot = |i: usize| {
                let mut column = a.right.col(i).peekable();
                rows.col(i)
                    .map(|(v, x)| {
                        while column.next_if(|e| e.0 < v).is_some() {}
                        column.next_if(|e| e.0 == v).map_or(0.0, |e| e.1 * x)
                    })
                    .sum::<f64>()
            };
            (0..n).map(|i| dot(i) + pick(&a.d_block, i)).collect()
        }
    }
}

fn scale(matrix: &Matrix, rows: &[f64], columns: &[f64]) -> Matrix {
    let both = |a: &Csc, rows: Option<&[f64]>, columns: Option<&[f64]>| {
        let mut a = a.clone();
        for j in 0..a.cols {
            for p in a.start[j]..a.start[j + 1] {
                a.values[p] *= rows.map_or(1.0, |r| r[a.index[p]]) * columns.map_or(1.0, |c| c[j]);
            }
        }
        a
    };
    match matrix {
        Matrix::Dense(a) => {
            let mut a = a.clone();
            for (j, column) in a.values.chunks_exact_mut(a.rows.max(1)).enumerate() {
                column.iter_mut().zip(rows).for_each(|(x, r)| *x *= r * columns[j]);
            }
            Matrix::Dense(a)
        }
        Matrix::Sparse(a) => Matrix::Sparse(both(a, Some(rows), Some(columns))),
        Matrix::Factored(a) => Matrix::Factored(Box::new(Factored {
            left: both(&a.left, Some(rows), None),
            right: both(&a.right, None, Some(columns)),
            d_block: both(&a.d_block, Some(rows), Some(columns)),
        })),
    }
}
