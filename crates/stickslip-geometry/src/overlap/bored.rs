//! Depth in a piece with a round hole, by the convex pieces that it is the union of (see
//! [`crate::bored`]).
//!
//! Near the hole the piece for the direction `n(θ)` is the wedge `n·x ≥ r, |z| ≤ half`, which reaches
//! along `d = z sin φ - n cos φ` as far as `half |sin φ| - r cos φ`. A convex body that does not leave
//! through the hull is clear of the hole's wall where it is clear of all wedges:
//!
//! ```text
//! gap = max( gap to the hull,  min over θ of max over φ of  min_B d·x + r cos φ - half |sin φ| )
//! ```

use std::f64::consts::{FRAC_PI_2, TAU};

use crate::{Convex, Dimension, Vec3, bored::Bored};

use super::{Gap, Placed, gap};

/// Directions across the axis that are tried, and places between the neighbors of the best.
const AROUND: usize = 48;
const FINER: usize = 12;
/// Halvings and golden sections that leave round-off only.
const HALVINGS: usize = 44;
const SECTIONS: usize = 40;

/// The widest gap between a bored piece and another part, the normal from the former.
pub(super) fn from_bored(
    dimension: Dimension,
    (bored, a): (&Bored, Placed),
    b: Placed,
    until_apart: bool,
) -> Gap {
    // Of two bored pieces the smaller one counts as full.
    let other = match b.convex {
        Convex::Bored(other) => &other.hull,
        other => other,
    };
    let b = Placed { convex: other, pose: b.pose };
    let hull = gap(dimension, Placed { convex: &bored.hull, pose: a.pose }, b, until_apart);
    if !other.is_bounded() || (until_apart && hull.gap >= 0.0) {
        return hull;
    }
    let wall = Wall { bored, a, b }.gap();
    if wall.gap > hull.gap { wall } else { hull }
}

/// The smaller of two bored pieces counts as full.
pub(super) fn is_smaller(a: &Bored, b: &Bored) -> bool {
    let radius = |x: &Bored| x.hull.bounding_radius(Vec3::ZERO);
    radius(a) < radius(b)
}

struct Wall<'a> {
    bored: &'a Bored,
    a: Placed<'a>,
    b: Placed<'a>,
}

impl Wall<'_> {
    /// The gap to the wedge at an angle along the direction tilted by `phi`, and how it changes with that.
    fn along(&self, theta: f64, phi: f64, end: f64) -> (Gap, f64) {
        let (sin, cos) = theta.sin_cos();
        let (up, across) = phi.sin_cos();
        let normal = self.a.pose.vector(Vec3::new(-cos * across, -sin * across, up));
        let across_it = self.a.pose.vector(Vec3::new(cos * up, sin * up, across));
        let edge = Vec3::new(cos, sin, 0.0) * self.bored.radius + Vec3::Z * end;
        let low = self.b.convex.support(&self.b.pose, -normal) - self.a.pose.position;
        let way = low - self.a.pose.vector(edge);
        (Gap { gap: normal.dot(way), normal }, across_it.dot(way))
    }

    /// The widest gap to the wedge at an angle. Above (below) the middle it is that to the upper (lower)
    /// edge, and where there is one, it lies where the support point of any direction says: within a
    /// right angle, who is behind the edge along one direction is in front along those that he turns to.
    fn to_wedge(&self, theta: f64) -> Gap {
        let half = self.bored.half;
        let of = |(mut low, mut high, end): (f64, f64, f64)| {
            let mut best = self.along(theta, low, end).0;
            let mut take = |found: Gap| {
                if found.gap > best.gap {
                    best = found;
                }
            };
            take(self.along(theta, high, end).0);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                let (found, slope) = self.along(theta, middle, end);
                take(found);
                if slope > 0.0 { low = middle } else { high = middle }
            }
            best
        };
        let [up, down] = [(0.0, FRAC_PI_2, half), (-FRAC_PI_2, 0.0, -half)].map(of);
        if up.gap > down.gap { up } else { down }
    }

    fn gap(&self) -> Gap {
        let step = TAU / AROUND as f64;
        let mut least = Gap { gap: f64::INFINITY, normal: Vec3::X };
        let value = |theta: f64| self.to_wedge(theta).gap;
        for center in minima(0.0, (AROUND, step), true, value) {
            let fine = 2.0 * step / FINER as f64;
            for place in minima(center - step, (FINER + 1, fine), false, value) {
                for at in [place, golden(place - fine, place + fine, value)] {
                    let found = self.to_wedge(at);
                    if found.gap < least.gap {
                        least = found;
                    }
                }
            }
        }
        least
    }
}

/// Of so many places, so far from each other, those where a function is no larger than beside them.
fn minima(
    first: f64,
    (count, step): (usize, f64),
    around: bool,
    value: impl Fn(f64) -> f64,
) -> Vec<f64> {
    let place = |k: usize| first + step * k as f64;
    let all: Vec<f64> = (0..count).map(|k| value(place(k))).collect();
    let at = |k: usize| match (around, k) {
        (true, k) => all[k % count],
        // Beyond the ends nothing is known.
        (false, k) => all.get(k).copied().unwrap_or(f64::INFINITY),
    };
    let before =
        |k: usize| if k > 0 || around { at((k + count - 1) % count) } else { f64::INFINITY };
    let is_least = |&k: &usize| all[k] <= before(k) && all[k] <= at(k + 1);
    (0..count).filter(is_least).map(place).collect()
}

/// Where a function of one minimum between two places has it.
fn golden(mut low: f64, mut high: f64, value: impl Fn(f64) -> f64) -> f64 {
    let ratio = 0.5 * (5_f64.sqrt() - 1.0);
    let place = |low: f64, high: f64| [high - ratio * (high - low), low + ratio * (high - low)];
    let mut at = place(low, high);
    let mut found = at.map(&value);
    for _ in 0..SECTIONS {
        if found[0] < found[1] {
            high = at[1];
            at = [place(low, high)[0], at[0]];
            found = [value(at[0]), found[0]];
        } else {
            low = at[0];
            at = [at[1], place(low, high)[1]];
            found = [found[1], value(at[1])];
        }
    }
    0.5 * (low + high)
}
