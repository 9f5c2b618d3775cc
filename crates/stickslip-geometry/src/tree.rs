//! A tree of boxes over fixed items: which of them overlap a box?

use crate::Aabb;

/// Items in a leaf.
const LEAF: usize = 4;

#[derive(Clone, Debug, PartialEq)]
struct Node {
    bounds: Aabb,
    /// Range of `order` below this node.
    items: (u32, u32),
    /// First of two consecutive children; 0 for a leaf (the root is nobody's child).
    children: u32,
}

/// A balanced tree, split at the median of the box middles along the longest axis.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct BoxTree {
    nodes: Vec<Node>,
    order: Vec<u32>,
    boxes: Vec<Aabb>,
}

impl BoxTree {
    /// Over these boxes.
    pub fn new(boxes: Vec<Aabb>) -> Self {
        let count = boxes.len() as u32;
        let mut tree = Self { nodes: vec![], order: (0..count).collect(), boxes };
        if count > 0 {
            tree.push(0, count);
            let mut next = 0;
            while next < tree.nodes.len() {
                tree.split(next);
                next += 1;
            }
        }
        tree
    }

    fn push(&mut self, from: u32, to: u32) {
        let inside = &self.order[from as usize..to as usize];
        let bounds = inside.iter().fold(Aabb::EMPTY, |b, &k| b.union(&self.boxes[k as usize]));
        self.nodes.push(Node { bounds, items: (from, to), children: 0 });
    }

    fn split(&mut self, node: usize) {
        let Node { bounds, items: (from, to), .. } = self.nodes[node];
        if (to - from) as usize <= LEAF {
            return;
        }
        let axis = (bounds.max - bounds.min).max_position();
        let middle = |k: u32| {
            let b = &self.boxes[k as usize];
            b.min[axis] + b.max[axis]
        };
        self.order[from as usize..to as usize]
            .sort_unstable_by(|&i, &j| middle(i).total_cmp(&middle(j)).then(i.cmp(&j)));
        let half = from + (to - from) / 2;
        self.nodes[node].children = self.nodes.len() as u32;
        self.push(from, half);
        self.push(half, to);
    }

    /// The items whose boxes overlap `query`, in rising order.
    pub fn overlapping(&self, query: &Aabb) -> Vec<u32> {
        let mut found = vec![];
        let mut stack = if self.nodes.is_empty() { vec![] } else { vec![0] };
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at as usize];
            if !node.bounds.overlaps(query) {
                continue;
            }
            if node.children == 0 {
                let items = &self.order[node.items.0 as usize..node.items.1 as usize];
                let hit = |k: &&u32| self.boxes[**k as usize].overlaps(query);
                found.extend(items.iter().filter(hit));
            } else {
                stack.extend([node.children, node.children + 1]);
            }
        }
        found.sort_unstable();
        found
    }

    /// The box around everything.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |n| n.bounds)
    }
}
