//! Nothing after the step: joints drift as the scheme lets them, or its problem corrects them.

use super::{JointTarget, StabilizeError, Stabilizer, Taken};
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

/// Takes back a part of the errors in the problem of each step, and does nothing after it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Baumgarte;

impl Stabilizer for Baumgarte {
    fn target(&self) -> JointTarget {
        JointTarget::Reduced
    }

    fn stabilize(
        &mut self,
        _model: &Model,
        _state: &mut State,
        _taken: &Taken,
    ) -> Result<(), StabilizeError> {
        Ok(())
    }
}
