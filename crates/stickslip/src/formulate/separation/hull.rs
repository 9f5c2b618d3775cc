//! A convex polytope or polygon at a pose, with what the separation of two of them needs.

use std::sync::Arc;

use stickslip_geometry::{Convex, Polygon, Polytope, Pose, Quat, Vec3};

/// World-frame corners and faces of a convex part. A side of a polygon is a face with two corners.
#[derive(Clone, Debug)]
pub(super) struct Hull {
    pub pose: Pose,
    pub vertices: Vec<Vec3>,
    /// Outward unit normal and `normal · x` on the face.
    pub faces: Vec<(Vec3, f64)>,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Polytope(Arc<Polytope>),
    Polygon(Arc<Polygon>),
}

impl Hull {
    /// `None` for shapes without corners.
    pub fn new(convex: &Convex, pose: Pose) -> Option<Self> {
        let kind = match convex {
            Convex::Polytope(p) => Kind::Polytope(p.clone()),
            Convex::Polygon(p) => Kind::Polygon(p.clone()),
            _ => return None,
        };
        let (r, x) = (pose.rotation(), pose.position);
        let (vertices, faces) = match &kind {
            Kind::Polytope(p) => {
                let place = |f: &stickslip_geometry::polytope::Face| {
                    let n = r * f.normal;
                    (n, f.offset + n.dot(x))
                };
                (
                    p.vertices.iter().map(|&v| r * v + x).collect(),
                    p.faces.iter().map(place).collect(),
                )
            }
            Kind::Polygon(p) => {
                let vertices: Vec<Vec3> = p.vertices.iter().map(|&v| r * v + x).collect();
                let face = |(k, &n): (usize, &Vec3)| {
                    let n = r * n;
                    (n, n.dot(vertices[k]))
                };
                let faces = p.normals.iter().enumerate().map(face).collect();
                (vertices, faces)
            }
        };
        Some(Self { pose, vertices, faces, kind })
    }

    /// Corners of face `k`, in order.
    pub fn corners(&self, k: usize) -> Vec<usize> {
        match &self.kind {
            Kind::Polytope(p) => p.faces[k].vertices.iter().map(|&v| v as usize).collect(),
            Kind::Polygon(p) => vec![k, (k + 1) % p.vertices.len()],
        }
    }

    /// The corners of face `k`, where they are.
    pub fn rim(&self, k: usize) -> Vec<Vec3> {
        self.corners(k).iter().map(|&v| self.vertices[v]).collect()
    }

    /// Tail and head of edge `k`.
    pub fn ends(&self, k: usize) -> [Vec3; 2] {
        self.edges()[k].vertices.map(|v| self.vertices[v as usize])
    }

    /// The first corner of face `k`, where it is.
    pub fn foot(&self, k: usize) -> Vec3 {
        let first = match &self.kind {
            Kind::Polytope(p) => p.faces[k].vertices.first().map_or(0, |&v| v as usize),
            Kind::Polygon(_) => k,
        };
        self.vertices[first]
    }

    /// Edges as pairs of corners and the faces left and right of them; a polygon has none.
    pub fn edges(&self) -> &[stickslip_geometry::polytope::Edge] {
        match &self.kind {
            Kind::Polytope(p) => &p.edges,
            Kind::Polygon(_) => &[],
        }
    }

    /// The polytope, if it has too many corners to compare them all.
    fn large(&self) -> Option<&Polytope> {
        match &self.kind {
            Kind::Polytope(p) if p.is_large() => Some(p),
            _ => None,
        }
    }

    /// The corner farthest along `d`; `None` for small hulls, whose corners are better compared one
    /// by one.
    pub fn extreme(&self, d: Vec3) -> Option<usize> {
        self.large().map(|p| p.extreme(self.pose.inverse_vector(d)))
    }

    /// The face whose normal is nearest to `d`; `None` for small hulls.
    pub fn face_along(&self, d: Vec3) -> Option<usize> {
        self.large().map(|p| p.gauss_map().face_along(p, self.pose.inverse_vector(d)))
    }

    /// Distance from `origin` to the farthest corner \[m\].
    pub fn radius(&self, origin: Vec3) -> f64 {
        if let Some(p) = self.large()
            && origin == self.pose.position
        {
            return p.gauss_map().radius();
        }
        self.vertices.iter().fold(0.0, |r, v| (*v - origin).length().max(r))
    }
}

/// The rigid motion of a body during a step: velocity and what it turns about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drift {
    pub linear: Vec3,
    pub angular: Vec3,
    pub center: Vec3,
}

impl Drift {
    /// No motion.
    pub fn at_rest(center: Vec3) -> Self {
        Self { linear: Vec3::ZERO, angular: Vec3::ZERO, center }
    }

    /// Velocity of the point at `x`.
    pub fn at(&self, x: Vec3) -> Vec3 {
        self.linear + self.angular.cross(x - self.center)
    }

    /// The true rigid motion over `t` seconds.
    pub fn over(&self, t: f64) -> Motion {
        let turn = Quat::from_scaled_axis(self.angular * t);
        Motion { turn, back: turn.conjugate(), center: self.center, moved: self.linear * t }
    }
}

/// Where a [`Drift`] takes a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    turn: Quat,
    back: Quat,
    center: Vec3,
    moved: Vec3,
}

impl Motion {
    /// Where the point at `x` comes to.
    pub fn carry(&self, x: Vec3) -> Vec3 {
        self.center + self.moved + self.turn * (x - self.center)
    }

    /// Inverse of [`Motion::carry`].
    pub fn uncarry(&self, x: Vec3) -> Vec3 {
        self.center + self.back * (x - self.center - self.moved)
    }

    /// What becomes of direction `d`, fixed to the body.
    pub fn turn(&self, d: Vec3) -> Vec3 {
        self.turn * d
    }

    /// Inverse of [`Motion::turn`].
    pub fn unturn(&self, d: Vec3) -> Vec3 {
        self.back * d
    }
}
