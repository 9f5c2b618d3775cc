//! A half-space (a half-plane in 2D) and any bounded part.
//!
//! A half-space has no corners, so that constraints of several points against it never hold back a
//! body: every point within reach may carry a force, at any depth.

use stickslip_geometry::{Convex, Vec3};

use super::{Found, Sink, nearest::core, revolution::Revolution, vertex_face};
use crate::collide::{Feature, placed::Placed};

/// Contacts of the half-space `first` with `second` closer than `reach` \[m\].
pub(crate) fn contacts(first: &Placed, second: (&Convex, &Placed), reach: f64, sink: &mut Sink) {
    let normal = first.normals[0];
    let (convex, other) = second;
    let mut plane = Plane { normal, origin: first.pose.position, reach, sink };
    match convex.hull() {
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
        Convex::HalfSpace => {}
        smooth => {
            let spots = Revolution::new(smooth, other).map_or(vec![], |t| t.spots(-normal));
            for spot in spots {
                plane.point(spot.point, spot.feature, || spot.applicability);
            }
        }
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
}
