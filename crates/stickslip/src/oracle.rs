//! The judge: true overlap of the bodies after a step, from their shapes alone.
//!
//! It shares no code with contact detection and checks every pair that may touch, so that a
//! contact that was missed shows up here.

use stickslip_geometry::{Aabb, overlap};

use crate::{
    model::{BodyId, Model},
    state::State,
};

/// Overlap of all bodies at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// Largest penetration depth \[m\]; zero when nothing overlaps.
    pub depth: f64,
    /// Sum of the overlap volumes (areas in 2D) over all pairs \[m³ or m²\].
    pub volume: f64,
    /// The two bodies with the largest depth.
    pub worst: Option<(BodyId, BodyId)>,
}

/// Measures every pair that may touch.
pub fn measure(model: &Model, state: &State) -> Overlap {
    let mut total = Overlap::default();
    for (a, b) in near_pairs(model, state) {
        let of = |id: BodyId| (&model.body(id).shape, state.pose(id));
        let ((shape_a, pose_a), (shape_b, pose_b)) = (of(a), of(b));
        let pair = overlap::shape_overlap(model.dimension(), shape_a, pose_a, shape_b, pose_b);
        total.volume += pair.volume;
        if pair.depth > total.depth {
            total.depth = pair.depth;
            total.worst = Some((a, b));
        }
    }
    total
}

/// Pairs that may touch and whose boxes overlap, in order, by a sweep along x.
pub fn near_pairs(model: &Model, state: &State) -> Vec<(BodyId, BodyId)> {
    let dimension = model.dimension();
    let mut boxes: Vec<(BodyId, Aabb)> =
        model.ids().map(|id| (id, model.body(id).shape.aabb(dimension, state.pose(id)))).collect();
    boxes.sort_by(|x, y| x.1.min.x.total_cmp(&y.1.min.x).then(x.0.cmp(&y.0)));
    let (mut pairs, mut open): (Vec<(BodyId, BodyId)>, Vec<usize>) = (Vec::new(), Vec::new());
    for i in 0..boxes.len() {
        let (id, aabb) = boxes[i];
        open.retain(|&j| boxes[j].1.max.x >= aabb.min.x);
        for &j in &open {
            let (other, box_of_other) = boxes[j];
            if box_of_other.overlaps(&aabb) && model.may_touch(id, other) {
                pairs.push(crate::model::ordered(id, other));
            }
        }
        open.push(i);
    }
    pairs.sort_unstable();
    pairs
}
