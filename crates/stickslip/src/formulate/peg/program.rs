//! Clauses as a complementarity problem.
//!
//! ```text
//! gap rates    psi_k = gap_k / h + drive_k + G_kᵀ nu           of every contact
//! largest      m     = psi_base + c_2 + ... + c_n              of every clause
//!              0 <= c_k  ⟂  psi_base + c_2 + ... + c_k - psi_k >= 0            (4.10)
//! forces       0 <= p    ⟂  m >= 0                             at its head      (4.14)
//!              0 <= p_i  ⟂  m + d_i >= 0                       at other primaries (4.13)
//!              0 <= d_i  ⟂  psi_i + d_i >= 0                                   (4.12)
//! friction     0 <= p_f  ⟂  G_fᵀ nu + drive + E s >= 0                         (4.48)
//!              0 <= s    ⟂  mu (sum of p at the contact) - Eᵀ p_f >= 0         (4.49)
//! motion       nu = nu_free + M⁻¹ (G p + G_f p_f)
//! ```
//!
//! The maximum may be written from any of its contacts. From the one that is largest at the end
//! of the free motion all `c` are zero there, and a clause that nothing threatens solves itself.

use stickslip_geometry::Vec3;

use super::clause::Clause;
use crate::{
    collide::{Contact, Role, Side},
    formulate::{
        ConstraintCounts, ConstraintKind, ContactForce, Frame, Jacobian, MassMatrix, StepMotion,
        contact_system::{contact_key, key, slip_velocity},
        friction_cone,
    },
    settings::{Friction, ProblemForm},
};

/// Everything of one step that does not depend on which clause pushes where.
#[derive(Debug)]
pub(super) struct Program {
    /// At the start of the step.
    pub contacts: Vec<Contact>,
    pub clauses: Vec<Clause>,
    pub(super) mass: MassMatrix,
    /// Velocities at the end of the step without contact.
    pub free: Vec<f64>,
    /// One row per contact.
    pub(super) normals: Jacobian,
    /// `gap / h + drive` of every contact.
    pub(super) targets: Vec<f64>,
    h: f64,
    pub(super) form: ProblemForm,
    /// Whether every primary contact of a clause may push.
    several: bool,
    pub(super) layout: Layout,
}

/// Unknowns of the present problem, in this order: velocities (full form), pushes, friction,
/// slips, then the `c` and `d` of every clause.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub pushes: Vec<Push>,
    pub rough: Vec<Rough>,
    /// Normal rows of the pushes, then friction rows.
    pub forces: Option<[Jacobian; 2]>,
    pub directions: Vec<Vec3>,
    pub size: usize,
}

/// A normal impulse: of which clause, at which contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Push {
    pub clause: usize,
    pub contact: usize,
}

/// A contact with friction: its rows among the friction rows.
#[derive(Clone, Debug)]
pub(super) struct Rough {
    pub contact: usize,
    pub mu: f64,
    pub rows: std::ops::Range<usize>,
}

impl Program {
    /// From contacts at the start of the step and in its middle, half turned by the present spin.
    /// Gaps and normals are those of the middle, less the turning that they have in them already:
    /// `psi(nu) = gap + h G (nu - spin / 2)`, which is right to second order in the rotation. Forces
    /// act where and as the contacts are at the start: the velocities of the scheme belong to the
    /// middle of the steps, and the force between two of them to the start of a step.
    pub fn new(
        frame: &Frame,
        contacts: Vec<[Contact; 2]>,
        clauses: Vec<Clause>,
        several: bool,
    ) -> Self {
        let Frame { model, state, h, settings, .. } = *frame;
        let mass = MassMatrix::new(model, state);
        let free = mass.free_velocity(model, state, h, settings.gyroscopic);
        let mut normals = Jacobian::new(model);
        let mut targets = Vec::with_capacity(contacts.len());
        for [start, middle] in &contacts {
            normals.push_contact(model, state, middle, middle.normal);
            let spin = if start == middle { 0.0 } else { 0.5 * spin_rate(frame, middle) };
            targets.push(middle.gap / h + normals.drive(targets.len()) - spin);
        }
        let contacts = contacts.into_iter().map(|c| c[0]).collect();
        let (form, layout) = (settings.problem_form, Layout::default());
        Self { contacts, clauses, mass, free, normals, targets, h, form, several, layout }
    }

    /// Gap of contact `k` at the end of the step with these velocities, by the linear model \[m\].
    pub fn end_gap(&self, k: usize, nu: &[f64]) -> f64 {
        self.h * (self.targets[k] + self.normals.times(k, nu))
    }

    /// Rate of the gap of contact `k` with velocities `nu` \[m/s\].
    pub fn rate(&self, k: usize, nu: &[f64]) -> f64 {
        self.normals.times(k, nu) + self.normals.drive(k)
    }

    /// Whether all clauses hold at the end of the free motion.
    pub fn holds(&self, nu: &[f64]) -> bool {
        let satisfied = |c: &Clause| c.literals.iter().any(|&k| self.end_gap(k, nu) >= 0.0);
        self.clauses.iter().all(satisfied)
    }

