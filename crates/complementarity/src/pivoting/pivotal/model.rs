//! The problem as the path sees it: sparse columns, bounds, rows and columns scaled.

use crate::problem::{Csc, Problem};

/// `w = A z + b`, `l <= z <= u ⟂ w` in scaled quantities: `A = R A₀ C`, `b = R b₀`, `z₀ = C z`,
/// `w = R w₀`. R and C are positive, so the complementarity stays.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) a: Csc,
    pub(crate) b: Vec<f64>,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    /// C.
    pub(crate) column_scale: Vec<f64>,
    /// Size of b, or 1 where b is zero: what a right-hand side is compared with.
    pub(crate) size: f64,
}

/// Passes of Ruiz' equilibration: each takes the square root of what is left of the imbalance.
const PASSES: usize = 4;

impl Model {
    /// The scaled problem.
    pub(crate) fn new(problem: &Problem) -> Self {
        let (lower, upper) = problem.bounds();
        let mut a = problem.matrix().to_sparse();
        let (rows, columns) = equilibrate(&mut a);
        let b: Vec<f64> = problem.b().iter().zip(&rows).map(|(b, r)| b * r).collect();
        // one more factor on z makes the unknowns of the size of b
        let mut model = Self {
            lower: lower.iter().zip(&columns).map(|(l, c)| l / c).collect(),
            upper: upper.iter().zip(&columns).map(|(u, c)| u / c).collect(),
            size: b.iter().fold(0.0_f64, |m, x| m.max(x.abs())),
            a,
            b,
            column_scale: columns,
        };
        if model.size == 0.0 {
            model.size = 1.0;
        }
        model
    }

    /// Number of unknowns.
    pub(crate) fn n(&self) -> usize {
        self.b.len()
    }

    /// Whether the unknown has no bound.
    pub(crate) fn is_free(&self, i: usize) -> bool {
        self.lower[i] == f64::NEG_INFINITY && self.upper[i] == f64::INFINITY
    }

    /// Unknowns of the original problem, inside their bounds.
    pub(crate) fn unscale(&self, problem: &Problem, z: &[f64]) -> Vec<f64> {
        let mut out: Vec<f64> = z.iter().zip(&self.column_scale).map(|(z, c)| z * c).collect();
        if let Problem::Mlcp(p) = problem {
            for i in 0..out.len() {
                // a bound that went through the scaling must come back exactly
                if z[i] == self.lower[i] {
                    out[i] = p.lower[i];
                } else if z[i] == self.upper[i] {
                    out[i] = p.upper[i];
                }
            }
        }
        out
    }

    /// A start of the original problem in scaled unknowns.
    pub(crate) fn scale(&self, z0: &[f64]) -> Vec<f64> {
        z0.iter().zip(&self.column_scale).map(|(z, c)| z / c).collect()
    }

    /// `A z + b`.
    pub(crate) fn w(&self, z: &[f64]) -> Vec<f64> {
        let mut w = self.b.clone();
        self.a.add_times(z, &mut w);
        w
    }

    /// The same with `rho` on the diagonal and `b - rho z`: one proximal step around `z`.
    pub(crate) fn proximal(&self, rho: f64, z: &[f64]) -> Self {
        let n = self.n();
        let mut entries: Vec<(usize, usize, f64)> = (0..n).map(|i| (i, i, rho)).collect();
        for j in 0..n {
            entries.extend(self.a.col(j).map(|(i, x)| (i, j, x)));
        }
        let b = self.b.iter().zip(z).map(|(b, z)| b - rho * z).collect();
        Self { a: Csc::from_triplets(n, n, &entries), b, ..self.clone() }
    }
}

/// Divides rows and columns by the roots of their largest entries, a few times over; returns the
/// factors applied. Powers of two, so that nothing is rounded.
fn equilibrate(a: &mut Csc) -> (Vec<f64>, Vec<f64>) {
    let n = a.cols;
    let (mut rows, mut columns) = (vec![1.0; n], vec![1.0; n]);
    for _ in 0..PASSES {
        let (mut row_max, mut column_max) = (vec![0.0_f64; n], vec![0.0_f64; n]);
        for (i, j, x) in a.to_triplets() {
            row_max[i] = row_max[i].max(x.abs());
            column_max[j] = column_max[j].max(x.abs());
        }
        let factor = |m: &f64| if *m > 0.0 { power_of_two(1.0 / m.sqrt()) } else { 1.0 };
        let r: Vec<f64> = row_max.iter().map(factor).collect();
        let c: Vec<f64> = column_max.iter().map(factor).collect();
        for (j, c) in c.iter().enumerate() {
            for p in a.start[j]..a.start[j + 1] {
                a.values[p] *= r[a.index[p]] * c;
            }
        }
        rows.iter_mut().zip(&r).for_each(|(x, r)| *x *= r);
        columns.iter_mut().zip(&c).for_each(|(x, c)| *x *= c);
    }
    (rows, columns)
}

fn power_of_two(x: f64) -> f64 {
    x.log2().round().clamp(-300.0, 300.0).exp2()
}
