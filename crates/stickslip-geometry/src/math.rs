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

/// Rising eigenvalues of a symmetric matrix and their axes as columns, by Jacobi's rotations.
pub fn eigen(matrix: &Mat3) -> ([f64; 3], Mat3) {
    let (mut a, mut axes) = (*matrix, Mat3::IDENTITY);
    for _ in 0..32 {
        let off = a.y_axis.x.abs() + a.z_axis.x.abs() + a.z_axis.y.abs();
        let size = a.x_axis.x.abs() + a.y_axis.y.abs() + a.z_axis.z.abs();
        if off <= 1e-17 * size || !off.is_finite() {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (app, aqq, apq) = (a.col(p)[p], a.col(q)[q], a.col(q)[p]);
            if apq == 0.0 {
                continue;
            }
            let angle = 0.5 * (2.0 * apq).atan2(aqq - app);
            let (sine, cosine) = angle.sin_cos();
            let mut turn = Mat3::IDENTITY;
            turn.col_mut(p)[p] = cosine;
            turn.col_mut(q)[q] = cosine;
            turn.col_mut(q)[p] = sine;
            turn.col_mut(p)[q] = -sine;
            a = turn.transpose() * a * turn;
            axes *= turn;
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a.col(i)[i].total_cmp(&a.col(j)[j]));
    let [i, j, k] = order;
    (order.map(|i| a.col(i)[i]), Mat3::from_cols(axes.col(i), axes.col(j), axes.col(k)))
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng, rngs::StdRng};

    use super::*;

    /// `A v = λ v` for symmetric matrices of all kinds.
    #[test]
    fn eigenvectors_are_eigenvectors() {
        let rows = [[2.0, 0.3, -0.1], [0.3, 1.0, 0.7], [-0.1, 0.7, 3.0]];
        let full = Mat3::from_cols_array_2d(&rows);
        let degenerate = Mat3::from_diagonal(Vec3::new(1.0, 1.0, 2.0));
        for a in [full, degenerate, Mat3::ZERO, full * 1e-9] {
            let (values, axes) = eigen(&a);
            assert!(values[0] <= values[1] && values[1] <= values[2]);
            for (k, value) in values.iter().enumerate() {
                let error = (a * axes.col(k) - axes.col(k) * *value).length();
                assert!(error <= 1e-14 * values[2].abs(), "{error:e}");
            }
        }
    }

    /// The same for random ones, the axes orthonormal.
    #[test]
    fn eigenvectors_are_orthonormal() {
        let rng = &mut StdRng::seed_from_u64(6);
        for _ in 0..50 {
            let mut column = || Vec3::from(std::array::from_fn(|_| rng.random_range(-1.0..1.0)));
            let b = Mat3::from_cols(column(), column(), column());
            let a = b + b.transpose();
            let (values, axes) = eigen(&a);
            for (i, value) in values.into_iter().enumerate() {
                assert!((a * axes.col(i) - axes.col(i) * value).length() < 1e-12, "seed 6");
            }
            assert!((axes.transpose() * axes - Mat3::IDENTITY).abs_diff_eq(Mat3::ZERO, 1e-12));
        }
    }
}
