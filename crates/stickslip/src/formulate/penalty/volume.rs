//! The volume that two convex parts share: its corners, the contact normal and the depths.
//!
//! ```text
//! n = argmin over facets i of  max_j | n_i · p_j - d_i |          Drumwright 2007, eq. 4
//! ```
//!
//! The points of one part that lie in the other are the ends of its edges clipped by the other's
//! facets: corners inside, and places where an edge passes through a facet. The latter stand in
//! for the extra points that the paper gets by dividing large triangles. Each part's points are
//! measured against the facets of the other.

use stickslip_geometry::{Convex, Dimension, Pose, Vec3, overlap};

use super::solid::{Facets, Placed, Prisms};

/// A point of the shared volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumePoint {
    /// Which corner or edge of which part, for as long as the two touch.
    pub id: u64,
    /// Where, world frame \[m\].
    pub at: Vec3,
    /// Distance to the contact plane \[m\].
    pub depth: f64,
}

/// How two parts overlap.
#[derive(Clone, Debug, PartialEq)]
pub struct Volume {
    /// Contact normal, unit, from A to B.
    pub normal: Vec3,
    /// Its points.
    pub points: Vec<VolumePoint>,
}

/// Distances below this fraction of the volume's extent are round-off.
pub(super) const ROUND: f64 = 1e-9;

/// Points less deep than this fraction of the deepest lie on the contact plane.
pub(super) const SURFACE: f64 = 1e-6;

/// The shared volume of two parts, if they overlap.
pub(super) fn shared(
    dimension: Dimension,
    prisms: &mut Prisms,
    a: &Placed,
    b: &Placed,
) -> Option<Volume> {
    match (prisms.facets(dimension, a), prisms.facets(dimension, b)) {
        (Some(x), Some(y)) => between_facets(&x, &y),
        _ => round(dimension, a, b),
    }
}

/// Corners of the volume that two bodies with facets share, and its normal.
pub(super) fn between_facets(a: &Facets, b: &Facets) -> Option<Volume> {
    let [of_a, of_b] = corners(a, b);
    // The facet of either body with the least of the largest depths below it.
    let least = |points: &[(u64, Vec3)], facets: &Facets| -> Option<(f64, Vec3, f64)> {
        let mut best: Option<(f64, Vec3, f64)> = None;
        for &(n, offset) in facets.planes.iter().filter(|_| !points.is_empty()) {
            let depth = |p: &(u64, Vec3)| offset - n.dot(p.1);
            let most = points.iter().map(depth).fold(0.0, f64::max);
            if best.is_none_or(|(d, ..)| most < d) {
                best = Some((most, n, offset));
            }
        }
        best
    };
    let (under_b, under_a) = (least(&of_a, b), least(&of_b, a));
    let (normal, plane, offset) = match (under_b, under_a) {
        (Some(x), Some(y)) if y.0 < x.0 => (y.1, y.1, y.2),
        (Some(x), _) => (-x.1, x.1, x.2),
        (None, Some(y)) => (y.1, y.1, y.2),
        (None, None) => return None,
    };
    let points: Vec<VolumePoint> = of_a
        .into_iter()
        .chain(of_b)
        .map(|(id, at)| VolumePoint { id, at, depth: (offset - plane.dot(at)).max(0.0) })
        .collect();
    // Points on the contact plane are where the bodies part: nothing is to be pushed out there.
    let deepest = points.iter().map(|p| p.depth).fold(0.0, f64::max);
    let points: Vec<_> = points.into_iter().filter(|p| p.depth > SURFACE * deepest).collect();
    (!points.is_empty()).then_some(Volume { normal, points })
}

/// All corners of the shared volume: those on the edges of A, and those on the edges of B.
pub(super) fn corners(a: &Facets, b: &Facets) -> [Vec<(u64, Vec3)>; 2] {
    [clipped(a, b, 0), clipped(b, a, 1 << 40)]
}

