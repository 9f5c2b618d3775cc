//! Robots described in URDF.
//!
//! [`Robot::read`] reads a file, checks it, and [`Robot::add_to`] puts its links and joints into a
//! scene. Errors say the file, the line, and what would be right.
//!
//! - A link without mass is part of the link that a fixed joint holds it to; the root without
//!   mass is the world.
//! - Links that a joint connects do not collide with each other.
//! - `mimic` becomes a gear, `dynamics damping` a damper, `dynamics friction` Coulomb friction.

mod error;
mod locate;
mod place;
mod read;
mod robot;
mod xml;

pub use error::UrdfError;
pub use locate::Packages;
pub use place::{Added, Options};
pub use robot::{Collision, Geometry, Inertial, Joint, JointType, Link, Mimic, Robot};
