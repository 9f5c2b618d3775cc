//! Triangle meshes: closed ones bound a solid, open ones are one-sided surfaces.

use std::collections::BTreeMap;

use crate::{
    Aabb, GeometryError, MassProperties, Vec3,
    error::{finite, positive},
    tolerance::TOUCH,
    tree::BoxTree,
};

/// How two triangles meet at their common edge, seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bend {
    /// No triangle on the other side.
    Border,
    /// In one plane.
    Flat,
    /// A ridge.
    Convex,
    /// A valley.
    Concave,
}

/// Triangles over shared vertices, counter-clockwise seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct TriMesh {
    /// Corner points \[m\].
    pub vertices: Vec<Vec3>,
    /// Corners of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Unit outward normal of each triangle.
    pub normals: Vec<Vec3>,
    /// `neighbors[t][k]`: the triangle across the edge from corner `k` of `t` to the next.
    pub neighbors: Vec<[Option<u32>; 3]>,
    /// `bends[t][k]`: how `t` meets that neighbour.
    pub bends: Vec<[Bend; 3]>,
    tree: BoxTree,
}

impl TriMesh {
    /// A mesh from its vertices and triangles.
    ///
    /// Refused: coordinates that are not finite, indices out of range, triangles without area
    /// (height below 1e-12 of the extent), an edge that two triangles run through in the same
    /// direction. Open meshes are fine here; see [`TriMesh::check_solid`].
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, GeometryError> {
        finite(&vertices)?;
        if triangles.is_empty() {
            return Err(GeometryError::TooFew { what: "triangles", given: 0, needed: 1 });
        }
        let (given, limit) = (vertices.len().max(triangles.len()), u32::MAX as usize / 4);
        if given > limit {
            return Err(GeometryError::TooMany { what: "triangles", given, limit });
        }
        let bounds = Aabb::of(vertices.iter().copied());
        let extent = (bounds.max - bounds.min).max_element();
        let normals = normals(&vertices, &triangles, extent)?;
        let neighbors = neighbors(&triangles)?;
        let tree =
            BoxTree::new(triangles.iter().map(|t| Aabb::of(t.map(|i| vertices[i as usize]))));
        let mut mesh = Self { vertices, triangles, normals, neighbors, bends: vec![], tree };
        let count = mesh.triangles.len();
        mesh.bends = (0..count).map(|t| mesh.bends_of(t, TOUCH * extent)).collect();
        Ok(mesh)
    }

