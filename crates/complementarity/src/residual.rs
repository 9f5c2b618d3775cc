//! The one error measure per problem class. Solvers are judged here and nowhere else.

use crate::cone::law;
use crate::problem::{Cone, ContactProblem, Law, Lcp, Problem};

/// What arithmetic leaves of a sum that is zero, as a part of its terms: some hundred units of the last
/// place.
pub(crate) const ROUND_OFF: f64 = 1e-13;

/// The natural residual; infinite when `z` holds NaN.
///
/// LCP and mixed LCP: `max_i |mid(z_i - l_i, w_i, z_i - u_i)|`; for an LCP `max_i |min(z_i, w_i)|`.
/// Cone: Euclidean norm over all contacts of `p - P_K(p - u~)`, `u~ = u + sum mu_k |u_k| n`.
pub fn natural(problem: &Problem, z: &[f64]) -> f64 {
    natural_with(problem, z, &problem.matrix().times_plus(z, problem.b()))
}

/// The same where `w = A z + b` is known.
pub(crate) fn natural_with(problem: &Problem, z: &[f64], w: &[f64]) -> f64 {
    match problem {
        Problem::Lcp(_) => smaller(z, w),
        Problem::Mlcp(p) => w.iter().enumerate().fold(0.0_f64, |e, (i, w)| {
            let (below, above) = (z[i] - p.lower[i], z[i] - p.upper[i]);
            let r = below.min(above.max(*w)) + 0.0 * w;
            if r.is_nan() { f64::INFINITY } else { e.max(r.abs()) }
        }),
        Problem::Cone(p) => cone_error(p, (z, w), law::natural_map),
    }
}

/// The natural residual of an LCP at hand.
pub(crate) fn natural_lcp(p: &Lcp, z: &[f64]) -> f64 {
    smaller(z, &p.w(z))
}

/// `max_i |min(z_i, w_i)|`.
fn smaller(z: &[f64], w: &[f64]) -> f64 {
    // NaN and infinity in z or w make the sum NaN, whatever the smaller of the two is
    let (mut error, mut sum) = (0.0, 0.0);
    for (&z, &w) in z.iter().zip(w) {
        let r = if z < w { z } else { w }.abs();
        error = if error < r { r } else { error };
        sum += 0.0 * (z + w);
    }
    if sum == 0.0 { error } else { f64::INFINITY }
}

/// Error of Alart and Curnier's function for a cone problem, Euclidean norm; the natural residual
/// for any other.
pub fn alart_curnier(problem: &Problem, z: &[f64]) -> f64 {
    match problem {
        Problem::Cone(p) => cone_error(p, (z, &p.w(z)), law::alart_curnier),
        other => natural(other, z),
    }
}

type ConeLaw = fn(&crate::problem::ConeRows, &[f64], &[f64], f64, &mut [f64]);

