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
