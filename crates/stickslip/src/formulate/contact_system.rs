//! Contacts with linearised friction as a complementarity problem, in either of two forms.
//!
//! ```text
//! unknowns   p_n  normal impulses        0 <= p_n  ⟂  Gnᵀ nu + target          >= 0
//!            p_f  friction impulses      0 <= p_f  ⟂  Gfᵀ nu + drive + E s     >= 0
//!            s    slip speeds            0 <= s    ⟂  U p_n - Eᵀ p_f           >= 0
//! motion     nu = nu_free + M⁻¹ (Gn p_n + Gf p_f)
//! ```
//!
//! `target` is `psi / h + drive` for a gap that must not close below zero by the end of the step,
//! or a rebound. The condensed form puts the motion into the rows and is an LCP; the full form
//! keeps `nu` as free unknowns. Williams 2014, eq. 2.33-2.36.

use complementarity::{
    ContactRows, Lcp, Matrix, Mlcp, Problem, ProblemError,
    problem::{Csc, Factored},
};
use stickslip_geometry::Vec3;

use super::{ConstraintKind, ContactForce, Frame, Jacobian, MassMatrix, friction_cone};
use crate::{
    collide::Contact,
    settings::{Friction, ProblemForm},
};

/// The rows of some contacts, with everything that stays the same between passes of one step.
#[derive(Clone, Debug)]
pub struct ContactSystem {
    /// The contacts, each with one normal row.
    pub contacts: Vec<Contact>,
    /// Mass matrix at the start of the step.
    pub mass: MassMatrix,
    /// Velocities at the end of the step without contact.
    pub free: Vec<f64>,
    /// Normal rows, one per contact, then friction rows.
    pub jacobian: Jacobian,
    weighted: Jacobian,
    directions: Vec<Vec3>,
    /// Friction rows of contact `i`: `friction[i]..friction[i + 1]`, counted from the first.
    friction: Vec<usize>,
    mu: Vec<f64>,
    form: ProblemForm,
}

impl ContactSystem {
    /// Rows for these contacts at the start of the step.
    pub fn new(frame: &Frame, contacts: Vec<Contact>) -> Self {
        let Frame { model, state, h, settings, .. } = *frame;
        let mass = MassMatrix::new(model, state);
        let free = mass.free_velocity(model, state, h, settings.gyroscopic);
        let mut jacobian = Jacobian::new(model);
        for c in &contacts {
            jacobian.push_contact(model, state, c, c.normal);
        }
        let (mut directions, mut friction, mut mu) = (Vec::new(), vec![0], Vec::new());
        for c in &contacts {
            let coefficient = match settings.friction {
                Friction::None => 0.0,
                _ => model.material(c.a.body, c.b.body).friction,
            };
            mu.push(coefficient);
            if coefficient > 0.0 {
                let slip = slip_velocity(frame, &free, c);
                let dimension = model.dimension();
                let n = settings.friction_directions;
                for d in friction_cone::directions(dimension, c.normal, slip, n) {
                    jacobian.push_contact(model, state, c, d);
                    directions.push(d);
                }
            }
            friction.push(directions.len());
        }
        let weighted = jacobian.weighted(&mass);
        let form = settings.problem_form;
        Self { contacts, mass, free, jacobian, weighted, directions, friction, mu, form }
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.contacts.len()
    }

