//! Positions and rates of the coordinates of a tree, from a state and back.

use stickslip_geometry::{Pose, Quat, Vec3};

use super::{
    kinematics::{Placed, pose_of},
    tree::{Parent, Tree},
};
use crate::{
    model::{Dimension, Model},
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
    /// Positions as in `state`; rates are left at zero.
    pub fn at(model: &Model, tree: &Tree, state: &State) -> Self {
        let mut out = Self {
            q: vec![0.0; tree.n],
            w: vec![0.0; tree.n],
            turned: vec![Quat::IDENTITY; tree.links.len()],
        };
        for (k, link) in tree.links.iter().enumerate() {
            let pose = state.pose(link.body);
            let Some(id) = link.joint else {
                let p = pose.position;
                let planar = model.dimension() == Dimension::Two;
                out.turned[k] = if planar { Quat::IDENTITY } else { pose.orientation };
                for (j, &i) in link.axes.iter().enumerate() {
                    out.q[link.first + j] = match i {
                        0..3 => p[i],
                        _ if planar => state.angle[link.body.index()],
                        _ => 0.0,
                    };
                }
                continue;
            };
            let joint = model.joint(id);
            let values = model.joint_coordinates(state, id);
            for (j, (&i, row)) in link.axes.iter().zip(&values).enumerate() {
                if !(link.ball && i >= 3) {
                    out.q[link.first + j] = row.value - if j == 0 { joint.start } else { 0.0 };
                }
            }
            if link.ball {
                let [a, b] =
                    [0, 1].map(|side| pose_of(state, joint.bodies[side], &joint.frames[side]));
                out.turned[k] = a.orientation.conjugate() * b.orientation;
            }
        }
        out
    }

    /// Positions and rates as in `state`, whose velocities the joints allow.
    pub fn of(model: &Model, tree: &Tree, state: &State) -> Self {
        let mut out = Self::at(model, tree, state);
        for link in &tree.links {
            let rates = out.rates(model, link, state);
            out.w[link.first..link.first + rates.len()].copy_from_slice(&rates);
        }
        out
    }

    fn rates(&self, model: &Model, link: &super::Link, state: &State) -> Vec<f64> {
        let Some(id) = link.joint else {
            let twist = state.twist(link.body);
            let of = |&i: &usize| if i < 3 { twist.linear[i] } else { twist.angular[i - 3] };
            return link.axes.iter().map(of).collect();
        };
        let mut rates = model.joint_velocity(state, id);
        if link.ball {
            let joint = model.joint(id);
            let omega =
                |side: usize| joint.bodies[side].map_or(Vec3::ZERO, |b| state.twist(b).angular);
            let a = pose_of(state, joint.bodies[0], &joint.frames[0]);
            let relative = a.inverse_vector(omega(1) - omega(0));
            for (rate, &i) in rates.iter_mut().zip(&link.axes).filter(|(_, i)| **i >= 3) {
                *rate = relative[i - 3];
            }
        }
        rates
    }

    /// Writes poses and velocities of the tree into `state`.
    pub fn write(&self, model: &Model, tree: &Tree, placed: &Placed, state: &mut State) {
        for (k, link) in tree.links.iter().enumerate() {
            let (i, pose) = (link.body.index(), placed.links[k].pose);
            let v = placed.links[k].twist;
            state.q[i] = Pose { orientation: pose.orientation.normalize(), ..pose };
            let linear = v.linear + v.angular.cross(pose.position - placed.origin);
            state.nu[i] = Twist { linear, angular: v.angular };
            if model.dimension() == Dimension::Two {
                let angle = self.angle(model, tree, k, state);
                state.angle[i] = angle;
                state.q[i].orientation = Quat::from_rotation_z(angle);
            }
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
