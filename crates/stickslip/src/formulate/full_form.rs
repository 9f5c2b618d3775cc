//! The full form of the contact problem: nothing eliminated.
//!
//! ```text
//! M nu - Gb p_b - G p = M nu0
//! Gbᵀ nu + C p_b      = Gbᵀ nu0        independent rows only
//! l <= p <= u  ⟂  Gᵀ nu + ..
//! ```
//!
//! A mixed LCP, sparse, and the one to hand to solvers that exploit that. Williams 2014, eq. 2.37.

use complementarity::{Matrix, Mlcp, Problem, ProblemError, problem::Csc};

use super::ContactSystem;
use crate::dynamics::JacobianBlock;

impl ContactSystem {
    /// The problem with velocities and bilateral impulses as free unknowns.
    pub(super) fn full(&self, nu0: &[f64], target: &[f64]) -> Result<Problem, ProblemError> {
        let (nv, np, first) = (self.free.len(), self.n_impulses(), self.n_free());
        let size = first + np + self.rough().count();
        let mut entries = self.mass.entries();
        let width = self.jacobian.width();
        let mut add_row = |row: usize, blocks: &[JacobianBlock]| {
            for block in blocks {
                for (j, &x) in block.value.iter().enumerate().take(width) {
                    entries.push((block.dof + j, row, -x));
                    entries.push((row, block.dof + j, x));
                }
            }
        };
        let bilateral: Vec<_> = self.joints.bilateral().collect();
        let independent = self.independent();
        for (k, &i) in independent.iter().enumerate() {
            add_row(nv + k, &bilateral[i].blocks);
        }
        (0..np).for_each(|r| add_row(first + r, self.jacobian.row(r)));
        let soft = independent.iter().enumerate();
        entries.extend(soft.map(|(k, &i)| (nv + k, nv + k, bilateral[i].compliance)));
        entries.extend(self.soft_entries(first));
        entries.extend(self.cone_entries(first));
        let mut b = vec![0.0; nv];
        for dof in (0..nv).step_by(width) {
            let mut block = [0.0; 6];
            block[..width].copy_from_slice(&nu0[dof..dof + width]);
            let momentum = self.mass.times(dof, &block);
            for (b, p) in b[dof..dof + width].iter_mut().zip(momentum) {
                *b = -p;
            }
        }
        // `nu0` already obeys the joints, soft ones by an impulse that is part of it: what is left
        // for the rows to ask is the rate of `nu0`.
        b.extend(independent.iter().map(|&i| -bilateral[i].times(width, nu0)));
        b.extend(self.constants(target));
        b.resize(size, 0.0);
        let matrix = Matrix::Sparse(Csc::from_triplets(size, size, &entries));
        let (lower, upper) = self.bounds(first, size);
        let problem = Mlcp::new(matrix, b, lower, upper)?;
        Ok(Problem::Mlcp(problem.with_contacts(self.rows(first))))
    }
}
