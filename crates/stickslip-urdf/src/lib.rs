//! Robots described in URDF.
//!
//! [`Robot::read`] reads a file, [`Robot::plan`] makes bodies and joints of it, and [`Plan::add_to`]
//! puts them into a scene. Files that are not quite right are read all the same: what was wrong and
//! what was assumed is told once ([`Notes`]); [`Options::strict`] makes errors of it, with the line.
//!
//! - A link without mass is part of the link that a fixed joint holds it to; one that moves by
//!   itself is given a small mass.
//! - Links that a joint connects, directly or through fixed joints, do not collide with each
//!   other, nor do links that overlap at the start.
//! - `mimic` becomes a gear, `dynamics damping` a damper, `dynamics friction` Coulomb friction,
//!   `effort` the largest force of motors.

mod error;
mod fit;
mod inertia;
mod locate;
mod notes;
mod options;
mod pairs;
mod place;
mod plan;
mod read;
mod read_joint;
mod robot;
mod sensor;
mod shape;
mod tree;
mod xml;

pub use error::UrdfError;
pub use inertia::{impossible, mended};
pub use locate::Packages;
pub use notes::{Item, Note, Notes};
pub use options::{CollisionShape, Options};
pub use plan::{Added, Plan};
pub use robot::{
    Closure, Collision, Geometry, Inertial, Joint, JointType, Link, Mimic, Robot, Scenery,
};
pub use sensor::{PlannedSensor, Sensor, Zone};
