//! Methods that walk from one complementary basis to the next.

mod enumerate;
mod lemke;
mod pivotal;
mod polish;
pub(crate) mod tableau;

pub use enumerate::Enumerate;
pub use lemke::Lemke;
pub use pivotal::Pivotal;
