//! Families of complementarity problems, by size and seed. Included by tests and by the benchmark;
//! everything here is a formula and a generator with a stated seed, no data.

#![allow(dead_code, clippy::unwrap_used, clippy::needless_range_loop)] // not every program that includes this uses all of it

use complementarity::problem::{ContactRows, Csc, Dense};
use complementarity::{Lcp, Matrix, Mlcp, Problem};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn lcp(matrix: Matrix, b: Vec<f64>) -> Problem {
    Problem::Lcp(Lcp::new(matrix, b).unwrap())
}

/// Murty 1978: upper triangle of twos, b = -1; Lemke's method takes 2^n pivots in one order.
pub fn murty(n: usize) -> Problem {
    let mut a = Dense::zeros(n, n);
    for j in 0..n {
        (0..=j).for_each(|i| a.values[j * n + i] = if i == j { 1.0 } else { 2.0 });
    }
    lcp(Matrix::Dense(a), vec![-1.0; n])
}

/// Fathi 1979: `M = T Tᵀ` with Murty's T.
pub fn fathi(n: usize) -> Problem {
    let mut a = Dense::zeros(n, n);
    let t = |i: usize, k: usize| f64::from(u8::from(k >= i)) * if k == i { 1.0 } else { 2.0 };
    for j in 0..n {
        for i in 0..n {
            a.values[j * n + i] = (0..n).map(|k| t(i, k) * t(j, k)).sum();
        }
    }
    lcp(Matrix::Dense(a), vec![-1.0; n])
}

/// Entries of the five-point operator `4, -1` on an n by n grid.
fn five_points(n: usize, entry: &mut impl FnMut(usize, usize, f64)) {
    for k in 0..n * n {
        entry(k, k, 4.0);
        if k % n > 0 {
            entry(k, k - 1, -1.0);
            entry(k - 1, k, -1.0);
        }
        if k >= n {
            entry(k, k - n, -1.0);
            entry(k - n, k, -1.0);
        }
    }
}

/// The obstacle problem of Dembo and Tulowitzki on an n by n grid: a membrane under unit load over
/// `(sin(9.2 x) sin(9.3 y))³`; z is the height above the obstacle.
pub fn obstacle(n: usize) -> Problem {
    let h = 1.0 / (n as f64 + 1.0);
    let floor = |k: usize| {
        let (x, y) = ((k % n + 1) as f64 * h, (k / n + 1) as f64 * h);
        ((9.2 * x).sin() * (9.3 * y).sin()).powi(3)
    };
    let mut entries = vec![];
    let mut b = vec![-h * h; n * n];
    five_points(n, &mut |i, j, a| {
        entries.push((i, j, a));
        b[i] += a * floor(j);
    });
    lcp(Matrix::Sparse(Csc::from_triplets(n * n, n * n, &entries)), b)
}

/// A thin plate over the same obstacle, n by n: the square of the operator, which is definite but no
/// M-matrix.
pub fn bending(n: usize) -> Problem {
    let h = 1.0 / (n as f64 + 1.0);
    let floor = |k: usize| {
        let (x, y) = ((k % n + 1) as f64 * h, (k / n + 1) as f64 * h);
        ((9.2 * x).sin() * (9.3 * y).sin()).powi(3)
    };
    let mut rows = vec![vec![]; n * n];
    five_points(n, &mut |i, j, a| rows[i].push((j, a)));
    let mut entries = vec![];
    let mut b = vec![-h * h; n * n];
    for i in 0..n * n {
        for &(k, a) in &rows[i] {
            for &(j, c) in &rows[k] {
                entries.push((i, j, a * c));
                b[i] += a * c * floor(j);
            }
        }
    }
    lcp(Matrix::Sparse(Csc::from_triplets(n * n, n * n, &entries)), b)
}

/// The pressure in a journal bearing (Cryer 1971) on an n by n grid, eccentricity 0.1 to 0.9.
pub fn bearing(n: usize, eccentricity: f64) -> Problem {
    let (length, h) = (20.0, 2.0 * std::f64::consts::PI / (n as f64 + 1.0));
    let k = length / (n as f64 + 1.0);
    let film = |x: f64| (1.0 + eccentricity * x.cos()).powi(3);
    let mut entries = vec![];
    let mut b = vec![0.0; n * n];
    for row in 0..n * n {
        let (i, j) = (row % n, row / n);
        let x = (i as f64 + 1.0) * h;
        let (west, east) = (film(x - 0.5 * h) * k / h, film(x + 0.5 * h) * k / h);
        let across = film(x) * h / k;
        entries.push((row, row, west + east + 2.0 * across));
        let mut side = |inside: bool, other: usize, a: f64| {
            if inside {
                entries.push((row, other, -a));
            }
        };
        side(i > 0, row.wrapping_sub(1), west);
        side(i + 1 < n, row + 1, east);
        side(j > 0, row.wrapping_sub(n), across);
        side(j + 1 < n, row + n, across);
        b[row] = -eccentricity * x.sin() * h * k;
    }
    lcp(Matrix::Sparse(Csc::from_triplets(n * n, n * n, &entries)), b)
}

