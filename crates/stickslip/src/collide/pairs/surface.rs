//! A one-sided surface of triangles: its true features, and polytopes on it.
//!
//! Triangles of one plane are one face, and the edges between them are none: a body that slides
//! over them meets nothing. Ridges and borders act as edges, sharp tips as corners.

use std::sync::Arc;

use stickslip_geometry::{Aabb, Bend, Pose, TriMesh, Vec3, tolerance::TOUCH};

use super::{
    Found, Sink,
    edge_edge::{EdgePair, Segment, edge_edge},
    polytope_polytope::Solid,
    vertex_face::{self, Above},
};
use crate::collide::{Feature, placed::Placed, settings::Rules};

/// What a mesh looks like to a body that touches it.
pub(crate) struct Surface {
    mesh: Arc<TriMesh>,
    /// For each triangle the first triangle of its plane.
    plane: Vec<u32>,
    /// For each corner that a plane can rest on, its neighbors; empty for all others.
    tips: Vec<Vec<u32>>,
}

/// An edge of a surface.
#[derive(Clone, Copy)]
pub(crate) struct Ridge {
    /// `3 t + k` for the edge from corner `k` of triangle `t`.
    pub id: u32,
    /// The edge in the world.
    pub segment: Segment,
}

/// A triangle in the world.
#[derive(Clone, Copy)]
pub(crate) struct Facet {
    /// Which one.
    pub triangle: u32,
    /// First triangle of its plane.
    pub plane: u32,
    /// Corners \[m\].
    pub corners: [Vec3; 3],
    /// Unit normal.
    pub normal: Vec3,
}

impl Surface {
    /// Finds planes and tips of a mesh.
    pub fn new(mesh: &Arc<TriMesh>) -> Self {
        let plane = planes(mesh);
        let tips = tips(mesh, &plane);
        Self { mesh: Arc::clone(mesh), plane, tips }
    }

    /// Whether it was made for this mesh.
    pub fn is_of(&self, mesh: &Arc<TriMesh>) -> bool {
        Arc::ptr_eq(&self.mesh, mesh)
    }

    /// Whether any model still holds the mesh.
    pub fn is_used(&self) -> bool {
        Arc::strong_count(&self.mesh) > 1
    }

    /// The triangles near a box in the world.
    pub fn facets(&self, pose: &Pose, near: &Aabb) -> Vec<Facet> {
        let facet = |t: u32| Facet {
            triangle: t,
            plane: self.plane[t as usize],
            corners: self.mesh.corners(t).map(|v| pose.point(v)),
            normal: pose.vector(self.mesh.normals[t as usize]),
        };
        self.mesh.triangles_in(&local_box(near, pose)).into_iter().map(facet).collect()
    }

    /// The ridges and borders of those triangles, each once.
    pub fn ridges(&self, pose: &Pose, facets: &[Facet]) -> Vec<Ridge> {
        let mut found: Vec<Ridge> = vec![];
        for facet in facets {
            let t = facet.triangle as usize;
            for k in 0..3 {
                let (from, to) = (facet.corners[k], facet.corners[(k + 1) % 3]);
                let beyond = self.mesh.neighbors[t][k];
                let seen = |n: u32| facets.binary_search_by_key(&n, |f| f.triangle).is_ok();
                let other = match (self.mesh.bends[t][k], beyond) {
                    // A border acts as the upper edge of a wall.
                    (Bend::Border, _) => (to - from).cross(facet.normal).normalize_or_zero(),
                    (Bend::Convex, Some(n)) if (n as usize) > t || !seen(n) => {
                        pose.vector(self.mesh.normals[n as usize])
                    }
                    _ => continue,
                };
                let segment =
                    Segment { tail: from, along: to - from, normals: [facet.normal, other] };
                found.push(Ridge { id: self.ridge_id(t, k), segment });
            }
        }
        found
    }

    /// One number for an edge, whichever of its triangles is asked.
    fn ridge_id(&self, t: usize, k: usize) -> u32 {
        let own = 3 * t as u32 + k as u32;
        match self.mesh.neighbors[t][k] {
            Some(n) if (n as usize) < t => {
                let head = self.mesh.triangles[t][(k + 1) % 3];
                let at = self.mesh.triangles[n as usize].iter().position(|&v| v == head);
                at.map_or(own, |l| 3 * n + l as u32)
            }
            _ => own,
        }
    }

