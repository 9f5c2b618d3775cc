//! Forward kinematics and Jacobians of chains of joints.
//!
//! The Jacobian maps rates of joint coordinates to the motion of a point of the last body. It is
//! read off the joint rows themselves: a coordinate's rate moves every body beyond it about the
//! joint's axis.

use stickslip_geometry::{Pose, Quat, Vec3};

use crate::{
    model::{BodyId, Freedom, Joint, JointId, JointKind, Model},
    state::State,
};

/// Applies a generalised force to a coordinate of a joint for the coming step: the force along
/// (or the torque about) its direction, on B, and the opposite on A. Unknown coordinates are left
/// alone.
pub fn apply_joint_force(
    model: &Model,
    state: &mut State,
    id: JointId,
    coordinate: usize,
    force: f64,
) {
    let Some(row) = model.joint_coordinates(state, id).get(coordinate).copied() else { return };
    for (body, sign) in model.joint(id).bodies.into_iter().zip([-1.0, 1.0]) {
        let Some(body) = body else { continue };
        let arm = row.point - state.pose(body).position;
        let wrench = &mut state.applied[body.index()];
        wrench.force += row.force * (sign * force);
        wrench.torque += (row.torque + arm.cross(row.force)) * (sign * force);
    }
}

/// Joints in a row, from a base to a last body.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The joints, base first; each with whether it is passed from A to B.
    pub joints: Vec<(JointId, bool)>,
    /// The body that carries the chain; `None` is the world.
    pub base: Option<BodyId>,
    /// The last body.
    pub tip: BodyId,
}

/// Columns of a Jacobian, one per joint coordinate: velocity of a point and angular velocity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointJacobian {
    /// Velocity per rate \[m/s per rad/s or m/s\], world frame.
    pub linear: Vec<Vec3>,
    /// Angular velocity per rate, world frame.
    pub angular: Vec<Vec3>,
}

impl Chain {
    /// The shortest chain of joints from the world (or, where none leads there, from the body
    /// without way back) to `tip`; `None` where no joint touches it.
    pub fn to(model: &Model, tip: BodyId) -> Option<Self> {
        // Breadth first from the tip; gears connect nothing.
        let mut from: Vec<Option<(JointId, bool, BodyId)>> = vec![None; model.bodies().len()];
        let mut seen = vec![false; model.bodies().len()];
        seen[tip.index()] = true;
        let mut queue = vec![tip];
        let (mut next, mut end) = (0, None);
        while next < queue.len() && end.is_none() {
            let body = queue[next];
            next += 1;
            for id in model.joint_ids() {
                let joint = model.joint(id);
                if matches!(joint.kind, JointKind::Gear { .. }) {
                    continue;
                }
                let forward = joint.bodies[1] == Some(body);
                if !forward && joint.bodies[0] != Some(body) {
                    continue;
                }
                match joint.bodies[usize::from(!forward)] {
                    Some(other) if model.dof(other).is_some() => {
                        if !seen[other.index()] {
                            seen[other.index()] = true;
                            from[other.index()] = Some((id, forward, body));
                            queue.push(other);
                        }
                    }
                    fixed => {
                        end = end.or(Some((id, forward, body, fixed)));
                    }
                }
            }
        }
        let (mut joints, mut at, base) = match end {
            Some((id, forward, body, base)) => (vec![(id, forward)], body, base),
            None => {
                let far = *queue.last()?;
                (vec![], far, Some(far))
            }
        };
        while let Some((id, forward, toward)) = from[at.index()].filter(|_| at != tip) {
            joints.push((id, forward));
            at = toward;
        }
        (!joints.is_empty()).then_some(Self { joints, base, tip })
    }

    /// Number of coordinates.
    pub fn n_coordinates(&self, model: &Model) -> usize {
        let count = |id: JointId| model.joint(id).coordinates(model.dimension()).count();
        self.joints.iter().map(|&(id, _)| count(id)).sum()
    }

