//! Nonlinear complementarity through a callback: `l <= z <= u ⟂ F(z)`.
//!
//! Josephy's method: at every point F is replaced by its linearisation, the mixed LCP is solved by
//! [`crate::pivoting::Pivotal`] from the current active set, and the step towards its solution is
//! shortened until the residual falls. Converges quadratically near a solution where the
//! linearised problem is well posed.

use crate::pivoting::Pivotal;
use crate::problem::{Dense, Matrix, Mlcp, Problem, ProblemError};
use crate::solver::{NoWatch, Solution, SolveError, Solver, Status, Watch};

/// The function F.
pub trait Map {
    /// Number of unknowns.
    fn size(&self) -> usize;
    /// Writes F(z) into `f`.
    fn value(&self, z: &[f64], f: &mut [f64]);
    /// The Jacobian of F at z; by central differences unless given.
    fn jacobian(&self, z: &[f64]) -> Matrix {
        let n = self.size();
        let mut a = Dense::zeros(n, n);
        let (mut x, mut above, mut below) = (z.to_vec(), vec![0.0; n], vec![0.0; n]);
        for j in 0..n {
            let h = f64::EPSILON.cbrt() * z[j].abs().max(1.0);
            x[j] = z[j] + h;
            self.value(&x, &mut above);
            x[j] = z[j] - h;
            self.value(&x, &mut below);
            x[j] = z[j];
            for i in 0..n {
                a.values[j * n + i] = (above[i] - below[i]) / (2.0 * h);
            }
        }
        Matrix::Dense(a)
    }
}

/// `l <= z <= u ⟂ F(z)`.
pub struct Ncp<'a> {
    /// F.
    pub map: &'a dyn Map,
    /// Lower bounds; `-inf` allowed.
    pub lower: Vec<f64>,
    /// Upper bounds; `+inf` allowed.
    pub upper: Vec<f64>,
}

/// Settings of [`Ncp::solve`].
#[derive(Clone, Debug, PartialEq)]
pub struct NonlinearSettings {
    /// Natural residual accepted. Default 1e-10.
    pub tolerance: f64,
    /// Limit on the linearisations. Default 100.
    pub max_iterations: usize,
}

impl Default for NonlinearSettings {
    fn default() -> Self {
        Self { tolerance: 1e-10, max_iterations: 100 }
    }
}

/// The function or its bounds make no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NonlinearError {
    /// Sizes or bounds, or F or its Jacobian is not finite.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The inner solver refused.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

/// A step may raise the residual up to the largest of so many before it.
const MEMORY: usize = 5;
/// How often a step is taken although it helps in no length.
const LEAPS: usize = 5;

