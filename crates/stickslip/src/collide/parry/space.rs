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
        Convex::Polygon(_) | Convex::Bored(_) => None,
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
    let between = poses[1].position - poses[0].position;
    let apart = between * TOUCHING;
    let shapes = [&*made[0].shape.0, &*made[1].shape.0];
    sound_manifolds(shapes, [&p, &q], (apart, reach), out)
}

/// How far touching bodies are moved apart, relative to their size.
const TOUCHING: f64 = 1e-6;

/// The manifolds, asked for a second time where the bodies touch to round-off: there the
/// library's normals are noise. With the second body moved by `apart` they are sound, and the
/// gaps are those of the true place once the shift along the normal is taken off.
fn sound_manifolds(
    shapes: [&dyn Shape; 2],
    poses: [&Pose; 2],
    (apart, reach): (Vec3, f64),
    out: &mut Vec<Point>,
) -> bool {
    let start = out.len();
    let done = manifolds(shapes, poses, reach, out);
    let noise = 1e-3 * apart.length();
    let touching = out.len() == start || out[start..].iter().any(|p| p.gap.abs() < noise);
    if !(done && touching) {
        return done;
    }
    let shifted = Pose::new(poses[1].position + apart, poses[1].orientation);
    let mut again = vec![];
    manifolds(shapes, [poses[0], &shifted], reach + apart.length(), &mut again);
    // A shift that does not part the bodies along the normal found says nothing.
    again.retain(|p| p.normal.dot(apart) > 0.3 * apart.length());
    if !again.is_empty() {
        out.truncate(start);
        out.extend(again.into_iter().map(|p| Point {
            points: [p.points[0], p.points[1] - apart],
            gap: p.gap - p.normal.dot(apart),
            ..p
        }));
    }
    true
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
///
/// The library knows no sides: a shape that has sunk below a triangle would be pushed on through
/// it. It is lifted out along the triangle's normal first, and its gaps are lowered again.
pub(super) fn surface(
    own: (&Made, &Placed),
    mesh: (&TriMesh, &Pose),
    reach: f64,
    out: &mut Vec<Point>,
) -> bool {
    let ((made, placed), (mesh, pose)) = (own, mesh);
    let Some(support) = made.shape.as_support_map() else { return false };
    let at = placed.pose.compose(&made.frame);
    let size = (placed.bounds.max - placed.bounds.min).max_element();
    let query = local_box(&placed.bounds.inflated(reach), pose);
    let mut done = true;
    for t in mesh.triangles_in(&query) {
        let [a, b, c] = mesh.corners(t);
        let up = pose.vector(mesh.normals[t as usize]);
        let lowest = up.dot(support.support_point(&isometry(&at), -up) - pose.point(a));
        let lift = up * (TOUCHING * size - lowest).max(0.0);
        // More than half below: the triangle is one that the body has passed, or never faced.
        if lift.length() > 0.5 * size {
            continue;
        }
        let lifted = Pose::new(at.position + lift, at.orientation);
        let shapes: [&dyn Shape; 2] = [&*made.shape.0, &Triangle::new(a, b, c)];
        let mut found = vec![];
        done &= manifolds(shapes, [&lifted, pose], reach + lift.length(), &mut found);
        let ridge = mesh.bends[t as usize].iter().any(|b| matches!(b, Bend::Convex | Bend::Border));
        for mut p in found {
            // Towards the surface; beside a ridge it may lean away from the triangle's own.
            let straight = -up.dot(p.normal);
            if straight > 1.0 - 1e-6 || (ridge && straight > 0.0) {
                p.points[0] -= lift;
                p.gap += p.normal.dot(lift);
                if let Some(features) = &mut p.features {
                    features[1] = Feature::Face(t);
                }
                out.push(p);
            }
        }
    }
    done
}
