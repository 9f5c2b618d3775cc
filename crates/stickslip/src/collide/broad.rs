//! Broad phase: pairs of parts whose boxes, grown by their reach, overlap.
//!
//! Bounded parts live in a tree of boxes, so that bodies far from each other cost nothing beyond
//! their place in it. Half-spaces, whose boxes are infinite, ask the tree which boxes come near
//! their plane.

use stickslip_geometry::tree::{BoxTree, lowest};

use super::placed::World;
use crate::model::Model;

/// Finds near pairs; keeps its buffers from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct BroadPhase {
    tree: BoxTree,
    bounded: Vec<u32>,
    pairs: Vec<[u32; 2]>,
}

impl BroadPhase {
    /// What [`BroadPhase::pairs`] found last.
    pub fn found(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Pairs of places in `world.placed` that may touch, the smaller body first, sorted by
    /// bodies, then parts. `reach` is per body \[m\].
    pub fn pairs(&mut self, model: &Model, world: &World, reach: &[f64]) -> &[[u32; 2]] {
        let Self { tree, bounded, pairs } = self;
        let placed = &world.placed;
        let is_bounded = |k: usize| placed[k].bounds.min.is_finite();
        let of = |k: usize| reach[placed[k].body.index()];
        bounded.clear();
        bounded.extend((0..placed.len()).filter(|&k| is_bounded(k)).map(|k| k as u32));
        tree.update(bounded.iter().map(|&k| placed[k as usize].bounds.inflated(of(k as usize))));
        pairs.clear();
        let mut keep = |i: u32, j: u32| {
            let (i, j) = (i.min(j), i.max(j));
            if model.may_touch(placed[i as usize].body, placed[j as usize].body) {
                pairs.push([i, j]);
            }
        };
        tree.overlaps(|i, j| keep(bounded[i as usize], bounded[j as usize]));
        for k in (0..placed.len()).filter(|&k| !is_bounded(k)) {
            let Some(&normal) = placed[k].normals.first() else { continue };
            let top = normal.dot(placed[k].pose.position) + of(k);
            tree.search(|b| lowest(b, normal) <= top, |i| keep(bounded[i as usize], k as u32));
        }
        pairs.sort_unstable_by_key(|&[i, j]| {
            let (a, b) = (&placed[i as usize], &placed[j as usize]);
            (a.body, b.body, a.part, b.part)
        });
        pairs
    }
}
