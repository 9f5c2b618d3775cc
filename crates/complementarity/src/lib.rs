//! Complementarity problems and the methods that solve them.
//!
//! ```text
//! LCP     0 <= z  ⟂  A z + b >= 0
//! MLCP    l <= z <= u  ⟂  A z + b      (a free unknown has l = -inf, u = +inf, so its row is an equation)
//! cone    K ∋ p  ⟂  u + mu |u_t| n ∈ K*,  u = W p + q,   one second-order cone per contact
//! ```
//!
//! Contacts of bodies can also be handed over as they are, block by block ([`ContactProblem`],
//! [`Solver::solve_contacts`]); the classes above are derived from them by [`reduce`].
//!
//! Nonlinear problems `l <= z <= u ⟂ F(z)` are in [`nonlinear`]; a proof that a linear problem has no
//! solution may come from [`certificate`].
//!
//! Start with [`Problem`], pick a solver by name from [`registry`], and judge what comes back
//! with [`residual`]: no solver grades itself.
//!
//! ```
//! use complementarity::problem::Dense;
//! use complementarity::solver::NoWatch;
//! use complementarity::{Lcp, Matrix, Options, Problem, Status, registry, residual};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let a = Dense::from_rows(&[&[2.0, 1.0], &[1.0, 2.0]]);
//! let problem = Problem::Lcp(Lcp::new(Matrix::Dense(a), vec![-5.0, -6.0])?);
//! let mut solver = registry::make("auto", &Options::new().with("tolerance", 1e-10))?;
//! let solution = solver.solve(&problem, &[], &mut NoWatch)?;
//! assert_eq!(solution.status, Status::Solved);
//! assert!(residual::natural(&problem, &solution.z) < 1e-12);
//! # Ok(())
//! # }
//! ```

pub mod problem;

pub mod reduce;

pub mod residual;

pub mod metric;

pub mod solver;

pub mod threads;

pub mod decorator;

pub mod options;

pub mod registry;

pub mod auto;

pub mod active_set;

pub mod pivoting;

pub mod interior_point;

pub mod newton;

pub mod sets;
pub mod splitting;
pub mod suggest;

pub mod cone;

pub mod contact;

pub mod nonlinear;

pub mod nsgs;

pub mod transform;

pub mod certificate;

pub mod file;

mod linalg;

mod scaling;

mod track;

pub use decorator::Decorator;
pub use metric::Metric;
pub use options::{Options, Value};
pub use problem::{
    Cone, ConeRows, ContactProblem, ContactRows, Law, Lcp, Matrix, Mlcp, Problem, ProblemClass,
    ProblemError,
};
pub use solver::{Ask, ContactSolution, Solution, SolveError, Solver, Status, Watch};
