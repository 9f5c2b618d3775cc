//! The part of the basic columns in rows whose slacks are basic.

use crate::problem::Csc;

/// Columns over those rows.
pub(crate) enum Outside {
    Sparse(Csc),
    /// The rows, and all entries column by column.
    Full(Vec<usize>, Vec<f64>),
}

impl Outside {
    /// `place` is `usize::MAX` for the rows outside; `columns` names them as the basis does.
    pub(crate) fn new(columns: Csc, place: &[usize]) -> Self {
        let rows: Vec<usize> = (0..place.len()).filter(|&i| place[i] == usize::MAX).collect();
        let (m, k) = (rows.len(), columns.cols);
        if m * k < FULL_FROM || 3 * columns.values.len() < 2 * m * k {
            return Self::Sparse(columns);
        }
        let mut at = vec![0; place.len()];
        rows.iter().enumerate().for_each(|(p, &i)| at[i] = p);
        let mut values = vec![0.0; m * k];
        for (j, column) in values.chunks_exact_mut(m).enumerate() {
            columns.col(j).for_each(|(i, x)| column[at[i]] += x);
        }
        Self::Full(rows, values)
    }

    /// Adds the product with `x` to `y`, which has all rows of the basis.
    pub(crate) fn add_times(&self, x: &[f64], y: &mut [f64]) {
        let (rows, values) = match self {
            Self::Sparse(a) => return a.add_times(x, y),
            Self::Full(rows, values) => (rows, values),
        };
        let m = rows.len();
        let mut sum = vec![0.0; m];
        // four columns at once: half of the time would go into reading and writing the sum
        for (a, x) in values.chunks(4 * m).zip(x.chunks(4)) {
            if let &[p, q, r, s] = x {
                let ((a, b), (c, d)) = {
                    let (front, back) = a.split_at(2 * m);
                    (front.split_at(m), back.split_at(m))
                };
                for ((((y, a), b), c), d) in sum.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                    *y += a * p + b * q + c * r + d * s;
                }
            } else {
                for (a, x) in a.chunks_exact(m).zip(x) {
                    sum.iter_mut().zip(a).for_each(|(y, a)| *y += a * x);
                }
            }
        }
        rows.iter().zip(&sum).for_each(|(&i, s)| y[i] += s);
    }
}

/// Fewer entries are not worth copying.
const FULL_FROM: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    /// Both forms give the same product; 100 rows outside, 47 columns.
    #[test]
    fn full_and_sparse_agree() {
        let place: Vec<usize> =
            (0..147).map(|i| if i % 3 == 2 || i > 140 { i } else { usize::MAX }).collect();
        let outside: Vec<usize> = (0..147).filter(|&i| place[i] == usize::MAX).collect();
        let mut entries = vec![];
        for j in 0..47 {
            entries
                .extend(outside.iter().map(|&i| (i, j, ((i * 31 + j * 17) % 101) as f64 - 50.0)));
        }
        let columns = Csc::from_triplets(147, 47, &entries);
        let full = Outside::new(columns.clone(), &place);
        assert!(matches!(full, Outside::Full(..)));
        let x: Vec<f64> = (0..47).map(|j| (j as f64).cos()).collect();
        let (mut y, mut z) = (vec![1.0; 147], vec![1.0; 147]);
        full.add_times(&x, &mut y);
        columns.add_times(&x, &mut z);
        assert!(y.iter().zip(&z).all(|(y, z)| (y - z).abs() < 1e-10), "{y:?} {z:?}");
    }
}
