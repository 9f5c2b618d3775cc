//! Coulomb's law at one contact: projection onto the cone, the natural map and the function of
//! Alart and Curnier.

use crate::problem::ConeRows;

/// Euclidean length.
pub(crate) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Projects `p` onto `K = { p_n >= 0, |p_k| <= mu_k p_n }` in place.
///
/// For a given normal part s the nearest point shortens every tangential part to `mu_k s`; what is
/// left is to minimise `(s - p_n)² + sum max(0, |p_k| - mu_k s)²`, a convex function made of
/// parabolas that meet where `|p_k| = mu_k s`.
pub(crate) fn project(contact: &ConeRows, p: &mut [f64]) {
    let mut groups = [(0.0, 0.0); 2];
    let mut count = 0;
    for (first, end, mu) in contact.groups() {
        groups[count] = (norm(&p[first..end]), mu);
        count += 1;
    }
    let groups = &groups[..count];
    let outside = |mask: usize, k: usize| mask >> k & 1 == 1;
    // the minimum of the parabola with a given set of groups outside their discs
    let minimum = |mask: usize| {
        let (mut top, mut bottom) = (p[0], 1.0);
        for (_, &(length, mu)) in groups.iter().enumerate().filter(|e| outside(mask, e.0)) {
            top += mu * length;
            bottom += mu * mu;
        }
        top / bottom
    };
    let mut s = 0.0;
    for mask in 0..1_usize << count {
        let at = minimum(mask).max(0.0);
        let mut each = groups.iter().enumerate();
        if each.all(|(k, &(length, mu))| (length > mu * at) == outside(mask, k)) {
            s = at;
            break;
        }
    }
    p[0] = s;
    for (k, (first, end, mu)) in contact.groups().enumerate() {
        let length = groups[k].0;
        if length > mu * s {
            let factor = mu * s / length;
            p[first..end].iter_mut().for_each(|x| *x *= factor);
        }
    }
}

/// `p - P_K(p - rho u~)` with `u~ = u + (sum mu_k |u_k|) n`; written into `out`.
pub(crate) fn natural_map(contact: &ConeRows, p: &[f64], u: &[f64], rho: f64, out: &mut [f64]) {
    let slip: f64 = contact.groups().map(|(a, e, mu)| mu * norm(&u[a..e])).sum();
    for (i, o) in out.iter_mut().enumerate() {
        *o = p[i] - rho * u[i];
    }
    out[0] -= rho * slip;
    project(contact, out);
    out.iter_mut().zip(p).for_each(|(o, p)| *o = p - *o);
}

/// Alart and Curnier's function: `p_n - max(0, p_n - rho u_n)`, and for every tangential group
/// `p_k - P_D(p_k - rho u_k)` with D the disc of radius `mu_k max(0, p_n - rho u_n)`.
pub(crate) fn alart_curnier(contact: &ConeRows, p: &[f64], u: &[f64], rho: f64, out: &mut [f64]) {
    let normal = (p[0] - rho * u[0]).max(0.0);
    out[0] = p[0] - normal;
    for (first, end, mu) in contact.groups() {
        for i in first..end {
            out[i] = p[i] - rho * u[i];
        }
        let (length, radius) = (norm(&out[first..end]), mu * normal);
        let factor = if length > radius { radius / length } else { 1.0 };
        for i in first..end {
            out[i] = p[i] - factor * out[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(d: usize, mu: f64, rolling: f64) -> ConeRows {
        ConeRows { rows: 0..d, mu, rolling }
    }

    #[test]
    fn projection_onto_a_cone_of_45_degrees() {
        let c = contact(3, 1.0, 0.0);
        let mut inside = [2.0, 1.0, 0.5];
        project(&c, &mut inside);
        assert_eq!(inside, [2.0, 1.0, 0.5]);
        let mut outside = [0.0, 3.0, 4.0];
        project(&c, &mut outside);
        for (x, y) in outside.iter().zip([2.5, 1.5, 2.0]) {
            assert!((x - y).abs() < 1e-15);
        }
        let mut polar = [-5.0, 3.0, 4.0];
        project(&c, &mut polar);
        assert_eq!(polar, [0.0, 0.0, 0.0]);
    }

    #[test]
    fn projection_with_rolling_is_nearest_and_optimal() {
        let c = contact(5, 0.5, 0.2);
        let p = [1.0, 2.0, 0.0, 0.0, 1.5];
        let mut q = p;
        project(&c, &mut q);
        // both groups outside: s = (1 + 0.5*2 + 0.2*1.5) / (1 + 0.25 + 0.04)
        let s = 2.3 / 1.29;
        for (x, y) in q.iter().zip([s, 0.5 * s, 0.0, 0.0, 0.2 * s]) {
            assert!((x - y).abs() < 1e-15, "{q:?}");
        }
        let gap: f64 = p.iter().zip(&q).map(|(p, q)| (p - q) * q).sum();
        assert!(gap.abs() < 1e-14, "the residual of a projection onto a cone is normal to it");
    }

    #[test]
    fn both_functions_vanish_at_a_sliding_contact() {
        // slides along +x: friction mu p_n against it, u_n = 0
        let c = contact(3, 0.5, 0.0);
        let (p, u) = ([2.0, -1.0, 0.0], [0.0, 0.3, 0.0]);
        let mut out = [0.0; 3];
        natural_map(&c, &p, &u, 1.0, &mut out);
        assert!(norm(&out) < 1e-15, "{out:?}");
        alart_curnier(&c, &p, &u, 0.7, &mut out);
        assert!(norm(&out) < 1e-15, "{out:?}");
        // friction the wrong way is no solution
        natural_map(&c, &[2.0, 1.0, 0.0], &u, 1.0, &mut out);
        assert!(norm(&out) > 0.1);
    }
}
