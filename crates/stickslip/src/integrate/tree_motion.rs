//! A part of a smooth step of a tree: explicit where that is exact enough, else collocation.
//!
//! ```text
//! RK4     k1 = f(y), k2 = f(y + h k1 / 2), k3 = f(y + h k2 / 2), k4 = f(y + h k3),
//!         y1 = y + h (k1 + 2 k2 + 2 k3 + k4) / 6,  k5 = f(y1),  off by less than h |k5 - k4| / 6
//! DP5     six stages, order 5, and one of order 4 within it (Dormand and Prince 1980)
//! Gauss   Y_i = y + h sum_j a_ij f(Y_j), three stages, order 6, symmetric
//! ```
//!
//! Trees that hang on something take the second, those that float the first. The method within it has an error
//! that the result does not have: where that is within `TOUCH`, the result is better by as much again as the step is
//! shorter than the times in which the motion changes. Elsewhere the cubic through both ends is where collocation
//! starts. The energy of a pendulum that swings by up to 0.05 rad in a step drifts by 4e-9 of its swing in a minute by the
//! second and by 1e-13 by collocation, which takes twice the evaluations; the first, where it was exact enough, left 1e-8.

use super::{collocation::Table, joint_space::TreeStep};
use crate::dynamics::reduced::{Coordinates, Workspace};
use stickslip_geometry::tolerance::{MERGE, ROUND_OFF, TOUCH};

/// Rounds of collocation, from the rate of the start and from a start near by. Its error goes with that of the iteration: what takes more is not only slow
/// to find, but not near the truth either.
pub(super) const COLLOCATION_ROUNDS: [usize; 2] = [14, 10];

/// Dormand and Prince's method: the stages.
const STAGES: [(f64, &[f64]); 6] = [
    (1.0 / 5.0, &[1.0 / 5.0]),
    (3.0 / 10.0, &[3.0 / 40.0, 9.0 / 40.0]),
    (4.0 / 5.0, &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0]),
    (8.0 / 9.0, &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0]),
    (1.0, &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0]),
    (1.0, &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0]),
];
/// Its weights less those of order 4.
const WITHIN: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339_200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

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
    /// Of the explicit step; the first and the last are those of its ends.
    pub rates: [Rate; 7],
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
        let floats = self.space.tree.links.first().is_some_and(|link| link.joint.is_none());
        // the momentum of a tree that floats is kept to round-off
        let exact = if floats { 10.0 * ROUND_OFF } else { TOUCH } * scale;
        let off = match floats {
            true => self.explicit((from, h, sliding), (work, dynamics)),
            false => self.of_order_five((from, h, sliding), (work, dynamics)),
        };
        if off.is_some_and(|off| off <= exact) {
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
        self.rate((end, sliding), from + h, dynamics, &mut rates[6])?;
        Some(h / 6.0 * rates[6].distance(&rates[3]))
    }

    /// The same of order five.
    fn of_order_five(
        &self,
        (from, h, sliding): (f64, f64, &[f64]),
        (work, dynamics): (&mut PartWork, &mut Workspace),
    ) -> Option<f64> {
        let PartWork { from: y, end, rates, .. } = work;
        for (i, (part, weights)) in STAGES.iter().enumerate() {
            let (known, next) = rates.split_at_mut(i + 1);
            combine(end, y, known, weights, h);
            self.rate((end, sliding), from + part * h, dynamics, &mut next[0])?;
        }
        let off = |of: fn(&Rate) -> &Vec<f64>, i: usize| {
            let terms = rates.iter().zip(WITHIN).map(|(rate, weight)| weight * of(rate)[i]);
            (h * terms.sum::<f64>()).abs()
        };
        let each = |i| off(|rate| &rate.q, i).max(off(|rate| &rate.w, i));
        let most = (0..y.q.len()).map(each);
        // a NaN must not be hidden by max
        Some(most.fold(0.0_f64, |m, x| if x.is_nan() { f64::INFINITY } else { m.max(x) }))
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
                cubic(x, [y, end], [&rates[0], &rates[6]], (c, h));
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
