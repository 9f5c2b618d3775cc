//! From the tree of a scene to what the engine takes.

pub(crate) mod body;
pub(crate) mod camera;
pub(crate) mod force;
pub(crate) mod import;
pub(crate) mod joint;
pub(crate) mod motor;
pub(crate) mod pair;
pub(crate) mod simulation;

mod mesh;
mod pose;
mod reader;
mod shape;

pub(crate) use reader::{Described, Unchecked};
