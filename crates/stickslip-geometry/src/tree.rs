//! A tree of boxes: which of many overlap each other, a box, or a half-space.

use crate::{Aabb, Vec3};

/// Speed: boxes in a leaf; more make the tree faster to build, fewer faster to search.
const LEAF: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    bounds: Aabb,
    /// Range of `order` below this node.
    start: u32,
    end: u32,
    /// Second child (the first follows its parent); zero in a leaf.
    right: u32,
}

/// A binary tree over boxes, split at the middle of the widest axis.
///
/// While boxes move little the tree is kept and its bounds are fitted again; the answers do not
/// depend on its shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoxTree {
    nodes: Vec<Node>,
    order: Vec<u32>,
    boxes: Vec<Aabb>,
    /// Twice the middle of each box; used while building.
    middles: Vec<Vec3>,
    /// Sum of the sizes of all nodes when the tree was built.
    built: f64,
    /// Nodes yet to be compared.
    stack: Vec<(u32, u32)>,
}

/// Speed: a tree whose nodes have grown by this factor is built anew.
const WORN: f64 = 1.5;

impl BoxTree {
    /// Over these finite boxes.
    pub fn new(boxes: impl IntoIterator<Item = Aabb>) -> Self {
        let mut tree = Self::default();
        tree.update(boxes);
        tree
    }

    /// Takes new finite boxes in place of the old ones.
    pub fn update(&mut self, boxes: impl IntoIterator<Item = Aabb>) {
        let (mut n, mut same) = (0, true);
        for new in boxes {
            match self.boxes.get_mut(n) {
                Some(old) => {
                    same &= *old == new;
                    *old = new;
                }
                None => {
                    same = false;
                    self.boxes.push(new);
                }
            }
            n += 1;
        }
        self.boxes.truncate(n);
        if self.order.len() == n && same {
            return;
        }
        if self.order.len() == n {
            self.fit();
            if self.size() <= WORN * self.built {
                return;
            }
        } else {
            self.order.clear();
            self.order.extend(0..n as u32);
        }
        self.nodes.clear();
        self.middles.clear();
        self.middles.extend(self.boxes.iter().map(|b| b.min + b.max));
        if n > 0 {
            self.split(0, n);
        }
        self.built = self.size();
    }

    /// Bounds from the leaves up: children come after their parents.
    fn fit(&mut self) {
        for k in (0..self.nodes.len()).rev() {
            let node = self.nodes[k];
            self.nodes[k].bounds = if node.right == 0 {
                let items = &self.order[node.start as usize..node.end as usize];
                items.iter().fold(Aabb::EMPTY, |b, &i| b.union(&self.boxes[i as usize]))
            } else {
                self.nodes[k + 1].bounds.union(&self.nodes[node.right as usize].bounds)
            };
        }
    }

    fn size(&self) -> f64 {
        self.nodes.iter().map(|n| (n.bounds.max - n.bounds.min).element_sum()).sum()
    }

    fn split(&mut self, start: usize, end: usize) {
        let range = &mut self.order[start..end];
        let bounds = range.iter().fold(Aabb::EMPTY, |b, &k| b.union(&self.boxes[k as usize]));
        let node = self.nodes.len();
        self.nodes.push(Node { bounds, start: start as u32, end: end as u32, right: 0 });
        if end - start <= LEAF {
            return;
        }
        let middles = &self.middles;
        let middle = |k: u32| middles[k as usize];
        let spread = Aabb::of(range.iter().map(|&k| middle(k)));
        let size = spread.max - spread.min;
        let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
        let half = (end - start) / 2;
        range.select_nth_unstable_by(half, |&i, &j| {
            middle(i)[axis].total_cmp(&middle(j)[axis]).then(i.cmp(&j))
        });
        self.split(start, start + half);
        self.nodes[node].right = self.nodes.len() as u32;
        self.split(start + half, end);
    }

    /// Calls `visit(i, j)` once for each two overlapping boxes, in no useful order.
    pub fn overlaps(&mut self, mut visit: impl FnMut(u32, u32)) {
        if self.nodes.is_empty() {
            return;
        }
        let mut stack = std::mem::take(&mut self.stack);
        stack.push((0, 0));
        while let Some((i, j)) = stack.pop() {
            let (a, b) = (&self.nodes[i as usize], &self.nodes[j as usize]);
            if i == j {
                if a.right == 0 {
                    self.leaf_pairs(a, None, &mut visit);
                } else {
                    stack.extend([(i + 1, i + 1), (a.right, a.right), (i + 1, a.right)]);
                }
            } else if a.bounds.overlaps(&b.bounds) {
                match (a.right, b.right) {
                    (0, 0) => self.leaf_pairs(a, Some(b), &mut visit),
                    (0, right) => stack.extend([(i, j + 1), (i, right)]),
                    (right, 0) => stack.extend([(i + 1, j), (right, j)]),
                    (right_a, right_b) => stack.extend([
                        (i + 1, j + 1),
                        (i + 1, right_b),
                        (right_a, j + 1),
                        (right_a, right_b),
                    ]),
                }
            }
        }
        self.stack = stack;
    }

