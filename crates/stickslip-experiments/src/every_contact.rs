//! The thesis' standard model: every contact within reach is a half-space of its own.
//!
//! `stewart-trinkle` takes one face for each vertex, which avoids many traps; the thesis' model
//! "simply includes all contacts within epsilon". It is a stage of our own here, as any user could
//! write one.

use complementarity::{ProblemClass, Solution};
use stickslip::{
    Settings,
    collide::Contact,
    formulate::{
        ContactSystem, FormulateError, Formulation, Frame, Pass, StepMotion,
        impact::{Next, Passes},
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
        let (next, passes) = match (last, self.passes.take()) {
            (Some(solution), Some(mut passes)) => {
                let impulses = passes.system.impulses(&solution.z);
                (passes.next(&impulses), passes)
            }
            _ => {
                let facing = frame.contacts.iter().filter(|c| c.applicability >= 0.0);
                let contacts: Vec<Contact> = facing.copied().collect();
                let passes = Passes::new(frame, ContactSystem::new(frame, contacts));
                if passes.system.is_empty() {
                    let nu = passes.system.free;
                    return Ok(Pass::Done(StepMotion { nu, ..Default::default() }));
                }
                (passes.first(), passes)
            }
        };
        match next {
            Next::Done(motion) => Ok(Pass::Done(motion)),
            Next::Solve { nu0, target } => {
                let pass = passes.pass(&nu0, &target, NAME)?;
                self.passes = Some(passes);
                Ok(pass)
            }
        }
    }
}
