//! Volume shared by two convex parts (area in 2D).
//!
//! The boundary of an intersection of polytopes consists of the faces of each, clipped by the
//! planes of the other. With any reference point `r` the divergence theorem gives
//! `V = 1/3 Σ (offset - n·r) area`.

use crate::{Bored, Convex, Dimension, Pose, Vec3, clip};

use super::{
    Placed, bored,
    core::{Core, Side},
    disc, gap, slices,
};

/// Volume shared by two placed convex parts \[m³\]; in 2D the area \[m²\].
///
/// A part of the other dimension (a polygon in space, a polytope in the plane) shares nothing.
pub fn intersection_volume(
    dimension: Dimension,
    a: &Convex,
    pose_a: &Pose,
    b: &Convex,
    pose_b: &Pose,
) -> f64 {
    let (a, b) = (Placed { convex: a, pose: *pose_a }, Placed { convex: b, pose: *pose_b });
    if gap(dimension, a, b, true).gap >= 0.0 { 0.0 } else { shared(dimension, a, b) }
}

/// The same for parts known to overlap.
pub(super) fn shared(dimension: Dimension, a: Placed, b: Placed) -> f64 {
    match (a.convex, b.convex) {
        (Convex::Bored(x), Convex::Bored(y)) if bored::is_smaller(x, y) => {
            return less_hole(dimension, y, b, Placed { convex: &x.hull, ..a });
        }
        (Convex::Bored(x), _) => return less_hole(dimension, x, a, b),
        (_, Convex::Bored(y)) => return less_hole(dimension, y, b, a),
        _ => {}
    }
    match dimension {
        Dimension::Two => in_plane(a, b),
        Dimension::Three => in_space(a, b),
    }
}

/// What a part shares with the hull of a bored piece, less what it shares with the hole.
fn less_hole(dimension: Dimension, bored: &Bored, at: Placed, other: Placed) -> f64 {
    let other = match other.convex {
        Convex::Bored(b) => Placed { convex: &b.hull, ..other },
        _ => other,
    };
    let hole = bored.hole();
    let of = |convex| intersection_volume(dimension, convex, &at.pose, other.convex, &other.pose);
    (of(&bored.hull) - of(&hole)).max(0.0)
}

fn in_plane(a: Placed, b: Placed) -> f64 {
    use Convex::{Ball, HalfSpace, Polygon};
    match (a.convex, b.convex) {
        (Polygon(_), Polygon(_)) => {
            let origin = a.pose.position;
            let (a, b) = (Core::new(a, origin), Core::new(b, origin));
            let inside = |corners, s: &Side| clip::behind(corners, s.normal, s.offset, 0.0);
            area(&b.sides.iter().fold(a.points, inside), Vec3::Z)
        }
        (Polygon(_), Ball { radius }) => {
            disc::with_polygon(*radius, &Core::new(a, b.pose.position).points)
        }
        (Polygon(_), HalfSpace) => {
            let normal = b.pose.vector(Vec3::Y);
            let corners = Core::new(a, b.pose.position).points;
            area(&clip::behind(corners, normal, 0.0, 0.0), Vec3::Z)
        }
        (Ball { radius: r }, Ball { radius: s }) => {
            disc::lens(*r, *s, a.pose.position.distance(b.pose.position))
        }
        (Ball { radius }, HalfSpace) => {
            let above = b.pose.vector(Vec3::Y).dot(a.pose.position - b.pose.position);
            disc::segment(*radius, radius - above)
        }
        (HalfSpace, HalfSpace) => f64::INFINITY,
        (HalfSpace, _) | (Ball { .. }, Polygon(_)) => in_plane(b, a),
        _ => 0.0,
    }
}

