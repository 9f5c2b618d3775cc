//! Clauses as a complementarity problem.
//!
//! ```text
//! gap rates    psi_k = gap_k / h + drive_k + G_kᵀ nu           of every contact
//! largest      m     = psi_base + c_2 + ... + c_n              of every clause
//!              0 <= c_k  ⟂  psi_base + c_2 + ... + c_k - psi_k >= 0            (4.10)
//! forces       0 <= p    ⟂  m >= 0                             at its active alternative      (4.14)
//!              0 <= p_i  ⟂  m + d_i >= 0                       at other primaries (4.13)
//!              0 <= d_i  ⟂  psi_i + d_i >= 0                                   (4.12)
//! friction     0 <= p_f  ⟂  G_fᵀ nu + drive + E s >= 0                         (4.48)
//!              0 <= s    ⟂  mu (sum of p at the contact) - Eᵀ p_f >= 0         (4.49)
//! motion       nu = nu_free + M⁻¹ (G p + G_f p_f)
//! ```
//!
//! The maximum may be written from any of its contacts. From the one that is largest at the end
//! of the free motion all `c` are zero there, and a clause that nothing threatens solves itself.

use std::sync::Arc;

use stickslip_geometry::Vec3;

use super::clause::Clause;
use crate::{
    collide::{Contact, Role},
    dynamics::{Jacobian, Mechanism},
    formulate::{
        ConstraintCounts, ConstraintKind, ContactForce, StepMotion,
        contact_system::slip_velocity,
        friction_cone,
        names::{contact_key, key},
    },
    frame::Frame,
    settings::{Friction, ProblemForm},
};

/// Everything of one step that does not depend on which clause pushes where.
#[derive(Debug)]
pub(super) struct Program {
    /// At the start of the step.
    pub contacts: Vec<Contact>,
    pub clauses: Vec<Clause>,
    /// Bodies and joints, and the velocities at the end of the step without contact.
    pub(super) mechanism: Arc<Mechanism>,
    /// One row per contact.
    pub(super) normals: Jacobian,
    /// `gap / h + drive` of every contact.
    pub(super) targets: Vec<f64>,
    pub(super) h: f64,
    pub(super) form: ProblemForm,
    /// Whether every primary contact of a clause may push.
    several: bool,
    pub(super) layout: Layout,
}

/// Unknowns of the present problem, in this order: velocities (full form), pushes, friction,
/// slips, the `c` and `d` of every clause, then the joint rows with bounds.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub pushes: Vec<Push>,
    pub rough: Vec<Rough>,
    /// Normal rows of the pushes, friction rows, joint rows with bounds.
    pub forces: Option<[Jacobian; 3]>,
    pub directions: Vec<Vec3>,
    pub size: usize,
    /// With the true cone: for each row of the problem, the row in the order above.
    pub order: Option<Vec<usize>>,
}

/// A normal impulse: of which clause, at which contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Push {
    pub clause: usize,
    pub contact: usize,
}

/// A contact with friction: its rows among the friction rows. With the true cone there is one for
/// each push: the cones of several pushes at one contact add up to that of their sum.
#[derive(Clone, Debug)]
pub(super) struct Rough {
    pub contact: usize,
    /// The push whose cone it is, with the true cone.
    pub push: usize,
    pub mu: f64,
    pub rows: std::ops::Range<usize>,
}

impl Program {
    /// From contacts at the start of the step and in its middle, half turned by the present spin.
    /// Gaps are those of the start, their rates those of the middle: `psi(nu) = gap + h G nu` is then
    /// right to second order in the rotation. Forces
    /// act where and as the contacts are at the start: the velocities of the scheme belong to the
    /// middle of the steps, and the force between two of them to the start of a step.
    pub fn new(
        frame: &Frame,
        contacts: Vec<[Contact; 2]>,
        clauses: Vec<Clause>,
        several: bool,
    ) -> Self {
        let Frame { model, state, h, settings, .. } = *frame;
        let mechanism = frame.mechanism();
        let mut normals = Jacobian::new(model);
        let mut targets = Vec::with_capacity(contacts.len());
        for [start, middle] in &contacts {
            normals.push_contact(model, state, middle, middle.normal);
            targets.push(frame.closing(start.gap) + normals.prescribed(targets.len()));
        }
        let contacts = contacts.into_iter().map(|c| c[0]).collect();
        let (form, layout) = (settings.problem_form, Layout::default());
        Self { contacts, clauses, mechanism, normals, targets, h, form, several, layout }
    }

