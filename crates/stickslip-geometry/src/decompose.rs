//! Convex parts of a closed mesh that is not convex.
//!
//! Four ways, tried in this order:
//! 1. every component of the mesh is convex by itself: those are the parts;
//! 2. few distinct planes (at most [`MAX_PLANES`]): the hull is cut along the planes of the
//!    faces that run through it until no face is left inside any piece (a binary space
//!    partition); pieces inside the mesh are kept, and joined wherever their union is convex.
//!    The parts fill the mesh exactly, up to rounding;
//! 3. a prism over any polygon, with holes or not (`prism.rs`): exact too;
//! 4. otherwise (curved surfaces) approximate decomposition on a grid of voxels, by the V-HACD
//!    of parry with 64 voxels along the longest extent and concavity 0.01: the parts cover the
//!    mesh to about the size of a voxel.
//!
//! All are deterministic.

use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};

use crate::{
    Aabb, GeometryError, Polytope, TriMesh, Vec3, clip, overlap::closest::on_polygon,
    tolerance::TOUCH,
};

/// With more distinct planes than this, cutting along them gives too many parts.
pub const MAX_PLANES: usize = 96;
/// Pieces at which exact cutting gives up.
const MAX_PIECES: usize = 512;

/// `normal · x = offset`.
#[derive(Clone, Copy)]
struct Plane {
    normal: Vec3,
    offset: f64,
}

impl Plane {
    fn height(&self, x: Vec3) -> f64 {
        self.normal.dot(x) - self.offset
    }
}

/// A piece of a mesh triangle, with the plane it lies in.
#[derive(Clone)]
struct Scrap {
    corners: Vec<Vec3>,
    plane: usize,
}

