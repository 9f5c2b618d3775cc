//! Lemke's path on a dense dictionary (Cottle, Pang, Stone, The Linear Complementarity Problem,
//! algorithm 4.4.5).
//!
//! ```text
//! w = b + A z + d t,   d > 0;   basic = rhs + T nonbasic
//! ```
//! The path starts at the largest t that keeps w >= 0 and follows it until t leaves the basis.
//! Ties are broken lexicographically: `b` is thought of as `b + (e, e², e³, ..)` with an
//! infinitesimal e, which makes cycling impossible in exact arithmetic.

use crate::problem::Dense;
use crate::solver::Status;

/// A variable of the dictionary: `Z(i)`, `W(i)` or the artificial `t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Var {
    Z(usize),
    W(usize),
    T,
}

/// `basic = rhs + T nonbasic`, rows stored one after another.
pub(crate) struct Tableau {
    n: usize,
    cells: Vec<f64>,
    rhs: Vec<f64>,
    basic: Vec<Var>,
    nonbasic: Vec<Var>,
    /// Where `W(j)` stands: row if basic, else `n + column`.
    place_of_w: Vec<usize>,
    scratch: Vec<f64>,
    /// Largest entry of b: what rounding errors of the right-hand side are measured against.
    size: f64,
    /// The column that nothing blocked.
    open: Option<usize>,
}

/// The end of a path that nothing blocks: for every s >= 0, `z + s dz` solves the problem with
/// `b + (t + s dt) (1, .., 1)`.
pub(crate) struct Open {
    pub(crate) z: Vec<f64>,
    pub(crate) dz: Vec<f64>,
    pub(crate) t: f64,
    pub(crate) dt: f64,
}

/// An entry below this times the largest of its column is no pivot.
const PIVOT: f64 = 1e-11;
/// Rows whose right-hand side would be left below this (relative to b) tie.
const TIE: f64 = 1e-13;

impl Tableau {
    /// The starting dictionary with covering vector d = (1, .., 1).
    pub(crate) fn new(a: &Dense, b: &[f64]) -> Self {
        let mut tableau = Self {
            n: 0,
            cells: vec![],
            rhs: vec![],
            basic: vec![],
            nonbasic: vec![],
            place_of_w: vec![],
            scratch: vec![],
            size: 0.0,
            open: None,
        };
        tableau.load(a, b);
        tableau
    }

    /// The same in place, for those who solve many small problems.
    pub(crate) fn load(&mut self, a: &Dense, b: &[f64]) {
        let n = b.len();
        let width = n + 1;
        self.n = n;
        self.cells.clear();
        self.cells.resize(n * width, 1.0);
        for j in 0..n {
            for (i, &x) in a.col(j).iter().enumerate() {
                self.cells[i * width + j] = x;
            }
        }
        self.rhs.clear();
        self.rhs.extend_from_slice(b);
        self.basic.clear();
        self.basic.extend((0..n).map(Var::W));
        self.nonbasic.clear();
        self.nonbasic.extend((0..n).map(Var::Z));
        self.nonbasic.push(Var::T);
        self.place_of_w.clear();
        self.place_of_w.extend(0..n);
        self.scratch.clear();
        self.scratch.resize(width, 0.0);
        self.size = b.iter().fold(0.0, |m, x| x.abs().max(m));
        self.open = None;
    }

    /// Follows the path; `see` gets the unknowns after each pivot and may stop it. Returns how it
    /// ended and the number of pivots.
    pub(crate) fn run(
        &mut self,
        max_pivots: usize,
        mut see: impl FnMut(usize, &Self) -> bool,
    ) -> (Status, usize) {
        let n = self.n;
        let Some(first) = self.first_row() else { return (Status::Solved, 0) };
        let mut leaving = self.basic[first];
        self.pivot(first, n);
        let mut pivots = 1;
        loop {
            if see(pivots, self) {
                return (Status::Stopped, pivots);
            }
            if leaving == Var::T {
                return (Status::Solved, pivots);
            }
            if pivots >= max_pivots {
                return (Status::IterationLimit, pivots);
            }
            let entering = match leaving {
                Var::W(i) => Var::Z(i),
                Var::Z(i) => Var::W(i),
                Var::T => Var::T,
            };
            let Some(column) = self.nonbasic.iter().position(|v| *v == entering) else {
                return (Status::Numerical, pivots);
            };
            let Some(row) = self.ratio_test(column) else {
                self.open = Some(column);
                return (Status::Ray, pivots);
            };
            leaving = self.basic[row];
            self.pivot(row, column);
            pivots += 1;
            if !self.rhs[row].is_finite() {
                return (Status::Numerical, pivots);
            }
        }
    }

