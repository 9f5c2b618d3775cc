//! What can be wrong with a shape.

use thiserror::Error;

/// Why a shape cannot be built; carries the offending numbers.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GeometryError {
    /// A size, radius or similar that must be positive and finite is not.
    #[error("{what} is {value}; it must be positive and finite")]
    NotPositive {
        /// Name of the quantity.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// A coordinate is NaN or infinite.
    #[error("point {index} is ({x}, {y}, {z}); every coordinate must be finite")]
    NotFinite {
        /// Which point.
        index: usize,
        /// Its first coordinate.
        x: f64,
        /// Its second coordinate.
        y: f64,
        /// Its third coordinate.
        z: f64,
    },
    /// A normal or direction that is zero or not finite.
    #[error("{what} has length {length}; it must be a non-zero, finite vector")]
    NoDirection {
        /// Name of the vector.
        what: &'static str,
        /// Its length.
        length: f64,
    },
    /// A hole as wide as what it is in.
    #[error(
        "the hole has radius {hole} m, but there are only {outside} m from its axis to the outside"
    )]
    NoWall {
        /// Radius of the hole \[m\].
        hole: f64,
        /// Least distance of the outside from its axis \[m\].
        outside: f64,
    },
    /// Fewer points, sides or parts than the shape needs.
    #[error("{given} {what}; at least {needed} are needed")]
    TooFew {
        /// What is counted.
        what: &'static str,
        /// How many were given.
        given: usize,
        /// How many it takes.
        needed: usize,
    },
    /// More points, sides or parts than the shape can hold.
    #[error("{given} {what}; at most {limit} are possible")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// How many were given.
        given: usize,
        /// How many there may be.
        limit: usize,
    },
    /// All points lie in one plane (3D) or on one line (2D), within the tolerance.
    #[error(
        "the points are flat: they span {thickness:e} m across their thinnest direction, \
         with {extent:e} m along the longest"
    )]
    Flat {
        /// Largest extent \[m\].
        extent: f64,
        /// Extent across the thinnest direction found \[m\].
        thickness: f64,
    },
    /// Euler's formula V - E + F = 2 does not hold.
    #[error("{vertices} vertices - {edges} edges + {faces} faces is not 2")]
    Euler {
        /// Number of vertices.
        vertices: usize,
        /// Number of edges.
        edges: usize,
        /// Number of faces.
        faces: usize,
    },
    /// A vertex is off the plane of its face, or a face is turned the wrong way.
    #[error("vertex {vertex} is {distance:e} m off the plane of face {face}, which it belongs to")]
    NotPlanar {
        /// The face.
        face: usize,
        /// The vertex.
        vertex: usize,
        /// Its distance from the plane \[m\].
        distance: f64,
    },
    /// A vertex lies outside a face.
    #[error("vertex {vertex} is {distance:e} m outside face {face}: the shape is not convex")]
    NotConvex {
        /// The face.
        face: usize,
        /// The vertex.
        vertex: usize,
        /// How far outside \[m\].
        distance: f64,
    },
    /// Features do not fit together.
    #[error("{what} {index} does not fit the features around it")]
    Topology {
        /// Kind of feature.
        what: &'static str,
        /// Which one.
        index: usize,
    },
    /// Two edges of a polygon that must be simple cross or touch.
    #[error("edges {first} and {second} of the polygon cross; its outline must not meet itself")]
    SelfIntersecting {
        /// One edge: from this corner to the next.
        first: usize,
        /// The other one.
        second: usize,
    },
    /// A face refers to a vertex that is not there.
    #[error("triangle {triangle} refers to vertex {vertex} of {count}")]
    NoSuchVertex {
        /// The triangle.
        triangle: usize,
        /// What it refers to.
        vertex: usize,
        /// How many there are.
        count: usize,
    },
    /// A triangle without area.
    #[error("triangle {triangle} is degenerate: area {area:e} m², longest edge {edge:e} m")]
    DegenerateTriangle {
        /// The triangle.
        triangle: usize,
        /// Its area \[m²\].
        area: f64,
        /// Its longest edge \[m\].
        edge: f64,
    },
    /// The mesh has a hole.
    #[error("triangle {triangle} has no neighbour across its edge {from}-{to}: the mesh is open")]
    Open {
        /// The triangle.
        triangle: usize,
        /// First vertex of the edge.
        from: usize,
        /// Second vertex of the edge.
        to: usize,
    },
    /// Two neighbours run through their shared edge in the same direction.
    #[error(
        "triangles {first} and {second} both run through edge {from}-{to} in this direction: \
         one of them is turned the wrong way"
    )]
    Orientation {
        /// A triangle.
        first: usize,
        /// Another one.
        second: usize,
        /// First vertex of the edge.
        from: usize,
        /// Second vertex of the edge.
        to: usize,
    },
    /// The faces of a closed mesh look inward.
    #[error(
        "the mesh is inside out: its signed volume is {volume:e} m³ (seen at triangle {triangle})"
    )]
    InsideOut {
        /// A triangle of the component concerned.
        triangle: usize,
        /// Signed volume \[m³\].
        volume: f64,
    },
    /// A solid was asked for where only a surface is possible.
    #[error(
        "the mesh is not convex ({distance:e} m at vertex {vertex}): decompose it, make it static, or take the convex hull of its points"
    )]
    MeshNotConvex {
        /// A vertex that sticks out of the plane of a triangle.
        vertex: usize,
        /// By how much \[m\].
        distance: f64,
    },
    /// A surface cannot be part of a compound.
    #[error(
        "a surface mesh or heightfield cannot be part of a compound; make it a body of its own"
    )]
    SurfaceInCompound,
    /// Convex parts that fill the mesh exactly would be too many, or the mesh passes through itself.
    #[error(
        "the mesh is not convex, and its {triangles} triangles are not cut exactly into convex parts: too many, or they pass through each other"
    )]
    NoExactParts {
        /// Size of the mesh.
        triangles: usize,
    },
    /// The convex decomposition found nothing.
    #[error("the convex decomposition of {triangles} triangles found no part")]
    Decomposition {
        /// Size of the mesh.
        triangles: usize,
    },
}

impl GeometryError {
    /// The triangle of a mesh that is concerned, if one is.
    pub fn triangle(&self) -> Option<usize> {
        match *self {
            Self::NoSuchVertex { triangle, .. }
            | Self::DegenerateTriangle { triangle, .. }
            | Self::Open { triangle, .. }
            | Self::InsideOut { triangle, .. } => Some(triangle),
            Self::Orientation { second, .. } => Some(second),
            _ => None,
        }
    }
}

/// Returns the value if it is positive and finite.
pub(crate) fn positive(what: &'static str, value: f64) -> Result<f64, GeometryError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(GeometryError::NotPositive { what, value })
    }
}

/// Refuses NaN and infinite coordinates.
pub(crate) fn finite(points: &[crate::Vec3]) -> Result<(), GeometryError> {
    match points.iter().position(|p| !p.is_finite()) {
        None => Ok(()),
        Some(index) => {
            let p = points[index];
            Err(GeometryError::NotFinite { index, x: p.x, y: p.y, z: p.z })
        }
    }
}
