//! How far a convex part is from the wall of a hole: the hole is the union of wedges `n(θ)·x ≥ r, |z| ≤ half`,
//! one for each direction across the axis.
//!
//! ```text
//! gap = min over θ of max over φ of  min_B d·x + r cos φ - half |sin φ|,   d = z sin φ - n(θ) cos φ
//! ```

use std::f64::consts::{FRAC_PI_2, TAU};

use stickslip_geometry::{Bored, Convex, Pose, Vec3};

/// Directions across the axis that are tried, and between the neighbors of those that are least among them.
const AROUND: usize = 48;
const FINER: usize = 12;
/// Golden sections that refine the best, and halvings of a right angle.
const SECTIONS: usize = 20;
const HALVINGS: usize = 34;

/// Of two parts the one whose hole counts, and the other: of two with a hole the smaller one counts as full.
pub(crate) fn outer(parts: [&Convex; 2]) -> Option<(usize, &Bored)> {
    let width = |convex: &Convex| convex.bounding_radius(Vec3::ZERO);
    match parts {
        [Convex::Bored(x), Convex::Bored(_)] if width(parts[0]) >= width(parts[1]) => Some((0, x)),
        [_, Convex::Bored(y)] => Some((1, y)),
        [Convex::Bored(x), _] => Some((0, x)),
        _ => None,
    }
}

/// A hole at its place, and a bounded convex part at its own.
pub(crate) struct Wedges<'a> {
    pub bored: &'a Bored,
    pub pose: &'a Pose,
    pub other: (&'a Convex, &'a Pose),
}

impl Wedges<'_> {
    /// The widest separation from the wedge at an angle, and its direction: from its upper edge along the
    /// directions that lean up, from its lower edge along the others. The support point of a direction
    /// says to which side a wider one lies.
    pub fn to_wedge(&self, theta: f64) -> (Vec3, f64) {
        let Self { bored, pose, other } = self;
        let (sin, cos) = theta.sin_cos();
        let out = pose.vector(Vec3::new(cos, sin, 0.0));
        let axis = pose.vector(Vec3::Z);
        let mut best = (axis, f64::NEG_INFINITY);
        for side in [1.0, -1.0] {
            let edge = pose.position + out * bored.radius + axis * (side * bored.half);
            let mut slope = |phi: f64| {
                let (up, across) = phi.sin_cos();
                let normal = axis * (side * up) - out * across;
                let way = other.0.support(other.1, -normal) - edge;
                if normal.dot(way) > best.1 {
                    best = (normal, normal.dot(way));
                }
                (axis * (side * across) + out * up).dot(way)
            };
            let (mut low, mut high) = (0.0, FRAC_PI_2);
            slope(low);
            slope(high);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                if slope(middle) > 0.0 { low = middle } else { high = middle }
            }
        }
        best
    }

    /// The nearest wedge: its normal, its separation \[m\] and its angle.
    pub fn nearest(&self) -> (Vec3, f64, f64) {
        let value = |theta: f64| self.to_wedge(theta).1;
        let around = TAU / AROUND as f64;
        let tried: [f64; AROUND] = std::array::from_fn(|k| value(around * k as f64));
        let is_least = |k: &usize| {
            tried[*k] <= tried[(k + 1) % AROUND] && tried[*k] <= tried[(k + AROUND - 1) % AROUND]
        };
        let mut best = (f64::INFINITY, 0.0);
        for k in (0..AROUND).filter(is_least) {
            // Corners make kinks, so that there may be several between two directions.
            let fine = 2.0 * around / FINER as f64;
            let place = |i: usize| around * (k as f64 - 1.0) + fine * (i as f64 + 0.5);
            let least = (0..FINER).map(|i| (value(place(i)), place(i))).reduce(smaller);
            let (_, angle) = least.unwrap_or((tried[k], around * k as f64));
            let refined = golden(angle - fine, angle + fine, value);
            best = [(tried[k], around * k as f64), refined].into_iter().fold(best, smaller);
        }
        let (normal, gap) = self.to_wedge(best.1);
        (normal, gap, best.1)
    }
}

fn smaller(x: (f64, f64), y: (f64, f64)) -> (f64, f64) {
    if y.0 < x.0 { y } else { x }
}

/// The least that a function of one minimum between two places has, and where.
fn golden(mut low: f64, mut high: f64, value: impl Fn(f64) -> f64) -> (f64, f64) {
    let ratio = 0.5 * (5_f64.sqrt() - 1.0);
    let at = |x: f64| (value(x), x);
    let mut inner = [at(high - ratio * (high - low)), at(low + ratio * (high - low))];
    for _ in 0..SECTIONS {
        if inner[0].0 < inner[1].0 {
            high = inner[1].1;
            inner = [at(high - ratio * (high - low)), inner[0]];
        } else {
            low = inner[0].1;
            inner = [inner[1], at(low + ratio * (high - low))];
        }
    }
    smaller(inner[0], inner[1])
}
