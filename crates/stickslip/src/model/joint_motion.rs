//! Where a joint stands: its errors, its coordinates, and the rows of their rates.
//!
//! With frames `F_A`, `F_B` (origins `x_A`, `x_B`, axes `a_i`, `b_i`) every row is a wrench that
//! acts on both bodies: a force `d` at a shared point `x` and a torque `w`, plus on B and minus
//! on A. The rate of its value is
//!
//! ```text
//! d · (v_B(x) - v_A(x)) + w · (omega_B - omega_A)
//!
//! translation i   value a_i · (x_B - x_A)                 d = a_i at x_B
//! all locked      value 2 vec(q), q = F_A⁻¹ F_B            w_i = F_A (q_w e_i + q_v x e_i)
//! one free, k     values a_i · b_k, i != k                 w = b_k x a_i
//! two free, i j   value a_i · b_j                          w = b_j x a_i
//! ```
//!
//! These are exact at any pose, also where the joint has drifted apart (checked against finite
//! differences). Williams 2014, tables 2.2 and 2.3, with the same zero sets.

use std::f64::consts::{PI, TAU};

use stickslip_geometry::{Pose, Quat, Vec3};

use super::{Dimension, Freedom, Joint, JointId, JointKind, Model};
use crate::state::{State, Twist};

/// A quantity of a joint and the wrench that works on it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointRow {
    /// The quantity: an error that should be zero, or a coordinate \[m or rad\].
    pub value: f64,
    /// Force on B per unit, minus on A.
    pub force: Vec3,
    /// World point where the force acts, on both bodies \[m\].
    pub point: Vec3,
    /// Torque on B per unit, minus on A.
    pub torque: Vec3,
    /// Second time derivative of the quantity while both bodies keep their velocities.
    pub bias: f64,
}

impl JointRow {
    /// The row of minus the quantity.
    pub fn negated(self) -> Self {
        Self {
            value: -self.value,
            force: -self.force,
            point: self.point,
            torque: -self.torque,
            bias: -self.bias,
        }
    }

    fn slide(value: f64, force: Vec3, point: Vec3, bias: f64) -> Self {
        Self { value, force, point, torque: Vec3::ZERO, bias }
    }

    fn turn(value: f64, torque: Vec3, bias: f64) -> Self {
        Self { value, force: Vec3::ZERO, point: Vec3::ZERO, torque, bias }
    }
}

/// A frame of a joint in the world, with the motion of the body that carries it.
#[derive(Clone, Copy, Debug)]
struct Carried {
    pose: Pose,
    /// Velocity of its origin.
    velocity: Vec3,
    /// Acceleration of its origin while the body keeps its velocities.
    acceleration: Vec3,
    omega: Vec3,
}

impl Carried {
    /// Axis `i` with its first and second derivative.
    fn axis(&self, i: usize) -> Axis {
        let now = self.pose.orientation * Vec3::AXES[i];
        let rate = self.omega.cross(now);
        Axis { now, rate, bend: self.omega.cross(rate) }
    }
}

/// A direction fixed to a body that turns at a constant rate.
#[derive(Clone, Copy, Debug)]
struct Axis {
    now: Vec3,
    rate: Vec3,
    bend: Vec3,
}

impl Axis {
    /// Second derivative of the product with another.
    fn bend_of_product(&self, other: &Axis) -> f64 {
        self.bend.dot(other.now) + 2.0 * self.rate.dot(other.rate) + self.now.dot(other.bend)
    }

    /// The row of the product `a · b` of an axis of A and one of B.
    fn product(a: &Axis, b: &Axis) -> JointRow {
        JointRow::turn(a.now.dot(b.now), b.now.cross(a.now), a.bend_of_product(b))
    }
}

/// The two frames of a joint, and the angle of B against A in 2D.
#[derive(Clone, Copy, Debug)]
struct Placed {
    a: Carried,
    b: Carried,
    angle: f64,
}

impl Placed {
    fn axis_a(&self, i: usize) -> Vec3 {
        self.a.pose.orientation * Vec3::AXES[i]
    }

    fn axis_b(&self, i: usize) -> Vec3 {
        self.b.pose.orientation * Vec3::AXES[i]
    }

    /// From A's origin to B's, with its derivatives.
    fn offset(&self) -> Axis {
        Axis {
            now: self.b.pose.position - self.a.pose.position,
            rate: self.b.velocity - self.a.velocity,
            bend: self.b.acceleration - self.a.acceleration,
        }
    }