/// The ends of A's edges inside B. Corners come once.
fn clipped(a: &Facets, b: &Facets, first: u64) -> Vec<(u64, Vec3)> {
    let mut corner = vec![false; a.vertices.len()];
    let mut out = Vec::new();
    for (k, &[i, j]) in a.edges.iter().enumerate() {
        let (p, q) = (a.vertices[i as usize], a.vertices[j as usize]);
        let Some((s, t)) = inside(p, q, &b.planes) else { continue };
        for (end, vertex) in [(s, (s == 0.0).then_some(i)), (t, (t == 1.0).then_some(j))] {
            match vertex {
                Some(v) if std::mem::replace(&mut corner[v as usize], true) => {}
                Some(v) => out.push((first + u64::from(v), a.vertices[v as usize])),
                None => {
                    let side = u64::from(end == t && s != t);
                    out.push((first + (1 << 32) + 2 * k as u64 + side, p + (q - p) * end));
                }
            }
        }
    }
    out
}

/// The part of the segment from p to q that lies behind all planes, as parameters from 0 to 1.
pub(super) fn inside(p: Vec3, q: Vec3, planes: &[(Vec3, f64)]) -> Option<(f64, f64)> {
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for &(n, offset) in planes {
        let (x, y) = (n.dot(p) - offset, n.dot(q) - offset);
        match (x > 0.0, y > 0.0) {
            (true, true) => return None,
            (true, false) => from = from.max(x / (x - y)),
            (false, true) => to = to.min(x / (x - y)),
            (false, false) => {}
        }
    }
    (from <= to).then_some((from, to))
}

/// Overlap with a ball or a capsule: its deepest point, for a capsule those of both ends too.
fn round(dimension: Dimension, a: &Placed, b: &Placed) -> Option<Volume> {
    let whole = overlap::separation(dimension, a.convex, &a.pose, b.convex, &b.pose);
    if whole.depth <= 0.0 {
        return None;
    }
    let normal = whole.direction;
    // The surface of the rounder of the two is where the point lies.
    let (ball, sign) = match a.convex {
        Convex::Ball { .. } | Convex::Capsule { .. } => (a, 1.0),
        _ => (b, -1.0),
    };
    let mut points = Vec::new();
    for (id, (center, radius)) in centers(ball).into_iter().enumerate() {
        let at = center + normal * (sign * radius);
        let other = if sign > 0.0 { b } else { a };
        let depth = depth_below(dimension, other, normal * sign, at);
        if depth > 0.0 {
            points.push(VolumePoint { id: id as u64, at, depth });
        }
    }
    if points.is_empty() {
        let at = ball.convex.support(&ball.pose, normal * sign);
        points.push(VolumePoint { id: 0, at, depth: whole.depth });
    }
    Some(Volume { normal, points })
}

/// Centres and radius of the balls that a round part consists of at its ends.
fn centers(part: &Placed) -> Vec<(Vec3, f64)> {
    match part.convex {
        Convex::Ball { radius } => vec![(part.pose.position, *radius)],
        Convex::Capsule { half, radius } => {
            let end = |z: f64| (part.pose.point(Vec3::Z * z), *radius);
            vec![end(-half), end(*half)]
        }
        _ => Vec::new(),
    }
}

/// How far the point lies behind the surface of the part along the normal, measured by the ball of
/// radius zero there; zero when it is outside.
fn depth_below(dimension: Dimension, part: &Placed, towards: Vec3, at: Vec3) -> f64 {
    // A plane through the part's farthest point against the direction.
    let surface = match part.convex {
        Convex::HalfSpace => part.pose.position.dot(towards),
        _ => part.convex.support(&part.pose, -towards).dot(towards),
    };
    let point = Pose::new(at, stickslip_geometry::Quat::IDENTITY);
    let dot = Convex::Ball { radius: 0.0 };
    let inside = overlap::depth(dimension, &dot, &point, part.convex, &part.pose) > 0.0;
    if inside { (at.dot(towards) - surface).max(0.0) } else { 0.0 }
}
