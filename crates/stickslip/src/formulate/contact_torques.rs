//! Rolling and torsional friction: torques at a contact that oppose how the bodies turn on each other.
//!
//! ```text
//! rolling     |tau_t| <= rho p_n,     tau_t = -rho p_n w_t / |w_t|       where w_t /= 0
//! torsion     |tau_n| <= sigma p_n,   tau_n = -sigma p_n sign(w_n)       where w_n /= 0
//! ```
//!
//! w is the angular velocity of B relative to A, split along the tangents and the normal, p_n the normal impulse
//! of the same contact, rho and sigma are lengths. Each torque is a block of the problem with Coulomb's law whose
//! normal row belongs to a velocity of its own: nothing but this block moves it, and it comes to rest at the normal
//! impulse `load`,
//!
//! ```text
//! 0 <= q ⟂ a (q - load) >= 0,     |tau / l| <= (rho / l) q ⟂ l w
//! ```
//!
//! so that every solver and every class of problem that knows friction knows torques. The load is that of the last
//! pass ([`ContactSystem::solve`]): passes end when it is the normal impulse found, where the law above holds. A
//! torque changes normal impulses by no more than about rho / r of them, r the size of the bodies, which is the
//! rate at which the passes converge. The lever l gives the rows of a torque the inverse mass of the normal row, a.

use complementarity::{Law, ProblemError, problem::ContactProblem};
use stickslip_geometry::Vec3;

use super::{
    ContactSystem, FormulateError, Name, Solve,
    contact_system::{STILL, slip_velocity},
    names::key,
};
use crate::{
    collide::Contact,
    dynamics::{Jacobian, JacobianBlock, Mechanism},
    frame::Frame,
    model::Dimension,
    settings::Friction,
};

/// Other path: passes at the most. A ball of 5 cm that lands and slides in a groove takes 3 solves a step with rho = 1 mm and 4 with
/// 2 cm, those of the formulation included; what takes more is no longer a small torque.
pub(super) const MAX_PASSES: usize = 30;

/// A torque of one contact.
#[derive(Clone, Debug)]
pub(super) struct Torque {
    /// The contact.
    pub(super) contact: usize,
    /// rho or sigma \[m\].
    coefficient: f64,
    /// About the normal, or about the tangents.
    torsional: bool,
    /// First row among those of all torques.
    first: usize,
    /// Its axes; in the plane and about the normal there is but one.
    axes: [Vec3; 2],
    /// l \[m\].
    lever: f64,
    /// Inverse of the mass that the contact feels \[1/kg\].
    inverse_mass: f64,
}

impl Torque {
    fn axes(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.axes.into_iter().filter(|axis| *axis != Vec3::ZERO)
    }

    /// How far the normal impulse that it was given is from the one found, as a speed \[m/s\].
    pub(super) fn lag(&self, load: f64, found: f64) -> f64 {
        self.inverse_mass * (load - found).abs()
    }
}

/// The torques of some contacts; their rows are added to `jacobian`.
pub(super) fn of(
    frame: &Frame,
    mechanism: &Mechanism,
    contacts: &[Contact],
    friction: Friction,
    jacobian: &mut Jacobian,
) -> Vec<Torque> {
    let mut out = Vec::new();
    if friction == Friction::None || !frame.model.has_contact_torques() {
        return out;
    }
    let (model, dimension) = (frame.model, frame.model.dimension());
    let begin = jacobian.len();
    for (contact, c) in contacts.iter().enumerate() {
        let material = model.material(c.a.body, c.b.body);
        let turn = expected_turn(frame, &mechanism.free, c);
        let rolling = match dimension {
            Dimension::Two => [Vec3::Z, Vec3::ZERO],
            Dimension::Three => dimension.tangents(c.normal, -turn),
        };
        let torsion = match dimension {
            Dimension::Two => [Vec3::ZERO; 2],
            Dimension::Three => [c.normal, Vec3::ZERO],
        };
        let both = [(material.rolling, rolling, false), (material.torsional, torsion, true)];
        for (coefficient, axes, torsional) in both {
            if coefficient == 0.0 || axes[0] == Vec3::ZERO {
                continue;
            }
            let first = jacobian.len();
            for axis in axes.into_iter().filter(|axis| *axis != Vec3::ZERO) {
                push_row(frame, c, axis, jacobian);
            }
            let mean =
                (first..jacobian.len()).map(|r| inverse_mass(mechanism, jacobian, r)).sum::<f64>()
                    / (jacobian.len() - first) as f64;
            let inverse_mass = inverse_mass(mechanism, jacobian, contact);
            let lever = (inverse_mass / mean).sqrt();
            let first = first - begin;
            out.push(Torque { contact, coefficient, torsional, first, axes, lever, inverse_mass });
        }
    }
    out
}

