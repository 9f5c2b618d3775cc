//! A matrix as the factors of `J B + D`.

use super::{Csc, Dense};

/// `A = J B + D` kept as its factors: `J` is the Jacobian (rows of A by velocities), `B = M⁻¹ G`
/// (velocities by columns of A), `D` what does not pass through the velocities (the friction
/// cone's E, U rows; compliance). Forming A is left to the methods that need it.
#[derive(Clone, Debug, PartialEq)]
pub struct Factored {
    /// `J = Gᵀ`, n by n_velocities.
    pub left: Csc,
    /// `B = M⁻¹ G`, n_velocities by n.
    pub right: Csc,
    /// `D`, n by n.
    pub d_block: Csc,
}

impl Factored {
    /// `J B + D` with all entries.
    pub(crate) fn dense(&self) -> Dense {
        let n = self.left.rows;
        let mut sum = Dense::zeros(n, self.right.cols);
        for (j, column) in sum.values.chunks_exact_mut(n.max(1)).enumerate() {
            for (v, b) in self.right.col(j) {
                self.left.col(v).for_each(|(i, x)| column[i] += x * b);
            }
            self.d_block.col(j).for_each(|(i, x)| column[i] += x);
        }
        sum
    }

    /// `J B + D` with its entries added up.
    pub(crate) fn product(&self) -> Csc {
        let n = self.left.rows;
        let (mut start, mut index, mut values) = (vec![0], vec![], vec![]);
        let (mut sum, mut seen) = (vec![0.0; n], vec![usize::MAX; n]);
        let mut rows: Vec<usize> = vec![];
        for j in 0..self.right.cols {
            rows.clear();
            let mut add = |i: usize, x: f64| {
                if seen[i] != j {
                    seen[i] = j;
                    sum[i] = 0.0;
                    rows.push(i);
                }
                sum[i] += x;
            };
            for (v, b) in self.right.col(j) {
                self.left.col(v).for_each(|(i, x)| add(i, x * b));
            }
            self.d_block.col(j).for_each(|(i, x)| add(i, x));
            rows.sort_unstable();
            for &i in rows.iter().filter(|&&i| sum[i] != 0.0) {
                index.push(i);
                values.push(sum[i]);
            }
            start.push(index.len());
        }
        Csc { rows: n, cols: self.right.cols, start, index, values }
    }
}
