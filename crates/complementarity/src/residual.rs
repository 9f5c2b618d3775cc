//! The one error measure per problem class. Solvers are judged here and nowhere else.

use crate::cone::law;
use crate::problem::{Cone, Lcp, Problem};

/// The natural residual; infinite when `z` holds NaN.
///
/// LCP and mixed LCP: `max_i |mid(z_i - l_i, w_i, z_i - u_i)|`; for an LCP `max_i |min(z_i, w_i)|`.
/// Cone: Euclidean norm over all contacts of `p - P_K(p - u~)`, `u~ = u + sum mu_k |u_k| n`.
pub fn natural(problem: &Problem, z: &[f64]) -> f64 {
    match problem {
        Problem::Lcp(p) => natural_lcp(p, z),
        Problem::Mlcp(p) => p.w(z).iter().enumerate().fold(0.0, |e, (i, w)| {
            let (below, above) = (z[i] - p.lower[i], z[i] - p.upper[i]);
            worst(e, below.min(above.max(*w)) + 0.0 * w)
        }),
        Problem::Cone(p) => cone_error(p, z, law::natural_map),
    }
}

/// The same for an LCP at hand.
pub(crate) fn natural_lcp(p: &Lcp, z: &[f64]) -> f64 {
    p.w(z).iter().zip(z).fold(0.0, |e, (w, z)| worst(e, z.min(*w) + 0.0 * (z + w)))
}

fn worst(error: f64, row: f64) -> f64 {
    if row.is_nan() { f64::INFINITY } else { error.max(row.abs()) }
}

/// Error of Alart and Curnier's function for a cone problem, Euclidean norm; the natural residual
/// for any other.
pub fn alart_curnier(problem: &Problem, z: &[f64]) -> f64 {
    match problem {
        Problem::Cone(p) => cone_error(p, z, law::alart_curnier),
        other => natural(other, z),
    }
}

type Law = fn(&crate::problem::ConeRows, &[f64], &[f64], f64, &mut [f64]);

/// Euclidean norm of a function of (p, u) over all contacts, with the mixed rows beside them.
fn cone_error(cone: &Cone, p: &[f64], law: Law) -> f64 {
    let u = cone.w(p);
    let mut sum = 0.0;
    let mut out = [0.0; 5];
    for contact in &cone.contacts {
        let (d, rows) = (contact.rows.len(), contact.rows.clone());
        law(contact, &p[rows.clone()], &u[rows], 1.0, &mut out[..d]);
        sum += out[..d].iter().map(|x| x * x).sum::<f64>();
    }
    for i in cone.others() {
        let mid = (p[i] - cone.lower[i]).min((p[i] - cone.upper[i]).max(u[i]));
        sum += mid * mid;
    }
    // a NaN anywhere in p or u must not be hidden by min or max
    let sum = sum + 0.0 * (p.iter().sum::<f64>() + u.iter().sum::<f64>());
    if sum.is_nan() { f64::INFINITY } else { sum.sqrt() }
}

/// What a residual must stay below to count as solved with that `tolerance`:
/// `max(tolerance * min(1, max|b|), 64 eps max(|A| |z| + |b|))`.
///
/// The first part is the absolute tolerance, made stricter where the whole problem is small; the
/// second is the rounding error of `A z + b` itself, below which no method can get. For cones the
/// first part is `tolerance |b|` in Euclidean norms, the usual relative measure.
pub fn target(problem: &Problem, z: &[f64], tolerance: f64) -> f64 {
    let magnitude = problem.matrix().magnitude(z, problem.b());
    let noise = 64.0 * f64::EPSILON * magnitude.into_iter().fold(0.0, f64::max);
    asked(problem, tolerance).max(noise)
}

/// Whether `z` solves the problem: `natural <= target`.
pub fn solved(problem: &Problem, z: &[f64], tolerance: f64) -> bool {
    accepted(problem, z, natural(problem, z), tolerance)
}

/// The same where the natural residual is known. Rounding is only looked at where it matters.
pub(crate) fn accepted(problem: &Problem, z: &[f64], error: f64, tolerance: f64) -> bool {
    error <= asked(problem, tolerance) || error <= target(problem, z, tolerance)
}

/// The part of the target that the tolerance asks for.
fn asked(problem: &Problem, tolerance: f64) -> f64 {
    let b = problem.b();
    match problem {
        Problem::Cone(_) => tolerance * law::norm(b),
        _ => tolerance * b.iter().fold(0.0_f64, |m, x| m.max(x.abs())).min(1.0),
    }
}