/// `g M⁻¹ g` of a row, with the masses of free bodies.
fn inverse_mass(mechanism: &Mechanism, jacobian: &Jacobian, r: usize) -> f64 {
    let block = |b: &JacobianBlock| {
        let weighted = mechanism.mass.inverse_times(b.dof, &b.value);
        b.value.iter().zip(weighted).map(|(g, w)| g * w).sum::<f64>()
    };
    jacobian.row(r).iter().map(block).sum()
}

/// The row of the relative angular velocity about an axis.
fn push_row(frame: &Frame, c: &Contact, axis: Vec3, jacobian: &mut Jacobian) {
    let mut prescribed = 0.0;
    let sides = [(c.a.body, -axis), (c.b.body, axis)];
    let blocks = sides.into_iter().filter_map(|(body, axis)| {
        let dof = frame.model.dof(body);
        if dof.is_none() {
            prescribed += axis.dot(frame.state.twist(body).angular);
        }
        let value = frame.model.dimension().block(Vec3::ZERO, axis);
        dof.map(|dof| JacobianBlock { dof, value })
    });
    let blocks: Vec<JacobianBlock> = blocks.collect();
    jacobian.push_blocks(blocks, prescribed);
}

/// How B is about to turn on A, for a corner of the polygon to oppose it: as without contact, and as friction makes
/// what would slip roll. A ball that starts to roll down a slope has no spin yet: without the second part the
/// polygon of seven corners let it roll at 0.97 of the critical angle.
fn expected_turn(frame: &Frame, free: &[f64], c: &Contact) -> Vec3 {
    let arm = |side: &crate::collide::Side| match frame.model.dof(side.body) {
        Some(_) => side.point.distance(frame.state.pose(side.body).position),
        None => 0.0,
    };
    let arm = arm(&c.a).max(arm(&c.b));
    let rolls = c.normal.cross(slip_velocity(frame, free, c));
    let turn = relative_spin(frame, free, c) * arm + rolls;
    // noise must not turn the polygons of bodies at rest from step to step
    let still = STILL * frame.model.gravity().length() * frame.h;
    if turn.reject_from(c.normal).length() > still { turn } else { Vec3::ZERO }
}

/// Angular velocity of B relative to A if nothing touched.
fn relative_spin(frame: &Frame, free: &[f64], c: &Contact) -> Vec3 {
    let dimension = frame.model.dimension();
    let of = |body| match frame.model.dof(body) {
        Some(dof) => dimension.split(&free[dof..dof + dimension.dof()]).1,
        None => frame.state.twist(body).angular,
    };
    of(c.b.body) - of(c.a.body)
}

impl ContactSystem {
    /// Rows of torque `k` in the Jacobian.
    fn torque_rows(&self, torque: &Torque) -> std::ops::Range<usize> {
        let first = self.first_torque_row() + torque.first;
        first..first + torque.axes().count()
    }

    /// Adds the blocks of the torques; each has a velocity of its own, from `velocity` on.
    pub(super) fn push_torques(
        &self,
        nu0: &[f64],
        unit: &super::unit_rows::UnitRows<'_>,
        problem: &mut ContactProblem,
    ) -> Result<(), ProblemError> {
        let (mut columns, mut turns) = (Vec::new(), Vec::new());
        let mut rows = Vec::new();
        for (k, torque) in self.torques.iter().enumerate() {
            let all = self.torque_rows(torque);
            unit.gather(all.clone(), &mut columns, &mut turns);
            let m = columns.len();
            columns.push((unit.velocities() + k) as u32);
            rows.clear();
            rows.resize(m, 0.0);
            rows.push(torque.inverse_mass.sqrt());
            for turn in turns.chunks_exact(m.max(1)) {
                rows.extend(turn.iter().map(|x| torque.lever * x));
                rows.push(0.0);
            }
            let mut b = [0.0; 3];
            for (b, r) in b[1..].iter_mut().zip(all.clone()) {
                let rate = self.jacobian.times(r, nu0) + self.jacobian.prescribed(r);
                *b = torque.lever * rate;
            }
            let mu = torque.coefficient / torque.lever;
            let law = match self.edges {
                Some(corners) if all.len() == 2 => Law::Polygon { mu, corners },
                _ => Law::Disc { mu },
            };
            problem.push(law, &columns, &rows, b)?;
        }
        Ok(())
    }

