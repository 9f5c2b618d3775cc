//! One Newton system of Alart and Curnier's function, in the unknowns that are left at each
//! contact.
//!
//! With `x_n = p_n - rho u_n`, `y = p_t - rho u_t`, `R = mu x_n` the linearised law reads
//!
//! ```text
//! open   x_n <= 0    p = 0                                   no unknown
//! stick  |y| <= R    u_n = 0, u_t = 0                        unknowns p_n, p_t
//! slip   |y| > R     u_n = 0, p_e = mu p_n, u_f + k p_f = 0  unknowns p_n, p_f
//! ```
//! where e = y / |y|, f is normal to e, and `k = (1 - R/|y|) / (rho R/|y|)`. So the system is
//! `(L W T + diag(k)) x = r`: L picks and turns rows of W, T columns (p_n moves p_e along).

use super::change_basis::{Mix, change_basis};
use super::law;
use crate::linalg::lu::Lu;
use crate::linalg::shifted::Shifted;
use crate::problem::{Cone, Dense, Matrix};

/// A reduced unknown: how it moves p, which row it belongs to, and its k.
struct Unknown {
    /// Column of T: (row of p, coefficient).
    moves: Mix,
    /// Row of L.
    row: Mix,
    k: f64,
    is_equation: bool,
}

/// The system at one point.
pub(crate) struct Reduced {
    unknowns: Vec<Unknown>,
    /// Where p is moved before the step: open contacts to zero, sliding ones onto the cone.
    pub(crate) base: Vec<f64>,
}

/// Up to here the system of a dense W is dense.
const SMALL: usize = 64;

/// Redundant contacts make the system singular: a diagonal this small against W keeps it regular.
const PROXIMAL: f64 = 1e-8;

impl Reduced {
    /// Decides the state of every contact at (p, u); `rho` has one value per row.
    pub(crate) fn new(cone: &Cone, p: &[f64], u: &[f64], rho: &[f64]) -> Self {
        let mut out = Self { unknowns: vec![], base: p.to_vec() };
        for contact in &cone.contacts {
            let first = contact.rows.start;
            let x = p[first] - rho[first] * u[first];
            if x <= 0.0 {
                contact.rows.clone().for_each(|i| out.base[i] = 0.0);
                continue;
            }
            let normal = out.unknowns.len();
            out.push(vec![(first, 1.0)], PROXIMAL / rho[first]);
            for (a, e, mu) in contact.groups() {
                out.group((first + a, first + e), (p, u, rho), (mu, x), normal);
            }
            if out.base[first] < 0.0 {
                out.base[first] = 0.0;
            }
        }
        for i in cone.others() {
            let x = p[i] - rho[i] * u[i];
            if x <= cone.lower[i] {
                out.base[i] = cone.lower[i];
            } else if x >= cone.upper[i] {
                out.base[i] = cone.upper[i];
            } else {
                let k = PROXIMAL / rho[i];
                let unit = vec![(i, 1.0)];
                out.unknowns.push(Unknown { moves: unit.clone(), row: unit, k, is_equation: true });
            }
        }
        out
    }

    fn push(&mut self, unit: Vec<(usize, f64)>, k: f64) {
        self.unknowns.push(Unknown { moves: unit.clone(), row: unit, k, is_equation: false });
    }

    fn group(
        &mut self,
        (a, e): (usize, usize),
        (p, u, rho): (&[f64], &[f64], &[f64]),
        (mu, x): (f64, f64),
        normal: usize,
    ) {
        let y: Vec<f64> = (a..e).map(|i| p[i] - rho[i] * u[i]).collect();
        let (length, radius) = (law::norm(&y), mu * x);
        if length <= radius {
            (a..e).for_each(|i| self.push(vec![(i, 1.0)], PROXIMAL / rho[i]));
            return;
        }
        let direction: Vec<f64> = y.iter().map(|y| y / length).collect();
        let along: f64 = direction.iter().zip(&p[a..e]).map(|(d, p)| d * p).sum();
        let p_n = self.base[self.unknowns[normal].row[0].0].max(0.0);
        for (d, i) in direction.iter().zip(a..e) {
            self.base[i] += d * (mu * p_n - along);
            self.unknowns[normal].moves.push((i, mu * d));
        }
        if e - a == 2 {
            let across = vec![(a, -direction[1]), (a + 1, direction[0])];
            let gamma = (radius / length).clamp(1e-12, 1.0);
            let k = (1.0 - gamma) / (rho[a] * gamma);
            self.push(across, k.max(PROXIMAL / rho[a]));
        }
    }