fn in_space(a: Placed, b: Placed) -> f64 {
    use Convex::{Ball, HalfSpace, Polygon, Polytope};
    match (a.convex, b.convex) {
        (Polygon(_), _) | (_, Polygon(_)) => 0.0,
        (Polytope(_), Polytope(_)) => of_polytopes(a, b),
        (Polytope(_), HalfSpace) => below_plane(a, b),
        (Ball { radius: r }, Ball { radius: s }) => {
            disc::ball_lens(*r, *s, a.pose.position.distance(b.pose.position))
        }
        (Ball { radius }, HalfSpace) => {
            let above = b.pose.vector(Vec3::Z).dot(a.pose.position - b.pose.position);
            disc::cap(*radius, radius - above)
        }
        (HalfSpace, HalfSpace) => f64::INFINITY,
        (HalfSpace | Polytope(_) | Ball { .. }, _) if !plain(b.convex) => in_space(b, a),
        (HalfSpace, _) | (Polytope(_), Ball { .. }) => in_space(b, a),
        (_, Polytope(p)) => {
            let frame = own_frame(a, b);
            let local = inverse(&frame).compose(&b.pose);
            slices::with_polytope(a.convex, &p.placed(&local))
        }
        (_, Ball { radius }) => {
            slices::with_ball(a.convex, a.pose.inverse_point(b.pose.position), *radius)
        }
        (_, HalfSpace) => {
            let normal = a.pose.inverse_vector(b.pose.vector(Vec3::Z));
            let offset = normal.dot(a.pose.inverse_point(b.pose.position));
            slices::with_half_space(a.convex, normal, offset)
        }
        _ => slices::with_revolved(a.convex, b.convex, &inverse(&a.pose).compose(&b.pose)),
    }
}

/// Whether it is not one of capsule, cylinder and cone.
fn plain(convex: &Convex) -> bool {
    matches!(
        convex,
        Convex::Polytope(_) | Convex::Polygon(_) | Convex::Ball { .. } | Convex::HalfSpace
    )
}

/// The frame whose z is the axis of revolution; for a ball the direction of contact, across
/// which its overlap is thin.
fn own_frame(a: Placed, b: Placed) -> Pose {
    match a.convex {
        Convex::Ball { .. } => {
            slices::frame(a.pose.position, gap(Dimension::Three, a, b, false).normal)
        }
        _ => a.pose,
    }
}

/// The pose that undoes `pose`.
pub(super) fn inverse(pose: &Pose) -> Pose {
    let orientation = pose.orientation.conjugate();
    Pose::new(orientation * -pose.position, orientation)
}

/// Area of a flat polygon with that normal.
fn area(corners: &[Vec3], normal: Vec3) -> f64 {
    let fan = (2..corners.len())
        .map(|k| (corners[k - 1] - corners[0]).cross(corners[k] - corners[0]).dot(normal));
    (0.5 * fan.sum::<f64>()).max(0.0)
}

/// Clipped faces of `a`, each with its side. A face that lies in a face of `b` and has the same
/// normal belongs to the intersection once: to `a` if `keep_shared`.
fn faces_inside<'a>(
    a: &'a Core,
    b: &Core,
    tolerance: f64,
    keep_shared: bool,
) -> Vec<(&'a Side, Vec<Vec3>)> {
    let mut found = vec![];
    'sides: for side in &a.sides {
        let mut corners = a.corners(side);
        for cut in &b.sides {
            let on = |c: &Vec3| (cut.normal.dot(*c) - cut.offset).abs() <= tolerance;
            let shared = cut.normal.dot(side.normal) > 0.0 && corners.iter().all(on);
            if shared && !keep_shared {
                continue 'sides;
            }
            corners = clip::behind(corners, cut.normal, cut.offset, tolerance);
            if corners.len() < 3 {
                continue 'sides;
            }
        }
        found.push((side, corners));
    }
    found
}

fn of_polytopes(a: Placed, b: Placed) -> f64 {
    let origin = a.pose.position;
    let (a, b) = (Core::new(a, origin), Core::new(b, origin));
    let extent = |c: &Core| c.points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let tolerance = 1e-14 * extent(&a).max(extent(&b));
    let mut faces = faces_inside(&a, &b, tolerance, true);
    faces.extend(faces_inside(&b, &a, tolerance, false));
    let corners = || faces.iter().flat_map(|f| &f.1);
    let reference = corners().sum::<Vec3>() / corners().count().max(1) as f64;
    let cone = |(side, corners): &(&Side, Vec<Vec3>)| {
        (side.offset - side.normal.dot(reference)) * area(corners, side.normal)
    };
    (faces.iter().map(cone).sum::<f64>() / 3.0).max(0.0)
}

/// With the reference point on the plane, the cut itself contributes nothing.
fn below_plane(polytope: Placed, plane: Placed) -> f64 {
    let normal = plane.pose.vector(Vec3::Z);
    let core = Core::new(polytope, plane.pose.position);
    let middle = core.points.iter().sum::<Vec3>() / core.points.len() as f64;
    let reference = middle - normal * normal.dot(middle);
    let cone = |side: &Side| {
        let corners = clip::behind(core.corners(side), normal, 0.0, 0.0);
        (side.offset - side.normal.dot(reference)) * area(&corners, side.normal)
    };
    (core.sides.iter().map(cone).sum::<f64>() / 3.0).max(0.0)
}
