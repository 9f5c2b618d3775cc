//! Dense LU with partial pivoting for large full matrices: `P A = L U`, in blocks.
//!
//! A panel of columns is factored, then the rest of the matrix gets its update at once, four
//! columns of L at a time: the panel stays in the cache, and the rest is read once per four.

/// The factors, stored over the matrix column by column.
#[derive(Clone, Debug)]
pub(crate) struct DenseLu {
    n: usize,
    a: Vec<f64>,
    /// Row exchanged with row k at step k.
    exchange: Vec<usize>,
}

/// Columns of a panel.
const PANEL: usize = 48;

impl DenseLu {
    /// Factors the column-major `n` by `n` matrix; `None` where a column shrinks to the part
    /// `dependent` of its first size or less: it depends on those before it.
    pub(crate) fn new(n: usize, a: Vec<f64>, dependent: f64) -> Option<Self> {
        let sizes: Vec<f64> = a
            .chunks_exact(n.max(1))
            .map(|c| c.iter().fold(0.0_f64, |m, x| m.max(x.abs())))
            .collect();
        let mut lu = Self { n, a, exchange: (0..n).collect() };
        let mut start = 0;
        while start < n {
            let end = (start + PANEL).min(n);
            for (k, size) in sizes.iter().enumerate().take(end).skip(start) {
                lu.column(start, k, dependent * size)?;
            }
            lu.update(start, end);
            start = end;
        }
        Some(lu)
    }

    /// Brings column `k` of the panel from `start` up to date and finds its pivot.
    fn column(&mut self, start: usize, k: usize, least: f64) -> Option<()> {
        let n = self.n;
        let (before, rest) = self.a.split_at_mut(k * n);
        let column = &mut rest[..n];
        for j in start..k {
            let x = column[j];
            if x != 0.0 {
                let l = &before[j * n + j + 1..(j + 1) * n];
                column[j + 1..].iter_mut().zip(l).for_each(|(c, l)| *c -= l * x);
            }
        }
        let mut p = k;
        for i in k + 1..n {
            if column[i].abs() > column[p].abs() {
                p = i;
            }
        }
        let pivot = column[p];
        if pivot.is_nan() || pivot.abs() <= least {
            return None;
        }
        self.exchange[k] = p;
        if p != k {
            for c in self.a.chunks_exact_mut(n) {
                c.swap(p, k);
            }
        }
        let inverse = 1.0 / pivot;
        self.a[k * n + k + 1..(k + 1) * n].iter_mut().for_each(|x| *x *= inverse);
        Some(())
    }

    /// The columns right of the panel: U of its rows, then the update of the rows below, for two
    /// columns at once.
    fn update(&mut self, start: usize, end: usize) {
        let n = self.n;
        let (done, rest) = self.a.split_at_mut(end * n);
        for pair in rest.chunks_mut(2 * n) {
            for column in pair.chunks_exact_mut(n) {
                for k in start..end {
                    let x = column[k];
                    if x != 0.0 {
                        let l = &done[k * n + k + 1..k * n + end];
                        column[k + 1..end].iter_mut().zip(l).for_each(|(c, l)| *c -= l * x);
                    }
                }
            }
            let l = |k: usize| &done[k * n + end..(k + 1) * n];
            let (first, second) = pair.split_at_mut(n);
            let (u, x) = first.split_at_mut(end);
            let mut none = [];
            let (v, y) = match second.is_empty() {
                true => (&mut none[..], &mut [][..]),
                false => second.split_at_mut(end),
            };
            let mut k = start;
            while k + 4 <= end {
                let four = [l(k), l(k + 1), l(k + 2), l(k + 3)];
                match v.is_empty() {
                    true => subtract(x, &u[k..k + 4], four),
                    false => subtract_two((x, &u[k..k + 4]), (y, &v[k..k + 4]), four),
                }
                k += 4;
            }
            for k in k..end {
                x.iter_mut().zip(l(k)).for_each(|(x, a)| *x -= a * u[k]);
                y.iter_mut().zip(l(k)).for_each(|(y, a)| *y -= a * v[k]);
            }
        }
    }

    /// Solves `A x = b` in place.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for (k, &p) in self.exchange.iter().enumerate() {
            x.swap(k, p);
        }
        for k in 0..n {
            let y = x[k];
            if y != 0.0 {
                let l = &self.a[k * n + k + 1..(k + 1) * n];
                x[k + 1..].iter_mut().zip(l).for_each(|(x, l)| *x -= l * y);
            }
        }
        for k in (0..n).rev() {
            let y = x[k] / self.a[k * n + k];
            x[k] = y;
            if y != 0.0 {
                let u = &self.a[k * n..k * n + k];
                x[..k].iter_mut().zip(u).for_each(|(x, u)| *x -= u * y);
            }
        }
    }
}

/// Four columns times `u`, taken off `x`.
fn subtract(x: &mut [f64], u: &[f64], [a, b, c, d]: [&[f64]; 4]) {
    for ((((x, a), b), c), d) in x.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *x -= a * u[0] + b * u[1] + c * u[2] + d * u[3];
    }
}

/// The same for two at once, so that the four are read once.
fn subtract_two(
    (x, u): (&mut [f64], &[f64]),
    (y, v): (&mut [f64], &[f64]),
    [a, b, c, d]: [&[f64]; 4],
) {
    let both = x.iter_mut().zip(y);
    for (((((x, y), a), b), c), d) in both.zip(a).zip(b).zip(c).zip(d) {
        *x -= a * u[0] + b * u[1] + c * u[2] + d * u[3];
        *y -= a * v[0] + b * v[1] + c * v[2] + d * v[3];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Larger than two panels, with a zero diagonal: the product with the solution gives b back.
    #[test]
    fn solves_what_it_factored() {
        let n = 131;
        let entry = |i: usize, j: usize| {
            if i == j { 0.0 } else { ((i * 37 + j * 101) % 997) as f64 / 997.0 - 0.5 }
        };
        let a: Vec<f64> = (0..n * n).map(|k| entry(k % n, k / n)).collect();
        let right: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let mut x = vec![0.0; n];
        for j in 0..n {
            for i in 0..n {
                x[i] += a[j * n + i] * right[j];
            }
        }
        DenseLu::new(n, a, 1e-11).unwrap().solve(&mut x);
        for (x, y) in x.iter().zip(&right) {
            assert!((x - y).abs() < 1e-10, "{x} {y}");
        }
    }

    #[test]
    fn dependent_columns_are_refused() {
        let n = 60;
        let a: Vec<f64> = (0..n * n).map(|k| ((k % n) * (k / n) % 7) as f64).collect();
        assert!(DenseLu::new(n, a, 1e-11).is_none());
        assert!(DenseLu::new(1, vec![f64::NAN], 0.0).is_none());
        assert!(DenseLu::new(0, vec![], 0.0).is_some());
    }
}