    /// The tips of those triangles, each once, with their neighbors: numbers and places.
    pub fn tips(&self, pose: &Pose, facets: &[Facet]) -> Vec<(u32, Vec3, Vec<Vec3>)> {
        let corners = facets.iter().flat_map(|f| self.mesh.triangles[f.triangle as usize]);
        let mut near: Vec<u32> = corners.filter(|&v| !self.tips[v as usize].is_empty()).collect();
        near.sort_unstable();
        near.dedup();
        let place = |v: u32| pose.point(self.mesh.vertices[v as usize]);
        let around = |v: u32| self.tips[v as usize].iter().map(|&w| place(w)).collect();
        near.into_iter().map(|v| (v, place(v), around(v))).collect()
    }
}

/// The box, in the frame of `pose`, around a box in the world.
pub(crate) fn local_box(b: &Aabb, pose: &Pose) -> Aabb {
    let corner = |k: usize| {
        let pick = |bit: usize| if k >> bit & 1 == 1 { b.max[bit] } else { b.min[bit] };
        pose.inverse_point(Vec3::new(pick(0), pick(1), pick(2)))
    };
    Aabb::of((0..8).map(corner))
}

/// For each triangle the first one that is joined to it over flat edges.
fn planes(mesh: &TriMesh) -> Vec<u32> {
    let mut plane = vec![u32::MAX; mesh.triangles.len()];
    for first in 0..plane.len() {
        if plane[first] != u32::MAX {
            continue;
        }
        plane[first] = first as u32;
        let mut stack = vec![first];
        while let Some(t) = stack.pop() {
            for k in 0..3 {
                if let (Bend::Flat, Some(n)) = (mesh.bends[t][k], mesh.neighbors[t][k])
                    // Many small bends must not add up to one plane.
                    && mesh.normals[n as usize].dot(mesh.normals[first]) > 1.0 - 1e-12
                    && plane[n as usize] == u32::MAX
                {
                    plane[n as usize] = first as u32;
                    stack.push(n as usize);
                }
            }
        }
    }
    plane
}

/// Corners that a plane can rest on, with all edges below it, where at least three planes (borders count as walls)
/// meet. Valleys may begin there: the peaks of most heightfields have some, and bodies sank onto those that were
/// left out for it by a percent of their size (soak seed 1956).
fn tips(mesh: &TriMesh, plane: &[u32]) -> Vec<Vec<u32>> {
    let n = mesh.vertices.len();
    let (mut normals, mut around) = (vec![vec![]; n], vec![vec![]; n]);
    let mut up = vec![Vec3::ZERO; n];
    for (t, corners) in mesh.triangles.iter().enumerate() {
        for k in 0..3 {
            let ends = [corners[k] as usize, corners[(k + 1) % 3] as usize];
            let along = mesh.vertices[ends[1]] - mesh.vertices[ends[0]];
            up[ends[0]] += mesh.normals[t];
            for (v, w) in [(ends[0], ends[1]), (ends[1], ends[0])] {
                normals[v].push(mesh.normals[plane[t] as usize]);
                if mesh.bends[t][k] == Bend::Border {
                    normals[v].push(along.cross(mesh.normals[t]).normalize_or_zero());
                }
                around[v].push(w as u32);
            }
        }
    }
    for v in 0..n {
        around[v].sort_unstable();
        around[v].dedup();
        let edges: Vec<Vec3> = around[v]
            .iter()
            .map(|&w| (mesh.vertices[w as usize] - mesh.vertices[v]).normalize_or_zero())
            .collect();
        let rests = above_all(&edges).is_some_and(|n| n.dot(up[v]) > 0.0);
        if !rests || !spans_space(&normals[v]) {
            around[v].clear();
        }
    }
    around
}

/// A direction that all these unit vectors are below, or across, in the middle of all such; none if there is none.
/// The extreme ones are across two of them.
fn above_all(edges: &[Vec3]) -> Option<Vec3> {
    let mut middle = Vec3::ZERO;
    for (k, a) in edges.iter().enumerate() {
        for b in &edges[..k] {
            let Some(n) = a.cross(*b).try_normalize() else { continue };
            let extreme = |n: &Vec3| edges.iter().all(|e| e.dot(*n) <= TOUCH);
            middle += [n, -n].into_iter().filter(extreme).sum::<Vec3>();
        }
    }
    middle.try_normalize()
}

/// Whether some three of these unit vectors are independent.
fn spans_space(normals: &[Vec3]) -> bool {
    let Some(&first) = normals.first() else { return false };
    let Some(second) = normals.iter().find(|n| n.cross(first).length() > 1e-6) else {
        return false;
    };
    let across = first.cross(*second).normalize_or_zero();
    normals.iter().any(|n| n.dot(across).abs() > 1e-6)
}