    /// Present positions of the coordinates, joint by joint.
    pub fn positions(&self, model: &Model, state: &State) -> Vec<f64> {
        self.joints.iter().flat_map(|&(id, _)| model.joint_position(state, id)).collect()
    }

    /// Present rates of the coordinates.
    pub fn velocities(&self, model: &Model, state: &State) -> Vec<f64> {
        self.joints.iter().flat_map(|&(id, _)| model.joint_velocity(state, id)).collect()
    }

    /// Pose of the last body at these coordinates, the base where it is in `state`. Angles of
    /// three free rotations are turns about x, y, z in this order.
    pub fn forward(&self, model: &Model, state: &State, positions: &[f64]) -> Pose {
        let mut pose = self.base.map_or(Pose::IDENTITY, |b| *state.pose(b));
        let mut rest = positions;
        for &(id, forward) in &self.joints {
            let joint = model.joint(id);
            let n = joint.coordinates(model.dimension()).count().min(rest.len());
            let (mine, others) = rest.split_at(n);
            rest = others;
            let relative = relative_pose(model, joint, mine);
            let [near, far] = if forward { [0, 1] } else { [1, 0] };
            let relative = if forward { relative } else { inverse(&relative) };
            pose = pose
                .compose(&joint.frames[near])
                .compose(&relative)
                .compose(&inverse(&joint.frames[far]));
        }
        pose
    }

    /// Jacobian of a point of the last body, given in the world, at the present state.
    pub fn jacobian(&self, model: &Model, state: &State, point: Vec3) -> PointJacobian {
        let mut out = PointJacobian::default();
        for &(id, forward) in &self.joints {
            let joint = model.joint(id);
            let sign = if forward { 1.0 } else { -1.0 };
            let place = |i: usize| match joint.bodies[i] {
                Some(b) => state.pose(b).compose(&joint.frames[i]),
                None => joint.frames[i],
            };
            let (a, b) = (place(0), place(1));
            for (i, axis) in motions(model, joint, &a, &b) {
                let axis = axis * sign;
                if i < 3 {
                    out.linear.push(axis);
                    out.angular.push(Vec3::ZERO);
                } else {
                    out.linear.push(axis.cross(point - b.position));
                    out.angular.push(axis);
                }
            }
        }
        out
    }
}

fn inverse(pose: &Pose) -> Pose {
    let orientation = pose.orientation.conjugate();
    Pose { position: orientation * -pose.position, orientation }
}

/// Frame B seen from frame A at these coordinates.
fn relative_pose(model: &Model, joint: &Joint, coordinates: &[f64]) -> Pose {
    let mut pose = Pose::IDENTITY;
    for (k, (i, &q)) in joint.coordinates(model.dimension()).zip(coordinates).enumerate() {
        let q = if k == 0 { q - joint.start } else { q };
        match i {
            0..3 => pose.position += Vec3::AXES[i] * q,
            _ => pose.orientation *= Quat::from_axis_angle(Vec3::AXES[i - 3], q),
        }
    }
    pose
}

/// The direction along or about which each coordinate moves B against A, world frame.
fn motions(model: &Model, joint: &Joint, a: &Pose, b: &Pose) -> Vec<(usize, Vec3)> {
    let turning: Vec<usize> = (3..6).filter(|&i| joint.freedoms[i] != Freedom::Locked).collect();
    let axis = |i: usize| {
        let (first, last) = (turning.first() == Some(&i), turning.last() == Some(&i));
        match (i, first, last) {
            (0..3, _, _) | (_, true, _) => a.orientation * Vec3::AXES[i % 3],
            // Turns follow each other: the last axis is B's own.
            (_, _, true) => b.orientation * Vec3::AXES[i - 3],
            // The middle one is orthogonal to both.
            _ => {
                let (x, z) = (a.orientation * Vec3::X, b.orientation * Vec3::Z);
                z.cross(x).normalize_or_zero()
            }
        }
    };
    joint.coordinates(model.dimension()).map(|i| (i, axis(i))).collect()
}
