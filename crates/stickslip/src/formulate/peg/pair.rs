//! One pair of convex parts: its contacts, found by the detector or made here.

use std::{cell::OnceCell, collections::BTreeMap};

use stickslip_geometry::Vec3;

use super::{clause::Clause, solid::Solid};
use crate::{
    collide::{
        Contact, Feature, Role, Side,
        pairs::edge_edge::{self, Segment},
    },
    formulate::{ConstraintKind, separation::apart},
    frame::Frame,
    model::BodyId,
};

/// A part of a body.
pub(crate) type PartId = (BodyId, u32);

/// Angles below this are round-off: what is applicable within it counts \[rad\].
pub(super) const STRICT: f64 = 1e-9;
/// Edges whose directions differ by less have no common normal to speak of \[rad\].
const PARALLEL: f64 = 1e-6;
/// Two edges or a vertex and a face that face each other within this angle may do so exactly
/// at the end of the step: -sin 10°, as in the detector.
pub(super) const RELAXED: f64 = -0.173_648_177_666_930_33;

/// Cosine of directions that are opposite within 10°.
pub(super) const SLIVER: f64 = -0.984_807_753_012_208;

/// Times round-off beyond which a gap is another place.
const FAR: f64 = 1e3;

/// What tells a contact of the pair apart: its features, and the sign of an edge normal.
pub(super) type Key = (Feature, Feature, bool);

