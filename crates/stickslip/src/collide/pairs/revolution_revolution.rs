//! Two smooth cylinders or cones: rims, apexes, ends and sides of one against the other's.

use stickslip_geometry::Vec3;

use super::{
    Found, least,
    nearest::{Nearest, bisect, least_inside, nearest},
    revolution::{OTHERS, Revolution, Rim, Spot, least_around},
    revolution_pairs::{Context, SURE},
};
use crate::collide::Feature;

/// A contact whose role waits until the depth of the pair is known.
struct Candidate {
    found: Found,
    /// How far it is beside the other's face or side \[m\].
    beside: f64,
}

/// Contacts of two smooth cylinders or cones.
pub(crate) fn contacts(pair: [&Revolution; 2], context: &mut Context) {
    let [a, b] = pair;
    let mut all = vec![];
    for (x, y, swapped) in [(a, b, false), (b, a, true)] {
        let start = all.len();
        spots_on_ends(x, y, &mut all);
        spots_on_side(x, y, &mut all);
        apex_on_sharp(x, y, swapped, &mut all);
        if swapped {
            all[start..].iter_mut().for_each(Candidate::swap);
        }
    }
    rims_on_rims(a, b, &mut all);
    sides(a, b, context.reach, &mut all);
    // Any direction bounds the separation from below; the best of the normals gives the depth.
    let along = |n: Vec3| {
        let top = n.dot(a.convex.support(&a.placed.pose, n));
        n.dot(b.convex.support(&b.placed.pose, -n)) - top
    };
    let separation = all.iter().map(|c| along(c.found.normal)).fold(f64::NEG_INFINITY, f64::max);
    if separation > context.reach {
        return;
    }
    let size = a.size().min(b.size());
    let rules = context.rules.at_depth((-separation).clamp(0.0, size));
    let reach = context.reach.max(rules.epsilon);
    let (mut any, mut sure) = (false, false);
    for Candidate { found, beside } in &mut all {
        let near = found.gap <= context.reach && found.gap >= -reach && *beside <= reach;
        if near && found.applicability >= rules.applicable {
            found.primary = rules.feasible(found.gap, *beside);
            any |= found.primary;
            sure |= found.primary && found.applicability >= -SURE && *beside == 0.0;
            context.sink.push(found);
        }
    }
    // Rims that cut into each other, or sides that meet close to an apex.
    if !sure {
        let seeds: Vec<Vec3> = all.iter().map(|c| c.found.normal).collect();
        let parts = [(a.convex, a.placed), (b.convex, b.placed)];
        if let Some(mut found) = least::contact(parts, &seeds, context.reach, any) {
            // Mostly it is the sides that meet, and were missed between two angles.
            found.features = [Feature::Smooth(OTHERS + 1); 2];
            context.sink.push(&found);
        }
    }
}

impl Candidate {
    fn new(spot: &Spot, feature: Feature, normal: Vec3, gap: f64, beside: f64) -> Self {
        let found = Found {
            features: [spot.feature, feature],
            points: [spot.point, spot.point + normal * gap],
            normal,
            gap,
            applicability: spot.applicability,
            primary: false,
        };
        Self { found, beside }
    }

    fn swap(&mut self) {
        self.found.features.swap(0, 1);
        self.found.points.swap(0, 1);
        self.found.normal = -self.found.normal;
    }
}

/// Points of `x` over the flat ends of `y`.
fn spots_on_ends(x: &Revolution, y: &Revolution, all: &mut Vec<Candidate>) {
    for (k, rim) in y.rims().enumerate() {
        for spot in x.spots(-rim.up) {
            let psi = rim.up.dot(spot.point - rim.center);
            let feature = Feature::Face(k as u32);
            all.push(Candidate::new(&spot, feature, -rim.up, psi, rim.beside(spot.point)));
        }
    }
}

/// Rims and apex of `x` over the side of `y`, prolonged beyond its ends.
fn spots_on_side(x: &Revolution, y: &Revolution, all: &mut Vec<Candidate>) {
    let mut push = |spot: &Spot| {
        let (psi, n, beside) = y.above_side(spot.point);
        all.push(Candidate::new(spot, Feature::Smooth(OTHERS), -n, psi, beside));
    };
    if let Some(tip) = x.apex(Vec3::Z)
        && let Some(spot) = x.apex(-y.above_side(tip.point).1)
    {
        push(&spot);
    }
    for rim in x.rims() {
        let slope = |angle: f64| y.above_side(rim.point(angle)).1.dot(rim.tangent(angle));
        for (k, angle) in least_around(slope).into_iter().enumerate() {
            push(&rim.spot(angle, -y.above_side(rim.point(angle)).1, k as u32));
        }
    }
}

/// What of a body is nearest: its rim of that number, its apex, or neither.
#[derive(Clone, Copy, PartialEq)]
enum Sharp {
    Rim(usize),
    Apex,
    None,
}

