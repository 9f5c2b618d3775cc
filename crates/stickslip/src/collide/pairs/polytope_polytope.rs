//! Two convex polyhedra: every vertex-face and edge-edge pair within reach.
//!
//! Culling never loses a pair: for any unit direction d, a feature of A within `reach` of B has a
//! point x with `d · x >= min_B d · y - reach`. The face normal that separates best serves as d.

use stickslip_geometry::{Aabb, Polytope, Vec3, gauss::Facing};

use super::{
    Found, Sink,
    edge_edge::{self, Segment},
    vertex_face,
};
use crate::collide::{Feature, placed::Placed, settings::Rules};

/// A polytope at its place.
#[derive(Clone, Copy)]
pub(crate) struct Solid<'a> {
    /// Its features.
    pub shape: &'a Polytope,
    /// Corners and normals in the world.
    pub placed: &'a Placed,
}

impl Solid<'_> {
    fn vertex(&self, k: u32) -> Vec3 {
        self.placed.vertices[k as usize]
    }

    /// An edge in the world.
    pub fn edge(&self, k: usize) -> Segment {
        let edge = &self.shape.edges[k];
        let tail = self.vertex(edge.vertices[0]);
        Segment {
            tail,
            along: self.vertex(edge.vertices[1]) - tail,
            normals: edge.faces.map(|f| self.placed.normals[f as usize]),
        }
    }

    /// A point on a face.
    pub fn on_face(&self, k: usize) -> Vec3 {
        self.vertex(self.shape.faces[k].vertices[0])
    }

    /// Equation (3.4) for a vertex and a direction away from the other body's face.
    pub fn applicability(&self, vertex: u32, normal: Vec3) -> f64 {
        let ends = self.shape.neighbors[vertex as usize].iter().map(|&w| self.vertex(w));
        vertex_face::applicability(self.vertex(vertex), normal, ends)
    }
}

/// Buffers of the inner loops, one per thread.
#[derive(Default)]
pub(crate) struct Scratch {
    near: [Near; 2],
    facing: Facing,
}

/// The features of one polytope that may be within reach of the other.
#[derive(Default)]
struct Near {
    in_slab: Vec<bool>,
    vertices: Vec<u32>,
    faces: Vec<u32>,
    edges: Vec<NearEdge>,
}

/// An edge, the box around it, and its place.
struct NearEdge {
    id: u32,
    bounds: Aabb,
    segment: Segment,
}

/// All contacts between two polytopes closer than `reach` \[m\].
pub(crate) fn contacts(
    pair: [Solid; 2],
    reach: f64,
    rules: &Rules,
    scratch: &mut Scratch,
    sink: &mut Sink,
) {
    let large = pair.iter().any(|s| s.shape.is_large());
    if large {
        scratch.facing.find(pair.map(|s| (s.shape, &s.placed.pose)), 0.0);
    }
    let best = if large { scratch.best_face(pair, reach) } else { best_face(pair, reach) };
    let Some((separation, direction)) = best else { return };
    let depth = match (separation < -rules.epsilon, large) {
        (false, _) => 0.0,
        (true, true) => {
            let edges = [0, 1].map(|k| scratch.facing.edges(k));
            depth(pair, edges, separation, rules)
        }
        (true, false) => {
            let edges = pair.map(|s| 0..s.shape.edges.len());
            depth(pair, edges, separation, rules)
        }
    };
    let rules = rules.at_depth(depth);
    // A pair deeper than its reach must still be found, or it would never part again.
    let (limit, reach) = (reach, if depth > reach { reach + depth } else { reach });
    if !scratch.gather(pair, direction, reach) {
        return;
    }
    let [near_a, near_b] = &scratch.near;
    let context = Context { pair, reach, limit, rules: &rules };
    context.vertex_face(0, &near_a.vertices, &near_b.faces, sink);
    context.vertex_face(1, &near_b.vertices, &near_a.faces, sink);
    context.edge_edge(&near_a.edges, &near_b.edges, sink);
}

/// The largest gap along a face normal of either \[m\], and that direction from A to B; `None` if
/// it exceeds `reach`.
fn best_face(pair: [Solid; 2], reach: f64) -> Option<(f64, Vec3)> {
    let mut best = (f64::NEG_INFINITY, Vec3::Z);
    for k in 0..2 {
        let (own, other) = (&pair[k], &pair[1 - k]);
        for (f, &n) in own.placed.normals.iter().enumerate() {
            let offset = n.dot(own.on_face(f));
            let mut gap = f64::INFINITY;
            for &v in &other.placed.vertices {
                gap = gap.min(n.dot(v) - offset);
                if gap <= best.0 {
                    break;
                }
            }
            if gap > best.0 {
                best = (gap, if k == 0 { n } else { -n });
                if gap > reach {
                    return None;
                }
            }
        }
    }
    Some(best)
}

/// Depth of least penetration over all face normals and these edges of each \[m\], zero if apart.
fn depth<E: Iterator<Item = usize>>(
    pair: [Solid; 2],
    edges: [E; 2],
    face_gap: f64,
    rules: &Rules,
) -> f64 {
    let mut best = face_gap;
    let [of_a, of_b] = edges;
    let others: Vec<Segment> = of_b.map(|j| pair[1].edge(j)).collect();
    for i in of_a {
        let a = pair[0].edge(i);
        for b in others.iter().filter(|b| edge_edge::may_face(&a, b)) {
            let Some(n) = edge_edge::signed_normal(&a, b, rules) else { continue };
            let gap = n.dot(b.tail - a.tail);
            // Only applicable pairs touch both bodies from outside along their normal.
            if gap > best && edge_edge::applicability(&a, b, n) >= 0.0 {
                best = gap;
            }
        }
    }
    (-best).max(0.0)
}

