//! Inertias that no body has, and the nearest that one has.
//!
//! The second-moment matrix `S = tr(J)/2 I - J` of a body is the integral of `x xᵀ`, so none of its
//! eigenvalues is negative; `J = tr(S) I - S` then is positive definite and keeps the triangle
//! inequality. An impossible inertia is mended by raising the eigenvalues of S to zero or a little
//! above, which is the nearest possible S.

use stickslip::geometry::{Mat3, Vec3};

/// Least eigenvalue of S in parts of the largest: a body as thin as 1/1000 of its length.
const THINNEST: f64 = 1e-6;

/// Why no body has that inertia; `None` if one has. It must be symmetric.
pub fn impossible(inertia: &Mat3) -> Option<&'static str> {
    if !inertia.is_finite() {
        return Some("is not finite");
    }
    let [low, middle, high] = eigen(inertia).0;
    match () {
        () if high <= 0.0 || low <= 1e-12 * high => Some("is not positive definite"),
        // The builder of models takes what breaks it by 1e-9.
        () if high > (low + middle) * (1.0 + 1e-10) => Some("breaks the triangle inequality"),
        () => None,
    }
}

/// The nearest inertia that a body can have; `None` for zero.
pub fn mended(inertia: &Mat3) -> Option<Mat3> {
    let half = 0.5 * (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z);
    let (moments, axes) = eigen(inertia);
    let spread = moments.map(|m| half - m);
    let most = spread.into_iter().fold(0.0, f64::max);
    if !(most > 0.0 && most.is_finite()) {
        return None;
    }
    let spread = Vec3::from(spread.map(|s| s.max(THINNEST * most)));
    let total = spread.element_sum();
    Some(axes * Mat3::from_diagonal(Vec3::splat(total) - spread) * axes.transpose())
}

/// Rising eigenvalues of a symmetric matrix and their axes as columns, by Jacobi's rotations.
pub(crate) fn eigen(matrix: &Mat3) -> ([f64; 3], Mat3) {
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

    /// Possible ones stay as they are; impossible ones become possible, with the least change:
    /// a needle stays a needle.
    #[test]
    fn inertias_are_mended() {
        let possible = Mat3::from_diagonal(Vec3::new(0.1, 0.2, 0.25));
        assert_eq!(impossible(&possible), None);
        assert!(
            (mended(&possible).unwrap() - possible).to_cols_array().iter().all(|x| x.abs() < 1e-15)
        );
        for diagonal in [[0.1, 0.1, 0.5], [0.0, 1.0, 1.0], [-0.1, 1.0, 1.0], [0.0, 0.0, 1.0]] {
            let given = Mat3::from_diagonal(Vec3::from(diagonal));
            assert!(impossible(&given).is_some(), "{diagonal:?}");
            let found = mended(&given).unwrap();
            assert_eq!(impossible(&found), None, "{diagonal:?} -> {found}");
        }
        let needle = mended(&Mat3::from_diagonal(Vec3::new(0.0, 1.0, 1.0))).unwrap();
        assert!(needle.x_axis.x < 1e-5 && (needle.y_axis.y - 1.0).abs() < 1e-5);
        assert_eq!(mended(&Mat3::ZERO), None);
    }
}
