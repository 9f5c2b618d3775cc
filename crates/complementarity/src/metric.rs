//! Error measures by name, for comparisons.
//!
//! With `phi(a, b) = a + b - sqrt(a² + b²)` (Fischer and Burmeister) and the penalised function of
//! Chen, Chen and Kanzow `c(a, b) = L phi(a, b) + (1 - L) a⁺ b⁺`, L = 0.95, over the n rows of an
//! LCP with a = z, b = w:
//!
//! | name | definition |
//! | --- | --- |
//! | `natural` | [`crate::residual::natural`] |
//! | `norm_CCK` | `sqrt(sum c²)` |
//! | `square_CCK` | `sum c² / 2` |
//! | `norm_mCCK` | `sqrt(sum c² / n)`, the mean over the rows |
//! | `square_mCCK` | `sum c² / (2 n)` |
//! | `fischer-burmeister` | `sum phi² / 2` |
//! | `alart-curnier` | [`crate::residual::alart_curnier`] |
//!
//! A row with an upper bound only is mirrored, one with both has phi inside phi, an equation
//! counts with w. The user guide of the ancestor names the mCCK metrics without defining them;
//! the mean makes problems of different sizes comparable. On cone problems all of them are the
//! natural map, except `alart-curnier`.

use crate::problem::Problem;
use crate::residual;

/// An error measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Natural residual or natural map.
    Natural,
    /// Norm of Chen, Chen and Kanzow's function.
    NormCck,
    /// Half its square.
    SquareCck,
    /// Root mean square of it.
    NormMeanCck,
    /// Half its mean square.
    SquareMeanCck,
    /// Half the squared norm of Fischer and Burmeister's function.
    FischerBurmeister,
    /// Norm of Alart and Curnier's function; natural residual without cones.
    AlartCurnier,
}

/// The weight L of the Fischer-Burmeister part.
const WEIGHT: f64 = 0.95;

impl Metric {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::Natural,
        Self::NormCck,
        Self::SquareCck,
        Self::NormMeanCck,
        Self::SquareMeanCck,
        Self::FischerBurmeister,
        Self::AlartCurnier,
    ];

    /// The name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Natural => "natural",
            Self::NormCck => "norm_CCK",
            Self::SquareCck => "square_CCK",
            Self::NormMeanCck => "norm_mCCK",
            Self::SquareMeanCck => "square_mCCK",
            Self::FischerBurmeister => "fischer-burmeister",
            Self::AlartCurnier => "alart-curnier",
        }
    }

    /// By name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.as_str() == name)
    }

    /// The error of `z`; infinite when it holds NaN.
    pub fn measure(self, problem: &Problem, z: &[f64]) -> f64 {
        let natural = residual::natural(problem, z);
        if !natural.is_finite() || matches!(self, Self::Natural) {
            return natural;
        }
        if matches!(self, Self::AlartCurnier) {
            return residual::alart_curnier(problem, z);
        }
        if matches!(problem, Problem::Cone(_)) {
            return natural;
        }
        let weight = if self == Self::FischerBurmeister { 1.0 } else { WEIGHT };
        let (lower, upper) = problem.bounds();
        let w = problem.matrix().times_plus(z, problem.b());
        let sum: f64 = (0..z.len())
            .map(|i| row(weight, z[i], w[i], (lower[i], upper[i])))
            .map(|c| c * c)
            .sum();
        let n = z.len().max(1) as f64;
        match self {
            Self::NormCck => sum.sqrt(),
            Self::NormMeanCck => (sum / n).sqrt(),
            Self::SquareMeanCck => 0.5 * sum / n,
            _ => 0.5 * sum,
        }
    }
}

fn cck(weight: f64, a: f64, b: f64) -> f64 {
    weight * (a + b - a.hypot(b)) + (1.0 - weight) * a.max(0.0) * b.max(0.0)
}

