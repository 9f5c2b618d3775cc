//! Stage 4: move the bodies along the velocities that the solver found.

mod collocation;
mod fast_spin;
mod gauss;
mod gyroscopic;
mod limits;
pub(crate) mod rk4;
mod semi_implicit;
mod smooth;
mod undo;

pub use gauss::Gauss;
pub(crate) use gyroscopic::world_inertia;
pub use gyroscopic::{free_spin, spin};
pub(crate) use limits::check;
pub use limits::{Beyond, MAX_DISTANCE, MAX_SPEED, MAX_SPIN};
pub use rk4::Rk4;
pub use semi_implicit::SemiImplicit;

use crate::{formulate::StepMotion, model::Model, settings::Settings, state::State};

/// Moves the state by one step.
pub trait Integrator: Send {
    /// Sets the velocities of the dynamic bodies and moves every body by a step of the settings.
    fn integrate(
        &mut self,
        model: &Model,
        state: &mut State,
        motion: &StepMotion,
        settings: &Settings,
    );
    /// What it remembers from step to step, in words of its own; nothing by default.
    fn memory(&self) -> Vec<u64> {
        Vec::new()
    }
    /// Goes on from what [`Integrator::memory`] gave; false if that was of another method.
    fn recall(&mut self, memory: &[u64]) -> bool {
        memory.is_empty()
    }
}

/// No integrator of that name.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("no integrator is named {name:?}; there are: {known}")]
pub struct UnknownIntegrator {
    /// The name asked for.
    pub name: String,
    /// The ones there are.
    pub known: String,
}

/// Name and one line about each integrator.
pub const INTEGRATORS: &[(&str, &str)] = &[
    ("semi-implicit", "the end velocity over the whole step"),
    ("midpoint", "implicit midpoint rule where nothing pushes, semi-implicit elsewhere"),
    ("rk4", "explicit Runge-Kutta of order 4: with penalty forces, or where nothing pushes"),
    ("gauss", "Gauss collocation of order 8 where nothing pushes, semi-implicit elsewhere"),
];

/// The integrator of that name.
pub fn make(name: &str) -> Result<Box<dyn Integrator>, UnknownIntegrator> {
    match name {
        "semi-implicit" => Ok(Box::new(SemiImplicit)),
        "midpoint" => Ok(Box::new(Gauss::new(1))),
        "rk4" => Ok(Box::new(Rk4)),
        "gauss" => Ok(Box::new(Gauss::new(4))),
        _ => {
            let known = INTEGRATORS.iter().map(|i| i.0).collect::<Vec<_>>().join(", ");
            Err(UnknownIntegrator { name: name.into(), known })
        }
    }
}
