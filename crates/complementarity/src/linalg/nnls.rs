//! Non-negative least squares (Lawson and Hanson, Solving Least Squares Problems, chapter 23).

use super::lu::Lu;
use crate::problem::Dense;

/// `x >= 0` that minimises `|C x - d|`.
pub(crate) fn nnls(c: &Dense, d: &[f64]) -> Vec<f64> {
    let n = c.cols;
    let mut x = vec![0.0; n];
    let mut passive = vec![false; n];
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let size = d.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for _ in 0..3 * n + 10 {
        let mut r = d.to_vec();
        for (j, x) in x.iter().enumerate() {
            r.iter_mut().zip(c.col(j)).for_each(|(r, c)| *r -= c * x);
        }
        let gain = |j: usize| dot(c.col(j), &r) / (1e-300 + dot(c.col(j), c.col(j)).sqrt());
        let enter = (0..n).filter(|&j| !passive[j]).max_by(|&a, &b| gain(a).total_cmp(&gain(b)));
        let Some(enter) = enter.filter(|&j| gain(j) > 1e-13 * size) else { break };
        passive[enter] = true;
        while let Some(step) = inner(c, d, &mut x, &mut passive) {
            if step >= 1.0 {
                break;
            }
        }
    }
    x
}

/// Moves to the least squares point of the passive set, or as far as `x >= 0` allows; returns the
/// step, `None` when the set became empty.
fn inner(c: &Dense, d: &[f64], x: &mut [f64], passive: &mut [bool]) -> Option<f64> {
    let set: Vec<usize> = (0..c.cols).filter(|&j| passive[j]).collect();
    if set.is_empty() {
        return None;
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut gram = Vec::with_capacity(set.len() * set.len());
    for &j in &set {
        gram.extend(set.iter().map(|&i| dot(c.col(i), c.col(j))));
    }
    let mut y: Vec<f64> = set.iter().map(|&i| dot(c.col(i), d)).collect();
    Lu::new(set.len(), gram).solve(&mut y);
    let mut step = 1.0_f64;
    for (&i, &y) in set.iter().zip(&y) {
        if y <= 0.0 {
            step = step.min(x[i] / (x[i] - y).max(1e-300));
        }
    }
    for (&i, &y) in set.iter().zip(&y) {
        x[i] += step * (y - x[i]);
        if x[i] <= 1e-14 && (y <= 0.0 || step < 1.0) {
            x[i] = 0.0;
            passive[i] = false;
        }
    }
    Some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_the_component_that_would_be_negative() {
        // columns (1,0) and (1,1), target (2,-1): the free solution is (3,-1), the bound one (2,0)
        let c = Dense::from_rows(&[&[1.0, 1.0], &[0.0, 1.0]]);
        let x = nnls(&c, &[2.0, -1.0]);
        assert!((x[0] - 2.0).abs() < 1e-14 && x[1] == 0.0, "{x:?}");
    }

    #[test]
    fn survives_equal_columns() {
        let c = Dense::from_rows(&[&[1.0, 1.0], &[2.0, 2.0]]);
        let x = nnls(&c, &[3.0, 6.0]);
        assert!((x[0] + x[1] - 3.0).abs() < 1e-12, "{x:?}");
    }
}
