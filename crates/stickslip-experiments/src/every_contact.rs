//! The thesis' standard model: every contact within reach is a half-space of its own.
//!
//! `stewart-trinkle` takes one face for each vertex, which avoids many traps; the thesis' model
//! "simply includes all contacts within epsilon". It is a stage of our own here, as any user could
//! write one.

use complementarity::{ProblemClass, Solution};
use stickslip::{
    Settings,
    formulate::{
        ContactSystem, FormulateError, Formulation, Frame, Pass,
        impact::{Passes, advance},
    },
};

/// The name under which experiments ask for it.
pub const NAME: &str = "every-contact";

/// All contacts at once.
#[derive(Default)]
pub struct EveryContact {
    passes: Option<Passes>,
}

impl Formulation for EveryContact {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self, _: &Settings) -> ProblemClass {
        ProblemClass::Lcp
    }

    fn formulate(
        &mut self,
        frame: &Frame,
        last: Option<&Solution>,
    ) -> Result<Pass, FormulateError> {
        let begin = || {
            let facing = frame.contacts.iter().filter(|c| c.applicability >= 0.0);
            Passes::new(frame, ContactSystem::new(frame, facing.copied().collect()))
        };
        advance(&mut self.passes, last, NAME, begin)
    }
}
