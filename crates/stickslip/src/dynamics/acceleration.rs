//! Accelerations and forces of mechanisms, contacts aside.
//!
//! ```text
//! forward   M a = F - [0; omega x J omega] + Gb lambda,   Gbᵀ a = -d/dt(Gbᵀ) nu
//! inverse   the same with a row `q'' = given` for every driven coordinate: its lambda is the
//!           force that the drive must supply
//! ```

use stickslip_geometry::Vec3;

use super::{JointRows, MassMatrix};
use crate::{
    model::{Dimension, JointId, Model},
    state::State,
};

/// Accelerations of the bodies that forces move, as if nothing joined them.
fn unjoined(model: &Model, state: &State, mass: &MassMatrix, gyroscopic: bool) -> Vec<f64> {
    let dimension = model.dimension();
    let d = dimension.dof();
    let state = &*model.pushed(state);
    let mut a = vec![0.0; model.n_dof()];
    for id in model.ids() {
        let Some(dof) = model.dof(id) else { continue };
        let (body, applied) = (model.body(id), state.applied[id.index()]);
        let mut torque = body.torque + applied.torque;
        if dimension == Dimension::Three && gyroscopic {
            let omega = state.twist(id).angular;
            let block = mass.times(dof, &dimension.block(Vec3::ZERO, omega));
            torque -= omega.cross(dimension.split(&block).1);
        }
        let force = body.force + applied.force + model.gravity() * body.mass;
        let block = mass.inverse_times(dof, &dimension.block(force, torque));
        a[dof..dof + d].copy_from_slice(&block[..d]);
    }
    a
}

/// Accelerations of the bodies that forces move; joints hold, nothing touches.
pub fn acceleration(model: &Model, state: &State, gyroscopic: bool) -> Vec<f64> {
    let mass = MassMatrix::new(model, state);
    let mut a = unjoined(model, state, &mass, gyroscopic);
    let rows = JointRows::accelerating(model, state);
    if let Some(tree) = rows.tree(model, &mass) {
        let residual = rows.residual(model.dimension().dof(), &a);
        let mut change = vec![0.0; a.len()];
        tree.solve(&mut change, Some(&residual), None);
        a.iter_mut().zip(change).for_each(|(a, x)| *a += x);
    }
    a
}

/// The rows of the locked freedoms, and the force along each \[N or N m\] at this instant;
/// nothing touches.
pub fn constraint_forces(model: &Model, state: &State, gyroscopic: bool) -> (JointRows, Vec<f64>) {
    let mass = MassMatrix::new(model, state);
    let a = unjoined(model, state, &mass, gyroscopic);
    let rows = JointRows::accelerating(model, state);
    let residual = rows.residual(model.dimension().dof(), &a);
    let mut forces = vec![0.0; residual.len()];
    if let Some(tree) = rows.tree(model, &mass) {
        tree.solve(&mut vec![0.0; a.len()], Some(&residual), Some(&mut forces));
    }
    (rows, forces)
}

/// Forces \[N or N m\] on the first coordinates of some joints that give them these accelerations,
/// in the order given; joints without coordinates get zero. The damping and friction of the joints are
/// overcome as well.
pub fn inverse_dynamics(model: &Model, state: &State, wanted: &[(JointId, f64)]) -> Vec<f64> {
    let mut forces = drives(model, state, wanted);
    for (force, &(id, _)) in forces.iter_mut().zip(wanted) {
        let joint = model.joint(id);
        let Some(&rate) = model.joint_velocity(state, id).first() else { continue };
        let rubs = if rate == 0.0 { 0.0 } else { joint.friction.copysign(rate) };
        *force += joint.damping * rate + rubs;
    }
    forces
}

/// The same without what damping and friction of the joints take.
pub(super) fn drives(model: &Model, state: &State, wanted: &[(JointId, f64)]) -> Vec<f64> {
    let mass = MassMatrix::new(model, state);
    let a = unjoined(model, state, &mass, true);
    let (rows, places) = JointRows::driven(model, state, wanted);
    let Some(tree) = rows.tree(model, &mass) else { return vec![0.0; wanted.len()] };
    let residual = rows.residual(model.dimension().dof(), &a);
    let mut forces = vec![0.0; residual.len()];
    let mut change = vec![0.0; a.len()];
    tree.solve(&mut change, Some(&residual), Some(&mut forces));
    let needed = |(place, &(id, a)): (Option<usize>, &(JointId, f64))| {
        place.map_or(0.0, |i| forces[i] + model.joint(id).armature * a)
    };
    places.into_iter().zip(wanted).map(needed).collect()
}
