//! The exact solution of one contact with everything else held: `u = W p + q`.
//!
//! 1. Open: `q_n >= 0` gives p = 0.
//! 2. Stick: `p = -W⁻¹ q` if it lies in the cone.
//! 3. Slip: `u_n = 0`, `u_t = -lambda p_t`, `|p_t| = mu p_n`. With p_n eliminated,
//!    `(S + lambda) p_t = g`; as lambda grows from 0, `|p_t| - mu p_n` goes from positive to
//!    negative, and Newton's method inside a bracket finds the root.
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
    if wnn <= 0.0 {
        return by_projection(contact, w, q, p);
    }
    match d {
        1 => p[0] = -q[0] / wnn,
        2 => planar(contact.mu, w, q, p),
        3 => spatial(contact.mu, w, q, p),
        _ => rolling(contact, w, q, p),
    }
}

/// Two unknowns: everything in closed form. `|p_t| = mu p_n` against the slip of sticking p_n.
fn planar(mu: f64, w: &Dense, q: &[f64], p: &mut [f64]) {
    let (wnn, wnt, wtn, wtt) = (w.get(0, 0), w.get(0, 1), w.get(1, 0), w.get(1, 1));
    let determinant = wnn * wtt - wnt * wtn;
    if determinant > 1e-14 * wnn * wtt {
        let stick =
            [(wnt * q[1] - wtt * q[0]) / determinant, (wtn * q[0] - wnn * q[1]) / determinant];
        if stick[0] >= 0.0 && stick[1].abs() <= mu * stick[0] {
            p.copy_from_slice(&stick);
            return;
        }
    }
    let mut best = f64::INFINITY;
    let mut found = [0.0; 2];
    for sign in [1.0, -1.0] {
        let bottom = wnn + sign * mu * wnt;
        let normal = if bottom > 0.0 { -q[0] / bottom } else { continue };
        // friction against the slip: the slip must have the other sign
        let slip = q[1] + wtn * normal + wtt * sign * mu * normal;
        if sign * slip < best {
            best = sign * slip;
            found = [normal, sign * mu * normal];
        }
    }
    p.copy_from_slice(&found);
}

/// Three unknowns.
fn spatial(mu: f64, w: &Dense, q: &[f64], p: &mut [f64]) {
    let wnn = w.get(0, 0);
    let (c1, c2) = (w.get(0, 1) / wnn, w.get(0, 2) / wnn);
    // the normal row eliminated: (S + lambda) t = g
    let s = [
        [w.get(1, 1) - w.get(1, 0) * c1, w.get(1, 2) - w.get(1, 0) * c2],
        [w.get(2, 1) - w.get(2, 0) * c1, w.get(2, 2) - w.get(2, 0) * c2],
    ];
    let g = [w.get(1, 0) * q[0] / wnn - q[1], w.get(2, 0) * q[0] / wnn - q[2]];
    let solve = |lambda: f64, r: [f64; 2]| {
        let (a, d) = (s[0][0] + lambda, s[1][1] + lambda);
        let determinant = a * d - s[0][1] * s[1][0];
        let inverse = if determinant == 0.0 { 0.0 } else { 1.0 / determinant };
        [(d * r[0] - s[0][1] * r[1]) * inverse, (a * r[1] - s[1][0] * r[0]) * inverse]
    };
    let normal = |t: [f64; 2]| -q[0] / wnn - c1 * t[0] - c2 * t[1];
    let size = s[0][0].abs() + s[1][1].abs();
    let determinant = s[0][0] * s[1][1] - s[0][1] * s[1][0];
    if determinant > 1e-14 * size * size {
        let t = solve(0.0, g);
        if normal(t) >= 0.0 && t[0].hypot(t[1]) <= mu * normal(t) {
            p.copy_from_slice(&[normal(t), t[0], t[1]]);
            return;
        }
    }
    // Newton on |t| - mu p_n, kept inside the bracket
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut lambda = if size > 0.0 { size } else { wnn };
    let mut t = [0.0; 2];
    for _ in 0..100 {
        t = solve(lambda, g);
        let length = t[0].hypot(t[1]);
        let f = length - mu * normal(t);
        if f > 0.0 {
            low = lambda;
        } else {
            high = lambda;
        }
        let narrow = high.is_finite() && high - low <= 4.0 * f64::EPSILON * high;
        if f.abs() <= 1e-15 * length || narrow {
            break;
        }
        let dt = solve(lambda, [-t[0], -t[1]]);
        let slope = (t[0] * dt[0] + t[1] * dt[1]) / length + mu * (c1 * dt[0] + c2 * dt[1]);
        let next = lambda - f / slope;
        lambda = if next > low && next < high {
            next
        } else if high.is_finite() {
            0.5 * (low + high)
        } else {
            8.0 * lambda
        };
    }
    let p_n = normal(t).max(0.0);
    let length = t[0].hypot(t[1]);
    // exactly on the cone
    let factor = if length > 0.0 { mu * p_n / length } else { 0.0 };
    p.copy_from_slice(&[p_n, factor * t[0], factor * t[1]]);
}

/// Five unknowns: sticking by elimination, anything else by projection.
fn rolling(contact: &ConeRows, w: &Dense, q: &[f64], p: &mut [f64]) {
    let mut stick: Vec<f64> = q.iter().map(|x| -x).collect();
    let lu = Lu::new(5, w.values.clone());
    if lu.singular.is_empty() {
        lu.solve(&mut stick);
        let inside = stick[0] >= 0.0
            && contact.groups().all(|(a, e, mu)| law::norm(&stick[a..e]) <= mu * stick[0]);
        if inside {
            p.copy_from_slice(&stick);
            return;
        }
    }
    by_projection(contact, w, q, p);
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
