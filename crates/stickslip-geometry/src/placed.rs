//! A convex polytope or polygon at its place in the world: the one placed hull of all formulations.

use std::sync::Arc;

use crate::{
    Convex, Polygon, Polytope, Pose, Vec3,
    polytope::{Edge, Face},
};

/// World-frame corners and faces of a convex part. A side of a polygon is a face with two corners.
#[derive(Clone, Debug)]
pub struct PlacedHull {
    /// Its pose in the world.
    pub pose: Pose,
    /// Corners \[m\].
    pub vertices: Vec<Vec3>,
    /// Outward unit normal and `normal · x` on the face.
    pub faces: Vec<(Vec3, f64)>,
    /// What was placed.
    pub kind: HullKind,
}

/// Which of the two it is.
#[derive(Clone, Debug)]
pub enum HullKind {
    /// In space.
    Polytope(Arc<Polytope>),
    /// In the plane.
    Polygon(Arc<Polygon>),
}

impl PlacedHull {
    /// `None` for shapes without corners.
    pub fn new(convex: &Convex, pose: Pose) -> Option<Self> {
        let kind = match convex {
            Convex::Polytope(p) => HullKind::Polytope(p.clone()),
            Convex::Polygon(p) => HullKind::Polygon(p.clone()),
            _ => return None,
        };
        let (r, x) = (pose.rotation(), pose.position);
        let (vertices, faces) = match &kind {
            HullKind::Polytope(p) => {
                let place = |f: &Face| {
                    let n = r * f.normal;
                    (n, f.offset + n.dot(x))
                };
                (
                    p.vertices.iter().map(|&v| r * v + x).collect(),
                    p.faces.iter().map(place).collect(),
                )
            }
            HullKind::Polygon(p) => {
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
            HullKind::Polytope(p) => p.faces[k].vertices.iter().map(|&v| v as usize).collect(),
            HullKind::Polygon(p) => vec![k, (k + 1) % p.vertices.len()],
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
            HullKind::Polytope(p) => p.faces[k].vertices.first().map_or(0, |&v| v as usize),
            HullKind::Polygon(_) => k,
        };
        self.vertices[first]
    }

    /// Edges as pairs of corners and the faces left and right of them; a polygon has none.
    pub fn edges(&self) -> &[Edge] {
        match &self.kind {
            HullKind::Polytope(p) => &p.edges,
            HullKind::Polygon(_) => &[],
        }
    }

    /// The polytope, if it has too many corners to compare them all.
    fn large(&self) -> Option<&Polytope> {
        match &self.kind {
            HullKind::Polytope(p) if p.is_large() => Some(p),
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
