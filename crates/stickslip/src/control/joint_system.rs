//! All bodies in joint coordinates: positions and rates as two vectors, as robot programs have them.
//!
//! Link by link, trees in the order of their first bodies:
//!
//! ```text
//! free body   x y z of its centre of mass, quaternion w x y z | velocity, angular velocity, world
//! in 2D       x y, angle                                      | their rates
//! ball        quaternion w x y z of B seen from A             | angular velocity in A's frame
//! others      the joint's coordinates                         | their rates
//! ```

use stickslip_geometry::{Quat, Vec3};

use crate::{
    dynamics::reduced::{Coordinates, JointSpace, Link, Parent, Placed, Tree},
    model::{BodyId, Freedom, Model},
    state::State,
};

/// The trees of a scene and where their numbers are.
#[derive(Clone, Debug)]
pub struct JointSystem {
    trees: Vec<Tree>,
    /// Length of the positions.
    pub nq: usize,
    /// Length of the rates.
    pub nv: usize,
}

/// Where the numbers of one link are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its body.
    pub body: BodyId,
    /// Its joint; `None` for a free body.
    pub joint: Option<crate::JointId>,
    /// First position.
    pub q: usize,
    /// First rate.
    pub v: usize,
    /// Number of positions.
    pub nq: usize,
    /// Number of rates.
    pub nv: usize,
}

/// Joint coordinates are not to be had, or do not fit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CoordinateError {
    /// Loops and distance joints.
    #[error(
        "joint coordinates need bodies joined as trees; here a loop, a distance joint or a gear between \
         two trees keeps them from it"
    )]
    NotTrees,
    /// Vectors of another length.
    #[error("{found} {what}, but the scene has {n}")]
    Length {
        /// Positions or rates.
        what: &'static str,
        /// Numbers given.
        found: usize,
        /// Numbers needed.
        n: usize,
    },
    /// Beyond the limits of a joint: the first step would throw it back.
    #[error(
        "joint {joint:?} is at {value}, outside its limits {lower} to {upper}; a step would throw it back"
    )]
    Limits {
        /// The joint.
        joint: String,
        /// The position \[rad or m\].
        value: f64,
        /// The lowest.
        lower: f64,
        /// The highest.
        upper: f64,
    },
    /// A number that is none, or a quaternion of length zero.
    #[error("{what} {at} is {value}, but must be finite (and a quaternion not zero)")]
    NotFinite {
        /// Positions or rates.
        what: &'static str,
        /// Which.
        at: usize,
        /// The number.
        value: f64,
    },
}

/// Positions beyond limits by less than this are at them \[rad or m\]: solvers leave that much.
const AT_LIMIT: f64 = 1e-6;

fn check_limits(model: &Model, tree: &Tree, x: &Coordinates) -> Result<(), CoordinateError> {
    for link in tree.links.iter().filter(|l| !l.ball) {
        let Some(joint) = link.joint.map(|id| model.joint(id)) else { continue };
        for (k, &i) in link.axes.iter().enumerate() {
            let Freedom::Limited([lower, upper]) = joint.freedoms[i] else { continue };
            let value = x.q[link.first + k] + if k == 0 { joint.start } else { 0.0 };
            if value < lower - AT_LIMIT || value > upper + AT_LIMIT {
                let joint = joint.name.clone();
                return Err(CoordinateError::Limits { joint, value, lower, upper });
            }
        }
    }
    Ok(())
}

fn positions_of(link: &Link) -> usize {
    link.axes.len() + usize::from(link.ball)
}

fn check(what: &'static str, x: &[f64], n: usize) -> Result<(), CoordinateError> {
    if x.len() != n {
        return Err(CoordinateError::Length { what, found: x.len(), n });
    }
    match x.iter().position(|v| !v.is_finite()) {
        Some(at) => Err(CoordinateError::NotFinite { what, at, value: x[at] }),
        None => Ok(()),
    }
}

impl JointSystem {
    /// Of a scene whose bodies are joined as trees.
    pub fn new(model: &Model) -> Result<Self, CoordinateError> {
        let (trees, complete) = Tree::all(model, true);
        let nv = trees.iter().map(|t| t.n).sum();
        let nq = trees.iter().flat_map(|t| &t.links).map(positions_of).sum();
        complete.then_some(Self { trees, nq, nv }).ok_or(CoordinateError::NotTrees)
    }

