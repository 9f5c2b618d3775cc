//! Algebraic multigrid by aggregation, for sparse M-matrices.
//!
//! Unknowns that hang together most are put into pairs, and the pairs into fours; a four is one
//! unknown of the next level, with the sum of its entries for a matrix. One sweep of Gauss-Seidel
//! before and one after, and on every level but the first and the last up to two steps of a Krylov
//! method (the K-cycle; Notay 2010): memory and work grow as the number of unknowns.

use super::csr::Csr;
use super::lu::Lu;

/// Levels from fine to coarse.
pub(crate) struct Multigrid {
    levels: Vec<Level>,
    bottom: Bottom,
    symmetric: bool,
}

struct Level {
    a: Csr,
    /// The unknown of the next level that each belongs to.
    group: Vec<u32>,
    coarse: usize,
}

enum Bottom {
    Direct(Lu),
    Sweeps(Csr),
}

/// Up to here the last level is solved by a dense factorisation.
const DIRECT: usize = 80;

/// The unknown of the next level for each, and their number: pairs by the strongest coupling.
pub(crate) fn pairs(a: &Csr) -> (Vec<u32>, usize) {
    let n = a.len();
    let mut group = vec![u32::MAX; n];
    let mut count = 0_u32;
    for i in 0..n {
        if group[i] != u32::MAX {
            continue;
        }
        let strongest = a.row(i).fold(0.0_f64, |m, (_, x)| m.max(-x));
        let mut best = (0.25 * strongest, usize::MAX);
        for (j, x) in a.row(i) {
            if group[j] == u32::MAX && -x > best.0 {
                best = (-x, j);
            }
        }
        group[i] = count;
        if best.1 != usize::MAX {
            group[best.1] = count;
        }
        count += 1;
    }
    (group, count as usize)
}

/// `Pᵀ A P` for groups of unknowns.
pub(crate) fn galerkin(a: &Csr, group: &[u32], count: usize) -> Csr {
    let n = a.len();
    // members of each group, in order
    let mut first = vec![0_u32; count + 1];
    group.iter().for_each(|&g| first[g as usize + 1] += 1);
    (0..count).for_each(|g| first[g + 1] += first[g]);
    let (mut next, mut member) = (first.clone(), vec![0_u32; n]);
    for (i, &g) in group.iter().enumerate() {
        member[next[g as usize] as usize] = i as u32;
        next[g as usize] += 1;
    }
    let mut coarse = Csr::with_capacity(count, a.index.len() / 2);
    let mut place = vec![usize::MAX; count];
    for g in 0..count {
        let begin = coarse.index.len();
        for &i in &member[first[g] as usize..first[g + 1] as usize] {
            let i = i as usize;
            coarse.diagonal[g] += a.diagonal[i];
            for (j, x) in a.row(i) {
                let c = group[j];
                if c as usize == g {
                    coarse.diagonal[g] += x;
                    continue;
                }
                let at = place[c as usize];
                // places from earlier rows lie before this row
                if at != usize::MAX && at >= begin {
                    coarse.values[at] += x;
                } else {
                    place[c as usize] = coarse.index.len();
                    coarse.index.push(c);
                    coarse.values.push(x);
                }
            }
        }
        coarse.end_row();
    }
    coarse
}

/// Groups of about four, and their matrix.
pub(crate) fn fours(a: &Csr) -> (Vec<u32>, Csr) {
    let (mut group, count) = pairs(a);
    let middle = galerkin(a, &group, count);
    let (second, count) = pairs(&middle);
    let coarse = galerkin(&middle, &second, count);
    group.iter_mut().for_each(|g| *g = second[*g as usize]);
    (group, coarse)
}

