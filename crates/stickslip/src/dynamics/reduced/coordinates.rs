//! Positions and rates of the coordinates of a tree, from a state and back.

use stickslip_geometry::{Pose, Quat, Vec3};

use super::{
    kinematics::{Placed, pose_of},
    tree::{Link, Parent, Tree},
};
use crate::{
    model::{Dimension, JointId, Model},
    state::{State, Twist},
};

/// Where the joints of a tree are and how they move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coordinates {
    /// Positions, counted from the initial pose: translations \[m\], rotations \[rad\]. The three of
    /// a ball are a rotation vector on top of `turned`.
    pub q: Vec<f64>,
    /// Rates; of a ball the angular velocity in the frame on A.
    pub w: Vec<f64>,
    /// Rotations of the balls, one per link.
    pub turned: Vec<Quat>,
}

impl Coordinates {
    /// Positions and rates as in `state`, whose velocities the joints allow.
    pub fn of(model: &Model, tree: &Tree, state: &State) -> Self {
        let mut out = Self::default();
        out.read(model, tree, state);
        out
    }

    /// The same in the memory of this one.
    pub fn read(&mut self, model: &Model, tree: &Tree, state: &State) {
        self.q.clear();
        self.q.resize(tree.n, 0.0);
        self.w.clear();
        self.w.resize(tree.n, 0.0);
        self.turned.clear();
        self.turned.resize(tree.links.len(), Quat::IDENTITY);
        for (k, link) in tree.links.iter().enumerate() {
            match link.joint {
                None => self.read_free(model, (k, link), state),
                Some(id) if link.ball => self.read_ball(model, (k, link, id), state),
                Some(id) => {
                    let start = model.joint(id).start;
                    let measured = model.joint_motion(state, id);
                    for (j, m) in measured.iter().enumerate().take(link.axes.len()) {
                        self.q[link.first + j] = m.value - if j == 0 { start } else { 0.0 };
                        self.w[link.first + j] = m.rate;
                    }
                }
            }
        }
    }

    /// Of a body that nothing holds.
    fn read_free(&mut self, model: &Model, (k, link): (usize, &Link), state: &State) {
        let (pose, twist) = (state.pose(link.body), state.twist(link.body));
        let planar = model.dimension() == Dimension::Two;
        self.turned[k] = if planar { Quat::IDENTITY } else { pose.orientation };
        for (j, &i) in link.axes.iter().enumerate() {
            let at = link.first + j;
            self.q[at] = match i {
                0..3 => pose.position[i],
                _ if planar => state.angle[link.body.index()],
                _ => 0.0,
            };
            self.w[at] = if i < 3 { twist.linear[i] } else { twist.angular[i - 3] };
        }
    }

    /// Of a joint that turns about every axis.
    fn read_ball(&mut self, model: &Model, (k, link, id): (usize, &Link, JointId), state: &State) {
        let joint = model.joint(id);
        let [a, b] = [0, 1].map(|side| pose_of(state, joint.bodies[side], &joint.frames[side]));
        self.turned[k] = a.orientation.conjugate() * b.orientation;
        let omega = |side: usize| joint.bodies[side].map_or(Vec3::ZERO, |b| state.twist(b).angular);
        let relative = a.inverse_vector(omega(1) - omega(0));
        let measured = model.joint_motion(state, id);
        for (j, (&i, m)) in link.axes.iter().zip(measured.iter()).enumerate() {
            let at = link.first + j;
            if i < 3 {
                self.q[at] = m.value - if j == 0 { joint.start } else { 0.0 };
                self.w[at] = m.rate;
            } else {
                self.w[at] = relative[i - 3];
            }
        }
    }

    /// A copy of others, in the memory of these.
    pub fn copy(&mut self, other: &Self) {
        let Self { q, w, turned } = self;
        q.clone_from(&other.q);
        w.clone_from(&other.w);
        turned.clone_from(&other.turned);
    }

    /// Writes poses, velocities and joint angles of the tree into `state`.
    pub fn write(&self, model: &Model, tree: &Tree, placed: &Placed, state: &mut State) {
        for (k, link) in tree.links.iter().enumerate() {
            let (i, pose) = (link.body.index(), placed.links[k].pose);
            let v = placed.links[k].twist;
            state.q[i] = Pose { orientation: pose.orientation.normalize(), ..pose };
            let linear = v.linear + v.angular.cross(pose.position - placed.origin);
            state.nu[i] = Twist { linear, angular: v.angular };
            if model.dimension() == Dimension::Three {
                self.track(model, link, state);
            }
            if model.dimension() == Dimension::Two {
                let angle = self.angle(model, tree, k, state);
                state.angle[i] = angle;
                state.q[i].orientation = Quat::from_rotation_z(angle);
            }
        }
    }

    /// Lets the unwrapped angles of a link's joint follow.
    fn track(&self, model: &Model, link: &Link, state: &mut State) {
        let Some(id) = link.joint else { return };
        if link.ball {
            return model.track_joint(state, id);
        }
        for (j, &i) in link.axes.iter().enumerate().filter(|(_, i)| **i >= 3) {
            state.joint_angles[id.index()][i - 3] = self.q[link.first + j];
        }
    }

    /// In 2D the angle of a link \[rad\]; those of the links before it are in `state`.
    fn angle(&self, model: &Model, tree: &Tree, k: usize, state: &State) -> f64 {
        let link = &tree.links[k];
        let turn = link.axes.iter().position(|&i| i == 5).map_or(0.0, |j| self.q[link.first + j]);
        let Some(id) = link.joint else { return turn };
        let base = match link.parent {
            Parent::Link(p) => state.angle[tree.links[p].body.index()],
            Parent::Ground(body) => body.map_or(0.0, |b| state.angle[b.index()]),
        };
        let relative = turn + model.joint(id).angle0;
        base + if link.forward { relative } else { -relative }
    }
}
