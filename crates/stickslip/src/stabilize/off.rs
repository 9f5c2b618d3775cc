//! No stabilisation: joints drift as the scheme lets them.

use super::{StabilizeError, Stabilizer, Taken};
use crate::{model::Model, state::State};

/// Leaves the state as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Off;

impl Stabilizer for Off {
    fn stabilize(
        &mut self,
        _model: &Model,
        _state: &mut State,
        _taken: &Taken,
    ) -> Result<(), StabilizeError> {
        Ok(())
    }
}
