//! Convex polygons in the plane z = 0.

use crate::math::Vec3;

/// A bounded convex polygon, counter-clockwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Polygon {
    /// Corner points, body frame, z = 0 \[m\].
    pub vertices: Vec<Vec3>,
    /// `normals[k]`: unit outward normal of the edge from corner `k` to the next.
    pub normals: Vec<Vec3>,
}
