//! Convex parts of a closed mesh that is not convex.
//!
//! Exactly, up to round-off:
//! 1. every component of the mesh is convex by itself: those are the parts;
//! 2. a prism over any polygon, with holes or not: `prism.rs`;
//! 3. any other closed mesh: it is cut at its notches (`cut.rs`), and parts are joined wherever their
//!    union is convex (`join.rs`). Of 2 and 3 the one with fewer parts is taken.
//!
//! Or approximately, on request, where that takes too many parts: on a grid of voxels, by the V-HACD of
//! parry with 64 voxels along the longest extent and concavity 0.01. The parts cover the mesh to about
//! the size of a voxel; [`TriMesh::overshoot`] says how far they reach beyond it.
//!
//! All are deterministic.

use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};

use crate::{
    GeometryError, Polytope, TriMesh, Vec3, convexity::MESH_TOLERANCE, join::joined,
    overlap::closest::on_polygon, tolerance::TOUCH,
};

/// With more distinct planes than this a prism is not cut at its notches as well.
const MAX_PLANES: usize = 96;
/// Convex parts that a body may have when its mesh is decomposed exactly.
pub const MAX_PARTS: usize = 2048;
/// The same where approximate parts will do: they are fewer, and so a step costs less.
pub const MAX_PARTS_BESIDE_VOXELS: usize = 512;
/// How much the volume of the parts may differ from that of the mesh, relative.
const SAME_VOLUME: f64 = 1e-9;

impl TriMesh {
    /// Convex parts that fill the solid inside a closed mesh: exactly if that takes no more than
    /// [`MAX_PARTS_BESIDE_VOXELS`], else approximately. See the module for how.
    pub fn decompose(&self) -> Result<Vec<Polytope>, GeometryError> {
        match self.decompose_exactly() {
            Err(GeometryError::NoExactParts { .. }) => self.decompose_approximately(),
            Ok(parts) if parts.len() > MAX_PARTS_BESIDE_VOXELS => self.decompose_approximately(),
            found => found,
        }
    }

    /// Convex parts that fill the solid inside a closed mesh, to round-off (to the precision of the
    /// numbers for a mesh whose faces are flat only to that of a file).
    pub fn decompose_exactly(&self) -> Result<Vec<Polytope>, GeometryError> {
        self.check_solid()?;
        if let Some(parts) = self.convex_components() {
            return Ok(parts);
        }
        let extent = self.extent();
        let [tight, loose] = [TOUCH, MESH_TOLERANCE].map(|t| t * extent);
        let (planes, merged) = (self.plane_count(tight), self.plane_count(loose));
        let own = self.mass_properties()?.volume;
        let fills = |parts: &Vec<Polytope>, by: f64| {
            let volume: f64 = parts.iter().map(Polytope::volume).sum();
            parts.len() <= MAX_PARTS && (volume - own).abs() <= by
        };
        // Faces that are flat only to the precision of a file, first with that tolerance.
        let by = 4.0 * loose * self.surface_area();
        if 10 * merged < 9 * planes
            && let Some(parts) = self.cut_exactly(loose, true)
            && let parts = joined(parts, MESH_TOLERANCE, 1e-6)
            && fills(&parts, by)
        {
            return Ok(parts);
        }
        let prism = self.prism_parts();
        let cut = match prism.is_some() && planes > MAX_PLANES {
            true => None,
            false => self.cut_exactly(tight, false),
        };
        let cut = cut.map(|parts| joined(parts, TOUCH, 1e-13));
        let exact = |parts: &Vec<Polytope>| fills(parts, SAME_VOLUME * own);
        let found = [cut, prism].into_iter().flatten().filter(exact).min_by_key(Vec::len);
        found.ok_or(GeometryError::NoExactParts { triangles: self.triangles.len() })
    }