    fn leaf_pairs(&self, a: &Node, b: Option<&Node>, visit: &mut impl FnMut(u32, u32)) {
        let own = &self.order[a.start as usize..a.end as usize];
        for (n, &i) in own.iter().enumerate() {
            let others = match b {
                Some(b) => &self.order[b.start as usize..b.end as usize],
                None => &own[n + 1..],
            };
            for &j in others {
                if self.boxes[i as usize].overlaps(&self.boxes[j as usize]) {
                    visit(i, j);
                }
            }
        }
    }

    /// Calls `visit(i)` for each box that `near` accepts; `near` must accept every box around an
    /// accepted one.
    pub fn search(&self, near: impl Fn(&Aabb) -> bool, mut visit: impl FnMut(u32)) {
        // Halves of halves: a tree over all numbers of 32 bits is no deeper.
        let (mut next, mut waiting, mut depth) = (0, [0; 32], 0);
        while let Some(node) = self.nodes.get(next) {
            let inside = near(&node.bounds);
            if inside && node.right != 0 {
                waiting[depth] = node.right;
                (depth, next) = (depth + 1, next + 1);
                continue;
            }
            if inside {
                let items = &self.order[node.start as usize..node.end as usize];
                let found = items.iter().copied().filter(|&k| near(&self.boxes[k as usize]));
                found.for_each(&mut visit);
            }
            if depth == 0 {
                break;
            }
            depth -= 1;
            next = waiting[depth] as usize;
        }
    }

    /// The boxes, as they were given.
    pub fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    /// The boxes that overlap `query`, ascending.
    pub fn overlapping(&self, query: &Aabb) -> Vec<u32> {
        let mut found = vec![];
        self.search(|b| b.overlaps(query), |k| found.push(k));
        found.sort_unstable();
        found
    }

    /// The box around everything.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |n| n.bounds)
    }
}

/// Smallest value of `normal · x` over a box.
pub fn lowest(bounds: &Aabb, normal: Vec3) -> f64 {
    let pick = |k: usize| if normal[k] >= 0.0 { bounds.min[k] } else { bounds.max[k] };
    // A zero component times an infinite or huge side must count as nothing.
    (0..3).map(|k| if normal[k] == 0.0 { 0.0 } else { normal[k] * pick(k) }).sum()
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng, rngs::StdRng};

    use super::*;

    fn boxes(rng: &mut StdRng, n: usize) -> Vec<Aabb> {
        let mut one = || {
            let p = Vec3::new(rng.random(), rng.random(), rng.random()) * 10.0;
            let size = Vec3::new(rng.random(), rng.random(), rng.random());
            // A few are large, some are flat or points.
            let size = size * [0.0, 0.3, 1.0, 1.0, 6.0][rng.random_range(0..5)];
            Aabb { min: p, max: p + size }
        };
        (0..n).map(|_| one()).collect()
    }

    fn check(tree: &mut BoxTree, boxes: &[Aabb], what: &str) {
        let mut found = vec![];
        tree.overlaps(|i, j| found.push((i.min(j), i.max(j))));
        found.sort_unstable();
        let mut all = vec![];
        for i in 0..boxes.len() {
            for j in i + 1..boxes.len() {
                if boxes[i].overlaps(&boxes[j]) {
                    all.push((i as u32, j as u32));
                }
            }
        }
        assert_eq!(found, all, "{what}");
        let normal = Vec3::new(0.6, 0.0, -0.8);
        let below = |b: &Aabb| lowest(b, normal) <= 1.0;
        let mut found = vec![];
        tree.search(below, |i| found.push(i));
        found.sort_unstable();
        let corners = |b: &Aabb| {
            let pick = |k: usize, bit: usize| if k >> bit & 1 == 1 { b.max } else { b.min }[bit];
            (0..8).map(|k| Vec3::new(pick(k, 0), pick(k, 1), pick(k, 2))).collect::<Vec<_>>()
        };
        let touches = |b: &Aabb| corners(b).iter().any(|c| normal.dot(*c) <= 1.0);
        let all: Vec<u32> =
            (0..boxes.len() as u32).filter(|&i| touches(&boxes[i as usize])).collect();
        assert_eq!(found, all, "{what}");
        let near = |k: u32| boxes[k as usize].overlaps(&boxes[0]);
        let all = (0..boxes.len() as u32).filter(|&k| near(k)).collect::<Vec<_>>();
        assert_eq!(boxes.first().map_or(vec![], |b| tree.overlapping(b)), all, "{what}");
    }

    #[test]
    fn overlaps_are_those_of_brute_force() {
        for seed in 0..60 {
            let rng = &mut StdRng::seed_from_u64(seed);
            let n = rng.random_range(0..200);
            let mut tree = BoxTree::default();
            // Fitted again while boxes drift, built again when they jump.
            let mut now = boxes(rng, n);
            for step in 0..12 {
                tree.update(now.iter().copied());
                check(&mut tree, &now, &format!("seed {seed}, step {step}"));
                for b in &mut now {
                    let d = Vec3::new(rng.random(), rng.random(), rng.random()) * 0.2;
                    (b.min, b.max) = (b.min + d, b.max + d);
                }
                if step == 8 {
                    now = boxes(rng, n);
                }
            }
        }
    }
}
