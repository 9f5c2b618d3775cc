//! The judge: true overlap of the bodies after a step, from their shapes alone.
//!
//! It shares no code with contact detection and checks every pair that may touch, so that a
//! contact that was missed shows up here.

use stickslip_geometry::{Aabb, Dimension, Pose, Shape, overlap};

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
    for (pair, found) in of_pairs(model, state, overlap::shape_overlap) {
        total.volume += found.volume;
        if found.depth > total.depth {
            (total.depth, total.worst) = (found.depth, Some(pair));
        }
    }
    total
}

/// The largest penetration depth \[m\] and whose it is, as [`measure`] has it, without the volumes: those of
/// round shapes take most of its time.
pub fn deepest(model: &Model, state: &State) -> (f64, Option<(BodyId, BodyId)>) {
    let deeper = |(deepest, worst), (pair, depth)| match depth > deepest {
        true => (depth, Some(pair)),
        false => (deepest, worst),
    };
    of_pairs(model, state, overlap::shape_depth).fold((0.0, None), deeper)
}

/// What `of` says of the shapes of every near pair.
fn of_pairs<T>(
    model: &Model,
    state: &State,
    of: impl Fn(Dimension, &Shape, &Pose, &Shape, &Pose) -> T,
) -> impl Iterator<Item = ((BodyId, BodyId), T)> {
    let place = |id: BodyId| (&model.body(id).shape, state.pose(id));
    near_pairs(model, state).into_iter().map(move |(a, b)| {
        let ((shape_a, pose_a), (shape_b, pose_b)) = (place(a), place(b));
        ((a, b), of(model.dimension(), shape_a, pose_a, shape_b, pose_b))
    })
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
