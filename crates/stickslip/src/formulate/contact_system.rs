//! Contacts with friction and joint rows with bounds, as they are: one block of rows per contact.
//!
//! ```text
//! contact    p = (p_n, p_t)   in K ⟂ u + mu s n,    u = (Gnᵀ nu + target, Gtᵀ nu + drive)
//! joint row  p                in [l, u] ⟂ Gjᵀ nu + C p + c
//! motion     nu = nu0 + M⁻¹ (Gn p_n + Gt p_t + Gj p_j)
//! ```
//!
//! `target` is `psi / h + drive` for a gap that must not close below zero by the end of the step,
//! or a rebound; s is the slip speed; K the friction cone, a pyramid or round. Joint rows are
//! limits, friction and motors ([`joint_rows`](crate::dynamics::joint_rows)). M⁻¹ is the inverse
//! mass of the mechanisms, the bilateral joint impulses having been eliminated along the tree
//! ([`tree`](crate::dynamics::tree)). Solvers that want an LCP, a mixed LCP or a cone problem get it
//! from `complementarity::reduce`; the mixed LCP with the velocities as unknowns is in
//! `full_form.rs`. Williams 2014, eq. 2.33-2.37.

use std::{ops::Range, sync::Arc};

use complementarity::{Ask, ContactProblem, Law, ProblemError, Status};
use stickslip_geometry::Vec3;

use super::{
    ConstraintKind, ContactForce, FormulateError, Frame, Name, Solve,
    contact_torques::{self, Torque},
    names::{self, key},
    unit_rows::UnitRows,
};
use crate::{
    collide::Contact,
    dynamics::{BoundedRow, Jacobian, Mechanism},
    model::Dimension,
    parallel::{self, Threads},
    settings::{Friction, ProblemForm},
};

/// The rows of some contacts, with everything that stays the same between solves of one step.
#[derive(Clone, Debug)]
pub struct ContactSystem {
    /// The contacts, each with one normal row.
    pub contacts: Vec<Contact>,
    /// Masses, joints and the motion without contact, the same for all contacts of a step.
    pub mechanism: Arc<Mechanism>,
    /// Normal rows, one per contact, then tangential rows, rows of torques, joint rows with bounds.
    pub jacobian: Jacobian,
    /// `M⁻¹ G`, row by row, where there are joints; else a product with one mass per body.
    weighted: Option<Jacobian>,
    /// Directions of the tangential rows.
    directions: Vec<Vec3>,
    /// Tangential rows of contact `i`: `tangents[i]..tangents[i + 1]`, counted from the first.
    tangents: Vec<usize>,
    mu: Vec<f64>,
    form: ProblemForm,
    /// Edges of the friction pyramid; `None`: the true cone.
    pub(super) edges: Option<usize>,
    /// Rolling and torsional friction.
    pub(super) torques: Vec<Torque>,
    /// Number of rows of the torques.
    torque_rows: usize,
    /// Residual at which a solve counts as solved \[m/s\].
    pub(super) accepted: f64,
    /// Who writes its problems.
    threads: Threads,
}

/// Slips below this part of what gravity gives in a step have no direction.
pub(super) const STILL: f64 = 1e-3;

/// What a solve of the system gave.
#[derive(Clone, Debug)]
pub struct Solved {
    /// Normal, tangential and joint impulses.
    pub impulses: Vec<f64>,
    /// How the solver ended.
    pub status: Status,
}

impl ContactSystem {
    /// Rows for these contacts at the start of the step.
    pub fn new(frame: &Frame, contacts: Vec<Contact>) -> Self {
        Self::of(&frame.mechanism(), frame, contacts)
    }

    /// The same for a mechanism that was made at the start of the step.
    pub(super) fn of(mechanism: &Arc<Mechanism>, frame: &Frame, contacts: Vec<Contact>) -> Self {
        Self::with(mechanism, frame, contacts, frame.settings.friction)
    }

    /// And without friction.
    pub(super) fn frictionless(
        mechanism: &Arc<Mechanism>,
        frame: &Frame,
        contacts: Vec<Contact>,
    ) -> Self {
        Self::with(mechanism, frame, contacts, Friction::None)
    }

