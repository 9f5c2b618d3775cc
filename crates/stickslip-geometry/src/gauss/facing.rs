//! The features of two polytopes that face each other.
//!
//! Along a unit direction n from A to B the two are apart by
//!
//! ```text
//! s(n) = min_B n·y - max_A n·x  <=  n·(y - x)   for any y in B and x in A
//! ```
//!
//! so one point of each bounds s over all directions of a node of the tree of arcs, and nodes below
//! what is asked for are left out. The work follows the number of features near the separating
//! axis, not that of all.

use super::{GaussMap, tree::Below};
use crate::{Mat3, Polytope, Pose, Vec3};

/// Round-off of separations, as a fraction of the size of the polytopes.
const ROUND_OFF: f64 = 1e-12;

/// A face and what the other polytope has nearest to its plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Faced {
    /// The face.
    pub face: u32,
    /// The vertex of the other polytope that is lowest above it.
    pub corner: u32,
    /// Height of that vertex above the face, the separation along its normal \[m\].
    pub separation: f64,
}

/// An edge and an upper bound of the separation along the directions of its arc \[m\].
#[derive(Clone, Copy, Debug)]
struct NearEdge {
    edge: u32,
    bound: f64,
}

/// Faces and edges of two polytopes along which they may be apart the most. Keeps its buffers.
#[derive(Clone, Debug, Default)]
pub struct Facing {
    faces: [Vec<Faced>; 2],
    edges: [Vec<NearEdge>; 2],
    visited: Vec<bool>,
    stack: Vec<(usize, f64)>,
    best: f64,
}

/// One polytope and the other one, as seen from the first.
struct View<'a> {
    own: &'a Polytope,
    other: &'a Polytope,
    map: &'a GaussMap,
    rotation: Mat3,
    position: Vec3,
}

impl View<'_> {
    /// The vertex of the other that is lowest along `n`, and where it is.
    fn lowest(&self, n: Vec3) -> (usize, Vec3) {
        let k = self.other.extreme(self.rotation.transpose() * -n);
        (k, self.rotation * self.other.vertices[k] + self.position)
    }

    /// An upper bound of the separation below a node.
    fn bound(&self, node: usize) -> f64 {
        let node = self.map.tree.node(node);
        let (_, y) = self.lowest(node.axis);
        node.highest(y - self.own.vertices[node.vertex as usize])
    }

    fn face(&self, face: u32) -> Faced {
        let f = &self.own.faces[face as usize];
        let (corner, y) = self.lowest(f.normal);
        Faced { face, corner: corner as u32, separation: f.normal.dot(y) - f.offset }
    }

    /// An upper bound of the separation along the arc of an edge.
    fn edge(&self, edge: u32) -> f64 {
        let e = &self.own.edges[edge as usize];
        let [m, n] = e.faces.map(|f| self.own.faces[f as usize].normal);
        let (_, y) = self.lowest(m + n);
        let d = y - self.own.vertices[e.vertices[0] as usize];
        let along = m.dot(d).max(n.dot(d));
        let chord = 0.5 * (m + n).length();
        if along > 0.0 { along / chord.max(f64::MIN_POSITIVE) } else { along }
    }
}

impl Facing {
    /// Finds the faces of both along whose normals they are apart by within `window` of the widest
    /// such separation, and the edges that may make directions which are \[m\].
    pub fn find(&mut self, pair: [(&Polytope, &Pose); 2], window: f64) {
        self.best = f64::NEG_INFINITY;
        let sizes = pair.map(|(p, _)| p.gauss_map().radius());
        let window = window + ROUND_OFF * (sizes[0] + sizes[1]);
        for k in 0..2 {
            let ([own, other], [(_, pose), (_, from)]) =
                ([pair[k].0, pair[1 - k].0], [pair[k], pair[1 - k]]);
            let view = View {
                own,
                other,
                map: own.gauss_map(),
                rotation: Mat3::from_quat(pose.orientation.conjugate() * from.orientation),
                position: pose.inverse_point(from.position),
            };
            self.search(k, &view, window);
        }
        let floor = self.best - window;
        for k in 0..2 {
            self.faces[k].retain(|f| f.separation >= floor);
            self.faces[k].sort_unstable_by_key(|f| f.face);
            self.edges[k].retain(|e| e.bound >= floor);
            self.edges[k].sort_unstable_by_key(|e| e.edge);
        }
    }

