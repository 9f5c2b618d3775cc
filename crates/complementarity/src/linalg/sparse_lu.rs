//! Sparse LU, column by column (Gilbert and Peierls 1988): `A[:, q] = P' L U`.
//!
//! Rows are exchanged only where the diagonal is too small (threshold pivoting), so that the
//! order chosen for sparsity survives. A column without a pivot is reported, not divided by.

use crate::problem::Csc;

/// The factors.
#[derive(Clone, Debug, Default)]
pub(crate) struct SparseLu {
    n: usize,
    limit: f64,
    lower: Columns,
    upper: Columns,
    pivot: Vec<f64>,
    row_of_step: Vec<usize>,
    column_of_step: Vec<usize>,
    /// Columns found to depend on those before them.
    pub(crate) dependent: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
struct Columns {
    start: Vec<usize>,
    index: Vec<usize>,
    values: Vec<f64>,
}

impl Columns {
    fn range(&self, k: usize) -> std::ops::Range<usize> {
        self.start[k]..self.start[k + 1]
    }

    fn column(&self, k: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let r = self.range(k);
        self.index[r.clone()].iter().copied().zip(self.values[r].iter().copied())
    }
}

/// The diagonal is taken as pivot when it is at least this part of the column's largest entry.
const THRESHOLD: f64 = 0.05;
/// A column whose entries shrink below this part of their first size is dependent.
const DEPENDENT: f64 = 1e-11;

/// What one column of the factorisation works on.
struct Work {
    x: Vec<f64>,
    mark: Vec<usize>,
    order: Vec<usize>,
    stack: Vec<(usize, usize)>,
    step_of_row: Vec<usize>,
}

impl SparseLu {
    /// Factors the columns (row, value) in the order `q`.
    pub(crate) fn new(columns: &Csc, q: Vec<usize>) -> Self {
        Self::with_limit(columns, q, DEPENDENT)
    }

    /// The same with another limit below which a column counts as dependent.
    pub(crate) fn with_limit(columns: &Csc, q: Vec<usize>, dependent: f64) -> Self {
        let n = columns.cols;
        let room = columns.index.len();
        let empty = || Columns {
            start: vec![0],
            index: Vec::with_capacity(room),
            values: Vec::with_capacity(room),
        };
        let mut lu =
            Self { n, limit: dependent, lower: empty(), upper: empty(), ..Self::default() };
        let mut work = Work {
            x: vec![0.0; n],
            mark: vec![usize::MAX; n],
            order: vec![],
            stack: vec![],
            step_of_row: vec![usize::MAX; n],
        };
        for &column in &q {
            lu.add_column(column, columns, &mut work);
        }
        for i in &mut lu.lower.index {
            *i = work.step_of_row[*i];
        }
        lu
    }

    fn add_column(&mut self, column: usize, a: &Csc, work: &mut Work) {
        self.reach(column, a, work);
        let mut size = 0.0_f64;
        for (i, x) in a.col(column) {
            work.x[i] += x;
            size = size.max(x.abs());
        }
        let step = self.pivot.len();
        // `order` ends with what must be eliminated first
        for &i in work.order.iter().rev() {
            let k = work.step_of_row[i];
            if k == usize::MAX {
                continue;
            }
            let u = work.x[i];
            if u != 0.0 {
                let range = self.lower.range(k);
                let values = &self.lower.values[range.clone()];
                for (&i, l) in self.lower.index[range].iter().zip(values) {
                    work.x[i] -= l * u;
                }
            }
        }
        let free = || work.order.iter().copied().filter(|&i| work.step_of_row[i] == usize::MAX);
        let largest = free().fold(0.0_f64, |m, i| m.max(work.x[i].abs()));
        if largest <= self.limit * size || largest == 0.0 {
            self.dependent.push(column);
            work.order.iter().for_each(|&i| work.x[i] = 0.0);
            return;
        }
        let diagonal =
            work.step_of_row[column] == usize::MAX && work.x[column].abs() >= THRESHOLD * largest;
        let row = if diagonal {
            column
        } else {
            free().fold(usize::MAX, |best, i| {
                if best == usize::MAX || work.x[i].abs() > work.x[best].abs() { i } else { best }
            })
        };
        let pivot = work.x[row];
        for &i in &work.order {
            let x = std::mem::take(&mut work.x[i]);
            if x == 0.0 || i == row {
                continue;
            }
            let (part, at, value) = match work.step_of_row[i] {
                usize::MAX => (&mut self.lower, i, x / pivot),
                k => (&mut self.upper, k, x),
            };
            part.index.push(at);
            part.values.push(value);
        }
        self.lower.start.push(self.lower.index.len());
        self.upper.start.push(self.upper.index.len());
        self.pivot.push(pivot);
        self.row_of_step.push(row);
        self.column_of_step.push(column);
        work.step_of_row[row] = step;
    }

