//! How far points of bodies can travel in a step: what the detector must search.
//!
//! Thesis (5.1) with its errata: `h |v| + h |ω| r + h² (|g| + |f|/m + |τ| r / J)`, the velocity
//! being the one at the end of the step, which forces have changed by up to `h` times the
//! acceleration. A body at rest may be pushed by a fast neighbor, so that reach spreads.

use stickslip_geometry::{Aabb, BoxTree, Mat3, Vec3, tolerance::MERGE};

use super::placed;
use crate::{
    model::{BodyId, Dimension, Model, Motion},
    state::State,
};

/// Computes the reach of all bodies, step after step; keeps its buffers.
#[derive(Clone, Debug, Default)]
pub struct Margin {
    tree: BoxTree,
    /// Bodies that may push others, the boxes around them, and whether these are loose.
    ids: Vec<BodyId>,
    bounds: Vec<Aabb>,
    loose: Vec<bool>,
    /// Places in `ids` of bodies whose boxes, grown by their reach, overlap.
    pairs: Vec<[u32; 2]>,
    flood: Flood,
}

/// Buffers of [`Flood::run`].
#[derive(Clone, Debug, Default)]
struct Flood {
    /// Neighbors of body k: `near[first[k]..first[k + 1]]`.
    first: Vec<u32>,
    near: Vec<u32>,
    order: Vec<u32>,
    visited: Vec<bool>,
    stack: Vec<u32>,
}

/// [`Margin::reach`] for a single step.
pub fn reach(model: &Model, state: &State, h: f64, epsilon: Option<f64>) -> Vec<f64> {
    Margin::default().reach(model, state, h, epsilon)
}

impl Margin {
    /// How far a point of each body may travel in a step of `h` \[s\], in metres.
    ///
    /// A fixed `epsilon` \[m\] is the distance up to which a pair is searched: half for each body.
    pub fn reach(
        &mut self,
        model: &Model,
        state: &State,
        h: f64,
        epsilon: Option<f64>,
    ) -> Vec<f64> {
        let mut reach = vec![];
        self.reach_into(model, state, (h, epsilon), &mut reach);
        reach
    }

    /// [`Margin::reach`] into a vector that is there already.
    pub fn reach_into(
        &mut self,
        model: &Model,
        state: &State,
        (h, epsilon): (f64, Option<f64>),
        reach: &mut Vec<f64>,
    ) {
        reach.clear();
        if let Some(epsilon) = epsilon {
            reach.resize(model.bodies().len(), 0.5 * epsilon);
            return;
        }
        let pushed = model.pushed_apart(state);
        reach.extend(model.ids().map(|id| own_reach(model, &pushed, id, h)));
        self.spread(model, state, reach);
    }

    /// Lets every dynamic body reach as far as the fastest one it may be pushed by: the largest
    /// reach among bodies whose boxes, grown by their reach, overlap, until nothing changes.
    fn spread(&mut self, model: &Model, state: &State, reach: &mut [f64]) {
        let Self { tree, ids, bounds, loose, pairs, flood } = self;
        ids.clear();
        ids.extend(model.ids().filter(|&id| can_push(model, state, id)));
        if ids.len() < 2 {
            return;
        }
        let tight =
            |id: BodyId| placed::bounds(&model.body(id).shape, state.pose(id), model.dimension());
        bounds.clear();
        loose.clear();
        for &id in ids.iter() {
            let (shape, pose) = (&model.body(id).shape, state.pose(id));
            let found = placed::loose_bounds(shape, pose, model.dimension());
            loose.push(found.is_some());
            bounds.push(found.unwrap_or_else(|| tight(id)));
        }
        // A larger reach may find more neighbors, hence again until it does not.
        loop {
            let grown = |k: usize| bounds[k].inflated(reach[ids[k].index()]);
            tree.update((0..ids.len()).map(grown));
            pairs.clear();
            tree.overlaps(|i, j| {
                if model.may_touch(ids[i as usize], ids[j as usize]) {
                    pairs.push([i, j]);
                }
            });
            // Loose boxes are made tight where that matters.
            let is_loose = |p: &[u32; 2]| p.iter().any(|&k| loose[k as usize]);
            if pairs.iter().any(is_loose) {
                for k in pairs.iter().flatten().map(|&k| k as usize) {
                    if std::mem::replace(&mut loose[k], false) {
                        bounds[k] = tight(ids[k]);
                    }
                }
                continue;
            }
            let differ = |p: &[u32; 2]| {
                let [i, j] = p.map(|k| reach[ids[k as usize].index()]);
                i != j
            };
            if !pairs.iter().any(differ) || !flood.run(model, ids, pairs, reach) {
                return;
            }
        }
    }
}

/// The largest reach of a body by itself \[m\]: no body reaches farther, whatever pushes it.
pub(crate) fn largest(model: &Model, state: &State, h: f64) -> f64 {
    let pushed = model.pushed(state);
    let ids = model.ids().filter(|&id| model.body(id).collides);
    ids.map(|id| own_reach(model, &pushed, id, h)).fold(0.0, f64::max)
}

