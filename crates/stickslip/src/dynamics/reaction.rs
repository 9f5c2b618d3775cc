//! Forces in the joints.
//!
//! A step's problem eliminates the joints before anything else, so their impulses are found
//! afterwards, from the momentum that nothing else accounts for:
//!
//! ```text
//! Gb p_b = M (nu_next - nu_free) - G p        contacts, limits, friction: p is known
//! ```
//!
//! solved along the tree with the row `C p_b = t - Gbᵀ nu_next` for drives that give way. Where
//! the step was smooth there are no impulses: the forces are those of the accelerations at its
//! end. Of constraints that repeat each other one set that does the work is reported.

use stickslip_geometry::{Vec3, tolerance::TOUCH};

use super::{
    JointRows, Mechanism, SharedMechanism, acceleration,
    joint_rows::BoundedRow,
    one_joint::OneJoint,
    reduced::{CoordinateForce, holding, keeps_velocity, motor_force},
    tree::BilateralRow,
};
use crate::{
    collide,
    control::apply_joint_force,
    frame::Frame,
    hook::StepData,
    model::{JointId, JointKind, Model, Motor},
    settings::Settings,
    state::State,
};

/// What a joint did to its bodies, as a mean over the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reaction {
    /// Force on body B, drives, limits and friction included \[N\], world axes; the opposite
    /// acts on A.
    pub force: Vec3,
    /// Torque on body B about the joint's anchor on B at the start of the step \[N m\].
    pub torque: Vec3,
    /// Force or torque of the motor along the first coordinate \[N or N m\]; of a gear the force
    /// that couples its two coordinates.
    pub motor: f64,
}

/// The forces in all joints during the step that `data` tells of and that led to `end`.
pub fn reactions(
    model: &Model,
    settings: &Settings,
    data: &StepData,
    end: &State,
) -> Vec<Reaction> {
    let mut sum = Sum { model, out: vec![Reaction::default(); model.joints().len()] };
    // A step of another scene tells nothing.
    let ours = data.start.q.len() == model.bodies().len()
        && data.start.motors.len() == model.joints().len()
        && data.motion.nu.len() == model.n_dof();
    if !ours {
        return sum.out;
    }
    // A smooth step leaves the velocity of its end, not of a problem.
    if end.last_h == 0.0 && data.motion.is_smooth() {
        sum.smooth(settings, data, end);
        return sum.out;
    }
    let (start, h) = (&data.start, settings.step);
    let query = collide::query(model, start, settings);
    let contacts = &data.contacts;
    let added = &data.motion.added;
    let (state, pairs, query) = (start, &[][..], &query);
    let (shared, exact) = (&SharedMechanism::default(), false);
    let frame = Frame { model, state, contacts, pairs, added, shared, exact, query, h, settings };
    let mechanism = frame.mechanism();
    let rest = unaccounted(&frame, data, &mechanism);
    let impulses = bilateral_impulses(&frame, data, &mechanism, rest);
    let per_step: Vec<f64> = impulses.iter().map(|p| p / h).collect();
    sum.bilateral((start, false), &mechanism.joints, &per_step);
    // Rows of drives hold the armature as well.
    for id in model.joint_ids().filter(|&id| model.joint(id).armature > 0.0) {
        let work = OneJoint { model, state: start, h, id, driven: true, added };
        sum.out[id.index()].motor -= work.rotor_force(&data.motion.nu);
    }
    for (row, p) in mechanism.joints.bounded.iter().zip(&data.motion.joint_impulses) {
        sum.bounded(start, row, p / h);
    }
    sum.out
}

