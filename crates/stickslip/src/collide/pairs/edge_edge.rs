//! Two edges: normal, sign, gap and closest points (thesis 3.2, 3.4, 3.6.2).

use stickslip_geometry::Vec3;

use crate::collide::settings::Rules;

/// An edge in the world frame with the normals of its two faces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// Tail \[m\].
    pub tail: Vec3,
    /// Head minus tail \[m\].
    pub along: Vec3,
    /// Unit outward normals of the face to the left and of the one to the right.
    pub normals: [Vec3; 2],
}

/// What two edges have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgePair {
    /// Unit normal from the first to the second.
    pub normal: Vec3,
    /// Gap along it \[m\].
    pub gap: f64,
    /// The closest points of the two lines \[m\].
    pub points: [Vec3; 2],
    /// Equation (3.5), for the sign of the normal that the orientation (3.6) gives.
    pub applicability: f64,
}

/// The unit normal `± e_a x e_b` from A to B; `None` where the edges are (nearly) parallel or
/// neither body is in front of the other.
///
/// Equation (3.6) takes the sign from the orientation of B's edge alone, which is the sign of
/// `-n · (η_b1 + η_b2)`. Here A's edge has the same say, so that exchanging the bodies flips the
/// normal and changes nothing else; for applicable edges both agree.
pub(crate) fn signed_normal(a: &Segment, b: &Segment, rules: &Rules) -> Option<Vec3> {
    let n = a.along.cross(b.along);
    let squares = a.along.length_squared() * b.along.length_squared();
    if n.length_squared() <= rules.parallel * rules.parallel * squares {
        return None;
    }
    let n = n.normalize();
    let outward = |e: &Segment| (e.normals[0] + e.normals[1]).normalize_or_zero();
    let sign = n.dot(outward(a) - outward(b));
    if sign.abs() <= rules.ambiguous {
        return None;
    }
    Some(if sign > 0.0 { n } else { -n })
}

/// Equation (3.5): the least extent by which a face beside either edge falls away from the other
/// body, for the normal `n` from A to B. With the sign of `n` known only one of the two branches
/// of the printed maximum is meant.
pub(crate) fn applicability(a: &Segment, b: &Segment, n: Vec3) -> f64 {
    let falls = |e: &Segment, n: Vec3| {
        // t_1 = η_1 x e and t_2 = e x η_2 run along the faces, away from the edge.
        let e_unit = e.along.normalize_or_zero();
        let (t1, t2) = (e.normals[0].cross(e_unit), e_unit.cross(e.normals[1]));
        n.dot(t1).min(n.dot(t2))
    };
    falls(a, -n).min(falls(b, n))
}

/// Whether the normal cones of two edges may cross, so that [`applicability`] may not be
/// negative: the normals of each edge's faces lie on either side of the other edge's plane.
pub(crate) fn may_face(a: &Segment, b: &Segment) -> bool {
    let sides = |e: &Segment, d: Vec3| e.normals[0].dot(d) * e.normals[1].dot(d);
    sides(a, b.along) <= 0.0 && sides(b, a.along) <= 0.0
}

/// The pair, where the edges are within `reach` \[m\] and the closest points of their lines lie on
/// the edges or beyond an end by at most `reach`.
pub(crate) fn edge_edge(a: &Segment, b: &Segment, reach: f64, rules: &Rules) -> Option<EdgePair> {
    let (s, t) = closest_on_lines(a, b)?;
    let square = reach * reach;
    let beyond = |s: f64, e: &Segment| {
        let over = (-s).max(s - 1.0).max(0.0);
        over * over * e.along.length_squared()
    };
    if beyond(s, a) > square || beyond(t, b) > square {
        return None;
    }
    let points = [a.tail + a.along * s, b.tail + b.along * t];
    if points[0].distance_squared(points[1]) > square {
        return None;
    }
    let inside = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
    if !inside && distance_squared(a, b) > square {
        return None;
    }
    let normal = signed_normal(a, b, rules)?;
    let gap = normal.dot(points[1] - points[0]);
    Some(EdgePair { normal, gap, points, applicability: applicability(a, b, normal) })
}

/// Parameters of the closest points of two lines; `None` if parallel to round-off.
pub(crate) fn closest_on_lines(a: &Segment, b: &Segment) -> Option<(f64, f64)> {
    let (d1, d2, r) = (a.along, b.along, a.tail - b.tail);
    let (aa, ee, bb) = (d1.length_squared(), d2.length_squared(), d1.dot(d2));
    let (c, f) = (d1.dot(r), d2.dot(r));
    let det = aa * ee - bb * bb;
    if det <= 1e-14 * aa * ee {
        return None;
    }
    Some(((bb * f - c * ee) / det, (aa * f - bb * c) / det))
}

/// Squared distance of two segments \[m²\] (algorithm 7 with its errata).
pub(crate) fn distance_squared(a: &Segment, b: &Segment) -> f64 {
    let [p, q] = closest_on_segments(a.tail, a.along, b.tail, b.along);
    p.distance_squared(q)
}

/// Closest points of the segments `p1 + [0, 1] d1` and `p2 + [0, 1] d2`; either may be a point.
pub(crate) fn closest_on_segments(p1: Vec3, d1: Vec3, p2: Vec3, d2: Vec3) -> [Vec3; 2] {
    let r = p1 - p2;
    let (a, e, f) = (d1.length_squared(), d2.length_squared(), d2.dot(r));
    let ratio = |x: f64, y: f64| if y > 0.0 { (x / y).clamp(0.0, 1.0) } else { 0.0 };
    let (b, c) = (d1.dot(d2), d1.dot(r));
    let det = a * e - b * b;
    let mut s = if det > 1e-14 * a * e { ((b * f - c * e) / det).clamp(0.0, 1.0) } else { 0.0 };
    let free = if e > 0.0 { (b * s + f) / e } else { 0.0 };
    let t = free.clamp(0.0, 1.0);
    if free != t || det <= 1e-14 * a * e {
        s = ratio(b * t - c, a);
    }
    [p1 + d1 * s, p2 + d2 * t]
}