/// A pair of convex parts within reach, and the clauses about it.
pub(crate) struct Pair<'a> {
    frame: &'a Frame<'a>,
    /// At the start of the step.
    pub solids: [&'a Solid; 2],
    /// Turned to where the present spin takes them by the middle of the step: gaps and normals.
    middle: [&'a Solid; 2],
    /// Turned to where the present spin takes them by its end: which features face each other.
    pub turned: [&'a Solid; 2],
    pub parts: [PartId; 2],
    /// How far the two can approach each other in the step \[m\].
    pub reach: f64,
    /// Lengths below this are round-off \[m\].
    pub tolerance: f64,
    /// How far an impact may turn the two against each other in the step, at most 10° \[rad\].
    pub turn: f64,
    /// Contacts of the detector.
    pub found: BTreeMap<(Feature, Feature), Contact>,
    /// Contacts in use: at the start of the step, and in its middle.
    pub contacts: Vec<[Contact; 2]>,
    index: BTreeMap<Key, usize>,
    /// By how much the bodies overlap at the start of the step, as a gap, once asked \[m\].
    overlap: OnceCell<f64>,
    /// The constraints.
    pub clauses: Vec<Clause>,
}

impl<'a> Pair<'a> {
    pub fn new(
        frame: &'a Frame<'a>,
        [a, b]: [&'a [Solid; 3]; 2],
        parts: [PartId; 2],
        reach: f64,
        found: impl Iterator<Item = Contact>,
    ) -> Self {
        let [solids, middle, turned] = [0, 1, 2].map(|k| [&a[k], &b[k]]);
        let size = solids
            .map(|s| s.vertices.iter().fold(0.0_f64, |r, v| r.max(v.distance(s.vertices[0]))));
        Self {
            frame,
            solids,
            middle,
            turned,
            parts,
            reach,
            tolerance: 1e-9 * size[0].min(size[1]),
            turn: (reach / size[0].min(size[1])).clamp(STRICT, -RELAXED),
            found: found.map(|c| ((c.a.feature, c.b.feature), c)).collect(),
            contacts: Vec::new(),
            index: BTreeMap::new(),
            overlap: OnceCell::new(),
            clauses: Vec::new(),
        }
    }

    /// Numbers a contact.
    fn put(&mut self, key: Key, make: impl Fn(&Self, &[&Solid; 2]) -> Contact) -> usize {
        if let Some(&k) = self.index.get(&key) {
            return k;
        }
        let start = match self.found.get(&(key.0, key.1)) {
            Some(c) if key.2 || !matches!(key.0, Feature::Edge(_)) => *c,
            _ => make(self, &self.solids),
        };
        self.contacts.push([start, make(self, &self.middle)]);
        self.index.insert(key, self.contacts.len() - 1);
        self.contacts.len() - 1
    }

    fn contact(&self, normal: Vec3, points: [Vec3; 2], features: [Feature; 2]) -> Contact {
        let side = |k: usize| Side {
            body: self.parts[k].0,
            part: self.parts[k].1,
            feature: features[k],
            point: points[k],
        };
        Contact {
            a: side(0),
            b: side(1),
            normal,
            gap: normal.dot(points[1] - points[0]),
            applicability: 0.0,
            role: Role::Secondary,
        }
    }

    /// The contact of vertex `v` of body `own` with face `f` of the other.
    pub fn vertex_face(&mut self, own: usize, v: usize, f: usize) -> usize {
        let mut features = [Feature::Vertex(v as u32), Feature::Face(f as u32)];
        if own == 1 {
            features.swap(0, 1);
        }
        self.put((features[0], features[1], true), |pair, solids| {
            let (from, to) = (solids[own], solids[1 - own]);
            let (x, n) = (from.vertices[v], to.normals[f]);
            let foot = x - n * to.height(f, x);
            if own == 0 {
                pair.contact(-n, [x, foot], features)
            } else {
                pair.contact(n, [foot, x], features)
            }
        })
    }

    /// The contact of edges `i` of A and `j` of B whose normal points along `outward` (from A to
    /// B); `None` where they are parallel.
    pub fn edges(&mut self, i: usize, j: usize, outward: Vec3) -> Option<usize> {
        let cross = edge_normal(&self.turned, i, j)?;
        let n = if cross.dot(outward) >= 0.0 { cross } else { -cross };
        let features = [Feature::Edge(i as u32), Feature::Edge(j as u32)];
        // The detector's own contact, where it chose the same sign.
        let found = self.found.get(&(features[0], features[1]));
        let same = found.map_or(cross, |c| c.normal).dot(n) > 0.0;
        Some(self.put((features[0], features[1], same), |pair, solids| {
            let cross = edge_normal(solids, i, j).unwrap_or(n);
            let n = if cross.dot(n) >= 0.0 { cross } else { -cross };
            pair.contact(n, pair.near_points(solids, i, j), features)
        }))
    }

    /// Unit `± e_a x e_b`; `None` where the edges are parallel.
    pub fn edge_normal(&self, i: usize, j: usize) -> Option<Vec3> {
        edge_normal(&self.turned, i, j)
    }

    /// Closest points of the two lines, not farther beyond the ends than the bodies can move.
    fn near_points(&self, solids: &[&Solid; 2], i: usize, j: usize) -> [Vec3; 2] {
        let (a, b) = (solids[0].edge(i), solids[1].edge(j));
        let (s, t) = edge_edge::closest_on_lines(&a, &b).unwrap_or((0.5, 0.5));
        let on = |e: &Segment, s: f64| {
            let room = self.reach / e.along.length();
            e.tail + e.along * s.clamp(-room, 1.0 + room)
        };
        [on(&a, s), on(&b, t)]
    }

    /// Equation (3.5) at the end of the step, for the common normal whose sign is that of
    /// `outward` (from A to B).
    pub fn edge_applicability(&self, i: usize, j: usize, outward: Vec3) -> f64 {
        let (a, b) = (self.turned[0].edge(i), self.turned[1].edge(j));
        let n = a.along.cross(b.along).normalize_or_zero();
        let n = if n.dot(outward) >= 0.0 { n } else { -n };
        edge_edge::applicability(&a, &b, n)
    }

    /// Equation (3.4) at the end of the step for vertex `v` of body `own` and face `f` of the other.
    pub fn vertex_applicability(&self, own: usize, v: usize, f: usize) -> f64 {
        self.turned[own].applicability(v, self.turned[1 - own].normals[f])
    }

    /// Adds a constraint. Contacts that stay behind whatever happens are left out; a constraint
    /// with a contact that stays in front is not needed; one that does not hold now, although the
    /// bodies are apart, is no fact.
    pub fn add(&mut self, kind: ConstraintKind, literals: Vec<usize>) {
        let gap = |k: &usize| self.contacts[*k][0].gap;
        if literals.iter().any(|k| gap(k) > self.reach + self.tolerance) {
            return;
        }
        let mut kept: Vec<usize> =
            literals.iter().copied().filter(|k| gap(k) >= -self.reach - self.tolerance).collect();
        if kept.is_empty() {
            kept = literals;
        }
        let mut sorted = kept.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let covers = |c: &Clause| c.literals.iter().all(|k| sorted.binary_search(k).is_ok());
        if sorted.is_empty() || self.clauses.iter().any(covers) || self.is_false(&sorted) {
            return;
        }
        self.clauses.push(Clause::new(kind, sorted));
    }

    /// Whether all these contacts are violated by far although the bodies are apart, or by far more
    /// than they overlap: corners that are taken as if their edges had no end.
    fn is_false(&self, literals: &[usize]) -> bool {
        let far = FAR * self.tolerance;
        let widest =
            literals.iter().fold(f64::NEG_INFINITY, |m, &k| m.max(self.contacts[k][0].gap));
        let Frame { model, state, .. } = self.frame;
        let separation = || apart(model, state, self.parts).unwrap_or(0.0).min(0.0);
        widest < -far && widest < *self.overlap.get_or_init(separation) - far
    }

    /// U- and I-constraints: every vertex with a primary contact, against the faces that it may
    /// reach around their common edges. The far side of a thin body is not one of them.
    pub fn vertices(&mut self) {
        for own in 0..2 {
            let mut near: BTreeMap<usize, Vec<(usize, bool)>> = BTreeMap::new();
            for (&(a, b), c) in &self.found {
                let (mine, other) = if own == 0 { (a, b) } else { (b, a) };
                if let (Feature::Vertex(v), Feature::Face(f)) = (mine, other) {
                    let primary = c.role == Role::Primary;
                    near.entry(v as usize).or_default().push((f as usize, primary));
                }
            }
            for (v, faces) in near {
                let at = self.solids[own].vertices[v];
                for group in groups(self.solids[1 - own], faces, at, self.reach) {
                    let literals = group.iter().map(|&f| self.vertex_face(own, v, f)).collect();
                    let kind = match group.len() {
                        1 => ConstraintKind::Unilateral,
                        _ => ConstraintKind::Inter,
                    };
                    self.add(kind, literals);
                }
            }
        }
    }

    /// Vertices of body `own` that the detector found near the other.
    pub fn near_vertices(&self, own: usize) -> Vec<usize> {
        let mut all: Vec<usize> = self
            .found
            .keys()
            .filter_map(|&(a, b)| match if own == 0 { a } else { b } {
                Feature::Vertex(v) => Some(v as usize),
                _ => None,
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Applicability of a contact of the detector at the end of the step.
    fn applicability(&self, c: &Contact) -> f64 {
        let at = |k: u32| k as usize;
        match (c.a.feature, c.b.feature) {
            (Feature::Vertex(v), Feature::Face(f)) => self.vertex_applicability(0, at(v), at(f)),
            (Feature::Face(f), Feature::Vertex(v)) => self.vertex_applicability(1, at(v), at(f)),
            (Feature::Edge(i), Feature::Edge(j)) => self.edge_applicability(at(i), at(j), c.normal),
            _ => c.applicability,
        }
    }

    /// Contacts elsewhere on the pair that part it although the corner at `shift` (from A's
    /// feature to B's) does not: the far sides of a body that is smaller than what it travels.
    pub fn far_sides(&mut self, shift: Vec3) -> Vec<usize> {
        let limit = -FAR * self.tolerance;
        let far: Vec<(Feature, Feature, Vec3)> = self
            .found
            .iter()
            .filter(|(_, c)| c.gap >= -self.reach && c.gap - c.normal.dot(shift) < limit)
            .filter(|(_, c)| self.applicability(c) >= -STRICT)
            .map(|(k, c)| (k.0, k.1, c.normal))
            .collect();
        let at = |k: u32| k as usize;
        let number = |key: (Feature, Feature, Vec3)| match (key.0, key.1) {
            (Feature::Vertex(v), Feature::Face(f)) => Some(self.vertex_face(0, at(v), at(f))),
            (Feature::Face(f), Feature::Vertex(v)) => Some(self.vertex_face(1, at(v), at(f))),
            (Feature::Edge(i), Feature::Edge(j)) => self.edges(at(i), at(j), key.2),
            _ => None,
        };
        far.into_iter().filter_map(number).collect()
    }
}

/// Unit `± e_a x e_b`; `None` where the edges are parallel.
fn edge_normal(solids: &[&Solid; 2], i: usize, j: usize) -> Option<Vec3> {
    let (a, b) = (solids[0].edge(i).along, solids[1].edge(j).along);
    let n = a.cross(b);
    let length = n.length();
    (length > PARALLEL * a.length() * b.length()).then(|| n / length)
}

/// Faces joined to each other near a point, and among them a primary contact.
fn groups(
    solid: &Solid,
    faces: Vec<(usize, bool)>,
    at: Vec3,
    reach: f64,
) -> impl Iterator<Item = Vec<usize>> {
    let mut groups: Vec<(Vec<usize>, bool)> = Vec::new();
    for (f, primary) in faces {
        let (mut group, mut pushes) = (vec![f], primary);
        groups.retain_mut(|(other, p)| {
            let joined = other.iter().any(|&g| solid.joined(f, g, at, reach));
            if joined {
                group.append(other);
                pushes |= *p;
            }
            !joined
        });
        groups.push((group, pushes));
    }
    groups.into_iter().filter(|g| g.1).map(|g| g.0)
}
