//! Conversions between problem classes, with the way back for the solution.

use crate::linalg::sparse_lu::SparseLu;
use crate::problem::{Csc, Dense, Factored, Lcp, Matrix, Mlcp, ProblemError};

/// How an unknown of the mixed problem is made from those of the LCP.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Origin {
    /// `z = lower + y`.
    Above(f64),
    /// `z = upper - y`.
    Below(f64),
    /// Eliminated by its own equation.
    Eliminated,
    /// `z = y - y'` with `y'` at the given place.
    Split(usize),
}

/// A mixed problem as an LCP `0 <= y ⟂ A' y + b' >= 0`.
///
/// Free unknowns are eliminated with complete pivoting on their own block. A free unknown whose
/// equation has nothing left in that block (redundant joints, saddle points) becomes the
/// difference of two unknowns that are not negative: its equation turns into two inequalities. An
/// upper bound beside a lower one adds an unknown v with `0 <= v ⟂ u - z >= 0` and `w + v >= 0`.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The LCP.
    pub lcp: Lcp,
    n: usize,
    origin: Vec<Origin>,
    place: Vec<usize>,
    /// Pivot equations in the order of elimination: `z_p = rhs - sum row z`.
    pivots: Vec<Pivot>,
}

#[derive(Clone, Debug)]
struct Pivot {
    row: usize,
    column: usize,
    coefficients: Vec<f64>,
    rhs: f64,
}

impl Reduced {
    /// The reduction of `p`.
    pub fn new(p: &Mlcp) -> Self {
        let n = p.b.len();
        let mut a = rows_of(&p.matrix.to_dense());
        let mut b = p.b.clone();
        let free: Vec<usize> = (0..n)
            .filter(|&i| p.lower[i] == f64::NEG_INFINITY && p.upper[i] == f64::INFINITY)
            .collect();
        let pivots = eliminate(&mut a, &mut b, &free);
        let mut origin: Vec<Origin> = (0..n)
            .map(|i| match (p.lower[i].is_finite(), p.upper[i].is_finite()) {
                (true, _) => Origin::Above(p.lower[i]),
                (false, true) => Origin::Below(p.upper[i]),
                (false, false) => Origin::Split(0),
            })
            .collect();
        let mut row_of_equation: Vec<usize> = (0..n).collect();
        let (mut rows_left, mut columns_left) = (free.clone(), free);
        for pivot in &pivots {
            origin[pivot.column] = Origin::Eliminated;
            rows_left.retain(|i| *i != pivot.row);
            columns_left.retain(|i| *i != pivot.column);
        }
        for (&row, &column) in rows_left.iter().zip(&columns_left) {
            row_of_equation[column] = row;
        }
        Self::assemble(p, (a, b), (origin, row_of_equation), pivots)
    }

    fn assemble(
        p: &Mlcp,
        (a, b): (Vec<Vec<f64>>, Vec<f64>),
        (mut origin, equation): (Vec<Origin>, Vec<usize>),
        pivots: Vec<Pivot>,
    ) -> Self {
        let n = b.len();
        let kept: Vec<usize> = (0..n).filter(|&i| origin[i] != Origin::Eliminated).collect();
        let mut place = vec![usize::MAX; n];
        for (k, &i) in kept.iter().enumerate() {
            place[i] = k;
        }
        let mut size = kept.len();
        let mut boxed = vec![];
        for &i in &kept {
            match &mut origin[i] {
                Origin::Split(other) => {
                    *other = size;
                    size += 1;
                }
                Origin::Above(_) if p.upper[i].is_finite() => {
                    boxed.push((i, size));
                    size += 1;
                }
                _ => {}
            }
        }
        let shift = |i: usize| match origin[i] {
            Origin::Above(l) => l,
            Origin::Below(u) => u,
            _ => 0.0,
        };
        let sign = |i: usize| if matches!(origin[i], Origin::Below(_)) { -1.0 } else { 1.0 };
        let (mut matrix, mut rhs) = (Dense::zeros(size, size), vec![0.0; size]);
        for (r, &i) in kept.iter().enumerate() {
            let row = &a[equation[i]];
            rhs[r] =
                sign(i) * (b[equation[i]] + kept.iter().map(|&j| row[j] * shift(j)).sum::<f64>());
            for (c, &j) in kept.iter().enumerate() {
                let x = sign(i) * row[j] * sign(j);
                matrix.values[c * size + r] = x;
                if let Origin::Split(other) = origin[j] {
                    matrix.values[other * size + r] = -x;
                }
            }
        }
        for &i in &kept {
            if let Origin::Split(other) = origin[i] {
                for c in 0..size {
                    matrix.values[c * size + other] = -matrix.values[c * size + place[i]];
                }
                rhs[other] = -rhs[place[i]];
            }
        }
        for &(i, v) in &boxed {
            matrix.values[v * size + place[i]] = 1.0;
            matrix.values[place[i] * size + v] = -1.0;
            rhs[v] = p.upper[i] - p.lower[i];
        }
        let lcp = Lcp { matrix: Matrix::Dense(matrix), b: rhs, contacts: vec![] };
        Self { lcp, n, origin, place, pivots }
    }