    /// The same with vertices at the same place made one, as formats without indices need.
    pub fn welded(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, GeometryError> {
        let mut kept = vec![];
        let mut names: BTreeMap<[u64; 3], u32> = BTreeMap::new();
        let mut name_of = Vec::with_capacity(vertices.len());
        for v in vertices {
            // Adding zero makes -0 and 0 the same bits.
            let key = (*v + Vec3::ZERO).to_array().map(f64::to_bits);
            let name = *names.entry(key).or_insert_with(|| {
                kept.push(*v);
                kept.len() as u32 - 1
            });
            name_of.push(name);
        }
        let rename = |(t, corners): (usize, &[u32; 3])| {
            let mut found = [0; 3];
            for (new, &old) in found.iter_mut().zip(corners) {
                let (triangle, vertex, count) = (t, old as usize, vertices.len());
                *new = *name_of.get(vertex).ok_or(GeometryError::NoSuchVertex {
                    triangle,
                    vertex,
                    count,
                })?;
            }
            Ok(found)
        };
        let triangles = triangles.iter().enumerate().map(rename).collect::<Result<_, _>>()?;
        Self::new(kept, triangles)
    }

    /// Heights over a rectangle around the origin: row by row from low y to high y, each row of
    /// `columns` numbers from low x to high x, seen from above (+z) \[m\].
    pub fn heightfield(
        heights: &[f64],
        columns: usize,
        size: [f64; 2],
    ) -> Result<Self, GeometryError> {
        positive("size", size[0])?;
        positive("size", size[1])?;
        if columns < 2 {
            return Err(GeometryError::TooFew { what: "columns", given: columns, needed: 2 });
        }
        let rows = heights.len() / columns;
        if rows < 2 || rows * columns != heights.len() {
            let (given, needed) = (heights.len(), columns * (rows + 1).max(2));
            return Err(GeometryError::TooFew { what: "heights", given, needed });
        }
        let at = |k: usize, count: usize, size: f64| (k as f64 / (count - 1) as f64 - 0.5) * size;
        let point = |(k, &z): (usize, &f64)| {
            Vec3::new(at(k % columns, columns, size[0]), at(k / columns, rows, size[1]), z)
        };
        let vertices = heights.iter().enumerate().map(point).collect();
        let mut triangles = vec![];
        for row in 0..rows - 1 {
            for column in 0..columns - 1 {
                let low = (row * columns + column) as u32;
                let high = low + columns as u32;
                triangles.push([low, low + 1, high + 1]);
                triangles.push([low, high + 1, high]);
            }
        }
        Self::new(vertices, triangles)
    }

    /// The corners of a triangle \[m\].
    pub fn corners(&self, triangle: u32) -> [Vec3; 3] {
        self.triangles[triangle as usize].map(|i| self.vertices[i as usize])
    }

    /// The triangles whose boxes overlap `query`, in rising order.
    pub fn triangles_in(&self, query: &Aabb) -> Vec<u32> {
        self.tree.overlapping(query)
    }

    /// The box around the mesh.
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }

    /// Largest extent of that box \[m\].
    pub fn extent(&self) -> f64 {
        let b = self.bounds();
        (b.max - b.min).max_element()
    }

    /// Whether every edge has triangles on both sides.
    pub fn is_closed(&self) -> bool {
        self.check_closed().is_ok()
    }

    /// The same with the first open edge named.
    pub fn check_closed(&self) -> Result<(), GeometryError> {
        for (t, sides) in self.neighbors.iter().enumerate() {
            if let Some(k) = sides.iter().position(Option::is_none) {
                let [from, to] = [k, (k + 1) % 3].map(|k| self.triangles[t][k] as usize);
                return Err(GeometryError::Open { triangle: t, from, to });
            }
        }
        Ok(())
    }

    /// Whether the mesh bounds a solid: closed, and not inside out. A component that is turned
    /// inward counts as a cavity when it lies in the box of another one.
    pub fn check_solid(&self) -> Result<(), GeometryError> {
        self.check_closed()?;
        let parts = self.components();
        let volumes: Vec<f64> = parts.iter().map(|p| self.volume_of(p)).collect();
        let boxes: Vec<Aabb> = parts.iter().map(|p| self.box_of(p)).collect();
        for (k, part) in parts.iter().enumerate() {
            let holds = |outer: usize| {
                volumes[outer] > 0.0 && boxes[outer].union(&boxes[k]) == boxes[outer]
            };
            if volumes[k] <= 0.0 && !(0..parts.len()).any(holds) {
                let (triangle, volume) = (part[0] as usize, volumes[k]);
                return Err(GeometryError::InsideOut { triangle, volume });
            }
        }
        Ok(())
    }

    /// The sets of triangles joined over edges, each in rising order.
    pub fn components(&self) -> Vec<Vec<u32>> {
        let mut seen = vec![false; self.triangles.len()];
        let mut found = vec![];
        for start in 0..self.triangles.len() {
            if seen[start] {
                continue;
            }
            seen[start] = true;
            let mut part = vec![start as u32];
            let mut next = 0;
            while next < part.len() {
                for n in self.neighbors[part[next] as usize].into_iter().flatten() {
                    if !std::mem::replace(&mut seen[n as usize], true) {
                        part.push(n);
                    }
                }
                next += 1;
            }
            part.sort_unstable();
            found.push(part);
        }
        found
    }

