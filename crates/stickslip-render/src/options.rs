//! How a picture looks.

use crate::RenderError;

/// Longest side of a picture \[pixels\].
pub const MOST_PIXELS: usize = 8192;

/// Size and content of pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderOptions {
    /// Columns. Default 1280.
    pub width: usize,
    /// Rows. Default 720.
    pub height: usize,
    /// Samples a pixel: 4, or 16 for smooth single pictures. Default 4.
    pub samples: usize,
    /// Contact forces as arrows. Default off.
    pub forces: bool,
    /// Joints: anchors, axes, and lines to the bodies that they join. Default off.
    pub joints: bool,
    /// Shadows of one light. Default on.
    pub shadows: bool,
    /// Edges of bodies. Default on.
    pub edges: bool,
    /// Dark background. Default off.
    pub dark: bool,
    /// Threads; 0 means all cores. Pictures do not depend on it. Default 0.
    pub threads: usize,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            width: 1280,
            height: 720,
            samples: 4,
            forces: false,
            joints: false,
            shadows: true,
            edges: true,
            dark: false,
            threads: 0,
        }
    }
}

impl RenderOptions {
    /// Whether the numbers make sense.
    pub fn validate(&self) -> Result<(), RenderError> {
        let (width, height) = (self.width, self.height);
        let fits = |side: usize| (16..=MOST_PIXELS).contains(&side);
        if !fits(width) || !fits(height) {
            return Err(RenderError::Size { width, height, most: MOST_PIXELS });
        }
        match self.samples {
            4 | 16 => Ok(()),
            n => Err(RenderError::Range { what: "samples", value: n as f64, range: "4 or 16" }),
        }
    }

    /// How many threads to use.
    pub(crate) fn workers(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        if self.threads == 0 { cores() } else { self.threads.min(64) }
    }
}
