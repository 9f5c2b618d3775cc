//! What is recorded.

use std::ops::RangeInclusive;

/// Which steps get a whole frame (bodies, joints, contacts, solution). A step that could not be
/// solved always gets one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameChoice {
    /// Every so many steps.
    pub every: Option<u64>,
    /// Steps in these ranges.
    pub ranges: Vec<RangeInclusive<u64>>,
}

impl FrameChoice {
    pub(super) fn wants(&self, step: u64) -> bool {
        self.every.is_some_and(|n| n > 0 && step.is_multiple_of(n))
            || self.ranges.iter().any(|r| r.contains(&step))
    }
}

/// Which contacts are kept for the viewer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactsKept {
    /// All up to a hundred bodies, else those with a force.
    #[default]
    Auto,
    /// None.
    None,
    /// Those with a force.
    Pushing,
    /// Also those that cannot push.
    All,
}

/// How a run is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordOptions {
    /// Trajectory rows every so many steps. Default 1.
    pub every: u64,
    /// Whole frames. Default: only steps that could not be solved.
    pub frames: FrameChoice,
    /// Contacts for the viewer.
    pub contacts: ContactsKept,
    /// Measure the true overlap of the bodies after each recorded step. Default true up to a
    /// hundred bodies when `None`.
    pub penetration: Option<bool>,
    /// Solver memory every so many steps, from which a run can be resumed. Default 20.
    pub checkpoint_every: u64,
    /// Strength of compression, 0 to 9. Default 1: stronger ones cost time and gain little.
    pub compression: u8,
    /// Rows are written and flushed at least this often \[s\]. Default 1.
    pub flush_seconds: f64,
}

impl Default for RecordOptions {
    fn default() -> Self {
        Self {
            every: 1,
            frames: FrameChoice::default(),
            contacts: ContactsKept::default(),
            penetration: None,
            checkpoint_every: 20,
            compression: 1,
            flush_seconds: 1.0,
        }
    }
}

/// Whose run it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunInfo {
    /// Name of the scene.
    pub name: String,
    /// Text of the scene file; empty for a scene made in code.
    pub scene: String,
    /// Revision of the program.
    pub revision: String,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Rows of the trajectory, the initial state included.
    pub rows: usize,
    /// Whole frames.
    pub frames: usize,
    /// Size of the file \[bytes\].
    pub bytes: u64,
}
