//! How to simulate: everything that is not the scene itself.

use serde::{Deserialize, Serialize};

use complementarity::{
    Ask, Solver,
    options::Options,
    registry::{self, RegistryError},
};

use crate::formulate::{PenaltySettings, SeparationSettings};

/// Contact distance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Epsilon {
    /// What a point can travel in a step: `h |v| + h |omega| r + h² (|g| + |f| / m)`, and what
    /// a neighbour could push it.
    #[default]
    Auto,
    /// A fixed distance for every pair \[m\].
    Fixed(f64),
}

/// Friction model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Friction {
    /// Cone with a number of edges.
    #[default]
    Linear,
    /// True cone.
    Quadratic,
    /// None.
    None,
}

/// Law of impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Impact {
    /// Rebound speed is `e` times approach speed.
    #[default]
    Newton,
    /// Expansion impulse is `e` times compression impulse.
    Poisson,
}

/// What to do after a solve that did not reach its tolerance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnUnsolved {
    /// Count it in the report and go on with the best iterate.
    #[default]
    Report,
    /// Stop the run.
    Stop,
}

/// How much work a step may take where many bodies touch each other. Islands of few contacts are
/// solved to the solver's own tolerance in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Accuracy {
    /// Everything to the solver's own tolerance, as far as that can be had.
    Exact,
    /// Positions exact, friction as far as a bounded number of sweeps and factorisations goes.
    #[default]
    Balanced,
    /// Positions to 2e-5 m, friction as far as half the sweeps go, without a factorisation.
    Fast,
}

/// The bounds on the work of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Residual at which a solve of many contacts may stop \[m/s\]; times h, it is the overlap that
    /// such a solve leaves.
    pub acceptable: f64,
    /// Sweeps over all contacts in one solve.
    pub sweeps: usize,
    /// Factorisations in one solve of many contacts, see [`Ask::factorizations`].
    pub factorizations: Option<usize>,
    /// Corrections of the positions of many bodies by normal impulses alone.
    pub projections: usize,
}

impl Accuracy {
    /// Its bounds.
    pub fn budget(self) -> Budget {
        match self {
            Self::Exact => {
                Budget { acceptable: 1e-6, sweeps: 240, factorizations: None, projections: 6 }
            }
            Self::Balanced => {
                Budget { acceptable: 1e-4, sweeps: 160, factorizations: Some(100), projections: 6 }
            }
            Self::Fast => {
                Budget { acceptable: 1e-3, sweeps: 60, factorizations: Some(0), projections: 6 }
            }
        }
    }
}

/// Which shape of the Stewart-Trinkle problem to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemForm {
    /// Velocities eliminated: an LCP in the impulses (mixed with joints).
    #[default]
    Condensed,
    /// Velocities kept as free unknowns: a mixed LCP.
    Full,
}

