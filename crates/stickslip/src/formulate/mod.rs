//! Stage 2: write the problem of one step, and read the motion back from its solution.
//!
//! A formulation never solves. It hands out a problem, the loop solves it, and the formulation
//! sees the solution: it may then ask for another pass (restitution, choice of contact modes) or
//! be done.

pub mod contact_system;
pub mod dynamics;
pub mod friction_cone;
pub mod impact;
pub mod jacobian;
pub mod joint_rows;
pub mod mass;
pub mod mechanism;
pub mod reaction;
pub mod standard;
pub mod tree;

mod anitescu_potra;
mod attempts;
mod closures;
mod convex;
mod corrective;
mod forest;
mod full_form;
mod joint_work;
mod lnc;
mod no_slip;
mod particle;
mod peg;
mod penalty;
mod separation;
mod small;
mod stewart_trinkle;
mod taut;
mod true_cone;
mod whiten;

pub use anitescu_potra::AnitescuPotra;
pub use attempts::{Attempts, Verdict};
pub use contact_system::ContactSystem;
pub use convex::ConvexCone;
pub use corrective::Corrective;
pub use jacobian::{Jacobian, JacobianBlock};
pub use joint_rows::{BoundedRow, JointRows};
pub use lnc::Lnc;
pub use mass::MassMatrix;
pub use mechanism::Mechanism;
pub use no_slip::NoSlip;
pub use particle::Particle;
pub use peg::Peg;
pub use penalty::{Penalty, PenaltyPoints, PenaltySettings, StaticFriction};
pub use reaction::{Reaction, reactions};
pub use separation::Separation;
pub use stewart_trinkle::StewartTrinkle;
pub(crate) use taut::working_mass;
pub use tree::{BilateralRow, JointTree, RowGroup};

use complementarity::{Problem, ProblemClass, ProblemError, Solution};
use stickslip_geometry::Vec3;

use crate::{
    collide::{Contact, Query},
    model::Model,
    settings::{Friction, ProblemForm, Settings},
    state::State,
};

/// What a formulation works on: the frame at the start of the step.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The scene.
    pub model: &'a Model,
    /// Places and velocities at the start of the step.
    pub state: &'a State,
    /// Potential contacts.
    pub contacts: &'a [Contact],
    /// How far the detector looked.
    pub query: &'a Query,
    /// Step \[s\].
    pub h: f64,
    /// Settings of the run.
    pub settings: &'a Settings,
}

impl Frame<'_> {
    /// The speed at which a gap may close so that it is gone at the end of the step, `psi / h`
    /// \[m/s\]. An overlap takes a whole step of the settings to be undone, however short this
    /// part of it is: the speed of undoing it stays with the bodies.
    pub fn closing(&self, gap: f64) -> f64 {
        gap / if gap < 0.0 { self.h.max(self.settings.step) } else { self.h }
    }
}

/// What a formulation wants next.
#[derive(Clone, Debug)]
pub enum Pass {
    /// Solve this. `keys[i]` names unknown `i` across steps, for the warm start.
    Solve {
        /// The problem.
        problem: Problem,
        /// One name per unknown; zero: never seen before.
        keys: Vec<u64>,
    },
    /// Nothing more: this is the motion.
    Done(StepMotion),
}

/// The result of a step's problem.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepMotion {
    /// Velocities at the end of the step, in the layout of the model.
    pub nu: Vec<f64>,
    /// Displacements over the step where they are not `h nu`: in the layout of the model, rotations
    /// as vectors \[m, rad\]. Only the integrator `rk4` looks at it.
    pub displacement: Option<Vec<f64>>,
    /// The contacts that were part of the problem, at the start of the step.
    pub contacts: Vec<Contact>,
    /// Impulses at these contacts.
    pub forces: Vec<ContactForce>,
    /// Impulses of the joint rows with bounds: limits, friction, motors.
    pub joint_impulses: Vec<f64>,
    /// Sizes.
    pub constraints: ConstraintCounts,
    /// How often constraints were given up because a problem had no solution (see [`Peg`]).
    pub fallbacks: usize,
    /// Whether the passes ran out with bodies still overlapping: a shorter step may do better.
    pub unsettled: bool,
}

impl StepMotion {
    /// Whether nothing pushed: no contact, no limit, no motor with a force limit.
    pub fn is_smooth(&self) -> bool {
        self.forces.iter().all(|f| f.normal == 0.0 && f.friction == Vec3::ZERO)
            && self.joint_impulses.iter().all(|&p| p == 0.0)
    }
}