    /// Gap of contact `k` at the end of the step with these velocities, by the linear model \[m\].
    pub fn end_gap(&self, k: usize, nu: &[f64]) -> f64 {
        self.h * (self.targets[k] + self.normals.times(k, nu))
    }

    /// Rate of the gap of contact `k` with velocities `nu` \[m/s\].
    pub fn rate(&self, k: usize, nu: &[f64]) -> f64 {
        self.normals.times(k, nu) + self.normals.prescribed(k)
    }

    /// Whether nothing needs to push: all clauses hold at the end of the free motion, and no joint
    /// row waits to be solved.
    pub fn rests(&self) -> bool {
        let satisfied =
            |c: &Clause| c.literals.iter().any(|&k| self.end_gap(k, self.free()) >= 0.0);
        self.mechanism.joints.bounded.is_empty() && self.clauses.iter().all(satisfied)
    }

    /// Writes down who pushes.
    pub fn lay_out(&mut self, frame: &Frame) {
        for k in 0..self.clauses.len() {
            let largest = self.clauses[k].largest(|i| self.end_gap(i, self.free()));
            let clause = &self.clauses[k];
            let safe = self.end_gap(largest, self.free()) >= 0.0;
            let base = if safe { largest } else { clause.active };
            self.clauses[k].base = base;
        }
        let mut pushes = Vec::new();
        for (k, clause) in self.clauses.iter().enumerate() {
            pushes.push(Push { clause: k, contact: clause.active });
        }
        if self.several {
            for (k, clause) in self.clauses.iter().enumerate() {
                let others = clause
                    .literals
                    .iter()
                    .copied()
                    .filter(|&i| i != clause.active && self.contacts[i].role == Role::Primary);
                pushes.extend(others.map(|contact| Push { clause: k, contact }));
            }
        }
        self.layout = self.friction(frame, pushes);
    }

    fn friction(&self, frame: &Frame, pushes: Vec<Push>) -> Layout {
        let Frame { model, state, settings, .. } = *frame;
        let mut normals = Jacobian::new(model);
        for p in &pushes {
            let c = &self.contacts[p.contact];
            normals.push_contact(model, state, c, c.normal);
        }
        let true_cone = settings.friction == Friction::Quadratic;
        let mut pushed: Vec<(usize, usize)> =
            pushes.iter().enumerate().map(|(i, p)| (p.contact, i)).collect();
        if !true_cone {
            pushed.sort_unstable();
            pushed.dedup_by_key(|p| p.0);
        }
        let (mut rough, mut directions) = (Vec::new(), Vec::new());
        let mut slips = Jacobian::new(model);
        for (contact, push) in pushed {
            let c = &self.contacts[contact];
            let mu = match settings.friction {
                Friction::None => 0.0,
                _ => model.material(c.a.body, c.b.body).friction,
            };
            if mu <= 0.0 {
                continue;
            }
            let slip = slip_velocity(frame, self.free(), c);
            let (dimension, n) = (model.dimension(), settings.friction_directions);
            let along = match true_cone {
                true => dimension.tangents(c.normal, -slip).to_vec(),
                false => friction_cone::directions(dimension, c.normal, slip, n),
            };
            let first = directions.len();
            for d in along.into_iter().filter(|d| *d != Vec3::ZERO) {
                slips.push_contact(model, state, c, d);
                directions.push(d);
            }
            rough.push(Rough { contact, push, mu, rows: first..directions.len() });
        }
        let (np, nf) = (pushes.len(), directions.len());
        let ns = if true_cone { 0 } else { rough.len() };
        let slack: usize = self.clauses.iter().map(|c| c.literals.len() - 1).sum();
        // One d for each push beyond a clause's active alternative.
        let bounded = &self.mechanism.joints.bounded;
        let size = np + nf + ns + slack + (np - self.clauses.len()) + bounded.len();
        let mut joints = Jacobian::new(model);
        for row in bounded {
            joints.push_blocks(row.blocks.iter().copied(), 0.0);
        }
        let order = true_cone.then(|| cone_order(np, size, nf, &rough));
        Layout { pushes, rough, forces: Some([normals, slips, joints]), directions, size, order }
    }

    /// The numbers of a problem in the order of the layout.
    pub fn in_order(&self, of_problem: &[f64]) -> Vec<f64> {
        let Some(order) = &self.layout.order else { return of_problem.to_vec() };
        let mut out = vec![0.0; order.len()];
        order.iter().zip(of_problem).for_each(|(&r, &x)| out[r] = x);
        out
    }

