//! The few factorizations the solvers need, each for one kind of matrix.
//!
//! | file | matrix | where |
//! | --- | --- | --- |
//! | `lu.rs` | dense, up to some tens of unknowns, kept to be solved with many times | active sets, bases, single contacts |
//! | `dense_lu.rs` | dense, hundreds of unknowns; says which columns are dependent | bases, shifted systems |
//! | `sparse_lu.rs` | sparse, any pattern, threshold pivoting; reports columns without a pivot | bases, transformations |
//! | `block_lu.rs` | sparse, bodies in contact, not symmetric | shifted systems of interior points |
//! | `block_cholesky.rs`, `contact_lu.rs` | `I + sum J_cᵀ W_c J_c`, assembled front by front from the contacts | Newton's method on velocities |
//!
//! Against `faer` 0.24 (57 crates, 110 s of compile time; least of many runs in microseconds, factors
//! and one solve): dense LU in release builds of 6 unknowns 0.17 and 0.49, of 24 1.8 and 2.7, of 100 68 and 45, of
//! 600 8 100 and 3 600; Cholesky of the contacts of a hundred hulls (600 unknowns, 540 to 700 contacts, with debug
//! assertions) 250 to 390 with assembly, and 350 to 710 beside an assembly of 650 to 1170. It is faster on large
//! dense matrices because it takes the vector instructions that it finds: the bits of a run would depend on the
//! machine. A default step has hardly any of more than 60 unknowns.

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
pub(crate) mod shifted;
pub(crate) mod sparse_lu;
