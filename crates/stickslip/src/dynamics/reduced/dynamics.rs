//! Forward and inverse dynamics of a tree in joint coordinates.
//!
//! ```text
//! forward (ABA)    q'' = M⁻¹ (tau - C),            linear in the number of links
//! inverse (RNEA)   tau = M q'' + C
//! mass (CRBA)      M = sum over links of Sᵀ I S,   C: gravity, applied and velocity forces
//! ```
//!
//! Featherstone, Rigid Body Dynamics Algorithms (2008), chapters 5 to 7, with spatial vectors in
//! world axes about one point.

use stickslip_geometry::Vec3;

use super::{
    kinematics::Placed,
    spatial::{Inertia, Screw},
    tree::{Parent, Tree},
};
use crate::{
    model::{Dimension, Model},
    state::State,
};

/// The articulated inertias of a tree, factorised.
#[derive(Clone, Debug)]
pub struct Articulated {
    /// `I_A S` of every axis.
    u: Vec<Screw>,
    /// `Sᵀ I_A S`, plus what is added to the coordinate.
    d: Vec<f64>,
    /// What each link is for its parent.
    released: Vec<Inertia>,
}

/// The forces on each link that do not come through joints, negated: `v x* I v - f`.
pub fn loads(
    model: &Model,
    tree: &Tree,
    placed: &Placed,
    (state, gyroscopic): (&State, bool),
) -> Vec<Screw> {
    let planar = model.dimension() == Dimension::Two;
    let load = |(link, at): (&super::Link, &super::PlacedLink)| {
        let (body, applied) = (model.body(link.body), &state.applied[link.body.index()]);
        let arm = at.pose.position - placed.origin;
        let force = body.force + applied.force + model.gravity() * body.mass;
        let torque = body.torque + applied.torque;
        let mut load = at.twist.carry_wrench(&at.inertia.times(&at.twist));
        if !gyroscopic && !planar {
            let r = at.pose.rotation();
            let spin = r * (body.inertia * (r.transpose() * at.twist.angular));
            load.angular -= at.twist.angular.cross(spin);
        }
        load - Screw::new(torque + arm.cross(force), force)
    };
    tree.links.iter().zip(&placed.links).map(load).collect()
}

impl Articulated {
    /// From the leaves to the root; `added` is inertia added to every coordinate. `None` where
    /// something that moves has no inertia.
    pub fn new(tree: &Tree, placed: &Placed, added: &[f64]) -> Option<Self> {
        let mut inertia: Vec<Inertia> = placed.links.iter().map(|l| l.inertia).collect();
        let n = placed.axes.len();
        let (mut u, mut d) = (vec![Screw::default(); n], vec![0.0; n]);
        for (k, link) in placed.links.iter().enumerate().rev() {
            for j in (link.first..link.end).rev() {
                let axis = &placed.axes[j];
                u[j] = inertia[k].times(&axis.twist);
                d[j] = axis.twist.dot(&u[j]) + added.get(axis.at).copied().unwrap_or(0.0);
                if d[j].is_nan() || d[j] <= 0.0 {
                    return None;
                }
                inertia[k].release(&u[j], d[j]);
            }
            if let Parent::Link(p) = tree.links[k].parent {
                let part = inertia[k];
                inertia[p].add(&part);
            }
        }
        Some(Self { u, d, released: inertia })
    }

    /// Inertia that each coordinate feels when the others are free, by its number.
    pub fn felt(&self, placed: &Placed) -> Vec<f64> {
        let mut out = vec![0.0; self.d.len()];
        placed.axes.iter().zip(&self.d).for_each(|(axis, d)| out[axis.at] = *d);
        out
    }

