//! Rigid bodies in contact: exact geometry, true Coulomb friction, a loop of replaceable stages.
//!
//! Start reading at [`step`]: one line per stage, one folder per line.

mod clear;
mod clock;
mod fault;
mod free_step;
pub mod step;
mod substep;

pub mod model;

pub mod state;

pub mod collide;

pub mod dynamics;
pub mod frame;
mod motion;
mod parallel;

pub mod formulate;

pub mod solve;

pub mod integrate;

pub mod stabilize;

pub mod control;
pub mod hook;
pub mod memory;
pub mod oracle;
pub mod query;
pub mod registry;
pub mod report;
pub mod run;
pub mod settings;

mod spurious;
mod sweep;

#[cfg(test)]
mod testing;

pub use complementarity;
pub use stickslip_geometry as geometry;

pub use model::{
    Body, BodyId, BodyInit, Dimension, ForceInit, ForceKind, Joint, JointId, JointInit, JointKind,
    Model, ModelBuilder, ModelError, Motion,
};
pub use report::StepReport;
pub use run::{RunSummary, Runner};
pub use settings::Settings;
pub use state::{State, Twist};
pub use step::{Simulator, StepError};

/// The code on the front page compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
