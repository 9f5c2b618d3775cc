//! All that changes from step to step.

use stickslip_geometry::{Pose, Quat, Vec3};

use crate::model::{BodyId, Dimension, Model, Motor};

/// Velocity of a body: of its centre of mass and about it, world frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Linear velocity \[m/s\].
    pub linear: Vec3,
    /// Angular velocity \[rad/s\].
    pub angular: Vec3,
}

impl Twist {
    /// Velocity of the point at arm `r` from the centre of mass: `v + omega x r`.
    pub fn at(&self, r: Vec3) -> Vec3 {
        self.linear + self.angular.cross(r)
    }
}

/// A force and a torque about the centre of mass, world frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force \[N\].
    pub force: Vec3,
    /// Torque \[N m\].
    pub torque: Vec3,
}

/// Time, places and velocities.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time \[s\].
    pub time: f64,
    /// Number of steps taken.
    pub step: u64,
    /// Pose of every body.
    pub q: Vec<Pose>,
    /// Velocity of every body.
    pub nu: Vec<Twist>,
    /// In 2D the angle of every body, not wrapped \[rad\]; in 3D zero.
    pub angle: Vec<f64>,
    /// Forces that hooks apply during the coming step, beyond gravity and the constant ones;
    /// cleared after each step.
    pub applied: Vec<Wrench>,
    /// Size of the step that led here \[s\]; zero at the start. The scheme's angular velocity is
    /// the mean over that step, and the angular momentum follows from both.
    pub last_h: f64,
    /// Of every body whether it turned fast in that step (half a radian or more, in 3D): then its
    /// angular velocity is that of the step's end.
    pub instant_spin: Vec<bool>,
    /// In 3D the angles of every joint's free rotations at the last step, not wrapped \[rad\].
    pub joint_angles: Vec<[f64; 3]>,
    /// What drives every joint; controllers may change it between steps.
    pub motors: Vec<Option<Motor>>,
    /// Of every bond whether it is broken, in the order of [`Model::bonds`].
    pub broken: Vec<bool>,
}

impl State {
    /// A copy of another state, in the memory of this one.
    pub(crate) fn with(self, other: &Self) -> Self {
        fn copy<T: Clone>(mut into: Vec<T>, from: &[T]) -> Vec<T> {
            into.clear();
            into.extend_from_slice(from);
            into
        }
        Self {
            q: copy(self.q, &other.q),
            nu: copy(self.nu, &other.nu),
            angle: copy(self.angle, &other.angle),
            applied: copy(self.applied, &other.applied),
            instant_spin: copy(self.instant_spin, &other.instant_spin),
            joint_angles: copy(self.joint_angles, &other.joint_angles),
            motors: copy(self.motors, &other.motors),
            broken: copy(self.broken, &other.broken),
            ..*other
        }
    }

    /// The pose of one body.
    pub fn pose(&self, id: BodyId) -> &Pose {
        &self.q[id.index()]
    }

    /// The velocity of one body.
    pub fn twist(&self, id: BodyId) -> &Twist {
        &self.nu[id.index()]
    }

    /// Moves a body along `twist` for `h` seconds: `x += h v`, `R <- exp(h omega) R`. A body
    /// without velocity stays where it is, to the last bit.
    pub fn advance(&mut self, dimension: Dimension, id: BodyId, twist: &Twist, h: f64) {
        if *twist == Twist::default() {
            return;
        }
        let i = id.index();
        let pose = &mut self.q[i];
        pose.position += twist.linear * h;
        match dimension {
            Dimension::Two => {
                self.angle[i] += twist.angular.z * h;
                pose.orientation = Quat::from_rotation_z(self.angle[i]);
            }
            Dimension::Three => pose.orientation = rotate(pose.orientation, twist.angular * h),
        }
    }

    /// Total linear momentum \[kg m/s\] and angular momentum about the origin \[kg m²/s\] of the
    /// dynamic bodies.
    pub fn momentum(&self, model: &Model) -> (Vec3, Vec3) {
        let mut total = (Vec3::ZERO, Vec3::ZERO);
        for id in model.ids().filter(|&id| model.dof(id).is_some()) {
            let (body, x, nu) = (model.body(id), self.pose(id), self.twist(id));
            let p = nu.linear * body.mass;
            let spin = crate::integrate::spin(model, self, id);
            total.0 += p;
            total.1 += x.position.cross(p) + spin;
        }
        total
    }

