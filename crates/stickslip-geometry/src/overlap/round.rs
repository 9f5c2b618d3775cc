//! Gaps of solids of revolution, which have no faces to list.
//!
//! Against a ball the problem is planar: the closest point lies in the plane of axis and centre.
//! Otherwise the Minkowski difference `C = A - B` is enclosed from within by the hull of support
//! points: the depth of the origin in the hull is a lower bound of the depth, and what `C`
//! reaches along the normal found there an upper one. The support point joins the hull until
//! both bounds meet.

use crate::{Convex, Polygon, Polytope, Vec3};

use super::{Gap, Placed, closest, core::Core, separate};

/// Bounds closer than this fraction of the size of `C` have met.
const ACCURACY: f64 = 1e-9;
const MAX_ROUNDS: usize = 64;
/// Tolerances of the hull, as parts of its extent, the best first.
const MERGES: [f64; 3] = [1e-11, 1e-9, 1e-7];

/// The widest gap between two parts, at least one of them a solid of revolution.
pub(super) fn gap(a: Placed, b: Placed, until_apart: bool) -> Gap {
    match (a.convex, b.convex) {
        (_, Convex::Ball { radius }) => {
            if let Some(found) = to_point(a, b.pose.position, *radius) {
                return found;
            }
        }
        (Convex::Ball { radius }, _) => {
            if let Some(Gap { gap, normal }) = to_point(b, a.pose.position, *radius) {
                return Gap { gap, normal: -normal };
            }
        }
        _ => {}
    }
    let radii = thickness(a.convex) + thickness(b.convex);
    let mut directions = own_directions(a);
    directions.extend(own_directions(b).into_iter().map(|n| -n));
    for axis in [a, b].iter().filter(|p| p.convex.is_revolution()).map(|p| p.pose.vector(Vec3::Z)) {
        directions.extend(edges(a).chain(edges(b)).flat_map(|e| both(axis.cross(e))));
        // Straight out from the axis.
        let between = b.pose.position - a.pose.position;
        directions.extend(both(between - axis * axis.dot(between)));
    }
    let origin = a.pose.position;
    let corner = |n: Vec3| bare_support(a, n) - origin - (bare_support(b, -n) - origin);
    let found = widest(&corner, &directions, until_apart.then_some(radii));
    Gap { gap: found.gap - radii, normal: found.normal }
}

fn both(n: Vec3) -> Vec<Vec3> {
    n.try_normalize().map_or(vec![], |n| vec![n, -n])
}

/// Radius that a ball or capsule adds to its core.
pub(super) fn thickness(convex: &Convex) -> f64 {
    match convex {
        Convex::Ball { radius } | Convex::Capsule { radius, .. } => *radius,
        _ => 0.0,
    }
}

/// Support point of the part without its thickness.
pub(super) fn bare_support(part: Placed, n: Vec3) -> Vec3 {
    match part.convex {
        Convex::Ball { .. } => part.pose.position,
        Convex::Capsule { half, .. } => {
            let axis = part.pose.vector(Vec3::Z) * *half;
            if axis.dot(n) >= 0.0 { part.pose.position + axis } else { part.pose.position - axis }
        }
        other => other.support(&part.pose, n),
    }
}

/// Normals of flat sides, and the axis.
pub(super) fn own_directions(part: Placed) -> Vec<Vec3> {
    match part.convex {
        Convex::Polytope(p) => p.faces.iter().map(|f| part.pose.vector(f.normal)).collect(),
        Convex::Ball { .. } => vec![],
        _ => both(part.pose.vector(Vec3::Z)),
    }
}

fn edges(part: Placed<'_>) -> impl Iterator<Item = Vec3> {
    let vectors = match part.convex {
        Convex::Polytope(p) => p
            .edges
            .iter()
            .map(|e| {
                let [a, b] = e.vertices.map(|v| p.vertices[v as usize]);
                part.pose.vector(b - a)
            })
            .collect(),
        _ => vec![part.pose.vector(Vec3::Z)],
    };
    vectors.into_iter()
}

