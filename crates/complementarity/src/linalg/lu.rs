//! Dense LU with partial pivoting, `P A = L U`, for the small systems of a basis.

/// The factors of a square matrix, stored over it column by column.
#[derive(Clone, Debug)]
pub(crate) struct Lu {
    n: usize,
    a: Vec<f64>,
    /// Row exchanged with row k at step k.
    exchange: Vec<usize>,
    /// One over each pivot, zero where it vanished.
    inverse: Vec<f64>,
    /// Columns whose pivot vanished against the size of the matrix.
    pub(crate) singular: Vec<usize>,
}

/// A pivot below this times the largest entry counts as zero.
const SINGULAR: f64 = 1e-13;

impl Lu {
    /// Factors the column-major `n` by `n` matrix.
    pub(crate) fn new(n: usize, a: Vec<f64>) -> Self {
        Self::with_limit(n, a, SINGULAR)
    }

    /// The same with another limit below which a pivot counts as zero.
    pub(crate) fn with_limit(n: usize, mut a: Vec<f64>, limit: f64) -> Self {
        let mut exchange: Vec<usize> = (0..n).collect();
        let mut inverse = vec![0.0; n];
        let mut singular = vec![];
        let largest = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        for k in 0..n {
            let column = &a[k * n..(k + 1) * n];
            let mut p = k;
            for i in k + 1..n {
                if column[i].abs() > column[p].abs() {
                    p = i;
                }
            }
            if column[p].abs() <= limit * largest || column[p] == 0.0 {
                singular.push(k);
                a[k * n + k..(k + 1) * n].fill(0.0);
                continue;
            }
            if p != k {
                exchange[k] = p;
                for j in 0..n {
                    a.swap(j * n + p, j * n + k);
                }
            }
            inverse[k] = 1.0 / a[k * n + k];
            eliminate(&mut a, n, k);
        }
        Self { n, a, exchange, inverse, singular }
    }

    /// Solves `A x = b` in place. A vanished pivot leaves its unknown at zero.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for (k, &p) in self.exchange.iter().enumerate() {
            x.swap(k, p);
        }
        for k in 0..n {
            let xk = x[k];
            if xk != 0.0 {
                let column = &self.a[k * n + k + 1..(k + 1) * n];
                for (xi, l) in x[k + 1..n].iter_mut().zip(column) {
                    *xi -= l * xk;
                }
            }
        }
        for k in (0..n).rev() {
            x[k] *= self.inverse[k];
            let xk = x[k];
            if xk != 0.0 {
                for (xi, u) in x[..k].iter_mut().zip(&self.a[k * n..k * n + k]) {
                    *xi -= u * xk;
                }
            }
        }
    }
}

impl Lu {
    /// Solves for `m` right-hand sides at once, stored row by row.
    pub(crate) fn solve_rows(&self, x: &mut [f64], m: usize) {
        let n = self.n;
        for (k, &p) in self.exchange.iter().enumerate().filter(|(k, p)| k != *p) {
            let (head, tail) = x.split_at_mut(p * m);
            head[k * m..(k + 1) * m].swap_with_slice(&mut tail[..m]);
        }
        for k in 0..n {
            let (head, tail) = x.split_at_mut((k + 1) * m);
            let row = &head[k * m..];
            for (other, l) in tail.chunks_exact_mut(m).zip(&self.a[k * n + k + 1..(k + 1) * n]) {
                if *l != 0.0 {
                    other.iter_mut().zip(row).for_each(|(y, x)| *y -= l * x);
                }
            }
        }
        for k in (0..n).rev() {
            let (head, tail) = x.split_at_mut(k * m);
            let row = &mut tail[..m];
            row.iter_mut().for_each(|x| *x *= self.inverse[k]);
            for (other, u) in head.chunks_exact_mut(m).zip(&self.a[k * n..k * n + k]) {
                if *u != 0.0 {
                    other.iter_mut().zip(row.iter()).for_each(|(y, x)| *y -= u * x);
                }
            }
        }
    }
}

/// One step of right-looking elimination with the pivot at (k, k).
fn eliminate(a: &mut [f64], n: usize, k: usize) {
    let (head, tail) = a.split_at_mut((k + 1) * n);
    let pivot_column = &mut head[k * n..];
    let inverse = 1.0 / pivot_column[k];
    for x in &mut pivot_column[k + 1..] {
        *x *= inverse;
    }
    let multipliers = &pivot_column[k + 1..];
    for column in tail.chunks_exact_mut(n) {
        let top = column[k];
        if top != 0.0 {
            for (x, l) in column[k + 1..].iter_mut().zip(multipliers) {
                *x -= l * top;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_system_that_needs_row_exchanges() {
        // [0 2 1; 1 1 0; 3 0 1] x = b with x = (1, 2, 3)
        let lu = Lu::new(3, vec![0.0, 1.0, 3.0, 2.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
        let mut b = vec![7.0, 3.0, 6.0];
        lu.solve(&mut b);
        assert!(lu.singular.is_empty());
        for (x, right) in b.iter().zip([1.0, 2.0, 3.0]) {
            assert!((x - right).abs() < 1e-14);
        }
    }

    #[test]
    fn a_singular_matrix_is_noticed() {
        let lu = Lu::new(2, vec![1.0, 2.0, 2.0, 4.0]);
        assert_eq!(lu.singular, vec![1]);
        let mut b = vec![1.0, 2.0];
        lu.solve(&mut b);
        assert_eq!(b, vec![1.0, 0.0]);
    }
}