    /// Kinetic energy, that of the armature of joints included, plus the potential of gravity and springs,
    /// dynamic bodies \[J\].
    pub fn energy(&self, model: &Model) -> f64 {
        let g = model.gravity();
        let rate = |id| model.joint_motion(self, id).first().map_or(0.0, |m| m.rate);
        let rotor = |id| 0.5 * model.joint(id).armature * rate(id).powi(2);
        let rotors = model.joint_ids().filter(|&id| model.joint(id).armature > 0.0);
        let stored = model.element_energy(self) + rotors.map(rotor).sum::<f64>();
        model.ids().filter(|&id| model.dof(id).is_some()).fold(stored, |sum, id| {
            let (body, x, nu) = (model.body(id), self.pose(id), self.twist(id));
            let omega = x.inverse_vector(nu.angular);
            let kinetic = 0.5 * body.mass * nu.linear.length_squared()
                + 0.5 * omega.dot(body.inertia * omega);
            sum + kinetic - body.mass * g.dot(x.position)
        })
    }
}

/// The velocities of the bodies that forces move, in the layout of the model.
pub fn gather(model: &Model, state: &State) -> Vec<f64> {
    let mut nu = Vec::with_capacity(model.n_dof());
    gather_into(model, state, &mut nu);
    nu
}

/// The same into a vector that is there already.
pub(crate) fn gather_into(model: &Model, state: &State, nu: &mut Vec<f64>) {
    let d = model.dimension();
    nu.clear();
    // bodies have their velocities in their own order
    for id in model.ids().filter(|&id| model.dof(id).is_some()) {
        let twist = state.twist(id);
        nu.extend_from_slice(&d.block(twist.linear, twist.angular)[..d.dof()]);
    }
}

/// Sets the velocities of the bodies that forces move.
pub fn scatter(model: &Model, nu: &[f64], state: &mut State) {
    let d = model.dimension();
    for id in model.ids() {
        if let Some(dof) = model.dof(id) {
            let (linear, angular) = d.split(&nu[dof..dof + d.dof()]);
            state.nu[id.index()] = Twist { linear, angular };
        }
    }
}

/// Replaces the velocities `nu` by `after` where they differ. Bodies that turn fast have the velocity of
/// the end of the step by now: one that nothing touches keeps it. Without this a bar that spun in the
/// air gained 5 % of its energy whenever other bodies rebounded.
pub(crate) fn change_velocities(model: &Model, (nu, after): (&[f64], &[f64]), state: &mut State) {
    let d = model.dimension();
    for id in model.ids() {
        let Some(dof) = model.dof(id) else { continue };
        let of = |nu: &[f64]| {
            let (linear, angular) = d.split(&nu[dof..dof + d.dof()]);
            Twist { linear, angular }
        };
        let (before, after) = (of(nu), of(after));
        let now = &mut state.nu[id.index()];
        if !state.instant_spin[id.index()] {
            *now = after;
        } else if before != after {
            now.linear = after.linear;
            now.angular += after.angular - before.angular;
        }
    }
}

/// Moves the bodies that forces move along `nu` for `h` seconds, their velocities untouched.
pub fn displace(model: &Model, nu: &[f64], h: f64, state: &mut State) {
    let d = model.dimension();
    for id in model.ids() {
        if let Some(dof) = model.dof(id) {
            let (linear, angular) = d.split(&nu[dof..dof + d.dof()]);
            state.advance(d, id, &Twist { linear, angular }, h);
        }
    }
}

/// `exp(phi) q`, of unit length.
pub(crate) fn rotate(q: Quat, phi: Vec3) -> Quat {
    let angle = phi.length();
    // sin(x/2)/x without division by zero; the series is exact to round-off below 1e-4.
    let (s, c) = if angle > 1e-4 {
        ((0.5 * angle).sin() / angle, (0.5 * angle).cos())
    } else {
        (0.5 - angle * angle / 48.0, 1.0 - angle * angle / 8.0)
    };
    (Quat::from_xyzw(phi.x * s, phi.y * s, phi.z * s, c) * q).normalize()
}
