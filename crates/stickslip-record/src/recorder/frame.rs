//! Whole frames: the datasets of Table 8.1 of the user guide, for one step each.
//!
//! All numbers are of the start of the step, world axes; `nb` bodies in the order of the scene
//! with ids from 0, `nc` contacts. In 2D the shapes are the same.

use hdf5_metno::{Group, H5Type, Result};
use ndarray::ArrayView2;
use stickslip::{
    Dimension, Model, State,
    collide::Contact,
    dynamics::{BilateralRow, JointRows},
    formulate::{ContactForce, StepMotion},
    geometry::{Mat3, Vec3},
    model::{Freedom, Joint},
    report::SolveReport,
};

/// What a frame is made of.
pub(super) struct FrameInput<'a> {
    pub model: &'a Model,
    /// At the start of the step.
    pub state: &'a State,
    pub contacts: &'a [Contact],
    pub h: f64,
    /// What the step came to; `None` when it failed.
    pub outcome: Option<(&'a StepMotion, &'a SolveReport)>,
    /// Natural residual after each iteration.
    pub errors: &'a [f64],
}

impl FrameInput<'_> {
    /// Writes the frame as a new group of `frames`.
    pub fn write(&self, frames: &Group, step: u64) -> Result<()> {
        let group = frames.create_group(&format!("{step:06}"))?;
        table(&group, "step", 1, &[self.h])?;
        self.bodies(&group.create_group("bodies")?)?;
        self.joints(&group.create_group("joints")?)?;
        self.contacts(&group.create_group("contacts")?)?;
        self.solutions(&group.create_group("solutions")?)
    }

    fn bodies(&self, group: &Group) -> Result<()> {
        let (model, state) = (self.model, self.state);
        let ids: Vec<i64> = (0..model.bodies().len() as i64).collect();
        let (mut masses, mut forces, mut inertia) = (Vec::new(), Vec::new(), Vec::new());
        let (mut positions, mut quaternions, mut velocities) = (Vec::new(), Vec::new(), Vec::new());
        for id in model.ids() {
            let (body, pose, twist) = (model.body(id), state.pose(id), state.twist(id));
            let applied = state.applied[id.index()];
            masses.push(body.mass);
            let force = model.gravity() * body.mass + body.force + applied.force;
            forces.extend(force.to_array());
            forces.extend((body.torque + applied.torque).to_array());
            let r = pose.rotation();
            inertia.extend(rows(r * body.inertia * r.transpose()));
            positions.extend(pose.position.to_array());
            quaternions.extend(crate::view::quaternion(pose));
            velocities.extend(twist.linear.to_array());
            velocities.extend(twist.angular.to_array());
        }
        table(group, "ids", 1, &ids)?;
        table(group, "masses", 1, &masses)?;
        table(group, "forces", 1, &forces)?;
        table(group, "inertia", 3, &inertia)?;
        table(group, "positions", 1, &positions)?;
        table(group, "quaternion", 1, &quaternions)?;
        table(group, "velocities", 1, &velocities)
    }

    /// Of each joint: the size of its error, its bodies (-1 is the world), the limits of its
    /// first coordinate, and in `rows` where its Jacobian starts, how many rows of `jacobians` it
    /// has, and how many equations. An equation has four rows of three: force and torque on the
    /// first body, force and torque on the second; zero where the body cannot be moved.
    fn joints(&self, group: &Group) -> Result<()> {
        let rows = JointRows::closing(self.model, self.state);
        let (mut violations, mut jacobians) = (Vec::new(), Vec::new());
        let (mut pairs, mut bounds, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for id in self.model.joint_ids() {
            let joint = self.model.joint(id);
            let found = rows.joints.iter().position(|j| *j == id).map(|k| &rows.groups[k].rows);
            let equations = found.map_or(&[][..], |r| r);
            violations.push(equations.iter().map(|r| r.target * r.target).sum::<f64>().sqrt());
            places.extend([jacobians.len() as i64 / 3, 4 * equations.len() as i64]);
            places.push(equations.len() as i64);
            for (equation, body) in equations.iter().flat_map(|e| joint.bodies.map(|b| (e, b))) {
                let (force, torque) = self.block(equation, body);
                jacobians.extend(force.to_array());
                jacobians.extend(torque.to_array());
            }
            pairs.extend(joint.bodies.map(|b| b.map_or(-1, |id| id.index() as i64)));
            bounds.extend(limits(joint, self.model.dimension()));
        }
        table(group, "violations", 1, &violations)?;
        table(group, "jacobians", 3, &jacobians)?;
        table(group, "pairs", 2, &pairs)?;
        table(group, "bounds", 2, &bounds)?;
        table(group, "rows", 3, &places)
    }

    /// The part of an equation that belongs to a body.
    fn block(&self, row: &BilateralRow, body: Option<stickslip::BodyId>) -> (Vec3, Vec3) {
        let dof = body.and_then(|id| self.model.dof(id));
        let block = row.blocks.iter().find(|b| Some(b.dof) == dof);
        block.map_or((Vec3::ZERO, Vec3::ZERO), |b| self.model.dimension().split(&b.value))
    }

    fn contacts(&self, group: &Group) -> Result<()> {
        let (mut gap, mut pairs, mut mu) = (Vec::new(), Vec::new(), Vec::new());
        let (mut normals, mut points) = (Vec::new(), Vec::new());
        for c in self.contacts {
            let friction = self.model.material(c.a.body, c.b.body).friction;
            gap.push(c.gap);
            pairs.extend([c.a.body.index() as i64, c.b.body.index() as i64]);
            mu.extend([friction, friction]);
            normals.extend(c.normal.to_array());
            points.extend((c.a.point - self.state.pose(c.a.body).position).to_array());
        }
        table(group, "gap", 1, &gap)?;
        table(group, "pairs", 2, &pairs)?;
        table(group, "mu", 2, &mu)?;
        table(group, "normals", 3, &normals)?;
        table(group, "points", 3, &points)
    }

    fn solutions(&self, group: &Group) -> Result<()> {
        let Some((motion, solves)) = self.outcome else {
            for name in ["solution", "total_error", "normal_error", "friction_error"] {
                table::<f64>(group, name, 1, &[])?;
            }
            table::<i64>(group, "iterations", 1, &[])?;
            return table::<i64>(group, "stick_or_slide", 1, &[]);
        };
        let mut nu = Vec::new();
        for id in self.model.ids() {
            let (linear, angular) = self.velocity(motion, id);
            nu.extend(linear.to_array());
            nu.extend(angular.to_array());
        }
        let touches: Vec<Touch> = motion.forces.iter().map(|f| self.touch(motion, f)).collect();
        let worst = |pick: fn(&Touch) -> f64| touches.iter().map(pick).fold(0.0, f64::max);
        table(group, "solution", 1, &nu)?;
        table(group, "iterations", 1, &[solves.iterations as i64])?;
        table(group, "total_error", 1, self.errors)?;
        table(group, "normal_error", 1, &[worst(|t| t.normal_error)])?;
        table(group, "friction_error", 1, &[worst(|t| t.friction_error)])?;
        let states: Vec<i64> =
            self.contacts.iter().map(|c| self.state_of(c, motion, &touches)).collect();
        table(group, "stick_or_slide", 1, &states)
    }

    /// Velocity of a body at the end of the step.
    fn velocity(&self, motion: &StepMotion, id: stickslip::BodyId) -> (Vec3, Vec3) {
        match self.model.dof(id) {
            Some(dof) => self.model.dimension().split(&motion.nu[dof..]),
            None => {
                let twist = self.state.twist(id);
                (twist.linear, twist.angular)
            }
        }
    }

    /// How a contact of the problem ended.
    fn touch(&self, motion: &StepMotion, f: &ContactForce) -> Touch {
        let Some(c) = motion.contacts.get(f.contact) else { return Touch::default() };
        let at = |side: &stickslip::collide::Side| {
            let (v, w) = self.velocity(motion, side.body);
            v + w.cross(side.point - self.state.pose(side.body).position)
        };
        let relative = at(&c.b) - at(&c.a);
        let speed = c.normal.dot(relative);
        let slip = relative - c.normal * speed;
        let mu = self.model.material(c.a.body, c.b.body).friction;
        let (limit, friction) = (mu * f.normal, f.friction.length());
        // Coulomb: |p| <= mu p_n, and where it slips p = -mu p_n slip / |slip|.
        let outside = (friction - limit).max(0.0);
        let oblique = (f.friction * slip.length() + slip * limit).length();
        let state = match (f.normal > 0.0, friction < limit * (1.0 - 1e-6)) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => 2,
        };
        Touch {
            normal_error: f.normal.min(c.gap + self.h * speed).abs(),
            friction_error: outside.max(oblique),
            state,
        }
    }

    /// 0 apart, 1 sticks, 2 slides.
    fn state_of(&self, contact: &Contact, motion: &StepMotion, touches: &[Touch]) -> i64 {
        let name = |c: &Contact| {
            let side = |s: &stickslip::collide::Side| (s.body, s.part, s.feature);
            (side(&c.a), side(&c.b))
        };
        let same = |f: &ContactForce| {
            motion.contacts.get(f.contact).is_some_and(|c| name(c) == name(contact))
        };
        let found = motion.forces.iter().zip(touches).filter(|(f, _)| same(f));
        found.map(|(_, t)| t.state).max().unwrap_or(0)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Touch {
    normal_error: f64,
    friction_error: f64,
    state: i64,
}

/// Limits of a joint's first coordinate; infinite where it has none, zero where it is locked.
fn limits(joint: &Joint, dimension: Dimension) -> [f64; 2] {
    match joint.coordinates(dimension).next().map(|i| joint.freedoms[i]) {
        Some(Freedom::Limited(range)) => range,
        Some(_) => [f64::NEG_INFINITY, f64::INFINITY],
        None => joint.range.unwrap_or([0.0, 0.0]),
    }
}

/// A matrix row by row.
fn rows(m: Mat3) -> [f64; 9] {
    m.transpose().to_cols_array()
}

/// A dataset with `columns` columns and as many rows as the numbers fill.
fn table<T: H5Type>(group: &Group, name: &str, columns: usize, data: &[T]) -> Result<()> {
    let shape = (data.len() / columns, columns);
    let view =
        ArrayView2::from_shape(shape, data).map_err(|e| hdf5_metno::Error::from(e.to_string()))?;
    if data.is_empty() {
        return group.new_dataset::<T>().shape(shape).create(name).map(|_| ());
    }
    group.new_dataset_builder().with_data(view).create(name).map(|_| ())
}
