//! Axis-aligned boxes.

use crate::math::Vec3;

/// All points between two corners; may be infinite in some directions (half-spaces).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lower corner \[m\].
    pub min: Vec3,
    /// Upper corner \[m\].
    pub max: Vec3,
}

impl Aabb {
    /// Holds nothing.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };
    /// Holds everything.
    pub const ALL: Self = Self { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };

    /// The smallest box around some points.
    pub fn of(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// The smallest box around two.
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Grown by `margin` on every side \[m\].
    pub fn inflated(&self, margin: f64) -> Self {
        Self { min: self.min - Vec3::splat(margin), max: self.max + Vec3::splat(margin) }
    }

    /// Whether two boxes share a point.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }
}
