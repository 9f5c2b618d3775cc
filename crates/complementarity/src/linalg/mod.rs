//! The few factorisations the solvers need.

pub(crate) mod lu;
pub(crate) mod nnls;
