//! A convex polytope or polygon at its place in the world: the one placed hull of all formulations.

use std::{ops::Deref, sync::Arc};

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

/// The corners of a face, by their numbers.
#[derive(Clone, Copy, Debug)]
pub enum Rim<'a> {
    /// Of a polytope, counter-clockwise about its normal.
    Face(&'a [u32]),
    /// Both ends of a side of a polygon.
    Side([u32; 2]),
}

impl Deref for Rim<'_> {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        match self {
            Self::Face(corners) => corners,
            Self::Side(ends) => ends,
        }
    }
}

/// Whether a point is above the area that `m` corners bound, counter-clockwise about `n`; two of them
/// bound a segment in the plane.
pub fn is_above(x: Vec3, m: usize, corner: impl Fn(usize) -> Vec3, n: Vec3) -> bool {
    if m == 2 {
        let (tail, head) = (corner(0), corner(1));
        let along = head - tail;
        return (x - tail).dot(along) >= 0.0 && (x - head).dot(along) <= 0.0;
    }
    let mut tail = corner(0);
    (0..m).all(|i| {
        let head = corner(if i + 1 == m { 0 } else { i + 1 });
        let inside = n.cross(head - tail).dot(x - tail) >= 0.0;
        tail = head;
        inside
    })
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
    pub fn corners(&self, k: usize) -> Rim<'_> {
        match &self.kind {
            HullKind::Polytope(p) => Rim::Face(&p.faces[k].vertices),
            HullKind::Polygon(p) => Rim::Side([k as u32, ((k + 1) % p.vertices.len()) as u32]),
        }
    }

    /// Whether a point is above face `k`: in front of it or behind, but not beside it.
    pub fn is_above(&self, k: usize, x: Vec3) -> bool {
        let corners = self.corners(k);
        let at = |i: usize| self.vertices[corners[i] as usize];
        is_above(x, corners.len(), at, self.faces[k].0)
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
