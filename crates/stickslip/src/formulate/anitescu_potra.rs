//! Anitescu and Potra's time stepping: contacts that touch must not approach any more.
//!
//! ```text
//! 0 <= p_n  ⟂  Gnᵀ nu_next + drive >= 0        for contacts with psi <= TOUCH r
//! ```
//!
//! Anitescu and Potra 1997. Gaps do not enter the problem: it always has a solution, whatever the
//! contacts, and no energy comes from depth. In turn nothing is seen before it touches (a body
//! sinks in by up to `|v| h` when it lands) and nothing sunk in ever comes out; rotation lets
//! bodies that touch drift into each other by `O(h²)` in each step.

use complementarity::ProblemClass;

use super::{
    ContactSystem, FormulateError, Formulation, Frame, Solve, StepMotion, impact::Passes, standard,
};
use crate::{collide::Contact, settings::Settings};

/// The Anitescu-Potra formulation on the standard contact model.
#[derive(Debug, Default)]
pub struct AnitescuPotra;

const NAME: &str = "anitescu-potra";
/// A contact touches when its gap is below this fraction of the smaller body's radius.
pub const TOUCH: f64 = 1e-6;

impl Formulation for AnitescuPotra {
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
        let touches = |c: &Contact| {
            let radius = |side: &crate::collide::Side| frame.model.body(side.body).radius;
            c.gap <= TOUCH * radius(&c.a).min(radius(&c.b))
        };
        let chosen = standard::select(frame.model, frame.contacts);
        let contacts = chosen.into_iter().map(|i| frame.contacts[i]).filter(touches).collect();
        let system = ContactSystem::new(frame, contacts);
        Passes::new(frame, system, NAME).at_velocity_level().run(solve)
    }
}