fn row(weight: f64, z: f64, w: f64, (l, u): (f64, f64)) -> f64 {
    match (l.is_finite(), u.is_finite()) {
        (false, false) => w,
        (true, false) => cck(weight, z - l, w),
        (false, true) => cck(weight, u - z, -w),
        (true, true) => cck(weight, z - l, -cck(weight, u - z, -w)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Cone, ConeRows, Dense, Lcp, Matrix, Mlcp};

    /// A = I, b = (1, -1), z = (3, 0): w = (4, -1), so row 1 has (3, 4) and row 2 has (0, -1).
    fn by_hand() -> (Problem, Vec<f64>) {
        let a = Matrix::Dense(Dense::from_rows(&[&[1.0, 0.0], &[0.0, 1.0]]));
        (Problem::Lcp(Lcp::new(a, vec![1.0, -1.0]).unwrap()), vec![3.0, 0.0])
    }

    #[test]
    fn metrics_of_a_hand_computed_case() {
        let (problem, z) = by_hand();
        // phi(3, 4) = 2, phi(0, -1) = -2; c = 0.95 * 2 + 0.05 * 12 = 2.5 and -1.9
        let sum = 2.5 * 2.5 + 1.9 * 1.9;
        for (name, right) in [
            ("natural", 3.0),
            ("norm_CCK", f64::sqrt(sum)),
            ("square_CCK", 0.5 * sum),
            ("norm_mCCK", f64::sqrt(0.5 * sum)),
            ("square_mCCK", 0.25 * sum),
            ("fischer-burmeister", 4.0),
        ] {
            let found = Metric::from_name(name).unwrap().measure(&problem, &z);
            assert!((found - right).abs() < 1e-14, "{name}: {found} {right}");
        }
    }

    /// W = 0, so u = b: p = (2, 1.5, 0), u = (0.5, -1, 0), mu = 0.5.
    #[test]
    fn measures_of_a_cone_by_hand() {
        let contacts = vec![ConeRows { rows: 0..3, mu: 0.5, rolling: 0.0 }];
        let w = Matrix::Dense(Dense::zeros(3, 3));
        let cone = Cone::new(w, vec![0.5, -1.0, 0.0], contacts).unwrap();
        let (problem, p) = (Problem::Cone(cone), [2.0, 1.5, 0.0]);
        // u~ = (1, -1, 0); p - u~ = (1, 2.5, 0) projects to n = (1 + 1.25) / 1.25 = 1.8, t = 0.9:
        // the map is (0.2, 0.6, 0)
        let natural = Metric::Natural.measure(&problem, &p);
        assert!((natural - 0.4_f64.sqrt()).abs() < 1e-15, "{natural}");
        // p_n - u_n = 1.5: normal part 0.5; disc of radius 0.75, tangential part 1.5 - 0.75
        let found = Metric::AlartCurnier.measure(&problem, &p);
        assert!((found - (0.25_f64 + 0.5625).sqrt()).abs() < 1e-15, "{found}");
        // the metrics of LCPs are the natural map here
        assert_eq!(Metric::NormCck.measure(&problem, &p), natural);
    }

    #[test]
    fn all_metrics_vanish_at_a_solution_and_only_there() {
        let a = Matrix::Dense(Dense::from_rows(&[&[2.0, 1.0], &[1.0, 2.0]]));
        let inf = f64::INFINITY;
        let mixed = Mlcp::new(a, vec![-5.0, 1.0], vec![0.0, -1.0], vec![1.0, inf])
            .map(Problem::Mlcp)
            .unwrap();
        // z = (1, -1): w = (-4, 0) is negative at an upper bound and zero at a lower one
        for metric in Metric::ALL {
            assert!(metric.measure(&mixed, &[1.0, -1.0]).abs() < 1e-15, "{}", metric.as_str());
            assert!(metric.measure(&mixed, &[0.9, -1.0]) > 1e-4, "{}", metric.as_str());
            assert_eq!(metric.measure(&mixed, &[f64::NAN, 0.0]), f64::INFINITY);
        }
    }
}
