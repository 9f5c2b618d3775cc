//! Particle dynamics: bodies move, and do not turn because of what touches them.
//!
//! ```text
//! 0 <= p_n ⟂ psi / h + n · (v_B - v_A) + drive >= 0
//! ```
//!
//! Stewart and Trinkle's scheme with every contact force through the centres of mass: for grains
//! and balls whose rotation does not matter. A body keeps whatever spin it starts with, and
//! friction acts on the velocities of the centres.

use complementarity::ProblemClass;

use super::{
    ContactSystem, FormulateError, Formulation, Frame, Solve, StepMotion, impact::Passes, standard,
};
use crate::{collide::Contact, settings::Settings};

/// Contacts act on the centres of mass.
#[derive(Debug, Default)]
pub struct Particle;

const NAME: &str = "particle";

impl Formulation for Particle {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self, settings: &Settings) -> ProblemClass {
        super::class_of(settings)
    }

    fn sees_free_motion(&self) -> bool {
        false
    }

    fn plan(&mut self, frame: &Frame, solve: &mut dyn Solve) -> Result<StepMotion, FormulateError> {
        let centred = |c: &Contact| {
            let mut c = *c;
            for side in [&mut c.a, &mut c.b] {
                // A body that nothing moves keeps its point: it may turn as it is told to.
                if frame.model.dof(side.body).is_some() {
                    side.point = frame.state.pose(side.body).position;
                }
            }
            c
        };
        let chosen = standard::select(frame.model, frame.contacts);
        let contacts = chosen.into_iter().map(|i| centred(&frame.contacts[i])).collect();
        Passes::new(frame, ContactSystem::new(frame, contacts), NAME).run(solve)
    }
}