impl Multigrid {
    /// Levels for a matrix; `None` where one of them is singular.
    pub(crate) fn new(a: Csr, symmetric: bool) -> Option<Self> {
        let mut levels = vec![];
        let mut a = a;
        while a.len() > DIRECT {
            let (group, next) = fours(&a);
            let coarse = next.len();
            if 10 * coarse > 9 * a.len() {
                break;
            }
            levels.push(Level { a, group, coarse });
            a = next;
        }
        if a.diagonal.iter().any(|d| d.is_nan() || *d <= 0.0) {
            return None;
        }
        let bottom = if a.len() <= DIRECT {
            let n = a.len();
            let mut dense = vec![0.0; n * n];
            for i in 0..n {
                dense[i * n + i] += a.diagonal[i];
                a.row(i).for_each(|(j, x)| dense[j * n + i] += x);
            }
            let lu = Lu::with_limit(n, dense, 1e-15);
            if !lu.singular.is_empty() {
                return None;
            }
            Bottom::Direct(lu)
        } else {
            Bottom::Sweeps(a)
        };
        Some(Self { levels, bottom, symmetric })
    }

    /// The finest matrix; `None` where a direct factor is all there is.
    pub(crate) fn matrix(&self) -> Option<&Csr> {
        match (self.levels.first(), &self.bottom) {
            (Some(level), _) => Some(&level.a),
            (None, Bottom::Sweeps(a)) => Some(a),
            (None, Bottom::Direct(_)) => None,
        }
    }

    /// About `A⁻¹ r`, from level `k` on.
    pub(crate) fn cycle(&self, k: usize, r: &[f64]) -> Vec<f64> {
        let Some(level) = self.levels.get(k) else { return self.at_bottom(r) };
        let n = r.len();
        let mut x = vec![0.0; n];
        level.a.sweep(r, &mut x, false);
        let mut right = vec![0.0; level.coarse];
        for i in 0..n {
            right[level.group[i] as usize] += r[i] - level.a.row_times(i, &x);
        }
        let below = self.krylov(k + 1, right);
        x.iter_mut().zip(&level.group).for_each(|(x, &g)| *x += below[g as usize]);
        level.a.sweep(r, &mut x, true);
        x
    }

    fn at_bottom(&self, r: &[f64]) -> Vec<f64> {
        match &self.bottom {
            Bottom::Direct(lu) => {
                let mut x = r.to_vec();
                lu.solve(&mut x);
                x
            }
            Bottom::Sweeps(a) => {
                let mut x = vec![0.0; r.len()];
                (0..8).for_each(|k| a.sweep(r, &mut x, k % 2 == 1));
                x
            }
        }
    }

    /// Up to two steps of conjugate gradients or conjugate residuals around a cycle.
    fn krylov(&self, k: usize, r: Vec<f64>) -> Vec<f64> {
        let Some(level) = self.levels.get(k) else { return self.at_bottom(&r) };
        let a = &level.a;
        let mut c = self.cycle(k, &r);
        let mut v = vec![0.0; r.len()];
        a.times(&c, &mut v);
        let test = |c: &[f64], v: &[f64], r: &[f64]| dot(if self.symmetric { c } else { v }, r);
        let rho = test(&c, &v, &v);
        let alpha = test(&c, &v, &r);
        if rho.is_nan() || rho <= 0.0 {
            return c;
        }
        let size = dot(&r, &r);
        let mut residual = r;
        add(&mut residual, -alpha / rho, &v);
        if dot(&residual, &residual) <= 0.0625 * size {
            c.iter_mut().for_each(|c| *c *= alpha / rho);
            return c;
        }
        let d = self.cycle(k, &residual);
        let mut w = vec![0.0; residual.len()];
        a.times(&d, &mut w);
        let gamma = test(&d, &w, &v);
        let beta = test(&d, &w, &w);
        let second = test(&d, &w, &residual);
        let left = beta - gamma * gamma / rho;
        if left.is_nan() || left <= 0.0 {
            c.iter_mut().for_each(|c| *c *= alpha / rho);
            return c;
        }
        let (first, second) = (alpha / rho - gamma * second / (rho * left), second / left);
        c.iter_mut().zip(&d).for_each(|(c, d)| *c = first * *c + second * d);
        c
    }

