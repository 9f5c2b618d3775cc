//! Recording, replaying and exporting runs.
//!
//! - [`Recorder`] writes a run to one HDF5 file that stays readable when the run is killed;
//! - [`Recording`] reads it: numbers, frames, resuming;
//! - [`Replay`] is what the viewer shows, collected during a run or taken from a recording, and
//!   becomes one self-contained HTML page, a CSV table or a glTF animation;
//! - [`plot`] draws any quantity over time as SVG or PNG.

pub mod error;
pub mod export;
pub mod page;
#[cfg(feature = "files")]
pub mod plot;
pub mod replay;
pub mod series;
pub mod view;

#[cfg(feature = "files")]
pub mod probe;
#[cfg(feature = "files")]
mod reader;
#[cfg(feature = "files")]
mod recorder;
#[cfg(feature = "files")]
mod seal;
#[cfg(feature = "files")]
mod whole;

pub use error::RecordError;
#[cfg(feature = "files")]
pub use reader::{FrameData, Recording};
#[cfg(feature = "files")]
pub use recorder::{ContactsKept, FrameChoice, RecordOptions, Recorder, RunInfo, Summary};
pub use replay::{Replay, ReplayHook};
#[cfg(feature = "files")]
pub use whole::{WholeFile, same_file, write_whole};

/// Value of the attribute `format` of a recording.
pub const FORMAT: &str = "stickslip-recording";

/// Version of the layout of a recording; a reader refuses a larger one.
pub const VERSION: u32 = 1;
