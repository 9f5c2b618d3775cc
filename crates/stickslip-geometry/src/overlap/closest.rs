//! Closest points of points, segments and flat polygons.

use crate::Vec3;

/// The point of segment `ab` closest to `p`.
pub(super) fn on_segment(p: Vec3, [a, b]: [Vec3; 2]) -> Vec3 {
    let along = b - a;
    let square = along.length_squared();
    if square == 0.0 {
        return a;
    }
    let t = (p - a).dot(along) / square;
    if t >= 1.0 { b } else { a + along * t.max(0.0) }
}

/// Shortest vector from segment `p` to segment `q`.
///
/// The minimum of the quadratic over the square of parameters lies inside, where the gradient
/// vanishes, or on a side, where one point is an end.
pub(super) fn between_segments(p: [Vec3; 2], q: [Vec3; 2]) -> Vec3 {
    let mut best = on_segment(p[0], q) - p[0];
    let mut take = |v: Vec3| {
        if v.length_squared() < best.length_squared() {
            best = v;
        }
    };
    take(on_segment(p[1], q) - p[1]);
    take(q[0] - on_segment(q[0], p));
    take(q[1] - on_segment(q[1], p));
    let (u, v, w) = (p[1] - p[0], q[1] - q[0], q[0] - p[0]);
    let n = u.cross(v);
    let square = n.length_squared();
    if square > 0.0 {
        // w + t v - s u is parallel to n.
        let s = w.cross(v).dot(n) / square;
        let t = w.cross(u).dot(n) / square;
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            take(n * (w.dot(n) / square));
        }
    }
    best
}

/// The point of a flat convex polygon closest to `p`; corners counter-clockwise about `normal`.
pub(crate) fn on_polygon(p: Vec3, corners: &[Vec3], normal: Vec3) -> Vec3 {
    let count = corners.len();
    let edge = |k: usize| [corners[k], corners[(k + 1) % count]];
    let outside = |k: usize| {
        let [a, b] = edge(k);
        normal.dot((b - a).cross(p - a)) < 0.0
    };
    if (0..count).any(outside) {
        let nearer = |best: Vec3, k: usize| {
            let q = on_segment(p, edge(k));
            if q.distance_squared(p) < best.distance_squared(p) { q } else { best }
        };
        (0..count).fold(corners[0], nearer)
    } else {
        p - normal * normal.dot(p - corners[0])
    }
}
