//! A point and a flat convex face (thesis 3.2, 3.3, 3.6.1).

use stickslip_geometry::Vec3;

/// Where a point lies relative to a face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Above {
    /// Signed height above the plane ψ \[m\].
    pub psi: f64,
    /// Distance of its projection from the face's outline, zero over the face \[m\].
    pub beside: f64,
}

/// The place of `v` relative to the face with corners `corner(0..n)` (counter-clockwise seen from
/// outside) and unit normal `n`; `None` if farther than `reach` \[m\] from every point of it.
pub(crate) fn above(
    v: Vec3,
    normal: Vec3,
    count: usize,
    corner: impl Fn(usize) -> Vec3,
    reach: f64,
) -> Option<Above> {
    let psi = normal.dot(v - corner(0));
    if psi.abs() > reach {
        return None;
    }
    let mut outside = false;
    let mut tail = corner(count - 1);
    for k in 0..count {
        let head = corner(k);
        let out = (head - tail).cross(normal);
        let side = out.dot(v - tail);
        if side > 0.0 {
            if side * side > reach * reach * out.length_squared() {
                return None;
            }
            outside = true;
        }
        tail = head;
    }
    if !outside {
        return Some(Above { psi, beside: 0.0 });
    }
    let mut nearest = f64::INFINITY;
    let mut tail = corner(count - 1);
    for k in 0..count {
        let head = corner(k);
        nearest = nearest.min(point_segment(tail, head, v).distance_squared(v));
        tail = head;
    }
    let beside = (nearest - psi * psi).max(0.0).sqrt();
    (nearest <= reach * reach).then_some(Above { psi, beside })
}

/// Algorithm 3 with its errata: the point of the segment from `a` to `b` nearest to `c`.
pub(crate) fn point_segment(a: Vec3, b: Vec3, c: Vec3) -> Vec3 {
    let e = b - a;
    let ee = e.length_squared();
    let t = if ee > 0.0 { (c - a).dot(e) / ee } else { 0.0 };
    // The ends exactly, so that callers can tell corners from sides.
    if t <= 0.0 {
        a
    } else if t >= 1.0 {
        b
    } else {
        a + e * t
    }
}

/// Equations (3.3) and (3.4): the least extent by which an edge at `v` leads away from a face
/// with that unit normal; `neighbors` are the other ends of those edges.
pub(crate) fn applicability(v: Vec3, normal: Vec3, neighbors: impl Iterator<Item = Vec3>) -> f64 {
    neighbors.fold(1.0, |least, w| {
        let d = w - v;
        let length = d.length();
        if length > 0.0 { least.min(normal.dot(d) / length) } else { least }
    })
}