    /// Accelerations of the coordinates under forces `tau` on them and `loads` on the links; with
    /// `moving` the velocities bend the paths, else all is as if at rest.
    pub fn solve(
        &self,
        tree: &Tree,
        placed: &Placed,
        (tau, loads): (&[f64], &[Screw]),
        moving: bool,
    ) -> Vec<f64> {
        let mut p: Vec<Screw> = match loads.is_empty() {
            true => vec![Screw::default(); tree.links.len()],
            false => loads.to_vec(),
        };
        let mut rest = vec![0.0; self.d.len()];
        for (k, link) in placed.links.iter().enumerate().rev() {
            let mut pull = p[k];
            for j in (link.first..link.end).rev() {
                let axis = &placed.axes[j];
                rest[j] = tau[axis.at] - axis.twist.dot(&pull);
                pull += self.u[j] * (rest[j] / self.d[j]);
            }
            if let Parent::Link(parent) = tree.links[k].parent {
                if moving {
                    pull += self.released[k].times(&link.bias);
                }
                p[parent] += pull;
            }
        }
        let mut out = vec![0.0; tree.n];
        let mut a = vec![Screw::default(); tree.links.len()];
        for (k, link) in placed.links.iter().enumerate() {
            a[k] = match tree.links[k].parent {
                Parent::Link(parent) => a[parent],
                Parent::Ground(_) if moving => link.ground[1],
                Parent::Ground(_) => Screw::default(),
            };
            if moving {
                a[k] += link.bias;
            }
            let axes = placed.axes[link.first..link.end].iter();
            for (j, axis) in axes.enumerate().map(|(j, axis)| (link.first + j, axis)) {
                let rate = (rest[j] - self.u[j].dot(&a[k])) / self.d[j];
                out[axis.at] = rate;
                a[k] += axis.twist * rate;
            }
        }
        out
    }
}

/// Forces on the coordinates that give them the accelerations `qdd` (RNEA).
pub fn inverse(tree: &Tree, placed: &Placed, loads: &[Screw], qdd: &[f64]) -> Vec<f64> {
    let mut a = vec![Screw::default(); tree.links.len()];
    let mut f = loads.to_vec();
    for (k, link) in placed.links.iter().enumerate() {
        let start = match tree.links[k].parent {
            Parent::Link(parent) => a[parent],
            Parent::Ground(_) => link.ground[1],
        };
        a[k] = placed.axes[link.first..link.end]
            .iter()
            .fold(start + link.bias, |sum, axis| sum + axis.twist * qdd[axis.at]);
        f[k] += link.inertia.times(&a[k]);
    }
    let mut tau = vec![0.0; tree.n];
    for (k, link) in placed.links.iter().enumerate().rev() {
        for axis in &placed.axes[link.first..link.end] {
            tau[axis.at] = axis.twist.dot(&f[k]);
        }
        if let Parent::Link(parent) = tree.links[k].parent {
            let part = f[k];
            f[parent] += part;
        }
    }
    tau
}

/// The mass matrix, by rows (CRBA).
pub fn mass(tree: &Tree, placed: &Placed) -> Vec<f64> {
    let n = tree.n;
    let mut inertia: Vec<Inertia> = placed.links.iter().map(|l| l.inertia).collect();
    let mut out = vec![0.0; n * n];
    for (k, link) in placed.links.iter().enumerate().rev() {
        for i in link.first..link.end {
            let momentum = inertia[k].times(&placed.axes[i].twist);
            let row = placed.axes[i].at;
            let mut at = k;
            loop {
                let other = &placed.links[at];
                for axis in &placed.axes[other.first..other.end] {
                    let value = axis.twist.dot(&momentum);
                    (out[row * n + axis.at], out[axis.at * n + row]) = (value, value);
                }
                let Parent::Link(parent) = tree.links[at].parent else { break };
                at = parent;
            }
        }
        if let Parent::Link(parent) = tree.links[k].parent {
            let part = inertia[k];
            inertia[parent].add(&part);
        }
    }
    out
}

/// Momenta of the links about the origin of the tree, negated: as loads they give the rates that
/// carry the same momentum, as near as the joints allow.
pub fn momenta(model: &Model, tree: &Tree, placed: &Placed, state: &State) -> Vec<Screw> {
    let of = |(link, at): (&super::Link, &super::PlacedLink)| {
        let p = state.twist(link.body).linear * model.body(link.body).mass;
        let spin: Vec3 = crate::integrate::spin(model, state, link.body);
        Screw::new(spin + (at.pose.position - placed.origin).cross(p), p) * -1.0
    };
    tree.links.iter().zip(&placed.links).map(of).collect()
}
