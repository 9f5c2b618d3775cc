//! How far a point is from a solution.
//!
//! Steps are judged by `theta = 1/2 sum phi_i²`, phi the function of Fischer and Burmeister: it is
//! smooth, and zero at solutions only. What counts in the end is the natural residual.

use super::Ncp;
use crate::newton::{System, row};
use crate::problem::Matrix;

/// A point with what is known of it.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) z: Vec<f64>,
    pub(super) f: Vec<f64>,
    /// Infinite where F is not finite.
    pub(super) theta: f64,
    /// `max_i |mid(z_i - l_i, F_i, z_i - u_i)|`.
    pub(super) residual: f64,
}

impl Ncp<'_> {
    pub(super) fn point(&self, z: Vec<f64>) -> Point {
        let mut f = vec![0.0; z.len()];
        self.map.value(&z, &mut f);
        let (mut theta, mut residual) = (0.0, 0.0_f64);
        for i in 0..z.len() {
            let (l, u) = (self.lower[i], self.upper[i]);
            let phi = row(System::Perturbation, z[i], f[i], (l, u)).0;
            theta += 0.5 * phi * phi;
            let mid = (z[i] - l).min((z[i] - u).max(f[i])) + 0.0 * f[i];
            residual = if mid.is_nan() { f64::INFINITY } else { residual.max(mid.abs()) };
        }
        if !residual.is_finite() || theta.is_nan() {
            (theta, residual) = (f64::INFINITY, f64::INFINITY);
        }
        Point { z, f, theta, residual }
    }

    /// The gradient of theta: `D_a phi + Jᵀ D_b phi`.
    pub(super) fn gradient(&self, at: &Point, jacobian: &Matrix) -> Vec<f64> {
        let n = at.z.len();
        let rows: Vec<(f64, f64, f64)> = (0..n)
            .map(|i| {
                let bounds = (self.lower[i], self.upper[i]);
                row(System::Perturbation, at.z[i], at.f[i], bounds)
            })
            .collect();
        (0..n)
            .map(|j| {
                let mut sum = rows[j].0 * rows[j].1;
                jacobian.for_column(j, |i, x| sum += rows[i].0 * rows[i].2 * x);
                sum
            })
            .collect()
    }

    /// The point moved into the bounds.
    pub(super) fn inside(&self, z: &[f64]) -> Vec<f64> {
        let bounds = self.lower.iter().zip(&self.upper);
        z.iter().zip(bounds).map(|(z, (l, u))| z.max(*l).min(*u)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Function;
    use super::*;

    #[test]
    fn the_gradient_is_that_of_the_merit_function() {
        let f = Function::new(3, |z: &[f64], f: &mut [f64]| {
            f[0] = z[0] * z[0] + z[1];
            f[1] = (z[1] - z[2]).sin();
            f[2] = z[0] * z[2] - 0.3;
        });
        let inf = f64::INFINITY;
        let ncp = Ncp { map: &f, lower: vec![0.0, -inf, -1.0], upper: vec![inf, 2.0, 1.0] };
        let at = ncp.point(vec![0.7, 0.4, -0.2]);
        let g = ncp.gradient(&at, &f_jacobian(&ncp, &at));
        for j in 0..3 {
            let step = |h: f64| {
                let mut z = at.z.clone();
                z[j] += h;
                ncp.point(z).theta
            };
            let slope = (step(1e-6) - step(-1e-6)) / 2e-6;
            assert!((slope - g[j]).abs() < 1e-8, "{j}: {slope} {}", g[j]);
        }
    }

    fn f_jacobian(ncp: &Ncp<'_>, at: &Point) -> Matrix {
        ncp.map.jacobian(&at.z)
    }
}
