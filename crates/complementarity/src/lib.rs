//! Complementarity problems and the methods that solve them.
//!
//! ```text
//! LCP     0 <= z  ⟂  A z + b >= 0
//! MLCP    l <= z <= u  ⟂  A z + b      (a free unknown has l = -inf, u = +inf, so its row is an equation)
//! cone    K ∋ p  ⟂  u + mu |u_t| n ∈ K*,  u = W p + q,   one second-order cone per contact
//! ```
//!
//! Start with [`Problem`], pick a solver by name from [`registry`], and judge what comes back
//! with [`residual`]: no solver grades itself.

pub mod problem;

pub mod residual;

pub mod metric;

pub mod solver;

pub mod registry;

pub mod options;

pub mod transform;

pub mod pivoting;

pub mod splitting;

pub mod file;

pub mod auto;

pub mod cone;

pub mod interior_point;

mod track;

pub mod newton;

pub mod nonlinear;

mod linalg;

mod scaling;

pub use options::{Options, Value};
pub use problem::{
    Cone, ConeRows, ContactRows, Lcp, Matrix, Mlcp, Problem, ProblemClass, ProblemError,
};
pub use solver::{Solution, SolveError, Solver, Status, Watch};