    /// Each component as a polytope, if all are convex and bound solids.
    fn convex_components(&self) -> Option<Vec<Polytope>> {
        let part = |triangles: &Vec<u32>| {
            let corners = triangles.iter().map(|&t| self.triangles[t as usize]).collect();
            let vertices = self.vertices.clone();
            TriMesh::new(vertices, corners).ok()?.used().ok()?.to_polytope().ok()
        };
        self.components().iter().map(part).collect()
    }

    /// Without the vertices that no triangle uses.
    pub fn used(&self) -> Result<Self, GeometryError> {
        let mut names = vec![u32::MAX; self.vertices.len()];
        let mut vertices = vec![];
        for &v in self.triangles.iter().flatten() {
            if names[v as usize] == u32::MAX {
                names[v as usize] = vertices.len() as u32;
                vertices.push(self.vertices[v as usize]);
            }
        }
        let triangles = self.triangles.iter().map(|t| t.map(|v| names[v as usize])).collect();
        Self::new(vertices, triangles)
    }

    /// Solid angle of the mesh seen from `x` over 4π: 1 inside a closed mesh, 0 outside.
    pub fn winding(&self, x: Vec3) -> f64 {
        let angle = |t: u32| {
            let [a, b, c] = self.corners(t).map(|p| p - x);
            let [la, lb, lc] = [a.length(), b.length(), c.length()];
            let volume = a.dot(b.cross(c));
            let across = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            2.0 * volume.atan2(across)
        };
        let total: f64 = (0..self.triangles.len() as u32).map(angle).sum();
        total / (4.0 * std::f64::consts::PI)
    }

    /// How far convex parts reach beyond a closed mesh \[m\], as far as their corners and the
    /// middles of their edges and faces tell: zero for parts that fill it exactly, about the size
    /// of a voxel for others. At most 2000 points are measured.
    pub fn overshoot(&self, parts: &[Polytope]) -> f64 {
        let volume: f64 = parts.iter().map(Polytope::volume).sum();
        let own = self.mass_properties().map_or(0.0, |m| m.volume);
        if (volume - own).abs() <= 1e-9 * own {
            return 0.0;
        }
        let points: Vec<Vec3> = parts.iter().flat_map(samples).collect();
        let stride = points.len().div_ceil(2000).max(1);
        let beyond = |x: &Vec3| {
            if self.winding(*x) > 0.5 {
                return 0.0;
            }
            let distance = |t: u32| {
                let corners = self.corners(t);
                on_polygon(*x, &corners, self.normals[t as usize]).distance(*x)
            };
            (0..self.triangles.len() as u32).map(distance).fold(f64::INFINITY, f64::min)
        };
        points.iter().step_by(stride).map(beyond).fold(0.0, f64::max)
    }

    /// Convex parts that cover the solid inside a closed mesh to about 1/64 of its extent.
    pub fn decompose_approximately(&self) -> Result<Vec<Polytope>, GeometryError> {
        self.check_solid()?;
        let found =
            VHACD::decompose(&VHACDParameters::default(), &self.vertices, &self.triangles, true);
        let parts: Vec<Polytope> = found
            .compute_primitive_intersections(&self.vertices, &self.triangles)
            .iter()
            .filter_map(|points| Polytope::from_points_within(points, 1e-6).ok())
            .collect();
        if parts.is_empty() {
            return Err(GeometryError::Decomposition { triangles: self.triangles.len() });
        }
        Ok(parts)
    }
}

/// Corners, middles of edges and middles of faces.
fn samples(part: &Polytope) -> Vec<Vec3> {
    let at = |v: &u32| part.vertices[*v as usize];
    let middle = |v: &[u32]| v.iter().map(at).sum::<Vec3>() / v.len() as f64;
    let edges = part.edges.iter().map(|e| middle(&e.vertices));
    let faces = part.faces.iter().map(|f| middle(&f.vertices));
    part.vertices.iter().copied().chain(edges).chain(faces).collect()
}
