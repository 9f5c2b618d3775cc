//! A half-space (a half-plane in 2D) and any bounded part.
//!
//! A half-space has no corners, so that constraints of several points against it never trap a
//! body: every point within reach may carry a force, at any depth.

use std::f64::consts::TAU;

use stickslip_geometry::{Convex, Vec3};

use super::{Found, Sink, nearest::core, vertex_face};
use crate::collide::{Feature, placed::Placed};

/// Points of a rim, fixed in the body, on which a smooth cylinder or cone stands when flat.
pub(crate) const RIM_POINTS: u32 = 8;

/// Cosine of the tilt up to which a flat end may come to stand within a step: 30 degrees.
const FLAT: f64 = 0.866_025_403_784_438_6;

/// Contacts of the half-space `first` with `second` closer than `reach` \[m\].
pub(crate) fn contacts(first: &Placed, second: (&Convex, &Placed), reach: f64, sink: &mut Sink) {
    let normal = first.normals[0];
    let (convex, other) = second;
    let mut plane = Plane { normal, origin: first.pose.position, reach, sink };
    match convex {
        Convex::Polytope(p) => {
            for (k, &v) in other.vertices.iter().enumerate() {
                let ends = p.neighbors[k].iter().map(|&w| other.vertices[w as usize]);
                let applicability = || vertex_face::applicability(v, normal, ends);
                plane.point(v, Feature::Vertex(k as u32), applicability);
            }
        }
        Convex::Polygon(_) => {
            let n = other.vertices.len();
            for (k, &v) in other.vertices.iter().enumerate() {
                let ends = [other.vertices[(k + 1) % n], other.vertices[(k + n - 1) % n]];
                let applicability = || vertex_face::applicability(v, normal, ends.into_iter());
                plane.point(v, Feature::Vertex(k as u32), applicability);
            }
        }
        Convex::Ball { radius } => {
            plane.point(other.pose.position - normal * *radius, Feature::Smooth(0), || 1.0);
        }
        Convex::Capsule { half, radius } => {
            let [a, b] = core(other, *half);
            plane.point(a - normal * *radius, Feature::Smooth(0), || 1.0);
            plane.point(b - normal * *radius, Feature::Smooth(1), || 1.0);
        }
        Convex::Cylinder { half, radius } => {
            for (k, end) in [-half, *half].into_iter().enumerate() {
                plane.rim(other, end, *radius, 1 + k as u32 * (RIM_POINTS + 1));
            }
        }
        Convex::Cone { half, radius } => {
            plane.point(other.pose.point(Vec3::Z * *half), Feature::Smooth(0), || 1.0);
            plane.rim(other, -half, *radius, 1);
        }
        Convex::HalfSpace => {}
    }
}

struct Plane<'a, 'b> {
    normal: Vec3,
    origin: Vec3,
    reach: f64,
    sink: &'a mut Sink<'b>,
}

impl Plane<'_, '_> {
    fn point(&mut self, v: Vec3, feature: Feature, applicability: impl FnOnce() -> f64) {
        let psi = self.normal.dot(v - self.origin);
        if psi <= self.reach {
            self.sink.push(&Found {
                features: [Feature::Face(0), feature],
                points: [v - self.normal * psi, v],
                normal: self.normal,
                gap: psi,
                applicability: applicability(),
                primary: true,
            });
        }
    }

    /// The circle of that radius at height `end` on the part's axis: its lowest point, and where
    /// the disc is nearly parallel to the plane also points all around.
    fn rim(&mut self, part: &Placed, end: f64, radius: f64, first: u32) {
        let axis = part.pose.vector(Vec3::Z);
        let center = part.pose.point(Vec3::Z * end);
        let across = self.normal - axis * axis.dot(self.normal);
        let facing = -self.normal.dot(axis) * end.signum();
        // Exactly flat there is no lowest point; those of the rim then hold the disc.
        if across.length() > 1e-9 {
            let lowest = center - across.normalize() * radius;
            self.point(lowest, Feature::Smooth(first), || 1.0);
        }
        if facing >= FLAT {
            for k in 0..RIM_POINTS {
                let (sin, cos) = (TAU * f64::from(k) / f64::from(RIM_POINTS)).sin_cos();
                let local = Vec3::new(radius * cos, radius * sin, end);
                self.point(part.pose.point(local), Feature::Smooth(first + 1 + k), || 1.0);
            }
        }
    }
}
