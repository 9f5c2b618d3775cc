//! Stage 5: bring joints that drifted back together.

mod off;

pub use off::Off;

use crate::{model::Model, state::State};

/// How far joints were off.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    /// Largest joint error after the stage \[m or rad\].
    pub joint_error: f64,
}

/// Moves the state back onto the joint constraints.
pub trait Stabilizer: Send {
    /// Corrects `state` in place.
    fn stabilize(
        &mut self,
        model: &Model,
        state: &mut State,
        h: f64,
    ) -> Result<Drift, StabilizeError>;
}

/// Stabilisation failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StabilizeError {
    /// No such method.
    #[error("no joint stabilisation is named {name:?}; there is: none")]
    UnknownName {
        /// The name asked for.
        name: String,
    },
}

/// The method of that name.
pub fn make(name: &str) -> Result<Box<dyn Stabilizer>, StabilizeError> {
    match name {
        "none" => Ok(Box::new(Off)),
        _ => Err(StabilizeError::UnknownName { name: name.into() }),
    }
}
