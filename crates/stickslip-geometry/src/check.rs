//! Is a polytope what it claims to be?

use crate::{GeometryError, Polytope, tolerance::TOUCH};

/// Pairs of vertices and faces up to which each vertex is held against each face.
const MANY: usize = 1_000_000;

impl Polytope {
    /// Verifies Euler's formula, unit normals, planar faces, convexity, orientation and that the
    /// features refer to each other, to [`TOUCH`] of the extent.
    pub fn check(&self) -> Result<(), GeometryError> {
        self.check_within(TOUCH * self.extent())
    }

    /// The same with an absolute tolerance \[m\].
    pub fn check_within(&self, tolerance: f64) -> Result<(), GeometryError> {
        let (vertices, edges, faces) = (self.vertices.len(), self.edges.len(), self.faces.len());
        if vertices + faces != edges + 2 {
            return Err(GeometryError::Euler { vertices, edges, faces });
        }
        crate::error::finite(&self.vertices)?;
        self.check_topology()?;
        let inside = self.middle();
        for (f, face) in self.faces.iter().enumerate() {
            let odd = (face.normal.length() - 1.0).abs() > 1e-12;
            // The middle is inside every face, which also proves that normals point outward.
            if odd || face.normal.dot(inside) >= face.offset {
                return Err(GeometryError::Topology { what: "normal of face", index: f });
            }
            let height = |v: usize| face.normal.dot(self.vertices[v]) - face.offset;
            for &v in &face.vertices {
                let (vertex, distance) = (v as usize, height(v as usize));
                if distance.abs() > tolerance {
                    return Err(GeometryError::NotPlanar { face: f, vertex, distance });
                }
            }
            let outside = |&v: &usize| height(v) > tolerance;
            // A closed surface is convex if it is so across every edge: enough for large ones.
            let found = match vertices * faces > MANY {
                false => (0..vertices).find(outside),
                true => self.around(f).into_iter().find(outside),
            };
            if let Some(vertex) = found {
                let distance = height(vertex);
                return Err(GeometryError::NotConvex { face: f, vertex, distance });
            }
            self.check_turns(f, tolerance)?;
        }
        Ok(())
    }

    /// The vertices of the faces next to a face.
    fn around(&self, f: usize) -> Vec<usize> {
        let other = |&e: &u32| {
            let [left, right] = self.edges[e as usize].faces.map(|f| f as usize);
            if left == f { right } else { left }
        };
        let faces = self.faces[f].edges.iter().map(other);
        faces.flat_map(|g| self.faces[g].vertices.iter().map(|&v| v as usize)).collect()
    }

    /// Corners of a face turn left.
    fn check_turns(&self, f: usize, tolerance: f64) -> Result<(), GeometryError> {
        let face = &self.faces[f];
        let count = face.vertices.len();
        let at = |k: usize| self.vertices[face.vertices[k % count] as usize];
        for k in 0..count {
            let (a, b, c) = (at(k), at(k + 1), at(k + 2));
            let turn = (b - a).cross(c - b).dot(face.normal);
            let distance = -turn / (b - a).length();
            if distance > tolerance || (b - a).length() == 0.0 {
                let vertex = face.vertices[(k + 2) % count] as usize;
                return Err(GeometryError::NotConvex { face: f, vertex, distance });
            }
        }
        Ok(())
    }

    fn check_topology(&self) -> Result<(), GeometryError> {
        let wrong = |what, index| Err(GeometryError::Topology { what, index });
        for (f, face) in self.faces.iter().enumerate() {
            let count = face.vertices.len();
            if count < 3 || face.edges.len() != count {
                return wrong("face", f);
            }
            for (k, &e) in face.edges.iter().enumerate() {
                let Some(edge) = self.edges.get(e as usize) else { return wrong("face", f) };
                let [tail, head] = [face.vertices[k], face.vertices[(k + 1) % count]];
                let left = edge.faces[0] == f as u32 && edge.vertices == [tail, head];
                let right = edge.faces[1] == f as u32 && edge.vertices == [head, tail];
                if !left && !right {
                    return wrong("edge", e as usize);
                }
            }
        }
        let joined =
            |v: u32, w: u32| self.neighbors.get(v as usize).is_some_and(|n| n.contains(&w));
        for (e, edge) in self.edges.iter().enumerate() {
            let [a, b] = edge.vertices;
            if !joined(a, b) || !joined(b, a) {
                return wrong("edge", e);
            }
        }
        let ends: usize = self.neighbors.iter().map(Vec::len).sum();
        if ends != 2 * self.edges.len() {
            return wrong("neighbour list of length", ends);
        }
        Ok(())
    }
}
