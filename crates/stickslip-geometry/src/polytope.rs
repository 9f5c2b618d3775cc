//! Convex polyhedra with polygonal faces: coplanar triangles of one flat face are one face.

use std::collections::BTreeMap;

use crate::{
    Aabb, GeometryError, Pose,
    error::{finite, positive},
    gauss, hull,
    math::Vec3,
    merge,
    tolerance::TOUCH,
};

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
    pub(crate) map: gauss::Kept,
}

impl Polytope {
    /// The convex hull of points, flat within [`TOUCH`].
    ///
    /// Points inside, doubled, on a face or on an edge are dropped.
    pub fn from_points(points: &[Vec3]) -> Result<Self, GeometryError> {
        Self::from_points_within(points, TOUCH)
    }

    /// The convex hull, with faces merged where they are flat within `tolerance` times the
    /// largest extent (files of single-precision numbers need 1e-6).
    pub fn from_points_within(points: &[Vec3], tolerance: f64) -> Result<Self, GeometryError> {
        finite(points)?;
        positive("tolerance", tolerance)?;
        if points.len() < 4 {
            let (given, needed) = (points.len(), 4);
            return Err(GeometryError::TooFew { what: "points", given, needed });
        }
        let bounds = Aabb::of(points.iter().copied());
        let extent = (bounds.max - bounds.min).max_element();
        if !(extent.is_finite() && extent > f64::MIN_POSITIVE / TOUCH) {
            return Err(GeometryError::Flat { extent, thickness: extent });
        }
        // Rounding may leave an outline that is not one loop at exactly this tolerance.
        let mut error = GeometryError::Flat { extent, thickness: 0.0 };
        for factor in [1.0, 0.25, 4.0, 0.01] {
            let merge = (tolerance * factor).min(0.25) * extent;
            let kept = merge::without_duplicates(points, bounds.min, merge);
            match Self::merged(&kept, bounds.min, extent, merge) {
                Ok(found) => return Ok(found),
                Err(flat @ GeometryError::Flat { .. }) => return Err(flat),
                Err(other) => error = other,
            }
        }
        Err(error)
    }

    fn merged(
        points: &[Vec3],
        low: Vec3,
        extent: f64,
        tolerance: f64,
    ) -> Result<Self, GeometryError> {
        let triangles = hull::triangles(points, low, extent)?;
        let thickness = merge::thickness(points, &triangles);
        if thickness <= 2.0 * tolerance {
            return Err(GeometryError::Flat { extent, thickness });
        }
        let faces = merge::faces(points, &triangles, tolerance)
            .ok_or(GeometryError::Topology { what: "outline of face", index: 0 })?;
        if faces.len() < 4 || faces.iter().any(|f| f.len() < 3) {
            return Err(GeometryError::Flat { extent, thickness: tolerance });
        }
        let mut names = BTreeMap::new();
        for &corner in faces.iter().flatten() {
            names.insert(corner, 0_u32);
        }
        for (k, name) in names.values_mut().enumerate() {
            *name = k as u32;
        }
        let vertices = names.keys().map(|&k| points[k]).collect();
        let loops = faces.iter().map(|f| f.iter().map(|c| names[c]).collect()).collect();
        let found = Self::from_faces(vertices, loops)?;
        found.check_within(16.0 * tolerance)?;
        // A corner may only be dropped if it lies on what is left.
        let dropped = triangles.iter().flatten().filter(|c| !names.contains_key(c));
        for (index, &c) in dropped.enumerate() {
            let outside = |f: &Face| f.normal.dot(points[c]) - f.offset > 16.0 * tolerance;
            if found.faces.iter().any(outside) {
                return Err(GeometryError::Topology { what: "dropped corner", index });
            }
        }
        Ok(found)
    }

