//! Inertias that no body has, and the nearest that one has.
//!
//! The second-moment matrix `S = tr(J)/2 I - J` of a body is the integral of `x xᵀ`, so none of its
//! eigenvalues is negative; `J = tr(S) I - S` then is positive definite and keeps the triangle
//! inequality. An impossible inertia is mended by raising the eigenvalues of S to zero or a little
//! above, which is the nearest possible S.

use stickslip::geometry::{Mat3, Vec3, math::eigen};

/// Least eigenvalue of S in parts of the largest: a body as thin as 1/1000 of its length.
const THINNEST: f64 = 1e-6;

/// Radius of gyration below which an inertia is a zero that was rounded \[m\]: no link is that small, and one
/// that turns so easily is thrown about by every touch (a humanoid with 1e-35 kg m² left the floor at 1e16 m/s).
const ROUNDED: f64 = 1e-6;

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

/// Whether an inertia is a zero that was rounded.
pub fn is_nothing(inertia: &Mat3, mass: f64) -> bool {
    let largest = eigen(inertia).0.into_iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    largest <= ROUNDED * ROUNDED * mass
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

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(is_nothing(&Mat3::from_diagonal(Vec3::new(-2e-35, 0.0, 2e-35)), 1.3));
        assert!(!is_nothing(&Mat3::from_diagonal(Vec3::splat(1e-9)), 1.3));
    }
}
