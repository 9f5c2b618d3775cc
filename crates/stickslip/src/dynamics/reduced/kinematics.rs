//! Poses, twists and axes of the links of a tree at its coordinates, from the root to the leaves.

use stickslip_geometry::{Mat3, Pose, Quat, Vec3};

use super::{
    coordinates::Coordinates,
    spatial::{Inertia, Screw},
    tree::{Link, Parent, Tree},
};
use crate::{
    model::{BodyId, Dimension, JointId, Model, Motion},
    state::{State, rotate},
};

/// One coordinate: where it is among those of the tree, and the twist of its unit rate.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Its number.
    pub at: usize,
    /// Twist per rate.
    pub twist: Screw,
}

/// A link in the world.
#[derive(Clone, Debug)]
pub struct PlacedLink {
    /// Pose of its body.
    pub pose: Pose,
    /// Its rotation as a matrix.
    rotation: Mat3,
    /// Its twist about the origin of the tree.
    pub twist: Screw,
    /// What its acceleration has beyond that of the parent where no rate changes.
    pub bias: Screw,
    /// Its inertia about the origin of the tree.
    pub inertia: Inertia,
    /// Its axes are `axes[first..end]`, from the parent on.
    pub first: usize,
    /// End of its axes.
    pub end: usize,
}

/// What a link hangs on.
struct Base {
    pose: Pose,
    rotation: Mat3,
    twist: Screw,
}

/// A tree in the world.
#[derive(Clone, Debug, Default)]
pub struct Placed {
    /// The point about which all spatial vectors are taken: the first body, world frame \[m\].
    pub origin: Vec3,
    /// Acceleration of the ground that the first link hangs on.
    pub ground: Screw,
    /// The links.
    pub links: Vec<PlacedLink>,
    /// The axes of all links.
    pub axes: Vec<Axis>,
}

/// The pose of a frame on a body, or in the world.
pub(super) fn pose_of(state: &State, body: Option<BodyId>, frame: &Pose) -> Pose {
    body.map_or(*frame, |b| state.pose(b).compose(frame))
}

const WORLD: [Pose; 2] = [Pose::IDENTITY; 2];

/// Where a body is whose frame `frame` is at `far`.
fn carrier(far: &Pose, frame: &Pose) -> Pose {
    let orientation = far.orientation * frame.orientation.conjugate();
    Pose { position: far.position - orientation * frame.position, orientation }
}

impl Placed {
    /// At these coordinates, `t` seconds after `state`: bodies of prescribed motion have moved.
    pub fn new(model: &Model, tree: &Tree, x: &Coordinates, (state, t): (&State, f64)) -> Self {
        let mut out = Self::default();
        out.renew(model, tree, x, (state, t));
        out
    }

    /// The same in the memory of this one.
    pub fn renew(
        &mut self,
        model: &Model,
        tree: &Tree,
        x: &Coordinates,
        (state, t): (&State, f64),
    ) {
        self.origin = tree.links.first().map_or(Vec3::ZERO, |l| state.pose(l.body).position);
        self.ground = Screw::default();
        self.links.clear();
        self.axes.clear();
        for k in 0..tree.links.len() {
            let link = &tree.links[k];
            let base = match (link.joint, &link.axes[..], link.forward) {
                (Some(id), [5], true) => self.base(model, link.parent, state).map(|b| (b, id)),
                _ => None,
            };
            match base {
                Some((base, id)) => self.hinge(model, (link, &base), id, x),
                None => self.place(model, (tree, k), x, (state, t)),
            }
        }
    }

    /// What a link hangs on; `None` for a body that moves as prescribed.
    #[inline]
    fn base(&self, model: &Model, parent: Parent, state: &State) -> Option<Base> {
        Some(match parent {
            Parent::Link(p) => {
                let PlacedLink { pose, rotation, twist, .. } = self.links[p];
                Base { pose, rotation, twist }
            }
            Parent::Ground(None) => {
                Base { pose: Pose::IDENTITY, rotation: Mat3::IDENTITY, twist: Screw::default() }
            }
            Parent::Ground(Some(id)) if model.body(id).motion == Motion::Kinematic => return None,
            Parent::Ground(Some(id)) => {
                let pose = *state.pose(id);
                Base { pose, rotation: pose.rotation(), twist: Screw::default() }
            }
        })
    }

    /// A link on a hinge, as most are.
    #[inline]
    fn hinge(
        &mut self,
        model: &Model,
        (link, parent): (&Link, &Base),
        id: JointId,
        x: &Coordinates,
    ) {
        let [near, far] = &model.joint(id).frames;
        let (s, c) = (0.5 * x.q[link.first]).sin_cos();
        let a = parent.pose.orientation * near.orientation;
        let centre = parent.rotation * near.position + parent.pose.position;
        let turned = Quat::from_xyzw(
            a.x * c + a.y * s,
            a.y * c - a.x * s,
            a.z * c + a.w * s,
            a.w * c - a.z * s,
        );
        let orientation = turned * far.orientation.conjugate();
        let rotation = Mat3::from_quat(orientation);
        let pose = Pose { position: centre - rotation * far.position, orientation };
        let axis = Vec3::new(
            2.0 * (a.x * a.z + a.w * a.y),
            2.0 * (a.y * a.z - a.w * a.x),
            1.0 - 2.0 * (a.x * a.x + a.y * a.y),
        );
        let twist = Screw::new(axis, (centre - self.origin).cross(axis));
        let moved = twist * x.w[link.first];
        let bias = parent.twist.carry(&moved);
        let (motion, first) = (parent.twist + moved, self.axes.len());
        self.axes.push(Axis { at: link.first, twist });
        let inertia = self.inertia(model, link, &pose, &rotation);
        let end = first + 1;
        self.links.push(PlacedLink { pose, rotation, twist: motion, bias, inertia, first, end });
    }

