//! The active set of a start, for small dense problems: as [`crate::interior_point::active`], but
//! without anything prepared for large ones.

use crate::linalg::lu::Lu;
use crate::problem::{Dense, Matrix, Problem};

/// The proximal term against the diagonal.
const DELTA: f64 = 1e-7;

/// The problem with `A`, b and bounds at hand.
struct Small<'a> {
    a: &'a Dense,
    b: &'a [f64],
    lower: Vec<f64>,
    upper: Vec<f64>,
    scale: Vec<f64>,
}

/// The point that the active set of `z0` leads to after up to three corrections; `None` where the
/// matrix is not dense or nothing consistent was found. The caller measures it.
pub(crate) fn active_set(problem: &Problem, z0: &[f64]) -> Option<Vec<f64>> {
    let Matrix::Dense(a) = problem.matrix() else { return None };
    let (lower, upper) = problem.bounds();
    let n = z0.len();
    let largest = (0..n).fold(0.0_f64, |m, i| m.max(a.get(i, i).abs()));
    let scale = (0..n).map(|i| a.get(i, i)).map(|d| if d > 0.0 { d } else { largest });
    let small = Small { a, b: problem.b(), lower, upper, scale: scale.collect() };
    let mut z: Vec<f64> = (0..n).map(|i| z0[i].max(small.lower[i]).min(small.upper[i])).collect();
    let w = problem.matrix().times_plus(&z, small.b);
    let mut between: Vec<bool> = (0..n)
        .map(|i| {
            let x = z[i] - w[i] / small.scale[i].max(1e-300);
            x > small.lower[i] && x < small.upper[i] && small.lower[i] < small.upper[i]
        })
        .collect();
    for i in (0..n).filter(|&i| !between[i]) {
        let near_upper = z[i] - w[i] / small.scale[i].max(1e-300) >= small.upper[i];
        z[i] = if near_upper { small.upper[i] } else { small.lower[i] };
    }
    for _ in 0..3 {
        if small.round(problem, &mut z, &mut between)? {
            return Some(z);
        }
    }
    None
}

impl Small<'_> {
    /// Solves for the unknowns between their bounds, then corrects which those are; true when
    /// there was nothing to correct.
    fn round(&self, problem: &Problem, z: &mut [f64], between: &mut [bool]) -> Option<bool> {
        let set: Vec<usize> = (0..z.len()).filter(|&i| between[i]).collect();
        let k = set.len();
        let mut block = Vec::with_capacity(k * k);
        for &j in &set {
            block.extend(set.iter().map(|&i| self.a.get(i, j)));
        }
        for (c, &i) in set.iter().enumerate() {
            block[c * k + c] += DELTA * self.scale[i];
        }
        let lu = Lu::with_limit(k, block, 0.0);
        if !lu.singular.is_empty() {
            return None;
        }
        let mut last = f64::INFINITY;
        let mut w = problem.matrix().times_plus(z, self.b);
        for _ in 0..20 {
            let mut r: Vec<f64> = set.iter().map(|&i| -w[i]).collect();
            let error = r.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            if !error.is_finite() {
                return None;
            }
            if error == 0.0 || error > 0.5 * last {
                break;
            }
            last = error;
            lu.solve(&mut r);
            set.iter().zip(&r).for_each(|(&i, d)| z[i] += d);
            w = problem.matrix().times_plus(z, self.b);
        }
        let size = self.b.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut sound = true;
        for i in 0..z.len() {
            let (l, u) = (self.lower[i], self.upper[i]);
            if between[i] && (z[i] < l || z[i] > u) {
                let bound = if z[i] < l { l } else { u };
                sound &= (z[i] - bound).abs() * self.scale[i] <= 1e-13 * size;
                (z[i], between[i]) = (bound, false);
            } else if !between[i] && l < u {
                let wrong = if z[i] == l { -w[i] } else { w[i] };
                between[i] = wrong > 1e-13 * size;
                sound &= !between[i];
            }
        }
        Some(sound)
    }
}