    /// Where the numbers of each link are.
    pub fn places(&self) -> Vec<Place> {
        let (mut q, mut v, mut out) = (0, 0, Vec::new());
        for link in self.trees.iter().flat_map(|t| &t.links) {
            let (nq, nv) = (positions_of(link), link.axes.len());
            out.push(Place { body: link.body, joint: link.joint, q, v, nq, nv });
            (q, v) = (q + nq, v + nv);
        }
        out
    }

    fn space<'a>(&'a self, model: &'a Model, state: &'a State, tree: &'a Tree) -> JointSpace<'a> {
        JointSpace { model, tree, state, gyroscopic: true, held: &[] }
    }

    /// Positions and rates of a state.
    pub fn read(&self, model: &Model, state: &State) -> (Vec<f64>, Vec<f64>) {
        let (mut q, mut v) = (Vec::with_capacity(self.nq), Vec::with_capacity(self.nv));
        for tree in &self.trees {
            let x = Coordinates::of(model, tree, state);
            v.extend_from_slice(&x.w);
            for (k, link) in tree.links.iter().enumerate() {
                let slides = link.axes.len() - if link.ball { 3 } else { 0 };
                let first = q.len();
                q.extend_from_slice(&x.q[link.first..link.first + slides]);
                if link.ball {
                    let r = x.turned[k];
                    q.extend_from_slice(&[r.w, r.x, r.y, r.z]);
                }
                if let (Some(id), true) = (link.joint, slides > 0) {
                    q[first] += model.joint(id).start;
                }
            }
        }
        (q, v)
    }

    /// The coordinates of every tree with these numbers.
    fn unpack(
        &self,
        model: &Model,
        q: &[f64],
        v: &[f64],
    ) -> Result<Vec<Coordinates>, CoordinateError> {
        check("positions", q, self.nq)?;
        check("rates", v, self.nv)?;
        let (mut at, mut dof, mut out) = (0, 0, Vec::new());
        for tree in &self.trees {
            let mut x = Coordinates {
                q: vec![0.0; tree.n],
                w: v[dof..dof + tree.n].to_vec(),
                turned: vec![Quat::IDENTITY; tree.links.len()],
            };
            dof += tree.n;
            for (k, link) in tree.links.iter().enumerate() {
                let slides = link.axes.len() - if link.ball { 3 } else { 0 };
                x.q[link.first..link.first + slides].copy_from_slice(&q[at..at + slides]);
                if let (Some(id), true) = (link.joint, slides > 0) {
                    x.q[link.first] -= model.joint(id).start;
                }
                at += slides;
                if link.ball {
                    let r = Quat::from_xyzw(q[at + 1], q[at + 2], q[at + 3], q[at]);
                    if r.length() < 1e-9 {
                        let value = r.length();
                        return Err(CoordinateError::NotFinite { what: "positions", at, value });
                    }
                    x.turned[k] = r.normalize();
                    at += 4;
                }
            }
            out.push(x);
        }
        Ok(out)
    }

    /// Puts the bodies where these positions and rates have them; joints are closed to round-off.
    pub fn write(
        &self,
        model: &Model,
        state: &mut State,
        (q, v): (&[f64], &[f64]),
    ) -> Result<(), CoordinateError> {
        let all = self.unpack(model, q, v)?;
        for (tree, x) in self.trees.iter().zip(&all) {
            let placed = Placed::new(model, tree, x, (state, 0.0));
            x.write(model, tree, &placed, state);
            for link in &tree.links {
                state.instant_spin[link.body.index()] = false;
                let Some(id) = link.joint else { continue };
                // Angles do not wrap: they are those given.
                let turns = link.axes.iter().enumerate().filter(|(_, i)| **i >= 3);
                for (j, &i) in turns {
                    let angle = if link.ball { 0.0 } else { x.q[link.first + j] };
                    state.joint_angles[id.index()][i - 3] = angle;
                }
            }
        }
        state.last_h = 0.0;
        model.track_joints(state);
        Ok(())
    }