    fn with(
        mechanism: &Arc<Mechanism>,
        frame: &Frame,
        contacts: Vec<Contact>,
        friction: Friction,
    ) -> Self {
        let Frame { model, settings, state, .. } = *frame;
        let dimension = model.dimension();
        let n = contacts.len();
        let mut jacobian = Jacobian::with_room(model, 3 * n);
        for c in &contacts {
            jacobian.push_contact(model, state, c, c.normal);
        }
        let still = STILL * model.gravity().length() * frame.h;
        let mut directions = Vec::with_capacity(2 * n);
        let (mut tangents, mut mu) = (Vec::with_capacity(n + 1), Vec::with_capacity(n));
        tangents.push(0);
        for c in &contacts {
            let coefficient = match friction {
                Friction::None => 0.0,
                _ => model.material(c.a.body, c.b.body).friction,
            };
            mu.push(coefficient);
            if coefficient > 0.0 {
                // An edge of the pyramid opposes the slip that the contact is about to have; noise must
                // not turn the pyramids of bodies at rest from step to step.
                let slip = slip_velocity(frame, &mechanism.free, c);
                let slip =
                    if slip.reject_from(c.normal).length() > still { slip } else { Vec3::ZERO };
                let first = directions.len();
                let both = dimension.tangents(c.normal, -slip).into_iter();
                // in the plane there is but one
                directions.extend(both.filter(|d| *d != Vec3::ZERO));
                jacobian.push_directions(model, state, c, &directions[first..]);
            }
            tangents.push(directions.len());
        }
        let before = jacobian.len();
        let torques = contact_torques::of(frame, mechanism, &contacts, friction, &mut jacobian);
        let torque_rows = jacobian.len() - before;
        for row in &mechanism.joints.bounded {
            jacobian.push_blocks(row.blocks.iter().copied(), 0.0);
        }
        let weighted =
            mechanism.tree.as_ref().map(|tree| jacobian.weighted_by(tree, &mechanism.mass));
        let edges = match (settings.friction, dimension) {
            (Friction::Quadratic, _) => None,
            (_, Dimension::Two) => Some(2),
            _ => Some(settings.friction_directions),
        };
        let form = settings.problem_form;
        Self {
            contacts,
            mechanism: Arc::clone(mechanism),
            jacobian,
            weighted,
            directions,
            tangents,
            mu,
            form,
            edges,
            torques,
            torque_rows,
            accepted: settings.accept_residual,
            threads: Threads::default(),
        }
    }

    /// The same where these threads write its problems.
    pub(super) fn on(self, threads: &Threads) -> Self {
        Self { threads: threads.clone(), ..self }
    }

    /// Velocities at the end of the step without contact; joints hold.
    pub fn free(&self) -> &[f64] {
        &self.mechanism.free
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.contacts.len()
    }

