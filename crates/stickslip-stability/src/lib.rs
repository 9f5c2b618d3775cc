//! Whether bodies in contact can rest as they are: limit analysis of block structures.
//!
//! Forces at the corners of the contact polygons must balance gravity and loads, and lie in the
//! cones of friction:
//!
//! ```text
//!   find f with   G f + w = 0,   |f_t| <= mu f_n   at every corner
//! ```
//!
//! That is a convex program: a linear one in the plane and with pyramids in place of cones, a
//! second-order cone program otherwise. [`analyze`] answers whether it has a solution, how far a
//! load can grow or gravity turn until it has none, and how much friction it needs; beside it
//! stands what the simulator does ([`Dynamic`]).
//!
//! A structure for which there is no solution cannot rest. One for which there is one *may*: the
//! static theorem of limit analysis needs friction that follows the associated flow rule, and
//! Coulomb's does not (Drucker 1954).

mod analysis;
mod draw;
mod dynamic;
mod page;
mod program;
mod question;
mod report;
mod structure;

pub use analysis::{analyze, can_rest};
pub use draw::picture;
pub use page::{lines, page};
pub use program::{Cone, ProgramError};
pub use question::{Load, Options, StabilityError};
pub use report::{
    BlockMotion, CornerForce, Dynamic, FrictionAnswer, LoadAnswer, Missing, Moved, PairForce,
    PushAnswer, Stability, TiltAnswer,
};
