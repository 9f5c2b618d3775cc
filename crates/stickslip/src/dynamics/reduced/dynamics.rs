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
#[derive(Clone, Debug, Default)]
pub struct Articulated {
    /// `I_A S` of every axis.
    u: Vec<Screw>,
    /// `Sᵀ I_A S`, plus the armature and what is added to the coordinate.
    d: Vec<f64>,
    /// One over it.
    mobility: Vec<f64>,
    /// What each link is for its parent.
    released: Vec<Inertia>,
}

/// Buffers of [`Articulated::solve_into`].
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    pull: Vec<Screw>,
    rest: Vec<f64>,
    acceleration: Vec<Screw>,
}

/// The forces on each link that do not come through joints, negated: `v x* I v - f`.
pub fn loads(
    model: &Model,
    tree: &Tree,
    placed: &Placed,
    (state, gyroscopic): (&State, bool),
    out: &mut Vec<Screw>,
) {
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
    out.clear();
    out.extend(tree.links.iter().zip(&placed.links).map(load));
}

impl Articulated {
    /// From the leaves to the root; `added` is inertia added to every coordinate. `None` where
    /// something that moves has no inertia.
    pub fn new(tree: &Tree, placed: &Placed, added: &[f64]) -> Option<Self> {
        let mut out = Self::default();
        out.renew(tree, placed, added).then_some(out)
    }

    /// The same in the memory of this one; false where something that moves has no inertia.
    pub fn renew(&mut self, tree: &Tree, placed: &Placed, added: &[f64]) -> bool {
        let Self { u, d, mobility, released: inertia } = self;
        inertia.clear();
        inertia.extend(placed.links.iter().map(|l| l.inertia));
        let n = placed.axes.len();
        u.resize(n, Screw::default());
        d.resize(n, 0.0);
        mobility.resize(n, 0.0);
        for (k, link) in placed.links.iter().enumerate().rev() {
            for j in (link.first..link.end).rev() {
                let axis = &placed.axes[j];
                u[j] = inertia[k].times(&axis.twist);
                let more = |from: &[f64]| from.get(axis.at).copied().unwrap_or(0.0);
                d[j] = axis.twist.dot(&u[j]) + more(&tree.rotors) + more(added);
                if d[j].is_nan() || d[j] <= 0.0 {
                    return false;
                }
                mobility[j] = 1.0 / d[j];
                inertia[k].release(&u[j], mobility[j]);
            }
            if let Parent::Link(p) = tree.links[k].parent {
                let part = inertia[k];
                inertia[p].add(&part);
            }
        }
        true
    }

    /// Inertia that coordinate `k` feels when the others are free; zero where there is none.
    pub fn felt(&self, placed: &Placed, k: usize) -> f64 {
        let at = placed.axes.iter().position(|axis| axis.at == k);
        at.map_or(0.0, |j| self.d[j])
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
        let mut out = Vec::new();
        self.solve_into(tree, placed, (tau, loads, moving), &mut Sweep::default(), &mut out);
        out
    }

    /// The same with memory that is there already.
    pub fn solve_into(
        &self,
        tree: &Tree,
        placed: &Placed,
        (tau, loads, moving): (&[f64], &[Screw], bool),
        sweep: &mut Sweep,
        out: &mut Vec<f64>,
    ) {
        let Sweep { pull: p, rest, acceleration: a } = sweep;
        p.clear();
        p.extend_from_slice(loads);
        p.resize(tree.links.len(), Screw::default());
        rest.resize(self.d.len(), 0.0);
        for (k, link) in placed.links.iter().enumerate().rev() {
            let mut pull = p[k];
            for j in (link.first..link.end).rev() {
                let axis = &placed.axes[j];
                rest[j] = tau[axis.at] - axis.twist.dot(&pull);
                pull += self.u[j] * (rest[j] * self.mobility[j]);
            }
            if let Parent::Link(parent) = tree.links[k].parent {
                if moving {
                    pull += self.released[k].times(&link.bias);
                }
                p[parent] += pull;
            }
        }
        out.clear();
        out.resize(tree.n, 0.0);
        a.resize(tree.links.len(), Screw::default());
        for (k, link) in placed.links.iter().enumerate() {
            let mut sum = match tree.links[k].parent {
                Parent::Link(parent) => a[parent],
                Parent::Ground(_) if moving => placed.ground,
                Parent::Ground(_) => Screw::default(),
            };
            if moving {
                sum += link.bias;
            }
            let own = link.first..link.end;
            for (j, (axis, rest)) in
                own.clone().zip(placed.axes[own.clone()].iter().zip(&rest[own]))
            {
                let rate = (rest - self.u[j].dot(&sum)) * self.mobility[j];
                out[axis.at] = rate;
                sum += axis.twist * rate;
            }
            a[k] = sum;
        }
    }
}

/// Forces on the coordinates that give them the accelerations `qdd` (RNEA).
pub fn inverse(tree: &Tree, placed: &Placed, loads: &[Screw], qdd: &[f64]) -> Vec<f64> {
    let mut a = vec![Screw::default(); tree.links.len()];
    let mut f = loads.to_vec();
    for (k, link) in placed.links.iter().enumerate() {
        let start = match tree.links[k].parent {
            Parent::Link(parent) => a[parent],
            Parent::Ground(_) => placed.ground,
        };
        a[k] = placed.axes[link.first..link.end]
            .iter()
            .fold(start + link.bias, |sum, axis| sum + axis.twist * qdd[axis.at]);
        f[k] += link.inertia.times(&a[k]);
    }
    let mut tau = vec![0.0; tree.n];
    for (k, link) in placed.links.iter().enumerate().rev() {
        for axis in &placed.axes[link.first..link.end] {
            let rotor = tree.rotors.get(axis.at).copied().unwrap_or(0.0);
            tau[axis.at] = axis.twist.dot(&f[k]) + rotor * qdd[axis.at];
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
    tree.rotors.iter().enumerate().for_each(|(k, rotor)| out[k * n + k] += rotor);
    out
}

/// Momenta of the links about the origin of the tree, negated: as loads they give the rates that
/// carry the same momentum, as near as the joints allow.
pub fn momenta(model: &Model, tree: &Tree, placed: &Placed, state: &State, out: &mut Vec<Screw>) {
    let of = |(link, at): (&super::Link, &super::PlacedLink)| {
        let p = state.twist(link.body).linear * model.body(link.body).mass;
        let spin: Vec3 = crate::integrate::spin(model, state, link.body);
        Screw::new(spin + (at.pose.position - placed.origin).cross(p), p) * -1.0
    };
    out.clear();
    out.extend(tree.links.iter().zip(&placed.links).map(of));
}