    /// The unknowns of the mixed problem for those of the LCP.
    pub fn restore(&self, y: &[f64]) -> Vec<f64> {
        let mut z = vec![0.0; self.n];
        for i in 0..self.n {
            z[i] = match self.origin[i] {
                Origin::Above(l) => l + y[self.place[i]],
                Origin::Below(u) => u - y[self.place[i]],
                Origin::Split(other) => y[self.place[i]] - y[other],
                Origin::Eliminated => 0.0,
            };
        }
        for pivot in self.pivots.iter().rev() {
            let sum: f64 = pivot.coefficients.iter().zip(&z).map(|(a, z)| a * z).sum();
            z[pivot.column] = pivot.rhs - sum;
        }
        z
    }
}

fn rows_of(a: &Dense) -> Vec<Vec<f64>> {
    (0..a.rows).map(|i| (0..a.cols).map(|j| a.get(i, j)).collect()).collect()
}

/// Gaussian elimination of the free unknowns by their own equations, complete pivoting. A pivot
/// below 1e-12 of the largest entry counts as zero.
fn eliminate(a: &mut [Vec<f64>], b: &mut [f64], free: &[usize]) -> Vec<Pivot> {
    let n = b.len();
    let largest = free.iter().flat_map(|&i| free.iter().map(move |&j| (i, j)));
    let largest = largest.fold(0.0_f64, |m, (i, j)| m.max(a[i][j].abs()));
    let size = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let (sizes, b_size): (Vec<f64>, f64) = (a.iter().map(|r| size(r)).collect(), size(b));
    let (mut rows, mut columns) = (free.to_vec(), free.to_vec());
    let mut pivots = vec![];
    while !rows.is_empty() {
        let (mut best, mut at) = (1e-12 * largest, None);
        for (r, &i) in rows.iter().enumerate() {
            for (c, &j) in columns.iter().enumerate() {
                if a[i][j].abs() > best {
                    (best, at) = (a[i][j].abs(), Some((r, c)));
                }
            }
        }
        let Some((r, c)) = at else { break };
        let (row, column) = (rows.swap_remove(r), columns.swap_remove(c));
        let inverse = 1.0 / a[row][column];
        let mut coefficients: Vec<f64> = a[row].iter().map(|x| x * inverse).collect();
        coefficients[column] = 0.0;
        let rhs = -b[row] * inverse;
        for i in (0..n).filter(|&i| i != row && !pivots.iter().any(|p: &Pivot| p.row == i)) {
            let factor = a[i][column];
            if factor != 0.0 {
                for (x, c) in a[i].iter_mut().zip(&coefficients) {
                    *x -= factor * c;
                }
                a[i][column] = 0.0;
                b[i] += factor * rhs;
            }
        }
        pivots.push(Pivot { row, column, coefficients, rhs });
    }
    // what rounding left of a redundant equation is not structure
    for &i in &rows {
        for &j in &columns {
            a[i][j] = 0.0;
        }
        a[i].iter_mut().filter(|x| x.abs() <= 1e-11 * sizes[i]).for_each(|x| *x = 0.0);
        if b[i].abs() <= 1e-12 * b_size {
            b[i] = 0.0;
        }
    }
    pivots
}

/// The local form of a global contact problem `M v = H r + f`, `u = H' v + w`:
/// `u = W r + q` with `W = H' M⁻¹ H` (kept as its factors) and `q = H' M⁻¹ f + w`.
pub fn condense(
    mass: &Csc,
    h: &Csc,
    f: &[f64],
    w: &[f64],
) -> Result<(Matrix, Vec<f64>), ProblemError> {
    let lu = SparseLu::with_limit(mass, (0..mass.cols).collect(), 0.0);
    if let Some(&row) = lu.dependent.first() {
        return Err(ProblemError::SingularMass { row });
    }
    let mut scratch = vec![];
    let mut x = vec![0.0; mass.rows];
    let (mut start, mut index, mut values) = (vec![0], vec![], vec![]);
    for j in 0..h.cols {
        x.fill(0.0);
        h.col(j).for_each(|(i, v)| x[i] += v);
        lu.solve(&mut x, &mut scratch);
        for (i, &v) in x.iter().enumerate().filter(|e| *e.1 != 0.0) {
            index.push(i);
            values.push(v);
        }
        start.push(index.len());
    }
    let right = Csc { rows: mass.rows, cols: h.cols, start, index, values };
    let left = h.transpose();
    let mut v = f.to_vec();
    lu.solve(&mut v, &mut scratch);
    let mut q = w.to_vec();
    left.add_times(&v, &mut q);
    let d_block = Csc::from_triplets(h.cols, h.cols, &[]);
    Ok((Matrix::Factored(Box::new(Factored { left, right, d_block })), q))
}