/// `M (nu_next - nu_free) - G p`, in the layout of the velocities.
fn unaccounted(frame: &Frame, data: &StepData, mechanism: &Mechanism) -> Vec<f64> {
    let model = frame.model;
    let (d, width) = (model.dimension(), model.dimension().dof());
    let mut rest = vec![0.0; model.n_dof()];
    for dof in (0..rest.len()).step_by(width) {
        let mut change = [0.0; 6];
        (0..width).for_each(|i| change[i] = data.motion.nu[dof + i] - mechanism.unheld[dof + i]);
        rest[dof..dof + width].copy_from_slice(&mechanism.mass.times(dof, &change)[..width]);
    }
    for force in &data.motion.forces {
        let Some(c) = data.motion.contacts.get(force.contact) else { continue };
        let push = c.normal * force.normal + force.friction;
        for (side, push, turn) in [(&c.a, -push, -force.torque), (&c.b, push, force.torque)] {
            let Some(dof) = model.dof(side.body) else { continue };
            let arm = side.point - frame.state.pose(side.body).position;
            let block = d.block(push, arm.cross(push) + turn);
            (0..width).for_each(|i| rest[dof + i] -= block[i]);
        }
    }
    for (row, p) in mechanism.joints.bounded.iter().zip(&data.motion.joint_impulses) {
        for block in &row.blocks {
            (0..width).for_each(|i| rest[block.dof + i] -= block.value[i] * p);
        }
    }
    rest
}

/// The impulses of the bilateral rows that make up `rest`.
fn bilateral_impulses(
    frame: &Frame,
    data: &StepData,
    mechanism: &Mechanism,
    mut rest: Vec<f64>,
) -> Vec<f64> {
    let Some(tree) = &mechanism.tree else { return Vec::new() };
    let width = frame.model.dimension().dof();
    let soft = |row: &BilateralRow| match row.compliance > 0.0 {
        true => row.times(width, &data.motion.nu) - row.target,
        false => 0.0,
    };
    let target: Vec<f64> = mechanism.joints.bilateral().map(soft).collect();
    let mut impulses = vec![0.0; target.len()];
    // M v - Gb p' = rest and Gbᵀ v + C p' = -C p have the solution v = 0, p' = -p.
    tree.solve(&mut rest, Some(&target), Some(&mut impulses));
    impulses.iter_mut().for_each(|p| *p = -*p);
    impulses
}

/// Forces of motor and friction along each coordinate of a joint, at the rates of the state.
fn own_forces(model: &Model, state: &State, id: JointId) -> Vec<(f64, f64)> {
    let joint = model.joint(id);
    let motor = state.motors[id.index()].map(|m| joint.motor_at(m, state.time));
    if motor.is_none() && joint.friction == 0.0 {
        return Vec::new();
    }
    let values = model.joint_position(state, id).into_iter().zip(model.joint_velocity(state, id));
    let force = |(k, (value, rate)): (usize, (f64, f64))| {
        let damper = CoordinateForce { force: -joint.damping * rate, ..Default::default() };
        let of = |m: Motor| motor_force(&m, value, rate).unwrap_or(damper);
        let motor = motor.filter(|_| k == 0).map(of);
        let friction = if rate.abs() <= TOUCH { 0.0 } else { -joint.friction.copysign(rate) };
        (motor.map_or(0.0, |m| m.force), friction)
    };
    values.enumerate().map(force).collect()
}

/// The forces with which limits and friction can hold a joint where it is; `None` where nothing can.
fn holds(model: &Model, state: &State, id: JointId) -> Option<[f64; 2]> {
    let joint = model.joint(id);
    let mut own = joint.coordinates(model.dimension());
    let (first, None) = (own.next()?, own.next()) else { return None };
    let value = *model.joint_position(state, id).first()?;
    let rate = *model.joint_velocity(state, id).first()?;
    holding(joint, (value, rate), &joint.freedoms[first])
}

/// Adds forces of rows up to wrenches of joints.
struct Sum<'a> {
    model: &'a Model,
    out: Vec<Reaction>,
}

