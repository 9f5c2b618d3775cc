//! Stage 5: bring joints that drifted back together.

mod off;

pub use off::Off;

use crate::{model::Model, state::State};

/// Moves the state back onto the joint constraints.
pub trait Stabilizer: Send {
    /// Corrects `state` in place.
    fn stabilize(&mut self, model: &Model, state: &mut State, h: f64)
    -> Result<(), StabilizeError>;
}

/// Stabilisation failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StabilizeError {
    /// No such method.
    #[error("no joint stabilisation is named {name:?}; there are: none, baumgarte")]
    UnknownName {
        /// The name asked for.
        name: String,
    },
}

/// The method of that name.
pub fn make(name: &str) -> Result<Box<dyn Stabilizer>, StabilizeError> {
    match name {
        "none" | "baumgarte" => Ok(Box::new(Off)),
        _ => Err(StabilizeError::UnknownName { name: name.into() }),
    }
}
