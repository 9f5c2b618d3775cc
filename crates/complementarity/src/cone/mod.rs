//! Methods for friction with the true cone.

mod admm;
pub(crate) mod law;
pub(crate) mod local;
mod newton;
mod pgs;
mod reduced;

pub use admm::Admm;
pub use newton::NonsmoothNewton;
pub use pgs::NcpPgs;