    /// Angular velocity of B against A.
    fn omega(&self) -> Vec3 {
        self.b.omega - self.a.omega
    }
}

impl Model {
    fn placed(&self, state: &State, joint: &Joint) -> Placed {
        let [a, b] = [0, 1].map(|i| {
            let frame = joint.frames[i];
            let Some(id) = joint.bodies[i] else {
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
        let [turn_a, turn_b] =
            [0, 1].map(|i| joint.bodies[i].map_or(0.0, |id| state.angle[id.index()]));
        Placed { a, b, angle: turn_b - turn_a - joint.angle0 }
    }

    /// The errors of the locked freedoms: the values are zero where the joint holds.
    /// A gear has none of its own; see [`Model::gear_error`].
    pub fn joint_errors(&self, state: &State, id: JointId) -> Vec<JointRow> {
        let joint = self.joint(id);
        let at = self.placed(state, joint);
        match joint.kind {
            JointKind::Gear { .. } => return Vec::new(),
            JointKind::Distance if joint.distance_is_free() => return Vec::new(),
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
        let joint = self.joint(id);
        let at = self.placed(state, joint);
        match joint.kind {
            JointKind::Gear { .. } => return Vec::new(),
            JointKind::Distance if joint.distance_is_free() => return vec![distance(&at)],
            JointKind::Distance => return Vec::new(),
            _ => {}
        }
        let mut rows = Vec::new();
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
        for i in joint.coordinates(self.dimension()) {
            rows.push(if i < 3 { translation(&at, i) } else { turns[i - 3] });
        }
        rows
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
        self.joint_coordinates(state, id).first().map_or(0.0, |row| row.value)
    }

    /// Largest error of a joint at these poses \[m or rad\].
    pub fn joint_error(&self, state: &State, id: JointId) -> f64 {
        let rows = self.joint_errors(state, id);
        let own = rows.iter().fold(0.0_f64, |m, row| m.max(row.value.abs()));
        own.max(self.gear_error(state, id).map_or(0.0, f64::abs))
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
        for id in self.joint_ids() {
            let rows = self.joint_coordinates(state, id);
            let joint = self.joint(id);
            for (i, row) in joint.coordinates(Dimension::Three).zip(&rows).filter(|(i, _)| *i >= 3)
            {
                state.joint_angles[id.index()][i - 3] = row.value;
            }
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
    fn distance_is_free(&self) -> bool {
        self.range.is_some() || self.motor.is_some()
    }
}

fn translation(at: &Placed, i: usize) -> JointRow {
    let (axis, offset) = (at.a.axis(i), at.offset());
    let bias = axis.bend_of_product(&offset);
    JointRow::slide(axis.now.dot(offset.now), axis.now, at.b.pose.position, bias)
}

fn distance(at: &Placed) -> JointRow {
    let offset = at.offset();
    let length = offset.now.length();
    // Where the ends meet the direction is lost; any one will do to part them.
    if length < 1e-12 {
        return JointRow::slide(length, Vec3::X, at.b.pose.position, 0.0);
    }
    let n = offset.now / length;
    let across = offset.rate - n * n.dot(offset.rate);
    let bias = n.dot(offset.bend) + across.length_squared() / length;
    JointRow::slide(length, n, at.b.pose.position, bias)
}

fn locked_rotations(at: &Placed, locked: [bool; 3], rows: &mut Vec<JointRow>) {
    let free: Vec<usize> = (0..3).filter(|&i| !locked[i]).collect();
    match free[..] {
        [] => all_locked(at, rows),
        [k] => {
            let b = at.b.axis(k);
            let others = (0..3).filter(|&i| i != k);
            rows.extend(others.map(|i| Axis::product(&at.a.axis(i), &b)));
        }
        [i, j] => rows.push(Axis::product(&at.a.axis(i), &at.b.axis(j))),
        _ => {}
    }
}

/// `psi = 2 vec(q)` of the rotation from A to B: with the relative angular velocity `u` seen from
/// A, `q' = u q / 2` and `q'' = u' q / 2 - |u|² q / 4`.
fn all_locked(at: &Placed, rows: &mut Vec<JointRow>) {
    let a = at.a.pose.orientation;
    let q = shortest(a.conjugate() * at.b.pose.orientation);
    let (v, omega) = (Vec3::new(q.x, q.y, q.z), at.omega());
    let turn = a.conjugate() * -at.a.omega.cross(omega);
    let bias = turn * q.w + turn.cross(v) - v * (0.5 * omega.length_squared());
    for (i, e) in Vec3::AXES.into_iter().enumerate() {
        rows.push(JointRow::turn(2.0 * v[i], a * (e * q.w + v.cross(e)), bias[i]));
    }
}

/// Angles of the free rotations, wrapped, with the rows of their rates.
fn free_rotations(at: &Placed, free: [bool; 3]) -> [JointRow; 3] {
    let mut rows = [JointRow::default(); 3];
    let which: Vec<usize> = (0..3).filter(|&i| free[i]).collect();
    match which[..] {
        [k] => rows[k] = one_turn(at, k),
        [i, j] => {
            // Turn about a_i, then about b_j: the rates are the projections on the two axes.
            let (u, v) = (at.a.axis(i), at.b.axis(j));
            let (a_j, b_i) = (at.axis_a(j), at.axis_b(i));
            let first = v.now.dot(u.now.cross(a_j)).atan2(v.now.dot(a_j));
            let second = u.now.cross(b_i).dot(v.now).atan2(u.now.dot(b_i));
            rows[i] = JointRow::turn(first, u.now, u.rate.dot(at.omega()));
            rows[j] = JointRow::turn(second, v.now, v.rate.dot(at.omega()));
        }
        [_, _, _] => rows = three_turns(at),
        _ => {}
    }
    rows
}

/// The angle about axis `k`: that of the quaternion's part along it. Its rate is the product of
/// the relative angular velocity with `(a_k + b_k) / (1 + a_k · b_k)`, the common axis where the
/// joint holds.
fn one_turn(at: &Placed, k: usize) -> JointRow {
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let (a_i, a_j, b_i, b_j) = (at.axis_a(i), at.axis_a(j), at.axis_b(i), at.axis_b(j));
    let (sine, cosine) = (b_i.dot(a_j) - b_j.dot(a_i), b_i.dot(a_i) + b_j.dot(a_j));
    let (a, b) = (at.a.axis(k), at.b.axis(k));
    let scale = 1.0 + a.now.dot(b.now);
    let (axis, rate) = if scale > 1e-9 {
        let change = a.rate.dot(b.now) + a.now.dot(b.rate);
        let axis = (a.now + b.now) / scale;
        (axis, (a.rate + b.rate) / scale - axis * (change / scale))
    } else {
        (a.now, a.rate)
    };
    JointRow::turn(sine.atan2(cosine), axis, rate.dot(at.omega()))
}

/// B = X(alpha) Y(beta) Z(gamma) seen from A. The rates are products with the reciprocal basis of
/// the three axes of turning, which is flat at beta = 90 degrees.
fn three_turns(at: &Placed) -> [JointRow; 3] {
    let r = |i: usize, j: usize| at.axis_a(i).dot(at.axis_b(j));
    let beta = r(0, 2).clamp(-1.0, 1.0).asin();
    let alpha = (-r(1, 2)).atan2(r(2, 2));
    let gamma = (-r(0, 1)).atan2(r(0, 0));
    let (x, z) = (at.a.axis(0), at.b.axis(2));
    let y = at.axis_a(1) * alpha.cos() + at.axis_a(2) * alpha.sin();
    let (yz, xy, omega) = (y.cross(z.now), x.now.cross(y), at.omega());
    let det = x.now.dot(yz);
    let scale = if det.abs() > 1e-6 { 1.0 / det } else { 0.0 };
    // The middle axis turns with A and by alpha.
    let y_rate = (at.a.omega + x.now * (yz.dot(omega) * scale)).cross(y);
    let yz_rate = y_rate.cross(z.now) + y.cross(z.rate);
    let xy_rate = x.rate.cross(y) + x.now.cross(y_rate);
    let det_rate = x.rate.dot(yz) + x.now.dot(yz_rate);
    let bias = |axis: Vec3, rate: Vec3| (rate - axis * (det_rate * scale)).dot(omega) * scale;
    [
        JointRow::turn(alpha, yz * scale, bias(yz, yz_rate)),
        JointRow::turn(beta, y, y_rate.dot(omega)),
        JointRow::turn(gamma, xy * scale, bias(xy, xy_rate)),
    ]
}

/// The quaternion of the same rotation with a scalar part of at least zero.
fn shortest(q: Quat) -> Quat {
    if q.w < 0.0 { -q } else { q }
}

/// The angle equal to `angle` up to full turns that is nearest to `near`.
fn unwrap(angle: f64, near: f64) -> f64 {
    let turns = ((near - angle) / TAU).round();
    let out = angle + turns * TAU;
    debug_assert!((out - near).abs() <= PI + 1e-9 || !near.is_finite());
    out
}
