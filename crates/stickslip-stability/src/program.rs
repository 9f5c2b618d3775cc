//! The convex programs, and their solution by an interior-point method (Clarabel).

use clarabel::{
    algebra::CscMatrix,
    solver::{
        DefaultSettings, DefaultSolver, IPSolver, SolverStatus,
        SupportedConeT::{self, NonnegativeConeT, SecondOrderConeT, ZeroConeT},
    },
};
use stickslip::Dimension;

use crate::structure::Structure;

/// How friction is bounded in space; in the plane the two are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cone {
    /// Coulomb's cone: a second-order cone program.
    #[default]
    Quadratic,
    /// A pyramid with that many edges inside the cone: a linear program.
    Pyramid(usize),
}

/// Friction of all corners, relative to what the scene says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Friction {
    /// The scene's coefficients times a factor.
    Times(f64),
    /// One coefficient for all.
    Uniform(f64),
    /// Nothing slides.
    Unlimited,
}

/// A solved program.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The force at every corner along its axes, in units of `unit`.
    pub forces: Vec<[f64; 3]>,
    /// Of [`least_imbalance`]: `|D r| / |D w|`; of [`greatest_factor`]: the factor.
    pub value: f64,
    /// Of [`least_imbalance`]: `D r / |D w|`, the unbalanced resultants; of [`greatest_factor`]: the
    /// multipliers of equilibrium, velocities times `D^-T`.
    pub rows: Vec<f64>,
}

/// The program could not be solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "the {what} was not found: the interior-point method ended with {status} after {iterations} iterations"
)]
pub struct ProgramError {
    /// What was sought.
    pub what: &'static str,
    /// How the solver ended.
    pub status: String,
    /// Its iterations.
    pub iterations: u32,
}

/// Triplets of the matrix, right-hand side and cones, row by row.
#[derive(Default)]
struct Builder {
    i: Vec<usize>,
    j: Vec<usize>,
    v: Vec<f64>,
    b: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

impl Builder {
    fn entry(&mut self, column: usize, value: f64) {
        if value != 0.0 {
            self.i.push(self.b.len());
            self.j.push(column);
            self.v.push(value);
        }
    }

    fn end_row(&mut self, b: f64) {
        self.b.push(b);
    }

    /// The cones of all corners; returns the columns of their forces and how many there are.
    fn corners(
        &mut self,
        s: &Structure,
        friction: Friction,
        cone: Cone,
    ) -> (Vec<[usize; 3]>, usize) {
        let mut columns = Vec::with_capacity(s.corners.len());
        let mut next = 0;
        let tangents = match s.model.dimension() {
            Dimension::Two => 1,
            Dimension::Three => 2,
        };
        for corner in &s.corners {
            let mu = match friction {
                Friction::Times(factor) => Some(corner.friction * factor),
                Friction::Uniform(mu) => Some(mu),
                Friction::Unlimited => None,
            };
            let count = if mu == Some(0.0) { 1 } else { 1 + tangents };
            let axis = |k: usize| if k < count { next + k } else { usize::MAX };
            columns.push([axis(0), axis(1), axis(2)]);
            match mu {
                Some(mu) if count > 1 => self.friction(next, mu, tangents, cone),
                _ => {
                    self.entry(next, -1.0);
                    self.end_row(0.0);
                    self.cones.push(NonnegativeConeT(1));
                }
            }
            next += count;
        }
        (columns, next)
    }

    /// `|f_t| <= mu f_n`.
    fn friction(&mut self, n: usize, mu: f64, tangents: usize, cone: Cone) {
        match (tangents, cone) {
            (1, _) => {
                for side in [-1.0, 1.0] {
                    self.entry(n, -mu);
                    self.entry(n + 1, side);
                    self.end_row(0.0);
                }
                self.cones.push(NonnegativeConeT(2));
            }
            (_, Cone::Quadratic) => {
                self.entry(n, -mu);
                self.end_row(0.0);
                for k in 1..=tangents {
                    self.entry(n + k, -1.0);
                    self.end_row(0.0);
                }
                self.cones.push(SecondOrderConeT(1 + tangents));
            }
            (_, Cone::Pyramid(edges)) => {
                let edges = edges.max(3);
                let half = std::f64::consts::PI / edges as f64;
                for k in 0..edges {
                    // the sides are halfway between the edges
                    let (sin, cos) = ((2 * k + 1) as f64 * half).sin_cos();
                    self.entry(n, -mu * half.cos());
                    self.entry(n + 1, cos);
                    self.entry(n + 2, sin);
                    self.end_row(0.0);
                }
                self.cones.push(NonnegativeConeT(edges));
            }
        }
    }

