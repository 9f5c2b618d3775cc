//! Stage 3: solve the problem. The methods live in the crate `complementarity`; here is only
//! what carries over from one step to the next.

mod solving;
mod warm_start;

pub use complementarity::{Solution, SolveError, Solver, Status, registry};
pub(crate) use solving::Solving;
pub use warm_start::WarmStart;
