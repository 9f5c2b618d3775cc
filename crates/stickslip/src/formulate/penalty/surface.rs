//! Parts that overlap a surface of triangles: points, normals and depths.
//!
//! Corners of a part are asked for in the surface's distance field; where the surface enters the
//! part its edges are clipped by the part's facets (Drumwright 2007, appendix I). A surface need
//! not be convex, so that one normal for all points would be wrong in a valley: points are grouped
//! by the direction of the surface near them, one pair and one normal (eq. 4) for each.

use std::collections::BTreeMap;

use stickslip_geometry::{Convex, Dimension, Pose, TriMesh, Vec3};

use super::{
    field::{Field, Nearest},
    solid::{Facets, Placed, Prisms},
    volume::{SURFACE, Volume, VolumePoint, inside},
};
use crate::collide::pairs::surface::local_box;

/// A surface at its place.
pub(super) struct Ground<'a> {
    pub field: &'a mut Field,
    pub pose: Pose,
}

/// Points of both sides and the facets near them, in the world.
#[derive(Default)]
struct Group {
    of_part: Vec<(u64, Vec3)>,
    of_surface: Vec<(u64, Vec3)>,
    /// Triangles of the surface that eq. 4 may choose.
    facets: Vec<u32>,
}

/// How a part overlaps the surface, by direction; normals point from the surface to the part.
pub(super) fn shared(
    dimension: Dimension,
    prisms: &mut Prisms,
    ground: &mut Ground,
    part: &Placed,
) -> Vec<(u32, Volume)> {
    match prisms.facets(dimension, part) {
        Some(facets) => with_facets(ground, part, &facets),
        None => round(ground, part),
    }
}

/// Number of the direction, among those to the neighbours in a cubic lattice, that is closest to
/// `n`: two directions at right angles never share one.
pub(super) fn direction(n: Vec3) -> u32 {
    let lattice =
        |k: u32| Vec3::new((k % 3) as f64 - 1.0, (k / 3 % 3) as f64 - 1.0, (k / 9) as f64 - 1.0);
    let along = |k: u32| lattice(k).normalize_or_zero().dot(n);
    (0..27).filter(|&k| k != 13).max_by(|&i, &j| along(i).total_cmp(&along(j))).unwrap_or(0)
}

fn with_facets(ground: &mut Ground, part: &Placed, facets: &Facets) -> Vec<(u32, Volume)> {
    let pose = ground.pose;
    let mut groups: BTreeMap<u32, Group> = BTreeMap::new();
    for (k, &v) in facets.vertices.iter().enumerate() {
        let local = pose.inverse_point(v);
        if ground.field.distance(local) >= 0.0 {
            continue;
        }
        let near = ground.field.nearest(local);
        let group = groups.entry(direction(near.normal)).or_default();
        group.of_part.push((k as u64, v));
        group.facets.push(near.triangle);
    }
    let mesh = &ground.field.mesh;
    for t in mesh.triangles_in(&local_box(&part.aabb, &pose)) {
        clip(mesh, &pose, t, facets, &mut groups);
    }
    let volume = |(id, group): (u32, Group)| group.volume(mesh, &pose, facets).map(|v| (id, v));
    groups.into_iter().filter_map(volume).collect()
}

/// The ends of a triangle's edges inside the part. An edge between two triangles is taken once.
fn clip(mesh: &TriMesh, pose: &Pose, t: u32, part: &Facets, groups: &mut BTreeMap<u32, Group>) {
    let corners = mesh.triangles[t as usize];
    for k in 0..3 {
        let across = mesh.neighbors[t as usize][k];
        if across.is_some_and(|n| n < t) {
            continue;
        }
        let ends = [corners[k], corners[(k + 1) % 3]];
        let [p, q] = ends.map(|i| pose.point(mesh.vertices[i as usize]));
        let Some((from, to)) = inside(p, q, &part.planes) else { continue };
        let other = across.map_or(Vec3::ZERO, |n| mesh.normals[n as usize]);
        let normal = (mesh.normals[t as usize] + other).normalize_or_zero();
        let group = groups.entry(direction(normal)).or_default();
        group.facets.extend([Some(t), across].into_iter().flatten());
        for (side, at) in [from, to].into_iter().enumerate() {
            let vertex = [(0.0, ends[0]), (1.0, ends[1])].into_iter().find(|v| v.0 == at);
            let id = match vertex {
                Some((_, v)) => (1 << 40) + u64::from(v),
                None => (1 << 41) + 8 * u64::from(t) + 2 * k as u64 + side as u64,
            };
            if !group.of_surface.iter().any(|known| known.0 == id) {
                group.of_surface.push((id, p + (q - p) * at));
            }
        }
    }
}

