//! When is a mesh a polytope?

use crate::{GeometryError, Polytope, TriMesh, tolerance::TOUCH};

/// A mesh counts as convex, and its triangles as one face, within this fraction of its extent:
/// the precision of files that hold single-precision numbers or six digits.
pub const MESH_TOLERANCE: f64 = 1e-6;

impl TriMesh {
    /// The polytope inside a closed convex mesh.
    ///
    /// The mesh is convex when each of its triangles lies on one face of the hull of its
    /// vertices, within [`MESH_TOLERANCE`] of the extent, and it bounds the volume of the hull.
    pub fn to_polytope(&self) -> Result<Polytope, GeometryError> {
        let mass = self.mass_properties()?;
        let hull = mesh_hull(&self.vertices)?;
        let tolerance = 4.0 * MESH_TOLERANCE * self.extent();
        for t in 0..self.triangles.len() as u32 {
            let corners = self.corners(t);
            let depth = |f: &crate::polytope::Face| {
                corners.iter().map(|c| (f.offset - f.normal.dot(*c)).abs()).fold(0.0, f64::max)
            };
            let distance = hull.faces.iter().map(depth).fold(f64::INFINITY, f64::min);
            if distance > tolerance {
                let vertex = self.triangles[t as usize][0] as usize;
                return Err(GeometryError::MeshNotConvex { vertex, distance });
            }
        }
        // A surface that covers the hull twice, or leaves cavities, is no polytope either.
        let area: f64 = self.surface_area();
        let distance = (hull.volume() - mass.volume).abs() / area;
        if distance > tolerance {
            return Err(GeometryError::MeshNotConvex { vertex: 0, distance });
        }
        Ok(hull)
    }

    /// Area of all triangles \[m²\].
    pub fn surface_area(&self) -> f64 {
        let area = |t: u32| {
            let [a, b, c] = self.corners(t);
            0.5 * (b - a).cross(c - a).length()
        };
        (0..self.triangles.len() as u32).map(area).sum()
    }
}

/// The hull with exact faces where the points are exact, and otherwise with those that are flat
/// to the precision of a file.
fn mesh_hull(points: &[crate::Vec3]) -> Result<Polytope, GeometryError> {
    let loose = Polytope::from_points_within(points, MESH_TOLERANCE);
    match Polytope::from_points_within(points, TOUCH) {
        Ok(exact) if loose.as_ref().is_ok_and(|l| l.faces.len() < exact.faces.len()) => loose,
        Err(_) => loose,
        exact => exact,
    }
}
