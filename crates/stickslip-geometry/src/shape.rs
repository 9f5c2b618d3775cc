//! Shapes: one or more convex parts, or a surface.

use std::sync::Arc;

use crate::{
    Aabb, Bored, Dimension, Polygon, Polytope, TriMesh,
    math::{Pose, Vec3},
};

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
    /// A convex piece with a round hole through it along z: the one kind that is not convex. Its box,
    /// support and radius are those of its hull.
    Bored(Arc<Bored>),
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
    /// A one-sided surface of triangles, for bodies that do not move.
    Surface(Arc<TriMesh>),
}

impl Shape {
    /// Its convex parts, each with its pose in the body frame; none for a surface.
    pub fn parts(&self) -> &[Part] {
        match self {
            Self::Parts(parts) => parts,
            Self::Surface(_) => &[],
        }
    }

    /// The box around the shape of a body at `pose` \[m\].
    pub fn aabb(&self, dimension: Dimension, pose: &Pose) -> Aabb {
        match self {
            Self::Parts(parts) => parts.iter().fold(Aabb::EMPTY, |b, p| {
                b.union(&p.convex.aabb_in(dimension, &pose.compose(&p.pose)))
            }),
            Self::Surface(mesh) => Aabb::of(mesh.vertices.iter().map(|&v| pose.point(v))),
        }
    }

    /// Largest distance of a point of the shape from the origin of the body \[m\].
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Self::Parts(parts) => parts
                .iter()
                .map(|p| p.convex.bounding_radius(p.pose.inverse_point(Vec3::ZERO)))
                .fold(0.0, f64::max),
            Self::Surface(m) => m.vertices.iter().map(|v| v.length()).fold(0.0, f64::max),
        }
    }
}

impl Convex {
    /// The box around the part at `pose` \[m\]. Infinite for a half-space, whose frame alone does
    /// not tell the dimension: see [`Convex::aabb_in`].
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let around = |half: Vec3| Aabb { min: pose.position - half, max: pose.position + half };
        let axis = || pose.vector(Vec3::Z);
        match self {
            Self::Polytope(p) => Aabb::of(p.vertices.iter().map(|&v| pose.point(v))),
            Self::Polygon(p) => Aabb::of(p.vertices.iter().map(|&v| pose.point(v))),
            Self::Ball { radius } => around(Vec3::splat(*radius)),
            Self::Capsule { half, radius } => around(axis().abs() * *half + Vec3::splat(*radius)),
            Self::Cylinder { half, radius } => {
                around(axis().abs() * *half + disc_reach(axis()) * *radius)
            }
            Self::Cone { half, radius } => {
                let (top, reach) = (axis() * *half, disc_reach(axis()) * *radius);
                let base = pose.position - top;
                Aabb::of([base - reach, base + reach, pose.position + top])
            }
            Self::Bored(b) => b.hull.aabb(pose),
            Self::HalfSpace => Aabb::ALL,
        }
    }

    /// [`Convex::aabb`], and for a half-space that faces along an axis the half of space that
    /// holds it.
    pub fn aabb_in(&self, dimension: Dimension, pose: &Pose) -> Aabb {
        let mut found = self.aabb(pose);
        if matches!(self, Self::HalfSpace) {
            let normal = pose.vector(dimension.half_space_normal());
            for k in 0..3 {
                // A tilted plane leaves every box. What rounding tilts by is not a tilt.
                let across = (normal - Vec3::AXES[k] * normal[k]).length();
                if across > 1e-15 {
                    continue;
                }
                if normal[k] > 0.0 {
                    found.max[k] = pose.position[k];
                } else {
                    found.min[k] = pose.position[k];
                }
            }
        }
        found
    }

    /// A point of the part at `pose` farthest along `direction` (any length), world frame \[m\].
    ///
    /// A half-space has none: the answer then is at infinity in the octant of `direction`.
    pub fn support(&self, pose: &Pose, direction: Vec3) -> Vec3 {
        let d = pose.inverse_vector(direction);
        let unit = d.normalize_or_zero();
        let radial = Vec3::new(d.x, d.y, 0.0).normalize_or_zero();
        let up = if d.z >= 0.0 { Vec3::Z } else { -Vec3::Z };
        let local = match self {
            Self::Polytope(p) => p.vertices[p.support(d)],
            Self::Polygon(p) => p.vertices[p.support(d)],
            Self::Ball { radius } => unit * *radius,
            Self::Capsule { half, radius } => up * *half + unit * *radius,
            Self::Cylinder { half, radius } => up * *half + radial * *radius,
            Self::Cone { half, radius } => {
                let (apex, rim) = (Vec3::Z * *half, radial * *radius - Vec3::Z * *half);
                if d.dot(apex) >= d.dot(rim) { apex } else { rim }
            }
            Self::Bored(b) => return b.hull.support(pose, direction),
            Self::HalfSpace => return at_infinity(pose.position, direction),
        };
        pose.point(local)
    }

    /// Largest distance of a point of the part from `origin`, both in the part's frame \[m\];
    /// infinite for a half-space.
    pub fn bounding_radius(&self, origin: Vec3) -> f64 {
        let farthest =
            |points: &[Vec3]| points.iter().map(|p| p.distance(origin)).fold(0.0, f64::max);
        // Of the circles on the axis the far side counts.
        let rim = |z: f64, radius: f64| (origin.x.hypot(origin.y) + radius).hypot(z - origin.z);
        match self {
            Self::Polytope(p) => farthest(&p.vertices),
            Self::Polygon(p) => farthest(&p.vertices),
            Self::Ball { radius } => origin.length() + radius,
            Self::Capsule { half, radius } => {
                farthest(&[Vec3::Z * *half, -Vec3::Z * *half]) + radius
            }
            Self::Cylinder { half, radius } => rim(*half, *radius).max(rim(-half, *radius)),
            Self::Cone { half, radius } => rim(-half, *radius).max(farthest(&[Vec3::Z * *half])),
            Self::Bored(b) => b.hull.bounding_radius(origin),
            Self::HalfSpace => f64::INFINITY,
        }
    }

    /// The piece without a hole: its own hull.
    pub fn hull(&self) -> &Self {
        match self {
            Self::Bored(b) => &b.hull,
            convex => convex,
        }
    }

    /// Whether it has an end in every direction.
    pub fn is_bounded(&self) -> bool {
        !matches!(self, Self::HalfSpace)
    }
}

/// How far the unit disc across `axis` reaches along each world axis: `√(1 - axis²)`.
fn disc_reach(axis: Vec3) -> Vec3 {
    let reach = |a: f64| (1.0 - a * a).max(0.0).sqrt();
    Vec3::new(reach(axis.x), reach(axis.y), reach(axis.z))
}

fn at_infinity(from: Vec3, direction: Vec3) -> Vec3 {
    let far = |p: f64, d: f64| {
        if d == 0.0 { p } else { f64::INFINITY.copysign(d) }
    };
    Vec3::new(far(from.x, direction.x), far(from.y, direction.y), far(from.z, direction.z))
}
