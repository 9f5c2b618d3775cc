//! Contacts with friction as a complementarity problem, in either of two forms with the
//! linearised cone; the true cone is in `true_cone`.
//!
//! ```text
//! unknowns   p_n  normal impulses        0 <= p_n  ⟂  Gnᵀ nu + target          >= 0
//!            p_f  friction impulses      0 <= p_f  ⟂  Gfᵀ nu + drive + E s     >= 0
//!            s    slip speeds            0 <= s    ⟂  U p_n - Eᵀ p_f           >= 0
//!            p_j  joint impulses         l <= p_j <= u  ⟂  Gjᵀ nu + C p_j + c
//! motion     nu = nu_free + M⁻¹ (Gn p_n + Gf p_f + Gj p_j)
//! ```
//!
//! `target` is `psi / h + drive` for a gap that must not close below zero by the end of the step,
//! or a rebound. `p_j` are limits, friction and motors of joints
//! ([`joint_rows`](crate::dynamics::joint_rows)). The condensed form puts the motion into the rows: there
//! M⁻¹ is the inverse mass of the mechanisms, the bilateral joint impulses having been eliminated
//! along the tree ([`tree`](crate::dynamics::tree)); it is an LCP unless some `p_j` has other bounds. The
//! full form keeps `nu` and the bilateral impulses as free unknowns of a mixed LCP. Williams 2014,
//! eq. 2.33-2.37.

use complementarity::{
    ContactRows, Lcp, Matrix, Mlcp, Problem, ProblemError,
    problem::{Csc, Factored},
};
use stickslip_geometry::Vec3;

use super::{ConstraintKind, ContactForce, Frame, friction_cone};
use crate::{
    collide::Contact,
    dynamics::{BoundedRow, Jacobian, JointRows, JointTree, MassMatrix, Mechanism, Whitened},
    settings::{Friction, ProblemForm},
};

/// The rows of some contacts, with everything that stays the same between passes of one step.
#[derive(Clone, Debug)]
pub struct ContactSystem {
    /// The contacts, each with one normal row.
    pub contacts: Vec<Contact>,
    /// Mass matrix at the start of the step.
    pub mass: MassMatrix,
    /// Velocities at the end of the step without contact; joints hold.
    pub free: Vec<f64>,
    /// Normal rows, one per contact, then friction rows, then joint rows with bounds.
    pub jacobian: Jacobian,
    /// Rows of the joints.
    pub joints: JointRows,
    /// The bilateral rows factorised.
    tree: Option<JointTree>,
    /// `M⁻¹ G`, row by row, where there are joints; else a product with one mass per body.
    weighted: Option<Jacobian>,
    directions: Vec<Vec3>,
    /// Friction rows of contact `i`: `friction[i]..friction[i + 1]`, counted from the first.
    friction: Vec<usize>,
    mu: Vec<f64>,
    form: ProblemForm,
    true_cone: bool,
}

impl ContactSystem {
    /// Rows for these contacts at the start of the step.
    pub fn new(frame: &Frame, contacts: Vec<Contact>) -> Self {
        let Frame { model, settings, state, .. } = *frame;
        let mechanism = Mechanism::new(frame);
        let dimension = model.dimension();
        let wheel = friction_cone::Wheel::new(dimension, settings.friction_directions);
        let (n, n_directions) = (contacts.len(), contacts.len() * wheel.len());
        let mut jacobian = Jacobian::with_room(model, n + n_directions);
        for c in &contacts {
            jacobian.push_contact(model, state, c, c.normal);
        }
        let mut directions = Vec::with_capacity(n_directions);
        let (mut friction, mut mu) = (Vec::with_capacity(n + 1), Vec::with_capacity(n));
        friction.push(0);
        for c in &contacts {
            let coefficient = match settings.friction {
                Friction::None => 0.0,
                _ => model.material(c.a.body, c.b.body).friction,
            };
            mu.push(coefficient);
            if coefficient > 0.0 {
                let slip = slip_velocity(frame, &mechanism.free, c);
                let first = directions.len();
                match settings.friction {
                    Friction::Quadratic => {
                        let both = dimension.tangents(c.normal, -slip).into_iter();
                        // in the plane there is but one
                        directions.extend(both.filter(|d| *d != Vec3::ZERO));
                    }
                    _ => directions.extend(wheel.at(c.normal, slip)),
                }
                jacobian.push_directions(model, state, c, &directions[first..]);
            }
            friction.push(directions.len());
        }
        for row in &mechanism.joints.bounded {
            jacobian.push_blocks(row.blocks.iter().copied(), 0.0);
        }
        let weighted =
            mechanism.tree.as_ref().map(|tree| jacobian.weighted_by(tree, &mechanism.mass));
        let Mechanism { mass, free, joints, tree } = mechanism;
        let form = settings.problem_form;
        Self {
            contacts,
            mass,
            free,
            jacobian,
            joints,
            tree,
            weighted,
            directions,
            friction,
            mu,
            form,
            true_cone: settings.friction == Friction::Quadratic,
        }
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.contacts.len()
    }