    /// Solves `A x = b` until no entry of the residual is larger than `target`; false where that takes
    /// more than `limit` cycles, or arithmetic breaks down. `x` is the start and the result.
    pub(crate) fn solve(&self, b: &[f64], x: &mut [f64], target: f64, limit: usize) -> bool {
        let Some(a) = self.matrix() else {
            x.copy_from_slice(&self.at_bottom(b));
            return x.iter().all(|x| x.is_finite());
        };
        let mut r = vec![0.0; b.len()];
        a.residual(b, x, &mut r);
        let memory = if self.symmetric { 1 } else { 12 };
        let mut past: Vec<(Vec<f64>, Vec<f64>, f64)> = vec![];
        let (mut best, mut idle) = (f64::INFINITY, 0);
        for _ in 0..limit {
            let error = r.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
            if error <= target {
                return true;
            }
            idle = if error < 0.9 * best { 0 } else { idle + 1 };
            best = best.min(error);
            if !error.is_finite() || idle > 12 {
                return false;
            }
            let mut p = self.cycle(0, &r);
            let mut q = vec![0.0; p.len()];
            a.times(&p, &mut q);
            for (d, v, rho) in &past {
                let along = if self.symmetric { dot(&p, v) } else { dot(&q, v) } / rho;
                add(&mut p, -along, d);
                add(&mut q, -along, v);
            }
            let left = if self.symmetric { &p } else { &q };
            let (rho, alpha) = (dot(left, &q), dot(left, &r));
            if rho.is_nan() || rho <= 0.0 {
                return false;
            }
            add(x, alpha / rho, &p);
            add(&mut r, -alpha / rho, &q);
            if past.len() == memory {
                past.remove(0);
            }
            past.push((p, q, rho));
        }
        r.iter().all(|r| r.abs() <= target)
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    // four sums: faster, and always in the same order
    let mut sums = [0.0; 4];
    let (xs, ys) = (x.chunks_exact(4), y.chunks_exact(4));
    let tail: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in xs.zip(ys) {
        (0..4).for_each(|k| sums[k] += x[k] * y[k]);
    }
    sums[0] + sums[1] + sums[2] + sums[3] + tail
}

fn add(x: &mut [f64], a: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += a * y);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Csc;

    /// Five points with wind: `4 u - (1 + c) west - (1 - c) east - south - north`.
    fn grid(n: usize, c: f64) -> Csr {
        let mut entries = vec![];
        for k in 0..n * n {
            let (i, j) = (k % n, k / n);
            entries.push((k, k, 4.0));
            if i > 0 {
                entries.push((k, k - 1, -1.0 - c));
            }
            if i + 1 < n {
                entries.push((k, k + 1, -1.0 + c));
            }
            if j > 0 {
                entries.extend([(k, k - n, -1.0), (k - n, k, -1.0)]);
            }
        }
        Csr::new(&Csc::from_triplets(n * n, n * n, &entries)).unwrap()
    }

    /// The number of cycles hardly depends on the size, with or without symmetry.
    #[test]
    fn few_cycles_solve_grids_of_any_size() {
        for c in [0.0, 0.3] {
            for n in [3, 9, 20, 60, 120] {
                let a = grid(n, c);
                let right: Vec<f64> = (0..n * n).map(|i| (i as f64 * 0.37).sin()).collect();
                let mut b = vec![0.0; n * n];
                a.times(&right, &mut b);
                let mut x = vec![0.0; n * n];
                let grid = Multigrid::new(a, c == 0.0).unwrap();
                assert!(grid.solve(&b, &mut x, 1e-10, 40), "{n} {c}");
                for (x, y) in x.iter().zip(&right) {
                    assert!((x - y).abs() < 1e-6, "{n} {c}: {x} {y}");
                }
            }
        }
    }

    #[test]
    fn groups_of_a_grid_are_small_squares() {
        let (group, coarse) = fours(&grid(8, 0.0));
        assert_eq!(coarse.len(), 16);
        assert_eq!(
            (group[0], group[1], group[8], group[9]),
            (group[0], group[0], group[0], group[0])
        );
        // the sums of all entries stay
        let sum = |a: &Csr| a.diagonal.iter().sum::<f64>() + a.values.iter().sum::<f64>();
        assert!((sum(&coarse) - sum(&grid(8, 0.0))).abs() < 1e-12);
    }
}
