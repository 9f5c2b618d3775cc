//! Trees of joints in joint coordinates: the equations of motion without constraint forces.
//!
//! [`Tree`] says which bodies hang on which joints, [`Coordinates`] where these are, [`Placed`] puts the
//! links into the world, and [`Articulated`] solves for accelerations in time linear in the links.

mod coordinates;
mod dynamics;
mod forces;
mod kinematics;
mod mechanics;
mod spatial;
mod tree;
mod yielding;

pub use coordinates::Coordinates;
pub use dynamics::{Articulated, Sweep, inverse, loads, mass, momenta};
pub use forces::{CoordinateForce, holding, keeps_velocity, motor_force};
pub use kinematics::{Axis, Placed, PlacedLink};
pub use mechanics::{Implicit, JointSpace, Workspace};
pub use spatial::{Inertia, Screw};
pub use tree::{Gear, Link, Parent, Tree};