    /// The first joint that is beyond its limits: a step would throw it back.
    pub fn beyond_limits(&self, model: &Model, state: &State) -> Option<CoordinateError> {
        let check = |tree: &Tree| check_limits(model, tree, &Coordinates::of(model, tree, state));
        self.trees.iter().find_map(|tree| check(tree).err())
    }

    /// The mass matrix, by rows \[kg, kg m, kg m²\]; gears are left aside.
    pub fn mass_matrix(&self, model: &Model, state: &State) -> Vec<f64> {
        let mut out = vec![0.0; self.nv * self.nv];
        let mut first = 0;
        for tree in &self.trees {
            let x = Coordinates::of(model, tree, state);
            let mass = self.space(model, state, tree).mass_matrix(&x);
            for (k, m) in mass.into_iter().enumerate() {
                out[(first + k / tree.n) * self.nv + first + k % tree.n] = m;
            }
            first += tree.n;
        }
        out
    }

    /// Forces on the coordinates that give them the accelerations `qdd`: gravity, applied forces and
    /// those of the velocities act. With `passive` the damping and friction of joints, which then must
    /// be overcome as well.
    pub fn inverse_dynamics(
        &self,
        model: &Model,
        state: &State,
        qdd: &[f64],
        passive: bool,
    ) -> Result<Vec<f64>, CoordinateError> {
        check("accelerations", qdd, self.nv)?;
        let (mut out, mut first) = (Vec::with_capacity(self.nv), 0);
        for tree in &self.trees {
            let x = Coordinates::of(model, tree, state);
            let mut tau =
                self.space(model, state, tree).inverse_dynamics(&x, &qdd[first..first + tree.n]);
            for link in tree.links.iter().filter(|_| passive) {
                let Some(joint) = link.joint.map(|id| model.joint(id)) else { continue };
                let own = link.first..link.first + link.axes.len();
                for (k, (force, w)) in tau[own.clone()].iter_mut().zip(&x.w[own]).enumerate() {
                    let damping = if k == 0 { joint.damping } else { 0.0 };
                    let rubs = if *w == 0.0 { 0.0 } else { joint.friction.copysign(*w) };
                    *force += damping * w + rubs;
                }
            }
            out.extend(tau);
            first += tree.n;
        }
        Ok(out)
    }

    /// Accelerations of the coordinates under these forces on them, nothing touching and motors,
    /// damping and friction of joints left aside.
    pub fn forward_dynamics(
        &self,
        model: &Model,
        state: &State,
        tau: &[f64],
    ) -> Result<Vec<f64>, CoordinateError> {
        check("forces", tau, self.nv)?;
        let (mut out, mut first) = (Vec::with_capacity(self.nv), 0);
        for tree in &self.trees {
            let x = Coordinates::of(model, tree, state);
            let tau = &tau[first..first + tree.n];
            let found = self.space(model, state, tree).driven(&x, tau);
            out.extend(found.unwrap_or_else(|| vec![f64::NAN; tree.n]));
            first += tree.n;
        }
        Ok(out)
    }

    /// Velocity and angular velocity of a point that moves with a body, given in the world, per rate:
    /// six rows of `nv` numbers; zero for bodies that forces do not move.
    pub fn jacobian(&self, model: &Model, state: &State, body: BodyId, point: Vec3) -> Vec<f64> {
        let mut out = vec![0.0; 6 * self.nv];
        let mut first = 0;
        for tree in &self.trees {
            let mut at = tree.find(body);
            let x = Coordinates::of(model, tree, state);
            let placed = Placed::new(model, tree, &x, (state, 0.0));
            while let Some(k) = at {
                for axis in &placed.axes[placed.links[k].first..placed.links[k].end] {
                    let s = axis.twist;
                    let linear = s.linear + s.angular.cross(point - placed.origin);
                    for i in 0..3 {
                        out[i * self.nv + first + axis.at] = linear[i];
                        out[(3 + i) * self.nv + first + axis.at] = s.angular[i];
                    }
                }
                at = match tree.links[k].parent {
                    Parent::Link(p) => Some(p),
                    Parent::Ground(_) => None,
                };
            }
            first += tree.n;
        }
        out
    }
}
