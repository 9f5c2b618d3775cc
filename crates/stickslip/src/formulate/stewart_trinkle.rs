//! Stewart and Trinkle's time stepping: no gap of the standard model may be negative at the end
//! of the step, and a contact pushes only where its gap ends at zero.
//!
//! ```text
//! 0 <= p_n ⟂ psi / h + Gnᵀ nu_next + drive >= 0
//! ```
//!
//! Stewart and Trinkle 1996; Williams 2014, eq. 2.36. The scheme alone is inelastic; restitution
//! comes from [`impact`](super::impact).

use complementarity::{ProblemClass, Solution};

use super::{
    ContactSystem, FormulateError, Formulation, Frame, Pass, StepMotion,
    impact::{Next, Passes},
    standard,
};
use crate::settings::Settings;

/// The Stewart-Trinkle formulation on the standard contact model.
#[derive(Debug, Default)]
pub struct StewartTrinkle {
    passes: Option<Passes>,
}

const NAME: &str = "stewart-trinkle";

impl Formulation for StewartTrinkle {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self, settings: &Settings) -> ProblemClass {
        super::class_of(settings)
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
                let chosen = standard::select(frame.model, frame.contacts);
                let contacts = chosen.into_iter().map(|i| frame.contacts[i]).collect();
                let system = ContactSystem::new(frame, contacts);
                if system.is_empty() {
                    return Ok(Pass::Done(StepMotion { nu: system.free, ..Default::default() }));
                }
                let passes = Passes::new(frame, system);
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
