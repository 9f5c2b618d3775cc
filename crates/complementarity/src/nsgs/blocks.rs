//! Contacts laid out for sweeps.

use crate::problem::{ContactProblem, Law};
use crate::residual::ROUND_OFF;

/// Layout: velocities that are read and written together: those of a body.
pub(super) const WINDOW: usize = 6;

/// All blocks. Velocities are read through windows of six that follow each other, so that one
/// check of the bounds does for all of them; a contact of two bodies has two.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    pub(super) list: Vec<Block>,
    /// First velocity of every window.
    pub(super) first: Vec<u32>,
    /// Rows of J over every window: normal, first tangent, second tangent.
    pub(super) rows: Vec<[[f64; WINDOW]; 3]>,
    /// The order of a sweep: first what is held by something fixed, then what two bodies share. So impulses go up from
    /// the supports: of 40 recorded problems of falling dominoes 14 are above the tolerance after 160
    /// sweeps that begin anywhere and go forward and back, 10 where they go forward alone, 2 in this order.
    pub(super) order: Vec<u32>,
}

/// One block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Its windows.
    pub(super) windows: (u32, u32),
    pub(super) law: Law,
    pub(super) b: [f64; 3],
    /// `W = J_c J_cᵀ` (with the compliance): 00, 01, 02, 11, 12, 22.
    pub(super) w: [f64; 6],
    /// Its inverse, in the same order.
    pub(super) inverse: [f64; 6],
    /// What is part of W but not of `J Jᵀ`.
    pub(super) compliance: f64,
    /// Whether it may carry no impulse while it opens.
    pub(super) parts: bool,
    /// Inverse masses for steps along the normal and the tangents, inverted.
    pub(super) step: [f64; 2],
    /// Squares of the radii, for a normal impulse of 1, of the circles inside and around what the law allows.
    pub(super) circles: [f64; 2],
}

impl Blocks {
    /// Lays out some contacts of a problem, in the memory of the last ones; `place` says where their
    /// velocities stand.
    pub(super) fn fill(
        &mut self,
        problem: &ContactProblem,
        contacts: &[u32],
        place: impl Fn(u32) -> u32,
    ) {
        self.list.clear();
        self.first.clear();
        self.rows.clear();
        for &c in contacts {
            let c = c as usize;
            let begin = self.first.len();
            let (columns, rows) = (problem.columns(c), problem.rows(c));
            let m = columns.len();
            for (k, v) in columns.iter().map(|&v| place(v)).enumerate() {
                let holds = |&first: &u32| v >= first && v - first < WINDOW as u32;
                let at = self.first[begin..].iter().position(holds).map(|at| begin + at);
                let window = at.unwrap_or_else(|| {
                    self.first.push(v);
                    self.rows.push([[0.0; WINDOW]; 3]);
                    self.first.len() - 1
                });
                let at = (v - self.first[window]) as usize;
                for r in 0..problem.dim(c) {
                    self.rows[window][r][at] = rows[r * m + k];
                }
            }
            let windows = (begin as u32, self.first.len() as u32);
            self.list.push(Block::new(problem, c, windows));
        }
        let Self { list, order, .. } = self;
        let bodies = |c: &u32| list[*c as usize].windows.1 - list[*c as usize].windows.0;
        order.clear();
        order.extend((0..list.len() as u32).filter(|c| bodies(c) <= 1));
        order.extend((0..list.len() as u32).filter(|c| bodies(c) > 1));
    }

    /// The windows of a block: where they begin and their rows.
    #[inline]
    pub(super) fn windows(
        &self,
        block: &Block,
    ) -> impl Iterator<Item = (usize, &[[f64; WINDOW]; 3])> + Clone {
        let range = block.windows.0 as usize..block.windows.1 as usize;
        let first = &self.first[range.clone()];
        first.iter().map(|f| *f as usize).zip(&self.rows[range])
    }
}

impl Block {
    fn new(problem: &ContactProblem, c: usize, windows: (u32, u32)) -> Self {
        let (rows, m) = (problem.rows(c), problem.columns(c).len());
        let row = |r: usize| rows.get(r * m..(r + 1) * m).unwrap_or(&[]);
        let dot = |a: usize, b: usize| row(a).iter().zip(row(b)).map(|(x, y)| x * y).sum::<f64>();
        let mut w = [dot(0, 0), dot(0, 1), dot(0, 2), dot(1, 1), dot(1, 2), dot(2, 2)];
        let law = problem.law(c);
        let compliance = if let Law::Interval { compliance, .. } = law { compliance } else { 0.0 };
        w[0] += compliance;
        let parts = law.parts();
        // rows that repeat each other
        let soft = ROUND_OFF * (w[0] + w[3] + w[5]).max(f64::MIN_POSITIVE / ROUND_OFF);
        let mut soft_w = [w[0] + soft, w[1], w[2], w[3] + soft, w[4], w[5] + soft];
        if problem.dim(c) < 3 {
            // the tangent that is not there is held where it is
            soft_w[5] = 1.0;
        }
        if problem.dim(c) < 2 {
            soft_w[3] = 1.0;
        }
        let step = [1.0 / soft_w[0], 1.0 / (w[3].max(w[5]) + soft)];
        let (b, inverse, circles) = (problem.b(c), inverse(soft_w), law.circles());
        Self { windows, law, b, w, inverse, compliance, parts, step, circles }
    }
}

/// Inverse of a symmetric matrix 00, 01, 02, 11, 12, 22.
fn inverse([a, b, c, d, e, f]: [f64; 6]) -> [f64; 6] {
    let (x, y, z) = (d * f - e * e, c * e - b * f, b * e - c * d);
    let det = a * x + b * y + c * z;
    [x, y, z, a * f - c * c, b * c - a * e, a * d - b * b].map(|v| v / det)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns in any order and with gaps find their windows; rows come back as they were.
    #[test]
    fn windows_hold_all_columns() {
        let mut problem = ContactProblem::new(40);
        let columns = [30_u32, 31, 33, 2, 7, 8, 39];
        let rows: Vec<f64> = (0..21).map(f64::from).collect();
        problem.push(Law::Disc { mu: 0.5 }, &columns, &rows, [0.0; 3]).unwrap();
        let mut blocks = Blocks::default();
        blocks.fill(&problem, &[0], |v| v);
        let mut found = vec![[0.0; 3]; problem.velocities() + WINDOW];
        for (first, rows) in blocks.windows(&blocks.list[0]) {
            for (r, row) in rows.iter().enumerate() {
                row.iter().enumerate().for_each(|(k, x)| found[first + k][r] += x);
            }
        }
        for (k, &v) in columns.iter().enumerate() {
            assert_eq!(found[v as usize], [rows[k], rows[7 + k], rows[14 + k]]);
        }
        let sum: f64 = found.iter().flatten().sum();
        assert_eq!(sum, rows.iter().sum::<f64>());
    }

    #[test]
    fn inverses_invert() {
        let w = [4.0, 1.0, -0.5, 3.0, 0.2, 2.0];
        let i = inverse(w);
        let full = |m: [f64; 6]| [[m[0], m[1], m[2]], [m[1], m[3], m[4]], [m[2], m[4], m[5]]];
        let (w, i) = (full(w), full(i));
        for (r, row) in w.iter().enumerate() {
            for c in 0..3 {
                let x: f64 = row.iter().zip(&i).map(|(w, i)| w * i[c]).sum();
                assert!((x - f64::from(u8::from(r == c))).abs() < 1e-14);
            }
        }
    }
}