/// Impulse at one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// Index among the contacts of the motion.
    pub contact: usize,
    /// What kind of constraint it belongs to.
    pub kind: ConstraintKind,
    /// Normal impulse on B along the contact normal \[N s\].
    pub normal: f64,
    /// Friction impulse on B \[N s\].
    pub friction: Vec3,
}

/// Kinds of contact constraints (thesis 4.3-4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// One half-space, enforced by itself.
    Unilateral,
    /// Among several half-spaces of one feature.
    Inter,
    /// Across several features.
    Cross,
}

/// How many constraints of each kind a problem had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConstraintCounts {
    /// Unilateral.
    pub unilateral: usize,
    /// Inter-contact.
    pub inter: usize,
    /// Cross-contact.
    pub cross: usize,
}

/// Writes the problems of one step.
pub trait Formulation: Send {
    /// The name in the registry.
    fn name(&self) -> &'static str;
    /// The class of its problems with these settings.
    fn class(&self, settings: &Settings) -> ProblemClass;
    /// The next problem of this step, or its end. `last` is the solution of the problem handed
    /// out before, `None` on the first call of a step.
    fn formulate(&mut self, frame: &Frame, last: Option<&Solution>)
    -> Result<Pass, FormulateError>;
    /// Whether the formulation has a simpler problem ready, should the one handed out last turn
    /// out to have no solution. The loop then hands it the failed solution instead of stopping.
    fn recovers(&self) -> bool {
        false
    }
    /// What it remembers from step to step, in words of its own; nothing by default.
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
}

/// Name and one line about each formulation.
pub const FORMULATIONS: &[(&str, &str)] = &[
    ("stewart-trinkle", "every contact its own half-space, positions at the end of the step"),
    ("stewart-trinkle-every", "the same without foresight: several faces may hold one vertex"),
    ("anitescu-potra", "contacts that touch must not approach: a velocity-level standard model"),
    ("lnc", "a vertex is in front of at least one face near it"),
    ("peg", "exact polytopes: which gaps may close together, as one problem"),
    ("peg-whole", "peg with every problem written as a whole, for a solver that pivots"),
    ("peg-several", "peg with a force at every primary contact of a constraint"),
    ("corrective", "contacts are enforced once they are violated"),
    ("penalty", "springs, dampers and an integral term at the bottom of what bodies share"),
    ("convex", "the relaxed cone problem: always solvable; sliding bodies float by h mu v"),
    ("no-slip", "contacts that touch do not slip, whatever their friction"),
    ("particle", "contact forces act on the centres of mass: bodies do not turn"),
    ("separation", "one separating direction per convex pair, chosen until none is wrong"),
];

/// The formulation of that name.
pub fn make(name: &str) -> Result<Box<dyn Formulation>, FormulateError> {
    match name {
        "stewart-trinkle" => Ok(Box::new(StewartTrinkle::default())),
        "stewart-trinkle-every" => Ok(Box::new(StewartTrinkle::every())),
        "separation" => Ok(Box::new(Separation::default())),
        "anitescu-potra" => Ok(Box::new(AnitescuPotra::default())),
        "lnc" => Ok(Box::new(Lnc::default())),
        "peg" => Ok(Box::new(Peg::default())),
        "peg-whole" => Ok(Box::new(Peg::whole())),
        "peg-several" => Ok(Box::new(Peg::several())),
        "penalty" => Ok(Box::new(Penalty::default())),
        "convex" => Ok(Box::new(ConvexCone::default())),
        "no-slip" => Ok(Box::new(NoSlip::default())),
        "particle" => Ok(Box::new(Particle::default())),
        "corrective" => Ok(Box::new(Corrective::default())),
        _ => {
            let known = FORMULATIONS.iter().map(|f| f.0).collect::<Vec<_>>().join(", ");
            Err(FormulateError::UnknownName { name: name.into(), known })
        }
    }
}

/// The class of the problems that [`ContactSystem`] writes.
fn class_of(settings: &Settings) -> ProblemClass {
    match (settings.friction, settings.problem_form) {
        (Friction::Quadratic, _) => ProblemClass::Cone,
        (_, ProblemForm::Condensed) => ProblemClass::Lcp,
        (_, ProblemForm::Full) => ProblemClass::Mlcp,
    }
}
