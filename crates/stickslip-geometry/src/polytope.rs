//! Convex polyhedra with polygonal faces: coplanar triangles of one flat face are one face.

use crate::math::Vec3;

/// A face: a convex polygon, counter-clockwise seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Its corners, as indices of vertices.
    pub vertices: Vec<u32>,
    /// `edges[k]` joins corner `k` to the next.
    pub edges: Vec<u32>,
    /// Unit outward normal.
    pub normal: Vec3,
    /// `normal · x` of every point x on the face \[m\].
    pub offset: f64,
}

/// An edge between two faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Tail and head, in the order in which `faces[0]` runs through them.
    pub vertices: [u32; 2],
    /// The face to the left of the edge and the one to the right, seen from outside.
    pub faces: [u32; 2],
}

/// A bounded convex polyhedron with its features and how they meet.
#[derive(Clone, Debug, PartialEq)]
pub struct Polytope {
    /// Corner points, body frame \[m\].
    pub vertices: Vec<Vec3>,
    /// Faces.
    pub faces: Vec<Face>,
    /// Edges.
    pub edges: Vec<Edge>,
    /// For each vertex, the vertices joined to it by an edge.
    pub neighbors: Vec<Vec<u32>>,
}
