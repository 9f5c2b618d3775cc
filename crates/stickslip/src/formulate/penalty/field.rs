//! The signed distance of a surface of triangles: negative behind it.
//!
//! The distance is that of the closest point; its sign that of the pseudonormal there: the normal
//! of a face, the sum of two at an edge, all around a vertex weighted by their angles (Baerentzen
//! and Aanaes 2005). Samples on a grid answer most questions by trilinear interpolation, as the
//! distance fields of Drumwright 2007 (appendix I) do; nodes are sampled when first needed. The
//! distance changes by no more than the way, so that an interpolated value is wrong by no more than
//! the diagonal of a cell: nearer to the surface than that the distance is computed exactly.

use std::{collections::HashMap, sync::Arc};

use stickslip_geometry::{Aabb, Bend, TriMesh, Vec3};

/// Cells along the longest side of the mesh. They cost memory and save time, nothing else: near
/// the surface distances are exact.
const CELLS: f64 = 64.0;

/// The point of a surface closest to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    /// Where \[m\].
    pub at: Vec3,
    /// The triangle it lies on.
    pub triangle: u32,
    /// Unit pseudonormal there.
    pub normal: Vec3,
    /// Signed distance \[m\].
    pub distance: f64,
    /// Whether it lies on an edge with a valley.
    pub valley: bool,
}

/// Where on a triangle a point lies.
enum Place {
    Face,
    /// From this corner to the next.
    Edge(usize),
    Corner(usize),
}

/// The field of one mesh, in its frame.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub mesh: Arc<TriMesh>,
    cell: f64,
    /// Looked up, never walked through.
    nodes: HashMap<[i64; 3], f64>,
    /// Pseudonormal of each vertex, and whether it lies on a border.
    corners: Vec<(Vec3, bool)>,
}

impl Field {
    /// Of a mesh.
    pub fn new(mesh: &Arc<TriMesh>) -> Self {
        let mut corners = vec![(Vec3::ZERO, false); mesh.vertices.len()];
        for (t, indices) in mesh.triangles.iter().enumerate() {
            for k in 0..3 {
                let [a, b, c] = [0, 1, 2].map(|j| mesh.vertices[indices[(k + j) % 3] as usize]);
                let angle = (b - a).angle_between(c - a);
                corners[indices[k] as usize].0 += mesh.normals[t] * angle;
                if mesh.bends[t][k] == Bend::Border {
                    corners[indices[k] as usize].1 = true;
                    corners[indices[(k + 1) % 3] as usize].1 = true;
                }
            }
        }
        for (normal, _) in &mut corners {
            *normal = normal.normalize_or_zero();
        }
        let cell = mesh.extent() / CELLS;
        Self { mesh: Arc::clone(mesh), cell, nodes: HashMap::new(), corners }
    }

    /// Signed distance of a point \[m\]: exact within a cell's diagonal of the surface, the sign
    /// certain everywhere.
    pub fn distance(&mut self, p: Vec3) -> f64 {
        let rough = self.interpolated(p);
        let unsure = 3.0_f64.sqrt() * self.cell;
        if rough.abs() > unsure { rough } else { self.nearest(p).distance }
    }

    /// Trilinear interpolation of the samples around a point \[m\].
    pub fn interpolated(&mut self, p: Vec3) -> f64 {
        let scaled = p / self.cell;
        let low = scaled.floor();
        let t = scaled - low;
        let first = low.to_array().map(|x| x as i64);
        let mut sum = 0.0;
        for k in 0..8_usize {
            let up = [k & 1, k >> 1 & 1, k >> 2];
            let weight = |axis: usize| if up[axis] == 1 { t[axis] } else { 1.0 - t[axis] };
            let node = [0, 1, 2].map(|axis| first[axis] + up[axis] as i64);
            let share = weight(0) * weight(1) * weight(2);
            if share > 0.0 {
                sum += share * self.sample(node);
            }
        }
        sum
    }

    fn sample(&mut self, node: [i64; 3]) -> f64 {
        if let Some(&known) = self.nodes.get(&node) {
            return known;
        }
        let at = Vec3::from_array(node.map(|x| x as f64)) * self.cell;
        let found = self.nearest(at).distance;
        self.nodes.insert(node, found);
        found
    }

    /// The closest point of the surface, among triangles in a box that grows until it holds it.
    pub fn nearest(&self, p: Vec3) -> Nearest {
        let bounds = self.mesh.bounds();
        let beside = (bounds.min - p).max(p - bounds.max).max(Vec3::ZERO).length();
        let mut reach = beside + self.cell;
        loop {
            let around = Aabb { min: p, max: p }.inflated(reach);
            let near = self.mesh.triangles_in(&around);
            let best = near
                .into_iter()
                .map(|t| self.on_triangle(p, t))
                .min_by(|a, b| a.at.distance_squared(p).total_cmp(&b.at.distance_squared(p)));
            match best {
                Some(found) if found.at.distance(p) <= reach => return found,
                _ => reach *= 2.0,
            }
        }
    }

    /// The closest point of one triangle.
    pub fn on_triangle(&self, p: Vec3, triangle: u32) -> Nearest {
        let (t, corners) = (triangle as usize, self.mesh.corners(triangle));
        let (at, place) = closest(p, corners, self.mesh.normals[t]);
        let bends = self.mesh.bends[t];
        let (normal, border, valley) = match place {
            Place::Face => (self.mesh.normals[t], false, false),
            Place::Edge(k) => {
                let other = self.mesh.neighbors[t][k].map(|n| self.mesh.normals[n as usize]);
                let sum = self.mesh.normals[t] + other.unwrap_or(Vec3::ZERO);
                let valley = bends[k] == Bend::Concave;
                (sum.normalize_or_zero(), bends[k] == Bend::Border, valley)
            }
            Place::Corner(k) => {
                let (normal, border) = self.corners[self.mesh.triangles[t][k] as usize];
                // A tip has ridges around; one valley is enough to be nearer by another face.
                let valley = [k, (k + 2) % 3].iter().any(|&e| bends[e] == Bend::Concave);
                (normal, border, valley)
            }
        };
        // Beside the end of a surface there is nothing to be behind of.
        let behind = !border && (p - at).dot(normal) < 0.0;
        let distance = if behind { -at.distance(p) } else { at.distance(p) };
        Nearest { at, triangle, normal, distance, valley }
    }
}

/// The point of a triangle closest to `p`: the foot of the perpendicular if it is inside, otherwise
/// the closest of the edges it is outside of.
fn closest(p: Vec3, corners: [Vec3; 3], normal: Vec3) -> (Vec3, Place) {
    let edge = |k: usize| (corners[k], corners[(k + 1) % 3] - corners[k]);
    let mut best: Option<(f64, Vec3, Place)> = None;
    for k in 0..3 {
        let (a, along) = edge(k);
        if normal.dot(along.cross(p - a)) >= 0.0 {
            continue;
        }
        let t = ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let (at, place) = match t {
            0.0 => (a, Place::Corner(k)),
            1.0 => (corners[(k + 1) % 3], Place::Corner((k + 1) % 3)),
            _ => (a + along * t, Place::Edge(k)),
        };
        let square = at.distance_squared(p);
        if best.as_ref().is_none_or(|b| square < b.0) {
            best = Some((square, at, place));
        }
    }
    match best {
        Some((_, at, place)) => (at, place),
        None => (p - normal * normal.dot(p - corners[0]), Place::Face),
    }
}
