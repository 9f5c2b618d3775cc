//! Pictures and films of runs, drawn on the processor: no window, no browser, no graphics card.
//!
//! ```text
//! Replay ──► Film ──► Renderer ──► Picture ──► .png
//!             │  times, camera       triangles      .gif, .mp4
//!             └─ poses between two steps
//! ```
//!
//! A [`Renderer`] draws one [`Moment`] of a run from one [`Camera`]: triangles into a buffer with
//! several samples a pixel, one light with its shadows, ground where the scene has a half-space,
//! forces and joints on demand. The same input gives the same bits, whatever the number of threads.

pub mod camera;
pub mod error;
pub mod film;
pub mod options;
pub mod picture;

mod extent;
mod frames;
mod gif;
mod marks;
mod mesh;
mod moment;
#[cfg(feature = "mp4")]
mod mp4;
mod palette;
mod raster;
mod renderer;
mod round;
mod shade;
mod shadow;
mod theme;
mod triangles;

pub use camera::{Camera, CameraChoice, Lens, read_camera};
pub use error::RenderError;
pub use film::{Film, FilmOptions};
pub use moment::Moment;
pub use options::RenderOptions;
pub use picture::Picture;
pub use renderer::Renderer;
