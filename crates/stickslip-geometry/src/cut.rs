//! Exact convex parts of a closed mesh, by binary space partition.
//!
//! The hull of the mesh is cut by planes into convex cells, each with the pieces of the surface inside
//! it, until in every cell all of these pieces lie behind the planes of all others. The solid in such a
//! cell is the cell behind those planes: the surface has no border inside the cell, and a face of a
//! convex body is connected, so what is there of the surface is all of that body's boundary. A cell
//! without surface is inside or outside as a whole, which the winding number of a point in it tells.
//!
//! Planes are chosen at notches, the edges where the solid has more than a half-turn: a face beside the
//! notch, the plane that halves it, or one through two notches that meet (Chazelle 1984 cuts one notch
//! at a time; a plane through many of them saves parts). The one that resolves the most notches and cuts
//! the least of the surface is taken. Parts whose union is convex are joined afterwards (`join.rs`).

use std::collections::BTreeMap;

use crate::{GeometryError, Polytope, TriMesh, Vec3, clip};

/// Cells at which cutting gives up.
const MAX_CELLS: usize = 4096;
/// Planes tried at most for one cut.
const MAX_TRIED: usize = 1500;
/// Pieces of surface held against planes at which cutting gives up: some seconds.
const MAX_WORK: usize = 1_000_000_000;

/// `normal · x = offset`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    pub normal: Vec3,
    pub offset: f64,
}

impl Plane {
    fn through(point: Vec3, normal: Vec3) -> Option<Self> {
        let normal = normal.try_normalize()?;
        Some(Self { normal, offset: normal.dot(point) })
    }

    fn height(&self, x: Vec3) -> f64 {
        self.normal.dot(x) - self.offset
    }

    /// The plane through three of the points within `distance` of this one that are far apart: planes
    /// through small triangles with rounded corners are off where they are far from these.
    fn fitted(&self, points: &[Vec3], distance: f64) -> Self {
        let mut plane = *self;
        for _ in 0..2 {
            let near = || points.iter().copied().filter(|&p| plane.height(p).abs() <= distance);
            let farthest = |measure: &dyn Fn(Vec3) -> f64| {
                near().max_by(|&p, &q| measure(p).total_cmp(&measure(q)))
            };
            let Some(start) = near().next() else { return plane };
            let Some(a) = farthest(&|p| p.distance(start)) else { return plane };
            let Some(b) = farthest(&|p| p.distance(a)) else { return plane };
            let Some(c) = farthest(&|p| (b - a).cross(p - a).length()) else { return plane };
            let normal = (b - a).cross(c - a);
            let sign = plane.normal.dot(normal).signum();
            match Self::through(a, sign * normal) {
                Some(better) if better.normal.dot(plane.normal) > 0.99 => plane = better,
                _ => return plane,
            }
        }
        plane
    }

    fn reversed(&self) -> Self {
        Self { normal: -self.normal, offset: -self.offset }
    }
}

/// A piece of a mesh triangle, with the plane that it lies in.
#[derive(Clone)]
struct Scrap {
    corners: Vec<Vec3>,
    plane: usize,
}

/// A piece of an edge where the solid has more than a half-turn, with the planes beside it and the
/// ends of the whole edge.
#[derive(Clone)]
struct Notch {
    ends: [Vec3; 2],
    planes: [usize; 2],
    vertices: [u32; 2],
}

/// A convex cell and the surface inside it.
struct Cell {
    region: Polytope,
    scraps: Vec<Scrap>,
    notches: Vec<Notch>,
}

/// The planes of the faces of a mesh, and what a plane is within \[m\].
struct Cutter<'a> {
    mesh: &'a TriMesh,
    planes: Vec<Plane>,
    tolerance: f64,
    /// Whether the numbers of the mesh are rounded, so that planes are fitted to more than they are
    /// taken from.
    rounded: bool,
}

