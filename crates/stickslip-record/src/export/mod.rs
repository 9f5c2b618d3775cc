//! Recordings in the formats of others.

mod csv;
mod gltf;

pub use csv::csv;
pub use gltf::gltf;
