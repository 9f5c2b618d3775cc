//! The exact solution of one contact with everything else held: `u = W p + q`.
//!
//! 1. Open: `q_n >= 0` gives p = 0.
//! 2. Stick: `p = -W⁻¹ q` if it lies in the cone.
//! 3. Slip: `u_n = 0`, `u_t = -lambda p_t`, `|p_t| = mu p_n`. With p_n eliminated,
//!    `(S + lambda) p_t = g`; as lambda grows from 0, `|p_t| - mu p_n` goes from positive to
//!    negative, and bisection with secant steps finds the root.
//!
//! With rolling friction two multipliers are needed; there the contact is solved by projection.

use super::law;
use crate::linalg::lu::Lu;
use crate::problem::{ConeRows, Dense};

/// Solves into `p`, starting from what is there.
pub(crate) fn solve(contact: &ConeRows, w: &Dense, q: &[f64], p: &mut [f64]) {
    let d = contact.rows.len();
    if q[0] >= 0.0 {
        p.fill(0.0);
        return;
    }
    let wnn = w.get(0, 0);
    if d == 1 {
        p[0] = if wnn > 0.0 { -q[0] / wnn } else { p[0] };
        return;
    }
    let mut stick: Vec<f64> = q.iter().map(|x| -x).collect();
    let lu = Lu::new(d, w.values.clone());
    if lu.singular.is_empty() {
        lu.solve(&mut stick);
        let inside = stick[0] >= 0.0
            && contact.groups().all(|(a, e, mu)| law::norm(&stick[a..e]) <= mu * stick[0]);
        if inside {
            p.copy_from_slice(&stick);
            return;
        }
    }
    if d == 5 || wnn <= 0.0 {
        by_projection(contact, w, q, p);
    } else {
        slip(contact.mu, w, q, p);
    }
}

/// `p` on the boundary of the cone.
fn slip(mu: f64, w: &Dense, q: &[f64], p: &mut [f64]) {
    let (k, wnn) = (q.len() - 1, w.get(0, 0));
    let mut s = vec![0.0; k * k];
    let mut g = vec![0.0; k];
    for j in 0..k {
        for i in 0..k {
            s[j * k + i] = w.get(i + 1, j + 1) - w.get(i + 1, 0) * w.get(0, j + 1) / wnn;
        }
        g[j] = -(q[j + 1] - w.get(j + 1, 0) * q[0] / wnn);
    }
    let mut t = vec![0.0; k];
    let mut at = |lambda: f64, p: &mut [f64]| {
        tangential(&s, &g, lambda, &mut t);
        let coupling: f64 = (0..k).map(|j| w.get(0, j + 1) * t[j]).sum();
        p[0] = -(q[0] + coupling) / wnn;
        p[1..].copy_from_slice(&t);
        law::norm(&t) - mu * p[0]
    };
    let scale = s.iter().fold(wnn, |m, x| m.max(x.abs()));
    let (mut low, mut high) = (0.0, scale);
    let mut f_high = at(high, p);
    let mut f_low = f64::NAN;
    for _ in 0..200 {
        if f_high <= 0.0 {
            break;
        }
        (low, f_low) = (high, f_high);
        high *= 8.0;
        f_high = at(high, p);
    }
    for step in 0..100 {
        if high - low <= 4.0 * f64::EPSILON * high {
            break;
        }
        // regula falsi (Illinois) where both ends are known, bisection every third time
        let guess = low + (high - low) * f_low / (f_low - f_high);
        let middle = if step % 3 == 2 || !(guess > low && guess < high) {
            0.5 * (low + high)
        } else {
            guess
        };
        let f = at(middle, p);
        if f > 0.0 {
            (low, f_low) = (middle, f);
            f_high *= 0.5;
        } else {
            (high, f_high) = (middle, f);
            f_low *= 0.5;
        }
        if f.abs() <= 1e-16 * mu * p[0].abs() {
            break;
        }
    }
    at(high, p);
    p[0] = p[0].max(0.0);
    // exactly on the cone
    let length = law::norm(&p[1..]);
    if length > 0.0 {
        let factor = mu * p[0] / length;
        p[1..].iter_mut().for_each(|x| *x *= factor.min(1.0));
    }
}

/// `(S + lambda) t = g` for one or two unknowns.
fn tangential(s: &[f64], g: &[f64], lambda: f64, t: &mut [f64]) {
    if g.len() == 1 {
        t[0] = g[0] / (s[0] + lambda).max(1e-300);
        return;
    }
    let (a, b, c, d) = (s[0] + lambda, s[2], s[1], s[3] + lambda);
    let determinant = a * d - b * c;
    let inverse = if determinant == 0.0 { 0.0 } else { 1.0 / determinant };
    t[0] = (d * g[0] - b * g[1]) * inverse;
    t[1] = (a * g[1] - c * g[0]) * inverse;
}

/// Projected fixed-point iterations on the natural map.
fn by_projection(contact: &ConeRows, w: &Dense, q: &[f64], p: &mut [f64]) {
    let d = q.len();
    let size = (0..d).map(|i| (0..d).map(|j| w.get(i, j).abs()).sum::<f64>()).fold(0.0, f64::max);
    if size == 0.0 {
        return;
    }
    let rho = 1.0 / size;
    let (mut u, mut change) = (vec![0.0; d], vec![0.0; d]);
    for _ in 0..300 {
        for i in 0..d {
            u[i] = q[i] + (0..d).map(|j| w.get(i, j) * p[j]).sum::<f64>();
        }
        law::natural_map(contact, p, &u, rho, &mut change);
        p.iter_mut().zip(&change).for_each(|(p, c)| *p -= c);
        if law::norm(&change) <= 1e-15 * law::norm(p) {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The law must hold exactly for every kind of local problem.
    #[test]
    fn open_stick_and_slip_satisfy_the_law() {
        let w = Dense::from_rows(&[&[2.0, 0.3, -0.2], &[0.3, 1.5, 0.1], &[-0.2, 0.1, 1.0]]);
        let contact = ConeRows { rows: 0..3, mu: 0.4, rolling: 0.0 };
        for q in [[0.5, 1.0, 0.0], [-1.0, 0.05, 0.02], [-1.0, 2.0, -3.0], [-0.1, 0.0, 5.0]] {
            let mut p = vec![0.0; 3];
            solve(&contact, &w, &q, &mut p);
            let u: Vec<f64> =
                (0..3).map(|i| q[i] + (0..3).map(|j| w.get(i, j) * p[j]).sum::<f64>()).collect();
            let mut error = [0.0; 3];
            law::natural_map(&contact, &p, &u, 1.0, &mut error);
            assert!(law::norm(&error) < 1e-13, "{q:?} {p:?} {error:?}");
        }
    }

    #[test]
    fn sliding_in_the_plane_by_hand() {
        // W = I, q = (-1, 3), mu = 0.5: p_n = 1, p_t = -0.5 (stick would need -3)
        let w = Dense::from_rows(&[&[1.0, 0.0], &[0.0, 1.0]]);
        let contact = ConeRows { rows: 0..2, mu: 0.5, rolling: 0.0 };
        let mut p = vec![0.0; 2];
        solve(&contact, &w, &[-1.0, 3.0], &mut p);
        assert!((p[0] - 1.0).abs() < 1e-14 && (p[1] + 0.5).abs() < 1e-14, "{p:?}");
    }
}
