//! Contacts as a problem of one of the other classes, and solutions back.
//!
//! An LCP where all rows of their own lie in `[0, inf)` and no friction cone is round, a mixed LCP
//! where some have other bounds, a cone problem where contacts in space have round friction cones.
//!
//! Unknowns of the (mixed) LCP, a friction polygon with corners `d_k` and impulses `beta_k >= 0`
//! along those (Anitescu and Potra 1997), s its slip speed:
//!
//! ```text
//! normals of all contacts, beta of all contacts, other rows, slips of all rough contacts
//! u_n >= 0,     d_k . u_t + s >= 0,     mu p_n - sum_k beta_k >= 0
//! ```
//!
//! Cones: the rows of the contacts one contact after the other, then the other rows.

use crate::contact::system::System;
use crate::problem::{
    Cone, ConeRows, ContactProblem, ContactRows, Csc, Factored, Law, Lcp, Matrix, Mlcp, Problem,
    ProblemError,
};

/// A problem derived from contacts, with the way back.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
    /// The problem; its matrix is `J Jᵀ + D`, kept as factors.
    pub problem: Problem,
    places: Vec<Place>,
}

/// Where the unknowns of a block stand.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Place {
    /// A row of its own.
    Row(usize),
    /// Rows of a cone problem, normal first.
    Cone(std::ops::Range<usize>),
    /// A normal, the corners of a polygon and a slip.
    Pyramid(ContactRows),
}

/// The contacts that a problem was made of, where its matrix is `J Jᵀ + D` with nothing in D but the
/// rows of friction pyramids and compliances; in the order of its contacts, then of other rows.
pub fn read(problem: &Problem) -> Option<ContactProblem> {
    System::read(problem).map(|system| system.contacts)
}

impl Reduced {
    /// Reduces; an error where the numbers are not finite, or where round cones and polygons in
    /// space occur together, which no class holds.
    pub fn new(contacts: &ContactProblem) -> Result<Self, ProblemError> {
        contacts.validate()?;
        let round = |c: usize| {
            matches!(contacts.law(c), Law::Disc { mu } if mu > 0.0) && contacts.dim(c) == 3
        };
        match (0..contacts.len()).any(round) {
            true => cones(contacts),
            false => pyramids(contacts),
        }
    }

    /// Unknowns of the problem that [`Reduced::new`] makes of contacts without round cones.
    pub fn size(contacts: &ContactProblem) -> usize {
        let unknowns = |c| corners(contacts.law(c)).map_or(1, |n| 1 + n + usize::from(n > 0));
        (0..contacts.len()).map(unknowns).sum()
    }

    /// Unknowns of the problem for these impulses, with the slip speeds that they lead to.
    pub fn start(&self, impulses: &[[f64; 3]]) -> Vec<f64> {
        let mut z = vec![0.0; self.problem.size()];
        self.places.iter().zip(impulses).for_each(|(place, p)| place.write(p, &mut z));
        let slips = self.places.iter().filter_map(|place| match place {
            Place::Pyramid(ContactRows { slip: Some(slip), friction, .. }) => {
                Some((*slip, friction))
            }
            _ => None,
        });
        let w = self.problem.matrix().times_plus(&z, self.problem.b());
        for (slip, friction) in slips {
            z[slip] = w[friction.clone()].iter().fold(0.0, |s, w| s.max(-w));
        }
        z
    }

    /// Impulses of the blocks from the unknowns of the problem.
    pub fn impulses(&self, z: &[f64]) -> Vec<[f64; 3]> {
        self.places.iter().map(|place| place.read(z)).collect()
    }
}

impl Place {
    /// The impulses of a block.
    pub(crate) fn read(&self, z: &[f64]) -> [f64; 3] {
        let mut p = [0.0; 3];
        match self {
            Self::Row(i) => p[0] = z[*i],
            Self::Cone(rows) => p.iter_mut().zip(&z[rows.clone()]).for_each(|(p, z)| *p = *z),
            Self::Pyramid(contact) => {
                p[0] = z[contact.normal];
                let beta = &z[contact.friction.clone()];
                let sector = std::f64::consts::TAU / beta.len().max(1) as f64;
                for (k, b) in beta.iter().enumerate() {
                    let (sin, cos) = (k as f64 * sector).sin_cos();
                    p[1] += b * cos;
                    p[2] += b * sin;
                }
                if beta.len() < 3 {
                    p[2] = 0.0;
                }
            }
        }
        p
    }

