//! `L A T`: rows and columns of a matrix combined, in the form the matrix has.

use crate::problem::{Csc, Factored, Matrix};

/// A combination: (index, coefficient).
pub(crate) type Mix = Vec<(usize, f64)>;

/// Row k of the result is the combination `rows[k]`, column k the combination `columns[k]`.
pub(crate) fn change_basis(a: &Matrix, rows: &[&Mix], columns: &[&Mix]) -> Matrix {
    let mut rows_of = vec![Vec::new(); a.rows()];
    for (k, row) in rows.iter().enumerate() {
        row.iter().for_each(|&(i, c)| rows_of[i].push((k, c)));
    }
    let combine_rows = |a: &Csc| {
        combine(rows.len(), a.cols, |j, add| {
            for (i, x) in a.col(j) {
                rows_of[i].iter().for_each(|&(k, c)| add(k, c * x));
            }
        })
    };
    let combine_columns = |a: &Csc| {
        combine(a.rows, columns.len(), |k, add| {
            for &(j, c) in columns[k] {
                a.col(j).for_each(|(i, x)| add(i, c * x));
            }
        })
    };
    match a {
        Matrix::Factored(a) => Matrix::Factored(Box::new(Factored {
            left: combine_rows(&a.left),
            right: combine_columns(&a.right),
            d_block: combine_rows(&combine_columns(&a.d_block)),
        })),
        other => Matrix::Sparse(combine_rows(&combine_columns(&other.to_sparse()))),
    }
}

/// A sparse matrix from a function that gives the entries of each column in any order.
fn combine(rows: usize, cols: usize, column: impl Fn(usize, &mut dyn FnMut(usize, f64))) -> Csc {
    let (mut start, mut index, mut values) = (vec![0], vec![], vec![]);
    let (mut sum, mut seen) = (vec![0.0; rows], vec![usize::MAX; rows]);
    let mut touched: Vec<usize> = vec![];
    for j in 0..cols {
        touched.clear();
        column(j, &mut |i, x| {
            if seen[i] != j {
                seen[i] = j;
                sum[i] = 0.0;
                touched.push(i);
            }
            sum[i] += x;
        });
        touched.sort_unstable();
        index.extend(touched.iter().copied());
        values.extend(touched.iter().map(|&i| sum[i]));
        start.push(index.len());
    }
    Csc { rows, cols, start, index, values }
}
