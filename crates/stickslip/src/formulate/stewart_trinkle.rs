//! Stewart and Trinkle's time stepping: no gap of the standard model may be negative at the end
//! of the step, and a contact pushes only where its gap ends at zero.
//!
//! ```text
//! 0 <= p_n ⟂ psi / h + Gnᵀ nu_next + drive >= 0
//! ```
//!
//! Stewart and Trinkle 1996; Williams 2014, eq. 2.36. The scheme alone is inelastic; restitution
//! comes from [`impact`](super::impact).

use complementarity::ProblemClass;

use super::{
    ContactSystem, FormulateError, Formulation, Frame, Solve, StepMotion, impact::Passes, standard,
};
use crate::settings::Settings;

/// The Stewart-Trinkle formulation on the standard contact model.
///
/// Of the faces near a vertex one is enforced, the one it is farthest in front of: that much
/// foresight costs nothing and takes most spurious contacts away. [`StewartTrinkle::every`] does without it.
#[derive(Debug, Default)]
pub struct StewartTrinkle {
    every: bool,
}

impl StewartTrinkle {
    /// With every contact within reach as a half-space of its own, several faces for one vertex
    /// included: the standard model of the thesis (section 5.2) and its spurious contacts.
    pub fn every() -> Self {
        Self { every: true }
    }
}

const NAME: &str = "stewart-trinkle";
const EVERY: &str = "stewart-trinkle-every";

impl Formulation for StewartTrinkle {
    fn name(&self) -> &'static str {
        if self.every { EVERY } else { NAME }
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
        let chosen = match self.every {
            true => standard::every(frame.model, frame.contacts),
            false => standard::select(frame.model, frame.contacts),
        };
        let contacts = chosen.into_iter().map(|i| frame.contacts[i]).collect();
        let passes = Passes::new(frame, ContactSystem::new(frame, contacts), self.name());
        if self.every { passes.as_published(frame).run(solve) } else { passes.run(solve) }
    }
}
