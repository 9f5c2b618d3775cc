//! Methods that sweep over the rows.

mod pgs;
mod rows;
mod sweep;

pub use pgs::{Pgs, Psor};
pub(crate) use rows::Rows;
