//! The one error measure per problem class. Solvers are judged here and nowhere else.

use crate::problem::Problem;

/// Natural residual `max_i |mid(z_i - l_i, w_i, z_i - u_i)|`; for an LCP `max_i |min(z_i, w_i)|`.
/// Infinite when `z` holds NaN.
pub fn natural(problem: &Problem, z: &[f64]) -> f64 {
    let worst = |mut e: f64, r: f64| {
        e = if r.is_nan() { f64::INFINITY } else { e.max(r.abs()) };
        e
    };
    match problem {
        Problem::Lcp(p) => {
            p.w(z).iter().zip(z).fold(0.0, |e, (w, z)| worst(e, z.min(*w) + 0.0 * (z + w)))
        }
        Problem::Mlcp(p) => p.w(z).iter().enumerate().fold(0.0, |e, (i, w)| {
            let (below, above) = (z[i] - p.lower[i], z[i] - p.upper[i]);
            worst(e, below.min(above.max(*w)) + 0.0 * w)
        }),
    }
}

/// What a residual must stay below to count as solved with that `tolerance`:
/// `max(tolerance * min(1, max|b|), 64 eps max(|A| |z| + |b|))`.
///
/// The first part is the absolute tolerance, made stricter where the whole problem is small; the
/// second is the rounding error of `A z + b` itself, below which no method can get.
pub fn target(problem: &Problem, z: &[f64], tolerance: f64) -> f64 {
    let (matrix, b) = match problem {
        Problem::Lcp(p) => (&p.matrix, &p.b),
        Problem::Mlcp(p) => (&p.matrix, &p.b),
    };
    let size = b.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let noise = matrix.magnitude(z, b).into_iter().fold(0.0, f64::max);
    (tolerance * size.min(1.0)).max(64.0 * f64::EPSILON * noise)
}

/// Whether `z` solves the problem: `natural <= target`.
pub fn solved(problem: &Problem, z: &[f64], tolerance: f64) -> bool {
    natural(problem, z) <= target(problem, z, tolerance)
}
