//! Plane and space: the one place where the two differ once shapes are placed.

use crate::math::Vec3;

/// The rows of one body in a wrench or twist: `[force; torque]` or `[v; omega]`, six numbers in
/// 3D, three (x, y, about z) in 2D, the rest zero.
pub type Block = [f64; 6];

/// Dimension of the world. Vectors, poses and shapes of 2D live in the plane z = 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Motion in the plane z = 0, rotation about z.
    Two,
    /// Space.
    Three,
}

impl Dimension {
    /// Outward normal of a half-space in its own frame: y in the plane, z in space.
    pub fn half_space_normal(self) -> Vec3 {
        match self {
            Self::Two => Vec3::Y,
            Self::Three => Vec3::Z,
        }
    }

    /// Velocities per body: 3 or 6.
    #[inline]
    pub fn dof(self) -> usize {
        match self {
            Self::Two => 3,
            Self::Three => 6,
        }
    }

    /// The generalised force of a force and a torque about the centre of mass (or the twist of a
    /// velocity and an angular velocity).
    #[inline]
    pub fn block(self, f: Vec3, torque: Vec3) -> Block {
        match self {
            Self::Two => [f.x, f.y, torque.z, 0.0, 0.0, 0.0],
            Self::Three => [f.x, f.y, f.z, torque.x, torque.y, torque.z],
        }
    }

    /// Linear and angular part of a block.
    #[inline]
    pub fn split(self, block: &[f64]) -> (Vec3, Vec3) {
        match self {
            Self::Two => (Vec3::new(block[0], block[1], 0.0), Vec3::new(0.0, 0.0, block[2])),
            Self::Three => {
                (Vec3::new(block[0], block[1], block[2]), Vec3::new(block[3], block[4], block[5]))
            }
        }
    }

    /// Gravity of the earth in this dimension's "down" \[m/s²\].
    pub fn default_gravity(self) -> Vec3 {
        match self {
            Self::Two => Vec3::new(0.0, -9.81, 0.0),
            Self::Three => Vec3::new(0.0, 0.0, -9.81),
        }
    }

    /// Unit vectors that span the tangent space of a contact with unit normal `n`: two in 3D,
    /// orthogonal and right-handed with `n`; in 2D the second is zero. The first points along
    /// `hint` where that has a tangential part worth following.
    pub fn tangents(self, n: Vec3, hint: Vec3) -> [Vec3; 2] {
        let along = hint - n * n.dot(hint);
        let follows = along.length() > 1e-9 * (1.0 + hint.length());
        match self {
            Self::Two => {
                let t = Vec3::new(-n.y, n.x, 0.0);
                [if follows && along.dot(t) < 0.0 { -t } else { t }, Vec3::ZERO]
            }
            Self::Three => {
                let t = if follows { along.normalize() } else { any_tangent(n) };
                [t, n.cross(t)]
            }
        }
    }
}

/// A unit vector orthogonal to `n`: x projected, or y where x is too much along `n`. Round-off must
/// not choose between the two at normals that are common, such as the coordinate axes.
fn any_tangent(n: Vec3) -> Vec3 {
    let axis = if n.x.abs() < 0.8 { Vec3::X } else { Vec3::Y };
    (axis - n * n.dot(axis)).normalize()
}