    /// Whether there are no contacts.
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty()
    }

    /// Number of impulses: normal and friction rows.
    fn n_impulses(&self) -> usize {
        self.jacobian.len()
    }

    fn n_velocities(&self) -> usize {
        match self.form {
            ProblemForm::Condensed => 0,
            ProblemForm::Full => self.free.len(),
        }
    }

    /// Contacts that have friction rows, in order; each has one slip row.
    fn rough(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&i| self.friction[i] < self.friction[i + 1])
    }

    /// Where the rows of each contact stand among impulses and slips, shifted by `first`.
    fn rows(&self, first: usize) -> Vec<ContactRows> {
        let (n, mut slip) = (self.len(), self.n_impulses());
        (0..n)
            .map(|i| {
                let friction = first + n + self.friction[i]..first + n + self.friction[i + 1];
                let has_slip = !friction.is_empty();
                slip += usize::from(has_slip);
                ContactRows {
                    normal: first + i,
                    friction,
                    slip: has_slip.then(|| first + slip - 1),
                    mu: self.mu[i],
                }
            })
            .collect()
    }

    /// The cone's own entries: E, U and -Eᵀ, shifted by `first`.
    fn cone_entries(&self, first: usize) -> Vec<(usize, usize, f64)> {
        let mut entries = Vec::new();
        for contact in self.rows(first) {
            let Some(slip) = contact.slip else { continue };
            entries.push((slip, contact.normal, contact.mu));
            for f in contact.friction {
                entries.push((f, slip, 1.0));
                entries.push((slip, f, -1.0));
            }
        }
        entries
    }

    /// The problem whose normal rows are `Gnᵀ nu + target`, starting from the velocities `nu0`.
    pub fn problem(&self, nu0: &[f64], target: &[f64]) -> Result<Problem, ProblemError> {
        match self.form {
            ProblemForm::Condensed => self.condensed(nu0, target),
            ProblemForm::Full => self.full(nu0, target),
        }
    }

    /// Constant part of the impulse rows, without the motion.
    fn constants(&self, target: &[f64]) -> impl Iterator<Item = f64> + '_ {
        let target = target.to_vec();
        let n = self.len();
        let rest = (n..self.n_impulses()).map(|r| self.jacobian.drive(r));
        target.into_iter().take(n).chain(rest)
    }

    fn condensed(&self, nu0: &[f64], target: &[f64]) -> Result<Problem, ProblemError> {
        let size = self.n_impulses() + self.rough().count();
        let mut b: Vec<f64> = self
            .constants(target)
            .enumerate()
            .map(|(r, c)| self.jacobian.times(r, nu0) + c)
            .collect();
        b.resize(size, 0.0);
        let matrix = Matrix::Factored(Box::new(Factored {
            left: self.jacobian.to_columns(self.free.len(), size).transpose(),
            right: self.weighted.to_columns(self.free.len(), size),
            rest: Csc::from_triplets(size, size, &self.cone_entries(0)),
        }));
        Ok(Problem::Lcp(Lcp::new(matrix, b)?.with_contacts(self.rows(0))))
    }

    fn full(&self, nu0: &[f64], target: &[f64]) -> Result<Problem, ProblemError> {
        let (nv, np) = (self.free.len(), self.n_impulses());
        let size = nv + np + self.rough().count();
        let mut entries = self.mass.entries();
        let width = self.jacobian.width();
        for r in 0..np {
            for block in self.jacobian.row(r) {
                for (j, &x) in block.value.iter().enumerate().take(width) {
                    entries.push((block.dof + j, nv + r, -x));
                    entries.push((nv + r, block.dof + j, x));
                }
            }
        }
        entries.extend(self.cone_entries(nv));
        let mut b = vec![0.0; nv];
        for dof in (0..nv).step_by(width) {
            let mut block = [0.0; 6];
            block[..width].copy_from_slice(&nu0[dof..dof + width]);
            let momentum = self.mass.times(dof, &block);
            for (b, p) in b[dof..dof + width].iter_mut().zip(momentum) {
                *b = -p;
            }
        }
        b.extend(self.constants(target));
        b.resize(size, 0.0);
        let mut lower = vec![f64::NEG_INFINITY; nv];
        lower.resize(size, 0.0);
        let matrix = Matrix::Sparse(Csc::from_triplets(size, size, &entries));
        let problem = Mlcp::new(matrix, b, lower, vec![f64::INFINITY; size])?;
        Ok(Problem::Mlcp(problem.with_contacts(self.rows(nv))))
    }

    /// Names of the unknowns across steps.
    pub fn keys(&self) -> Vec<u64> {
        let mut keys: Vec<u64> = (0..self.n_velocities()).map(|k| key(&[1, k as u64])).collect();
        let name = |i: usize| contact_key(&self.contacts[i]);
        keys.extend((0..self.len()).map(|i| key(&[2, name(i)])));
        for i in 0..self.len() {
            let rows = self.friction[i]..self.friction[i + 1];
            keys.extend(rows.enumerate().map(|(k, _)| key(&[3, name(i), k as u64])));
        }
        keys.extend(self.rough().map(|i| key(&[4, name(i)])));
        keys
    }

    /// Impulses (normal rows, then friction rows) from a solution.
    pub fn impulses<'a>(&self, z: &'a [f64]) -> &'a [f64] {
        &z[self.n_velocities()..self.n_velocities() + self.n_impulses()]
    }

    /// `nu0 + M⁻¹ G p`.
    pub fn velocity(&self, nu0: &[f64], impulses: &[f64]) -> Vec<f64> {
        let mut nu = nu0.to_vec();
        for (r, &p) in impulses.iter().enumerate().filter(|(_, p)| **p != 0.0) {
            self.weighted.add_transposed(r, p, &mut nu);
        }
        nu
    }

    /// Impulses as vectors, contact by contact.
    pub fn forces(&self, impulses: &[f64]) -> Vec<ContactForce> {
        let n = self.len();
        (0..n)
            .map(|i| {
                let rows = self.friction[i]..self.friction[i + 1];
                let friction = rows.map(|k| self.directions[k] * impulses[n + k]).sum();
                let (contact, kind) = (i, ConstraintKind::Unilateral);
                ContactForce { contact, kind, normal: impulses[i], friction }
            })
            .collect()
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

/// A name of a contact that stays the same while the same features are near each other.
pub(super) fn contact_key(c: &Contact) -> u64 {
    use crate::collide::Feature::{Edge, Face, Smooth, Vertex};
    let feature = |f| match f {
        Vertex(i) => u64::from(i) << 2,
        Edge(i) => u64::from(i) << 2 | 1,
        Face(i) => u64::from(i) << 2 | 2,
        Smooth(i) => u64::from(i) << 2 | 3,
    };
    let side =
        |s: &crate::collide::Side| [s.body.index() as u64, u64::from(s.part), feature(s.feature)];
    let ([a, b, c1], [d, e, f]) = (side(&c.a), side(&c.b));
    key(&[a, b, c1, d, e, f])
}

/// Mixes numbers into one that is never zero. A collision merely spoils a guess.
pub(super) fn key(parts: &[u64]) -> u64 {
    let mixed = parts.iter().fold(0x9e37_79b9_7f4a_7c15_u64, |h, &x| {
        (h ^ x).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29) ^ (h >> 31)
    });
    mixed | 1
}
