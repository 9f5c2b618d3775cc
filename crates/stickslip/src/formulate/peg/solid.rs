//! A convex polygon or polytope at its place, with which features meet at which.

use std::{ops::Deref, sync::Arc};

use stickslip_geometry::{Convex, PlacedHull, Pose, Vec3};

use crate::collide::pairs::edge_edge::Segment;

/// Which features of a convex part meet at which. A side of a polygon is a face.
#[derive(Debug, Default)]
pub(crate) struct Topology {
    /// A corner of each face.
    pub corner: Vec<usize>,
    /// Ends and faces (left, right) of each edge; a polygon has none.
    pub edges: Vec<([usize; 2], [usize; 2])>,
    /// For each vertex, the vertices joined to it.
    pub neighbors: Vec<Vec<usize>>,
    /// For each vertex, the faces around it: in 2D the side that enters it and the one that leaves.
    pub faces_at: Vec<Vec<usize>>,
    /// For each vertex, the edges that end in it.
    pub edges_at: Vec<Vec<usize>>,
}

impl Topology {
    /// `None` for shapes without corners.
    pub fn new(convex: &Convex) -> Option<Arc<Self>> {
        match convex {
            Convex::Polygon(p) => {
                let n = p.vertices.len();
                Some(Arc::new(Self {
                    corner: (0..n).collect(),
                    edges: Vec::new(),
                    neighbors: (0..n).map(|k| vec![(k + n - 1) % n, (k + 1) % n]).collect(),
                    faces_at: (0..n).map(|k| vec![(k + n - 1) % n, k]).collect(),
                    edges_at: vec![Vec::new(); n],
                }))
            }
            Convex::Polytope(p) => {
                let n = p.vertices.len();
                let mut faces_at = vec![Vec::new(); n];
                for (k, f) in p.faces.iter().enumerate() {
                    f.vertices.iter().for_each(|&v| faces_at[v as usize].push(k));
                }
                let pair = |x: [u32; 2]| x.map(|k| k as usize);
                let edges: Vec<_> =
                    p.edges.iter().map(|e| (pair(e.vertices), pair(e.faces))).collect();
                let mut edges_at = vec![Vec::new(); n];
                for (k, (ends, _)) in edges.iter().enumerate() {
                    ends.iter().for_each(|&v| edges_at[v].push(k));
                }
                let near = |v: &Vec<u32>| v.iter().map(|&k| k as usize).collect();
                Some(Arc::new(Self {
                    corner: p.faces.iter().map(|f| f.vertices[0] as usize).collect(),
                    edges,
                    neighbors: p.neighbors.iter().map(near).collect(),
                    faces_at,
                    edges_at,
                }))
            }
            _ => None,
        }
    }
}

/// A convex part in the world frame.
#[derive(Clone, Debug)]
pub(crate) struct Solid {
    pub vertices: Vec<Vec3>,
    /// Unit outward normals.
    pub normals: Vec<Vec3>,
    topology: Arc<Topology>,
}

impl Deref for Solid {
    type Target = Topology;

    fn deref(&self) -> &Topology {
        &self.topology
    }
}

impl Solid {
    /// The part at a place.
    pub fn new(topology: &Arc<Topology>, convex: &Convex, pose: Pose) -> Self {
        let (vertices, normals) = match PlacedHull::new(convex, pose) {
            Some(hull) => (hull.vertices, hull.faces.iter().map(|f| f.0).collect()),
            None => Default::default(),
        };
        Self { vertices, normals, topology: Arc::clone(topology) }
    }

    /// Height of a point above face `f` \[m\].
    pub fn height(&self, f: usize, v: Vec3) -> f64 {
        self.normals[f].dot(v - self.vertices[self.corner[f]])
    }

    /// Equation (3.4): the least extent by which an edge at vertex `v` leads away from a face of
    /// the other body with that normal.
    pub fn applicability(&self, v: usize, normal: Vec3) -> f64 {
        let ends = self.neighbors[v].iter().map(|&w| self.vertices[w]);
        crate::collide::pairs::vertex_face::applicability(self.vertices[v], normal, ends)
    }

    /// Edge `k` with the normals of its faces.
    pub fn edge(&self, k: usize) -> Segment {
        let ([t, h], faces) = self.edges[k];
        let tail = self.vertices[t];
        Segment { tail, along: self.vertices[h] - tail, normals: faces.map(|f| self.normals[f]) }
    }

    /// Unit direction of edge `k` away from its end `v`.
    pub fn from(&self, k: usize, v: usize) -> Vec3 {
        let ends = self.edges[k].0;
        let other = if ends[0] == v { ends[1] } else { ends[0] };
        (self.vertices[other] - self.vertices[v]).normalize_or_zero()
    }

    /// Unit direction into face `f` from its edge `k`, perpendicular to the edge.
    pub fn along_face(&self, k: usize, f: usize) -> Vec3 {
        let (ends, faces) = self.edges[k];
        let e = (self.vertices[ends[1]] - self.vertices[ends[0]]).normalize_or_zero();
        // The left face runs along its edges counter-clockwise: it lies to their left.
        if faces[0] == f { self.normals[f].cross(e) } else { e.cross(self.normals[f]) }
    }

    /// Distance of a point from edge `k` \[m\].
    pub fn edge_distance(&self, k: usize, v: Vec3) -> f64 {
        let [t, h] = self.edges[k].0.map(|i| self.vertices[i]);
        crate::collide::pairs::vertex_face::point_segment(t, h, v).distance(v)
    }

    /// Whether a point may go from before face `f` to before face `g` around an edge (a corner in
    /// 2D) that both share, within `reach` \[m\].
    pub fn joined(&self, f: usize, g: usize, at: Vec3, reach: f64) -> bool {
        if self.edges.is_empty() {
            let n = self.vertices.len();
            let corner = |first: usize, next: usize| {
                (first + 1) % n == next && self.vertices[next].distance(at) <= reach
            };
            return corner(f, g) || corner(g, f);
        }
        let both = |faces: &[usize; 2]| *faces == [f, g] || *faces == [g, f];
        let near = |k: usize| self.edge_distance(k, at) <= reach;
        (0..self.edges.len()).any(|k| both(&self.edges[k].1) && near(k))
    }
}
