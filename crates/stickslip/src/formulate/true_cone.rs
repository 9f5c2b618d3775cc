//! The true friction cone: each contact has its normal and one or two tangential impulses, and
//! the problem is a cone complementarity problem instead of an LCP.
//!
//! ```text
//! K ∋ p ⟂ u + mu |u_t| n ∈ K*,   u = Gᵀ nu + target,   K = { |p_t| <= mu p_n }
//! ```
//!
//! Cone solvers want the rows of a contact side by side, so the problem's rows are those of the
//! system in another order.

use complementarity::{
    Matrix, Problem, ProblemError,
    problem::{Cone, ConeRows, Csc, Factored},
};

use super::ContactSystem;

impl ContactSystem {
    /// For each row of the problem, the row of the system: contact by contact, joints last.
    pub(super) fn cone_order(&self) -> Vec<usize> {
        let n = self.len();
        let contacts = (0..n)
            .flat_map(|i| std::iter::once(i).chain(self.friction_rows(i).map(move |k| n + k)));
        contacts.chain(self.first_joint_row()..self.jacobian.len()).collect()
    }

    /// The problem with true cones, velocities eliminated.
    pub(super) fn cone_problem(
        &self,
        nu0: &[f64],
        target: &[f64],
    ) -> Result<Problem, ProblemError> {
        let order = self.cone_order();
        let size = order.len();
        let constants: Vec<f64> = self.constants(target).collect();
        let b = order.iter().map(|&r| self.jacobian.times(r, nu0) + constants[r]).collect();
        let mut place = vec![0; size];
        order.iter().enumerate().for_each(|(i, &r)| place[r] = i);
        let soft: Vec<_> = self.soft_entries(0).map(|(i, j, x)| (place[i], place[j], x)).collect();
        let rest = Csc::from_triplets(size, size, &soft);
        let (left, right) = self.factors(&self.jacobian.reordered(&order), size);
        let matrix = Matrix::Factored(Box::new(Factored { left, right, rest }));
        let mut first = 0;
        let contacts = (0..self.len())
            .map(|i| {
                let rows = first..first + 1 + self.friction_rows(i).len();
                first = rows.end;
                ConeRows { rows, mu: self.mu(i), rolling: 0.0 }
            })
            .collect();
        let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; size], vec![f64::INFINITY; size]);
        for (k, row) in self.joints.bounded.iter().enumerate() {
            (lower[first + k], upper[first + k]) = (row.lower, row.upper);
        }
        Ok(Problem::Cone(Cone::new(matrix, b, contacts)?.with_bounds(lower, upper)?))
    }
}
