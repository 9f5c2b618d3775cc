//! How far points of bodies can travel in a step: what the detector must look at.
//!
//! Thesis (5.1) with its errata: `h |v| + h |ω| r + h² (|g| + |f|/m + |τ| r / J)`, the velocity
//! being the one at the end of the step, which forces have changed by up to `h` times the
//! acceleration. A body at rest may be pushed by a fast neighbor, so that reach spreads.

use stickslip_geometry::{Aabb, Mat3, Shape, Vec3};

use super::tree::Tree;
use crate::{
    model::{BodyId, Dimension, Model, Motion},
    state::State,
};

/// The reach of a moving body is at least this fraction of its radius, so that bodies at rest which
/// touch exactly, or are apart by round-off, are found.
pub const FLOOR: f64 = 1e-4;

/// Computes the reach of all bodies, step after step.
#[derive(Clone, Debug, Default)]
pub struct Margin {
    tree: Tree,
}

/// [`Margin::reach`] for a single step.
pub fn reach(model: &Model, state: &State, h: f64, epsilon: Option<f64>) -> Vec<f64> {
    Margin::default().reach(model, state, h, epsilon)
}

impl Margin {
    /// How far a point of each body may travel in a step of `h` \[s\], in metres.
    ///
    /// A fixed `epsilon` \[m\] is the distance at which a pair is looked at: half for each body.
    pub fn reach(
        &mut self,
        model: &Model,
        state: &State,
        h: f64,
        epsilon: Option<f64>,
    ) -> Vec<f64> {
        if let Some(epsilon) = epsilon {
            return vec![0.5 * epsilon; model.bodies().len()];
        }
        let mut reach: Vec<f64> = model.ids().map(|id| own_reach(model, state, id, h)).collect();
        spread(model, state, &mut self.tree, &mut reach);
        reach
    }
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
    let turned = if spin > 0.0 { (h * spin).min(2.0) * r } else { 0.0 };
    let moved = h * twist.linear.length() + turned;
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
    // A state that is not finite is the detector's to report.
    let (own, floor) = (moved + pushed, if body.radius.is_finite() { FLOOR * r } else { 0.0 });
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

/// Lets every dynamic body reach as far as the fastest one it may be pushed by: the largest
/// reach among bodies whose boxes, grown by their reach, overlap, until nothing changes.
fn spread(model: &Model, state: &State, tree: &mut Tree, reach: &mut [f64]) {
    let ids: Vec<BodyId> = model.ids().filter(|&id| can_push(model, state, id)).collect();
    if ids.len() < 2 {
        return;
    }
    let bounds: Vec<Aabb> = ids.iter().map(|&id| bounds(model, state, id)).collect();
    let mut pairs = vec![];
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
        let differ = |p: &[u32; 2]| {
            let [i, j] = p.map(|k| reach[ids[k as usize].index()]);
            i != j
        };
        if !pairs.iter().any(differ) || !flood(model, &ids, &pairs, reach) {
            return;
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

/// The largest reach first, each goes from neighbor to neighbor through dynamic bodies; returns
/// whether any grew.
fn flood(model: &Model, ids: &[BodyId], pairs: &[[u32; 2]], reach: &mut [f64]) -> bool {
    let mut near = vec![vec![]; ids.len()];
    for &[i, j] in pairs {
        near[i as usize].push(j);
        near[j as usize].push(i);
    }
    let mut order: Vec<u32> = (0..ids.len() as u32).collect();
    let of = |k: u32| ids[k as usize].index();
    order.sort_by(|&i, &j| reach[of(j)].total_cmp(&reach[of(i)]).then(i.cmp(&j)));
    let mut visited = vec![false; ids.len()];
    let mut grew = false;
    let mut stack = vec![];
    for source in order {
        if visited[source as usize] {
            continue;
        }
        let far = reach[of(source)];
        visited[source as usize] = true;
        stack.push(source);
        while let Some(k) = stack.pop() {
            for &next in &near[k as usize] {
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

fn bounds(model: &Model, state: &State, id: BodyId) -> Aabb {
    let pose = state.pose(id);
    if let Shape::Surface(mesh) = &model.body(id).shape {
        return Aabb::of(mesh.vertices.iter().map(|&v| pose.point(v)));
    }
    let parts = model.body(id).shape.parts();
    let boxes = parts.iter().map(|p| p.convex.aabb(&pose.compose(&p.pose)));
    boxes.fold(Aabb::EMPTY, |all, b| all.union(&b))
}
