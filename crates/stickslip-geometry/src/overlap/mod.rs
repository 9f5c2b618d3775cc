//! The oracle: how deep and how much two placed shapes truly overlap.
//!
//! Nothing here is shared with contact detection: depth comes from separating directions over
//! all features, volume from clipping. It is meant to judge a simulation, not to drive it.
//!
//! Depth is the length of the shortest translation that parts two convex sets,
//!
//! ```text
//!  depth(A, B) = min over unit n of  max_A n·x − min_B n·x
//! ```
//!
//! which is minus the distance when they are apart. Exactness:
//!
//! | pair | depth | volume |
//! |---|---|---|
//! | polytopes, polygons, half-spaces | exact | exact |
//! | balls, capsules with those and each other | exact | 1e-9 relative (quadrature), lenses and caps exact |
//! | smooth cylinders, cones with balls, half-spaces | exact | 1e-9 relative (quadrature) |
//! | smooth cylinders, cones with the others | 1e-8 of the extent | with polytopes 1e-9 relative |
//! | two of capsule, smooth cylinder, smooth cone | as above | one is replaced by a polytope of 64 sides of the same cross-section: its surface is off by up to 0.0008 radii either way |
//! | pieces with a round hole with the others | 1e-9 of the extent; of two of them the smaller one counts as full | as their hulls, less the hole |
//! | surface of triangles | see [`surface`] | see [`surface`] |

mod bored;
pub(crate) mod closest;
mod core;
mod disc;
mod distance;
mod round;
mod separate;
mod slices;
pub mod surface;
mod volume;

use crate::{Convex, Dimension, Part, Pose, Shape, Vec3};

pub use volume::intersection_volume;

use self::core::Core;

/// How two shapes overlap.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Overlap {
    /// Penetration depth \[m\]; zero when apart or touching. Of several parts, the deepest.
    pub depth: f64,
    /// Shared volume \[m³\], area \[m²\] in 2D. Summed over pairs of parts.
    pub volume: f64,
}

/// A convex piece at its place in the world.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub(crate) convex: &'a Convex,
    pub(crate) pose: Pose,
}

/// A direction from A to B and how far apart the two are along it: `min_B n·x - max_A n·x`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    pub(crate) gap: f64,
    pub(crate) normal: Vec3,
}

/// Signed depth of two placed convex parts \[m\]: positive if they overlap, the length of the
/// shortest translation that parts them; negative if they are apart, minus their distance.
///
/// Two half-spaces overlap without end, unless they face each other exactly.
pub fn depth(dimension: Dimension, a: &Convex, pose_a: &Pose, b: &Convex, pose_b: &Pose) -> f64 {
    separation(dimension, a, pose_a, b, pose_b).depth
}

/// Signed depth and the direction that it was found along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// As in [`depth`] \[m\].
    pub depth: f64,
    /// Unit vector n, from A to B: `max_A n·x - min_B n·x` is the depth. Moving B along it by
    /// the depth parts the two.
    pub direction: Vec3,
}

/// [`depth`] together with its direction.
pub fn separation(
    dimension: Dimension,
    a: &Convex,
    pose_a: &Pose,
    b: &Convex,
    pose_b: &Pose,
) -> Separation {
    let (a, b) = (Placed { convex: a, pose: *pose_a }, Placed { convex: b, pose: *pose_b });
    let Gap { gap, normal } = gap(dimension, a, b, false);
    Separation { depth: -gap, direction: normal }
}

/// The widest gap, or if `until_apart` the first one found to be positive.
pub(crate) fn gap(dimension: Dimension, a: Placed, b: Placed, until_apart: bool) -> Gap {
    match (a.convex, b.convex) {
        (Convex::Bored(x), Convex::Bored(y)) if bored::is_smaller(x, y) => {
            reversed(bored::from_bored(dimension, (y, b), a, until_apart))
        }
        (Convex::Bored(x), _) => bored::from_bored(dimension, (x, a), b, until_apart),
        (_, Convex::Bored(y)) => reversed(bored::from_bored(dimension, (y, b), a, until_apart)),
        (Convex::HalfSpace, Convex::HalfSpace) => between_planes(dimension, a, b),
        (Convex::HalfSpace, _) => above_plane(dimension, a, b),
        (_, Convex::HalfSpace) => reversed(above_plane(dimension, b, a)),
        _ if a.convex.is_revolution() || b.convex.is_revolution() => round::gap(a, b, until_apart),
        _ => {
            // Near the origin, so that rounding does not grow with the distance from it.
            let origin = a.pose.position;
            let (a, b) = (Core::new(a, origin), Core::new(b, origin));
            let radii = a.radius + b.radius;
            let Gap { gap, normal } = separate::gap(&a, &b, until_apart.then_some(radii));
            Gap { gap: gap - radii, normal }
        }
    }
}

