//! The frames of a joint as its bodies move, and the rows of what is measured between them.
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

use stickslip_geometry::{Pose, Quat, Vec3};

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

    pub(super) fn turn(value: f64, torque: Vec3, bias: f64) -> Self {
        Self { value, force: Vec3::ZERO, point: Vec3::ZERO, torque, bias }
    }
}

/// A frame of a joint in the world, with the motion of the body that carries it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    pub(super) pose: Pose,
    /// Velocity of its origin.
    pub(super) velocity: Vec3,
    /// Acceleration of its origin while the body keeps its velocities.
    pub(super) acceleration: Vec3,
    pub(super) omega: Vec3,
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
pub(super) struct Placed {
    pub(super) a: Carried,
    pub(super) b: Carried,
    pub(super) angle: f64,
}

impl Placed {
    pub(super) fn axis_a(&self, i: usize) -> Vec3 {
        self.a.pose.orientation * Vec3::AXES[i]
    }

    pub(super) fn axis_b(&self, i: usize) -> Vec3 {
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

pub(super) fn translation(at: &Placed, i: usize) -> JointRow {
    let (axis, offset) = (at.a.axis(i), at.offset());
    let bias = axis.bend_of_product(&offset);
    JointRow::slide(axis.now.dot(offset.now), axis.now, at.b.pose.position, bias)
}

pub(super) fn distance(at: &Placed) -> JointRow {
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

pub(super) fn locked_rotations(at: &Placed, locked: [bool; 3], rows: &mut Vec<JointRow>) {
    let (free, n) = numbers(locked.map(|l| !l));
    match free[..n] {
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

/// The numbers of those that are, and how many.
fn numbers(are: [bool; 3]) -> ([usize; 3], usize) {
    let (mut out, mut n) = ([0; 3], 0);
    for i in (0..3).filter(|&i| are[i]) {
        out[n] = i;
        n += 1;
    }
    (out, n)
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
pub(super) fn free_rotations(at: &Placed, free: [bool; 3]) -> [JointRow; 3] {
    let mut rows = [JointRow::default(); 3];
    let (which, n) = numbers(free);
    match which[..n] {
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
pub(super) fn shortest(q: Quat) -> Quat {
    if q.w < 0.0 { -q } else { q }
}
