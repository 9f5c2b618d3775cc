//! Broad phase: pairs of parts whose boxes, grown by their reach, overlap.
//!
//! Bounded parts live in trees of boxes, so that bodies far from each other cost nothing beyond
//! their place in them: one of bodies that forces move, one of all others, which are not compared with each
//! other. Half-spaces, whose boxes are infinite, ask the trees which boxes come near their plane.

use stickslip_geometry::{
    Aabb,
    tree::{BoxTree, lowest},
};

use super::placed::{Placed, World};
use crate::model::{BodyId, Model};

/// Finds near pairs; keeps its buffers from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct BroadPhase {
    dynamic: Boxes,
    held: Boxes,
    pairs: Vec<[u32; 2]>,
}

/// The boxes of some parts, and their places among all.
#[derive(Clone, Debug, Default)]
struct Boxes {
    tree: BoxTree,
    places: Vec<u32>,
}

impl Boxes {
    /// Takes the bounded parts that belong here, grown by their reach.
    fn update(&mut self, placed: &[Placed], reach: &[f64], belongs: impl Fn(BodyId) -> bool) {
        let Self { tree, places } = self;
        let here = |k: &usize| placed[*k].bounds.min.is_finite() && belongs(placed[*k].body);
        places.clear();
        places.extend((0..placed.len()).filter(here).map(|k| k as u32));
        tree.update(places.iter().map(|&k| {
            let part = &placed[k as usize];
            part.bounds.inflated(reach[part.body.index()])
        }));
    }
}

impl BroadPhase {
    /// What [`BroadPhase::pairs`] found last.
    pub fn found(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Pairs of places in `world.placed` that may touch, the smaller body first, sorted by
    /// bodies, then parts. `reach` is per body \[m\].
    pub fn pairs(&mut self, model: &Model, world: &World, reach: &[f64]) -> &[[u32; 2]] {
        let Self { dynamic, held, pairs } = self;
        let placed = &world.placed;
        dynamic.update(placed, reach, |body| model.dof(body).is_some());
        held.update(placed, reach, |body| model.dof(body).is_none());
        pairs.clear();
        let mut keep = |i: u32, j: u32| {
            let (i, j) = (i.min(j), i.max(j));
            if model.may_touch(placed[i as usize].body, placed[j as usize].body) {
                pairs.push([i, j]);
            }
        };
        let Boxes { tree, places } = dynamic;
        tree.overlaps(|i, j| keep(places[i as usize], places[j as usize]));
        for (k, own) in places.iter().zip(tree.boxes()) {
            held.tree.search(|b| b.overlaps(own), |i| keep(held.places[i as usize], *k));
        }
        for k in (0..placed.len()).filter(|&k| !placed[k].bounds.min.is_finite()) {
            let Some(&normal) = placed[k].normals.first() else { continue };
            let body = placed[k].body;
            let top = normal.dot(placed[k].pose.position) + reach[body.index()];
            let below = |b: &Aabb| lowest(b, normal) <= top;
            tree.search(below, |i| keep(places[i as usize], k as u32));
            if model.dof(body).is_some() {
                held.tree.search(below, |i| keep(held.places[i as usize], k as u32));
            }
        }
        pairs.sort_unstable_by_key(|&[i, j]| {
            let (a, b) = (&placed[i as usize], &placed[j as usize]);
            (a.body, b.body, a.part, b.part)
        });
        pairs
    }
}
