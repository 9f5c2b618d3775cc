//! Stage 2: which contacts hold, as the problem of one step, and the motion that its solution gives.
//!
//! A formulation owns no solver. It writes a problem, hands it to [`Solve`], and goes on from the
//! solution: another problem (restitution, other separating axes), or the motion.

pub mod contact_system;
pub mod friction_cone;
pub mod impact;
pub mod standard;

mod anitescu_potra;
mod contact_torques;
mod convex;
mod corrective;
mod full_form;
mod lnc;
mod names;
mod no_slip;
mod particle;
mod peg;
mod penalty;
mod separation;
mod stewart_trinkle;
mod unit_rows;

pub use anitescu_potra::AnitescuPotra;
pub use contact_system::ContactSystem;
pub use convex::ConvexCone;
pub use corrective::Corrective;
pub use lnc::Lnc;
pub use no_slip::NoSlip;
pub use particle::Particle;
pub use peg::Peg;
pub use penalty::{Penalty, PenaltyPoints, PenaltySettings, StaticFriction};
pub use separation::{Separation, SeparationSettings, Touching, touching};
pub use stewart_trinkle::StewartTrinkle;

pub use crate::{
    frame::Frame,
    motion::{ConstraintCounts, ConstraintKind, ContactForce, StepMotion},
};

use complementarity::{
    Ask, ContactProblem, ContactSolution, Problem, ProblemClass, ProblemError, Solution,
};

use stickslip_geometry::Vec3;

use crate::{
    model::Model,
    registry::{self, Entry},
    settings::{Friction, ProblemForm, Settings},
};

/// What a block of a contact problem is called across steps, for the warm start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Name {
    /// Of its features; odd.
    pub key: u64,
    /// Of its two parts; odd.
    pub pair: u64,
    /// Where it is, world frame \[m\].
    pub point: Vec3,
    /// Directions of its rows, world frame: normal and tangents; zero for rows that it lacks.
    pub rows: [Vec3; 3],
}

impl Name {
    /// The parts of an impulse along its rows.
    pub fn along(&self, impulse: Vec3) -> [f64; 3] {
        self.rows.map(|row| row.dot(impulse))
    }
}

/// Stage 3 as a formulation sees it. Behind it are the solver, the warm start, the clock, the
/// measured residual and the report.
pub trait Solve {
    /// Solves; `keys[i]` names unknown `i` across steps, for the warm start (zero: never seen
    /// before). A problem left unsolved is counted and its best iterate returned, or it ends the
    /// step, as the settings say.
    fn solve(&mut self, problem: Problem, keys: Vec<u64>) -> Result<Solution, FormulateError>;

    /// The same for a problem that need not have a solution: the formulation has a simpler one
    /// ready, and reports that it took it. Nothing is counted.
    fn attempt(&mut self, problem: Problem, keys: Vec<u64>) -> Result<Solution, FormulateError>;

    /// Solves contacts as they are; `ask` says how well. Without names nothing is known of them, and
    /// nothing is remembered. With
    /// `attempt` a failure is the formulation's to mend, as above.
    fn contacts(
        &mut self,
        problem: ContactProblem,
        names: Vec<Name>,
        ask: &Ask,
        attempt: bool,
    ) -> Result<ContactSolution, FormulateError>;

    /// What the last solve of named contacts left at each of its blocks: their parts of the
    /// [natural residual](complementarity::residual::contacts). Empty where that is not known.
    fn errors(&self) -> &[f64] {
        &[]
    }

    /// The impulses that the last solve suggests for blocks of these names; empty where nothing is known.
    fn guess(&self, _names: &[Name]) -> Vec<[f64; 3]> {
        Vec::new()
    }

    /// Told of contacts with impulses \[N s\] that the last solve did not see, for the warm start of the next:
    /// those of bodies that rested and wake.
    fn know(&mut self, _contacts: &[(Name, Vec3)]) {}

    /// Told of a solve whose torques are bounded by other normal impulses than those found: `residual` \[m/s\] is
    /// what that leaves. It counts as unsolved, or ends the step, as the settings say.
    fn unsettled(&mut self, _residual: f64, _attempt: bool) -> Result<(), FormulateError> {
        Ok(())
    }
}

/// Finds the motion of one step.
pub trait Formulation: Send {
    /// The name in the registry.
    fn name(&self) -> &'static str;
    /// The class of its problems with these settings.
    fn class(&self, settings: &Settings) -> ProblemClass;
    /// Whether it starts from the features that may touch (`frame.contacts`). Else it is handed
    /// pairs of parts (`frame.pairs`), and no time is spent on their features.
    fn starts_from_features(&self) -> bool {
        true
    }
    /// Whether it is asked for the motion of bodies that nothing is near as well. Where not, the
    /// integrator moves them, and no problem is written.
    fn sees_free_motion(&self) -> bool {
        self.starts_from_features()
    }
    /// Whether its contacts carry rolling and torsional friction. One that does not refuses scenes that have it.
    fn carries_torques(&self) -> bool {
        false
    }
    /// The motion over the step, through as many problems as it takes.
    fn plan(&mut self, frame: &Frame, solve: &mut dyn Solve) -> Result<StepMotion, FormulateError>;
    /// Takes back the motion of the last step, for its memory.
    fn reuse(&mut self, _motion: StepMotion) {}
    /// Opaque serialised state that it carries from step to step; nothing by default.
    fn memory(&self) -> Vec<u64> {
        Vec::new()
    }
    /// Goes on from what [`Formulation::memory`] gave; false if that was of another method.
    fn recall(&mut self, memory: &[u64]) -> bool {
        memory.is_empty()
    }
}

