//! Which links of a robot pass through each other.

use stickslip::{
    BodyInit, Dimension, Motion,
    geometry::{Aabb, overlap},
};

use crate::{Notes, tree::Bodies};

/// Overlaps deeper than this count \[m\]: less is the rounding of places that mean to touch.
const TOUCHING: f64 = 1e-9;

/// Bodies of a robot and the rigid group of each; `None` for scenery.
pub(crate) struct Pairs<'a> {
    pub bodies: &'a [BodyInit],
    pub group: &'a [Option<usize>],
    pub masks: &'a [Option<[u32; 2]>],
    pub tree: &'a Bodies,
    /// Groups with neither shape nor mass of their own, through which joints connect.
    pub bare: Vec<bool>,
    pub world_collides: bool,
}

impl Pairs<'_> {
    /// Pairs that are welded together, joined, or not meant to collide.
    pub fn joined(&self) -> Vec<[usize; 2]> {
        let mut found = Vec::new();
        for b in 0..self.bodies.len() {
            for a in 0..b {
                let near = match (self.group[a], self.group[b]) {
                    (Some(g), Some(h)) => g == h || self.adjacent(g, h) || self.adjacent(h, g),
                    _ => false,
                };
                let strangers = match (self.masks[a], self.masks[b]) {
                    (Some([is_a, with_a]), Some([is_b, with_b])) => {
                        is_a & with_b == 0 && is_b & with_a == 0
                    }
                    _ => false,
                };
                if near || strangers {
                    found.push([a, b]);
                }
            }
        }
        found
    }

    /// Whether group `g` hangs from `h`, by one joint or by several with nothing between them.
    fn adjacent(&self, g: usize, h: usize) -> bool {
        let mut up = g;
        while up != 0 {
            up = self.tree.parent[up];
            if up == h {
                return h != 0 || !self.world_collides || !self.tree.stands;
            }
            if !self.bare[up] {
                return false;
            }
        }
        false
    }

    /// Pairs that overlap where they start, which are noted.
    pub fn overlapping(&self, joined: &[[usize; 2]], notes: &mut Notes) -> Vec<[usize; 2]> {
        let world = Dimension::Three;
        let bounds: Vec<Aabb> =
            self.bodies.iter().map(|b| b.body.shape.aabb(world, &b.pose)).collect();
        let mut found = Vec::new();
        for b in 0..self.bodies.len() {
            for a in 0..b {
                let (x, y) = (&self.bodies[a], &self.bodies[b]);
                let moves = x.body.motion == Motion::Dynamic || y.body.motion == Motion::Dynamic;
                let may = moves && x.body.collides && y.body.collides;
                let of_robot = self.group[a].is_some() && self.group[b].is_some();
                if !may || !of_robot || joined.contains(&[a, b]) || !bounds[a].overlaps(&bounds[b])
                {
                    continue;
                }
                let (shape_x, shape_y) = (&x.body.shape, &y.body.shape);
                let depth = overlap::shape_overlap(world, shape_x, &x.pose, shape_y, &y.pose).depth;
                if depth > TOUCHING {
                    found.push([a, b]);
                    let name = format!("{:?} and {:?}", x.body.name, y.body.name);
                    let what = "links that overlap at the start do not collide with each other";
                    notes.remark(what, name, 0);
                }
            }
        }
        found
    }
}
