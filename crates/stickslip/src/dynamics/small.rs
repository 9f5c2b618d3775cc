//! Factorisation of the small symmetric blocks that joints and bodies make: up to 6 by 6.

/// `A = L Lᵀ` of a symmetric positive semidefinite block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cholesky {
    n: usize,
    l: [[f64; 6]; 6],
}

/// A pivot below this part of its first size is zero: the row depends on those before it.
const DEPENDENT: f64 = 1e-13;

impl Cholesky {
    /// Factors the leading `n` by `n` part. A row that depends on the ones before is left out:
    /// its unknown is zero in every solution.
    pub(crate) fn new(n: usize, a: &[[f64; 6]; 6]) -> Self {
        let mut l = [[0.0; 6]; 6];
        for j in 0..n {
            let row = l[j];
            let pivot = a[j][j] - row[..j].iter().map(|x| x * x).sum::<f64>();
            // Zero on the diagonal marks the row as left out.
            if pivot.is_nan() || pivot <= DEPENDENT * a[j][j] {
                continue;
            }
            let root = pivot.sqrt();
            l[j][j] = root;
            for (below, a) in l[..n].iter_mut().zip(a).skip(j + 1) {
                let dot: f64 = below[..j].iter().zip(&row[..j]).map(|(x, y)| x * y).sum();
                below[j] = (a[j] - dot) / root;
            }
        }
        Self { n, l }
    }

    /// `x <- A⁻¹ x`.
    pub(crate) fn solve(&self, x: &mut [f64; 6]) {
        let rows = &self.l[..self.n];
        for (i, row) in rows.iter().enumerate() {
            if row[i] == 0.0 {
                x[i] = 0.0;
                continue;
            }
            let dot: f64 = row[..i].iter().zip(&x[..i]).map(|(l, x)| l * x).sum();
            x[i] = (x[i] - dot) / row[i];
        }
        for (i, row) in rows.iter().enumerate().rev() {
            if row[i] == 0.0 {
                continue;
            }
            let below = rows[i + 1..].iter().zip(&x[i + 1..]);
            let dot: f64 = below.map(|(l, x)| l[i] * x).sum();
            x[i] = (x[i] - dot) / row[i];
        }
    }
}

/// Product of two rows of a block.
pub(crate) fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// `A x = b` with `A = B Bᵀ` of full rank, then with a row repeated: the solution still obeys
    /// every equation, the repeated one included.
    #[test]
    fn solves_also_with_a_repeated_row() {
        let mut random = Random::new(5);
        for n in 1..=6 {
            let b: Vec<[f64; 6]> = (0..n).map(|_| [(); 6].map(|()| random.signed())).collect();
            for repeat in [false, n > 1] {
                let mut rows = b.clone();
                if repeat {
                    rows[n - 1] = rows[0];
                }
                let mut a = [[0.0; 6]; 6];
                for i in 0..n {
                    for j in 0..n {
                        a[i][j] = dot(&rows[i], &rows[j]);
                    }
                }
                let known = [(); 6].map(|()| random.signed());
                let times = |x: &[f64; 6]| {
                    let mut y = [0.0; 6];
                    (0..n).for_each(|i| y[i] = (0..n).map(|j| a[i][j] * x[j]).sum());
                    y
                };
                let rhs = times(&known);
                let mut x = rhs;
                Cholesky::new(n, &a).solve(&mut x);
                let back = times(&x);
                for i in 0..n {
                    assert!((back[i] - rhs[i]).abs() < 1e-9, "seed 5, n = {n}, {repeat}");
                }
            }
        }
    }
}
