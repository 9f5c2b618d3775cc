//! The rims of a hole, and the edges that cross them.

use std::f64::consts::FRAC_PI_2;

use stickslip_geometry::Vec3;

use super::{edge_edge::Segment, revolution::Rim};

/// A rim of the hole: the circle where its wall meets an end.
pub(crate) struct Ring {
    /// 0 at the lower end, 1 at the upper.
    pub number: u32,
    /// Middle of the end \[m\].
    pub center: Vec3,
    /// Unit normal of the end, outward.
    pub up: Vec3,
    /// Unit vectors across the axis, fixed in the body.
    pub across: [Vec3; 2],
    /// Radius \[m\].
    pub radius: f64,
}

impl Ring {
    /// Unit vector from the axis at that angle \[rad\].
    pub fn outward(&self, angle: f64) -> Vec3 {
        let (sin, cos) = angle.sin_cos();
        self.across[0] * cos + self.across[1] * sin
    }

    /// The point at that angle.
    pub fn point(&self, angle: f64) -> Vec3 {
        self.center + self.outward(angle) * self.radius
    }

    /// Unit tangent there.
    pub fn tangent(&self, angle: f64) -> Vec3 {
        self.outward(angle + FRAC_PI_2)
    }

    /// As (3.5): the least extent by which end and wall fall away from a body along `normal`.
    pub fn applicability(&self, angle: f64, normal: Vec3) -> f64 {
        normal.dot(self.up).min(-normal.dot(self.outward(angle)))
    }

    /// The rim as an edge at that angle, the end to its left.
    pub fn edge(&self, angle: f64) -> Segment {
        let side = if self.number == 0 { 1.0 } else { -1.0 };
        Segment {
            tail: self.point(angle),
            along: self.tangent(angle) * side,
            normals: [self.up, -self.outward(angle)],
        }
    }
}

/// An edge of the other body.
pub(crate) enum Curve {
    /// A circle.
    Rim(Rim),
    /// A straight one.
    Line(Segment),
}

impl Curve {
    /// The point of it, or of its line, that is nearest to `p`, and the edge there.
    pub fn nearest(&self, p: Vec3) -> (Vec3, Segment) {
        match self {
            Self::Rim(rim) => {
                let edge = rim.edge(rim.angle_of(p));
                (edge.tail, edge)
            }
            Self::Line(e) => {
                let t = (p - e.tail).dot(e.along) / e.along.length_squared();
                (e.tail + e.along * t, *e)
            }
        }
    }

    /// Whether a point of its line is on it.
    pub fn holds(&self, p: Vec3) -> bool {
        match self {
            Self::Rim(_) => true,
            Self::Line(e) => {
                (0.0..=1.0).contains(&((p - e.tail).dot(e.along) / e.along.length_squared()))
            }
        }
    }
}
