//! The small vectors and matrices. This module alone names the library behind them.

pub use glam::{DMat3 as Mat3, DQuat as Quat, DVec3 as Vec3, EulerRot};

/// Where a body is: a rotation, then a translation \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position of the centre of mass, world frame \[m\].
    pub position: Vec3,
    /// Unit quaternion that turns body axes into world axes.
    pub orientation: Quat,
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// At the origin, not turned.
    pub const IDENTITY: Self = Self { position: Vec3::ZERO, orientation: Quat::IDENTITY };

    /// A pose from its two parts.
    pub fn new(position: Vec3, orientation: Quat) -> Self {
        Self { position, orientation }
    }

    /// In the plane: at (x, y), turned by `angle` about z \[rad\].
    pub fn planar(x: f64, y: f64, angle: f64) -> Self {
        Self { position: Vec3::new(x, y, 0.0), orientation: Quat::from_rotation_z(angle) }
    }

    /// Rotation matrix R.
    pub fn rotation(&self) -> Mat3 {
        Mat3::from_quat(self.orientation)
    }

    /// Body point to world: `R x + position`.
    #[inline]
    pub fn point(&self, x: Vec3) -> Vec3 {
        self.orientation * x + self.position
    }

    /// Body direction to world: `R d`.
    #[inline]
    pub fn vector(&self, d: Vec3) -> Vec3 {
        self.orientation * d
    }

    /// World point to body: `Rᵀ (x - position)`.
    #[inline]
    pub fn inverse_point(&self, x: Vec3) -> Vec3 {
        self.orientation.conjugate() * (x - self.position)
    }

    /// World direction to body: `Rᵀ d`.
    #[inline]
    pub fn inverse_vector(&self, d: Vec3) -> Vec3 {
        self.orientation.conjugate() * d
    }

    /// `self` after `inner`: the pose of a part in the world, given its pose in the body.
    #[inline]
    pub fn compose(&self, inner: &Pose) -> Pose {
        Pose {
            position: self.point(inner.position),
            orientation: self.orientation * inner.orientation,
        }
    }
}

/// A rotation that turns z into the unit vector `n`, to rounding for every `n`.
pub fn rotation_to(n: Vec3) -> Quat {
    // Through the half-way vector; for the lower half of directions on the far side of a half
    // turn about x, so that 1 + z·n never cancels.
    if n.z >= 0.0 {
        Quat::from_xyzw(-n.y, n.x, 0.0, 1.0 + n.z).normalize()
    } else {
        Quat::from_xyzw(n.y, -n.x, 0.0, 1.0 - n.z).normalize() * Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)
    }
}
