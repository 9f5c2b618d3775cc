//! A part of a smooth step of a tree: explicit where that is exact enough, else collocation.
//!
//! ```text
//! RK4     k1 = f(y), k2 = f(y + h k1 / 2), k3 = f(y + h k2 / 2), k4 = f(y + h k3),
//!         y1 = y + h (k1 + 2 k2 + 2 k3 + k4) / 6,  k5 = f(y1),  off by less than h |k5 - k4| / 6
//! Gauss   Y_i = y + h sum_j a_ij f(Y_j), three stages, order 6, symmetric
//! ```
//!
//! With `k5` in place of `k4` the first is a method of order three, so that their difference is an
//! error that the result of order four does not have: where it is within `TOUCH`, the result is
//! better by as much again as the step is shorter than the times in which the motion changes. Elsewhere the
//! cubic through both ends is where collocation starts.

use super::{collocation::Table, joint_space::TreeStep};
use crate::dynamics::reduced::{Coordinates, Workspace};
use stickslip_geometry::tolerance::{MERGE, ROUND_OFF, TOUCH};

/// Rounds of collocation, from the rate of the start and from a start near by. Its error goes with that of the iteration: what takes more is not only slow
/// to find, but not near the truth either.
pub(super) const COLLOCATION_ROUNDS: [usize; 2] = [14, 10];

/// Rates of positions and velocities.
#[derive(Clone, Debug, Default)]
pub(super) struct Rate {
    pub q: Vec<f64>,
    pub w: Vec<f64>,
}

impl Rate {
    /// A copy of another, in the memory of this one.
    pub fn copy(&mut self, other: &Self) {
        self.q.clone_from(&other.q);
        self.w.clone_from(&other.w);
    }

    /// Largest difference from another.
    fn distance(&self, other: &Self) -> f64 {
        let pairs = self.w.iter().zip(&other.w).chain(self.q.iter().zip(&other.q));
        pairs.fold(0.0, |m, (a, b)| m.max((a - b).abs()))
    }
}

/// Buffers of a part of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct PartWork {
    /// Where the part starts.
    pub from: Coordinates,
    /// Where it ends.
    pub end: Coordinates,
    x: Coordinates,
    /// At the start of the first part.
    pub begin: Rate,
    /// Of the explicit step.
    pub rates: [Rate; 5],
    /// Of collocation.
    stages: [Rate; 3],
    rate: Rate,
}

impl TreeStep<'_> {
    /// From `work.from` at the time `from` of the step to `work.end`, `h` later; the first of the rates
    /// is known. `None` where the part is too long; else whether the links are at the end.
    pub(super) fn part(
        &self,
        table: &Table,
        (from, h, sliding): (f64, f64, &[f64]),
        (work, dynamics): (&mut PartWork, &mut Workspace),
    ) -> Option<bool> {
        let y = &work.from;
        let scale = y.q.iter().chain(&y.w).fold(1.0_f64, |m, y| m.max(y.abs()));
        let off = self.explicit((from, h, sliding), (work, dynamics));
        let floats = self.space.tree.links.first().is_some_and(|link| link.joint.is_none());
        // the momentum of a tree that floats is kept to round-off
        let exact = if floats { 10.0 * ROUND_OFF } else { TOUCH };
        if off.is_some_and(|off| off <= exact * scale) {
            return Some(true);
        }
        // one that is off by more says little: light links under load swing faster than it can follow
        let start = off.is_some_and(|off| off <= MERGE * scale);
        self.gauss(table, (from, h, sliding), (start, scale), (work, dynamics))?;
        Some(false)
    }

    /// The explicit step, and by how much the one within it is off; the links are at its end.
    fn explicit(
        &self,
        (from, h, sliding): (f64, f64, &[f64]),
        (work, dynamics): (&mut PartWork, &mut Workspace),
    ) -> Option<f64> {
        let PartWork { from: y, end, x, rates, .. } = work;
        for (i, part) in [(1, 0.5), (2, 0.5), (3, 1.0)] {
            let (known, next) = rates.split_at_mut(i);
            combine(x, y, &known[i - 1..], &[part], h);
            self.rate((x, sliding), from + part * h, dynamics, &mut next[0])?;
        }
        let weights = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
        combine(end, y, &rates[..4], &weights, h);
        self.rate((end, sliding), from + h, dynamics, &mut rates[4])?;
        Some(h / 6.0 * rates[4].distance(&rates[3]))
    }

    /// Collocation, iterated to round-off; `near` where the cubic through both ends is a start.
    fn gauss(
        &self,
        table: &Table,
        (from, h, sliding): (f64, f64, &[f64]),
        (near, scale): (bool, f64),
        (work, dynamics): (&mut PartWork, &mut Workspace),
    ) -> Option<()> {
        let PartWork { from: y, end, x, rates, stages, rate, .. } = work;
        for (stage, &c) in stages.iter_mut().zip(&table.c) {
            stage.copy(&rates[0]);
            if near {
                cubic(x, [y, end], [&rates[0], &rates[4]], (c, h));
                self.rate((x, sliding), from + c * h, dynamics, stage)?;
            }
        }
        let mut before = f64::INFINITY;
        for _ in 0..COLLOCATION_ROUNDS[usize::from(near)] {
            let mut change = 0.0_f64;
            for i in 0..stages.len() {
                combine(x, y, stages, &table.a[i], h);
                self.rate((x, sliding), from + table.c[i] * h, dynamics, rate)?;
                change = change.max(rate.distance(&stages[i]));
                std::mem::swap(&mut stages[i], rate);
            }
            if change.is_nan() || change * h > 1e3 * scale {
                return None;
            }
            // From a start near by the next round would change less by the factor that this one did.
            let gain = (change / before).min(1.0);
            let small = change * h <= 1e-10 * scale;
            let left = if near && before.is_finite() { gain * change } else { change };
            if left * h <= ROUND_OFF * scale || (small && gain >= 0.5) {
                combine(end, y, stages, &table.b, h);
                return Some(());
            }
            before = change;
        }
        None
    }
}

/// `out = y + h sum_j w_j k_j`.
pub(super) fn combine(
    out: &mut Coordinates,
    y: &Coordinates,
    rates: &[Rate],
    weights: &[f64],
    h: f64,
) {
    out.copy(y);
    for (rate, weight) in rates.iter().zip(weights) {
        let part = h * weight;
        out.q.iter_mut().zip(&rate.q).for_each(|(y, k)| *y += part * k);
        out.w.iter_mut().zip(&rate.w).for_each(|(y, k)| *y += part * k);
    }
}

/// The cubic with these values and rates at both ends of a part, after the fraction `c` of it.
fn cubic(
    out: &mut Coordinates,
    [y0, y1]: [&Coordinates; 2],
    [k0, k1]: [&Rate; 2],
    (c, h): (f64, f64),
) {
    let d = 1.0 - c;
    let (far, near) = (c * c * (1.0 + 2.0 * d), d * d * (1.0 + 2.0 * c));
    let (leave, arrive) = (h * c * d * d, -h * c * c * d);
    let mix = |out: &mut [f64], y0: &[f64], y1: &[f64], k0: &[f64], k1: &[f64]| {
        for (i, x) in out.iter_mut().enumerate() {
            *x = near * y0[i] + far * y1[i] + leave * k0[i] + arrive * k1[i];
        }
    };
    out.copy(y0);
    mix(&mut out.q, &y0.q, &y1.q, &k0.q, &k1.q);
    mix(&mut out.w, &y0.w, &y1.w, &k0.w, &k1.w);
}