/// Contacts of a polytope with a surface closer than `reach` \[m\]; the polytope comes first.
pub(crate) fn polytope(
    solid: Solid,
    surface: (&Surface, &Placed),
    reach: f64,
    rules: &Rules,
    sink: &mut Sink,
) {
    let pose = &surface.1.pose;
    let facets = surface.0.facets(pose, &solid.placed.bounds.inflated(reach));
    if facets.is_empty() {
        return;
    }
    for k in 0..solid.placed.vertices.len() as u32 {
        corner_on_facets(&solid, k, &facets, reach, rules, sink);
    }
    edges_on_ridges(&solid, &surface.0.ridges(pose, &facets), reach, rules, sink);
    for (id, v, around) in surface.0.tips(pose, &facets) {
        tip_on_faces(&solid, (id, v, &around), reach, rules, sink);
    }
}

/// A corner of the polytope against every plane within reach, each plane once, the nearest first.
fn corner_on_facets(
    solid: &Solid,
    k: u32,
    facets: &[Facet],
    reach: f64,
    rules: &Rules,
    sink: &mut Sink,
) {
    let v = solid.placed.vertices[k as usize];
    let mut near: Vec<(&Facet, Above)> = vec![];
    for facet in facets {
        let corner = |k: usize| facet.corners[k];
        let Some(at) = vertex_face::above(v, facet.normal, 3, corner, reach) else { continue };
        match near.iter_mut().find(|n| n.0.plane == facet.plane) {
            Some(known) if known.1.beside <= at.beside => {}
            Some(known) => *known = (facet, at),
            None => near.push((facet, at)),
        }
    }
    let distance = |at: &Above| at.psi.hypot(at.beside);
    near.sort_by(|x, y| distance(&x.1).total_cmp(&distance(&y.1)));
    let nearest = near.first().map_or(f64::INFINITY, |n| distance(&n.1));
    for (facet, at) in &near {
        let applicability = solid.applicability(k, facet.normal);
        // Below a surface without thickness the nearest plane is the way out.
        let feasible = rules.feasible(at.psi, at.beside) || distance(at) <= nearest;
        sink.push(&Found {
            features: [Feature::Vertex(k), Feature::Face(facet.plane)],
            points: [v, v - facet.normal * at.psi],
            normal: -facet.normal,
            gap: at.psi,
            applicability,
            primary: applicability >= rules.applicable && feasible,
        });
    }
}

fn edges_on_ridges(solid: &Solid, ridges: &[Ridge], reach: f64, rules: &Rules, sink: &mut Sink) {
    let bounds = |s: &Segment| Aabb::of([s.tail, s.tail + s.along]);
    let boxes: Vec<Aabb> = ridges.iter().map(|r| bounds(&r.segment)).collect();
    let mut near: Vec<(u32, EdgePair)> = vec![];
    for k in 0..solid.shape.edges.len() {
        let edge = solid.edge(k);
        let own = bounds(&edge).inflated(reach);
        near.clear();
        for (ridge, other) in ridges.iter().zip(&boxes) {
            if own.overlaps(other)
                && let Some(pair) = edge_edge(&edge, &ridge.segment, reach, rules)
            {
                near.push((ridge.id, pair));
            }
        }
        let nearest = near.iter().map(|n| n.1.gap.abs()).fold(f64::INFINITY, f64::min);
        for (id, pair) in &near {
            let deepest = pair.applicability >= 0.0 && pair.gap.abs() <= nearest;
            sink.push(&Found {
                features: [Feature::Edge(k as u32), Feature::Edge(*id)],
                points: pair.points,
                normal: pair.normal,
                gap: pair.gap,
                applicability: pair.applicability,
                primary: pair.applicability >= rules.applicable
                    && (rules.feasible(pair.gap, 0.0) || deepest),
            });
        }
    }
}

/// A tip of the surface against every face of the polytope within reach.
fn tip_on_faces(
    solid: &Solid,
    tip: (u32, Vec3, &[Vec3]),
    reach: f64,
    rules: &Rules,
    sink: &mut Sink,
) {
    let (id, v, around) = tip;
    let top = |f: usize| solid.placed.normals[f].dot(v - solid.on_face(f));
    let highest = (0..solid.placed.normals.len()).map(top).fold(f64::NEG_INFINITY, f64::max);
    for (f, face) in solid.shape.faces.iter().enumerate() {
        let n = solid.placed.normals[f];
        let corner = |k: usize| solid.placed.vertices[face.vertices[k] as usize];
        let Some(at) = vertex_face::above(v, n, face.vertices.len(), corner, reach) else {
            continue;
        };
        let applicability = vertex_face::applicability(v, n, around.iter().copied());
        let feasible = rules.feasible(at.psi, at.beside) || at.psi >= highest;
        sink.push(&Found {
            features: [Feature::Face(f as u32), Feature::Vertex(id)],
            points: [v - n * at.psi, v],
            normal: n,
            gap: at.psi,
            applicability,
            primary: applicability >= rules.applicable && feasible,
        });
    }
}
