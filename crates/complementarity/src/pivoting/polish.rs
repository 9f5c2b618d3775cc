//! Exactness at the end: given which unknowns are at a bound, solve for the others afresh.

use crate::linalg::lu::Lu;
use crate::problem::Lcp;
use crate::residual;

/// Solves `A_aa z_a = -b_a` for the active set `a` with one step of refinement, and returns it
/// where it is better than `z` by the natural residual.
pub(crate) fn lcp(problem: &Lcp, active: &[bool], z: Vec<f64>) -> Vec<f64> {
    let set: Vec<usize> = (0..z.len()).filter(|&i| active[i]).collect();
    let k = set.len();
    if k == 0 {
        return z;
    }
    let error = |z: &[f64]| residual::natural_lcp(problem, z);
    let size = problem.b.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let before = error(&z);
    if before <= f64::EPSILON * size {
        return z;
    }
    let a = problem.matrix.block(&set);
    let lu = Lu::new(k, a.values);
    let mut better = vec![0.0; z.len()];
    if !lu.singular.is_empty() {
        better.clone_from(&z);
    }
    for _ in 0..2 {
        let w = problem.w(&better);
        let mut r: Vec<f64> = set.iter().map(|&i| -w[i]).collect();
        lu.solve(&mut r);
        for (&i, d) in set.iter().zip(&r) {
            better[i] += d;
        }
    }
    let largest = better.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for x in &mut better {
        if *x < 0.0 && *x > -1e-12 * largest {
            *x = 0.0;
        }
    }
    let finite = better.iter().all(|x| x.is_finite());
    if finite && error(&better) < before { better } else { z }
}