fn reversed(Gap { gap, normal }: Gap) -> Gap {
    Gap { gap, normal: -normal }
}

fn above_plane(dimension: Dimension, plane: Placed, other: Placed) -> Gap {
    let normal = plane.pose.vector(dimension.half_space_normal());
    let deepest = other.convex.support(&other.pose, -normal);
    Gap { gap: normal.dot(deepest - plane.pose.position), normal }
}

fn between_planes(dimension: Dimension, a: Placed, b: Placed) -> Gap {
    let [normal, back] = [a, b].map(|p| p.pose.vector(dimension.half_space_normal()));
    let opposite = normal.distance(-back) < 1e-15;
    let along = normal.dot(b.pose.position - a.pose.position);
    Gap { gap: if opposite { along } else { f64::NEG_INFINITY }, normal }
}

/// Depth and volume shared by two whole shapes: over all pairs of parts the deepest, and the sum.
///
/// A surface against another surface is not measured (neither can move).
pub fn shape_overlap(
    dimension: Dimension,
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
) -> Overlap {
    match (a, b) {
        (Shape::Parts(a), Shape::Parts(b)) => {
            parts_overlap(dimension, (a, pose_a), (b, pose_b), true)
        }
        (Shape::Surface(mesh), Shape::Parts(parts)) => {
            surface::overlap(mesh, pose_a, parts, pose_b)
        }
        (Shape::Parts(parts), Shape::Surface(mesh)) => {
            surface::overlap(mesh, pose_b, parts, pose_a)
        }
        (Shape::Surface(_), Shape::Surface(_)) => Overlap::default(),
    }
}

/// The depth of [`shape_overlap`] alone \[m\]: the volume of round shapes takes far longer.
pub fn shape_depth(
    dimension: Dimension,
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
) -> f64 {
    match (a, b) {
        (Shape::Parts(a), Shape::Parts(b)) => {
            parts_overlap(dimension, (a, pose_a), (b, pose_b), false).depth
        }
        (Shape::Surface(mesh), Shape::Parts(parts)) => surface::depth(mesh, pose_a, parts, pose_b),
        (Shape::Parts(parts), Shape::Surface(mesh)) => surface::depth(mesh, pose_b, parts, pose_a),
        (Shape::Surface(_), Shape::Surface(_)) => 0.0,
    }
}

fn parts_overlap(
    dimension: Dimension,
    (a, pose_a): (&[Part], &Pose),
    (b, pose_b): (&[Part], &Pose),
    with_volume: bool,
) -> Overlap {
    let place = |parts: &[Part], pose: &Pose| -> Vec<(Pose, crate::Aabb)> {
        let placed = parts.iter().map(|p| (p, pose.compose(&p.pose)));
        placed.map(|(p, pose)| (pose, p.convex.aabb_in(dimension, &pose))).collect()
    };
    let (places_a, places_b) = (place(a, pose_a), place(b, pose_b));
    let mut total = Overlap::default();
    for (part_a, (pose_a, box_a)) in a.iter().zip(&places_a) {
        for (part_b, (pose_b, box_b)) in b.iter().zip(&places_b) {
            if !box_a.overlaps(box_b) {
                continue;
            }
            let placed_a = Placed { convex: &part_a.convex, pose: *pose_a };
            let placed_b = Placed { convex: &part_b.convex, pose: *pose_b };
            let depth = -gap(dimension, placed_a, placed_b, true).gap;
            if depth > 0.0 {
                total.depth = total.depth.max(depth);
                if with_volume {
                    total.volume += volume::shared(dimension, placed_a, placed_b);
                }
            }
        }
    }
    total
}
