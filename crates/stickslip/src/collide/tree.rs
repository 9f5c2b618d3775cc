//! A tree of boxes: which of many are near each other or near a plane.

use stickslip_geometry::{Aabb, Vec3};

/// Boxes in a leaf; more makes the tree cheaper to build, fewer cheaper to search.
const LEAF: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    /// Range of `order` below this node.
    start: u32,
    end: u32,
    /// Second child (the first follows its parent); zero in a leaf.
    right: u32,
}

/// A binary tree over boxes, split at the middle of the widest axis.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    order: Vec<u32>,
    boxes: Vec<Aabb>,
}

impl Tree {
    /// Rebuilds the tree over finite boxes; buffers and the order of the last time are kept.
    pub fn build(&mut self, boxes: impl Iterator<Item = Aabb>) {
        self.boxes.clear();
        self.boxes.extend(boxes);
        let n = self.boxes.len();
        if self.order.len() != n {
            self.order = (0..n as u32).collect();
        }
        self.nodes.clear();
        if n > 0 {
            self.split(0, n);
        }
    }

    fn split(&mut self, start: usize, end: usize) {
        let range = &mut self.order[start..end];
        let bounds = range.iter().fold(Aabb::EMPTY, |b, &k| b.union(&self.boxes[k as usize]));
        let node = self.nodes.len();
        self.nodes.push(Node { bounds, start: start as u32, end: end as u32, right: 0 });
        if end - start <= LEAF {
            return;
        }
        let boxes = &self.boxes;
        let middle = |k: u32| boxes[k as usize].min + boxes[k as usize].max;
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
    pub fn overlaps(&self, mut visit: impl FnMut(u32, u32)) {
        if self.nodes.is_empty() {
            return;
        }
        let mut stack = vec![(0_u32, 0_u32)];
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
        let mut next = 0;
        let mut stack = vec![];
        while let Some(node) = self.nodes.get(next) {
            let mut skip = true;
            if near(&node.bounds) {
                if node.right == 0 {
                    for &k in &self.order[node.start as usize..node.end as usize] {
                        if near(&self.boxes[k as usize]) {
                            visit(k);
                        }
                    }
                } else {
                    stack.push(node.right as usize);
                    next += 1;
                    skip = false;
                }
            }
            if skip {
                match stack.pop() {
                    Some(right) => next = right,
                    None => return,
                }
            }
        }
    }
}

/// Smallest value of `normal · x` over a box.
pub(crate) fn lowest(bounds: &Aabb, normal: Vec3) -> f64 {
    let pick = |k: usize| if normal[k] >= 0.0 { bounds.min[k] } else { bounds.max[k] };
    // A zero component times an infinite or huge side must count as nothing.
    (0..3).map(|k| if normal[k] == 0.0 { 0.0 } else { normal[k] * pick(k) }).sum()
}
