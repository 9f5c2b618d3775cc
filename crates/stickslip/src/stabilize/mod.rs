//! Stage 5: bring joints that drifted back together.

mod contacts;
mod off;
mod post_step;

pub use contacts::PostStepContacts;
pub(crate) use contacts::carried;
pub use off::{Baumgarte, Off};
pub use post_step::{AfterShake, PostStep, project};

use stickslip_geometry::Pose;

use crate::{
    formulate::StepMotion,
    model::Model,
    registry::{self, Entry},
    state::State,
};

/// The step that led to the state.
#[derive(Clone, Copy, Debug)]
pub struct Taken<'a> {
    /// Poses at its start.
    pub before: &'a [Pose],
    /// What its problem found.
    pub motion: &'a StepMotion,
    /// Its length \[s\].
    pub h: f64,
}

/// What the problem of a step does about the errors of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointTarget {
    /// Their rates are zero: errors stay as they are.
    Kept,
    /// It takes back [a part of them](crate::dynamics::joint_rows::BAUMGARTE).
    Reduced,
    /// It ends the step with none.
    Closed,
}

/// Moves the state back onto the joint constraints.
pub trait Stabilizer: Send {
    /// What it asks of the problem, before the step.
    fn target(&self) -> JointTarget {
        JointTarget::Kept
    }
    /// Whether it moves no body into another: then a step after which one is in another was too long.
    fn keeps_contacts(&self) -> bool {
        true
    }
    /// Corrects `state` in place.
    fn stabilize(
        &mut self,
        model: &Model,
        state: &mut State,
        taken: &Taken,
    ) -> Result<(), StabilizeError>;
}

/// Stabilization failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StabilizeError {
    /// No such method.
    #[error("no joint stabilization is named {name:?}; there are: {known}")]
    UnknownName {
        /// The name asked for.
        name: String,
        /// The ones there are.
        known: String,
    },
    /// The correction is not a number.
    #[error("the correction of the joints is not finite; the largest error was {error:e}")]
    NotFinite {
        /// Largest joint error before \[m or rad\].
        error: f64,
    },
}

/// Every method: the only list of names.
pub const STABILIZATIONS: &[Entry<dyn Stabilizer>] = &[
    Entry { name: "none", about: "joints drift as the scheme lets them", make: || Box::new(Off) },
    Entry {
        name: "baumgarte",
        about: "each step's problem takes back a fifth of the error",
        make: || Box::new(Baumgarte),
    },
    Entry {
        name: "shake",
        about: "each step's problem ends with every joint closed; no energy drift",
        make: || Box::new(AfterShake),
    },
    Entry {
        name: "post-step",
        about: "positions and velocities are projected after the step (thesis Algorithm 1)",
        make: || Box::new(PostStep),
    },
    Entry {
        name: "post-step-contacts",
        about: "the same, but no contact is pushed closed",
        make: || Box::new(PostStepContacts),
    },
];

/// The method of that name. Baumgarte's works inside the problem
/// ([`joint_rows`](crate::dynamics::joint_rows)) and leaves this stage nothing to do. `shake`
/// works there too: the joint impulses close the joints at the end of the step. It is the
/// variational counterpart of the semi-implicit scheme, so energy oscillates but does not drift,
/// while Algorithm 1 projects the velocities and loses energy in proportion to h. What contacts
/// leave open is closed as by `post-step-contacts`.
pub fn make(name: &str) -> Result<Box<dyn Stabilizer>, StabilizeError> {
    let entry = registry::find(STABILIZATIONS, name);
    let unknown = |known| StabilizeError::UnknownName { name: name.into(), known };
    entry.map(|entry| (entry.make)()).map_err(unknown)
}

/// What the method of that name asks of the problem.
pub(crate) fn target(name: &str) -> JointTarget {
    let entry = STABILIZATIONS.iter().find(|entry| entry.name == name);
    entry.map_or(JointTarget::Kept, |entry| (entry.make)().target())
}
