//! Capsules with capsules and polytopes: the ends of the core, and points between them.
//!
//! The core is a segment, thickened by the radius. Its two ends are treated as balls, its inner
//! points as an edge against the other's edges and corners. An end counts where the other body is
//! ahead of it or beside it (its applicability is the cosine to the axis); a capsule that lies on
//! a face thus has two contacts, one that stands has one.

use stickslip_geometry::{Convex, Polytope, Vec3};

use super::{
    Found, Sink,
    nearest::{Nearest, core, nearest},
    polytope_polytope::Solid,
    vertex_face::{self, point_segment},
};
use crate::collide::{Feature, placed::Placed, settings::Rules};

/// A capsule at its place.
#[derive(Clone, Copy)]
pub(crate) struct Capsule<'a> {
    placed: &'a Placed,
    ends: [Vec3; 2],
    radius: f64,
}

/// Where the inner points of a core are numbered from; 0 and 1 are its ends.
const INNER: u32 = 2;

impl<'a> Capsule<'a> {
    /// Core from `-half` to `half` along the part's z.
    pub fn new(placed: &'a Placed, half: f64, radius: f64) -> Self {
        Self { placed, ends: core(placed, half), radius }
    }

    /// Unit direction of the core from its first end to its second.
    fn axis(&self) -> Vec3 {
        self.placed.pose.vector(Vec3::Z)
    }

    /// Applicability of end `k` for a normal away from the capsule.
    fn end_faces(&self, k: usize, normal: Vec3) -> f64 {
        let outward = if k == 0 { -self.axis() } else { self.axis() };
        // Zero beside the core, one straight ahead.
        normal.dot(outward)
    }
}

/// What is common to the contacts of one pair.
struct Context<'a, 'b, 'c> {
    reach: f64,
    rules: &'a Rules,
    sink: &'b mut Sink<'c>,
    /// Number of contacts so far.
    found: usize,
}

impl Context<'_, '_, '_> {
    /// A ball around the point `c` of the core, against the nearest point of the other.
    fn at_nearest(
        &mut self,
        capsule: &Capsule,
        c: Vec3,
        feature: Feature,
        at: &Nearest,
        faces: impl Fn(Vec3) -> f64,
    ) {
        let points = [c - at.normal * capsule.radius, at.point];
        self.push([feature, at.feature], points, -at.normal, faces(-at.normal));
    }

    fn push(
        &mut self,
        features: [Feature; 2],
        points: [Vec3; 2],
        normal: Vec3,
        applicability: f64,
    ) {
        let gap = normal.dot(points[1] - points[0]);
        if gap <= self.reach && applicability >= self.rules.applicable {
            let primary = true;
            self.found += 1;
            self.sink.push(&Found { features, points, normal, gap, applicability, primary });
        }
    }
}

/// Contacts of two capsules closer than `reach` \[m\].
pub(crate) fn capsules(pair: [Capsule; 2], reach: f64, rules: &Rules, sink: &mut Sink) {
    let mut context = Context { reach, rules, sink, found: 0 };
    let [a, b] = &pair;
    let (u, v) = (a.ends[1] - a.ends[0], b.ends[1] - b.ends[0]);
    let n = u.cross(v);
    let parallel = rules.parallel * rules.parallel * u.length_squared() * v.length_squared();
    let d = b.ends[0] - a.ends[0];
    let nn = n.length_squared();
    let crossing = (nn > parallel).then(|| (d.cross(v).dot(n) / nn, d.cross(u).dot(n) / nn));
    if let Some((s, t)) = crossing
        && (0.0..=1.0).contains(&s)
        && (0.0..=1.0).contains(&t)
    {
        let (p, q) = (a.ends[0] + u * s, b.ends[0] + v * t);
        // Crossing cores leave the sign open: the side on which B's middle lies decides.
        let n = n.normalize();
        let apart = n.dot(q - p);
        let middle = n.dot(b.placed.pose.position - a.placed.pose.position);
        let side = if apart.abs() > 1e-9 * (a.radius + b.radius) { apart } else { middle };
        let n = if side < 0.0 { -n } else { n };
        let points = [p + n * a.radius, q - n * b.radius];
        context.push([Feature::Smooth(INNER); 2], points, n, 1.0);
        return;
    }
    for own in 0..2 {
        let (x, y) = (&pair[own], &pair[1 - own]);
        for k in 0..2 {
            let p = x.ends[k];
            let q = point_segment(y.ends[0], y.ends[1], p);
            let other = y.ends.iter().position(|&e| e == q);
            // Two ends nearest to each other are one contact, told by the first capsule.
            if other.is_some() && own == 1 {
                let back = point_segment(x.ends[0], x.ends[1], q);
                if back == p {
                    continue;
                }
            }
            let n = (q - p).try_normalize().unwrap_or_else(|| x.axis().any_orthonormal_vector());
            let ends = other.map_or(1.0, |l| y.end_faces(l, -n));
            let applicability = x.end_faces(k, n).min(ends);
            let mut features =
                [Feature::Smooth(k as u32), Feature::Smooth(other.map_or(INNER, |l| l as u32))];
            let mut points = [p + n * x.radius, q - n * y.radius];
            let mut normal = n;
            if own == 1 {
                features.swap(0, 1);
                points.swap(0, 1);
                normal = -n;
            }
            context.push(features, points, normal, applicability);
        }
    }
}

