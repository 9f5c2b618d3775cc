//! What joints measure, as numbers alone: every step asks for them, and rows with their second
//! derivatives cost more.

use stickslip_geometry::{Pose, Quat, Vec3};

use super::{
    Dimension, Freedom, Joint, JointId, JointKind, Model,
    joint_frame::{distance, shortest},
    joint_motion::unwrap,
};
use crate::state::{State, Twist};

/// A coordinate of a joint and its rate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Position \[m or rad\].
    pub value: f64,
    /// Its rate \[m/s or rad/s\].
    pub rate: f64,
}

/// The coordinates of one joint: six at the most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointMotion {
    all: [Measured; 6],
    n: usize,
}

impl JointMotion {
    fn push(&mut self, value: f64, rate: f64) {
        self.all[self.n] = Measured { value, rate };
        self.n += 1;
    }
}

impl std::ops::Deref for JointMotion {
    type Target = [Measured];

    fn deref(&self) -> &[Measured] {
        &self.all[..self.n]
    }
}

/// The frames of a joint in the world.
struct Frames {
    a: Pose,
    b: Pose,
    /// Rotation from A to B, seen from A.
    turned: Quat,
    /// From A's origin to B's, seen from A.
    offset: Vec3,
}

impl Model {
    fn frames(&self, state: &State, joint: &Joint) -> Frames {
        let [a, b] = [0, 1].map(|i| {
            let frame = &joint.frames[i];
            joint.bodies[i].map_or(*frame, |id| state.pose(id).compose(frame))
        });
        let back = a.orientation.conjugate();
        Frames { a, b, turned: back * b.orientation, offset: back * (b.position - a.position) }
    }

    /// What the free directions of a joint measure, with their rates, as
    /// [`Model::joint_position`] and [`Model::joint_velocity`] have them.
    pub fn joint_motion(&self, state: &State, id: JointId) -> JointMotion {
        let joint = self.joint(id);
        let turns = (3..6).filter(|&i| joint.freedoms[i] != Freedom::Locked).count();
        let plain = !matches!(joint.kind, JointKind::Gear { .. } | JointKind::Distance);
        let mut out = JointMotion::default();
        if !plain || turns > 1 || self.dimension() == Dimension::Two {
            let (rows, n) = self.coordinate_rows(state, id);
            rows[..n].iter().for_each(|row| out.push(row.value, self.row_rate(state, joint, row)));
            return out;
        }
        let at = self.frames(state, joint);
        let [a, b] = joint.bodies.map(|body| match body {
            Some(id) => (*state.twist(id), state.pose(id).position),
            None => (Twist::default(), Vec3::ZERO),
        });
        for i in joint.coordinates(Dimension::Three) {
            if i < 3 {
                let x = at.b.position;
                let speed = b.0.at(x - b.1) - a.0.at(x - a.1);
                out.push(at.offset[i], (at.a.orientation * Vec3::AXES[i]).dot(speed));
                continue;
            }
            let k = i - 3;
            let angle = 2.0 * at.turned.to_array()[k].atan2(at.turned.w);
            let near = state.joint_angles[id.index()][k];
            let [u, v] = [&at.a, &at.b].map(|frame| frame.orientation * Vec3::AXES[k]);
            let scale = 1.0 + u.dot(v);
            let axis = if scale > 1e-9 { (u + v) / scale } else { u };
            out.push(unwrap(angle, near), axis.dot(b.0.angular - a.0.angular));
        }
        if out.n > 0 {
            out.all[0].value += joint.start;
        }
        out
    }

    /// Adds the values of [`Model::joint_errors`], to the last bit.
    pub fn add_joint_errors(&self, state: &State, id: JointId, out: &mut Vec<f64>) {
        let joint = self.joint(id);
        match joint.kind {
            JointKind::Gear { .. } => return,
            JointKind::Distance if joint.measures_distance() => return,
            JointKind::Distance => {
                return out.push(distance(&self.placed(state, joint)).value - joint.rest);
            }
            _ => {}
        }
        let [a, b] = [0, 1].map(|i| {
            let frame = &joint.frames[i];
            joint.bodies[i].map_or(*frame, |id| state.pose(id).compose(frame))
        });
        let locked = |i: usize| joint.freedoms[i] == Freedom::Locked;
        let axis = |pose: &Pose, i: usize| pose.orientation * Vec3::AXES[i];
        let slides = if self.dimension() == Dimension::Two { 2 } else { 3 };
        let apart = b.position - a.position;
        out.extend((0..slides).filter(|&i| locked(i)).map(|i| axis(&a, i).dot(apart)));
        if self.dimension() == Dimension::Two {
            let [from, to] = joint.bodies.map(|b| b.map_or(0.0, |id| state.angle[id.index()]));
            out.extend(locked(5).then_some(to - from - joint.angle0));
            return;
        }
        let mut product = |i: usize, k: usize| out.push(axis(&a, i).dot(axis(&b, k)));
        match [3, 4, 5].map(locked) {
            [true, true, true] => {
                let q = shortest(a.orientation.conjugate() * b.orientation).to_array();
                out.extend(q[..3].iter().map(|x| 2.0 * x));
            }
            [false, true, true] => [1, 2].into_iter().for_each(|i| product(i, 0)),
            [true, false, true] => [0, 2].into_iter().for_each(|i| product(i, 1)),
            [true, true, false] => [0, 1].into_iter().for_each(|i| product(i, 2)),
            [false, false, true] => product(0, 1),
            [false, true, false] => product(0, 2),
            [true, false, false] => product(1, 2),
            [false, false, false] => {}
        }
    }

    /// Largest error of a joint at these poses \[m or rad\].
    pub fn joint_error(&self, state: &State, id: JointId) -> f64 {
        let joint = self.joint(id);
        let largest = |m: f64, x: f64| m.max(x.abs());
        match joint.kind {
            JointKind::Gear { .. } => return self.gear_error(state, id).map_or(0.0, f64::abs),
            JointKind::Distance if joint.measures_distance() => return 0.0,
            JointKind::Distance => {
                return (distance(&self.placed(state, joint)).value - joint.rest).abs();
            }
            _ => {}
        }
        let at = self.frames(state, joint);
        let locked = |i: usize| joint.freedoms[i] == Freedom::Locked;
        let slides = if self.dimension() == Dimension::Two { 2 } else { 3 };
        let apart = (0..slides).filter(|&i| locked(i)).map(|i| at.offset[i]).fold(0.0, largest);
        if self.dimension() == Dimension::Two {
            let angle = joint.bodies.map(|b| b.map_or(0.0, |id| state.angle[id.index()]));
            let turned = angle[1] - angle[0] - joint.angle0;
            return if locked(5) { largest(apart, turned) } else { apart };
        }
        let seen = |j: usize| at.turned * Vec3::AXES[j];
        match [3, 4, 5].map(locked) {
            [true, true, true] => {
                let q = at.turned.to_array();
                q[..3].iter().fold(apart, |m, x| largest(m, 2.0 * x))
            }
            [false, true, true] => largest(largest(apart, seen(0).y), seen(0).z),
            [true, false, true] => largest(largest(apart, seen(1).x), seen(1).z),
            [true, true, false] => largest(largest(apart, seen(2).x), seen(2).y),
            [false, false, true] => largest(apart, seen(1).x),
            [false, true, false] => largest(apart, seen(2).x),
            [true, false, false] => largest(apart, seen(2).y),
            [false, false, false] => apart,
        }
    }
}
