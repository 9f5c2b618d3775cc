//! Methods that sweep over the rows.

mod colored;
mod coloring;
mod jacobi;
mod pgs;
mod projection;
mod rows;
mod staggered;
mod sweep;

pub use colored::ColoredPgs;
pub use jacobi::Jacobi;
pub use pgs::{Pgs, Psor};
pub use projection::{FixedPoint, Prox};
pub(crate) use rows::Rows;
pub use staggered::Staggered;