    /// The unknowns z of the current basis; a tiny negative value is rounding.
    pub(crate) fn z(&self) -> Vec<f64> {
        let mut z = vec![0.0; self.n];
        for (row, var) in self.basic.iter().enumerate() {
            if let Var::Z(i) = var {
                z[*i] = self.rhs[row].max(0.0);
            }
        }
        z
    }

    /// The ray on which [`run`](Self::run) ended.
    pub(crate) fn open(&self) -> Option<Open> {
        let column = self.open?;
        let mut open = Open { z: self.z(), dz: vec![0.0; self.n], t: 0.0, dt: 0.0 };
        for (row, var) in self.basic.iter().enumerate() {
            let rate = self.cells[row * (self.n + 1) + column];
            match var {
                Var::Z(i) => open.dz[*i] = rate.max(0.0),
                Var::T => (open.t, open.dt) = (self.rhs[row].max(0.0), rate.max(0.0)),
                Var::W(_) => {}
            }
        }
        if let Var::Z(i) = self.nonbasic[column] {
            open.dz[i] = 1.0;
        }
        Some(open)
    }

    /// Which z are basic.
    pub(crate) fn active(&self) -> Vec<bool> {
        let mut active = vec![false; self.n];
        for var in &self.basic {
            if let Var::Z(i) = var {
                active[*i] = true;
            }
        }
        active
    }

    /// Row of the lexicographically most negative right-hand side; `None` when `b >= 0`.
    fn first_row(&self) -> Option<usize> {
        let lowest = self.rhs.iter().copied().fold(0.0, f64::min);
        // among equal values the later row is lexicographically smaller: e^j shrinks with j
        (0..self.n).rfind(|&i| self.rhs[i] == lowest && lowest < 0.0)
    }

    /// The row that blocks the entering column first, or none: a ray.
    fn ratio_test(&self, column: usize) -> Option<usize> {
        let width = self.n + 1;
        let entry = |i: usize| self.cells[i * width + column];
        let largest = (0..self.n).fold(0.0_f64, |m, i| m.max(entry(i).abs()));
        let small = PIVOT * largest.max(1e-300);
        let ratio = |i: usize| self.rhs[i].max(0.0) / -entry(i);
        let mut best = f64::INFINITY;
        for i in 0..self.n {
            if entry(i) < -small {
                best = best.min(ratio(i));
            }
        }
        if best == f64::INFINITY {
            return None;
        }
        let blocks = |i: usize| self.rhs[i].max(0.0) + best * entry(i) <= TIE * self.size;
        let mut ties: Vec<usize> =
            (0..self.n).filter(|&i| entry(i) < -small && blocks(i)).collect();
        // t leaves as soon as it can: that is the solution
        if let Some(&row) = ties.iter().find(|&&i| self.basic[i] == Var::T) {
            return Some(row);
        }
        for j in 0..self.n {
            if ties.len() == 1 {
                break;
            }
            let key = |i: usize| self.perturbation(i, j) / -entry(i);
            let lowest = ties.iter().map(|&i| key(i)).fold(f64::INFINITY, f64::min);
            ties.retain(|&i| key(i) <= lowest + 1e-12 * (1.0 + lowest.abs()));
        }
        ties.first().copied()
    }

    /// Coefficient of the infinitesimal `e^j` in the right-hand side of row `i`.
    fn perturbation(&self, i: usize, j: usize) -> f64 {
        match self.place_of_w[j] {
            row if row < self.n => f64::from(u8::from(row == i)),
            column => -self.cells[i * (self.n + 1) + column - self.n],
        }
    }

    /// Exchanges the basic variable of `row` with the nonbasic one of `column`.
    fn pivot(&mut self, row: usize, column: usize) {
        let width = self.n + 1;
        let mut pivot_row = std::mem::take(&mut self.scratch);
        pivot_row.copy_from_slice(&self.cells[row * width..(row + 1) * width]);
        let inverse = 1.0 / pivot_row[column];
        for x in &mut pivot_row {
            *x *= -inverse;
        }
        pivot_row[column] = inverse;
        let rhs = -self.rhs[row] * inverse;
        for (i, cells) in self.cells.chunks_exact_mut(width).enumerate() {
            let factor = cells[column];
            if i == row || factor == 0.0 {
                continue;
            }
            cells[column] = 0.0;
            for (x, p) in cells.iter_mut().zip(&pivot_row) {
                *x += factor * p;
            }
            self.rhs[i] += factor * rhs;
        }
        self.cells[row * width..(row + 1) * width].copy_from_slice(&pivot_row);
        self.rhs[row] = rhs;
        self.scratch = pivot_row;
        std::mem::swap(&mut self.basic[row], &mut self.nonbasic[column]);
        if let Var::W(j) = self.basic[row] {
            self.place_of_w[j] = row;
        }
        if let Var::W(j) = self.nonbasic[column] {
            self.place_of_w[j] = self.n + column;
        }
    }
}
