//! What can go wrong.

use std::path::PathBuf;

/// A picture or a film that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// A run without a single state.
    #[error("the run holds no state: there is nothing to draw")]
    Empty,
    /// A size outside of what pictures can have.
    #[error("a picture of {width} x {height} pixels: each side must be between 16 and {most}")]
    Size {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
        /// Largest side.
        most: usize,
    },
    /// A number of an option that makes no sense.
    #[error("{what} = {value}, but it must be {range}")]
    Range {
        /// The option.
        what: &'static str,
        /// What was given.
        value: f64,
        /// What is right.
        range: &'static str,
    },
    /// A camera that cannot be understood.
    #[error(
        "the camera {text:?}: {reason}; write position:target or position:target:angle, as \
         3,-4,2:0,0,0.5:38, or follow=BODY"
    )]
    Camera {
        /// What was given.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No body of that name to follow.
    #[error("no body is named {name:?} to follow; there are: {known}")]
    UnknownBody {
        /// The name asked for.
        name: String,
        /// The ones there are.
        known: String,
    },
    /// No film has that many frames.
    #[error(
        "{frames} frames: a film has at most {most}; lower the frames per second or raise the speed"
    )]
    TooLong {
        /// Frames asked for.
        frames: f64,
        /// The most.
        most: usize,
    },
    /// An ending that no format has.
    #[error("{path}: the name must end in .png, .gif or .mp4", path = path.display())]
    Format {
        /// The file.
        path: PathBuf,
    },
    /// This build lacks the encoder of a format.
    #[error(
        "{path}: this build has no encoder for .mp4; write .gif, or build with the feature `mp4` \
         (needs a C++ compiler)", path = path.display()
    )]
    NoEncoder {
        /// The file.
        path: PathBuf,
    },
    /// An encoder refused.
    #[error("the {format} encoder: {reason}")]
    Encode {
        /// Format.
        format: &'static str,
        /// What it says.
        reason: String,
    },
    /// The file cannot be written.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The caller ended it.
    #[error("interrupted after {frames} frames")]
    Interrupted {
        /// Frames done.
        frames: usize,
    },
}