    /// The widest separation along the face normals of both and the common normals of their edges
    /// \[m\]. Of polytopes that overlap it is minus their depth, of those apart at most their
    /// distance.
    pub fn separation(&mut self, pair: [(&Polytope, &Pose); 2]) -> f64 {
        self.find(pair, 0.0);
        let [(a, at_a), (b, at_b)] = pair;
        let rotation = Mat3::from_quat(at_a.orientation.conjugate() * at_b.orientation);
        let position = at_a.inverse_point(at_b.position);
        let mut best = self.best;
        for j in self.edges(1) {
            let edge = &b.edges[j];
            let [b0, b1] = edge.vertices.map(|v| rotation * b.vertices[v as usize] + position);
            let of_b = edge.faces.map(|f| rotation * b.faces[f as usize].normal);
            for edge in self.edges(0).map(|i| &a.edges[i]) {
                let [a0, a1] = edge.vertices.map(|v| a.vertices[v as usize]);
                let of_a = edge.faces.map(|f| a.faces[f as usize].normal);
                let (along_a, along_b) = (a1 - a0, b1 - b0);
                let [p, q] = of_b.map(|n| n.dot(along_a));
                let [r, s] = of_a.map(|n| n.dot(along_b));
                // The arcs cross: no other vertex reaches farther along the common normal.
                if p * q < 0.0 && r * s < 0.0 && p * s < 0.0 {
                    let n = along_a.cross(along_b).normalize_or_zero();
                    let n = if n.dot(of_a[0] + of_a[1]) >= 0.0 { n } else { -n };
                    best = best.max(n.dot(b0 - a0));
                }
            }
        }
        best
    }

    /// The faces of the first (0) or second (1) polytope, by number.
    pub fn faces(&self, k: usize) -> &[Faced] {
        &self.faces[k]
    }

    /// The edges of the first (0) or second (1) polytope, by number.
    pub fn edges(&self, k: usize) -> impl Iterator<Item = usize> {
        self.edges[k].iter().map(|e| e.edge as usize)
    }

    fn search(&mut self, k: usize, view: &View, window: f64) {
        let Self { faces, edges, visited, stack, best } = self;
        let (faces, edges) = (&mut faces[k], &mut edges[k]);
        faces.clear();
        edges.clear();
        visited.clear();
        visited.resize(view.own.faces.len(), false);
        stack.clear();
        if !view.map.tree.is_empty() {
            stack.push((0, f64::INFINITY));
        }
        while let Some((node, bound)) = stack.pop() {
            if bound < *best - window {
                continue;
            }
            match view.map.tree.below(node) {
                // The more promising one first.
                Below::Nodes(nodes) => {
                    let [i, j] = nodes.map(|k| (k, view.bound(k)));
                    stack.extend(if i.1 > j.1 { [j, i] } else { [i, j] });
                }
                Below::Edges(below) => {
                    for &edge in below {
                        let bound = view.edge(edge);
                        if bound < *best - window {
                            continue;
                        }
                        edges.push(NearEdge { edge, bound });
                        for f in view.own.edges[edge as usize].faces {
                            if !std::mem::replace(&mut visited[f as usize], true) {
                                let found = view.face(f);
                                *best = best.max(found.separation);
                                faces.push(found);
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng, rngs::StdRng};

    use super::*;
    use crate::{Convex, Dimension, Quat, overlap};

    /// Where polytopes overlap, the separation is minus the depth that all faces and edges give; where
    /// they are apart, it is no more than the distance.
    #[test]
    fn separation_of_overlapping_polytopes_is_their_depth() {
        let mut overlapping = 0;
        for seed in 0..60 {
            let rng = &mut StdRng::seed_from_u64(seed);
            let mut vector = |size: f64| {
                let mut one = || rng.random_range(-1.0..1.0);
                Vec3::new(one(), one(), one()) * size
            };
            let mut hull = |corners: usize| {
                let points: Vec<Vec3> = (0..corners).map(|_| vector(1.0).normalize()).collect();
                Polytope::from_points(&points).unwrap()
            };
            let pair = [hull(60), hull([8, 40, 100][seed as usize % 3])];
            let poses = [0.2, 1.2].map(|far| {
                let turn = Quat::from_scaled_axis(vector(3.0));
                Pose::new(vector(far), turn)
            });
            let found =
                Facing::default().separation([(&pair[0], &poses[0]), (&pair[1], &poses[1])]);
            let [a, b] = pair.map(|p| Convex::Polytope(p.into()));
            let depth = overlap::depth(Dimension::Three, &a, &poses[0], &b, &poses[1]);
            if depth > 0.0 {
                assert!((found + depth).abs() < 1e-12, "seed {seed}: {found}, not {}", -depth);
                overlapping += 1;
            } else {
                assert!(found <= -depth + 1e-12, "seed {seed}: {found}, not {}", -depth);
            }
        }
        assert!(overlapping > 20, "{overlapping} overlap");
    }
}