/// The problem could not be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FormulateError {
    /// No such formulation.
    #[error("no formulation is named {name:?}; there are: {known}")]
    UnknownName {
        /// The name asked for.
        name: String,
        /// The ones there are.
        known: String,
    },
    /// The formulation does not know this setting.
    #[error("{formulation} cannot use {what}")]
    Unsupported {
        /// The formulation.
        formulation: &'static str,
        /// What it was asked for.
        what: String,
    },
    /// Numbers that do not make a problem: NaN or infinity got in.
    #[error("{formulation}: {source}")]
    Problem {
        /// The formulation.
        formulation: &'static str,
        /// What is wrong.
        source: ProblemError,
    },
    /// A formulation written by the user failed.
    #[error("{0}")]
    Custom(String),
    /// The solver could not go on, or must not ([`Solve`] knows why).
    #[error("the solve ended the step")]
    Interrupted,
}

/// Every formulation: the only list of names.
pub const FORMULATIONS: &[Entry<dyn Formulation>] = &[
    Entry {
        name: "stewart-trinkle",
        about: "every contact its own half-space, positions at the end of the step",
        make: || Box::new(StewartTrinkle::default()),
    },
    Entry {
        name: "stewart-trinkle-every",
        about: "the same without foresight: several faces may hold one vertex",
        make: || Box::new(StewartTrinkle::every()),
    },
    Entry {
        name: "anitescu-potra",
        about: "contacts that touch must not approach: a velocity-level standard model",
        make: || Box::new(AnitescuPotra),
    },
    Entry {
        name: "lnc",
        about: "a vertex is in front of at least one face near it",
        make: || Box::new(Lnc::default()),
    },
    Entry {
        name: "peg",
        about: "exact polytopes: which gaps may close together, as one problem",
        make: || Box::new(Peg::default()),
    },
    Entry {
        name: "peg-whole",
        about: "peg with every problem written as a whole, for a solver that pivots",
        make: || Box::new(Peg::whole()),
    },
    Entry {
        name: "peg-several",
        about: "peg with a force at every primary contact of a constraint",
        make: || Box::new(Peg::several()),
    },
    Entry {
        name: "corrective",
        about: "contacts are enforced once they are violated",
        make: || Box::new(Corrective),
    },
    Entry {
        name: "penalty",
        about: "springs, dampers and an integral term at the bottom of what bodies share",
        make: || Box::new(Penalty::default()),
    },
    Entry {
        name: "convex",
        about: "the relaxed cone problem: always solvable; sliding bodies float by h mu v",
        make: || Box::new(ConvexCone),
    },
    Entry {
        name: "no-slip",
        about: "contacts that touch do not slip, whatever their friction",
        make: || Box::new(NoSlip),
    },
    Entry {
        name: "particle",
        about: "contact forces act on the centres of mass: bodies do not turn",
        make: || Box::new(Particle),
    },
    Entry {
        name: "separation",
        about: "one separating axis per convex pair, chosen until none is wrong",
        make: || Box::new(Separation::default()),
    },
];

/// The formulation of that name.
pub fn make(name: &str) -> Result<Box<dyn Formulation>, FormulateError> {
    let entry = registry::find(FORMULATIONS, name);
    let unknown = |known| FormulateError::UnknownName { name: name.into(), known };
    entry.map(|entry| (entry.make)()).map_err(unknown)
}

/// The class of the problems that [`ContactSystem`] writes.
fn class_of(settings: &Settings) -> ProblemClass {
    match (settings.friction, settings.problem_form) {
        (Friction::Quadratic, _) => ProblemClass::Cone,
        (_, ProblemForm::Condensed) => ProblemClass::Lcp,
        (_, ProblemForm::Full) => ProblemClass::Mlcp,
    }
}

/// Whether the formulation knows the rolling and torsional friction that the scene asks for.
pub(crate) fn check_torques(
    model: &Model,
    settings: &Settings,
    formulation: &dyn Formulation,
) -> Result<(), FormulateError> {
    let what = match (formulation.carries_torques(), settings.problem_form) {
        (true, ProblemForm::Condensed) => return Ok(()),
        (true, ProblemForm::Full) => "rolling or torsional friction with problem_form = \"full\"",
        (false, _) => {
            "rolling or torsional friction; separation, stewart-trinkle, anitescu-potra and corrective can"
        }
    };
    let wrong = FormulateError::Unsupported { formulation: formulation.name(), what: what.into() };
    let asked = model.has_contact_torques() && settings.friction != Friction::None;
    if asked { Err(wrong) } else { Ok(()) }
}
