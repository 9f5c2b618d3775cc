//! What can go wrong in a step, and where.

use complementarity::solver::SolveError;

use crate::{
    collide::CollideError,
    formulate::FormulateError,
    hook::HookError,
    integrate::{Beyond, UnknownIntegrator},
    model::ModelError,
    settings::SettingsError,
    solve::{Status, registry},
    stabilize::StabilizeError,
};

/// A stage of the loop, in errors and timings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// 1
    Detect,
    /// 2
    Formulate,
    /// 3
    Solve,
    /// 4
    Integrate,
    /// 5
    Stabilize,
    /// Around the step.
    Hook,
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Self::Detect => "detect",
            Self::Formulate => "formulate",
            Self::Solve => "solve",
            Self::Integrate => "integrate",
            Self::Stabilize => "stabilize",
            Self::Hook => "user function",
        })
    }
}

/// A step that could not be done: where and why. The state is as before the failing stage.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("step {step} failed while in stage {stage}: {cause}")]
pub struct StepError {
    /// Number of the step, from 1.
    pub step: u64,
    /// The stage.
    pub stage: Stage,
    /// Why.
    #[source]
    pub cause: Cause,
}

/// Why a step failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Cause {
    /// Stage 1.
    #[error(transparent)]
    Collide(#[from] CollideError),
    /// Stage 2.
    #[error(transparent)]
    Formulate(#[from] FormulateError),
    /// Stage 3 could not begin.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// Stage 3 ended without a solution.
    #[error("the solver ended as {} with a residual of {residual:e}", status.as_str())]
    Unsolved {
        /// How it ended.
        status: Status,
        /// Natural residual of what it returned.
        residual: f64,
    },
    /// A velocity is NaN or infinite.
    #[error("the velocity of body {body:?} is not finite")]
    NotFinite {
        /// The body.
        body: String,
    },
    /// A body moves beyond all limits.
    #[error(transparent)]
    Beyond(#[from] Beyond),
    /// Stage 5.
    #[error(transparent)]
    Stabilize(#[from] StabilizeError),
    /// A hook.
    #[error(transparent)]
    Hook(#[from] HookError),
}

/// A simulator that cannot be set up.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SetupError {
    /// A setting out of range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The scene.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The detector.
    #[error(transparent)]
    Collide(#[from] CollideError),
    /// The formulation.
    #[error(transparent)]
    Formulate(#[from] FormulateError),
    /// The solver's name or settings.
    #[error(transparent)]
    Registry(#[from] registry::RegistryError),
    /// The solver does not take the formulation's problems.
    #[error(transparent)]
    Solver(#[from] SolveError),
    /// The integrator.
    #[error(transparent)]
    Integrate(#[from] UnknownIntegrator),
    /// The stabilizer.
    #[error(transparent)]
    Stabilize(#[from] StabilizeError),
}