/// A solid of revolution against a ball, in the plane of its axis and the centre of the ball.
fn to_point(revolved: Placed, point: Vec3, radius: f64) -> Option<Gap> {
    let corners = revolved.convex.profile()?;
    let corners = corners.iter().map(|c| Vec3::new(c[0], c[1], 0.0)).collect();
    let profile = Convex::Polygon(Polygon::from_corners(corners).ok()?.into());
    let local = revolved.pose.inverse_point(point);
    let away = Vec3::new(local.x, local.y, 0.0).try_normalize().unwrap_or(Vec3::X);
    let at = Vec3::new(local.x.hypot(local.y), local.z, 0.0);
    let placed = Placed { convex: &profile, pose: crate::Pose::IDENTITY };
    let profile = Core::new(placed, Vec3::ZERO);
    let found = separate::gap(&profile, &Core::bare(vec![at], 0.0), None);
    let normal = revolved.pose.vector(away * found.normal.x + Vec3::Z * found.normal.y);
    Some(Gap { gap: found.gap - radius, normal })
}

/// Whether some gap is as wide as `radius`. Where one is so but for round-off another may still be: a triangle that a flat
/// end lies in line with was crossed, and the end told to be as deep in it as it hangs over its plane.
pub(super) fn are_apart(corner: &dyn Fn(Vec3) -> Vec3, directions: &[Vec3], radius: f64) -> bool {
    search(corner, directions, |gap, _| gap >= radius).gap >= radius
}

/// The widest gap `-n · corner(n)`, where `corner(n)` is the point of `C` farthest along `n`.
pub(super) fn widest(
    corner: &dyn Fn(Vec3) -> Vec3,
    directions: &[Vec3],
    enough: Option<f64>,
) -> Gap {
    search(corner, directions, |gap, accuracy| enough.is_some_and(|e| gap >= e - accuracy))
}

/// The same, until a gap is enough for the accuracy of the search.
fn search(
    corner: &dyn Fn(Vec3) -> Vec3,
    directions: &[Vec3],
    enough: impl Fn(f64, f64) -> bool,
) -> Gap {
    let mut best = Gap { gap: f64::NEG_INFINITY, normal: Vec3::X };
    let mut corners = vec![];
    let lattice = (0..27).map(|k| Vec3::new((k % 3).into(), (k / 3 % 3).into(), (k / 9).into()));
    let lattice = lattice.filter_map(|n| (n - Vec3::ONE).try_normalize());
    for n in directions.iter().copied().chain(lattice) {
        let w = corner(n);
        if -n.dot(w) > best.gap {
            best = Gap { gap: -n.dot(w), normal: n };
        }
        corners.push(w);
    }
    let size = crate::Aabb::of(corners.iter().copied());
    let accuracy = ACCURACY * (size.max - size.min).max_element();
    for _ in 0..MAX_ROUNDS {
        if enough(best.gap, accuracy) {
            return best;
        }
        // Points of a smooth body may nearly lie in one plane: where their hull has no faces at a tolerance it has
        // some at another. A direction from either is measured all the same.
        let hull = MERGES.iter().find_map(|t| Polytope::from_points_within(&corners, *t).ok());
        let Some(hull) = hull else { return best };
        let bound = from_origin(&hull);
        if bound.gap - best.gap <= accuracy {
            return best;
        }
        let w = corner(bound.normal);
        if -bound.normal.dot(w) > best.gap {
            best = Gap { gap: -bound.normal.dot(w), normal: bound.normal };
        }
        corners.push(w);
    }
    best
}

/// Signed distance of the origin from a polytope, and the direction there.
fn from_origin(hull: &Polytope) -> Gap {
    let mut best = Gap { gap: f64::NEG_INFINITY, normal: Vec3::X };
    let mut nearest: Option<Vec3> = None;
    for f in &hull.faces {
        if -f.offset > best.gap {
            best = Gap { gap: -f.offset, normal: f.normal };
        }
        if f.offset < 0.0 {
            let corners: Vec<Vec3> =
                f.vertices.iter().map(|&v| hull.vertices[v as usize]).collect();
            let p = closest::on_polygon(Vec3::ZERO, &corners, f.normal);
            if nearest.is_none_or(|q| p.length_squared() < q.length_squared()) {
                nearest = Some(p);
            }
        }
    }
    match nearest.and_then(|p| (-p).try_normalize().map(|n| (p.length(), n))) {
        Some((gap, normal)) if gap > 1e-13 * hull.extent() => Gap { gap, normal },
        _ => best,
    }
}