impl TriMesh {
    /// Convex parts that fill the solid inside a closed mesh; see the module for how.
    pub fn decompose(&self) -> Result<Vec<Polytope>, GeometryError> {
        self.check_solid()?;
        if let Some(parts) = self.convex_components() {
            return Ok(parts);
        }
        match self.cut_exactly().or_else(|| self.prism_parts()) {
            Some(parts) => Ok(parts),
            None => self.cut_by_voxels(),
        }
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

    fn cut_exactly(&self) -> Option<Vec<Polytope>> {
        let tolerance = TOUCH * self.extent();
        let mut planes: Vec<Plane> = vec![];
        let mut scraps = vec![];
        for t in 0..self.triangles.len() as u32 {
            let corners = self.corners(t);
            let same = |p: &Plane| corners.iter().all(|&c| p.height(c).abs() <= tolerance);
            let plane = planes.iter().position(same).unwrap_or(planes.len());
            if plane == planes.len() {
                let normal = self.normals[t as usize];
                planes.push(Plane { normal, offset: normal.dot(corners[0]) });
            }
            if planes.len() > MAX_PLANES {
                return None;
            }
            scraps.push(Scrap { corners: corners.to_vec(), plane });
        }
        let whole = Polytope::from_points(&self.vertices).ok()?;
        let pieces = partition(whole, scraps, &planes, tolerance)?;
        let inside = |p: &Polytope| self.winding(p.middle()) > 0.5;
        let kept: Vec<Polytope> = pieces.into_iter().filter(inside).collect();
        (!kept.is_empty()).then(|| joined(kept))
    }

    fn cut_by_voxels(&self) -> Result<Vec<Polytope>, GeometryError> {
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

/// Cuts `whole` until no scrap runs through any piece; `None` if that takes too many.
fn partition(
    whole: Polytope,
    scraps: Vec<Scrap>,
    planes: &[Plane],
    tolerance: f64,
) -> Option<Vec<Polytope>> {
    let mut open = vec![(whole, scraps)];
    let mut done = vec![];
    while let Some((piece, scraps)) = open.pop() {
        let scraps = through(&piece, scraps, tolerance);
        let Some(cut) = best_cut(&scraps, planes, tolerance) else {
            done.push(piece);
            continue;
        };
        if open.len() + done.len() > MAX_PIECES {
            return None;
        }
        for plane in [cut, Plane { normal: -cut.normal, offset: -cut.offset }] {
            let side = |s: &Scrap| {
                let corners = clipped(&s.corners, &plane, tolerance);
                (!corners.is_empty()).then_some(Scrap { corners, plane: s.plane })
            };
            // A slice thinner than the tolerance is no piece.
            if let Ok(half) = behind(&piece, &plane, tolerance) {
                open.push((half, scraps.iter().filter_map(side).collect()));
            }
        }
    }
    Some(done)
}

/// The scraps that do not just lie on the outside of the piece.
fn through(piece: &Polytope, scraps: Vec<Scrap>, tolerance: f64) -> Vec<Scrap> {
    let outside = |s: &Scrap| {
        piece
            .faces
            .iter()
            .any(|f| s.corners.iter().all(|c| f.normal.dot(*c) - f.offset >= -2.0 * tolerance))
    };
    scraps.into_iter().filter(|s| !outside(s)).collect()
}

/// The plane that cuts the fewest scraps, and among those takes away the most.
fn best_cut(scraps: &[Scrap], planes: &[Plane], tolerance: f64) -> Option<Plane> {
    let mut candidates: Vec<usize> = scraps.iter().map(|s| s.plane).collect();
    candidates.sort_unstable();
    candidates.dedup();
    let score = |&k: &usize| {
        let mut cut = 0;
        let mut within = 0;
        for s in scraps {
            let heights = || s.corners.iter().map(|&c| planes[k].height(c));
            let (above, below) =
                (heights().any(|h| h > tolerance), heights().any(|h| h < -tolerance));
            cut += usize::from(above && below);
            within += usize::from(!above && !below);
        }
        (cut, std::cmp::Reverse(within))
    };
    candidates.into_iter().min_by_key(score).map(|k| planes[k])
}

/// The part of a convex polygon behind a plane; nothing where none of it is.
fn clipped(corners: &[Vec3], plane: &Plane, tolerance: f64) -> Vec<Vec3> {
    if corners.iter().all(|&c| plane.height(c) >= -tolerance) {
        return vec![];
    }
    clip::behind(corners.to_vec(), plane.normal, plane.offset, tolerance)
}

/// The part of a polytope behind a plane.
fn behind(piece: &Polytope, plane: &Plane, tolerance: f64) -> Result<Polytope, GeometryError> {
    let heights: Vec<f64> = piece.vertices.iter().map(|&v| plane.height(v)).collect();
    let deepest = heights.iter().copied().fold(0.0, f64::min);
    if deepest >= -2.0 * tolerance {
        return Err(GeometryError::Flat { extent: piece.extent(), thickness: -deepest });
    }
    let low = |k: &usize| heights[*k] <= tolerance;
    let mut points: Vec<Vec3> = (0..heights.len()).filter(low).map(|k| piece.vertices[k]).collect();
    for edge in &piece.edges {
        let [a, b] = edge.vertices.map(|v| v as usize);
        if low(&a) != low(&b) {
            let share = heights[a] / (heights[a] - heights[b]);
            points.push(piece.vertices[a].lerp(piece.vertices[b], share.clamp(0.0, 1.0)));
        }
    }
    Polytope::from_points(&points)
}

/// Joins pieces whose union is convex: the hull of both has no more volume than the two.
fn joined(mut pieces: Vec<Polytope>) -> Vec<Polytope> {
    let bounds = |p: &Polytope| Aabb::of(p.vertices.iter().copied());
    'again: loop {
        for i in 0..pieces.len() {
            for j in i + 1..pieces.len() {
                let (a, b) = (&pieces[i], &pieces[j]);
                let margin = TOUCH * a.extent().max(b.extent());
                if !bounds(a).inflated(margin).overlaps(&bounds(b)) {
                    continue;
                }
                let points: Vec<Vec3> = a.vertices.iter().chain(&b.vertices).copied().collect();
                if let Ok(both) = Polytope::from_points(&points)
                    && both.volume() <= (a.volume() + b.volume()) * (1.0 + 1e-9)
                {
                    pieces[i] = both;
                    pieces.remove(j);
                    continue 'again;
                }
            }
        }
        return pieces;
    }
}