    /// Writes down who pushes.
    pub fn lay_out(&mut self, frame: &Frame) {
        for k in 0..self.clauses.len() {
            let largest = self.clauses[k].largest(|i| self.end_gap(i, &self.free));
            let clause = &self.clauses[k];
            let safe = self.end_gap(largest, &self.free) >= 0.0;
            let base = if safe { largest } else { clause.head };
            self.clauses[k].base = base;
        }
        let mut pushes = Vec::new();
        for (k, clause) in self.clauses.iter().enumerate() {
            pushes.push(Push { clause: k, contact: clause.head });
        }
        if self.several {
            for (k, clause) in self.clauses.iter().enumerate() {
                let others = clause
                    .literals
                    .iter()
                    .copied()
                    .filter(|&i| i != clause.head && self.contacts[i].role == Role::Primary);
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
        let mut pushed: Vec<usize> = pushes.iter().map(|p| p.contact).collect();
        pushed.sort_unstable();
        pushed.dedup();
        let (mut rough, mut directions) = (Vec::new(), Vec::new());
        let mut slips = Jacobian::new(model);
        for contact in pushed {
            let c = &self.contacts[contact];
            let mu = match settings.friction {
                Friction::None => 0.0,
                _ => model.material(c.a.body, c.b.body).friction,
            };
            if mu <= 0.0 {
                continue;
            }
            let slip = slip_velocity(frame, &self.free, c);
            let n = settings.friction_directions;
            let first = directions.len();
            for d in friction_cone::directions(model.dimension(), c.normal, slip, n) {
                slips.push_contact(model, state, c, d);
                directions.push(d);
            }
            rough.push(Rough { contact, mu, rows: first..directions.len() });
        }
        let (np, nf, ns) = (pushes.len(), directions.len(), rough.len());
        let slack: usize = self.clauses.iter().map(|c| c.literals.len() - 1).sum();
        // One d for each push beyond a clause's head.
        let size = np + nf + ns + slack + (np - self.clauses.len());
        Layout { pushes, rough, forces: Some([normals, slips]), directions, size }
    }

    fn n_velocities(&self) -> usize {
        match self.form {
            ProblemForm::Condensed => 0,
            ProblemForm::Full => self.free.len(),
        }
    }

    /// Names of the unknowns across steps.
    pub fn keys(&self) -> Vec<u64> {
        let Layout { pushes, rough, size, .. } = &self.layout;
        let mut keys: Vec<u64> = (0..self.n_velocities()).map(|k| key(&[1, k as u64])).collect();
        let name = |k: usize| contact_key(&self.contacts[k]);
        let of_clause = |k: usize| {
            let all = self.clauses[k].literals.iter().map(|&i| name(i));
            all.fold(key(&[9]), |h, x| key(&[h, x]))
        };
        keys.extend(pushes.iter().map(|p| key(&[2, of_clause(p.clause), name(p.contact)])));
        for r in rough {
            let rows = r.rows.clone().enumerate();
            keys.extend(rows.map(|(k, _)| key(&[3, name(r.contact), k as u64])));
        }
        keys.extend(rough.iter().map(|r| key(&[4, name(r.contact)])));
        for (k, clause) in self.clauses.iter().enumerate() {
            let base = name(clause.base);
            keys.extend(clause.rest().map(|i| key(&[5, of_clause(k), base, name(i)])));
        }
        let extra = pushes.iter().skip(self.clauses.len());
        keys.extend(extra.map(|p| key(&[6, of_clause(p.clause), name(p.contact)])));
        debug_assert_eq!(keys.len(), self.n_velocities() + size);
        keys
    }

    /// Velocities at the end from a solution.
    pub fn velocity(&self, z: &[f64]) -> Vec<f64> {
        let mut impulse = vec![0.0; self.free.len()];
        let z = &z[self.n_velocities()..];
        if let Some([pushes, slips]) = &self.layout.forces {
            for (first, jacobian) in [(0, pushes), (pushes.len(), slips)] {
                for i in 0..jacobian.len() {
                    jacobian.add_transposed(i, z[first + i], &mut impulse);
                }
            }
        }
        let mut nu = self.free.clone();
        let width = self.normals.width();
        for dof in (0..nu.len()).step_by(width) {
            let mut block = [0.0; 6];
            block[..width].copy_from_slice(&impulse[dof..dof + width]);
            let change = self.mass.inverse_times(dof, &block);
            nu[dof..dof + width].iter_mut().zip(change).for_each(|(v, d)| *v += d);
        }
        nu
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

    /// Clauses whose rows a failed solution violates; `None` if the problem does not tell.
    pub fn violated(&self, w: &[f64], z: &[f64], tolerance: f64) -> Vec<usize> {
        let first = self.n_velocities();
        let bad = |i: usize| z[i].min(w[i]).abs() > tolerance;
        let Layout { pushes, rough, directions, .. } = &self.layout;
        let mut out: Vec<usize> = Vec::new();
        for (i, push) in pushes.iter().enumerate() {
            if bad(first + i) {
                out.push(push.clause);
            }
        }
        let mut at = first + pushes.len() + directions.len() + rough.len();
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
                nu: self.free.clone(),
                contacts,
                constraints,
                ..Default::default()
            };
        };
        StepMotion {
            nu: self.velocity(z),
            contacts,
            forces: self.forces(&z[self.n_velocities()..]),
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
                forces.push(ContactForce { contact, kind, normal: 0.0, friction: Vec3::ZERO });
            }
            forces[place[contact]].normal += z[i];
        }
        for r in rough {
            let rows = r.rows.clone();
            let sum: Vec3 = rows.map(|f| directions[f] * z[pushes.len() + f]).sum();
            forces[place[r.contact]].friction = sum;
        }
        forces
    }
}

/// Rate of a gap by the present spins of the two bodies alone \[m/s\].
fn spin_rate(frame: &Frame, c: &Contact) -> f64 {
    let at = |side: &Side| {
        let r = side.point - frame.state.pose(side.body).position;
        frame.state.twist(side.body).angular.cross(r)
    };
    c.normal.dot(at(&c.b) - at(&c.a))
}
