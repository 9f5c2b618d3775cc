//! Complementarity problems of AMPL and Pyomo: `.nl` files in, `.sol` files out.
//!
//! A constraint with code 5 in segment `r` is complementary to a variable:
//!
//! ```text
//! l <= x <= u  ⟂  body(x):   body >= 0 at l,  body <= 0 at u,  body = 0 between
//! ```
//! Equations without a variable of their own are paired, in order, with variables without an
//! equation. An objective is ignored: a mixed complementarity problem has none. Expressions are
//! differentiated exactly, in reverse ([`tape`]).

pub mod command;
pub mod model;
pub mod nl;
pub mod sol;
pub mod tape;

pub use model::{Model, ModelError};
pub use nl::{Nl, ReadError};