impl TriMesh {
    /// Convex parts that fill the mesh; triangles are one plane, and cells without thickness, within
    /// `tolerance` \[m\]. `None` where that takes too many cells.
    pub(crate) fn cut_exactly(&self, tolerance: f64, rounded: bool) -> Option<Vec<Polytope>> {
        let (mut planes, owner) = self.planes_within(tolerance);
        if rounded {
            let mut corners = vec![vec![]; planes.len()];
            for (t, &plane) in owner.iter().enumerate() {
                corners[plane].extend(self.corners(t as u32));
            }
            for (plane, corners) in planes.iter_mut().zip(&corners) {
                *plane = plane.fitted(corners, f64::INFINITY);
            }
        }
        let scrap = |t: usize| Scrap { corners: self.corners(t as u32).into(), plane: owner[t] };
        let scraps = (0..self.triangles.len()).map(scrap).collect();
        let region = Polytope::from_points(&self.vertices).ok()?;
        let notches = self.notches(&planes, &owner, tolerance);
        let cutter = Cutter { mesh: self, planes, tolerance, rounded };
        cutter.partition(Cell { region, scraps, notches })
    }

    /// How many planes the triangles lie in, within a tolerance \[m\].
    pub(crate) fn plane_count(&self, tolerance: f64) -> usize {
        self.planes_within(tolerance).0.len()
    }

    /// The distinct planes of the triangles, and the one of each triangle. Planes with nearly the same
    /// normal and offset are found in a map, so that large meshes do not take quadratic time.
    fn planes_within(&self, tolerance: f64) -> (Vec<Plane>, Vec<usize>) {
        let extent = self.extent();
        let width = (16.0 * tolerance).max(1e-6 * extent);
        let center = self.vertices.iter().sum::<Vec3>() / self.vertices.len() as f64;
        let mut planes: Vec<Plane> = vec![];
        let mut by_offset: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        let mut owner = vec![];
        for t in 0..self.triangles.len() as u32 {
            let corners = self.corners(t);
            let normal = self.normals[t as usize];
            let key = (normal.dot(corners[0] - center) / width).round() as i64;
            let same = |&p: &usize| {
                let plane: &Plane = &planes[p];
                plane.normal.dot(normal) > 0.0
                    && corners.iter().all(|&c| plane.height(c).abs() <= tolerance)
            };
            let near = (key - 1..=key + 1).filter_map(|k| by_offset.get(&k)).flatten();
            let found = near.copied().find(same).unwrap_or_else(|| {
                by_offset.entry(key).or_default().push(planes.len());
                planes.push(Plane { normal, offset: normal.dot(corners[0]) });
                planes.len() - 1
            });
            owner.push(found);
        }
        (planes, owner)
    }

    /// The edges between two planes where each triangle's other corner is in front of the other.
    fn notches(&self, planes: &[Plane], owner: &[usize], tolerance: f64) -> Vec<Notch> {
        let mut found = vec![];
        for (t, sides) in self.neighbors.iter().enumerate() {
            for (k, side) in sides.iter().enumerate() {
                let Some(n) = side.map(|n| n as usize).filter(|&n| n > t) else { continue };
                let vertices = [k, (k + 1) % 3].map(|k| self.triangles[t][k]);
                let highest = |t: usize, plane: usize| {
                    let heights = self.corners(t as u32).map(|c| planes[plane].height(c));
                    heights.into_iter().fold(0.0, f64::max)
                };
                let planes_here = [owner[t], owner[n]];
                if highest(n, owner[t]).max(highest(t, owner[n])) > tolerance {
                    let ends = vertices.map(|v| self.vertices[v as usize]);
                    found.push(Notch { ends, planes: planes_here, vertices });
                }
            }
        }
        found
    }
}

