//! Sparse rows, and what sweeps over them.

use crate::problem::Csc;

/// Compressed sparse rows, the diagonal apart.
#[derive(Clone, Debug)]
pub(crate) struct Csr {
    /// Start of each row in `index`; one more than rows.
    pub(crate) start: Vec<usize>,
    /// Column of each entry off the diagonal.
    pub(crate) index: Vec<u32>,
    pub(crate) values: Vec<f64>,
    pub(crate) diagonal: Vec<f64>,
}

impl Csr {
    /// The rows of a square matrix; `None` where it has more unknowns than an index can count.
    pub(crate) fn new(a: &Csc) -> Option<Self> {
        u32::try_from(a.cols).ok()?;
        let rows = a.transpose();
        let mut made = Self::with_capacity(a.cols, a.index.len());
        for i in 0..a.cols {
            for (j, x) in rows.col(i) {
                made.push(i, j as u32, x);
            }
            made.end_row();
        }
        Some(made)
    }

    pub(crate) fn with_capacity(n: usize, entries: usize) -> Self {
        let mut start = Vec::with_capacity(n + 1);
        start.push(0);
        let (index, values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
        Self { start, index, values, diagonal: vec![0.0; n] }
    }

    /// Adds an entry to the row that is being written.
    #[inline]
    pub(crate) fn push(&mut self, row: usize, column: u32, x: f64) {
        if column as usize == row {
            self.diagonal[row] += x;
        } else if x != 0.0 {
            self.index.push(column);
            self.values.push(x);
        }
    }

    pub(crate) fn end_row(&mut self) {
        self.start.push(self.index.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.diagonal.len()
    }

    /// Entries off the diagonal of a row.
    #[inline]
    pub(crate) fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.start[i]..self.start[i + 1];
        self.index[range.clone()]
            .iter()
            .map(|&j| j as usize)
            .zip(self.values[range].iter().copied())
    }

    /// Row i of `A x`.
    #[inline]
    pub(crate) fn row_times(&self, i: usize, x: &[f64]) -> f64 {
        self.row(i).fold(self.diagonal[i] * x[i], |sum, (j, a)| sum + a * x[j])
    }

    /// `y = A x`.
    pub(crate) fn times(&self, x: &[f64], y: &mut [f64]) {
        y.iter_mut().enumerate().for_each(|(i, y)| *y = self.row_times(i, x));
    }

    /// `r = b - A x`.
    pub(crate) fn residual(&self, b: &[f64], x: &[f64], r: &mut [f64]) {
        r.iter_mut().enumerate().for_each(|(i, r)| *r = b[i] - self.row_times(i, x));
    }

    /// One sweep of Gauss-Seidel for `A x = b`, from the last row to the first where `back`.
    pub(crate) fn sweep(&self, b: &[f64], x: &mut [f64], back: bool) {
        let n = self.len();
        for k in 0..n {
            let i = if back { n - 1 - k } else { k };
            let off: f64 = self.row(i).map(|(j, a)| a * x[j]).sum();
            x[i] = (b[i] - off) / self.diagonal[i];
        }
    }

    /// The block of the rows and columns in `set`; `place` holds the place of each member in it, and
    /// `u32::MAX` for all others.
    pub(crate) fn block(&self, set: &[u32], place: &[u32]) -> Self {
        let mut made = Self::with_capacity(set.len(), self.index.len());
        for (k, &i) in set.iter().enumerate() {
            let i = i as usize;
            made.diagonal[k] = self.diagonal[i];
            for (j, a) in self.row(i) {
                if place[j] != u32::MAX {
                    made.index.push(place[j]);
                    made.values.push(a);
                }
            }
            made.end_row();
        }
        made
    }

    /// The largest distance of an entry from the diagonal.
    pub(crate) fn band(&self) -> usize {
        let far = |i: usize| self.row(i).fold(0, |m, (j, _)| m.max(j.abs_diff(i)));
        (0..self.len()).map(far).max().unwrap_or(0)
    }
}

/// The LU factors of a band matrix, without exchanges: for M-matrices none are needed.
pub(crate) struct Band {
    band: usize,
    /// Row by row, `2 band + 1` entries each.
    values: Vec<f64>,
}

impl Band {
    /// `None` where a pivot is not positive.
    pub(crate) fn new(a: &Csr, band: usize) -> Option<Self> {
        let (n, width) = (a.len(), 2 * band + 1);
        let mut values = vec![0.0; n * width];
        for i in 0..n {
            values[i * width + band] = a.diagonal[i];
            for (j, x) in a.row(i) {
                values[i * width + band + j - i] = x;
            }
        }
        for k in 0..n {
            let pivot = values[k * width + band];
            if pivot.is_nan() || pivot <= 0.0 {
                return None;
            }
            for i in k + 1..n.min(k + band + 1) {
                let at = i * width + band + k - i;
                let factor = values[at] / pivot;
                if factor != 0.0 {
                    values[at] = factor;
                    for s in 1..=band {
                        values[at + s] -= factor * values[k * width + band + s];
                    }
                }
            }
        }
        Some(Self { band, values })
    }

    /// Solves in place.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let (n, band, width) = (x.len(), self.band, 2 * self.band + 1);
        for i in 0..n {
            let row = &self.values[i * width..(i + 1) * width];
            let first = i.saturating_sub(band);
            let sum: f64 = (first..i).map(|j| row[band + j - i] * x[j]).sum();
            x[i] -= sum;
        }
        for i in (0..n).rev() {
            let row = &self.values[i * width..(i + 1) * width];
            let sum: f64 = (i + 1..n.min(i + band + 1)).map(|j| row[band + j - i] * x[j]).sum();
            x[i] = (x[i] - sum) / row[band];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(n: usize) -> Csr {
        let mut entries = vec![];
        for i in 0..n {
            entries.push((i, i, 2.5 + (i % 3) as f64));
            if i > 0 {
                entries.extend([(i, i - 1, -1.0), (i - 1, i, -0.7)]);
            }
            if i > 1 {
                entries.push((i, i - 2, -0.3));
            }
        }
        Csr::new(&Csc::from_triplets(n, n, &entries)).unwrap()
    }

    #[test]
    fn a_band_is_solved_and_swept() {
        let a = chain(12);
        let right: Vec<f64> = (0..12).map(|i| (i as f64).sin()).collect();
        let mut b = vec![0.0; 12];
        a.times(&right, &mut b);
        assert_eq!(a.band(), 2);
        let mut x = b.clone();
        Band::new(&a, 2).unwrap().solve(&mut x);
        x.iter().zip(&right).for_each(|(x, y)| assert!((x - y).abs() < 1e-13, "{x} {y}"));
        let mut x = vec![0.0; 12];
        (0..200).for_each(|k| a.sweep(&b, &mut x, k % 2 == 1));
        x.iter().zip(&right).for_each(|(x, y)| assert!((x - y).abs() < 1e-12, "{x} {y}"));
    }
}