/// Settings of a run; the fields of `[simulation]` in a scene file.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Step h \[s\]. Default 0.01.
    pub step: f64,
    /// Duration \[s\]. Default 1.
    pub duration: f64,
    /// Name of the formulation. Default `separation`.
    pub formulation: String,
    /// Name of the solver. Default `auto`.
    pub solver: String,
    /// Settings of the solver.
    pub solver_options: Options,
    /// Name of the collision detector. Default `exact`.
    pub detector: String,
    /// Friction model. Default linear.
    pub friction: Friction,
    /// Edges of the linear cone in 3D, at least 3. Default 7. In 2D there are always two.
    pub friction_directions: usize,
    /// Contact distance. Default auto.
    pub epsilon: Epsilon,
    /// Whether `separation` and `peg` take the gaps at the end of the step and repeat until they fit
    /// the motion, to round-off: no error of linearised rotations is left. Default false.
    pub implicit: bool,
    /// Overlap that `separation` and `peg` leave to linearised rotations, as a fraction of the
    /// smaller body's size, before they take the gaps at the end of the step after all; infinite
    /// for the plain semi-implicit scheme. Default 1e-6.
    pub rotation_tolerance: f64,
    /// Law of impact. Default Newton.
    pub impact: Impact,
    /// Approach speed below which nothing rebounds \[m/s\]; `None`: `|g| h`, the speed that
    /// gravity adds in one step, below which the scheme cannot tell an impact from rest.
    pub restitution_threshold: Option<f64>,
    /// Shape of the problem. Default condensed.
    pub problem_form: ProblemForm,
    /// Whether the gyroscopic torque acts. Default true.
    pub gyroscopic: bool,
    /// Integrator, one of [`INTEGRATORS`](crate::integrate::INTEGRATORS). Default `auto`: joint
    /// coordinates where nothing pushes, semi-implicit elsewhere.
    pub integrator: String,
    /// Joint stabilization, one of [`STABILIZATIONS`](crate::stabilize::STABILIZATIONS). Default
    /// `shake`.
    pub stabilization: String,
    /// What to do after an unsolved step. Default report.
    pub on_unsolved: OnUnsolved,
    /// A solve counts as failed when its measured residual is above this; an [`Accuracy`] may accept
    /// more of many contacts. Default 1e-6.
    pub accept_residual: f64,
    /// How much work a step may take where many bodies touch. Default balanced.
    pub accuracy: Accuracy,
    /// Whether bodies that `separation` finds at rest are left as they are until something happens to
    /// them: they keep their places to the last bit, and cost no solve. Default true.
    pub sleep: bool,
    /// Settings of the formulation `separation`.
    pub separation: SeparationSettings,
    /// Settings of the formulation `penalty`.
    pub penalty: PenaltySettings,
    /// Threads; 0 = all cores. Results do not depend on it.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step: 0.01,
            duration: 1.0,
            formulation: "separation".into(),
            solver: "auto".into(),
            solver_options: Options::default(),
            detector: "exact".into(),
            friction: Friction::default(),
            friction_directions: 7,
            epsilon: Epsilon::default(),
            implicit: false,
            rotation_tolerance: 1e-6,
            impact: Impact::default(),
            restitution_threshold: None,
            problem_form: ProblemForm::default(),
            gyroscopic: true,
            integrator: "auto".into(),
            stabilization: "shake".into(),
            on_unsolved: OnUnsolved::default(),
            accept_residual: 1e-6,
            accuracy: Accuracy::default(),
            sleep: true,
            separation: SeparationSettings::default(),
            penalty: PenaltySettings::default(),
            threads: 0,
        }
    }
}

impl Settings {
    /// The solver, with its options. It is told what the loop accepts, so that it need not chase the
    /// last digits of large piles.
    pub fn make_solver(&self) -> Result<Box<dyn Solver>, RegistryError> {
        let mut solver = registry::make(&self.solver, &self.solver_options)?;
        if self.solver_options.get("acceptable_tolerance").is_none() {
            solver.set_acceptable(self.accept_residual.min(0.5));
        }
        Ok(solver)
    }
}

/// A setting out of its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{key} = {value}, but it must be {range}")]
pub struct SettingsError {
    /// The field.
    pub key: &'static str,
    /// Its value.
    pub value: String,
    /// What would be right.
    pub range: &'static str,
}

impl Settings {
    /// Names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let positive = |key, value: f64| {
            let ok = value > 0.0 && value.is_finite();
            if ok {
                Ok(())
            } else {
                Err(SettingsError { key, value: value.to_string(), range: "more than 0" })
            }
        };
        positive("step", self.step)?;
        if !(self.duration >= 0.0 && self.duration.is_finite()) {
            let value = self.duration.to_string();
            return Err(SettingsError { key: "duration", value, range: "0 or more" });
        }
        if let Epsilon::Fixed(epsilon) = self.epsilon {
            positive("epsilon", epsilon)?;
        }
        positive("accept_residual", self.accept_residual)?;
        self.separation.validate()?;
        self.penalty.validate()?;
        if self.rotation_tolerance.is_nan() || self.rotation_tolerance <= 0.0 {
            let value = self.rotation_tolerance.to_string();
            return Err(SettingsError { key: "rotation_tolerance", value, range: "more than 0" });
        }
        if self.friction_directions < 3 {
            let value = self.friction_directions.to_string();
            return Err(SettingsError { key: "friction_directions", value, range: "3 or more" });
        }
        Ok(())
    }

    /// What a solve of contacts is asked for.
    pub fn ask(&self) -> Ask {
        let Budget { acceptable, sweeps, factorizations, .. } = self.accuracy.budget();
        let acceptable = acceptable.max(self.accept_residual);
        let threads = Some(self.threads);
        Ask { acceptable, sweeps: Some(sweeps), factorizations, threads, ..Ask::default() }
    }

    /// Number of steps of the run.
    pub fn steps(&self) -> u64 {
        // A duration that is a multiple of h up to round-off gets exactly that many steps.
        (self.duration / self.step - 1e-9).ceil().max(0.0) as u64
    }
}
