//! Where a joint stands: its errors, its coordinates, and the rows of their rates.

use std::f64::consts::{PI, TAU};

use stickslip_geometry::{Pose, Vec3};

use super::{
    BodyId, Dimension, Freedom, Joint, JointId, JointKind, JointRow, Model,
    joint_frame::{Carried, Placed, distance, free_rotations, locked_rotations, translation},
};
use crate::state::{State, Twist};

impl Model {
    pub(super) fn placed(&self, state: &State, joint: &Joint) -> Placed {
        self.placed_frames(state, joint.bodies, &joint.frames, joint.angle0)
    }

    /// Two frames on bodies (`None` is the world), whose angles in 2D differ by `angle0` at first.
    pub(super) fn placed_frames(
        &self,
        state: &State,
        bodies: [Option<BodyId>; 2],
        frames: &[Pose; 2],
        angle0: f64,
    ) -> Placed {
        let [a, b] = [0, 1].map(|i| {
            let frame = frames[i];
            let Some(id) = bodies[i] else {
                let still = Vec3::ZERO;
                return Carried { pose: frame, velocity: still, acceleration: still, omega: still };
            };
            let (body, twist) = (state.pose(id), state.twist(id));
            let pose = body.compose(&frame);
            let (r, omega) = (pose.position - body.position, twist.angular);
            let acceleration = omega.cross(omega.cross(r));
            Carried { pose, velocity: twist.at(r), acceleration, omega }
        });
        // The frames' own angles in 2D are those of the initial pose.
        let [turn_a, turn_b] = [0, 1].map(|i| bodies[i].map_or(0.0, |id| state.angle[id.index()]));
        Placed { a, b, angle: turn_b - turn_a - angle0 }
    }

    /// The errors of the locked freedoms: the values are zero where the joint holds.
    /// A gear has none of its own; see [`Model::gear_error`].
    pub fn joint_errors(&self, state: &State, id: JointId) -> Vec<JointRow> {
        let joint = self.joint(id);
        let at = self.placed(state, joint);
        match joint.kind {
            JointKind::Gear { .. } => return Vec::new(),
            JointKind::Distance if joint.measures_distance() => return Vec::new(),
            JointKind::Distance => {
                let row = distance(&at);
                return vec![JointRow { value: row.value - joint.rest, ..row }];
            }
            _ => {}
        }
        let locked = |i: usize| joint.freedoms[i] == Freedom::Locked;
        let slides = if self.dimension() == Dimension::Two { 2 } else { 3 };
        let mut rows: Vec<JointRow> =
            (0..slides).filter(|&i| locked(i)).map(|i| translation(&at, i)).collect();
        match self.dimension() {
            Dimension::Two if locked(5) => rows.push(JointRow::turn(at.angle, Vec3::Z, 0.0)),
            Dimension::Two => {}
            Dimension::Three => locked_rotations(&at, [3, 4, 5].map(locked), &mut rows),
        }
        rows
    }

    /// The coordinates of a joint: what its free directions measure, with the row of each.
    /// Rotations do not wrap: they follow [`State::joint_angles`].
    pub fn joint_coordinates(&self, state: &State, id: JointId) -> Vec<JointRow> {
        let (rows, n) = self.coordinate_rows(state, id);
        rows[..n].to_vec()
    }

    /// The same as six rows, and how many of them count.
    pub(super) fn coordinate_rows(&self, state: &State, id: JointId) -> ([JointRow; 6], usize) {
        let mut rows = [JointRow::default(); 6];
        let joint = self.joint(id);
        let at = self.placed(state, joint);
        match joint.kind {
            JointKind::Gear { .. } => return (rows, 0),
            JointKind::Distance if joint.measures_distance() => {
                rows[0] = distance(&at);
                return (rows, 1);
            }
            JointKind::Distance => return (rows, 0),
            _ => {}
        }
        let turns = match self.dimension() {
            Dimension::Two => {
                [JointRow::default(), JointRow::default(), JointRow::turn(at.angle, Vec3::Z, 0.0)]
            }
            Dimension::Three => {
                let free = [3, 4, 5].map(|i| joint.freedoms[i] != Freedom::Locked);
                let last = state.joint_angles[id.index()];
                let mut turns = free_rotations(&at, free);
                turns.iter_mut().zip(last).for_each(|(t, near)| t.value = unwrap(t.value, near));
                turns
            }
        };
        let mut n = 0;
        for i in joint.coordinates(self.dimension()) {
            rows[n] = if i < 3 { translation(&at, i) } else { turns[i - 3] };
            n += 1;
        }
        rows[0].value += joint.start;
        (rows, n)
    }

