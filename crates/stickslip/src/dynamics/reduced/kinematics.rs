//! Poses, twists and axes of the links of a tree at its coordinates, from the root to the leaves.

use stickslip_geometry::{Mat3, Pose, Quat, Vec3};

use super::{
    coordinates::Coordinates,
    spatial::{Inertia, Screw},
    tree::{Link, Parent, Tree},
};
use crate::{
    model::{BodyId, Dimension, Model, Motion},
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
    /// Twist and acceleration of the ground that it hangs on.
    pub ground: [Screw; 2],
}

/// A tree in the world.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The point about which all spatial vectors are taken: the first body, world frame \[m\].
    pub origin: Vec3,
    /// The links.
    pub links: Vec<PlacedLink>,
    /// The axes of all links.
    pub axes: Vec<Axis>,
}

/// The pose of a frame on a body, or in the world.
pub(super) fn pose_of(state: &State, body: Option<BodyId>, frame: &Pose) -> Pose {
    body.map_or(*frame, |b| state.pose(b).compose(frame))
}

fn inverse(pose: &Pose) -> Pose {
    let orientation = pose.orientation.conjugate();
    Pose { position: orientation * -pose.position, orientation }
}

impl Placed {
    /// At these coordinates, `t` seconds after `state`: bodies of prescribed motion have moved.
    pub fn new(model: &Model, tree: &Tree, x: &Coordinates, (state, t): (&State, f64)) -> Self {
        let n = tree.links.len();
        let origin = tree.links.first().map_or(Vec3::ZERO, |l| state.pose(l.body).position);
        let mut out =
            Self { origin, links: Vec::with_capacity(n), axes: Vec::with_capacity(tree.n) };
        for k in 0..n {
            let link = out.place(model, (tree, k), x, (state, t));
            out.links.push(link);
        }
        out
    }

    fn place(
        &mut self,
        model: &Model,
        (tree, k): (&Tree, usize),
        x: &Coordinates,
        (state, t): (&State, f64),
    ) -> PlacedLink {
        let link = &tree.links[k];
        let (base, twist, ground) = match link.parent {
            Parent::Link(p) => {
                let parent = &self.links[p];
                (parent.pose, parent.twist, [Screw::default(); 2])
            }
            Parent::Ground(body) => self.ground(model, body, (state, t)),
        };
        let frames = link.joint.map_or([Pose::IDENTITY; 2], |id| model.joint(id).frames);
        let near = base.compose(&frames[usize::from(!link.forward)]);
        let first = self.axes.len();
        let far = self.move_along(link, x, (k, &near));
        let pose = far.compose(&inverse(&frames[usize::from(link.forward)]));
        let (twist, bias) = self.swing(link, x, (twist, first));
        let body = model.body(link.body);
        let about = match model.dimension() {
            Dimension::Two => Mat3::from_diagonal(Vec3::Z * body.inertia.z_axis.z),
            Dimension::Three => {
                let r = pose.rotation();
                r * body.inertia * r.transpose()
            }
        };
        let inertia = Inertia::of_body(body.mass, about, pose.position - self.origin);
        PlacedLink { pose, twist, bias, inertia, first, end: self.axes.len(), ground }
    }

    /// Pose, twist and acceleration of a body that forces do not move.
    fn ground(
        &self,
        model: &Model,
        body: Option<BodyId>,
        (state, t): (&State, f64),
    ) -> (Pose, Screw, [Screw; 2]) {
        let still = [Screw::default(); 2];
        let Some(id) = body else { return (Pose::IDENTITY, still[0], still) };
        let mut pose = *state.pose(id);
        if model.body(id).motion != Motion::Kinematic {
            return (pose, still[0], still);
        }
        let nu = state.twist(id);
        pose.position += nu.linear * t;
        pose.orientation = rotate(pose.orientation, nu.angular * t);
        let at = nu.at(self.origin - pose.position);
        let twist = Screw::new(nu.angular, at);
        // Its centre keeps its velocity, and moves on under the origin.
        let acceleration = Screw::new(Vec3::ZERO, -nu.angular.cross(nu.linear));
        (pose, twist, [twist, acceleration])
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
