//! Stage 5: bring joints that drifted back together.

mod contacts;
mod off;
mod post_step;

pub use contacts::PostStepContacts;
pub(crate) use contacts::carried;
pub use off::Off;
pub use post_step::{AfterShake, PostStep, project};

use stickslip_geometry::Pose;

use crate::{formulate::StepMotion, model::Model, state::State};

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

/// Moves the state back onto the joint constraints.
pub trait Stabilizer: Send {
    /// Corrects `state` in place.
    fn stabilize(
        &mut self,
        model: &Model,
        state: &mut State,
        taken: &Taken,
    ) -> Result<(), StabilizeError>;
}

/// Stabilisation failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StabilizeError {
    /// No such method.
    #[error("no joint stabilisation is named {name:?}; there are: {known}")]
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

/// Name and one line about each method.
pub const STABILIZATIONS: &[(&str, &str)] = &[
    ("none", "joints drift as the scheme lets them"),
    ("baumgarte", "each step's problem takes back a fifth of the error"),
    ("shake", "each step's problem ends with every joint closed; no energy drift"),
    ("post-step", "positions and velocities are projected after the step (thesis Algorithm 1)"),
    ("post-step-contacts", "the same, but no contact is pushed closed"),
];

/// The method of that name. Baumgarte's works inside the problem
/// ([`joint_rows`](crate::dynamics::joint_rows)) and leaves this stage nothing to do. `shake`
/// works there too: the joint impulses close the joints at the end of the step. It is the
/// variational counterpart of the semi-implicit scheme, so energy oscillates but does not drift,
/// while Algorithm 1 projects the velocities and loses energy in proportion to h. What contacts
/// leave open is closed as by `post-step-contacts`.
pub fn make(name: &str) -> Result<Box<dyn Stabilizer>, StabilizeError> {
    match name {
        "shake" => Ok(Box::new(AfterShake)),
        "none" | "baumgarte" => Ok(Box::new(Off)),
        "post-step" => Ok(Box::new(PostStep)),
        "post-step-contacts" => Ok(Box::new(PostStepContacts)),
        _ => {
            let known = STABILIZATIONS.iter().map(|s| s.0).collect::<Vec<_>>().join(", ");
            Err(StabilizeError::UnknownName { name: name.into(), known })
        }
    }
}