/// Contacts of a capsule with a polytope closer than `reach` \[m\].
pub(crate) fn polytope(
    capsule: Capsule,
    solid: (&Convex, &Polytope, &Placed),
    reach: f64,
    rules: &Rules,
    sink: &mut Sink,
) {
    let (convex, shape, placed) = solid;
    let mut context = Context { reach, rules, sink, found: 0 };
    let at = capsule.ends.map(|c| nearest(convex, placed, c, capsule.radius));
    for (k, near) in at.iter().enumerate() {
        let faces = |n| capsule.end_faces(k, n);
        context.at_nearest(&capsule, capsule.ends[k], Feature::Smooth(k as u32), near, faces);
    }
    // Both ends over one face: so is all of the core, and no point of it is nearer.
    let same = at[0].feature == at[1].feature && matches!(at[0].feature, Feature::Face(_));
    if !same {
        let solid = Solid { shape, placed };
        inner_edges(&capsule, &solid, &mut context);
        inner_corners(&capsule, &solid, &mut context);
    }
    // A core that runs right through the body leaves by the face nearest to its inner part.
    if context.found == 0
        && let Some(middle) = inner_middle(&capsule, shape, placed)
    {
        let at = nearest(convex, placed, middle, capsule.radius);
        context.at_nearest(&capsule, middle, Feature::Smooth(INNER), &at, |_| 1.0);
    }
}

/// Middle of the part of the core inside the polytope: the segment clipped by every face.
fn inner_middle(capsule: &Capsule, shape: &Polytope, placed: &Placed) -> Option<Vec3> {
    let [a, b] = capsule.ends;
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for (face, &n) in shape.faces.iter().zip(&placed.normals) {
        let on = placed.vertices[face.vertices[0] as usize];
        let (start, slope) = (n.dot(a - on), n.dot(b - a));
        if slope > 0.0 {
            high = high.min(-start / slope);
        } else if slope < 0.0 {
            low = low.max(-start / slope);
        } else if start > 0.0 {
            return None;
        }
    }
    (low < high).then(|| a + (b - a) * (0.5 * (low + high)))
}

/// Inner points of the core against edges that cross below it.
fn inner_edges(capsule: &Capsule, solid: &Solid, context: &mut Context) {
    let u = capsule.ends[1] - capsule.ends[0];
    for k in 0..solid.shape.edges.len() {
        let edge = solid.edge(k);
        let (v, d) = (edge.along, edge.tail - capsule.ends[0]);
        let n = u.cross(v);
        let nn = n.length_squared();
        let sine = context.rules.parallel;
        if nn <= sine * sine * u.length_squared() * v.length_squared() {
            continue;
        }
        let (s, t) = (d.cross(v).dot(n) / nn, d.cross(u).dot(n) / nn);
        if !((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t)) {
            continue;
        }
        // Outward from the edge, wherever the core is.
        let n = n.normalize();
        let out = n.dot(edge.normals[0] + edge.normals[1]);
        let n = if out < 0.0 { -n } else { n };
        let along = edge.along.normalize_or_zero();
        let falls = [edge.normals[0].cross(along), along.cross(edge.normals[1])];
        let applicability = (-n.dot(falls[0])).min(-n.dot(falls[1]));
        let points = [capsule.ends[0] + u * s - n * capsule.radius, edge.tail + v * t];
        // A core below the edge is nearer to some other edge or face.
        if n.dot(points[0] - points[1]) >= -capsule.radius {
            let features = [Feature::Smooth(INNER + k as u32), Feature::Edge(k as u32)];
            context.push(features, points, -n, applicability);
        }
    }
}

/// Corners of the polytope against inner points of the core.
fn inner_corners(capsule: &Capsule, solid: &Solid, context: &mut Context) {
    let [a, b] = capsule.ends;
    let edges = solid.shape.edges.len() as u32;
    for (k, &v) in solid.placed.vertices.iter().enumerate() {
        let foot = point_segment(a, b, v);
        let away = foot - v;
        let Some(n) = away.try_normalize() else { continue };
        if foot == a || foot == b || away.length() - capsule.radius > context.reach {
            continue;
        }
        let ends = solid.shape.neighbors[k].iter().map(|&w| solid.placed.vertices[w as usize]);
        let applicability = vertex_face::applicability(v, -n, ends);
        let features = [Feature::Smooth(INNER + edges + k as u32), Feature::Vertex(k as u32)];
        context.push(features, [foot - n * capsule.radius, v], -n, applicability);
    }
}
