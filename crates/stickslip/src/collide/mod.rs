//! Stage 1: which features of which bodies may touch during the step.
//!
//! A contact is *potential*: open gaps are reported too, since they must be known before they
//! close. The same list serves every formulation.

use stickslip_geometry::Vec3;

use crate::{
    model::{BodyId, Model},
    state::State,
};

/// A feature of a convex part (or of a surface).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// A corner.
    Vertex(u32),
    /// An edge (3D).
    Edge(u32),
    /// A face; in 2D a side.
    Face(u32),
    /// A point of a curved surface; the number tells apart several on one body.
    Smooth(u32),
}

/// One body's side of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// The body.
    pub body: BodyId,
    /// Which part of its shape.
    pub part: u32,
    /// Which feature of that part.
    pub feature: Feature,
    /// The contact point on this body, world frame \[m\].
    pub point: Vec3,
}

/// Whether a force may arise at a contact (thesis 3.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Applicable and feasible: a force may arise here.
    Primary,
    /// Describes the geometry nearby, but cannot itself push.
    Secondary,
}

/// A potential contact between two features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Side of the body with the smaller id.
    pub a: Side,
    /// Side of the other body.
    pub b: Side,
    /// Unit normal from A to B, world frame.
    pub normal: Vec3,
    /// Signed gap ψ along the normal \[m\]: positive apart, negative overlapping.
    pub gap: f64,
    /// Applicability (thesis 3.3-3.5): how well the features face each other; 1 is best,
    /// negative means that they do not.
    pub applicability: f64,
    /// Whether a force may arise here.
    pub role: Role,
}

/// Every feature pair closer than the margin, open gaps included.
pub trait CollisionDetector: Send {
    /// The name in the registry.
    fn name(&self) -> &'static str;
    /// Potential contacts, in an order that depends on the model and state alone.
    fn detect(
        &mut self,
        model: &Model,
        state: &State,
        query: &Query,
    ) -> Result<Vec<Contact>, CollideError>;
}

/// How far and how finely to look.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// How far a point of each body may travel during the step \[m\]; a pair is looked at up to
    /// the sum of its two.
    pub reach: Vec<f64>,
    /// Number of threads; results do not depend on it.
    pub threads: usize,
}

/// Detection failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CollideError {
    /// A pose with NaN or infinity.
    #[error("body {body:?} has the position {position}, which is not finite")]
    NotFinite {
        /// Name of the body.
        body: String,
        /// Its position.
        position: Vec3,
    },
    /// No method for this pair of shapes.
    #[error("{detector} cannot find contacts between {a:?} and {b:?}: {reason}")]
    Unsupported {
        /// The detector.
        detector: &'static str,
        /// Name of one body.
        a: String,
        /// Name of the other.
        b: String,
        /// Why.
        reason: String,
    },
    /// A detector written by the user failed.
    #[error("{0}")]
    Custom(String),
}
