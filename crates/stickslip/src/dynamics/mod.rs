//! Bodies and joints before any contact: masses, the rows of joints, the elimination along trees,
//! free motion, and the forces that joints carry.
//!
//! Formulations ask a [`Mechanism`] for what they need and know nothing of how joints are kept.

pub mod acceleration;
pub mod jacobian;
pub mod joint_rows;
pub mod mass;
pub mod mechanism;
pub mod reaction;
pub mod reduced;
pub mod tree;

mod attempts;
mod closures;
mod element_rows;
mod forest;
mod geometric_stiffness;
mod one_joint;
mod pivoted;
mod small;
mod whiten;

pub use attempts::AddedConstraints;
pub(crate) use attempts::Attempts;
pub(crate) use geometric_stiffness::working_mass;
pub use jacobian::{Jacobian, JacobianBlock};
pub use joint_rows::{BoundedRow, JointRows};
pub use mass::MassMatrix;
pub(crate) use mass::Root;
pub use mechanism::{Mechanism, SharedMechanism};
pub(crate) use pivoted::pivoted;
pub use reaction::{Reaction, reactions};
pub use tree::{BilateralRow, JointTree, RowBlocks, RowGroup};
pub(crate) use whiten::Whitened;

/// `b <- A⁻¹ b` for a symmetric positive definite matrix of `n <= 6` rows.
pub(crate) fn solve_small(n: usize, a: &[[f64; 6]; 6], b: &mut [f64; 6]) {
    small::Cholesky::new(n, a).solve(b);
}