impl Group {
    /// Eq. 4: the facet with the least of the largest depths below it.
    fn volume(mut self, mesh: &TriMesh, pose: &Pose, part: &Facets) -> Option<Volume> {
        self.facets.sort_unstable();
        self.facets.dedup();
        let own = self.facets.iter().map(|&t| {
            let n = pose.vector(mesh.normals[t as usize]);
            (n, n.dot(pose.point(mesh.corners(t)[0])))
        });
        let under_surface = least(&self.of_part, own);
        let under_part = least(&self.of_surface, part.planes.iter().copied());
        let (_, plane, offset, sign) = match (under_surface, under_part) {
            (Some(x), Some(y)) if y.0 < x.0 => (y.0, y.1, y.2, -1.0),
            (Some(x), _) => (x.0, x.1, x.2, 1.0),
            (None, Some(y)) => (y.0, y.1, y.2, -1.0),
            (None, None) => return None,
        };
        // The plane of a surface's facet reaches beyond it: only what is in front counts.
        let depth = |at: Vec3| (offset - plane.dot(at)).max(0.0);
        let all = self.of_part.into_iter().chain(self.of_surface);
        let points: Vec<VolumePoint> =
            all.map(|(id, at)| VolumePoint { id, at, depth: depth(at) }).collect();
        let deepest = points.iter().map(|p| p.depth).fold(0.0, f64::max);
        let points: Vec<_> = points.into_iter().filter(|p| p.depth > SURFACE * deepest).collect();
        (!points.is_empty()).then_some(Volume { normal: plane * sign, points })
    }
}

fn least(
    points: &[(u64, Vec3)],
    planes: impl Iterator<Item = (Vec3, f64)>,
) -> Option<(f64, Vec3, f64)> {
    let depth = |(n, offset): (Vec3, f64)| {
        let below = |p: &(u64, Vec3)| offset - n.dot(p.1);
        (points.iter().map(below).fold(0.0, f64::max), n, offset)
    };
    if points.is_empty() {
        return None;
    }
    planes.map(depth).min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Balls, and capsules as rows of balls no farther apart than their radius: for each direction of
/// the surface the point of each ball that lies deepest.
fn round(ground: &mut Ground, part: &Placed) -> Vec<(u32, Volume)> {
    let pose = ground.pose;
    let near = ground.field.mesh.triangles_in(&local_box(&part.aabb, &pose));
    let mut groups: BTreeMap<u32, Vec<(VolumePoint, Vec3)>> = BTreeMap::new();
    let (centers, radius) = balls(part);
    for (k, &center) in centers.iter().enumerate() {
        let local = pose.inverse_point(center);
        let mut deepest: BTreeMap<u32, (f64, Vec3)> = BTreeMap::new();
        let mut take = |found: &Nearest, outward: Vec3| {
            let slot = deepest.entry(direction(outward)).or_insert((f64::INFINITY, outward));
            if found.distance < slot.0 {
                *slot = (found.distance, outward);
            }
        };
        if ground.field.distance(local) < 0.0 {
            // The centre is behind the surface: out by the shortest way.
            let found = ground.field.nearest(local);
            take(&found, found.normal);
        } else {
            let touched = near.iter().map(|&t| ground.field.on_triangle(local, t));
            for found in touched.filter(|f| (0.0..radius).contains(&f.distance) && !f.valley) {
                let away = (local - found.at).normalize_or_zero();
                let outward = if away == Vec3::ZERO { found.normal } else { away };
                // From behind, the end of a surface is not to be seen.
                if outward.dot(ground.field.mesh.normals[found.triangle as usize]) >= 0.0 {
                    take(&found, outward);
                }
            }
        }
        for (id, (distance, outward)) in deepest {
            let normal = pose.vector(outward);
            let at = center - normal * radius;
            let point = VolumePoint { id: k as u64, at, depth: radius - distance };
            groups.entry(id).or_default().push((point, normal));
        }
    }
    let volume = |(id, found): (u32, Vec<(VolumePoint, Vec3)>)| {
        let most = found.iter().max_by(|a, b| a.0.depth.total_cmp(&b.0.depth));
        let normal = most.map_or(Vec3::Z, |m| m.1);
        (id, Volume { normal, points: found.into_iter().map(|p| p.0).collect() })
    };
    groups.into_iter().map(volume).collect()
}

/// Centres and radius of the balls that stand for a round part.
fn balls(part: &Placed) -> (Vec<Vec3>, f64) {
    match part.convex {
        Convex::Ball { radius } => (vec![part.pose.position], *radius),
        Convex::Capsule { half, radius } => {
            let n = (2.0 * half / radius).ceil().clamp(1.0, 64.0);
            let at = |k: usize| part.pose.point(Vec3::Z * (half * (2.0 * k as f64 / n - 1.0)));
            ((0..=n as usize).map(at).collect(), *radius)
        }
        _ => (Vec::new(), 0.0),
    }
}
