//! Manifolds in space, by parry3d.

use parry3d_f64::{
    math::Pose as Isometry,
    query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher},
    shape::{FeatureId, HalfSpace, PackedFeatureId, Shape, SharedShape, Triangle},
};
use stickslip_geometry::{Aabb, Bend, Convex, Polytope, Pose, Quat, TriMesh, Vec3};

use super::Point;
use crate::collide::{Feature, pairs::surface::local_box, placed::Placed};

/// A shape of the library and its pose in the part's frame.
pub(super) struct Made {
    shape: SharedShape,
    frame: Pose,
}

/// The library's shape for a convex part; `None` where it refuses.
pub(super) fn make(convex: &Convex) -> Option<Made> {
    // The library's cylinders and cones stand along y, ours along z.
    let upright = Pose::new(Vec3::ZERO, Quat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    let made = |shape, frame| Some(Made { shape, frame });
    match convex {
        Convex::Polytope(p) => polytope(p),
        Convex::Ball { radius } => made(SharedShape::ball(*radius), Pose::IDENTITY),
        Convex::Capsule { half, radius } => {
            let end = Vec3::Z * *half;
            made(SharedShape::capsule(-end, end, *radius), Pose::IDENTITY)
        }
        Convex::Cylinder { half, radius } => made(SharedShape::cylinder(*half, *radius), upright),
        Convex::Cone { half, radius } => made(SharedShape::cone(*half, *radius), upright),
        Convex::HalfSpace => made(SharedShape::new(HalfSpace::new(Vec3::Z)), Pose::IDENTITY),
        Convex::Polygon(_) => None,
    }
}

fn polytope(p: &Polytope) -> Option<Made> {
    let bounds = Aabb::of(p.vertices.iter().copied());
    let half = 0.5 * (bounds.max - bounds.min);
    let middle = 0.5 * (bounds.max + bounds.min);
    let is_corner = |v: &Vec3| ((*v - middle).abs() - half).abs().max_element() == 0.0;
    // Boxes have exact methods of their own.
    if p.vertices.len() == 8 && p.faces.len() == 6 && p.vertices.iter().all(is_corner) {
        let frame = Pose::new(middle, Quat::IDENTITY);
        return Some(Made { shape: SharedShape::cuboid(half.x, half.y, half.z), frame });
    }
    let fan = |f: &stickslip_geometry::polytope::Face| {
        let v = f.vertices.clone();
        (2..v.len()).map(move |k| [v[0], v[k - 1], v[k]]).collect::<Vec<_>>()
    };
    let triangles: Vec<[u32; 3]> = p.faces.iter().flat_map(fan).collect();
    let shape = SharedShape::convex_mesh(p.vertices.clone(), &triangles)
        .or_else(|| SharedShape::convex_hull(&p.vertices))?;
    Some(Made { shape, frame: Pose::IDENTITY })
}

fn isometry(pose: &Pose) -> Isometry {
    Isometry::from_parts(pose.position, pose.orientation)
}

/// Points of the manifolds of two convex shapes; false if the library has no method.
pub(super) fn contacts(
    made: [&Made; 2],
    poses: [&Pose; 2],
    reach: f64,
    out: &mut Vec<Point>,
) -> bool {
    let [p, q] = [poses[0].compose(&made[0].frame), poses[1].compose(&made[1].frame)];
    manifolds([&*made[0].shape.0, &*made[1].shape.0], [&p, &q], reach, out)
}

fn manifolds(shapes: [&dyn Shape; 2], poses: [&Pose; 2], reach: f64, out: &mut Vec<Point>) -> bool {
    let between = isometry(poses[0]).inv_mul(&isometry(poses[1]));
    // Fresh manifolds each time: the answer depends on the state alone, not on the past.
    let mut found: Vec<ContactManifold<(), ()>> = vec![];
    let done = DefaultQueryDispatcher
        .contact_manifolds(&between, shapes[0], shapes[1], reach, &mut found, &mut None);
    for manifold in &found {
        let normal = poses[0].vector(manifold.local_n1);
        for point in &manifold.points {
            let features = match (feature(point.fid1), feature(point.fid2)) {
                (Some(a), Some(b)) => Some([a, b]),
                _ => None,
            };
            out.push(Point {
                features,
                points: [poses[0].point(point.local_p1), poses[1].point(point.local_p2)],
                normal,
                gap: point.dist,
            });
        }
    }
    done.is_ok()
}

fn feature(id: PackedFeatureId) -> Option<Feature> {
    match id.unpack() {
        FeatureId::Vertex(k) => Some(Feature::Vertex(k)),
        FeatureId::Edge(k) => Some(Feature::Edge(k)),
        FeatureId::Face(k) => Some(Feature::Face(k)),
        FeatureId::Unknown => None,
    }
}

/// Points of a convex shape on a one-sided surface: the manifolds with each near triangle,
/// without those whose normal leaves what the triangle and its edges allow.
pub(super) fn surface(
    own: (&Made, &Placed),
    mesh: (&TriMesh, &Pose),
    reach: f64,
    out: &mut Vec<Point>,
) -> bool {
    let ((made, placed), (mesh, pose)) = (own, mesh);
    let at = placed.pose.compose(&made.frame);
    let query = local_box(&placed.bounds.inflated(reach), pose);
    let mut done = true;
    for t in mesh.triangles_in(&query) {
        let [a, b, c] = mesh.corners(t);
        let start = out.len();
        done &= manifolds([&*made.shape.0, &Triangle::new(a, b, c)], [&at, pose], reach, out);
        let up = pose.vector(mesh.normals[t as usize]);
        let ridge = mesh.bends[t as usize].iter().any(|b| matches!(b, Bend::Convex | Bend::Border));
        let mut k = start;
        while k < out.len() {
            // Towards the surface; beside a ridge it may lean away from the triangle's own.
            let straight = -up.dot(out[k].normal);
            if straight > 1.0 - 1e-6 || (ridge && straight > 0.0) {
                if let Some(features) = &mut out[k].features {
                    features[1] = Feature::Face(t);
                }
                k += 1;
            } else {
                out.remove(k);
            }
        }
    }
    done
}