impl Sharp {
    fn of(y: &Revolution, near: &Nearest) -> Self {
        let height = |r: &Rim| r.up.dot(near.point - r.center).abs();
        let rim = y.rims().position(|r| height(&r) <= 1e-9 * y.size());
        let on_end = y.rims().any(|r| r.up.distance(near.normal) < 1e-9);
        match rim {
            _ if near.distance <= 0.0 || on_end || y.on_side(near.point) => Self::None,
            Some(k) => Self::Rim(k),
            None => Self::Apex,
        }
    }

    fn feature(self) -> Feature {
        match self {
            Self::Rim(k) => Feature::Smooth(OTHERS + 2 + k as u32),
            Self::Apex | Self::None => Feature::Smooth(OTHERS + 4),
        }
    }
}

/// Rims of `x` outside `y` whose nearest point is on a rim of `y`. Both must face each other, so
/// that either body finds the same pair.
fn rims_on_rims(x: &Revolution, y: &Revolution, all: &mut Vec<Candidate>) {
    let at = |p: Vec3| nearest(y.convex, y.placed, p, x.size());
    for (own, rim) in x.rims().enumerate() {
        let slope = |angle: f64| at(rim.point(angle)).normal.dot(rim.tangent(angle));
        for angle in least_around(slope) {
            let near = at(rim.point(angle));
            let Sharp::Rim(other) = Sharp::of(y, &near) else { continue };
            let still = near.normal.dot(rim.tangent(angle)).abs() < 1e-7;
            let spot = rim.spot(angle, -near.normal, 0);
            if still && spot.applicability >= 0.0 {
                let theirs = y.rims().nth(other).map_or(0.0, |r| {
                    r.applicability(r.outward(r.angle_of(near.point)), near.normal)
                });
                let applicability = spot.applicability.min(theirs);
                let spot = Spot { feature: Sharp::Rim(own).feature(), applicability, ..spot };
                let (normal, feature) = (-near.normal, Sharp::Rim(other).feature());
                all.push(Candidate::new(&spot, feature, normal, near.distance, 0.0));
            }
        }
    }
}

/// The apex of `x` outside `y` whose nearest point is on a rim or the apex of `y`; two apexes are
/// told in the first order only.
fn apex_on_sharp(x: &Revolution, y: &Revolution, again: bool, all: &mut Vec<Candidate>) {
    let Some(tip) = x.apex(Vec3::Z) else { return };
    let near = nearest(y.convex, y.placed, tip.point, x.size());
    let other = Sharp::of(y, &near);
    if let Some(spot) = x.apex(-near.normal)
        && spot.applicability >= 0.0
        && other != Sharp::None
        && !(again && other == Sharp::Apex)
    {
        let spot = Spot { feature: Sharp::Apex.feature(), ..spot };
        all.push(Candidate::new(&spot, other.feature(), -near.normal, near.distance, 0.0));
    }
}

/// Side against side: the straight line of A's side that is nearest to B at an inner point.
fn sides(a: &Revolution, b: &Revolution, reach: f64, all: &mut Vec<Candidate>) {
    let n = 16;
    let angle = |k: usize| (k as f64 + 0.37) * std::f64::consts::TAU / n as f64;
    let on = |angle: f64| a.side_line(angle);
    let at = |p: Vec3| nearest(b.convex, b.placed, p, a.size());
    // Lines up to one angle off the nearest are needed to bracket it.
    let limit = reach + std::f64::consts::TAU / n as f64 * a.size();
    let inner = |angle: f64| {
        let [p, q] = on(angle);
        least_inside([p, q], limit, at).map(|(s, near)| (p.lerp(q, s), near))
    };
    let slope = |angle: f64| inner(angle).map(|(_, near)| near.normal.dot(a.side_tangent(angle)));
    let slopes: Vec<Option<f64>> = (0..n).map(|k| slope(angle(k))).collect();
    for k in 0..n {
        let (Some(low), Some(high)) = (slopes[k], slopes[(k + 1) % n]) else { continue };
        if low >= 0.0 || high < 0.0 {
            continue;
        }
        let least = bisect(angle(k), angle(k + 1), |x| slope(x).unwrap_or(0.0));
        let Some((point, near)) = inner(least) else { continue };
        let [p, q] = on(least);
        let along = (q - p).normalize_or_zero();
        let stationary = near.normal.dot(a.side_tangent(least)).abs() < 1e-7
            && near.normal.dot(along).abs() < 1e-7;
        let outward = a.side_tangent(least).cross(along);
        let applicability = -near.normal.dot(outward);
        if stationary && applicability > 0.0 && b.on_side(near.point) {
            let spot = Spot { feature: Feature::Smooth(OTHERS + 1), point, applicability };
            let feature = Feature::Smooth(OTHERS + 1);
            all.push(Candidate::new(&spot, feature, -near.normal, near.distance, 0.0));
        }
    }
}
