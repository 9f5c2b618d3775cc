//! Methods for friction with the true cone.

mod admm;
pub(crate) mod law;
mod linear;
pub(crate) mod local;
mod newton;
mod pgs;
mod reduced;
mod turn;

pub use admm::Admm;
pub use linear::Linearized;
pub use newton::NonsmoothNewton;
pub use pgs::NcpPgs;