    /// The unknowns of a block, but for its slip.
    pub(crate) fn write(&self, p: &[f64; 3], z: &mut [f64]) {
        match self {
            Self::Row(i) => z[*i] = p[0],
            Self::Cone(rows) => z[rows.clone()].copy_from_slice(&p[..rows.len()]),
            Self::Pyramid(contact) => {
                z[contact.normal] = p[0];
                spread(p, &mut z[contact.friction.clone()]);
            }
        }
    }
}

/// Parts of a tangential impulse along the corners of the polygon on both sides of it.
fn spread(p: &[f64; 3], beta: &mut [f64]) {
    let n = beta.len();
    if n == 2 {
        (beta[0], beta[1]) = (p[1].max(0.0), (-p[1]).max(0.0));
    } else if n > 2 {
        let sector = std::f64::consts::TAU / n as f64;
        let length = p[1].hypot(p[2]);
        let turn = p[2].atan2(p[1]).rem_euclid(std::f64::consts::TAU) / sector;
        let k = turn.floor();
        let angle = (turn - k) * sector;
        let k = (k as usize) % n;
        beta[k] = length * (sector - angle).sin() / sector.sin();
        beta[(k + 1) % n] = length * angle.sin() / sector.sin();
    }
}

/// Corners of the friction polygon of a block; 0 without friction, `None` for a row that is no
/// contact.
fn corners(law: Law) -> Option<usize> {
    match law {
        Law::Disc { mu } | Law::Polygon { mu, .. } if mu == 0.0 => Some(0),
        Law::Disc { .. } => Some(2),
        Law::Polygon { corners, .. } => Some(corners),
        law => (law == Law::FRICTIONLESS).then_some(0),
    }
}

/// Columns of `B = Jᵀ`, one after the other.
struct Columns<'a> {
    contacts: &'a ContactProblem,
    right: Csc,
    b: Vec<f64>,
}

impl<'a> Columns<'a> {
    fn new(contacts: &'a ContactProblem) -> Self {
        let right = Csc {
            rows: contacts.velocities(),
            cols: 0,
            start: vec![0],
            index: vec![],
            values: vec![],
        };
        Self { contacts, right, b: vec![] }
    }

    /// The column of the row that `weights` makes of the rows of block `c`.
    fn push(&mut self, c: usize, weights: [f64; 3]) {
        let (columns, rows) = (self.contacts.columns(c), self.contacts.rows(c));
        let m = columns.len();
        let first = self.right.index.len();
        for (k, &v) in columns.iter().enumerate() {
            let value: f64 = rows.iter().skip(k).step_by(m).zip(weights).map(|(j, w)| j * w).sum();
            if value != 0.0 {
                self.right.index.push(v as usize);
                self.right.values.push(value);
            }
        }
        let end = self.right.index.len();
        if !self.right.index[first..end].is_sorted() {
            let mut pairs: Vec<(usize, f64)> =
                (first..end).map(|i| (self.right.index[i], self.right.values[i])).collect();
            pairs.sort_unstable_by_key(|e| e.0);
            for (i, (v, x)) in (first..end).zip(pairs) {
                (self.right.index[i], self.right.values[i]) = (v, x);
            }
        }
        self.right.start.push(end);
        self.right.cols += 1;
        self.b.push(self.contacts.b(c).iter().zip(weights).map(|(b, w)| b * w).sum());
    }

    /// The factors and b, with `slips` more unknowns that push nothing.
    fn finish(mut self, slips: usize, d_block: &[(usize, usize, f64)]) -> (Matrix, Vec<f64>) {
        let n = self.b.len() + slips;
        self.b.resize(n, 0.0);
        self.right.start.resize(n + 1, self.right.index.len());
        self.right.cols = n;
        let d_block = Csc::from_triplets(n, n, d_block);
        let factors = Factored { left: self.right.transpose(), right: self.right, d_block };
        (Matrix::Factored(Box::new(factors)), self.b)
    }
}

/// A row by itself, and the normal of a contact.
const FIRST: [f64; 3] = [1.0, 0.0, 0.0];