    /// Whether nothing is left to solve: no contacts, and no joint rows with bounds.
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty() && self.joints.bounded.is_empty()
    }

    /// Number of the first joint row among the impulses.
    pub fn first_joint_row(&self) -> usize {
        self.n_impulses() - self.joints.bounded.len()
    }

    /// Number of impulses: normal, friction and joint rows.
    pub(super) fn n_impulses(&self) -> usize {
        self.jacobian.len()
    }

    /// Free unknowns that come first: velocities, then bilateral impulses.
    pub(super) fn n_free(&self) -> usize {
        match self.form {
            ProblemForm::Condensed => 0,
            ProblemForm::Full => self.free.len() + self.independent().len(),
        }
    }

    /// Numbers of the bilateral rows without those that repeat others.
    pub(super) fn independent(&self) -> Vec<usize> {
        let Some(tree) = &self.tree else { return Vec::new() };
        let keep = tree.independent();
        (0..keep.len()).filter(|&i| keep[i]).collect()
    }

    /// Contacts that have friction rows, in order; each has one slip row.
    pub(super) fn rough(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&i| self.friction[i] < self.friction[i + 1])
    }

    /// Where the rows of each contact stand among impulses and slips, shifted by `first`.
    pub(super) fn rows(&self, first: usize) -> Vec<ContactRows> {
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
    pub(super) fn cone_entries(&self, first: usize) -> Vec<(usize, usize, f64)> {
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

    /// The same with the soft joint rows as a matrix: normals, friction, joint rows and slips come
    /// one after the other, so that its columns can be written in their order.
    fn rest(&self, rows: &[ContactRows], size: usize) -> Csc {
        let n_friction = self.directions.len();
        let most = rows.len() + 2 * n_friction + self.joints.bounded.len();
        let mut start = Vec::with_capacity(size + 1);
        let (mut index, mut values) = (Vec::with_capacity(most), Vec::with_capacity(most));
        start.push(0);
        let mut column = |rows: std::ops::Range<usize>, x: f64| {
            index.extend(rows.clone());
            values.resize(index.len(), x);
            start.push(index.len());
        };
        let at = |row: Option<usize>| row.map_or(0..0, |i| i..i + 1);
        rows.iter().for_each(|c| column(at(c.slip), c.mu));
        for c in rows {
            c.friction.clone().for_each(|_| column(at(c.slip), -1.0));
        }
        for (k, row) in self.joints.bounded.iter().enumerate() {
            let soft = (row.compliance > 0.0).then_some(self.first_joint_row() + k);
            column(at(soft), row.compliance);
        }
        rows.iter().filter(|c| c.slip.is_some()).for_each(|c| column(c.friction.clone(), 1.0));
        Csc { rows: size, cols: size, start, index, values }
    }

    /// The problem whose normal rows are `Gnᵀ nu + target`, starting from the velocities `nu0`.
    pub fn problem(&self, nu0: &[f64], target: &[f64]) -> Result<Problem, ProblemError> {
        match self.form {
            _ if self.true_cone => self.cone_problem(nu0, target),
            ProblemForm::Condensed => self.condensed(nu0, target),
            ProblemForm::Full => self.full(nu0, target),
        }
    }

    /// Friction rows of contact `i`, counted from the first friction row.
    pub(super) fn friction_rows(&self, i: usize) -> std::ops::Range<usize> {
        self.friction[i]..self.friction[i + 1]
    }

    /// Coefficient of friction of contact `i`.
    pub(super) fn mu(&self, i: usize) -> f64 {
        self.mu[i]
    }

    /// Constant part of the impulse rows, without the motion.
    pub(super) fn constants<'a>(&'a self, target: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let n = self.len();
        let friction = (n..self.first_joint_row()).map(|r| self.jacobian.drive(r));
        let joints = self.joints.bounded.iter().map(|row| row.constant);
        target.iter().copied().take(n).chain(friction).chain(joints)
    }

    /// Lower and upper bounds of all unknowns.
    pub(super) fn bounds(&self, n_free: usize, size: usize) -> (Vec<f64>, Vec<f64>) {
        let mut lower = vec![0.0; size];
        let mut upper = vec![f64::INFINITY; size];
        lower[..n_free].fill(f64::NEG_INFINITY);
        for (k, row) in self.joints.bounded.iter().enumerate() {
            let i = n_free + self.first_joint_row() + k;
            (lower[i], upper[i]) = (row.lower, row.upper);
        }
        (lower, upper)
    }

    /// Entries of soft joint rows, shifted by `first`.
    pub(super) fn soft_entries(
        &self,
        first: usize,
    ) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let start = first + self.first_joint_row();
        let rows = self.joints.bounded.iter().enumerate();
        rows.filter(|(_, row)| row.compliance > 0.0)
            .map(move |(k, row)| (start + k, start + k, row.compliance))
    }

    /// `Gᵀ M⁻¹ G` of these rows (in any order) as a product: over the velocities, or with joints
    /// over the freedoms they leave.
    pub(super) fn factors(&self, rows: &Jacobian, size: usize) -> (Csc, Csc) {
        let nv = self.free.len();
        let Some(tree) = &self.tree else {
            let right = rows.whitened_columns(&self.mass, size);
            return (right.transpose(), right);
        };
        match Whitened::new(tree) {
            Some(whitened) => {
                let right = whitened.columns(tree, rows, size);
                (right.transpose(), right)
            }
            None => {
                let weighted = rows.weighted_by(tree, &self.mass);
                (rows.to_columns(nv, size).transpose(), weighted.to_columns(nv, size))
            }
        }
    }

    fn condensed(&self, nu0: &[f64], target: &[f64]) -> Result<Problem, ProblemError> {
        let size = self.n_impulses() + self.rough().count();
        let mut b = Vec::with_capacity(size);
        let constants = self.constants(target).enumerate();
        b.extend(constants.map(|(r, c)| self.jacobian.times(r, nu0) + c));
        b.resize(size, 0.0);
        let (left, right) = self.factors(&self.jacobian, size);
        let contacts = self.rows(0);
        let rest = self.rest(&contacts, size);
        let matrix = Matrix::Factored(Box::new(Factored { left, right, rest }));
        let plain = |row: &BoundedRow| row.lower == 0.0 && row.upper == f64::INFINITY;
        Ok(if self.joints.bounded.iter().all(plain) {
            Problem::Lcp(Lcp::new(matrix, b)?.with_contacts(contacts))
        } else {
            let (lower, upper) = self.bounds(0, size);
            Problem::Mlcp(Mlcp::new(matrix, b, lower, upper)?.with_contacts(contacts))
        })
    }

    /// Names of the unknowns across steps.
    pub fn keys(&self) -> Vec<u64> {
        let n_free = if self.true_cone { 0 } else { self.n_free() };
        let mut keys = Vec::with_capacity(n_free + self.n_impulses() + self.len());
        keys.extend((0..n_free).map(|k| key(&[1, k as u64])));
        let names = contact_names(&self.contacts);
        keys.extend(names.iter().map(|&name| key(&[2, name])));
        for (i, &name) in names.iter().enumerate() {
            let rows = self.friction[i]..self.friction[i + 1];
            keys.extend(rows.enumerate().map(|(k, _)| key(&[3, name, k as u64])));
        }
        let joint_key = |row: &BoundedRow| key(&[5, row.joint.index() as u64, row.place as u64]);
        keys.extend(self.joints.bounded.iter().map(joint_key));
        if self.true_cone {
            return self.cone_order().into_iter().map(|r| keys[r]).collect();
        }
        keys.extend(self.rough().map(|i| key(&[4, names[i]])));
        keys
    }

    /// Impulses (normal rows, friction rows, joint rows) from a solution.
    pub fn impulses(&self, z: &[f64]) -> Vec<f64> {
        if self.true_cone {
            let mut impulses = vec![0.0; self.n_impulses()];
            self.cone_order().into_iter().zip(z).for_each(|(r, &p)| impulses[r] = p);
            return impulses;
        }
        z[self.n_free()..self.n_free() + self.n_impulses()].to_vec()
    }

    /// `nu0 + M⁻¹ G p`.
    pub fn velocity(&self, nu0: &[f64], impulses: &[f64]) -> Vec<f64> {
        let mut change = vec![0.0; nu0.len()];
        let jacobian = self.weighted.as_ref().unwrap_or(&self.jacobian);
        for (r, &p) in impulses.iter().enumerate().filter(|(_, p)| **p != 0.0) {
            jacobian.add_transposed(r, p, &mut change);
        }
        if self.weighted.is_none() {
            self.mass.solve(&mut change);
        }
        nu0.iter().zip(change).map(|(nu, change)| nu + change).collect()
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

/// Names of contacts, those of the same features told apart by their order.
fn contact_names(contacts: &[Contact]) -> Vec<u64> {
    let mut names: Vec<u64> = contacts.iter().map(contact_key).collect();
    for (i, c) in contacts.iter().enumerate().rev() {
        let pair = |o: &usize| (contacts[*o].a.body, contacts[*o].b.body) == (c.a.body, c.b.body);
        let before = (0..i).rev().take_while(pair);
        match before.filter(|&o| names[o] == names[i]).count() {
            0 => {}
            alike => names[i] = key(&[names[i], alike as u64]),
        }
    }
    names
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