impl Scratch {
    /// [`best_face`] of polytopes whose facing features are known.
    fn best_face(&self, pair: [Solid; 2], reach: f64) -> Option<(f64, Vec3)> {
        let mut best = (f64::NEG_INFINITY, Vec3::Z);
        for (k, sign) in [(0, 1.0), (1, -1.0)] {
            let (own, other) = (&pair[k].placed, &pair[1 - k].placed);
            for f in self.facing.faces(k) {
                let n = own.normals[f.face as usize];
                let corner = other.vertices[f.corner as usize];
                let gap = n.dot(corner) - n.dot(pair[k].on_face(f.face as usize));
                if gap > best.0 {
                    best = (gap, n * sign);
                }
            }
        }
        (best.0 <= reach).then_some(best)
    }

    /// Collects the near features of both; false if one has none.
    fn gather(&mut self, pair: [Solid; 2], d: Vec3, reach: f64) -> bool {
        let extent = |s: &Solid, d: Vec3| {
            s.placed.vertices.iter().fold(f64::NEG_INFINITY, |m, &v| m.max(d.dot(v)))
        };
        let (top_a, top_b) = (extent(&pair[0], d), extent(&pair[1], -d));
        // Room for the rounding of these sums, so that no pair at exactly the reach is lost.
        let room = reach + 1e-14 * (top_a.abs() + top_b.abs());
        self.near[0].gather(&pair[0], d, -top_b - room, &pair[1].placed.bounds.inflated(room))
            && self.near[1].gather(
                &pair[1],
                -d,
                -top_a - room,
                &pair[0].placed.bounds.inflated(room),
            )
    }
}

impl Near {
    /// Features that reach beyond `low` along `d` and into the other's inflated bounds.
    fn gather(&mut self, solid: &Solid, d: Vec3, low: f64, other: &Aabb) -> bool {
        let (shape, points) = (solid.shape, &solid.placed.vertices);
        self.in_slab.clear();
        self.in_slab.extend(points.iter().map(|&v| d.dot(v) >= low));
        let in_slab = &self.in_slab;
        let inside = |v: Vec3| v.cmpge(other.min).all() && v.cmple(other.max).all();
        self.vertices.clear();
        self.vertices.extend(
            (0..points.len() as u32).filter(|&k| in_slab[k as usize] && inside(points[k as usize])),
        );
        self.faces.clear();
        let touches =
            |f: &&u32| shape.faces[**f as usize].vertices.iter().any(|&v| in_slab[v as usize]);
        let all: u32 = shape.faces.len() as u32;
        self.faces.extend((0..all).filter(|f| touches(&f)));
        self.edges.clear();
        for (k, edge) in shape.edges.iter().enumerate() {
            let [t, h] = edge.vertices.map(|v| v as usize);
            if in_slab[t] || in_slab[h] {
                let bounds = Aabb { min: points[t].min(points[h]), max: points[t].max(points[h]) };
                if bounds.overlaps(other) {
                    let segment = solid.edge(k);
                    self.edges.push(NearEdge { id: k as u32, bounds, segment });
                }
            }
        }
        !self.faces.is_empty()
    }
}

struct Context<'a> {
    pair: [Solid<'a>; 2],
    /// Features farther from each other than this are not compared \[m\].
    reach: f64,
    /// Nor are gaps above this \[m\].
    limit: f64,
    rules: &'a Rules,
}

impl Context<'_> {
    /// Vertices of body `own` (0 or 1) against faces of the other.
    fn vertex_face(&self, own: usize, vertices: &[u32], faces: &[u32], sink: &mut Sink) {
        let (from, to) = (&self.pair[own], &self.pair[1 - own]);
        for &f in faces {
            let face = &to.shape.faces[f as usize];
            let n = to.placed.normals[f as usize];
            let corner = |k: usize| to.vertex(face.vertices[k]);
            for &k in vertices {
                let v = from.vertex(k);
                let count = face.vertices.len();
                let Some(at) = vertex_face::above(v, n, count, corner, self.reach) else {
                    continue;
                };
                if at.psi > self.limit {
                    continue;
                }
                let applicability = from.applicability(k, n);
                let primary = applicability >= self.rules.applicable
                    && self.rules.feasible(at.psi, at.beside);
                let mut found = Found {
                    features: [Feature::Vertex(k), Feature::Face(f)],
                    points: [v, v - n * at.psi],
                    normal: -n,
                    gap: at.psi,
                    applicability,
                    primary,
                };
                if own == 1 {
                    found.features.swap(0, 1);
                    found.points.swap(0, 1);
                    found.normal = n;
                }
                sink.push(&found);
            }
        }
    }

    fn edge_edge(&self, a: &[NearEdge], b: &[NearEdge], sink: &mut Sink) {
        for first in a {
            let near = first.bounds.inflated(self.reach);
            for second in b.iter().filter(|second| near.overlaps(&second.bounds)) {
                let (x, y) = (&first.segment, &second.segment);
                let Some(hit) = edge_edge::edge_edge(x, y, self.reach, self.rules) else {
                    continue;
                };
                if hit.gap > self.limit {
                    continue;
                }
                let primary =
                    hit.applicability >= self.rules.applicable && self.rules.feasible(hit.gap, 0.0);
                sink.push(&Found {
                    features: [Feature::Edge(first.id), Feature::Edge(second.id)],
                    points: hit.points,
                    normal: hit.normal,
                    gap: hit.gap,
                    applicability: hit.applicability,
                    primary,
                });
            }
        }
    }
}
