//! From a good guess to machine precision: fix which unknowns are at a bound, solve for the rest.
//!
//! Redundant contacts make `A_aa` singular. So the rest is solved by proximal iterations
//! `(A_aa + delta) dz = -w_a`: they stay close to the guess along the directions that A does not
//! see, and converge by a factor of `delta / lambda` in every other. A guess that was symmetric
//! stays so, where a pivoting method would put the load on some of the redundant contacts only.

use super::core::Core;

/// Where an unknown is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Lower,
    Between,
    Upper,
}

/// The proximal term, relative to a diagonal of 1.
const DELTA: f64 = 1e-6;

/// The places that (z, w) suggests: `z - w` against the bounds.
pub(crate) fn places(core: &Core, z: &[f64], w: &[f64]) -> Vec<Place> {
    (0..core.n())
        .map(|i| {
            let x = z[i] - w[i];
            if core.lower[i] == core.upper[i] || x <= core.lower[i] {
                Place::Lower
            } else if x >= core.upper[i] {
                Place::Upper
            } else {
                Place::Between
            }
        })
        .collect()
}

/// Improves `z` with the unknowns where `places` says, correcting the places up to `rounds`
/// times. True when all of them were consistent at the end.
pub(crate) fn clean(core: &mut Core, z: &mut [f64], mut places: Vec<Place>, rounds: usize) -> bool {
    for _ in 0..rounds {
        if !hold(core, z, &places) || !settle(core, z, &places, 2) {
            return false;
        }
        let w = core.w(z);
        let mut changed = false;
        for i in 0..core.n() {
            let small = 1e-12 * core.size;
            let next = match places[i] {
                Place::Between if z[i] < core.lower[i] - small => Place::Lower,
                Place::Between if z[i] > core.upper[i] + small => Place::Upper,
                Place::Lower if w[i] < -small && core.lower[i] < core.upper[i] => Place::Between,
                Place::Upper if w[i] > small => Place::Between,
                same => same,
            };
            changed |= next != places[i];
            places[i] = next;
        }
        if !changed {
            return settle(core, z, &places, 30);
        }
    }
    false
}

/// Puts unknowns onto their bounds and factors for the others.
fn hold(core: &mut Core, z: &mut [f64], places: &[Place]) -> bool {
    for (i, place) in places.iter().enumerate() {
        match place {
            Place::Lower => z[i] = core.lower[i],
            Place::Upper => z[i] = core.upper[i],
            Place::Between => {}
        }
    }
    let held: Vec<bool> = places.iter().map(|p| *p != Place::Between).collect();
    held.iter().all(|h| *h) || core.factor(vec![DELTA; core.n()], held)
}

/// Solves for the unknowns between their bounds, with the factors of [`hold`].
fn settle(core: &mut Core, z: &mut [f64], places: &[Place], steps: usize) -> bool {
    let held: Vec<bool> = places.iter().map(|p| *p != Place::Between).collect();
    if held.iter().all(|h| *h) {
        return true;
    }
    let mut last = f64::INFINITY;
    for _ in 0..steps {
        let r: Vec<f64> = core.w(z).iter().map(|w| -w).collect();
        let error = r.iter().zip(&held).filter(|e| !e.1).fold(0.0_f64, |m, (r, _)| m.max(r.abs()));
        if !error.is_finite() {
            return false;
        }
        if error <= 1e-16 * core.size || error > 0.5 * last {
            break;
        }
        last = error;
        let dz = core.solve_once(&r);
        z.iter_mut().zip(&dz).for_each(|(z, d)| *z += d);
    }
    true
}
