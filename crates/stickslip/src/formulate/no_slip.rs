//! Contact without slip: bodies that touch roll or stand, whatever their coefficient of friction.
//!
//! ```text
//! 0 <= p_n ⟂ psi / h + Gnᵀ nu + drive >= 0
//!      p_t free,       Gtᵀ nu + drive  = 0        for contacts that touch
//! ```
//!
//! A mixed LCP with a positive semi-definite matrix: it always has a solution (Drumwright and
//! Shell 2010). For wheels, feet and grasps that must not slip. Tangential rows that depend on
//! others (several points of one face) are left out, by a Cholesky factorisation with pivots, so
//! that the free block is regular; how friction is shared among such points is then arbitrary,
//! the motion is not. A contact that touches is held even where it is about to part.

use std::sync::Arc;

use complementarity::{
    Matrix, Mlcp, Problem, ProblemClass,
    problem::{Csc, Factored},
};
use stickslip_geometry::Vec3;

use super::{
    ConstraintCounts, ConstraintKind, ContactForce, FormulateError, Formulation, Frame, Solve,
    StepMotion,
    anitescu_potra::TOUCH,
    names::{contact_key, key},
    standard,
};
use crate::{
    collide::Contact,
    dynamics::{BoundedRow, Jacobian, JacobianBlock, Mechanism},
    settings::Settings,
};

/// Infinite friction on the standard contact model.
#[derive(Debug, Default)]
pub struct NoSlip;

const NAME: &str = "no-slip";
/// A row counts as dependent when less than this share of it is its own.
const DEPENDENT: f64 = 1e-9;

#[derive(Debug)]
struct Rows {
    mechanism: Arc<Mechanism>,
    contacts: Vec<Contact>,
    /// Contact and direction of the tangential rows.
    held: Vec<(usize, Vec3)>,
    /// Normal, tangential and joint rows.
    rows: Jacobian,
    weighted: Jacobian,
}

impl Formulation for NoSlip {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self, _settings: &Settings) -> ProblemClass {
        ProblemClass::Mlcp
    }

    fn sees_free_motion(&self) -> bool {
        false
    }

    fn plan(&mut self, frame: &Frame, solve: &mut dyn Solve) -> Result<StepMotion, FormulateError> {
        let rows = Rows::new(frame);
        if rows.rows.is_empty() {
            return Ok(StepMotion { nu: rows.mechanism.free.clone(), ..StepMotion::default() });
        }
        let wrong = |source| FormulateError::Problem { formulation: NAME, source };
        let problem = rows.problem(frame.h).map_err(wrong)?;
        let solution = solve.solve(problem, rows.keys())?;
        Ok(rows.motion(&solution.z))
    }
}

impl Rows {
    fn new(frame: &Frame) -> Self {
        let Frame { model, state, .. } = *frame;
        let mechanism = frame.mechanism();
        let chosen = standard::select(model, frame.contacts);
        let contacts: Vec<Contact> = chosen.into_iter().map(|i| frame.contacts[i]).collect();
        let mut rows = Jacobian::new(model);
        contacts.iter().for_each(|c| rows.push_contact(model, state, c, c.normal));
        let touches = |c: &Contact| {
            let radius = |side: &crate::collide::Side| model.body(side.body).radius;
            c.gap <= TOUCH * radius(&c.a).min(radius(&c.b))
        };
        let mut wanted = Vec::new();
        for (i, c) in contacts.iter().enumerate().filter(|(_, c)| touches(c)) {
            let along = model.dimension().tangents(c.normal, Vec3::ZERO);
            wanted.extend(along.into_iter().filter(|t| *t != Vec3::ZERO).map(|t| (i, t)));
        }
        let mut tangents = Jacobian::new(model);
        for &(i, t) in &wanted {
            tangents.push_contact(model, state, &contacts[i], t);
        }
        let keep = independent(&tangents, &mechanism.weighted(&tangents));
        let held: Vec<(usize, Vec3)> = keep.iter().map(|&k| wanted[k]).collect();
        for &(i, t) in &held {
            rows.push_contact(model, state, &contacts[i], t);
        }
        for row in &mechanism.joints.bounded {
            rows.push_blocks(row.blocks.iter().copied(), 0.0);
        }
        let weighted = mechanism.weighted(&rows);
        Self { mechanism, contacts, held, rows, weighted }
    }

