//! The corrective method (Williams 2014, section 5.2): contacts are enforced when they are
//! violated, and not before.
//!
//! ```text
//! 0 <= p_n  ⟂  psi / h + Gnᵀ nu_next + drive >= 0        for contacts with psi < 0
//! ```
//!
//! The depth is gone at the end of the step, through a velocity of `depth / h` that stays with
//! the body: it bounces, the more so the longer the step. Here as what other methods are compared
//! with.

use complementarity::ProblemClass;

use super::{
    ContactSystem, FormulateError, Formulation, Frame, Solve, StepMotion, impact::Passes, standard,
};
use crate::settings::Settings;

/// The corrective formulation on the standard contact model.
#[derive(Debug, Default)]
pub struct Corrective;

const NAME: &str = "corrective";

impl Formulation for Corrective {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self, settings: &Settings) -> ProblemClass {
        super::class_of(settings)
    }

    fn sees_free_motion(&self) -> bool {
        false
    }

    fn carries_torques(&self) -> bool {
        true
    }

    fn plan(&mut self, frame: &Frame, solve: &mut dyn Solve) -> Result<StepMotion, FormulateError> {
        let chosen = standard::select(frame.model, frame.contacts);
        let violated = chosen.into_iter().map(|i| frame.contacts[i]).filter(|c| c.gap < 0.0);
        let motion = Passes::new(frame, ContactSystem::new(frame, violated.collect()), NAME)
            .as_published(frame)
            .run(solve)?;
        Ok(StepMotion { acts_on_overlap: true, ..motion })
    }
}
