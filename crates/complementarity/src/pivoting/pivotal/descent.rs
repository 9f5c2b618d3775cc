//! A start for symmetric matrices that are not semidefinite.
//!
//! The solutions of a symmetric problem are the points where `zᵀ A z / 2 + bᵀ z` cannot be lowered
//! nearby within the bounds. Lowering it along one unknown after the other leads towards one of
//! them, whatever the signs of the eigenvalues, as long as it is bounded below:
//!
//! ```text
//! z_i <- mid(l_i, z_i - w_i / A_ii, u_i)
//! ```

use super::model::Model;

/// Entries that differ by more than this part of the diagonal are not symmetric.
const SYMMETRIC: f64 = 1e-12;

/// Whether `A = Aᵀ` with a positive diagonal.
pub(crate) fn applies(model: &Model) -> bool {
    let diagonal = diagonal(model);
    if !diagonal.iter().all(|d| *d > 0.0) {
        return false;
    }
    let largest = diagonal.iter().fold(0.0_f64, |m, d| m.max(*d));
    let (a, t) = (&model.a, model.a.transpose());
    let close = |(x, y): (&f64, &f64)| (x - y).abs() <= SYMMETRIC * largest;
    a.start == t.start && a.index == t.index && a.values.iter().zip(&t.values).all(close)
}

/// Sweeps over all unknowns, in place.
pub(crate) fn sweep(model: &Model, z: &mut [f64], sweeps: usize) {
    let diagonal = diagonal(model);
    let mut w = model.w(z);
    for _ in 0..sweeps {
        for i in 0..z.len() {
            let next = (z[i] - w[i] / diagonal[i]).max(model.lower[i]).min(model.upper[i]);
            let change = next - z[i];
            if change != 0.0 {
                z[i] = next;
                model.a.col(i).for_each(|(k, x)| w[k] += change * x);
            }
        }
    }
}

fn diagonal(model: &Model) -> Vec<f64> {
    let own = |i: usize| model.a.col(i).filter(|e| e.0 == i).map(|e| e.1).sum();
    (0..model.n()).map(own).collect()
}