impl Ncp<'_> {
    /// `max_i |mid(z_i - l_i, F_i(z), z_i - u_i)|`; infinite where F is not finite.
    pub fn residual(&self, z: &[f64]) -> f64 {
        let mut f = vec![0.0; z.len()];
        self.map.value(z, &mut f);
        (0..z.len()).fold(0.0_f64, |worst, i| {
            let mid = (z[i] - self.lower[i]).min((z[i] - self.upper[i]).max(f[i])) + 0.0 * f[i];
            if mid.is_nan() { f64::INFINITY } else { worst.max(mid.abs()) }
        })
    }

    /// The linearisation at `z` as a checked problem.
    fn linearized(&self, z: &[f64]) -> Result<Problem, ProblemError> {
        let jacobian = self.map.jacobian(z);
        let mut f = vec![0.0; z.len()];
        self.map.value(z, &mut f);
        let minus: Vec<f64> = z.iter().map(|x| -x).collect();
        let b = jacobian.times_plus(&minus, &f);
        Mlcp::new(jacobian, b, self.lower.clone(), self.upper.clone()).map(Problem::Mlcp)
    }

    /// Solves from `z0` (moved into the bounds; empty means zero).
    pub fn solve(
        &self,
        z0: &[f64],
        settings: &NonlinearSettings,
        watch: &mut dyn Watch,
    ) -> Result<Solution, NonlinearError> {
        let n = self.map.size();
        if !z0.is_empty() && z0.len() != n {
            return Err(SolveError::Start { found: z0.len(), expected: n }.into());
        }
        for (what, bound) in [("lower", &self.lower), ("upper", &self.upper)] {
            if bound.len() != n {
                return Err(ProblemError::Size { what, found: bound.len(), expected: n }.into());
            }
        }
        let inside = |i: usize, x: f64| x.max(self.lower[i]).min(self.upper[i]);
        let mut z: Vec<f64> =
            (0..n).map(|i| inside(i, z0.get(i).copied().unwrap_or(0.0))).collect();
        let mut error = self.residual(&z);
        let done = |z, status, iterations| {
            Ok(Solution { z, status, iterations, solver: "josephy-newton", fallbacks: 0 })
        };
        let mut recent = vec![error];
        let mut leaps = 0;
        for k in 0..settings.max_iterations {
            if error <= settings.tolerance {
                return done(z, Status::Solved, k);
            }
            let inner = Pivotal::default().solve(&self.linearized(&z)?, &z, &mut NoWatch)?;
            let allowed = recent.iter().rev().take(MEMORY).fold(error, |m, e| m.max(*e));
            let mut next = self.shortened(&z, &inner.z, allowed);
            if next.is_none() && leaps < LEAPS {
                // no length of this step helps: its end may still lead somewhere else
                leaps += 1;
                let far = self.residual(&inner.z);
                next = far.is_finite().then(|| (inner.z.clone(), far));
            }
            let Some((y, e)) = next else {
                let solved = inner.status == Status::Solved;
                let status = if solved { Status::Stalled } else { inner.status };
                return done(z, status, k + 1);
            };
            (z, error) = (y, e);
            recent.push(error);
            if watch.iterate(k + 1, &z).is_break() {
                return done(z, Status::Stopped, k + 1);
            }
        }
        let status =
            if error <= settings.tolerance { Status::Solved } else { Status::IterationLimit };
        done(z, status, settings.max_iterations)
    }

    /// The longest of the steps 1, 1/2, 1/4 .. from `z` to `end` with a residual below `allowed`.
    fn shortened(&self, z: &[f64], end: &[f64], allowed: f64) -> Option<(Vec<f64>, f64)> {
        let mut t = 1.0;
        while t > 1e-6 {
            let y: Vec<f64> = z.iter().zip(end).map(|(z, y)| z + t * (y - z)).collect();
            let e = self.residual(&y);
            if e < (1.0 - 1e-4 * t) * allowed {
                return Some((y, e));
            }
            t *= 0.5;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kojima and Shindo's problem, with the solutions (sqrt(6)/2, 0, 0, 1/2) and (1, 0, 3, 0).
    struct KojimaShindo;

    impl Map for KojimaShindo {
        fn size(&self) -> usize {
            4
        }

        fn value(&self, z: &[f64], f: &mut [f64]) {
            let (a, b, c, d) = (z[0], z[1], z[2], z[3]);
            f[0] = 3.0 * a * a + 2.0 * a * b + 2.0 * b * b + c + 3.0 * d - 6.0;
            f[1] = 2.0 * a * a + a + b * b + 10.0 * c + 2.0 * d - 2.0;
            f[2] = 3.0 * a * a + a * b + 2.0 * b * b + 2.0 * c + 9.0 * d - 9.0;
            f[3] = a * a + 3.0 * b * b + 2.0 * c + 3.0 * d - 3.0;
        }
    }

    #[test]
    fn finds_a_solution_of_kojima_and_shindo_from_many_starts() {
        let ncp = Ncp { map: &KojimaShindo, lower: vec![0.0; 4], upper: vec![f64::INFINITY; 4] };
        let known = [[1.5_f64.sqrt(), 0.0, 0.0, 0.5], [1.0, 0.0, 3.0, 0.0]];
        for start in [[1.0; 4], [0.5, 0.0, 1.0, 1.0], [2.0, 0.0, 0.0, 1.0], [1.0, 0.0, 2.0, 0.0]] {
            let found = ncp.solve(&start, &NonlinearSettings::default(), &mut NoWatch).unwrap();
            assert_eq!(found.status, Status::Solved, "{start:?}");
            let near = |k: &[f64; 4]| found.z.iter().zip(k).all(|(x, y)| (x - y).abs() < 1e-8);
            assert!(known.iter().any(near), "{start:?} {:?}", found.z);
        }
    }

    /// `exp(z) - 2` has its root at ln 2, which a bound may keep z from.
    struct Exponential;

    impl Map for Exponential {
        fn size(&self) -> usize {
            1
        }

        fn value(&self, z: &[f64], f: &mut [f64]) {
            f[0] = z[0].exp() - 2.0;
        }
    }

    #[test]
    fn bounds_and_free_unknowns_of_a_scalar() {
        for (l, u, right) in [
            (f64::NEG_INFINITY, f64::INFINITY, std::f64::consts::LN_2),
            (1.0, f64::INFINITY, 1.0),
            (-1.0, 0.5, 0.5),
        ] {
            let ncp = Ncp { map: &Exponential, lower: vec![l], upper: vec![u] };
            let found = ncp.solve(&[0.0], &NonlinearSettings::default(), &mut NoWatch).unwrap();
            assert_eq!(found.status, Status::Solved);
            assert!((found.z[0] - right).abs() < 1e-9, "{l} {u}: {:?}", found.z);
        }
    }

    #[test]
    fn a_start_of_the_wrong_length_is_an_error() {
        let ncp = Ncp { map: &Exponential, lower: vec![0.0], upper: vec![1.0] };
        let error = ncp.solve(&[0.0; 3], &NonlinearSettings::default(), &mut NoWatch).unwrap_err();
        assert!(matches!(error, NonlinearError::Solve(SolveError::Start { .. })));
    }
}