    /// What the blocks of the torques are called across steps.
    pub(super) fn torque_names(&self, contacts: &[Name]) -> Vec<Name> {
        let of = |torque: &Torque| {
            let contact = contacts[torque.contact];
            let mixed = |k: u64| key([8, k, u64::from(torque.torsional)]);
            let rows = [contact.rows[0], torque.axes[0], torque.axes[1]];
            // the load and a torque about the normal must be told apart
            let rows = if torque.torsional { [Vec3::X, Vec3::Y, Vec3::ZERO] } else { rows };
            Name { key: mixed(contact.key), pair: mixed(contact.pair), point: contact.point, rows }
        };
        self.torques.iter().map(of).collect()
    }

    /// Tells the torques of a problem the normal impulses that bound them.
    pub(super) fn load(&self, problem: &mut ContactProblem, loads: &[f64]) {
        let first = problem.len() - self.torques.len();
        for (k, (torque, load)) in self.torques.iter().zip(loads).enumerate() {
            problem.b_mut(first + k)[0] = -torque.inverse_mass * load;
        }
    }

    /// Solves until the torques are bounded by the normal impulses found.
    pub(super) fn solve_torques(
        &self,
        mut problem: ContactProblem,
        (ask, attempt): (&complementarity::Ask, bool),
        solve: &mut dyn Solve,
    ) -> Result<super::contact_system::Solved, FormulateError> {
        use complementarity::Status;
        let names = self.named();
        let normal = |blocks: &[[f64; 3]], torque: &Torque| {
            blocks.get(torque.contact).map_or(0.0, |p| p[0].max(0.0))
        };
        let guess = solve.guess(&names);
        let mut loads: Vec<f64> = self.torques.iter().map(|t| normal(&guess, t)).collect();
        let (mut pass, mut last) = (0, f64::INFINITY);
        loop {
            pass += 1;
            self.load(&mut problem, &loads);
            let found = solve.contacts(problem.clone(), names.clone(), ask, attempt)?;
            let (mut status, blocks) = (found.status, found.impulses);
            let lag = |k: usize| self.torques[k].lag(loads[k], normal(&blocks, &self.torques[k]));
            let off = (0..loads.len()).map(lag).fold(0.0, f64::max);
            let slow = off > 0.5 * last;
            let settled =
                off <= self.accepted || (slow && off <= self.accepted.max(ask.acceptable));
            let ends = settled || pass == MAX_PASSES || status != Status::Solved;
            if ends {
                if !settled && status == Status::Solved {
                    solve.unsettled(off, attempt)?;
                    status = Status::Stalled;
                }
                return Ok(super::contact_system::Solved { impulses: self.flat(&blocks), status });
            }
            last = off;
            for (load, torque) in loads.iter_mut().zip(&self.torques) {
                let next = normal(&blocks, torque);
                // what goes to and fro is met in the middle
                *load = if slow { 0.5 * (*load + next) } else { next };
            }
        }
    }

    /// Writes the torque impulses of the blocks into those of all rows.
    pub(super) fn flat_torques(&self, blocks: &[[f64; 3]], impulses: &mut [f64]) {
        for (torque, p) in self.torques.iter().zip(blocks) {
            let rows = self.torque_rows(torque);
            impulses[rows].iter_mut().zip(&p[1..]).for_each(|(out, p)| *out = torque.lever * p);
        }
    }

    /// The torque impulse at every contact that has one \[N m s\].
    pub(super) fn torque_impulses<'a>(
        &'a self,
        impulses: &'a [f64],
    ) -> impl Iterator<Item = (usize, Vec3)> + 'a {
        self.torques.iter().map(|torque| {
            let rows = self.torque_rows(torque);
            let sum = torque.axes().zip(&impulses[rows]).map(|(axis, p)| axis * *p).sum();
            (torque.contact, sum)
        })
    }
}