    fn problem(&self, h: f64) -> Result<Problem, complementarity::ProblemError> {
        let (n, size) = (self.contacts.len(), self.rows.len());
        let first_joint = n + self.held.len();
        let bounded = &self.mechanism.joints.bounded;
        let constant = |r: usize| match r {
            r if r < n => self.contacts[r].gap / h + self.rows.prescribed(r),
            r if r < first_joint => self.rows.prescribed(r),
            r => bounded[r - first_joint].constant,
        };
        let b = (0..size).map(|r| self.rows.times(r, &self.mechanism.free) + constant(r)).collect();
        let mut lower = vec![0.0; size];
        let mut upper = vec![f64::INFINITY; size];
        lower[n..first_joint].fill(f64::NEG_INFINITY);
        let mut soft = Vec::new();
        for (k, row) in bounded.iter().enumerate() {
            let r = first_joint + k;
            (lower[r], upper[r]) = (row.lower, row.upper);
            if row.compliance > 0.0 {
                soft.push((r, r, row.compliance));
            }
        }
        let nv = self.mechanism.free.len();
        let left = self.rows.to_columns(nv, size).transpose();
        let right = self.weighted.to_columns(nv, size);
        let d_block = Csc::from_triplets(size, size, &soft);
        let matrix = Matrix::Factored(Box::new(Factored { left, right, d_block }));
        Ok(Problem::Mlcp(Mlcp::new(matrix, b, lower, upper)?))
    }

    fn keys(&self) -> Vec<u64> {
        let name = |i: usize| contact_key(&self.contacts[i]);
        let mut keys: Vec<u64> = (0..self.contacts.len()).map(|i| key([2, name(i)])).collect();
        let mut place = 0;
        for (k, &(i, _)) in self.held.iter().enumerate() {
            place = if k > 0 && self.held[k - 1].0 == i { place + 1 } else { 0 };
            keys.push(key([7, name(i), place]));
        }
        let joint = |row: &BoundedRow| key([5, row.joint.index() as u64, row.place as u64]);
        keys.extend(self.mechanism.joints.bounded.iter().map(joint));
        keys
    }

    fn motion(self, z: &[f64]) -> StepMotion {
        let n = self.contacts.len();
        let mut nu = self.mechanism.free.clone();
        z.iter().enumerate().for_each(|(r, &p)| self.weighted.add_transposed(r, p, &mut nu));
        let kind = ConstraintKind::Unilateral;
        let normal = |i: usize| ContactForce {
            contact: i,
            kind,
            normal: z[i],
            friction: Vec3::ZERO,
            torque: Vec3::ZERO,
        };
        let mut forces: Vec<ContactForce> = (0..n).map(normal).collect();
        for (&(i, t), &p) in self.held.iter().zip(&z[n..]) {
            forces[i].friction += t * p;
        }
        StepMotion {
            nu,
            contacts: self.contacts,
            forces,
            joint_impulses: z[n + self.held.len()..].to_vec(),
            constraints: ConstraintCounts { unilateral: n, ..Default::default() },
            ..Default::default()
        }
    }
}

/// Rows that do not depend on earlier ones: Gram-Schmidt in the metric of the inverse mass, on the
/// dense product of the rows.
fn independent(rows: &Jacobian, weighted: &Jacobian) -> Vec<usize> {
    let product = |i: usize, j: usize| -> f64 {
        let pairs = rows.row(i).iter().flat_map(|x| weighted.row(j).iter().map(move |y| (x, y)));
        let dot = |(x, y): (&JacobianBlock, &JacobianBlock)| -> f64 {
            if x.dof != y.dof {
                return 0.0;
            }
            x.value.iter().zip(&y.value).map(|(a, b)| a * b).sum()
        };
        pairs.map(dot).sum()
    };
    // Row i of the Cholesky factor of the rows kept so far.
    let (mut kept, mut factor): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    for i in 0..rows.len() {
        let mut row: Vec<f64> = Vec::with_capacity(kept.len() + 1);
        for (k, &j) in kept.iter().enumerate() {
            let done: f64 = factor[k].iter().zip(&row).map(|(a, b)| a * b).sum();
            row.push((product(i, j) - done) / factor[k][k]);
        }
        let own = product(i, i);
        let left = own - row.iter().map(|x| x * x).sum::<f64>();
        if left > DEPENDENT * own {
            row.push(left.sqrt());
            factor.push(row);
            kept.push(i);
        }
    }
    kept
}