    /// Rows that the column can fill, so that every row comes after those it is eliminated into.
    fn reach(&self, column: usize, a: &Csc, work: &mut Work) {
        work.order.clear();
        for (root, _) in a.col(column) {
            if work.mark[root] == column {
                continue;
            }
            work.mark[root] = column;
            work.stack.push((root, 0));
            while let Some((i, next)) = work.stack.pop() {
                let children = match work.step_of_row[i] {
                    usize::MAX => 0..0,
                    k => self.lower.range(k),
                };
                let mut p = children.start + next;
                while p < children.end && work.mark[self.lower.index[p]] == column {
                    p += 1;
                }
                if p < children.end {
                    let child = self.lower.index[p];
                    work.mark[child] = column;
                    work.stack.push((i, p + 1 - children.start));
                    work.stack.push((child, 0));
                } else {
                    work.order.push(i);
                }
            }
        }
    }

    /// Solves `A x = b` in place. Only for a matrix without dependent columns.
    pub(crate) fn solve(&self, b: &mut [f64], scratch: &mut Vec<f64>) {
        scratch.clear();
        scratch.extend(self.row_of_step.iter().map(|&i| b[i]));
        let x = scratch;
        for k in 0..x.len() {
            let xk = x[k];
            if xk != 0.0 {
                self.lower.column(k).for_each(|(i, l)| x[i] -= l * xk);
            }
        }
        for k in (0..x.len()).rev() {
            if x[k] != 0.0 {
                x[k] /= self.pivot[k];
                let xk = x[k];
                self.upper.column(k).for_each(|(i, u)| x[i] -= u * xk);
            }
        }
        for (&column, &x) in self.column_of_step.iter().zip(x.iter()) {
            b[column] = x;
        }
    }

    /// Entries of both factors.
    pub(crate) fn fill(&self) -> usize {
        self.lower.index.len() + self.upper.index.len() + self.n
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(rows: &[&[f64]]) -> Csc {
        crate::problem::Matrix::Dense(crate::problem::Dense::from_rows(rows)).to_sparse()
    }

    #[test]
    fn solves_in_any_order() {
        let rows: [&[f64]; 4] = [
            &[4.0, 0.0, 1.0, 0.0],
            &[0.0, 0.0, 2.0, 1.0],
            &[1.0, 2.0, 0.0, 0.0],
            &[0.0, 1.0, 0.0, 3.0],
        ];
        let right = [1.0, -2.0, 3.0, 0.5];
        for q in [vec![0, 1, 2, 3], vec![3, 1, 0, 2], vec![2, 0, 3, 1]] {
            let lu = SparseLu::new(&columns(&rows), q);
            assert!(lu.dependent.is_empty());
            let mut b: Vec<f64> =
                rows.iter().map(|r| r.iter().zip(right).map(|(a, x)| a * x).sum()).collect();
            lu.solve(&mut b, &mut vec![]);
            for (x, y) in b.iter().zip(right) {
                assert!((x - y).abs() < 1e-14, "{b:?}");
            }
        }
    }

    #[test]
    fn a_dependent_column_is_named() {
        let rows: [&[f64]; 3] = [&[1.0, 1.0, 2.0], &[0.0, 1.0, 1.0], &[1.0, 0.0, 1.0]];
        let lu = SparseLu::new(&columns(&rows), vec![0, 1, 2]);
        assert_eq!(lu.dependent, vec![2]);
    }
}