fn pyramids(contacts: &ContactProblem) -> Result<Reduced, ProblemError> {
    let n = contacts.len();
    let kinds: Vec<Option<usize>> = (0..n).map(|c| corners(contacts.law(c))).collect();
    let mut columns = Columns::new(contacts);
    (0..n).filter(|&c| kinds[c].is_some()).for_each(|c| columns.push(c, FIRST));
    let mut friction = columns.b.len();
    for (c, kind) in kinds.iter().enumerate() {
        let corners = kind.unwrap_or(0);
        for k in 0..corners {
            let (sin, cos) = (k as f64 * std::f64::consts::TAU / corners as f64).sin_cos();
            // the line through two corners has no second tangent
            columns.push(c, [0.0, cos, if corners > 2 { sin } else { 0.0 }]);
        }
    }
    let mut row = columns.b.len();
    (0..n).filter(|&c| kinds[c].is_none()).for_each(|c| columns.push(c, FIRST));
    let (mut slip, first_slip) = (columns.b.len(), columns.b.len());
    let (mut places, mut list, mut d_block) = (Vec::with_capacity(n), vec![], vec![]);
    let mut bounds = vec![];
    for (c, kind) in kinds.iter().enumerate() {
        match (*kind, contacts.law(c)) {
            (Some(corners), law) => {
                let (normal, directions) = (list.len(), friction..friction + corners);
                friction += corners;
                let own = (corners > 0).then_some(slip);
                slip += usize::from(corners > 0);
                let entry = ContactRows { normal, friction: directions, slip: own, mu: law.mu() };
                cone_entries(&entry, &mut d_block);
                places.push(Place::Pyramid(entry.clone()));
                list.push(entry);
            }
            (None, Law::Interval { lower, upper, compliance }) => {
                if compliance > 0.0 {
                    d_block.push((row, row, compliance));
                }
                bounds.push((row, lower, upper));
                places.push(Place::Row(row));
                row += 1;
            }
            (None, _) => {}
        }
    }
    let (matrix, b) = columns.finish(slip - first_slip, &d_block);
    let problem = if bounds.iter().all(|e| e.1 == 0.0 && e.2 == f64::INFINITY) {
        Problem::Lcp(Lcp::new(matrix, b)?.with_contacts(list))
    } else {
        let (mut lower, mut upper) = (vec![0.0; b.len()], vec![f64::INFINITY; b.len()]);
        bounds.iter().for_each(|&(i, l, u)| (lower[i], upper[i]) = (l, u));
        Problem::Mlcp(Mlcp::new(matrix, b, lower, upper)?.with_contacts(list))
    };
    Ok(Reduced { problem, places })
}

/// The rows and columns of a slip.
fn cone_entries(contact: &ContactRows, d_block: &mut Vec<(usize, usize, f64)>) {
    let Some(slip) = contact.slip else { return };
    d_block.push((slip, contact.normal, contact.mu));
    for f in contact.friction.clone() {
        d_block.extend([(f, slip, 1.0), (slip, f, -1.0)]);
    }
}

fn cones(contacts: &ContactProblem) -> Result<Reduced, ProblemError> {
    let n = contacts.len();
    let mut columns = Columns::new(contacts);
    let (mut places, mut list, mut d_block) = (vec![Place::Row(0); n], vec![], vec![]);
    let mut bounds = vec![];
    let others = |c: &usize| matches!(contacts.law(*c), law @ Law::Interval { .. } if law != Law::FRICTIONLESS);
    for c in (0..n).filter(|c| !others(c)) {
        let (law, dim) = (contacts.law(c), contacts.dim(c));
        if matches!(law, Law::Polygon { .. }) && dim == 3 {
            let reason = "it has a friction polygon beside round friction cones; no class of problems holds both";
            return Err(ProblemError::Contact { contact: c, reason });
        }
        let dim = if law.mu() == 0.0 { 1 } else { dim };
        let first = columns.b.len();
        (0..dim)
            .for_each(|r| columns.push(c, std::array::from_fn(|i| f64::from(u8::from(i == r)))));
        let rows = first..first + dim;
        places[c] = Place::Cone(rows.clone());
        list.push(ConeRows { rows, mu: law.mu(), rolling: 0.0 });
    }
    for c in (0..n).filter(others) {
        if let Law::Interval { lower, upper, compliance } = contacts.law(c) {
            let row = columns.b.len();
            columns.push(c, FIRST);
            if compliance > 0.0 {
                d_block.push((row, row, compliance));
            }
            bounds.push((row, lower, upper));
            places[c] = Place::Row(row);
        }
    }
    let (matrix, b) = columns.finish(0, &d_block);
    let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; b.len()], vec![f64::INFINITY; b.len()]);
    bounds.iter().for_each(|&(i, l, u)| (lower[i], upper[i]) = (l, u));
    let problem = Problem::Cone(Cone::new(matrix, b, list)?.with_bounds(lower, upper)?);
    Ok(Reduced { problem, places })
}