/// An American put, one implicit step of the Black-Scholes equation in the price on n points: a
/// band that is not symmetric; z is the time value above the payoff.
pub fn option(n: usize) -> Problem {
    let (strike, rate, sigma, top) = (100.0, 0.05, 0.3, 400.0);
    let (ds, dt) = (top / (n as f64 + 1.0), 0.05);
    let pay = |s: f64| (strike - s).max(0.0);
    let mut entries = vec![];
    let mut b = vec![0.0; n];
    for i in 0..n {
        let s = (i as f64 + 1.0) * ds;
        let diffusion = 0.5 * sigma * sigma * s * s / (ds * ds);
        // upwind where drift beats diffusion, so that the matrix stays an M-matrix
        let drift = rate * s / ds;
        let (low, high) = if diffusion >= 0.5 * drift {
            (diffusion - 0.5 * drift, diffusion + 0.5 * drift)
        } else {
            (diffusion, diffusion + drift)
        };
        let row = [(-1_isize, -dt * low), (0, 1.0 + dt * (low + high + rate)), (1, -dt * high)];
        for (step, a) in row {
            let j = i as isize + step;
            let value = pay((j as f64 + 1.0) * ds);
            b[i] += a * value;
            if (0..n as isize).contains(&j) {
                entries.push((i, j as usize, a));
            }
        }
        b[i] -= pay(s);
    }
    lcp(Matrix::Sparse(Csc::from_triplets(n, n, &entries)), b)
}

/// A random game of two players with n / 2 moves each: costs in (0, 1] plus 1.
pub fn game(n: usize, seed: u64) -> Problem {
    let mut rng = StdRng::seed_from_u64(seed);
    let m = n / 2;
    let mut a = Dense::zeros(n, n);
    for i in 0..m {
        for j in m..n {
            a.values[j * n + i] = 1.0 + rng.random_range(0.0..1.0);
            a.values[i * n + j] = 1.0 + rng.random_range(0.0..1.0);
        }
    }
    lcp(Matrix::Dense(a), vec![-1.0; n])
}

/// The conditions of `min 1/2 x'Qx + c'x, A x = b, 0 <= x <= 1`: n unknowns, n / 3 equations,
/// sparse; mixed.
pub fn qp(n: usize, seed: u64) -> Problem {
    let mut rng = StdRng::seed_from_u64(seed);
    let m = n / 3;
    let mut entries = vec![];
    for i in 0..n {
        // Q = I + v v' for short random v
        entries.push((i, i, 1.0));
        let set: Vec<usize> = (0..3).map(|_| rng.random_range(0..n)).collect();
        let v: Vec<f64> = set.iter().map(|_| rng.random_range(-1.0..1.0)).collect();
        for (p, &r) in set.iter().enumerate() {
            set.iter().enumerate().for_each(|(q, &c)| entries.push((r, c, v[p] * v[q])));
        }
    }
    let inside: Vec<f64> = (0..n).map(|_| rng.random_range(0.0..1.0)).collect();
    let mut b: Vec<f64> = (0..n).map(|_| rng.random_range(-3.0..3.0)).collect();
    for k in 0..m {
        let mut sum = 0.0;
        for _ in 0..4 {
            let (j, x) = (rng.random_range(0..n), rng.random_range(-1.0..1.0));
            entries.push((n + k, j, x));
            entries.push((j, n + k, -x));
            sum += x * inside[j];
        }
        b.push(-sum);
    }
    let size = n + m;
    let bound = |x: f64, free: f64| (0..size).map(|i| if i < n { x } else { free }).collect();
    let matrix = Matrix::Sparse(Csc::from_triplets(size, size, &entries));
    let inf = f64::INFINITY;
    Problem::Mlcp(Mlcp::new(matrix, b, bound(0.0, -inf), bound(1.0, inf)).unwrap())
}

