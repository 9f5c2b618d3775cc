//! Methods for friction with the true cone.

pub(crate) mod law;
pub(crate) mod local;
mod newton;
mod pgs;
mod reduced;

pub use newton::NonsmoothNewton;
pub use pgs::NcpPgs;