    /// Whether nothing is left to solve: no contacts, and no joint rows with bounds.
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty() && self.mechanism.joints.bounded.is_empty()
    }

    /// Number of the first joint row among the impulses.
    pub fn first_joint_row(&self) -> usize {
        self.jacobian.len() - self.mechanism.joints.bounded.len()
    }

    /// Number of the first row of a torque among the impulses.
    pub(super) fn first_torque_row(&self) -> usize {
        self.first_joint_row() - self.torque_rows
    }

    /// Tangential rows of contact `i`.
    pub(super) fn tangent_rows(&self, i: usize) -> Range<usize> {
        self.len() + self.tangents[i]..self.len() + self.tangents[i + 1]
    }

    /// Coefficient of friction of contact `i`.
    pub(super) fn mu(&self, i: usize) -> f64 {
        self.mu[i]
    }

    /// The impulses from velocities `nu0` to normal rows `Gnᵀ nu + target`; of an `attempt` a failure is mended.
    pub fn solve(
        &self,
        (nu0, target): (&[f64], &[f64]),
        (ask, attempt): (&Ask, bool),
        solve: &mut dyn Solve,
        name: &'static str,
    ) -> Result<Solved, FormulateError> {
        let wrong = |source| FormulateError::Problem { formulation: name, source };
        if self.form == ProblemForm::Full && self.edges.is_some() {
            let problem = self.full(nu0, target).map_err(wrong)?;
            let keys = self.full_keys();
            let found = match attempt {
                true => solve.attempt(problem, keys)?,
                false => solve.solve(problem, keys)?,
            };
            return Ok(Solved { impulses: self.full_impulses(&found.z), status: found.status });
        }
        let problem = self.problem(nu0, target, true).map_err(wrong)?;
        if !self.torques.is_empty() {
            return self.solve_torques(problem, (ask, attempt), solve);
        }
        let found = solve.contacts(problem, self.named(), ask, attempt)?;
        Ok(Solved { impulses: self.flat(&found.impulses), status: found.status })
    }

    /// The problem whose normal rows are `Gnᵀ nu + target`, starting from the velocities `nu0`:
    /// contacts first, with `friction` or without, then joint rows, then torques with a load of zero.
    pub fn problem(
        &self,
        nu0: &[f64],
        target: &[f64],
        friction: bool,
    ) -> Result<ContactProblem, ProblemError> {
        let unit = self.unit_rows();
        let at = |r: usize, constant: f64| self.jacobian.times(r, nu0) + constant;
        let drive = |r: usize| self.jacobian.prescribed(r);
        let size = (target.len(), unit.velocities() + self.torques.len());
        let mut problem = self.written(&unit, size, |i| {
            let tangents = if friction { self.tangent_rows(i) } else { 0..0 };
            let mut b = [at(i, target[i]), 0.0, 0.0];
            b[1..].iter_mut().zip(tangents.clone()).for_each(|(b, r)| *b = at(r, drive(r)));
            let law = match (tangents.is_empty(), self.edges) {
                (true, _) => Law::FRICTIONLESS,
                (_, Some(corners)) => Law::Polygon { mu: self.mu[i], corners },
                (_, None) => Law::Disc { mu: self.mu[i] },
            };
            (law, b, tangents)
        })?;
        let (mut columns, mut rows) = (Vec::new(), Vec::new());
        let rounding = self.rounding(nu0);
        for (k, row) in self.mechanism.joints.bounded.iter().enumerate() {
            let r = self.first_joint_row() + k;
            let &BoundedRow { lower, upper, compliance, .. } = row;
            unit.gather(std::iter::once(r), &mut columns, &mut rows);
            let law = Law::Interval { lower, upper, compliance };
            // Of a robot that falls freely the rates of the joints are nothing else, and residuals are
            // relative to the largest.
            let lost = rounding * rows.iter().map(|x| x * x).sum::<f64>().sqrt();
            let rate = at(r, row.constant);
            let rate = if rate.abs() <= lost { 0.0 } else { rate };
            problem.push(law, &columns, &rows, [rate, 0.0, 0.0])?;
        }
        self.push_torques(nu0, &unit, &mut problem)?;
        Ok(problem)
    }

    /// What velocities have lost in rounding, over unit mass: `64 eps sqrt(nuᵀ M nu)`. The rate of a row has
    /// lost this times the length of the row.
    fn rounding(&self, nu: &[f64]) -> f64 {
        if self.mechanism.joints.bounded.is_empty() {
            return 0.0;
        }
        let width = self.jacobian.width();
        let twice = |dof: usize| {
            let mut own = [0.0; 6];
            own[..width].copy_from_slice(&nu[dof..dof + width]);
            let p = self.mechanism.mass.times(dof, &own);
            own.iter().zip(p).map(|(v, p)| v * p).sum::<f64>()
        };
        let energy: f64 = (0..nu.len()).step_by(width).map(twice).sum();
        64.0 * f64::EPSILON * energy.max(0.0).sqrt()
    }

    /// The normal rows alone, `Gnᵀ nu + target`, starting from the velocities `nu0`.
    pub fn normals(
        &self,
        nu0: &[f64],
        target: &[f64],
        negligible: f64,
    ) -> Result<ContactProblem, ProblemError> {
        let unit = self.unit_rows();
        self.written(&unit, (target.len(), unit.velocities()), |i| {
            let speed = self.jacobian.times(i, nu0) + target[i];
            let b = [if speed.abs() <= negligible { 0.0 } else { speed }, 0.0, 0.0];
            (Law::FRICTIONLESS, b, 0..0)
        })
    }

    /// The first `n` contacts over so many velocities; `block` gives law, constants and tangential rows of each.
    fn written(
        &self,
        unit: &UnitRows<'_>,
        (n, velocities): (usize, usize),
        block: impl Fn(usize) -> (Law, [f64; 3], Range<usize>) + Sync,
    ) -> Result<ContactProblem, ProblemError> {
        let some = |contacts: Range<usize>| {
            let mut problem = ContactProblem::new(velocities);
            problem.reserve(contacts.len());
            let (mut columns, mut rows) = (Vec::new(), Vec::new());
            for i in contacts {
                let (law, b, tangents) = block(i);
                unit.gather(std::iter::once(i).chain(tangents), &mut columns, &mut rows);
                problem.push(law, &columns, &rows, b)?;
            }
            Ok(problem)
        };
        let mut parts = parallel::ranges(&self.threads, n.min(self.len()), some).into_iter();
        let mut problem = parts.next().unwrap_or_else(|| Ok(ContactProblem::new(velocities)))?;
        parts.try_for_each(|more| problem.append(&more?))?;
        Ok(problem)
    }

    /// What the blocks are called across steps.
    pub(super) fn named(&self) -> Vec<Name> {
        let of = |(i, mut name): (usize, Name)| {
            let tangents = &self.directions[self.tangents[i]..self.tangents[i + 1]];
            name.rows[1..].iter_mut().zip(tangents).for_each(|(r, t)| *r = *t);
            name
        };
        let joint = |row: &BoundedRow| {
            let key = key([5, row.joint.index() as u64, row.place as u64]);
            let rows = [Vec3::X, Vec3::ZERO, Vec3::ZERO];
            Name { key, pair: key, point: Vec3::ZERO, rows }
        };
        let contacts = names::of(&self.contacts).into_iter().enumerate().map(of);
        let mut all: Vec<Name> =
            contacts.chain(self.mechanism.joints.bounded.iter().map(joint)).collect();
        all.extend(self.torque_names(&all));
        all
    }

    /// Names of the contacts across steps.
    pub(super) fn names(&self) -> Vec<u64> {
        names::keys(&self.contacts)
    }

    /// Impulses of all rows from those of the blocks.
    pub(super) fn flat(&self, blocks: &[[f64; 3]]) -> Vec<f64> {
        let mut impulses = vec![0.0; self.jacobian.len()];
        for i in 0..self.len() {
            impulses[i] = blocks[i][0];
            let rows = self.tangent_rows(i);
            impulses[rows].iter_mut().zip(&blocks[i][1..]).for_each(|(p, b)| *p = *b);
        }
        let joints = impulses[self.first_joint_row()..].iter_mut();
        let (joint_blocks, torque_blocks) =
            blocks[self.len()..].split_at(self.mechanism.joints.bounded.len());
        joints.zip(joint_blocks).for_each(|(p, b)| *p = b[0]);
        self.flat_torques(torque_blocks, &mut impulses);
        impulses
    }

    /// `nu0 + M⁻¹ G p`.
    pub fn velocity(&self, nu0: &[f64], impulses: &[f64]) -> Vec<f64> {
        let mut change = vec![0.0; nu0.len()];
        let jacobian = self.weighted.as_ref().unwrap_or(&self.jacobian);
        for (r, &p) in impulses.iter().enumerate().filter(|(_, p)| **p != 0.0) {
            jacobian.add_transposed(r, p, &mut change);
        }
        if self.weighted.is_none() {
            self.mechanism.mass.solve(&mut change);
        }
        nu0.iter().zip(change).map(|(nu, change)| nu + change).collect()
    }

    /// Impulses as vectors, contact by contact.
    pub fn forces(&self, impulses: &[f64]) -> Vec<ContactForce> {
        let n = self.len();
        let one = |i: usize| {
            let rows = self.tangents[i]..self.tangents[i + 1];
            let friction = rows.map(|k| self.directions[k] * impulses[n + k]).sum();
            let (contact, kind) = (i, ConstraintKind::Unilateral);
            ContactForce { contact, kind, normal: impulses[i], friction, torque: Vec3::ZERO }
        };
        let mut forces: Vec<ContactForce> = (0..n).map(one).collect();
        self.torque_impulses(impulses).for_each(|(i, torque)| forces[i].torque += torque);
        forces
    }
}

/// Relative velocity of the contact points (B minus A) if nothing touched.
pub(super) fn slip_velocity(frame: &Frame, free: &[f64], c: &Contact) -> Vec3 {
    let dimension = frame.model.dimension();
    let at = |side: &crate::collide::Side| {
        let r = side.point - frame.state.pose(side.body).position;
        match frame.model.dof(side.body) {
            Some(dof) => {
                let (v, w) = dimension.split(&free[dof..dof + dimension.dof()]);
                v + w.cross(r)
            }
            None => frame.state.twist(side.body).at(r),
        }
    };
    at(&c.b) - at(&c.a)
}
