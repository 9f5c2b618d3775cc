//! Random problems with known solutions.

use complementarity::problem::{Csc, Dense};
use complementarity::{Lcp, Matrix, Problem};
use rand::Rng;
use rand::rngs::StdRng;

pub fn uniform(rng: &mut StdRng, n: usize) -> Vec<f64> {
    (0..n).map(|_| rng.random_range(-1.0..1.0)).collect()
}

/// A complementary pair: z positive on about half, w on the others, both zero on some if
/// `degenerate`; b follows.
pub fn with_solution(rng: &mut StdRng, matrix: Matrix, degenerate: bool) -> (Problem, Vec<f64>) {
    let n = matrix.rows();
    let (mut z, mut w) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        match rng.random_range(0..if degenerate { 3 } else { 2 }) {
            0 => z[i] = rng.random_range(0.1..1.0),
            1 => w[i] = rng.random_range(0.1..1.0),
            _ => {}
        }
    }
    let az = matrix.times_plus(&z, &vec![0.0; n]);
    let b = w.iter().zip(&az).map(|(w, az)| w - az).collect();
    (Problem::Lcp(Lcp { matrix, b, contacts: vec![] }), z)
}

/// `G' G + shift I`, G with `rank` rows; `skew` adds a skew-symmetric part.
pub fn gram(rng: &mut StdRng, n: usize, rank: usize, (shift, skew): (f64, f64)) -> Matrix {
    let g = Dense { rows: rank, cols: n, values: uniform(rng, rank * n) };
    let mut a = Dense::zeros(n, n);
    for j in 0..n {
        for i in 0..n {
            a.values[j * n + i] = g.col(i).iter().zip(g.col(j)).map(|(x, y)| x * y).sum::<f64>();
        }
        a.values[j * n + j] += shift;
    }
    for j in 0..n {
        for i in 0..j {
            let s = skew * rng.random_range(-1.0..1.0);
            a.values[j * n + i] += s;
            a.values[i * n + j] -= s;
        }
    }
    Matrix::Dense(a)
}

/// `[P B; -B' Q]` with P, Q positive semidefinite: bisymmetric.
pub fn bisymmetric(rng: &mut StdRng, n: usize) -> Matrix {
    let half = n / 2;
    let mut a = gram(rng, n, n.min(100), (0.0, 0.0)).to_dense();
    for j in 0..n {
        for i in 0..n {
            if (i < half) != (j < half) {
                a.values[j * n + i] = 0.0;
            }
        }
    }
    for j in half..n {
        for i in 0..half {
            let x = rng.random_range(-1.0..1.0);
            a.values[j * n + i] = x;
            a.values[i * n + j] = -x;
        }
    }
    Matrix::Dense(a)
}

/// Positive entries: strictly copositive, not positive definite.
pub fn copositive(rng: &mut StdRng, n: usize) -> Matrix {
    let values = (0..n * n).map(|_| rng.random_range(0.01..1.0)).collect();
    Matrix::Dense(Dense { rows: n, cols: n, values })
}

/// Semidefinite with positive entries added: symmetric and copositive, with entries of both signs.
pub fn raised(rng: &mut StdRng, n: usize) -> Matrix {
    let mut a = gram(rng, n, n.min(100), (0.0, 0.0)).to_dense();
    for j in 0..n {
        for i in 0..=j {
            let x = rng.random_range(0.0..1.0);
            a.values[j * n + i] += x;
            if i < j {
                a.values[i * n + j] += x;
            }
        }
    }
    Matrix::Dense(a)
}

/// `[0 B; C 0]`, B and C positive: the equilibria of a game of two players.
pub fn game(rng: &mut StdRng, n: usize) -> Matrix {
    let half = n.div_ceil(2);
    let mut a = copositive(rng, n).to_dense();
    for (k, x) in a.values.iter_mut().enumerate() {
        if (k / n < half) == (k % n < half) {
            *x = 0.0;
        }
    }
    Matrix::Dense(a)
}

/// A chain: every unknown meets its neighbours only.
pub fn chain(rng: &mut StdRng, n: usize) -> Matrix {
    let mut entries = vec![];
    for i in 0..n {
        entries.push((i, i, 2.0 + rng.random_range(0.0..0.5)));
        if i + 1 < n {
            entries.push((i, i + 1, rng.random_range(-1.0..0.5)));
            entries.push((i + 1, i, rng.random_range(-1.0..0.5)));
        }
    }
    Matrix::Sparse(Csc::from_triplets(n, n, &entries))
}

/// Makes a matrix of n rows.
pub type Make = fn(&mut StdRng, usize) -> Matrix;

/// Families by name. The rank of the dense parts is at most 100, so that making a large one costs
/// less than solving it.
pub const FAMILIES: [(&str, Make); 8] = [
    ("positive definite", |r, n| gram(r, n, n.min(100), (0.1, 0.0))),
    ("P", |r, n| gram(r, n, n.min(100), (0.1, 0.5))),
    ("semidefinite", |r, n| gram(r, n, (n / 2 + 1).min(100), (0.0, 0.0))),
    ("bisymmetric", bisymmetric),
    ("copositive", copositive),
    ("raised", raised),
    ("game", game),
    ("chain", chain),
];
