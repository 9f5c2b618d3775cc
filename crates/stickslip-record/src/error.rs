//! What can go wrong.

use std::path::PathBuf;

use stickslip::{hook::HookError, memory::StrangeMemory, step::StepError};

/// A recording that cannot be written, read or exported.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file cannot be made or opened.
    #[cfg(feature = "files")]
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: hdf5_metno::Error,
    },
    /// HDF5 refused (disk full, damaged file).
    #[cfg(feature = "files")]
    #[error("{path}: cannot {action}: {source}", path = path.display())]
    Hdf5 {
        /// The file.
        path: PathBuf,
        /// What was being done.
        action: String,
        /// Why.
        source: hdf5_metno::Error,
    },
    /// Not a recording, or one from a later version.
    #[error("{path}: {reason}", path = path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A recording without a single state.
    #[error("the recording holds no state: there is nothing to show")]
    Empty,
    /// Nothing to record.
    #[error("a scene without bodies cannot be recorded")]
    NoBodies,
    /// No body of that name.
    #[error("no body is named {name:?} in this recording; there are: {known}")]
    UnknownBody {
        /// The name asked for.
        name: String,
        /// The ones there are.
        known: String,
    },
    /// No such joint.
    #[error("no joint is named {name:?}; there are: {known}")]
    UnknownJoint {
        /// The name asked for.
        name: String,
        /// The ones there are.
        known: String,
    },
    /// No such quantity.
    #[error("no quantity is named {name:?}; there are: {known}")]
    UnknownQuantity {
        /// The name asked for.
        name: String,
        /// The ones there are.
        known: String,
    },
    /// The step is not in the recording.
    #[error("step {step} was not recorded; the recording has steps {first} to {last}")]
    NoStep {
        /// The step asked for.
        step: u64,
        /// First one recorded.
        first: u64,
        /// Last one recorded.
        last: u64,
    },
    /// The recording belongs to another scene.
    #[error("the recording has {recorded} bodies, the scene {found}")]
    OtherScene {
        /// Bodies in the recording.
        recorded: usize,
        /// Bodies in the simulator.
        found: usize,
    },
    /// Simulating again from a checkpoint did not lead to the recorded state.
    #[error(
        "step {step} came out differently than recorded: another build, other settings, or a state changed in other ways than by hooks"
    )]
    NotReproduced {
        /// The step.
        step: u64,
    },
    /// The memory kept at a checkpoint is of another formulation or integrator.
    #[error(transparent)]
    Memory(#[from] StrangeMemory),
    /// A step failed while catching up.
    #[error(transparent)]
    Step(#[from] StepError),
    /// JSON of the model.
    #[error("the description of the scene is damaged: {0}")]
    Json(#[from] serde_json::Error),
    /// Writing an export.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A plot that cannot be drawn.
    #[error("cannot draw the plot: {0}")]
    Plot(String),
    /// An earlier write failed; nothing more is recorded.
    #[error("recording has stopped: {0}")]
    Stopped(String),
}

impl From<RecordError> for HookError {
    fn from(error: RecordError) -> Self {
        HookError(error.to_string())
    }
}