    /// From corner points and, for each face, its corners counter-clockwise from outside.
    pub fn from_faces(vertices: Vec<Vec3>, loops: Vec<Vec<u32>>) -> Result<Self, GeometryError> {
        finite(&vertices)?;
        let mut edges: Vec<Edge> = vec![];
        let mut by_ends: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        let mut faces = vec![];
        for (f, corners) in loops.into_iter().enumerate() {
            let topology = |what| GeometryError::Topology { what, index: f };
            if corners.len() < 3 || corners.iter().any(|&c| c as usize >= vertices.len()) {
                return Err(topology("face"));
            }
            let mut own = vec![];
            for (k, &tail) in corners.iter().enumerate() {
                let head = corners[(k + 1) % corners.len()];
                if by_ends.contains_key(&[tail, head]) {
                    return Err(topology("edge of face"));
                }
                let edge = match by_ends.get(&[head, tail]) {
                    Some(&edge) => {
                        edges[edge as usize].faces[1] = f as u32;
                        edge
                    }
                    None => {
                        edges.push(Edge { vertices: [tail, head], faces: [f as u32, u32::MAX] });
                        edges.len() as u32 - 1
                    }
                };
                by_ends.insert([tail, head], edge);
                own.push(edge);
            }
            let (normal, offset) = plane(&vertices, &corners).ok_or_else(|| topology("face"))?;
            faces.push(Face { vertices: corners, edges: own, normal, offset });
        }
        let mut neighbors = vec![vec![]; vertices.len()];
        for (k, edge) in edges.iter().enumerate() {
            if edge.faces[1] == u32::MAX {
                return Err(GeometryError::Topology { what: "edge", index: k });
            }
            let [a, b] = edge.vertices;
            neighbors[a as usize].push(b);
            neighbors[b as usize].push(a);
        }
        Ok(Self { vertices, faces, edges, neighbors, map: gauss::Kept::default() })
    }

    /// A box around the origin with the given edge lengths \[m\]; normals and offsets are exact.
    pub fn cuboid(size: Vec3) -> Result<Self, GeometryError> {
        for s in size.to_array() {
            positive("size", s)?;
        }
        // Vertex k lies at the upper end of axis x, y, z where bit 0, 1, 2 of k is set.
        let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 0.5 } else { -0.5 };
        let corner = |k| size * Vec3::new(sign(k, 0), sign(k, 1), sign(k, 2));
        let loops: [[u32; 4]; 6] =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let mut found =
            Self::from_faces((0..8).map(corner).collect(), loops.map(Vec::from).into())?;
        for (k, face) in found.faces.iter_mut().enumerate() {
            let sign = if k % 2 == 1 { 1.0 } else { -1.0 };
            face.normal = Vec3::AXES[k / 2] * sign + Vec3::ZERO;
            face.offset = 0.5 * size[k / 2];
        }
        Ok(found)
    }

    /// The middle of the vertices \[m\]: a point inside.
    pub fn middle(&self) -> Vec3 {
        self.vertices.iter().sum::<Vec3>() / self.vertices.len() as f64
    }

    /// Moved by `shift` \[m\].
    pub fn translated(&self, shift: Vec3) -> Self {
        self.placed(&Pose::new(shift, crate::Quat::IDENTITY))
    }

    /// With its points moved from the frame of `pose` to the frame around it.
    pub fn placed(&self, pose: &Pose) -> Self {
        let mut found = self.clone();
        for v in &mut found.vertices {
            *v = pose.point(*v);
        }
        for face in &mut found.faces {
            face.normal = pose.vector(face.normal);
            face.offset += face.normal.dot(pose.position);
        }
        found
    }

    /// All lengths multiplied by `factor` > 0.
    pub fn scaled(&self, factor: f64) -> Result<Self, GeometryError> {
        positive("factor", factor)?;
        let mut found = self.clone();
        found.vertices.iter_mut().for_each(|v| *v *= factor);
        found.faces.iter_mut().for_each(|f| f.offset *= factor);
        Ok(found)
    }

    /// The vertex farthest along `direction` (the first one of several).
    pub fn support(&self, direction: Vec3) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        for (k, v) in self.vertices.iter().enumerate() {
            let along = v.dot(direction);
            if along > best.1 {
                best = (k, along);
            }
        }
        best.0
    }

    /// Largest extent of the box around it \[m\].
    pub fn extent(&self) -> f64 {
        let b = Aabb::of(self.vertices.iter().copied());
        (b.max - b.min).max_element()
    }
}

/// Normal and offset of a polygon by Newell's method, exact for axis-aligned faces.
fn plane(vertices: &[Vec3], corners: &[u32]) -> Option<(Vec3, f64)> {
    let at = |k: usize| vertices[corners[k % corners.len()] as usize];
    let origin = at(0);
    let reach =
        (0..corners.len()).map(|k| (at(k) - origin).abs().max_element()).fold(0.0, f64::max);
    // Relative coordinates, so that tiny shapes do not underflow.
    let relative = |k: usize| (at(k) - origin) / reach;
    let sum: Vec3 = (0..corners.len()).map(|k| relative(k).cross(relative(k + 1))).sum();
    let length = sum.length();
    if !(length > 0.0 && length.is_finite()) {
        return None;
    }
    let normal = sum / length;
    let mean = (0..corners.len()).map(|k| normal.dot(at(k))).sum::<f64>() / corners.len() as f64;
    Some((normal, mean))
}