/// Rows of contacts with friction in four directions between rows of J: Stewart and Trinkle's LCP.
fn friction(normals: &[Vec<f64>], tangents: &[Vec<Vec<f64>>], free: &[f64], mu: f64) -> Problem {
    let nc = normals.len();
    let nd = tangents[0].len();
    let n = nc * (nd + 2);
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let mut rows: Vec<&[f64]> = normals.iter().map(Vec::as_slice).collect();
    tangents.iter().for_each(|t| rows.extend(t.iter().map(Vec::as_slice)));
    let mut a = Dense::zeros(n, n);
    for (i, x) in rows.iter().enumerate() {
        for (j, y) in rows.iter().enumerate() {
            a.values[j * n + i] = dot(x, y);
        }
    }
    let mut contacts = vec![];
    for c in 0..nc {
        let (rows, slip) = (nc + c * nd..nc + (c + 1) * nd, nc + nc * nd + c);
        a.values[c * n + slip] = mu;
        for f in rows.clone() {
            a.values[slip * n + f] = 1.0;
            a.values[f * n + slip] = -1.0;
        }
        contacts.push(ContactRows { normal: c, friction: rows, slip: Some(slip), mu });
    }
    let mut b: Vec<f64> = rows.iter().map(|r| dot(r, free)).collect();
    b.resize(n, 0.0);
    Problem::Lcp(Lcp::new(Matrix::Dense(a), b).unwrap().with_contacts(contacts))
}

/// A plate on k by k contacts, pushed: far more contacts than it has freedoms.
pub fn plate(k: usize, mu: f64, seed: u64) -> Problem {
    let mut rng = StdRng::seed_from_u64(seed);
    let root = [1.0, 1.0, 1.0, 2.4, 2.4, 1.7];
    let row = |r: [f64; 3], d: [f64; 3]| {
        let turn =
            [r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2], r[0] * d[1] - r[1] * d[0]];
        let all = [d[0], d[1], d[2], turn[0], turn[1], turn[2]];
        all.iter().zip(root).map(|(x, m)| x * m).collect::<Vec<f64>>()
    };
    let (mut normals, mut tangents) = (vec![], vec![]);
    for c in 0..k * k {
        let at = |i: usize| i as f64 / (k as f64 - 1.0).max(1.0) - 0.5;
        let r = [at(c % k), at(c / k), -0.1];
        normals.push(row(r, [0.0, 0.0, 1.0]));
        let along = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]];
        tangents.push(along.iter().map(|d| row(r, *d)).collect());
    }
    let push = |rng: &mut StdRng| rng.random_range(-0.5..0.5);
    let free =
        [push(&mut rng), push(&mut rng), -0.1, 0.1 * push(&mut rng), 0.1 * push(&mut rng), 0.0];
    friction(&normals, &tangents, &free, mu)
}

/// Contacts between random pairs of bodies, without geometry: copositive-plus.
pub fn multibody(contacts: usize, seed: u64) -> Problem {
    let mut rng = StdRng::seed_from_u64(seed);
    let bodies = contacts / 2 + 1;
    let random = |rng: &mut StdRng, pair: (usize, usize)| {
        let mut row = vec![0.0; 6 * bodies];
        for body in [pair.0, pair.1] {
            (0..6).for_each(|k| row[6 * body + k] = rng.random_range(-1.0..1.0));
        }
        row
    };
    let (mut normals, mut tangents) = (vec![], vec![]);
    for _ in 0..contacts {
        let pair = (rng.random_range(0..bodies), rng.random_range(0..bodies));
        normals.push(random(&mut rng, pair));
        let two: Vec<Vec<f64>> = (0..2).map(|_| random(&mut rng, pair)).collect();
        let back = |r: &Vec<f64>| r.iter().map(|x| -x).collect::<Vec<f64>>();
        tangents.push(vec![two[0].clone(), two[1].clone(), back(&two[0]), back(&two[1])]);
    }
    let free: Vec<f64> = (0..6 * bodies).map(|_| rng.random_range(-1.0..1.0)).collect();
    friction(&normals, &tangents, &free, 0.5)
}

/// A semidefinite matrix, a skew one and positive entries: `G'G / n + S + P`, with a solution.
pub fn raised(n: usize, seed: u64) -> Problem {
    let mut rng = StdRng::seed_from_u64(seed);
    let rank = n / 2;
    let g: Vec<f64> = (0..rank * n).map(|_| rng.random_range(-1.0..1.0)).collect();
    let mut a = Dense::zeros(n, n);
    for j in 0..n {
        for i in 0..n {
            let sum: f64 = (0..rank).map(|k| g[k * n + i] * g[k * n + j]).sum();
            a.values[j * n + i] += sum / n as f64 + rng.random_range(0.0..1.0);
        }
        for i in 0..j {
            let s = rng.random_range(-1.0..1.0);
            a.values[j * n + i] += s;
            a.values[i * n + j] -= s;
        }
    }
    let mut b = vec![0.0; n];
    let z: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0_f64).max(0.0)).collect();
    for i in 0..n {
        let w: f64 = (0..n).map(|j| a.get(i, j) * z[j]).sum();
        b[i] = if z[i] > 0.0 { 0.0 } else { rng.random_range(0.0..1.0) } - w;
    }
    lcp(Matrix::Dense(a), b)
}
