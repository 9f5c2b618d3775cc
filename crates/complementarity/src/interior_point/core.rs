//! The problem in scaled form as interior-point steps see it.

use crate::linalg::shifted::Shifted;
use crate::problem::{Matrix, Problem};
use crate::scaling::Scaled;

/// `w = A z + b`, `l <= z <= u ⟂ w`, scaled, with a solver for `A + diag(s)`.
pub(crate) struct Core {
    pub(crate) matrix: Matrix,
    pub(crate) b: Vec<f64>,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    columns: Vec<f64>,
    shifted: Shifted,
    s: Vec<f64>,
    held: Vec<bool>,
    /// Largest entry of b.
    pub(crate) size: f64,
}

impl Core {
    /// Scales and prepares.
    pub(crate) fn new(problem: &Problem) -> Self {
        let n = problem.size();
        let (lower, upper) = problem.bounds();
        let Scaled { matrix, rows, columns } = Scaled::new(problem.matrix());
        let b: Vec<f64> = problem.b().iter().zip(&rows).map(|(b, r)| b * r).collect();
        let lower: Vec<f64> = lower.iter().zip(&columns).map(|(l, c)| l / c).collect();
        let upper: Vec<f64> = upper.iter().zip(&columns).map(|(u, c)| u / c).collect();
        let free: Vec<bool> =
            (0..n).map(|i| lower[i].is_infinite() && upper[i].is_infinite()).collect();
        let shifted = Shifted::new(&matrix, &free);
        let size = b.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        Self {
            matrix,
            b,
            lower,
            upper,
            columns,
            shifted,
            s: vec![],
            held: vec![],
            size: if size > 0.0 { size } else { 1.0 },
        }
    }

    pub(crate) fn n(&self) -> usize {
        self.b.len()
    }

    /// Factors `A + diag(s)` without the unknowns in `held`.
    pub(crate) fn factor(&mut self, s: Vec<f64>, held: Vec<bool>) -> bool {
        let sound = self.shifted.factor(&s, &held);
        (self.s, self.held) = (s, held);
        sound
    }

    /// Solves `(A + diag(s)) x = r`. The condensed system cancels where s is small, so its
    /// solution is refined against the matrix itself.
    pub(crate) fn solve(&mut self, r: &[f64]) -> Vec<f64> {
        let mut x = self.shifted.solve(r);
        if !matches!(self.matrix, Matrix::Factored(_)) {
            return x;
        }
        let size = r.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut last = f64::INFINITY;
        for _ in 0..4 {
            let mut residual = r.to_vec();
            let product = self.matrix.times_plus(&x, &vec![0.0; x.len()]);
            for i in 0..residual.len() {
                residual[i] =
                    if self.held[i] { 0.0 } else { residual[i] - product[i] - self.s[i] * x[i] };
            }
            let error = residual.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            if error <= 1e-9 * size || error >= 0.5 * last || !error.is_finite() {
                break;
            }
            last = error;
            let dx = self.shifted.solve(&residual);
            x.iter_mut().zip(&dx).for_each(|(x, d)| *x += d);
        }
        x
    }

    /// The same without refinement, for those who measure and repeat themselves.
    pub(crate) fn solve_once(&mut self, r: &[f64]) -> Vec<f64> {
        self.shifted.solve(r)
    }

    /// `A z + b`.
    pub(crate) fn w(&self, z: &[f64]) -> Vec<f64> {
        self.matrix.times_plus(z, &self.b)
    }

    /// The unknowns of the original problem, on their bounds where they are there.
    pub(crate) fn unscale(&self, problem: &Problem, z: &[f64]) -> Vec<f64> {
        let (lower, upper) = problem.bounds();
        (0..z.len()).map(|i| (z[i] * self.columns[i]).max(lower[i]).min(upper[i])).collect()
    }

    /// A start of the original problem, scaled.
    pub(crate) fn scale(&self, z: &[f64]) -> Vec<f64> {
        z.iter().zip(&self.columns).map(|(z, c)| z / c).collect()
    }

    pub(crate) fn is_free(&self, i: usize) -> bool {
        self.lower[i].is_infinite() && self.upper[i].is_infinite()
    }
}