impl Cutter<'_> {
    /// Cuts until the solid in every cell is convex; `None` if that takes too many cells.
    fn partition(&self, whole: Cell) -> Option<Vec<Polytope>> {
        let mut open = vec![whole];
        let mut parts = vec![];
        let (mut cells, mut work) = (1, 0);
        while let Some(cell) = open.pop() {
            let cell = self.inner(cell);
            let facing = self.facing(&cell.scraps);
            if cell.scraps.is_empty() {
                if self.mesh.winding(cell.region.middle()) > 0.5 {
                    parts.push(cell.region);
                }
                continue;
            }
            if facing.is_empty() {
                parts.extend(self.carved(&cell));
                continue;
            }
            let (cut, tried) = self.best_cut(&cell, &facing)?;
            cells += 1;
            work += tried * (cell.scraps.len() + cell.notches.len());
            if cells > MAX_CELLS || work > MAX_WORK {
                return None;
            }
            for plane in [cut, cut.reversed()] {
                // A slice thinner than the tolerance is no cell.
                if let Ok(region) = self.behind(&cell.region, &plane) {
                    open.push(self.clipped(region, &cell, &plane));
                }
            }
        }
        Some(parts)
    }

    /// Without the surface and the notches that just lie on the outside of the cell.
    fn inner(&self, cell: Cell) -> Cell {
        let Cell { region, mut scraps, mut notches } = cell;
        let outside = |points: &[Vec3]| {
            let beyond = |p: &Vec3, f: &crate::polytope::Face| {
                f.normal.dot(*p) - f.offset >= -2.0 * self.tolerance
            };
            region.faces.iter().any(|f| points.iter().all(|p| beyond(p, f)))
        };
        scraps.retain(|s| !outside(&s.corners));
        notches.retain(|n| !outside(&n.ends));
        Cell { region, scraps, notches }
    }

    /// The planes of the surface in a cell that have some of that surface in front.
    fn facing(&self, scraps: &[Scrap]) -> Vec<usize> {
        let mut used: Vec<usize> = scraps.iter().map(|s| s.plane).collect();
        used.sort_unstable();
        used.dedup();
        let mut corners: Vec<Vec3> =
            scraps.iter().flat_map(|s| s.corners.iter().copied()).collect();
        corners.sort_by(|a, b| {
            a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z))
        });
        corners.dedup();
        used.retain(|&p| corners.iter().any(|&c| self.planes[p].height(c) > 2.0 * self.tolerance));
        used
    }

    /// The solid in a cell where all of the surface is behind all of its planes; nothing where it is
    /// thinner than the tolerance.
    fn carved(&self, cell: &Cell) -> Option<Polytope> {
        let mut used: Vec<usize> = cell.scraps.iter().map(|s| s.plane).collect();
        used.sort_unstable();
        used.dedup();
        let mut part = cell.region.clone();
        for plane in used {
            if part.vertices.iter().any(|&v| self.planes[plane].height(v) > 2.0 * self.tolerance) {
                part = self.behind(&part, &self.planes[plane]).ok()?;
            }
        }
        Some(part)
    }

    /// The plane that resolves the most notches and cuts the least, and how many were tried.
    fn best_cut(&self, cell: &Cell, facing: &[usize]) -> Option<(Plane, usize)> {
        let faces = facing.iter().map(|&p| self.planes[p]);
        let candidates: Vec<Plane> = faces.chain(self.at_notches(&cell.notches)).collect();
        let stride = candidates.len().div_ceil(MAX_TRIED).max(1);
        let ends: Vec<Vec3> = cell.notches.iter().flat_map(|n| n.ends).collect();
        let scored = |plane: &Plane| {
            let plane = match self.rounded {
                true => plane.fitted(&ends, 8.0 * self.tolerance),
                false => *plane,
            };
            (self.score(cell, &plane), plane)
        };
        let best = candidates.iter().step_by(stride).map(scored);
        let best = best.min_by(|a, b| a.0.total_cmp(&b.0));
        best.map(|(_, plane)| (plane, candidates.len().div_ceil(stride)))
    }

    /// For each notch the plane that halves it, and those through it and a notch that it meets.
    fn at_notches(&self, notches: &[Notch]) -> Vec<Plane> {
        let mut found = vec![];
        let mut at: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (k, notch) in notches.iter().enumerate() {
            let [a, b] = notch.planes.map(|p| self.planes[p].normal);
            let along = notch.ends[1] - notch.ends[0];
            found.extend(Plane::through(notch.ends[0], along.cross(a + b)));
            for v in notch.vertices {
                at.entry(v).or_default().push(k);
            }
        }
        for meeting in at.values() {
            for (k, &i) in meeting.iter().enumerate() {
                for &j in &meeting[k + 1..] {
                    let [a, b] = [i, j]
                        .map(|n| (notches[n].ends[1] - notches[n].ends[0]).normalize_or_zero());
                    let normal = a.cross(b);
                    if normal.length() > 1e-3 {
                        found.extend(Plane::through(notches[i].ends[0], normal));
                    }
                }
            }
        }
        found
    }

    /// Lower is better: a notch resolved saves a cut, a notch or a piece of surface cut in two costs.
    fn score(&self, cell: &Cell, plane: &Plane) -> f64 {
        let side = |points: &[Vec3]| {
            let heights = || points.iter().map(|&c| plane.height(c));
            (heights().any(|h| h > self.tolerance), heights().any(|h| h < -self.tolerance))
        };
        let (mut cost, mut front, mut back) = (0.0, 0.0, 0.0);
        for scrap in &cell.scraps {
            match side(&scrap.corners) {
                (true, true) => cost += 1.0,
                (true, false) => front += 1.0,
                (false, true) => back += 1.0,
                // Surface in the plane is on the outside of both halves.
                (false, false) => cost -= 0.5,
            }
        }
        for notch in &cell.notches {
            match side(&notch.ends) {
                (true, true) => cost += 2.0,
                (false, false) if self.resolves(plane, notch) => cost -= 4.0,
                _ => {}
            }
        }
        // Among equals the one that leaves halves alike.
        let total: f64 = front + back + 1.0;
        cost + 0.9 * (front - back).abs() / total
    }

    /// Whether a plane through a notch leaves no more than a half-turn on either side of it.
    fn resolves(&self, plane: &Plane, notch: &Notch) -> bool {
        let [a, b] = notch.planes.map(|p| self.planes[p].normal);
        let into = plane.normal.cross(notch.ends[1] - notch.ends[0]).normalize_or_zero();
        let behind = |c: Vec3| c.dot(a) <= 1e-9 && c.dot(b) <= 1e-9;
        behind(into) || behind(-into)
    }

    /// What of the surface and the notches of a cell is behind a plane.
    fn clipped(&self, region: Polytope, cell: &Cell, plane: &Plane) -> Cell {
        let some = |points: &[Vec3]| points.iter().any(|&c| plane.height(c) < -self.tolerance);
        let clip = |points: &[Vec3]| {
            clip::behind(points.to_vec(), plane.normal, plane.offset, self.tolerance)
        };
        let scraps = cell.scraps.iter().filter(|s| some(&s.corners));
        let scraps = scraps.map(|s| Scrap { corners: clip(&s.corners), plane: s.plane }).collect();
        let notch = |n: &Notch| {
            let mut ends = n.ends.to_vec();
            let height = |c: &Vec3| plane.height(*c);
            clip::clip(&mut ends, false, height, |a, b, share| a.lerp(*b, share));
            let ends: [Vec3; 2] = ends.try_into().ok()?;
            Some(Notch { ends, planes: n.planes, vertices: n.vertices })
        };
        let notches = cell.notches.iter().filter(|n| some(&n.ends)).filter_map(notch).collect();
        Cell { region, scraps, notches }
    }

    /// The part of a polytope behind a plane.
    fn behind(&self, piece: &Polytope, plane: &Plane) -> Result<Polytope, GeometryError> {
        let heights: Vec<f64> = piece.vertices.iter().map(|&v| plane.height(v)).collect();
        let deepest = heights.iter().copied().fold(0.0, f64::min);
        if deepest >= -2.0 * self.tolerance {
            return Err(GeometryError::Flat { extent: piece.extent(), thickness: -deepest });
        }
        let low = |k: &usize| heights[*k] <= self.tolerance;
        let mut points: Vec<Vec3> =
            (0..heights.len()).filter(low).map(|k| piece.vertices[k]).collect();
        for edge in &piece.edges {
            let [a, b] = edge.vertices.map(|v| v as usize);
            if low(&a) != low(&b) {
                let share = heights[a] / (heights[a] - heights[b]);
                points.push(piece.vertices[a].lerp(piece.vertices[b], share.clamp(0.0, 1.0)));
            }
        }
        match Polytope::from_points(&points) {
            // Corners that are doubled but for rounding make faces without area.
            Err(GeometryError::Topology { .. }) if self.rounded => {
                let within = self.tolerance / piece.extent();
                Polytope::from_points_within(&points, within.min(1e-3))
            }
            found => found,
        }
    }
}