    /// Number of slip rows: one for each linearised cone.
    pub(super) fn n_slips(&self) -> usize {
        if self.layout.order.is_some() { 0 } else { self.layout.rough.len() }
    }

    /// Velocities at the end of the step without contact; joints hold.
    pub fn free(&self) -> &[f64] {
        &self.mechanism.free
    }

    /// Whether the velocities are unknowns of the problem. With joints they never are: joints are
    /// eliminated along their tree, together with the velocities.
    pub(super) fn keeps_velocities(&self) -> bool {
        let joints = self.mechanism.tree.is_some() || !self.mechanism.joints.bounded.is_empty();
        self.form == ProblemForm::Full && !joints && self.layout.order.is_none()
    }

    /// The force rows, each kind with the number of its first unknown.
    pub(super) fn force_rows(&self) -> impl Iterator<Item = (usize, &Jacobian)> {
        let all = self.layout.forces.iter().flatten();
        let joints = self.layout.size - self.mechanism.joints.bounded.len();
        all.zip([0, self.layout.pushes.len(), joints]).map(|(rows, first)| (first, rows))
    }

    fn n_velocities(&self) -> usize {
        if self.keeps_velocities() { self.free().len() } else { 0 }
    }

    /// Names of the unknowns across steps.
    pub fn keys(&self) -> Vec<u64> {
        let Layout { pushes, rough, size, .. } = &self.layout;
        let mut keys: Vec<u64> = (0..self.n_velocities()).map(|k| key([1, k as u64])).collect();
        let name = |k: usize| contact_key(&self.contacts[k]);
        let of_clause = |k: usize| {
            let all = self.clauses[k].literals.iter().map(|&i| name(i));
            all.fold(key([9]), |h, x| key([h, x]))
        };
        keys.extend(pushes.iter().map(|p| key([2, of_clause(p.clause), name(p.contact)])));
        for r in rough {
            let rows = r.rows.clone().enumerate();
            keys.extend(rows.map(|(k, _)| key([3, name(r.contact), k as u64])));
        }
        keys.extend(rough.iter().take(self.n_slips()).map(|r| key([4, name(r.contact)])));
        for (k, clause) in self.clauses.iter().enumerate() {
            let base = name(clause.base);
            keys.extend(clause.beside_base().map(|i| key([5, of_clause(k), base, name(i)])));
        }
        let extra = pushes.iter().skip(self.clauses.len());
        keys.extend(extra.map(|p| key([6, of_clause(p.clause), name(p.contact)])));
        let joints = self.mechanism.joints.bounded.iter();
        keys.extend(joints.map(|row| key([7, row.joint.index() as u64, row.place as u64])));
        debug_assert_eq!(keys.len(), self.n_velocities() + size);
        match &self.layout.order {
            Some(order) => order.iter().map(|&r| keys[r]).collect(),
            None => keys,
        }
    }

    /// Velocities at the end from a solution.
    pub fn velocity(&self, z: &[f64]) -> Vec<f64> {
        let mut change = vec![0.0; self.free().len()];
        let z = &z[self.n_velocities()..];
        for (first, rows) in self.force_rows() {
            for i in 0..rows.len() {
                rows.add_transposed(i, z[first + i], &mut change);
            }
        }
        self.mechanism.respond(&mut change);
        self.free().iter().zip(change).map(|(v, d)| v + d).collect()
    }

    /// Normal impulse of every clause, all its pushes together.
    pub fn clause_pushes(&self, z: &[f64]) -> Vec<f64> {
        let mut total = vec![0.0; self.clauses.len()];
        let z = &z[self.n_velocities()..];
        for (i, push) in self.layout.pushes.iter().enumerate() {
            total[push.clause] += z[i];
        }
        total
    }

    /// The contacts that push.
    pub fn pushing(&self, z: &[f64]) -> Vec<usize> {
        let pushes = self.layout.pushes.iter().zip(&z[self.n_velocities()..]);
        pushes.filter(|(_, p)| **p > 0.0).map(|(push, _)| push.contact).collect()
    }

    /// The clauses that a contact may push for.
    pub fn clauses_of(&self, contact: usize) -> impl Iterator<Item = &Clause> {
        let pushes = self.layout.pushes.iter().filter(move |p| p.contact == contact);
        pushes.map(|p| &self.clauses[p.clause])
    }

