//! Exact geometry: what bodies are made of, measured without approximation.
//!
//! Two-dimensional shapes live in the plane z = 0 of the same vectors, so that all later stages
//! are written once for both dimensions.

pub mod aabb;
pub mod bored;
pub mod clip;
pub mod dimension;
pub mod error;
pub mod math;

mod check;
pub mod convexity;
mod cut;
pub mod decompose;
pub mod gauss;
mod hull;
mod join;
pub mod mass;
mod merge;
pub mod mesh_file;
pub mod outline;
pub mod overlap;
pub mod placed;
pub mod polygon;
pub mod polytope;
mod prism;
mod revolution;
pub mod shape;
mod simplify;
pub mod solid;
pub mod solids;
pub mod tolerance;
pub mod tree;
pub mod trimesh;

pub use aabb::Aabb;
pub use bored::Bored;
pub use dimension::{Block, Dimension};
pub use error::GeometryError;
pub use mass::MassProperties;
pub use math::{Mat3, Pose, Quat, Vec3};
pub use placed::PlacedHull;
pub use polygon::Polygon;
pub use polytope::Polytope;
pub use shape::{Convex, Part, Shape};
pub use solid::Solid;
pub use tree::BoxTree;
pub use trimesh::{Bend, TriMesh};