    /// `L W T` and the factors of `L W T + diag(k)`; `None` when that is singular.
    fn factored(&self, cone: &Cone, k: &[f64]) -> Option<(Matrix, Factors)> {
        if let Matrix::Dense(w) = &cone.matrix
            && k.len() <= SMALL
        {
            let matrix = self.small(w);
            let mut shifted = matrix.values.clone();
            k.iter().enumerate().for_each(|(i, k)| shifted[i * (matrix.rows + 1)] += k);
            let lu = Lu::with_limit(matrix.rows, shifted, 0.0);
            let regular = lu.singular.is_empty();
            return regular.then_some((Matrix::Dense(matrix), Factors::Small(lu)));
        }
        let rows: Vec<&Mix> = self.unknowns.iter().map(|x| &x.row).collect();
        let columns: Vec<&Mix> = self.unknowns.iter().map(|x| &x.moves).collect();
        let matrix = change_basis(&cone.matrix, &rows, &columns);
        let equation: Vec<bool> = self.unknowns.iter().map(|x| x.is_equation).collect();
        let mut shifted = Shifted::new(&matrix, &equation);
        let regular = shifted.factor(k, &vec![false; k.len()]);
        regular.then_some((matrix, Factors::Large(Box::new(shifted))))
    }

    /// `L W T` of a dense W.
    fn small(&self, w: &Dense) -> Dense {
        let m = self.unknowns.len();
        let (mut out, mut column) = (Dense::zeros(m, m), vec![0.0; w.rows]);
        for (to, x) in out.values.chunks_exact_mut(m).zip(&self.unknowns) {
            column.fill(0.0);
            for &(j, c) in &x.moves {
                column.iter_mut().zip(w.col(j)).for_each(|(y, w)| *y += c * w);
            }
            for (to, x) in to.iter_mut().zip(&self.unknowns) {
                *to = x.row.iter().map(|&(i, c)| c * column[i]).sum();
            }
        }
        out
    }

    /// The point that solves the linearised law, or `None` when the system is singular.
    pub(crate) fn solve(&self, cone: &Cone) -> Option<Vec<f64>> {
        let m = self.unknowns.len();
        let mut target = self.base.clone();
        if m == 0 {
            return Some(target);
        }
        let k: Vec<f64> = self.unknowns.iter().map(|x| x.k).collect();
        let (matrix, mut factors) = self.factored(cone, &k)?;
        // the proximal part of k pulls towards the base, the residual of it towards zero
        let u = cone.w(&target);
        let r: Vec<f64> = self
            .unknowns
            .iter()
            .map(|x| {
                let u: f64 = x.row.iter().map(|&(i, c)| c * u[i]).sum();
                let is_across = x.row.len() == 2;
                let p: f64 = x.row.iter().map(|&(i, c)| c * self.base[i]).sum();
                -u - if is_across { x.k * p } else { 0.0 }
            })
            .collect();
        let x = refined(&matrix, &mut factors, &k, &r)?;
        for (unknown, x) in self.unknowns.iter().zip(&x) {
            unknown.moves.iter().for_each(|&(i, c)| target[i] += c * x);
        }
        Some(target)
    }
}

/// Factors of the reduced system.
enum Factors {
    Small(Lu),
    Large(Box<Shifted>),
}

impl Factors {
    fn solve(&mut self, r: &[f64]) -> Vec<f64> {
        match self {
            Self::Small(lu) => {
                let mut x = r.to_vec();
                lu.solve(&mut x);
                x
            }
            Self::Large(shifted) => shifted.solve(r),
        }
    }
}

/// Solves `(A + diag(k)) x = r` with refinement against the matrix itself.
fn refined(matrix: &Matrix, factors: &mut Factors, k: &[f64], r: &[f64]) -> Option<Vec<f64>> {
    let mut x = factors.solve(r);
    let zero = vec![0.0; r.len()];
    let mut last = f64::INFINITY;
    for _ in 0..3 {
        let product = matrix.times_plus(&x, &zero);
        let residual: Vec<f64> = (0..r.len()).map(|i| r[i] - product[i] - k[i] * x[i]).collect();
        let error = residual.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if !error.is_finite() {
            return None;
        }
        if error >= 0.5 * last || error == 0.0 {
            break;
        }
        last = error;
        let dx = factors.solve(&residual);
        x.iter_mut().zip(&dx).for_each(|(x, d)| *x += d);
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}
