//! The full form of the contact problem: nothing eliminated.
//!
//! ```text
//! M nu - Gb p_b - G p = M nu0
//! Gbᵀ nu + C p_b      = Gbᵀ nu0        independent rows only
//! l <= p <= u  ⟂  Gᵀ nu + ..
//! ```
//!
//! A mixed LCP, sparse, and the one to hand to solvers that exploit that. Williams 2014, eq. 2.37.

use complementarity::{ContactRows, Matrix, Mlcp, Problem, ProblemError, problem::Csc};

use super::{ContactSystem, names::key};
use crate::dynamics::{BoundedRow, JacobianBlock, Mechanism};

impl ContactSystem {
    /// Free unknowns that come first: velocities, then bilateral impulses.
    fn n_free(&self) -> usize {
        self.free().len() + self.independent().len()
    }

    /// Numbers of the bilateral rows without those that repeat others.
    fn independent(&self) -> Vec<usize> {
        let Some(tree) = &self.mechanism.tree else { return Vec::new() };
        let keep = tree.independent();
        (0..keep.len()).filter(|&i| keep[i]).collect()
    }

    /// Directions of the pyramid of contact `i` in its tangents: angle by angle.
    fn pyramid(&self, i: usize) -> impl Iterator<Item = (f64, f64)> + use<> {
        let rough = !self.tangent_rows(i).is_empty();
        let edges = if rough { self.edges.unwrap_or(0) } else { 0 };
        (0..edges).map(move |k| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / edges as f64).sin_cos();
            (cos, sin)
        })
    }

    /// Row of contact `i` along an edge of its pyramid, and its drive.
    fn edge_row(&self, i: usize, (cos, sin): (f64, f64)) -> (Vec<JacobianBlock>, f64) {
        let rows = self.tangent_rows(i);
        let mut out =
            (self.jacobian.row(rows.start).to_vec(), cos * self.jacobian.prescribed(rows.start));
        out.0.iter_mut().for_each(|b| b.value = b.value.map(|x| cos * x));
        if rows.len() > 1 {
            out.1 += sin * self.jacobian.prescribed(rows.start + 1);
            for (b, o) in out.0.iter_mut().zip(self.jacobian.row(rows.start + 1)) {
                b.value.iter_mut().zip(o.value).for_each(|(x, y)| *x += sin * y);
            }
        }
        out
    }

    /// Where the unknowns of each contact stand.
    fn full_rows(&self) -> Vec<ContactRows> {
        let (first, n) = (self.n_free(), self.len());
        let edges: Vec<usize> = (0..n).map(|i| self.pyramid(i).count()).collect();
        let mut friction = first + n;
        let mut slip = friction + edges.iter().sum::<usize>() + self.mechanism.joints.bounded.len();
        let of = |i: usize| {
            let rows = friction..friction + edges[i];
            friction = rows.end;
            let own = (!rows.is_empty()).then_some(slip);
            slip += usize::from(own.is_some());
            ContactRows { normal: first + i, friction: rows, slip: own, mu: self.mu(i) }
        };
        (0..n).map(of).collect()
    }

    /// The problem with velocities and bilateral impulses as free unknowns; normal impulses,
    /// impulses along the edges of the pyramids, joint rows and slips follow.
    pub(super) fn full(&self, nu0: &[f64], target: &[f64]) -> Result<Problem, ProblemError> {
        let Mechanism { mass, joints, free, .. } = &*self.mechanism;
        let (nv, first) = (free.len(), self.n_free());
        let contacts = self.full_rows();
        let joint = contacts.last().map_or(first, |c| c.friction.end);
        let slips = contacts.iter().filter(|c| c.slip.is_some()).count();
        let size = joint + joints.bounded.len() + slips;
        let mut entries = mass.entries();
        let (width, mut b) = (self.jacobian.width(), vec![0.0; size]);
        let mut add_row = |row: usize, blocks: &[JacobianBlock]| {
            for block in blocks {
                for (j, &x) in block.value.iter().enumerate().take(width) {
                    entries.push((block.dof + j, row, -x));
                    entries.push((row, block.dof + j, x));
                }
            }
        };
        let bilateral: Vec<_> = joints.bilateral().collect();
        let independent = self.independent();
        for (k, &i) in independent.iter().enumerate() {
            add_row(nv + k, &bilateral[i].blocks);
            // `nu0` already obeys the joints, soft ones by an impulse that is part of it: what is
            // left for the rows to ask is the rate of `nu0`.
            b[nv + k] = -bilateral[i].times(width, nu0);
        }
        for (i, contact) in contacts.iter().enumerate() {
            add_row(contact.normal, self.jacobian.row(i));
            b[contact.normal] = target.get(i).copied().unwrap_or(0.0);
            for (r, edge) in contact.friction.clone().zip(self.pyramid(i)) {
                let (blocks, drive) = self.edge_row(i, edge);
                add_row(r, &blocks);
                b[r] = drive;
            }
        }
        for (k, row) in joints.bounded.iter().enumerate() {
            add_row(joint + k, self.jacobian.row(self.first_joint_row() + k));
            b[joint + k] = row.constant;
        }
        entries.extend(
            independent.iter().enumerate().map(|(k, &i)| (nv + k, nv + k, bilateral[i].compliance)),
        );
        let soft = joints.bounded.iter().enumerate().filter(|(_, row)| row.compliance > 0.0);
        entries.extend(soft.map(|(k, row)| (joint + k, joint + k, row.compliance)));
        for contact in &contacts {
            let Some(slip) = contact.slip else { continue };
            entries.push((slip, contact.normal, contact.mu));
            for f in contact.friction.clone() {
                entries.extend([(f, slip, 1.0), (slip, f, -1.0)]);
            }
        }
        for dof in (0..nv).step_by(width) {
            let mut block = [0.0; 6];
            block[..width].copy_from_slice(&nu0[dof..dof + width]);
            let momentum = mass.times(dof, &block);
            b[dof..dof + width].iter_mut().zip(momentum).for_each(|(b, p)| *b = -p);
        }
        let matrix = Matrix::Sparse(Csc::from_triplets(size, size, &entries));
        let (mut lower, mut upper) = (vec![0.0; size], vec![f64::INFINITY; size]);
        lower[..first].fill(f64::NEG_INFINITY);
        for (k, row) in joints.bounded.iter().enumerate() {
            (lower[joint + k], upper[joint + k]) = (row.lower, row.upper);
        }
        Ok(Problem::Mlcp(Mlcp::new(matrix, b, lower, upper)?.with_contacts(contacts)))
    }

    /// Names of the unknowns across steps.
    pub(super) fn full_keys(&self) -> Vec<u64> {
        let names = self.names();
        let mut keys: Vec<u64> = (0..self.n_free()).map(|k| key([1, k as u64])).collect();
        keys.extend(names.iter().map(|&name| key([2, name])));
        for (i, &name) in names.iter().enumerate() {
            keys.extend(self.pyramid(i).enumerate().map(|(k, _)| key([3, name, k as u64])));
        }
        let joint_key = |row: &BoundedRow| key([5, row.joint.index() as u64, row.place as u64]);
        keys.extend(self.mechanism.joints.bounded.iter().map(joint_key));
        let rough = (0..self.len()).filter(|&i| !self.tangent_rows(i).is_empty());
        keys.extend(rough.map(|i| key([4, names[i]])));
        keys
    }

    /// Normal, tangential and joint impulses from the unknowns.
    pub(super) fn full_impulses(&self, z: &[f64]) -> Vec<f64> {
        let contacts = self.full_rows();
        let joint = contacts.last().map_or(self.n_free(), |c| c.friction.end);
        let mut impulses = vec![0.0; self.jacobian.len()];
        for (i, contact) in contacts.iter().enumerate() {
            impulses[i] = z[contact.normal];
            let rows = self.tangent_rows(i);
            for (f, (cos, sin)) in contact.friction.clone().zip(self.pyramid(i)) {
                let along = [cos, sin];
                impulses[rows.clone()].iter_mut().zip(along).for_each(|(p, x)| *p += z[f] * x);
            }
        }
        let first = self.first_joint_row();
        let joints = impulses[first..].iter_mut();
        joints.zip(&z[joint..]).for_each(|(p, z)| *p = *z);
        impulses
    }
}