/// Euclidean norm of a function of (p, u) over all contacts, with the mixed rows beside them.
fn cone_error(cone: &Cone, (p, u): (&[f64], &[f64]), law: ConeLaw) -> f64 {
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

/// The natural residual of contacts: the largest entry over all blocks of
///
/// ```text
/// p - P(p - (u + mu s n)),   u = J Jᵀ p + b (+ compliance p)
/// ```
///
/// with P the projection onto the impulses that the law allows and s the slip speed that it sees;
/// for a row between bounds `mid(p - lower, u, p - upper)`. Speeds in m/s and impulses in N s are
/// compared as numbers. Infinite when `p` holds NaN or does not have one entry per block.
pub fn contacts(problem: &ContactProblem, p: &[[f64; 3]]) -> f64 {
    contacts_in(problem, p, &mut Vec::new())
}

/// The part of every block in [`contacts`]; `each[c]` is that of block `c`. Returns the largest.
pub fn contacts_by_block(problem: &ContactProblem, p: &[[f64; 3]], each: &mut Vec<f64>) -> f64 {
    each.clear();
    let v = problem.motion(p);
    measure(problem, p, &v, |off| each.push(off))
}

/// The same, with `v` for memory.
pub(crate) fn contacts_in(problem: &ContactProblem, p: &[[f64; 3]], v: &mut Vec<f64>) -> f64 {
    problem.motion_into(p, v);
    measure(problem, p, v, |_| {})
}

/// The same; `each` is told the part of every block, in their order.
fn measure(problem: &ContactProblem, p: &[[f64; 3]], v: &[f64], mut each: impl FnMut(f64)) -> f64 {
    if p.len() != problem.len() {
        return f64::INFINITY;
    }
    // NaN and infinity make the sum NaN, whatever min and max make of them
    let (mut error, mut sum) = (0.0_f64, 0.0);
    for (c, p) in p.iter().enumerate() {
        let u = problem.speed(c, v);
        let law = problem.law(c);
        // open without an impulse: nothing is wrong, whatever the slip
        let open = *p == [0.0; 3] && u[0] >= 0.0 && law.parts();
        let off = if open { [0.0; 3] } else { contact_map(&law, p, &u) };
        let off = off.iter().fold(0.0_f64, |e, x| e.max(x.abs()));
        each(off);
        error = error.max(off);
        sum += 0.0 * (p.iter().sum::<f64>() + u.iter().sum::<f64>());
    }
    if sum == 0.0 { error } else { f64::INFINITY }
}

/// What is wrong with the impulses of one block at the speeds `u = J v + b`.
#[inline]
pub(crate) fn contact_map(law: &Law, p: &[f64; 3], u: &[f64; 3]) -> [f64; 3] {
    if let Law::Interval { lower, upper, compliance } = *law {
        let u = u[0] + compliance * p[0];
        return [(p[0] - lower).min((p[0] - upper).max(u)), 0.0, 0.0];
    }
    let shift = law.mu() * law.slip(*u).max(0.0);
    let q = law.project([p[0] - u[0] - shift, p[1] - u[1], p[2] - u[2]]).p;
    std::array::from_fn(|i| p[i] - q[i])
}

/// What [`contacts`] must stay below to count as solved with that `tolerance`, as [`target`] has it:
/// `max(tolerance * min(1, max|b|), 64 eps max(|J| |Jᵀ| |p| + |b|))`.
pub fn contacts_target(problem: &ContactProblem, p: &[[f64; 3]], tolerance: f64) -> f64 {
    contacts_target_in(problem, p, tolerance, &mut Vec::new())
}

/// The same, with `v` for memory.
pub(crate) fn contacts_target_in(
    problem: &ContactProblem,
    p: &[[f64; 3]],
    tolerance: f64,
    v: &mut Vec<f64>,
) -> f64 {
    v.clear();
    v.resize(problem.velocities(), 0.0);
    let each = |c: usize| {
        let columns = problem.columns(c);
        (columns, problem.rows(c).chunks_exact(columns.len().max(1)))
    };
    for (c, p) in p.iter().enumerate().take(problem.len()) {
        let (columns, rows) = each(c);
        for (row, p) in rows.zip(p) {
            row.iter().zip(columns).for_each(|(j, &i)| v[i as usize] += (j * p).abs());
        }
    }
    let mut magnitude = 0.0_f64;
    for (c, p) in p.iter().enumerate().take(problem.len()) {
        let (columns, rows) = each(c);
        let soft =
            if let Law::Interval { compliance, .. } = problem.law(c) { compliance } else { 0.0 };
        for (row, b) in rows.zip(problem.b(c)) {
            let sum: f64 = row.iter().zip(columns).map(|(j, &i)| j.abs() * v[i as usize]).sum();
            magnitude = magnitude.max(sum + b.abs() + soft * p[0].abs());
        }
    }
    contacts_asked(problem, tolerance).max(64.0 * f64::EPSILON * magnitude)
}

/// The largest residual that round-off can excuse, a thousandth of the largest speed of the problem.
/// Impulses of 1e13 N s between bodies squeezed where there is no room have a round-off of metres per
/// second, and meet their [`contacts_target`]; they solve nothing.
pub fn contacts_excused(problem: &ContactProblem) -> f64 {
    1e-3 * largest_speed(problem)
}

/// `max|b|` \[m/s\].
fn largest_speed(problem: &ContactProblem) -> f64 {
    let most = |m: f64, c: usize| problem.b(c).iter().fold(m, |m, x| m.max(x.abs()));
    (0..problem.len()).fold(0.0, most)
}

/// The first part of [`contacts_target`], which does not depend on `p`. Speeds that have lost their digits to
/// underflow are none: a motor at rest left residuals of 1e-323 that counted as failures.
pub(crate) fn contacts_asked(problem: &ContactProblem, tolerance: f64) -> f64 {
    (tolerance * largest_speed(problem).min(1.0)).max(f64::MIN_POSITIVE)
}

/// Whether the residual `error` of the impulses `p` is at most its [`contacts_target`]. The
/// round-off is asked for only where the tolerance alone does not settle it.
pub fn accepts_contacts(
    problem: &ContactProblem,
    p: &[[f64; 3]],
    error: f64,
    tolerance: f64,
) -> bool {
    error <= contacts_asked(problem, tolerance) || error <= contacts_target(problem, p, tolerance)
}

/// What a residual must stay below to count as solved with that `tolerance`:
/// `max(tolerance * min(1, max|b|), 64 eps max(|A| |z| + |b|))`.
///
/// The first part is the absolute tolerance, made stricter where the whole problem is small; the
/// second is the rounding error of `A z + b` itself, below which no method can get. For cones the
/// first part is `tolerance |b|` in Euclidean norms, the usual relative measure. The rounding error
/// is no excuse beyond a thousandth of what it is about (`|A| |z| + |b|` with every unknown as near to
/// zero as its bounds allow): a point that runs off to infinity solves nothing.
pub fn target(problem: &Problem, z: &[f64], tolerance: f64) -> f64 {
    let most = problem.matrix().magnitude(z, problem.b()).into_iter().fold(0.0, f64::max);
    let (asked, rounding) = (asked(problem, tolerance), 64.0 * f64::EPSILON * most);
    if rounding <= asked { asked } else { asked.max(rounding.min(1e-3 * about(problem))) }
}

/// `|A| |z| + |b|` with every unknown as near to zero as its bounds allow.
fn about(problem: &Problem) -> f64 {
    if let Problem::Mlcp(p) = problem {
        let bounds = p.lower.iter().zip(&p.upper);
        let z: Vec<f64> = bounds.map(|(l, u)| 0.0_f64.max(*l).min(*u)).collect();
        return p.matrix.magnitude(&z, &p.b).into_iter().fold(0.0, f64::max);
    }
    problem.b().iter().fold(0.0_f64, |m, b| m.max(b.abs()))
}

/// Whether b itself is lost in the rounding error of `A z + b`, so that no residual says anything.
fn is_lost(problem: &Problem, z: &[f64]) -> bool {
    if z.iter().all(|z| z.abs() <= 1e8) || matches!(problem, Problem::Cone(_)) {
        return false;
    }
    let most = problem.matrix().magnitude(z, problem.b()).into_iter().fold(0.0, f64::max);
    64.0 * f64::EPSILON * most > 1e-3 * about(problem)
}

/// The first part of [`target`], which does not depend on `z`.
pub(crate) fn asked(problem: &Problem, tolerance: f64) -> f64 {
    let b = problem.b();
    if let Problem::Cone(_) = problem {
        return tolerance * law::norm(b);
    }
    tolerance * b.iter().fold(0.0_f64, |m, x| m.max(x.abs())).min(1.0)
}

/// Whether the residual `error` of `z` is at most its [`target`]. The round-off is asked for only
/// where the tolerance alone does not settle it.
pub fn accepts(problem: &Problem, z: &[f64], error: f64, tolerance: f64) -> bool {
    let small = error <= asked(problem, tolerance) || error <= target(problem, z, tolerance);
    small && !is_lost(problem, z)
}

/// Whether `z` solves the problem: `natural <= target`.
pub fn solved(problem: &Problem, z: &[f64], tolerance: f64) -> bool {
    accepts(problem, z, natural(problem, z), tolerance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Dense, Matrix};

    fn pair(size: f64) -> Problem {
        let a = Matrix::Dense(Dense::from_rows(&[&[2.0, 1.0], &[1.0, 2.0]]));
        Problem::Lcp(Lcp::new(a, vec![-size, size]).unwrap())
    }

    /// The short way to a verdict is the long one, whichever part of the target decides.
    #[test]
    fn accepts_what_is_at_most_the_target() {
        for (size, tolerance) in [(1e-30, 1e-8), (1.0, 0.0), (1.0, 1e-16), (1.0, 1e-8), (1e9, 1e-8)]
        {
            let (problem, z) = (pair(size), [0.5 * size, 0.0]);
            let limit = target(&problem, &z, tolerance);
            for error in [0.0, 0.5 * limit, limit, limit.next_up(), f64::INFINITY, f64::NAN] {
                let accepted = accepts(&problem, &z, error, tolerance);
                assert_eq!(accepted, error <= limit, "{size} {tolerance} {error}");
            }
        }
    }

    /// `z1 - z2 >= 1` and `z2 - z1 >= 1` contradict each other; at 1e16 both are lost in rounding.
    #[test]
    fn a_point_at_infinity_solves_nothing() {
        let a = Matrix::Dense(Dense::from_rows(&[&[1.0, -1.0], &[-1.0, 1.0]]));
        let problem = Problem::Lcp(Lcp::new(a, vec![-1.0, -1.0]).unwrap());
        assert!(!solved(&problem, &[1e16, 1e16], 1e-8));
    }

    #[test]
    fn nothing_hides_what_is_not_finite() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for z in [[bad, 0.0], [0.0, bad], [bad, bad]] {
                assert_eq!(natural(&pair(1.0), &z), f64::INFINITY, "{z:?}");
            }
        }
        assert_eq!(natural(&pair(1.0), &[0.5, 0.0]), 0.0);
    }
}
