//! Manifolds in the plane, by parry2d.

use parry2d_f64::{
    math::{Pose as Isometry, Rotation, Vector},
    query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher},
    shape::{ConvexPolygon, FeatureId, HalfSpace, PackedFeatureId, SharedShape},
};
use stickslip_geometry::{Convex, Pose, Vec3};

use super::Point;
use crate::collide::Feature;

/// A shape of the library in the part's frame.
pub(super) struct Made(SharedShape);

/// The library's shape for a convex part of the plane; `None` where it refuses.
pub(super) fn make(convex: &Convex) -> Option<Made> {
    let shape = match convex {
        Convex::Polygon(p) => {
            let points: Vec<Vector> = p.vertices.iter().map(|v| Vector::new(v.x, v.y)).collect();
            SharedShape::new(ConvexPolygon::from_convex_polyline_unmodified(points)?)
        }
        Convex::Ball { radius } => SharedShape::ball(*radius),
        Convex::HalfSpace => SharedShape::new(HalfSpace::new(Vector::Y)),
        _ => return None,
    };
    Some(Made(shape))
}

fn isometry(pose: &Pose) -> Isometry {
    let angle = 2.0 * pose.orientation.z.atan2(pose.orientation.w);
    Isometry::from_parts(Vector::new(pose.position.x, pose.position.y), Rotation::from_angle(angle))
}

/// Points of the manifold of two shapes; false if the library has no method.
pub(super) fn contacts(
    made: [&Made; 2],
    poses: [&Pose; 2],
    reach: f64,
    out: &mut Vec<Point>,
) -> bool {
    let between = isometry(poses[0]).inv_mul(&isometry(poses[1]));
    let mut found: Vec<ContactManifold<(), ()>> = vec![];
    let done = DefaultQueryDispatcher.contact_manifolds(
        &between,
        &*made[0].0.0,
        &*made[1].0.0,
        reach,
        &mut found,
        &mut None,
    );
    let lift = |v: Vector| Vec3::new(v.x, v.y, 0.0);
    for manifold in &found {
        let normal = poses[0].vector(lift(manifold.local_n1));
        for point in &manifold.points {
            let features = match (feature(point.fid1), feature(point.fid2)) {
                (Some(a), Some(b)) => Some([a, b]),
                _ => None,
            };
            let (p, q) = (lift(point.local_p1), lift(point.local_p2));
            let points = [poses[0].point(p), poses[1].point(q)];
            out.push(Point { features, points, normal, gap: point.dist });
        }
    }
    done.is_ok()
}

fn feature(id: PackedFeatureId) -> Option<Feature> {
    match id.unpack() {
        FeatureId::Vertex(k) => Some(Feature::Vertex(k)),
        FeatureId::Face(k) => Some(Feature::Face(k)),
        FeatureId::Unknown => None,
    }
}
