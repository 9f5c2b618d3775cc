//! The few factorisations the solvers need.

pub(crate) mod block_cholesky;
pub(crate) mod block_lu;
pub(crate) mod contact_fronts;
pub(crate) mod contact_lu;
pub(crate) mod csr;
pub(crate) mod dense_lu;
pub(crate) mod fronts;
pub(crate) mod lu;
pub(crate) mod multigrid;
pub(crate) mod nnls;
pub(crate) mod ordering;
pub(crate) mod sets;
pub(crate) mod shifted;
pub(crate) mod sparse_lu;
