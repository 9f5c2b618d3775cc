//! Shapes: one or more convex parts, or a surface.

use std::sync::Arc;

use crate::{Polygon, Polytope, math::Pose};

/// A convex piece, in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Convex {
    /// 3D polyhedron.
    Polytope(Arc<Polytope>),
    /// 2D polygon.
    Polygon(Arc<Polygon>),
    /// Ball of that radius (3D) \[m\]; disc in 2D.
    Ball {
        /// Radius \[m\].
        radius: f64,
    },
    /// Segment along z from `-half` to `half`, thickened by `radius` (3D).
    Capsule {
        /// Half the length of the segment \[m\].
        half: f64,
        /// Radius \[m\].
        radius: f64,
    },
    /// Smooth cylinder along z.
    Cylinder {
        /// Half the height \[m\].
        half: f64,
        /// Radius \[m\].
        radius: f64,
    },
    /// Smooth cone along z, apex up; the frame sits at half height.
    Cone {
        /// Half the height \[m\].
        half: f64,
        /// Radius of the base \[m\].
        radius: f64,
    },
    /// Everything below the plane through the origin with outward normal z (3D) or y (2D).
    HalfSpace,
}

/// A convex piece and where it sits in its body.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Pose in the body frame.
    pub pose: Pose,
    /// The piece.
    pub convex: Convex,
}

/// The shape of a body, in the frame of its centre of mass.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// The union of convex parts, which may overlap.
    Parts(Vec<Part>),
}
