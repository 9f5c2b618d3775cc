//! The basis to start from: block pivoting from a guess.
//!
//! From (z, w) take `z_i - w_i` against the bounds to decide which unknowns are basic, solve,
//! and repeat: Newton's method on the min map, one factorisation each. It often ends at the
//! solution; otherwise the best basis seen is a good start for the path.

use super::basis::Var;
use super::model::Model;
use super::path::{At, Path, Point};

/// The basis that the point (z, w) suggests.
pub(crate) fn guess(model: &Model, z: &[f64], w: &[f64]) -> Point {
    let n = model.n();
    let (mut var, mut at) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for i in 0..n {
        let (l, u) = (model.lower[i], model.upper[i]);
        let x = z[i] - w[i];
        let (v, a) = if model.is_free(i) {
            (Var::Z(i), At::Zero)
        } else if x <= l || l == u {
            (Var::W(i), At::Lower)
        } else if x >= u {
            (Var::W(i), At::Upper)
        } else {
            (Var::Z(i), if l.is_finite() { At::Lower } else { At::Upper })
        };
        var.push(v);
        at.push(a);
    }
    Point { var, at }
}

/// All bounded unknowns at a bound, all free ones basic.
pub(crate) fn slack(model: &Model) -> Point {
    let z: Vec<f64> = (0..model.n())
        .map(|i| if model.lower[i].is_finite() { model.lower[i] } else { model.upper[i] })
        .map(|z| if z.is_finite() { z } else { 0.0 })
        .collect();
    let w: Vec<f64> =
        (0..model.n()).map(|i| if model.lower[i].is_finite() { 1.0 } else { -1.0 }).collect();
    guess(model, &z, &w)
}

/// Block pivoting from `point`, at most `rounds` times; the basis with the least infeasibility.
pub(crate) fn improve<'a>(
    model: &'a Model,
    point: Point,
    rounds: usize,
    count: &mut usize,
) -> Option<Path<'a>> {
    let mut best = Path::new(model, point)?;
    let mut lowest = best.infeasibility();
    let mut seen = vec![best.point()];
    let (mut z, mut w) = best.values();
    let mut idle = 0;
    for _ in 0..rounds {
        if lowest <= 1e-11 * model.size || idle > 3 {
            break;
        }
        let next = guess(model, &z, &w);
        if seen.contains(&next) {
            break;
        }
        seen.push(next.clone());
        *count += 1;
        let Some(path) = Path::new(model, next) else { break };
        (z, w) = path.values();
        let error = path.infeasibility();
        if !error.is_finite() {
            break;
        }
        idle += 1;
        if error < lowest {
            idle = 0;
            lowest = error;
            best = path;
        }
    }
    Some(best)
}
