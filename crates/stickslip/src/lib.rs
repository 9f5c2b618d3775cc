//! Rigid bodies in contact: exact geometry, true Coulomb friction, a loop of replaceable stages.

pub mod model;

pub mod state;

pub mod collide;

pub mod integrate;

pub mod stabilize;

pub use complementarity;
pub use stickslip_geometry as geometry;

pub use model::{Body, BodyId, Dimension, Model, ModelBuilder, ModelError, Motion};
pub use state::{State, Twist};
