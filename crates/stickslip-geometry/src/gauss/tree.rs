//! A tree over the arcs of a polytope's edges on the sphere of directions.

use crate::{Aabb, Polytope, Vec3};

/// Edges in a leaf.
const LEAF: usize = 4;

/// Some arcs that lie together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The box around the normals of the faces beside the edges.
    pub normals: Aabb,
    /// A direction amid them.
    pub axis: Vec3,
    /// The vertex farthest along it.
    pub vertex: u32,
    /// A lower bound of the length of the points on the chords of the arcs.
    pub chord: f64,
    /// Range of [`ArcTree::edges`] below this node.
    start: u32,
    end: u32,
    /// Second child (the first follows its parent); zero in a leaf.
    right: u32,
}

/// What is below a node.
pub(super) enum Below<'a> {
    Nodes([usize; 2]),
    Edges(&'a [u32]),
}

/// A binary tree; all arcs are below node 0.
#[derive(Clone, Debug, Default)]
pub(super) struct ArcTree {
    nodes: Vec<Node>,
    edges: Vec<u32>,
}

impl Node {
    /// An upper bound of `n·d` over all directions n on the arcs. A point c on the chord of an arc
    /// gives `n·d = c·d / |c|`, and |c| is at most one.
    pub fn highest(&self, d: Vec3) -> f64 {
        let Aabb { min, max } = self.normals;
        let along = (min * d).max(max * d).element_sum();
        if along > 0.0 { along / self.chord } else { along }
    }
}

impl ArcTree {
    /// Of a polytope with a way to find its support vertices.
    pub fn new(polytope: &Polytope, support: impl Fn(Vec3) -> usize) -> Self {
        let mut tree = Self { nodes: vec![], edges: (0..polytope.edges.len() as u32).collect() };
        let normals =
            |e: u32| polytope.edges[e as usize].faces.map(|f| polytope.faces[f as usize].normal);
        let middles: Vec<Vec3> =
            tree.edges.iter().map(|&e| normals(e)).map(|[m, n]| m + n).collect();
        if !tree.edges.is_empty() {
            tree.split(0, middles.len(), &middles, &normals);
        }
        for node in &mut tree.nodes {
            node.vertex = support(node.axis) as u32;
        }
        tree
    }

    fn split(
        &mut self,
        start: usize,
        end: usize,
        middles: &[Vec3],
        normals: &impl Fn(u32) -> [Vec3; 2],
    ) {
        let range = &mut self.edges[start..end];
        let bounds = Aabb::of(range.iter().flat_map(|&e| normals(e)));
        // The middle of a chord is its nearest point to the centre.
        let chord = range.iter().fold(1.0_f64, |m, &e| m.min(0.5 * middles[e as usize].length()));
        let axis = range.iter().map(|&e| middles[e as usize]).sum::<Vec3>();
        let node = self.nodes.len();
        self.nodes.push(Node {
            normals: bounds,
            axis: axis.try_normalize().unwrap_or(Vec3::X),
            vertex: 0,
            // Arcs of half a turn have no bound.
            chord: chord.max(f64::MIN_POSITIVE),
            start: start as u32,
            end: end as u32,
            right: 0,
        });
        if end - start <= LEAF {
            return;
        }
        let size = bounds.max - bounds.min;
        let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
        let half = (end - start) / 2;
        range.select_nth_unstable_by(half, |&i, &j| {
            let [x, y] = [i, j].map(|e| middles[e as usize][axis]);
            x.total_cmp(&y).then(i.cmp(&j))
        });
        self.split(start, start + half, middles, normals);
        self.nodes[node].right = self.nodes.len() as u32;
        self.split(start + half, end, middles, normals);
    }

    pub fn node(&self, k: usize) -> &Node {
        &self.nodes[k]
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn below(&self, k: usize) -> Below<'_> {
        let node = &self.nodes[k];
        match node.right {
            0 => Below::Edges(&self.edges[node.start as usize..node.end as usize]),
            right => Below::Nodes([k + 1, right as usize]),
        }
    }

    /// The face whose normal is nearest to `d`; the first of several.
    pub fn face_along(&self, polytope: &Polytope, d: Vec3) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        // No node is deeper than the logarithm of the number of edges.
        let mut stack = [0; 64];
        let mut count = usize::from(!self.is_empty());
        while count > 0 {
            count -= 1;
            let k = stack[count];
            let bound = |k: usize| {
                let Aabb { min, max } = self.nodes[k].normals;
                (min * d).max(max * d).element_sum()
            };
            // Round-off must not part equal faces.
            if bound(k) < best.1 - 1e-12 * d.length() {
                continue;
            }
            match self.below(k) {
                Below::Nodes([i, j]) => {
                    let order = if bound(i) > bound(j) { [j, i] } else { [i, j] };
                    stack[count..count + 2].copy_from_slice(&order);
                    count += 2;
                }
                Below::Edges(edges) => {
                    for f in edges.iter().flat_map(|&e| polytope.edges[e as usize].faces) {
                        let along = polytope.faces[f as usize].normal.dot(d);
                        if along > best.1 || (along == best.1 && (f as usize) < best.0) {
                            best = (f as usize, along);
                        }
                    }
                }
            }
        }
        best.0
    }
}