    #[inline]
    fn inertia(&self, model: &Model, link: &Link, pose: &Pose, rotation: &Mat3) -> Inertia {
        let (body, arm) = (model.body(link.body), pose.position - self.origin);
        match model.dimension() {
            Dimension::Two => {
                let about = Mat3::from_diagonal(Vec3::Z * body.inertia.z_axis.z);
                Inertia::of_body(body.mass, &about, &Mat3::IDENTITY, arm)
            }
            Dimension::Three => Inertia::of_body(body.mass, &body.inertia, rotation, arm),
        }
    }

    /// A link on any joint.
    fn place(
        &mut self,
        model: &Model,
        (tree, k): (&Tree, usize),
        x: &Coordinates,
        (state, t): (&State, f64),
    ) {
        let link = &tree.links[k];
        let (base, twist) = match link.parent {
            Parent::Link(p) => (self.links[p].pose, self.links[p].twist),
            Parent::Ground(body) => {
                let (base, twist, acceleration) = self.ground(model, body, (state, t));
                self.ground = acceleration;
                (base, twist)
            }
        };
        let frames = link.joint.map_or(&WORLD, |id| &model.joint(id).frames);
        let near = base.compose(&frames[usize::from(!link.forward)]);
        let first = self.axes.len();
        let far = self.move_along(link, x, (k, &near));
        let pose = carrier(&far, &frames[usize::from(link.forward)]);
        let (twist, bias) = self.swing(link, x, (twist, first));
        let rotation = pose.rotation();
        let inertia = self.inertia(model, link, &pose, &rotation);
        let end = self.axes.len();
        self.links.push(PlacedLink { pose, rotation, twist, bias, inertia, first, end });
    }

    /// Pose, twist and acceleration of a body that forces do not move.
    fn ground(
        &self,
        model: &Model,
        body: Option<BodyId>,
        (state, t): (&State, f64),
    ) -> (Pose, Screw, Screw) {
        let still = Screw::default();
        let Some(id) = body else { return (Pose::IDENTITY, still, still) };
        let mut pose = *state.pose(id);
        if model.body(id).motion != Motion::Kinematic {
            return (pose, still, still);
        }
        let nu = state.twist(id);
        pose.position += nu.linear * t;
        pose.orientation = rotate(pose.orientation, nu.angular * t);
        let at = nu.at(self.origin - pose.position);
        let twist = Screw::new(nu.angular, at);
        // Its centre keeps its velocity, and moves on under the origin.
        let acceleration = Screw::new(Vec3::ZERO, -nu.angular.cross(nu.linear));
        (pose, twist, acceleration)
    }

    /// The frame at the far end of a joint; pushes its axes, in the order from the parent on.
    fn move_along(&mut self, link: &Link, x: &Coordinates, (k, near): (usize, &Pose)) -> Pose {
        let q = |j: usize| x.q[link.first + j];
        let (mut shift, mut turn) = (Vec3::ZERO, Quat::IDENTITY);
        for (j, &i) in link.axes.iter().enumerate() {
            match i {
                0..3 => shift[i] += q(j),
                _ if link.ball => {}
                _ => turn *= Quat::from_axis_angle(Vec3::AXES[i - 3], q(j)),
            }
        }
        if link.ball {
            let j = link.axes.len() - 3;
            turn = rotate(x.turned[k], Vec3::new(q(j), q(j + 1), q(j + 2)));
        }
        // A's frame, and the origin of B's, about which it turns.
        let (a, centre, far) = match link.forward {
            true => {
                let centre = near.point(shift);
                (near.orientation, centre, Pose::new(centre, near.orientation * turn))
            }
            false => {
                let a = near.orientation * turn.conjugate();
                (a, near.position, Pose::new(near.position - a * shift, a))
            }
        };
        let (arm, sign) = (centre - self.origin, if link.forward { 1.0 } else { -1.0 });
        let mut frame = a;
        let first = self.axes.len();
        for (j, &i) in link.axes.iter().enumerate() {
            let at = link.first + j;
            let twist = match i {
                0..3 => Screw::new(Vec3::ZERO, a * Vec3::AXES[i] * sign),
                _ => {
                    let axis = frame * Vec3::AXES[i - 3] * sign;
                    // Only what comes after it is turned by it.
                    if !link.ball && j + 1 < link.axes.len() {
                        frame *= Quat::from_axis_angle(Vec3::AXES[i - 3], q(j));
                    }
                    Screw::new(axis, arm.cross(axis))
                }
            };
            self.axes.push(Axis { at, twist });
        }
        if !link.forward {
            self.axes[first..].reverse();
        }
        far
    }

    /// The twist of a link, and the acceleration that goes with its rates: every axis is carried by
    /// what lies before it; those of a ball stay with A all three.
    fn swing(
        &self,
        link: &Link,
        x: &Coordinates,
        (start, first): (Screw, usize),
    ) -> (Screw, Screw) {
        let (mut twist, mut bias) = (start, Screw::default());
        let mut carrier = start;
        let mut in_ball = false;
        for axis in &self.axes[first..] {
            let turns = axis.twist.angular != Vec3::ZERO;
            if !(link.ball && turns && in_ball) {
                carrier = twist;
            }
            in_ball = turns;
            let moved = axis.twist * x.w[axis.at];
            bias += carrier.carry(&moved);
            twist += moved;
        }
        (twist, bias)
    }
}