impl Sum<'_> {
    fn smooth(&mut self, settings: &Settings, data: &StepData, end: &State) {
        let mut driven = end.clone();
        driven.applied.clone_from(&data.start.applied);
        for id in self.model.joint_ids() {
            for (k, (motor, friction)) in own_forces(self.model, end, id).into_iter().enumerate() {
                apply_joint_force(self.model, &mut driven, id, k, motor + friction);
                self.out[id.index()].motor += motor;
                self.along(end, (id, k), motor + friction);
            }
        }
        // Motors that keep a velocity supply whatever that takes, limits and friction what they can.
        let keeps =
            |id: &JointId| keeps_velocity(end, *id) || holds(self.model, end, *id).is_some();
        let kept: Vec<(JointId, f64)> =
            self.model.joint_ids().filter(keeps).map(|id| (id, 0.0)).collect();
        if !kept.is_empty() {
            let found = acceleration::drives(self.model, &driven, &kept);
            for (&(id, _), mut force) in kept.iter().zip(found) {
                match holds(self.model, end, id).filter(|_| !keeps_velocity(end, id)) {
                    Some([least, most]) => force = force.clamp(least, most),
                    None => self.out[id.index()].motor += force,
                }
                apply_joint_force(self.model, &mut driven, id, 0, force);
                self.along(end, (id, 0), force);
            }
        }
        let (rows, forces) =
            acceleration::constraint_forces(self.model, &driven, settings.gyroscopic);
        self.bilateral((end, true), &rows, &forces);
    }

    /// A force along a coordinate.
    fn along(&mut self, state: &State, (id, k): (JointId, usize), force: f64) {
        let Some(row) = self.model.joint_coordinates(state, id).get(k).copied() else { return };
        let joint = self.model.joint(id);
        let anchor =
            joint.bodies[1].map_or(joint.frames[1], |b| state.pose(b).compose(&joint.frames[1]));
        let (f, out) = (row.force * force, &mut self.out[id.index()]);
        out.force += f;
        out.torque += row.torque * force + (row.point - anchor.position).cross(f);
    }

    fn bilateral(&mut self, (state, smooth): (&State, bool), rows: &JointRows, forces: &[f64]) {
        let mut forces = forces.iter();
        for (&id, group) in rows.joints.iter().zip(&rows.groups) {
            let locked = self.model.joint_errors(state, id).len();
            for (i, (row, &force)) in group.rows.iter().zip(&mut forces).enumerate() {
                let gear = matches!(self.model.joint(id).kind, JointKind::Gear { .. });
                // Of a smooth step that is the armature, and motors are known.
                if gear || (i >= locked && !smooth) {
                    self.out[id.index()].motor += force;
                }
                if !gear {
                    let blocks = row.blocks.iter().map(|b| (b.dof, b.value));
                    self.add(state, id, blocks, force);
                }
            }
        }
    }

    fn bounded(&mut self, state: &State, row: &BoundedRow, force: f64) {
        if row.is_motor() {
            self.out[row.joint.index()].motor += force;
        }
        self.add(state, row.joint, row.blocks.iter().map(|b| (b.dof, b.value)), force);
    }

    /// The wrench on B is that of its block, or minus that of A where forces do not move B.
    fn add(
        &mut self,
        state: &State,
        id: JointId,
        blocks: impl Iterator<Item = (usize, crate::model::Block)> + Clone,
        force: f64,
    ) {
        let joint = self.model.joint(id);
        let anchor = match joint.bodies[1] {
            Some(b) => state.pose(b).compose(&joint.frames[1]).position,
            None => joint.frames[1].position,
        };
        for (side, sign) in [(1, 1.0), (0, -1.0)] {
            let Some(body) = joint.bodies[side] else { continue };
            let Some(dof) = self.model.dof(body) else { continue };
            let Some((_, block)) = blocks.clone().find(|b| b.0 == dof) else { continue };
            let (f, t) = self.model.dimension().split(&block);
            let (f, t) = (f * (sign * force), t * (sign * force));
            let out = &mut self.out[id.index()];
            out.force += f;
            out.torque += t + (state.pose(body).position - anchor).cross(f);
            return;
        }
    }
}
