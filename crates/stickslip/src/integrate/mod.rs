//! Stage 4: move the bodies along the velocities that the solver found.

mod gyroscopic;
mod semi_implicit;

pub(crate) use gyroscopic::world_inertia;
pub use gyroscopic::{free_spin, spin};
pub use semi_implicit::SemiImplicit;

use crate::{model::Model, state::State};

/// Moves the state by one step.
pub trait Integrator: Send {
    /// Sets the velocities of the dynamic bodies to `nu_next` and moves every body.
    fn integrate(&mut self, model: &Model, state: &mut State, nu_next: &[f64], h: f64);
}

/// No integrator of that name.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("no integrator is named {name:?}; there is: semi-implicit")]
pub struct UnknownIntegrator {
    /// The name asked for.
    pub name: String,
}

/// The integrator of that name.
pub fn make(name: &str) -> Result<Box<dyn Integrator>, UnknownIntegrator> {
    match name {
        "semi-implicit" => Ok(Box::new(SemiImplicit)),
        _ => Err(UnknownIntegrator { name: name.into() }),
    }
}