    /// Kinetic energy \[J\].
    fn energy(&self, nu: &[f64]) -> f64 {
        let width = self.normals.width();
        let mut sum = 0.0;
        for dof in (0..nu.len()).step_by(width) {
            let mut block = [0.0; 6];
            block[..width].copy_from_slice(&nu[dof..dof + width]);
            let momentum = self.mechanism.mass.times(dof, &block);
            sum += 0.5 * block.iter().zip(&momentum).map(|(v, p)| v * p).sum::<f64>();
        }
        sum
    }

    /// Whether the contacts added energy, beyond what it takes to undo an overlap or to follow a
    /// body with prescribed motion: inelastic contacts only take it. A problem that is not
    /// copositive may have such solutions.
    pub fn gains_energy(&self, z: &[f64]) -> bool {
        if !self.mechanism.joints.bounded.is_empty() {
            // Motors may give energy.
            return false;
        }
        let nu = self.velocity(z);
        let (before, after) = (self.energy(self.free()), self.energy(&nu));
        let z = &z[self.n_velocities()..];
        let pushes = self.layout.pushes.iter().enumerate();
        let given: f64 =
            pushes.map(|(i, push)| z[i] * (-self.targets[push.contact]).max(0.0)).sum();
        after > 1.01 * before + given + f64::MIN_POSITIVE
    }

    /// Clauses whose rows a failed solution violates; `None` if the problem does not tell.
    pub fn violated(&self, w: &[f64], z: &[f64], tolerance: f64) -> Vec<usize> {
        let first = self.n_velocities();
        let bad = |i: usize| z[i].min(w[i]).abs() > tolerance;
        let Layout { pushes, directions, .. } = &self.layout;
        let mut out: Vec<usize> = Vec::new();
        for (i, push) in pushes.iter().enumerate() {
            if bad(first + i) {
                out.push(push.clause);
            }
        }
        let mut at = first + pushes.len() + directions.len() + self.n_slips();
        for (k, clause) in self.clauses.iter().enumerate() {
            let n = clause.literals.len() - 1;
            if (at..at + n).any(bad) {
                out.push(k);
            }
            at += n;
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// The motion of a solution.
    pub fn motion(&self, z: Option<&[f64]>) -> StepMotion {
        let mut constraints = ConstraintCounts::default();
        for clause in &self.clauses {
            match clause.kind {
                ConstraintKind::Unilateral => constraints.unilateral += 1,
                ConstraintKind::Inter => constraints.inter += 1,
                ConstraintKind::Cross => constraints.cross += 1,
            }
        }
        let contacts = self.contacts.clone();
        let Some(z) = z else {
            return StepMotion {
                nu: self.free().to_vec(),
                contacts,
                constraints,
                ..Default::default()
            };
        };
        StepMotion {
            nu: self.velocity(z),
            contacts,
            forces: self.forces(&z[self.n_velocities()..]),
            joint_impulses: z[z.len() - self.mechanism.joints.bounded.len()..].to_vec(),
            constraints,
            ..Default::default()
        }
    }

    /// Impulses, one entry per contact that may push.
    fn forces(&self, z: &[f64]) -> Vec<ContactForce> {
        let Layout { pushes, rough, directions, .. } = &self.layout;
        let mut forces: Vec<ContactForce> = Vec::new();
        let mut place = vec![usize::MAX; self.contacts.len()];
        for (i, push) in pushes.iter().enumerate() {
            let (contact, kind) = (push.contact, self.clauses[push.clause].kind);
            if place[contact] == usize::MAX {
                place[contact] = forces.len();
                forces.push(ContactForce {
                    contact,
                    kind,
                    normal: 0.0,
                    friction: Vec3::ZERO,
                    torque: Vec3::ZERO,
                });
            }
            forces[place[contact]].normal += z[i];
        }
        for r in rough {
            let rows = r.rows.clone();
            let sum: Vec3 = rows.map(|f| directions[f] * z[pushes.len() + f]).sum();
            forces[place[r.contact]].friction += sum;
        }
        forces
    }
}

/// Rows of the pushes with their friction side by side, then all others.
fn cone_order(np: usize, size: usize, nf: usize, rough: &[Rough]) -> Vec<usize> {
    let mut order = Vec::with_capacity(size);
    let mut cones = rough.iter().peekable();
    for i in 0..np {
        order.push(i);
        if let Some(r) = cones.next_if(|r| r.push == i) {
            order.extend(r.rows.clone().map(|f| np + f));
        }
    }
    order.extend(np + nf..size);
    order
}