    /// Positions of the joint's free directions, translations \[m\] first, then rotations
    /// \[rad\]; three free rotations are the angles of turns about x, y, z in this order.
    pub fn joint_position(&self, state: &State, id: JointId) -> Vec<f64> {
        self.joint_coordinates(state, id).iter().map(|row| row.value).collect()
    }

    /// Rates of [`Model::joint_position`].
    pub fn joint_velocity(&self, state: &State, id: JointId) -> Vec<f64> {
        let joint = self.joint(id);
        self.joint_coordinates(state, id).iter().map(|r| self.row_rate(state, joint, r)).collect()
    }

    /// Rate of a row's value at the present velocities.
    pub fn row_rate(&self, state: &State, joint: &Joint, row: &JointRow) -> f64 {
        let side = |i: usize| match joint.bodies[i] {
            Some(id) => {
                let twist = state.twist(id);
                (twist.at(row.point - state.pose(id).position), twist.angular)
            }
            None => {
                let twist = Twist::default();
                (twist.linear, twist.angular)
            }
        };
        let (a, b) = (side(0), side(1));
        row.force.dot(b.0 - a.0) + row.torque.dot(b.1 - a.1)
    }

    /// By how much a gear is off: `q1 + ratio q2` minus its rest \[rad or m\].
    pub fn gear_error(&self, state: &State, id: JointId) -> Option<f64> {
        let joint = self.joint(id);
        let JointKind::Gear { joints, ratio } = joint.kind else { return None };
        let [q1, q2] = joints.map(|j| self.first_coordinate(state, j));
        Some(q1 + ratio * q2 - joint.rest)
    }

    fn first_coordinate(&self, state: &State, id: JointId) -> f64 {
        self.joint_motion(state, id).first().map_or(0.0, |first| first.value)
    }

    /// Largest error of all joints \[m or rad\].
    pub fn max_joint_error(&self, state: &State) -> f64 {
        self.joint_ids().fold(0.0, |m, id| m.max(self.joint_error(state, id)))
    }

    /// Lets the unwrapped angles follow the poses; the loop does it after every step.
    pub fn track_joints(&self, state: &mut State) {
        if self.dimension() == Dimension::Two {
            return;
        }
        self.joint_ids().for_each(|id| self.track_joint(state, id));
    }

    /// The same for one joint in 3D.
    pub(crate) fn track_joint(&self, state: &mut State, id: JointId) {
        let measured = self.joint_motion(state, id);
        let joint = self.joint(id);
        let coordinates = joint.coordinates(Dimension::Three).zip(measured.iter()).enumerate();
        for (k, (i, m)) in coordinates.filter(|(_, (i, _))| *i >= 3) {
            let start = if k == 0 { joint.start } else { 0.0 };
            state.joint_angles[id.index()][i - 3] = m.value - start;
        }
    }

    /// Angle between the z axes of a spherical joint's frames, and its row; `None` where the axes
    /// coincide and the angle has no direction.
    pub fn joint_swing(&self, state: &State, id: JointId) -> Option<JointRow> {
        let at = self.placed(state, self.joint(id));
        let (a, b) = (at.axis_a(2), at.axis_b(2));
        let cross = a.cross(b);
        let sine = cross.length();
        // Nothing is integrated along this row: its bias is not needed.
        (sine > 1e-9).then(|| JointRow::turn(sine.atan2(a.dot(b)), cross / sine, 0.0))
    }
}

impl Joint {
    /// Whether a distance joint measures instead of holding its distance.
    pub(super) fn measures_distance(&self) -> bool {
        self.range.is_some() || self.motor.is_some()
    }
}

/// The angle equal to `angle` up to full turns that is nearest to `near`.
pub(super) fn unwrap(angle: f64, near: f64) -> f64 {
    let turns = ((near - angle) / TAU).round();
    let out = angle + turns * TAU;
    debug_assert!((out - near).abs() <= PI + 1e-9 || !near.is_finite());
    out
}