/// Lets bodies reach farther that a motion of velocities `nu` takes beyond their reach: impacts, and joints
/// whose bodies whirl, speed a body up more than its own motion tells. Whether there are any. What they
/// come to beyond it was not in the problem: the tip of a lever sank 8 % of its size into the floor in one step.
pub(crate) fn widen(
    (model, state): (&Model, &State),
    nu: &[f64],
    h: f64,
    reach: &mut [f64],
) -> bool {
    let (dimension, mut farther) = (model.dimension(), false);
    for id in model.ids().filter(|&id| can_push(model, state, id)) {
        let Some(dof) = model.dof(id) else { continue };
        let (linear, angular) = dimension.split(&nu[dof..dof + dimension.dof()]);
        let way = h * linear.length() + (h * angular.length()).min(2.0) * model.body(id).radius;
        // Twice: what is found there may take it another way.
        if way > reach[id.index()] {
            (reach[id.index()], farther) = (2.0 * way, true);
        }
    }
    farther
}

/// The reach of one body by itself \[m\].
fn own_reach(model: &Model, state: &State, id: BodyId, h: f64) -> f64 {
    let (body, twist) = (model.body(id), state.twist(id));
    if body.motion == Motion::Static {
        return 0.0;
    }
    let r = if body.radius.is_finite() { body.radius } else { farthest(model, state, id) };
    let spin = twist.angular.length();
    // No point of a turning body gets farther than across it.
    let turning = if spin > 0.0 { (h * spin).min(2.0) * r } else { 0.0 };
    let moved = h * twist.linear.length() + turning;
    let pushed = match body.motion {
        Motion::Dynamic => {
            let applied = &state.applied[id.index()];
            let force = body.force + applied.force;
            let torque = (body.torque + applied.torque).length();
            let turning = torque * r / smallest_moment(&body.inertia, model.dimension());
            h * h * ((model.gravity() + force / body.mass).length() + turning)
        }
        Motion::Kinematic | Motion::Static => 0.0,
    };
    // Bodies at rest that touch exactly, or are apart by round-off, are found as well. A state that is
    // not finite is the detector's to report.
    let (own, floor) = (moved + pushed, if body.radius.is_finite() { MERGE * r } else { 0.0 });
    if own.is_finite() { own.max(floor) } else { floor }
}

/// How far the bodies that a turning half-space may meet are from its centre \[m\].
fn farthest(model: &Model, state: &State, id: BodyId) -> f64 {
    if state.twist(id).angular == Vec3::ZERO {
        return 0.0;
    }
    let center = state.pose(id).position;
    let others = model.ids().filter(|&other| model.may_touch(id, other));
    let far = others.map(|o| state.pose(o).position.distance(center) + model.body(o).radius);
    far.filter(|d| d.is_finite()).fold(0.0, f64::max)
}

/// A lower bound of the principal moments \[kg m²\]: in 3D `det J / (tr J / 2)²`, since no
/// moment of a real body exceeds half the trace.
fn smallest_moment(inertia: &Mat3, dimension: Dimension) -> f64 {
    match dimension {
        Dimension::Two => inertia.z_axis.z,
        Dimension::Three => {
            let half = 0.5 * (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z);
            inertia.determinant() / (half * half)
        }
    }
}

/// Whether the body moves and has bounds at a finite place.
fn can_push(model: &Model, state: &State, id: BodyId) -> bool {
    let (body, pose) = (model.body(id), state.pose(id));
    body.collides
        && body.motion != Motion::Static
        && body.radius.is_finite()
        && pose.position.is_finite()
        && pose.orientation.is_finite()
}

impl Flood {
    /// The largest reach first, each goes from neighbor to neighbor through dynamic bodies; returns
    /// whether any grew.
    fn run(
        &mut self,
        model: &Model,
        ids: &[BodyId],
        pairs: &[[u32; 2]],
        reach: &mut [f64],
    ) -> bool {
        self.link(ids.len(), pairs);
        let Self { first, near, order, visited, stack } = self;
        let of = |k: u32| ids[k as usize].index();
        order.clear();
        order.extend(0..ids.len() as u32);
        order.sort_unstable_by(|&i, &j| reach[of(j)].total_cmp(&reach[of(i)]).then(i.cmp(&j)));
        visited.clear();
        visited.resize(ids.len(), false);
        let mut grew = false;
        for &source in order.iter() {
            if std::mem::replace(&mut visited[source as usize], true) {
                continue;
            }
            let far = reach[of(source)];
            stack.push(source);
            while let Some(k) = stack.pop() {
                let around = first[k as usize] as usize..first[k as usize + 1] as usize;
                for &next in &near[around] {
                    let moves = model.dof(ids[next as usize]).is_some();
                    if moves && !visited[next as usize] {
                        visited[next as usize] = true;
                        grew |= reach[of(next)] < far;
                        reach[of(next)] = far;
                        stack.push(next);
                    }
                }
            }
        }
        grew
    }

    /// Lists the neighbors of each of `n` bodies.
    fn link(&mut self, n: usize, pairs: &[[u32; 2]]) {
        let Self { first, near, .. } = self;
        first.clear();
        first.resize(n + 1, 0);
        for &k in pairs.iter().flatten() {
            first[k as usize + 1] += 1;
        }
        for k in 0..n {
            first[k + 1] += first[k];
        }
        near.clear();
        near.resize(2 * pairs.len(), 0);
        // Each list is filled from its end, which `first` then has gone back over.
        let ends = first;
        for &[i, j] in pairs {
            for [k, other] in [[i, j], [j, i]] {
                let end = &mut ends[k as usize + 1];
                *end -= 1;
                near[*end as usize] = other;
            }
        }
        // What were ends are now beginnings, one place up.
        ends.copy_within(1.., 0);
        ends[n] = 2 * pairs.len() as u32;
    }
}
