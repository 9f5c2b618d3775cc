//! Newton's method on equations that say the same as complementarity.

mod fischer;
mod homotopy;
mod line;
mod minmap;

pub use fischer::FischerNewton;
pub use homotopy::Homotopy;
pub use minmap::MinmapNewton;

pub(crate) use fischer::{System, row};
