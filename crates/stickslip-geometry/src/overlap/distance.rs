//! Distance of two cores that are apart, by their closest features.

use crate::Vec3;

use super::{Gap, closest, core::Core};

/// Shortest vector from `a` to `b`: over all corners against sides and all pairs of ridges.
pub(super) fn between(a: &Core, b: &Core) -> Vec3 {
    let mut best = b.points[0] - a.points[0];
    let mut take = |v: Vec3| {
        if v.length_squared() < best.length_squared() {
            best = v;
        }
    };
    for r in &a.ridges {
        for s in &b.ridges {
            take(closest::between_segments(a.ends(r), b.ends(s)));
        }
    }
    if b.ridges.is_empty() {
        for r in &a.ridges {
            take(b.points[0] - closest::on_segment(b.points[0], a.ends(r)));
        }
    }
    if a.ridges.is_empty() {
        for r in &b.ridges {
            take(closest::on_segment(a.points[0], b.ends(r)) - a.points[0]);
        }
    }
    to_sides(a, b, &mut |v| take(v));
    to_sides(b, a, &mut |v| take(-v));
    best
}

/// Vectors from the corners of `a` to the sides of `b` that they see.
fn to_sides(a: &Core, b: &Core, take: &mut dyn FnMut(Vec3)) {
    for side in b.sides.iter().filter(|s| !s.corners.is_empty()) {
        let corners = b.corners(side);
        for &p in a.points.iter().filter(|p| side.normal.dot(**p) >= side.offset) {
            take(closest::on_polygon(p, &corners, side.normal) - p);
        }
    }
}

/// The gap along the shortest vector; `seen` stands in where the two touch.
pub(super) fn gap(a: &Core, b: &Core, seen: Vec3) -> Gap {
    let v = between(a, b);
    let length = v.length();
    Gap { gap: length, normal: if length > 0.0 { v / length } else { seen } }
}
