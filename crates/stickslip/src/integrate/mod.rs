//! Stage 4: move the bodies along the velocities that the solver found.

mod auto;
mod collocation;
mod fast_spin;
mod gauss;
mod gyroscopic;
mod held;
mod joint_space;
mod limits;
pub(crate) mod rk4;
mod semi_implicit;
mod smooth;
mod tree_motion;
mod undo;

pub use auto::Auto;
pub use gauss::Gauss;
pub(crate) use gyroscopic::{TURN, world_inertia};
pub use gyroscopic::{free_spin, spin};
pub(crate) use limits::check;
pub use limits::{Beyond, MAX_DISTANCE, MAX_SPEED, MAX_SPIN};
pub use rk4::Rk4;
pub use semi_implicit::SemiImplicit;

use crate::{
    formulate::StepMotion,
    model::Model,
    registry::{self, Entry},
    settings::Settings,
    state::State,
};

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
    /// Takes `end`, a copy of `start`, joint angles included, to the end of a step in which nothing is near anything and no limit
    /// is reached, where it can tell without a problem being written; false, and `end` anyhow, elsewhere.
    fn free_motion(
        &mut self,
        _model: &Model,
        _start: &State,
        _end: &mut State,
        _settings: &Settings,
    ) -> bool {
        false
    }
    /// Whether it evaluates contact forces within the step: then a formulation with such forces
    /// integrates them itself and says where the step ends ([`StepMotion::displacement`]).
    fn evaluates_forces(&self) -> bool {
        false
    }
    /// Opaque serialised state that it carries from step to step; nothing by default.
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

/// Every integrator: the only list of names.
pub const INTEGRATORS: &[Entry<dyn Integrator>] = &[
    Entry {
        name: "auto",
        about: "joint coordinates of order 4 to 6 (2 with stiff motors) where nothing pushes, semi-implicit elsewhere",
        make: || Box::new(Auto::default()),
    },
    Entry {
        name: "semi-implicit",
        about: "the end velocity over the whole step",
        make: || Box::new(SemiImplicit),
    },
    Entry {
        name: "midpoint",
        about: "implicit midpoint rule where nothing pushes, semi-implicit elsewhere",
        make: || Box::new(Gauss::new(1)),
    },
    Entry {
        name: "rk4",
        about: "explicit Runge-Kutta of order 4: with penalty forces, or where nothing pushes",
        make: || Box::new(Rk4),
    },
    Entry {
        name: "gauss",
        about: "Gauss collocation of order 8 where nothing pushes, semi-implicit elsewhere",
        make: || Box::new(Gauss::new(4)),
    },
];

/// The integrator of that name.
pub fn make(name: &str) -> Result<Box<dyn Integrator>, UnknownIntegrator> {
    let entry = registry::find(INTEGRATORS, name);
    let unknown = |known| UnknownIntegrator { name: name.into(), known };
    entry.map(|entry| (entry.make)()).map_err(unknown)
}