    /// The rows `scale D G unit f + extra = b`.
    fn equilibrium(
        &mut self,
        s: &Structure,
        columns: &[[usize; 3]],
        scale: f64,
        (extra, b): (Option<(usize, &[f64])>, &[f64]),
    ) {
        let first = self.b.len();
        for (corner, columns) in s.corners.iter().zip(columns) {
            for (axis, &column) in columns.iter().enumerate().filter(|(_, c)| **c != usize::MAX) {
                for (row, block) in s.column(corner, axis) {
                    for (k, value) in block[..s.width()].iter().enumerate() {
                        if *value != 0.0 {
                            self.i.push(first + row + k);
                            self.j.push(column);
                            self.v.push(value * scale);
                        }
                    }
                }
            }
        }
        for (k, &value) in b.iter().enumerate() {
            if let Some((column, load)) = extra {
                self.entry(column, load[k]);
            }
            self.end_row(value);
        }
    }

    /// Solves; where round-off keeps the method from its accuracy, again with a lower one.
    fn solve(self, q: Vec<f64>, what: &'static str) -> Result<(Vec<f64>, Raw), ProgramError> {
        let (m, n) = (self.b.len(), q.len());
        let a = CscMatrix::new_from_triplets(m, n, self.i, self.j, self.v);
        let mut last = ProgramError { what, status: String::new(), iterations: 0 };
        for tolerance in TOLERANCES {
            match attempt((&a, &q, &self.b, &self.cones), tolerance) {
                Ok(found) => return Ok(found),
                Err((status, iterations)) => last = ProgramError { what, status, iterations },
            }
        }
        Err(last)
    }
}

/// Matrix, objective, right-hand side and cones.
type Standard<'a> = (&'a CscMatrix<f64>, &'a [f64], &'a [f64], &'a [SupportedConeT<f64>]);

/// One solve; the status and the iterations where it did not come to an end.
fn attempt((a, q, b, cones): Standard, tolerance: f64) -> Result<(Vec<f64>, Raw), (String, u32)> {
    let settings = DefaultSettings {
        verbose: false,
        max_iter: 300,
        max_threads: 1,
        tol_gap_abs: tolerance,
        tol_gap_rel: tolerance,
        tol_feas: tolerance,
        reduced_tol_gap_abs: REDUCED.max(tolerance),
        reduced_tol_gap_rel: REDUCED.max(tolerance),
        reduced_tol_feas: REDUCED.max(tolerance),
        ..DefaultSettings::default()
    };
    let zero = CscMatrix::zeros((q.len(), q.len()));
    let solver = DefaultSolver::new(&zero, q, a, b, cones, settings);
    let mut solver = solver.map_err(|e| (e.to_string(), 0))?;
    solver.solve();
    let solution = &solver.solution;
    let size = 1.0 + solution.obj_val.abs();
    let gap = (solution.obj_val - solution.obj_val_dual).abs() / size;
    let near = gap.max(solution.r_prim).max(solution.r_dual) <= STALLED;
    let done = match solution.status {
        SolverStatus::Solved | SolverStatus::AlmostSolved => true,
        // It gets no farther, but is near enough.
        SolverStatus::InsufficientProgress | SolverStatus::MaxIterations => near,
        SolverStatus::DualInfeasible | SolverStatus::AlmostDualInfeasible => {
            return Ok((Vec::new(), Raw::Unbounded));
        }
        SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => {
            return Ok((Vec::new(), Raw::Infeasible));
        }
        _ => false,
    };
    if !done {
        return Err((format!("{:?}", solution.status), solution.iterations));
    }
    let (s, z, bound) = (solution.s.clone(), solution.z.clone(), solution.obj_val_dual);
    Ok((solution.x.clone(), Raw::Optimal { s, z, bound }))
}

/// Accuracies asked of the interior-point method, relative to the weight, one after the other.
const TOLERANCES: [f64; 3] = [1e-11, 1e-9, 1e-8];
/// Accuracy with which it may end when it gets no farther.
const REDUCED: f64 = 1e-9;
/// Gap and residuals up to which a solution that stalled is taken: the forces in a joint that is about
/// to slide are not unique, and the last digits of the multipliers do not settle.
const STALLED: f64 = 1e-7;

enum Raw {
    /// Slacks, multipliers, and the objective of the dual.
    Optimal {
        s: Vec<f64>,
        z: Vec<f64>,
        bound: f64,
    },
    Unbounded,
    Infeasible,
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// The forces that leave the least unbalanced: `min |D (G f + w)|` over the cones. Gauss' principle
/// of least constraint for friction with the associated flow rule: `D^T D r` are the accelerations
/// of the blocks under that rule. `loads` is `D w`; `unit` a force \[N\].
pub fn least_imbalance(
    s: &Structure,
    loads: &[f64],
    unit: f64,
    (friction, cone): (Friction, Cone),
) -> Result<Solved, ProgramError> {
    let size = norm(loads);
    let still = || Solved {
        forces: vec![[0.0; 3]; s.corners.len()],
        value: 0.0,
        rows: vec![0.0; s.rows()],
    };
    if size == 0.0 || s.rows() == 0 {
        return Ok(still());
    }
    let mut builder = Builder::default();
    let (columns, count) = builder.corners(s, friction, cone);
    let first = builder.b.len();
    // (tau, -D (G f + w)) in the second-order cone
    builder.entry(count, -1.0);
    builder.end_row(0.0);
    let b: Vec<f64> = loads.iter().map(|w| -w / size).collect();
    builder.equilibrium(s, &columns, unit / size, (None, &b));
    builder.cones.push(SecondOrderConeT(1 + s.rows()));
    let mut q = vec![0.0; count + 1];
    q[count] = 1.0;
    let what = "least imbalance";
    match builder.solve(q, what)? {
        (x, Raw::Optimal { s: slack, bound, .. }) => {
            let rows: Vec<f64> = slack[first + 1..].iter().map(|v| -v).collect();
            // the dual tells what cannot be less
            let value = norm(&rows).min(bound.max(0.0));
            Ok(Solved { forces: pick(&columns, &x), value, rows })
        }
        // Neither can be: f = 0 is feasible and tau is bounded below.
        _ => Err(ProgramError { what, status: "no solution".into(), iterations: 0 }),
    }
}

/// The greatest `lambda` with `G f + w + lambda l = 0`: `None` where there is no equilibrium for
/// any; infinite where there is for all. `loads` are `D w` and `D l`.
pub fn greatest_factor(
    s: &Structure,
    (dead, live): (&[f64], &[f64]),
    unit: f64,
    (friction, cone): (Friction, Cone),
) -> Result<Option<Solved>, ProgramError> {
    let size = norm(dead).max(norm(live)).max(f64::MIN_POSITIVE);
    let live_size = norm(live).max(f64::MIN_POSITIVE);
    let mut builder = Builder::default();
    let (columns, count) = builder.corners(s, friction, cone);
    let first = builder.b.len();
    let load: Vec<f64> = live.iter().map(|l| l / live_size).collect();
    let b: Vec<f64> = dead.iter().map(|w| -w / size).collect();
    builder.equilibrium(s, &columns, unit / size, (Some((count, &load)), &b));
    builder.cones.push(ZeroConeT(s.rows()));
    let mut q = vec![0.0; count + 1];
    q[count] = -1.0;
    match builder.solve(q, "greatest load")? {
        (x, Raw::Optimal { z, .. }) => {
            let mut rows = z[first..].to_vec();
            // the power of the live load is positive in a collapse
            let power: f64 = rows.iter().zip(live).map(|(v, l)| v * l).sum();
            if power < 0.0 {
                rows.iter_mut().for_each(|v| *v = -*v);
            }
            let value = x[count] * size / live_size;
            Ok(Some(Solved { forces: pick(&columns, &x), value, rows }))
        }
        (_, Raw::Unbounded) => Ok(Some(Solved {
            forces: vec![[0.0; 3]; s.corners.len()],
            value: f64::INFINITY,
            rows: vec![0.0; s.rows()],
        })),
        (_, Raw::Infeasible) => Ok(None),
    }
}

/// The forces of all corners from the unknowns.
fn pick(columns: &[[usize; 3]], x: &[f64]) -> Vec<[f64; 3]> {
    let force = |c: &[usize; 3]| c.map(|k| x.get(k).copied().unwrap_or(0.0));
    columns.iter().map(force).collect()
}
