//! Methods for friction with the true cone.

mod admm;
mod change_basis;
pub(crate) mod law;
mod linear;
pub(crate) mod local;
mod newton;
mod pgs;
mod reduced;

pub use admm::Admm;
pub use linear::Linearized;
pub use newton::NonsmoothNewton;
pub use pgs::NcpPgs;