    fn volume_of(&self, part: &[u32]) -> f64 {
        let origin = self.corners(part[0])[0];
        let six = |&t: &u32| {
            let [a, b, c] = self.corners(t).map(|p| p - origin);
            a.dot(b.cross(c))
        };
        part.iter().map(six).sum::<f64>() / 6.0
    }

    fn box_of(&self, part: &[u32]) -> Aabb {
        Aabb::of(part.iter().flat_map(|&t| self.corners(t)))
    }

    /// Exact volume, centre of mass and inertia of the solid inside a closed mesh.
    pub fn mass_properties(&self) -> Result<MassProperties, GeometryError> {
        self.check_solid()?;
        MassProperties::of_triangles(&self.vertices, &self.triangles)
    }

    /// With its vertices changed: moved, turned, scaled.
    pub fn mapped(&self, map: impl Fn(Vec3) -> Vec3) -> Result<Self, GeometryError> {
        Self::new(self.vertices.iter().map(|&v| map(v)).collect(), self.triangles.clone())
    }

    fn bends_of(&self, t: usize, tolerance: f64) -> [Bend; 3] {
        [0, 1, 2].map(|k| match self.neighbors[t][k] {
            None => Bend::Border,
            Some(n) => {
                let own = self.triangles[t];
                let tip = self.triangles[n as usize]
                    .into_iter()
                    .find(|v| *v != own[k] && *v != own[(k + 1) % 3])
                    .unwrap_or(own[k]);
                // Seen from either side, so that both triangles agree on what is flat.
                let height = |t: usize, tip: u32| {
                    let origin = self.vertices[self.triangles[t][0] as usize];
                    self.normals[t].dot(self.vertices[tip as usize] - origin)
                };
                let (there, back) = (height(t, tip), height(n as usize, own[(k + 2) % 3]));
                match there + back {
                    _ if there.abs() <= tolerance && back.abs() <= tolerance => Bend::Flat,
                    sum if sum < 0.0 => Bend::Convex,
                    _ => Bend::Concave,
                }
            }
        })
    }
}

fn normals(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    extent: f64,
) -> Result<Vec<Vec3>, GeometryError> {
    let count = vertices.len();
    let normal = |(triangle, corners): (usize, &[u32; 3])| {
        if let Some(&v) = corners.iter().find(|&&v| v as usize >= count) {
            let vertex = v as usize;
            return Err(GeometryError::NoSuchVertex { triangle, vertex, count });
        }
        let [a, b, c] = corners.map(|i| vertices[i as usize]);
        let edge = a.distance(b).max(b.distance(c)).max(c.distance(a));
        // Relative to the longest edge, so that small triangles do not underflow.
        let n = ((b - a) / edge).cross((c - a) / edge);
        let length = n.length();
        if !(edge > 0.0 && length * edge > 1e-12 * extent) {
            let area = (b - a).cross(c - a).length() / 2.0;
            return Err(GeometryError::DegenerateTriangle { triangle, area, edge });
        }
        Ok(n / length)
    };
    triangles.iter().enumerate().map(normal).collect()
}

fn neighbors(triangles: &[[u32; 3]]) -> Result<Vec<[Option<u32>; 3]>, GeometryError> {
    let mut by_edge: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for (t, corners) in triangles.iter().enumerate() {
        for k in 0..3 {
            let [from, to] = [corners[k], corners[(k + 1) % 3]];
            if let Some(first) = by_edge.insert([from, to], t as u32) {
                return Err(GeometryError::Orientation {
                    first: first as usize,
                    second: t,
                    from: from as usize,
                    to: to as usize,
                });
            }
        }
    }
    let across = |t: &[u32; 3], k: usize| by_edge.get(&[t[(k + 1) % 3], t[k]]).copied();
    Ok(triangles.iter().map(|t| [0, 1, 2].map(|k| across(t, k))).collect())
}
