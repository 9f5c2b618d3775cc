//! Convex parts of prisms, exactly: gears, keys, dovetails, jigsaw pieces, rings.
//!
//! A closed mesh whose faces are all along or across one axis, the latter in two planes, is a prism
//! over its bottom face. That face is a set of triangles already. They are joined to convex polygons
//! for as long as an edge between two can go (Hertel and Mehlhorn 1983), and each polygon is raised
//! to the height of the prism. The parts fill the mesh to round-off, whatever the number of faces.

use std::collections::BTreeMap;

use crate::{Polytope, TriMesh, Vec3, tolerance::TOUCH};

/// Cosine below which a face is along the axis, and one less which it is across.
const SQUARE: f64 = 1e-7;
/// How much the volume of the parts may differ from that of the mesh, relative.
const SAME_VOLUME: f64 = 1e-9;

impl TriMesh {
    /// Convex parts that fill the mesh, if it is a prism; else nothing.
    pub(crate) fn prism_parts(&self) -> Option<Vec<Polytope>> {
        let axis = self.prism_axis()?;
        let tolerance = TOUCH * self.extent();
        let heights = self.vertices.iter().map(|v| v.dot(axis));
        let (low, high) = heights
            .clone()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        let at_an_end = |x: f64| x - low <= tolerance || high - x <= tolerance;
        if !heights.clone().all(at_an_end) {
            return None;
        }
        // The bottom looks down: turned about, its triangles are counter-clockwise about the axis.
        let bottom = (0..self.triangles.len())
            .filter(|&t| self.normals[t].dot(axis) < -0.5)
            .map(|t| self.triangles[t].iter().rev().copied().collect());
        let polygons = self.joined_polygons(bottom.collect(), axis, tolerance);
        let raised = |polygon: &Vec<u32>| {
            let points = polygon.iter().map(|&v| self.vertices[v as usize]);
            let both: Vec<Vec3> = points.flat_map(|p| [p, p + axis * (high - low)]).collect();
            Polytope::from_points(&both).ok()
        };
        let parts: Vec<Polytope> = polygons.iter().map(raised).collect::<Option<_>>()?;
        let volume: f64 = parts.iter().map(Polytope::volume).sum();
        let own = self.mass_properties().ok()?.volume;
        ((volume - own).abs() <= SAME_VOLUME * own).then_some(parts)
    }

    /// The direction that every face is along or across.
    fn prism_axis(&self) -> Option<Vec3> {
        let fits = |axis: Vec3| {
            self.normals.iter().all(|n| {
                let cosine = n.dot(axis).abs();
                cosine <= SQUARE || cosine >= 1.0 - SQUARE
            })
        };
        self.normals.iter().copied().find(|&n| fits(n))
    }

    /// Convex polygons, counter-clockwise about the axis, in place of triangles: edges go, the
    /// longest first, where the union of the two polygons is convex.
    fn joined_polygons(&self, start: Vec<Vec<u32>>, axis: Vec3, tolerance: f64) -> Vec<Vec<u32>> {
        let point = |v: u32| self.vertices[v as usize];
        let mut polygons: Vec<Option<Vec<u32>>> = start.into_iter().map(Some).collect();
        let mut owner: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        for (k, polygon) in polygons.iter().enumerate() {
            owner.extend(sides(polygon.as_deref().unwrap_or_default()).map(|side| (side, k)));
        }
        let mut inner: Vec<(u32, u32)> =
            owner.keys().copied().filter(|&(a, b)| a < b && owner.contains_key(&(b, a))).collect();
        let length = |&(a, b): &(u32, u32)| (point(b) - point(a)).length();
        inner.sort_by(|x, y| length(y).total_cmp(&length(x)).then(x.cmp(y)));
        for (a, b) in inner {
            let (Some(&p), Some(&q)) = (owner.get(&(a, b)), owner.get(&(b, a))) else { continue };
            let (Some(first), Some(second)) = (&polygons[p], &polygons[q]) else { continue };
            let Some(union) = union(first, second, (a, b)) else { continue };
            if p == q || !is_convex(&union, &point, axis, tolerance) {
                continue;
            }
            owner.extend(sides(&union).map(|side| (side, p)));
            polygons[q] = None;
            polygons[p] = Some(union);
        }
        polygons.into_iter().flatten().collect()
    }
}

/// The directed sides of a polygon.
fn sides(polygon: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    polygon.iter().copied().zip(polygon.iter().copied().cycle().skip(1))
}

/// Two polygons as one, without the side that runs from `a` to `b` in the first; `None` where they
/// share more than that.
fn union(first: &[u32], second: &[u32], (a, b): (u32, u32)) -> Option<Vec<u32>> {
    let from = |polygon: &[u32], start: u32| {
        let k = polygon.iter().position(|&v| v == start)?;
        Some(polygon[k..].iter().chain(&polygon[..k]).copied().collect::<Vec<u32>>())
    };
    // b ... a of the first, then what is between a and b in the second
    let mut all = from(first, b)?;
    let other = from(second, a)?;
    all.extend(other[1..].iter().copied().filter(|&v| v != b));
    let mut sorted = all.clone();
    sorted.sort_unstable();
    sorted.windows(2).all(|w| w[0] != w[1]).then_some(all)
}

/// Whether no corner turns right by more than round-off: none is farther than a small part of the
/// tolerance on the wrong side of the line through its neighbours.
fn is_convex(polygon: &[u32], point: &dyn Fn(u32) -> Vec3, axis: Vec3, tolerance: f64) -> bool {
    let n = polygon.len();
    (0..n).all(|k| {
        let [a, b, c] = [k, k + 1, k + 2].map(|i| point(polygon[i % n]));
        let along = c - a;
        let area = axis.dot((b - a).cross(c - b));
        area >= -1e-3 * tolerance * along.length()
    })
}
