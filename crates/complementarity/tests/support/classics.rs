//! Classic nonlinear complementarity problems, from their published formulas, with their starts.
//!
//! Sources: Dirkse and Ferris, MCPLIB (1995), and the papers named at each problem; optimization
//! problems enter as their Karush-Kuhn-Tucker conditions (Hock and Schittkowski 1981, HS).

#![allow(dead_code, clippy::needless_range_loop)] // not every program that includes this uses all of it

use complementarity::nonlinear::Map;

#[path = "economies.rs"]
mod economies;

/// Writes F(z).
pub type Formula = dyn Fn(&[f64], &mut [f64]);

/// One problem.
pub struct Classic {
    pub name: &'static str,
    pub n: usize,
    pub f: Box<Formula>,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    pub starts: Vec<Vec<f64>>,
    /// Published values of the first unknowns, where the solution is unique.
    pub known: Vec<f64>,
    /// Digits of the published values.
    pub within: f64,
}

impl Map for Classic {
    fn size(&self) -> usize {
        self.n
    }

    fn value(&self, z: &[f64], f: &mut [f64]) {
        (self.f)(z, f);
    }
}

const INF: f64 = f64::INFINITY;

/// `0 <= z ⟂ F(z) >= 0`, or with `free` leading unknowns without bounds.
fn ncp(
    name: &'static str,
    (free, n): (usize, usize),
    starts: &[&[f64]],
    f: impl Fn(&[f64], &mut [f64]) + 'static,
) -> Classic {
    let lower = (0..n).map(|i| if i < free { -INF } else { 0.0 }).collect();
    // one number stands for all, a short start is filled up with zeros
    let fill = |s: &&[f64]| {
        let rest = if s.len() == 1 { s[0] } else { 0.0 };
        (0..n).map(|i| s.get(i).copied().unwrap_or(rest)).collect()
    };
    let starts = starts.iter().map(fill).collect();
    let upper = vec![INF; n];
    Classic { name, n, f: Box::new(f), lower, upper, starts, known: vec![], within: 1e-6 }
}

impl Classic {
    fn solution(mut self, known: &[f64], within: f64) -> Self {
        (self.known, self.within) = (known.to_vec(), within);
        self
    }

    fn between(mut self, lower: Vec<f64>, upper: Vec<f64>) -> Self {
        (self.lower, self.upper) = (lower, upper);
        self
    }
}

/// All of them.
pub fn all() -> Vec<Classic> {
    let mut all = small();
    all.extend(economics());
    all.extend(economies::economies());
    all.extend(programs());
    all.extend(linear());
    all.extend(fields());
    all
}

fn small() -> Vec<Classic> {
    let many: &[&[f64]] = &[
        &[0.0],
        &[1.0],
        &[100.0],
        &[1.0, 0.0, 1.0, 0.0],
        &[1.0, 0.0, 0.0, 0.0],
        &[0.0, 1.0, 1.0, 0.0],
    ];
    // Kojima and Shindo 1986: (sqrt(6)/2, 0, 0, 1/2), degenerate, and (1, 0, 3, 0)
    let kojima = ncp("kojima-shindo", (0, 4), many, |z, f| {
        let (a, b, c, d) = (z[0], z[1], z[2], z[3]);
        f[0] = 3.0 * a * a + 2.0 * a * b + 2.0 * b * b + c + 3.0 * d - 6.0;
        f[1] = 2.0 * a * a + a + b * b + 10.0 * c + 2.0 * d - 2.0;
        f[2] = 3.0 * a * a + a * b + 2.0 * b * b + 2.0 * c + 9.0 * d - 9.0;
        f[3] = a * a + 3.0 * b * b + 2.0 * c + 3.0 * d - 3.0;
    });
    // Josephy 1979
    let josephy = ncp("josephy", (0, 4), many, |z, f| {
        let (a, b, c, d) = (z[0], z[1], z[2], z[3]);
        f[0] = 3.0 * a * a + 2.0 * a * b + 2.0 * b * b + c + 3.0 * d - 6.0;
        f[1] = 2.0 * a * a + a + b * b + 3.0 * c + 2.0 * d - 2.0;
        f[2] = 3.0 * a * a + a * b + 2.0 * b * b + 2.0 * c + 3.0 * d - 1.0;
        f[3] = a * a + 3.0 * b * b + 2.0 * c + 3.0 * d - 3.0;
    })
    .solution(&[1.5_f64.sqrt(), 0.0, 0.0, 0.5], 1e-7);
    // Billups 1995: the merit function has a minimum near 0 that is no solution
    let billups = ncp("billups", (0, 1), &[&[0.0]], |z, f| f[0] = (z[0] - 1.0).powi(2) - 1.01)
        .solution(&[1.0 + 1.01_f64.sqrt()], 1e-7);
    // Watson 1979, the fourth: the gradient of exp(sum (z_i - i + 2)²)
    let watson = ncp("watson-4", (0, 5), &[&[0.0], &[1.0], &[2.0]], |z, f| {
        let off = |i: usize| z[i] - i as f64 + 1.0;
        let sum: f64 = (0..5).map(|i| off(i) * off(i)).sum();
        (0..5).for_each(|i| f[i] = 2.0 * off(i) * sum.exp());
    })
    .solution(&[0.0, 0.0, 1.0, 2.0, 3.0], 1e-7);
    // Newton's method without damping diverges beyond 1.39
    let arctan = ncp("arctan", (1, 1), &[&[1.0], &[2.0], &[20.0]], |z, f| f[0] = z[0].atan())
        .solution(&[0.0], 1e-8);
    // Powell's singular function (1962): its gradient, with a singular Jacobian at the solution
    let powell = ncp("powell", (4, 4), &[&[3.0, -1.0, 0.0, 1.0]], |z, f| {
        let (p, q) = (z[0] + 10.0 * z[1], z[2] - z[3]);
        let (r, s) = ((z[1] - 2.0 * z[2]).powi(3), (z[0] - z[3]).powi(3));
        f[0] = 2.0 * p + 40.0 * s;
        f[1] = 20.0 * p + 4.0 * r;
        f[2] = 10.0 * q - 8.0 * r;
        f[3] = -10.0 * q - 40.0 * s;
    })
    .solution(&[0.0; 4], 1e-2);
    // Rosenbrock's valley between bounds that cut off its minimum
    let valley = ncp("bounded valley", (0, 2), &[&[-1.2, 1.0], &[0.0], &[0.5]], |z, f| {
        let e = z[1] - z[0] * z[0];
        f[0] = -400.0 * z[0] * e - 2.0 * (1.0 - z[0]);
        f[1] = 200.0 * e;
    })
    .between(vec![-2.0, -2.0], vec![0.5, 2.0])
    .solution(&[0.5, 0.25], 1e-7);
    vec![kojima, josephy, billups, watson, arctan, powell, valley]
}

/// Marginal costs `c + (q / L)^(1 / beta)` or with `L q`, price `(5000 / Q)^(1 / gamma)`.
fn cournot(
    name: &'static str,
    (c, beta): (&'static [f64], &'static [f64]),
    (scale, gamma): (f64, f64),
    starts: &[&[f64]],
) -> Classic {
    ncp(name, (0, c.len()), starts, move |q, f| {
        let total: f64 = q.iter().sum();
        let price = (5000.0 / total).powf(1.0 / gamma);
        for i in 0..q.len() {
            let cost = c[i] + (q[i] * scale).powf(1.0 / beta[i]);
            f[i] = cost - price + q[i] * price / (gamma * total);
        }
    })
}

fn economics() -> Vec<Classic> {
    // Murphy, Sherali and Soyster 1982; Harker 1984
    let nash5 = cournot(
        "nash-cournot 5",
        (&[10.0, 8.0, 6.0, 4.0, 2.0], &[1.2, 1.1, 1.0, 0.9, 0.8]),
        (1.0 / 5.0, 1.1),
        &[&[10.0], &[1.0], &[25.0], &[100.0]],
    )
    .solution(&[36.9325, 41.8181, 43.7066, 42.6592, 39.1790], 1e-4);
    let nash10 = cournot(
        "nash-cournot 10",
        (
            &[5.0, 3.0, 8.0, 5.0, 1.0, 3.0, 7.0, 4.0, 6.0, 3.0],
            &[1.2, 1.0, 0.9, 0.6, 1.5, 1.0, 0.7, 1.1, 0.95, 0.75],
        ),
        (10.0, 1.2),
        &[&[10.0], &[1.0], &[3.0], &[0.5]],
    )
    .solution(
        &[7.4415, 4.0979, 2.5909, 0.9353, 17.9490, 4.0979, 1.3048, 5.5901, 3.2222, 1.6771],
        1e-3,
    );
    // Linear demand 100 - Q, costs 4, 8 .. 40: firms whose cost is above the price stay out
    let entry = ncp("cournot with entry", (0, 10), &[&[0.0], &[10.0]], |q, f| {
        let total: f64 = q.iter().sum();
        (0..10).for_each(|i| f[i] = 4.0 + 4.0 * i as f64 - (100.0 - total) + q[i]);
    });
    // Mathiesen 1987: one activity, three goods; prices up to a factor
    let walras = |name, shift: f64, starts: &[&[f64]]| {
        ncp(name, (0, 4), starts, move |z, f| {
            let (y, p1, p2, p3) = (z[0], z[1], z[2], z[3]);
            f[0] = p2 + p3 - p1;
            f[1] = y - (4.5 * p2 + 2.7 * p3) / (p1 + shift);
            f[2] = 5.0 - y - (0.5 * p2 + 0.3 * p3) / (p2 + shift);
            f[3] = 3.0 - y;
        })
    };
    let mathiesen = walras(
        "mathiesen",
        0.0,
        &[&[1.0], &[1.0, 1.0, 0.1, 1.0], &[10.0, 1.0, 5.0, 10.0], &[0.5, 2.0, 1.0, 1.0]],
    )
    .solution(&[3.0], 1e-7);
    let modified = walras("mathiesen, modified", 1.0, &[&[0.0], &[1.0], &[10.0, 1.0, 1.0, 10.0]]);
    // Scarf 1960: three consumers who want goods in pairs; prices cycle under tatonnement
    let scarf = ncp("scarf exchange", (0, 3), &[&[1.0, 2.0, 3.0], &[5.0, 1.0, 0.2]], |p, f| {
        for i in 0..3 {
            let (next, before) = (p[(i + 1) % 3], p[(i + 2) % 3]);
            f[i] = 1.0 - p[i] / (p[i] + next) - before / (before + p[i]);
        }
        // prices are per unit of the third good
        f[2] = p[2] - 1.0;
    })
    .solution(&[1.0, 1.0, 1.0], 1e-7);
    let mut all = vec![nash5, nash10, entry, mathiesen, modified, scarf];
    all.extend(networks());
    all.push(kehoe());
    all
}

/// Kehoe 1985: four consumers (Cobb-Douglas), four goods, two activities; three equilibria, one
/// with equal prices. Prices are per unit of the fourth good.
fn kehoe() -> Classic {
    let shares = [
        [0.52, 0.40, 0.04, 0.04],
        [0.86, 0.10, 0.02, 0.02],
        [0.50, 0.20, 0.2975, 0.0025],
        [0.06, 0.25, 0.0025, 0.6875],
    ];
    let endowment = [5.0, 5.0, 40.0, 40.0];
    let activities = [[6.0, -1.0, -4.0, -1.0], [-1.0, 3.0, -1.0, -1.0]];
    let starts: &[&[f64]] =
        &[&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0], &[1.0, 1.0, 1.0, 1.0], &[3.0, 2.0, 0.5, 1.0, 1.0, 1.0]];
    ncp("kehoe", (0, 6), starts, move |z, f| {
        let (p, y) = (&z[..4], &z[4..]);
        for good in 0..4 {
            let demand: f64 = (0..4).map(|c| shares[c][good] * endowment[c] * p[c] / p[good]).sum();
            let made: f64 = (0..2).map(|a| activities[a][good] * y[a]).sum();
            f[good] = endowment[good] + made - demand;
        }
        f[3] = p[3] - 1.0;
        for a in 0..2 {
            f[4 + a] = -(0..4).map(|good| activities[a][good] * p[good]).sum::<f64>();
        }
    })
}

fn networks() -> Vec<Classic> {
    // Braess 1968: 6 travellers, three routes; all take 92 minutes
    let braess = ncp("braess", (0, 4), &[&[0.0], &[1.0], &[6.0, 0.0, 0.0, 50.0]], |z, f| {
        let (upper, lower, middle, time) = (z[0], z[1], z[2], z[3]);
        let (first, last) = (10.0 * (upper + middle), 10.0 * (lower + middle));
        f[0] = first + upper + 50.0 - time;
        f[1] = last + lower + 50.0 - time;
        f[2] = first + middle + 10.0 + last - time;
        f[3] = upper + lower + middle - 6.0;
    })
    .solution(&[2.0, 2.0, 2.0, 92.0], 1e-7);
    // Dantzig 1963, as in the library of GAMS: two plants, three markets; the dual prices too
    let transport = ncp("transport", (0, 11), &[&[0.0], &[1.0], &[100.0]], |z, f| {
        let cost = [0.225, 0.153, 0.162, 0.225, 0.162, 0.126];
        let (supply, demand) = ([350.0, 600.0], [325.0, 300.0, 275.0]);
        for k in 0..6 {
            f[k] = z[6 + k / 3] + cost[k] - z[8 + k % 3];
        }
        (0..2).for_each(|i| f[6 + i] = supply[i] - z[3 * i] - z[3 * i + 1] - z[3 * i + 2]);
        (0..3).for_each(|j| f[8 + j] = z[j] + z[3 + j] - demand[j]);
    });
    // Nagurney 1993, example 3.1: supplies (3, 2), shipments (1.5, 1.5, 0, 2)
    let spatial = ncp("spatial prices", (0, 4), &[&[0.0], &[1.0], &[10.0]], |q, f| {
        let (s, d) = ([q[0] + q[1], q[2] + q[3]], [q[0] + q[2], q[1] + q[3]]);
        let pi = [5.0 * s[0] + s[1] + 2.0, 2.0 * s[1] + s[0] + 3.0];
        let rho = [28.75 - 2.0 * d[0] - d[1], 41.0 - 4.0 * d[1] - d[0]];
        let c = [
            q[0] + 0.5 * q[1] + 1.0,
            2.0 * q[1] + q[3] + 1.5,
            3.0 * q[2] + 2.0 * q[0] + 15.0,
            2.0 * q[3] + q[1] + 10.0,
        ];
        (0..4).for_each(|k| f[k] = pi[k / 2] + c[k] - rho[k % 2]);
    })
    .solution(&[1.5, 1.5, 0.0, 2.0], 1e-7);
    let mut all = vec![braess, transport, spatial];
    for (name, gamma) in [("bertsekas-gafni 0", 0.0), ("bertsekas-gafni 1", 1.0)] {
        all.push(highway(name, gamma));
    }
    all
}

/// Bertsekas and Gafni 1982: a ring road of five nodes, outer and inner lanes, with delays
/// `1 + x + x²`, and coupling gamma where lanes merge; unit coefficients. x, z flows, y times.
fn highway(name: &'static str, gamma: f64) -> Classic {
    let demand = [0.1, 0.2, 0.3, 0.4, 0.5];
    let delay = |x: f64| 1.0 + x + x * x;
    ncp(name, (0, 15), &[&[0.0], &[1.0], &[0.5]], move |v, f| {
        let (x, z, y) = (&v[..5], &v[5..10], &v[10..]);
        for i in 0..5 {
            let o = |k: usize| x[(i + k) % 5];
            let n = |k: usize| z[(i + k) % 5];
            f[i] = 2.0 * delay(o(0))
                + gamma * delay(o(3) + o(4))
                + 10.0 * delay(o(0) + o(3) + o(4))
                + 2.0 * gamma * (delay(o(3)) + delay(o(4)) + delay(o(0)))
                + delay(o(0) + o(4))
                + 10.0 * delay(o(0) + o(1) + o(4))
                + delay(o(0) + o(1))
                + 10.0 * delay(o(0) + o(1) + o(2))
                - y[i];
            f[5 + i] = 3.0 * delay(n(0))
                + 3.0 * gamma * delay(n(1))
                + 10.0 * (delay(n(0) + n(1)) + delay(n(0) + n(4)))
                + 2.0 * gamma * delay(n(0))
                - y[i];
            f[10 + i] = x[i] + z[i] - demand[i];
        }
    })
}

/// Karush-Kuhn-Tucker conditions: `grad f - sum lambda_k grad g_k`, `g >= 0`. The closure gives the
/// gradient of f, the values of g, and the gradients of g row by row.
fn kkt(
    name: &'static str,
    (free, n, m): (usize, usize, usize),
    starts: &[&[f64]],
    parts: impl Fn(&[f64]) -> (Vec<f64>, Vec<f64>, Vec<Vec<f64>>) + 'static,
) -> Classic {
    ncp(name, (free, n + m), starts, move |v, out| {
        let (grad, g, rows) = parts(&v[..n]);
        for j in 0..n {
            out[j] = grad[j] - (0..m).map(|k| v[n + k] * rows[k][j]).sum::<f64>();
        }
        out[n..].copy_from_slice(&g);
    })
}

const COLVILLE_A: [[f64; 5]; 10] = [
    [-16.0, 2.0, 0.0, 1.0, 0.0],
    [0.0, -2.0, 0.0, 0.4, 2.0],
    [-3.5, 0.0, 2.0, 0.0, 0.0],
    [0.0, -2.0, 0.0, -4.0, -1.0],
    [0.0, -9.0, -2.0, 1.0, -2.8],
    [2.0, 0.0, -4.0, 0.0, 0.0],
    [-1.0, -1.0, -1.0, -1.0, -1.0],
    [-1.0, -2.0, -3.0, -2.0, -1.0],
    [1.0, 2.0, 3.0, 4.0, 5.0],
    [1.0, 1.0, 1.0, 1.0, 1.0],
];
const COLVILLE_B: [f64; 10] = [-40.0, -2.0, -0.25, -4.0, -4.0, -1.0, -40.0, -60.0, 5.0, 1.0];
const COLVILLE_C: [[f64; 5]; 5] = [
    [30.0, -20.0, -10.0, 32.0, -10.0],
    [-20.0, 39.0, -6.0, -31.0, 32.0],
    [-10.0, -6.0, 10.0, -6.0, -10.0],
    [32.0, -31.0, -6.0, 39.0, -20.0],
    [-10.0, 32.0, -10.0, -20.0, 30.0],
];
const COLVILLE_D: [f64; 5] = [4.0, 8.0, 10.0, 6.0, 2.0];
const COLVILLE_E: [f64; 5] = [-15.0, -27.0, -36.0, -18.0, -12.0];

fn times_c(x: &[f64], j: usize) -> f64 {
    (0..5).map(|i| COLVILLE_C[j][i] * x[i]).sum()
}

fn programs() -> Vec<Classic> {
    let right = [0.3, 0.33346761, 0.4, 0.42831010, 0.22396487];
    // HS 86 and 117, Colville 1968: a cubic program and its dual
    let colville =
        kkt("colville, primal", (0, 5, 10), &[&[0.0, 0.0, 0.0, 0.0, 1.0], &[1.0], &[0.0]], |x| {
            let grad = (0..5)
                .map(|j| COLVILLE_E[j] + 2.0 * times_c(x, j) + 3.0 * COLVILLE_D[j] * x[j] * x[j]);
            let row = |k: usize| COLVILLE_A[k].iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
            let g = (0..10).map(|k| row(k) - COLVILLE_B[k]).collect();
            (grad.collect(), g, COLVILLE_A.iter().map(|r| r.to_vec()).collect())
        })
        .solution(&right, 1e-6);
    // unknowns: the ten multipliers first, then x
    let mut feasible = vec![0.001; 20];
    feasible[6] = 60.0;
    let dual = kkt("colville, dual", (0, 15, 5), &[&feasible, &[1.0], &[0.0]], |v| {
        let (lambda, x) = (&v[..10], &v[10..]);
        let mut grad: Vec<f64> = COLVILLE_B.iter().map(|b| -b).collect();
        grad.extend((0..5).map(|j| 2.0 * times_c(x, j) + 6.0 * COLVILLE_D[j] * x[j] * x[j]));
        let (mut g, mut rows) = (vec![], vec![]);
        for j in 0..5 {
            let sum: f64 = (0..10).map(|k| COLVILLE_A[k][j] * lambda[k]).sum();
            let cubic = 3.0 * COLVILLE_D[j] * x[j] * x[j];
            g.push(2.0 * times_c(x, j) + cubic + COLVILLE_E[j] - sum);
            let mut row: Vec<f64> = (0..10).map(|k| -COLVILLE_A[k][j]).collect();
            row.extend((0..5).map(|i| 2.0 * COLVILLE_C[j][i]));
            row[10 + j] += 6.0 * COLVILLE_D[j] * x[j];
            rows.push(row);
        }
        (grad, g, rows)
    });
    let mut all = vec![colville, dual];
    all.extend(hock_schittkowski());
    all.push(wong());
    all
}

fn hock_schittkowski() -> Vec<Classic> {
    // HS 43, Rosen and Suzuki 1965
    let rosen = kkt("rosen-suzuki", (4, 4, 3), &[&[0.0], &[1.0], &[10.0]], |x| {
        let (a, b, c, d) = (x[0], x[1], x[2], x[3]);
        let grad = vec![2.0 * a - 5.0, 2.0 * b - 5.0, 4.0 * c - 21.0, 2.0 * d + 7.0];
        let g = vec![
            8.0 - a * a - b * b - c * c - d * d - a + b - c + d,
            10.0 - a * a - 2.0 * b * b - c * c - 2.0 * d * d + a + d,
            5.0 - 2.0 * a * a - b * b - c * c - 2.0 * a + b + d,
        ];
        let rows = vec![
            vec![-2.0 * a - 1.0, -2.0 * b + 1.0, -2.0 * c - 1.0, -2.0 * d + 1.0],
            vec![-2.0 * a + 1.0, -4.0 * b, -2.0 * c, -4.0 * d + 1.0],
            vec![-4.0 * a - 2.0, -2.0 * b + 1.0, -2.0 * c, 1.0],
        ];
        (grad, g, rows)
    })
    .solution(&[0.0, 1.0, 2.0, -1.0], 1e-6);
    // HS 35, Beale
    let beale = kkt("beale", (0, 3, 1), &[&[0.5, 0.5, 0.5], &[0.0]], |x| {
        let (a, b, c) = (x[0], x[1], x[2]);
        let grad = vec![
            -8.0 + 4.0 * a + 2.0 * b + 2.0 * c,
            -6.0 + 2.0 * a + 4.0 * b,
            -4.0 + 2.0 * a + 2.0 * c,
        ];
        (grad, vec![3.0 - a - b - 2.0 * c], vec![vec![-1.0, -1.0, -2.0]])
    })
    .solution(&[4.0 / 3.0, 7.0 / 9.0, 4.0 / 9.0], 1e-7);
    // HS 76
    let quadratic = kkt("hs 76", (0, 4, 3), &[&[0.5, 0.5, 0.5, 0.5], &[0.0]], |x| {
        let (a, b, c, d) = (x[0], x[1], x[2], x[3]);
        let grad = vec![2.0 * a - c - 1.0, b - 3.0, 2.0 * c - a + d + 1.0, d + c - 1.0];
        let rows = vec![
            vec![-1.0, -2.0, -1.0, -1.0],
            vec![-3.0, -1.0, -2.0, 1.0],
            vec![0.0, 1.0, 4.0, 0.0],
        ];
        let dot = |r: &Vec<f64>| r.iter().zip(x).map(|(r, x)| r * x).sum::<f64>();
        let g = vec![5.0 + dot(&rows[0]), 4.0 + dot(&rows[1]), -1.5 + dot(&rows[2])];
        (grad, g, rows)
    })
    .solution(&[0.272_727_3, 2.090_909, 0.0, 0.545_454_5], 1e-5);
    // HS 71: the product of all at least 25, their squares 40 (a multiplier without a sign)
    let product = kkt("hs 71", (0, 4, 2), &[&[1.0, 5.0, 5.0, 1.0]], |x| {
        let (a, b, c, d) = (x[0], x[1], x[2], x[3]);
        let grad = vec![d * (2.0 * a + b + c), a * d, a * d + 1.0, a * (a + b + c)];
        let g = vec![a * b * c * d - 25.0, a * a + b * b + c * c + d * d - 40.0];
        let rows = vec![
            vec![b * c * d, a * c * d, a * b * d, a * b * c],
            vec![2.0 * a, 2.0 * b, 2.0 * c, 2.0 * d],
        ];
        (grad, g, rows)
    })
    .between(vec![1.0, 1.0, 1.0, 1.0, 0.0, -INF], vec![5.0, 5.0, 5.0, 5.0, INF, INF])
    .solution(&[1.0, 4.742_999_4, 3.821_151_3, 1.379_408_2], 1e-5);
    vec![rosen, beale, quadratic, product]
}

/// HS 113, Wong 1972.
fn wong() -> Classic {
    let start: &[f64] = &[2.0, 3.0, 5.0, 5.0, 1.0, 2.0, 7.0, 3.0, 6.0, 10.0];
    kkt("wong", (10, 10, 8), &[start, &[0.0], &[1.0]], |x| {
        let p = |i: usize| x[i - 1];
        let grad = vec![
            2.0 * p(1) + p(2) - 14.0,
            2.0 * p(2) + p(1) - 16.0,
            2.0 * (p(3) - 10.0),
            8.0 * (p(4) - 5.0),
            2.0 * (p(5) - 3.0),
            4.0 * (p(6) - 1.0),
            10.0 * p(7),
            14.0 * (p(8) - 11.0),
            4.0 * (p(9) - 10.0),
            2.0 * (p(10) - 7.0),
        ];
        let sq = |x: f64| x * x;
        let g = vec![
            105.0 - 4.0 * p(1) - 5.0 * p(2) + 3.0 * p(7) - 9.0 * p(8),
            -10.0 * p(1) + 8.0 * p(2) + 17.0 * p(7) - 2.0 * p(8),
            8.0 * p(1) - 2.0 * p(2) - 5.0 * p(9) + 2.0 * p(10) + 12.0,
            120.0 - 3.0 * sq(p(1) - 2.0) - 4.0 * sq(p(2) - 3.0) - 2.0 * sq(p(3)) + 7.0 * p(4),
            40.0 - 5.0 * sq(p(1)) - 8.0 * p(2) - sq(p(3) - 6.0) + 2.0 * p(4),
            30.0 - 0.5 * sq(p(1) - 8.0) - 2.0 * sq(p(2) - 4.0) - 3.0 * sq(p(5)) + p(6),
            -sq(p(1)) - 2.0 * sq(p(2) - 2.0) + 2.0 * p(1) * p(2) - 14.0 * p(5) + 6.0 * p(6),
            3.0 * p(1) - 6.0 * p(2) - 12.0 * sq(p(9) - 8.0) + 7.0 * p(10),
        ];
        let mut rows = vec![vec![0.0; 10]; 8];
        wong_rows(x).iter().for_each(|&(k, j, a)| rows[k - 1][j - 1] = a);
        (grad, g, rows)
    })
    .solution(
        &[
            2.171996, 2.363683, 8.773926, 5.095984, 0.990655, 1.430574, 1.321644, 9.828726,
            8.280092, 8.375927,
        ],
        1e-4,
    )
}

/// `0 <= z ⟂ M z + q >= 0` with M by a rule.
fn lcp(
    name: &'static str,
    n: usize,
    m: impl Fn(usize, usize) -> f64 + 'static,
    q: impl Fn(usize) -> f64 + 'static,
) -> Classic {
    ncp(name, (0, n), &[&[0.0], &[1.0]], move |z, f| {
        for (i, f) in f.iter_mut().enumerate() {
            *f = q(i) + (0..n).map(|j| m(i, j) * z[j]).sum::<f64>();
        }
    })
}

fn linear() -> Vec<Classic> {
    let triangle = |i: usize, j: usize| match i.cmp(&j) {
        std::cmp::Ordering::Less => 2.0,
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Greater => 0.0,
    };
    // Murty 1978: Lemke's method from zero takes 2^n pivots in the other order
    let mut last = vec![0.0; 16];
    last[15] = 1.0;
    let murty = lcp("murty 16", 16, triangle, |_| -1.0).solution(&last, 1e-7);
    // Fathi 1979: M = T Tᵀ, entries up to 4 n
    let fathi = lcp(
        "fathi 20",
        20,
        move |i, j| (0..20).map(|k| triangle(i, k) * triangle(j, k)).sum(),
        |_| -1.0,
    );
    // Ahn 1983
    let ahn = lcp(
        "ahn 40",
        40,
        |i, j| match j as isize - i as isize {
            0 => 4.0,
            1 => -2.0,
            -1 => 1.0,
            _ => 0.0,
        },
        |_| -1.0,
    );
    // A game of two players as Lemke and Howson 1964 write it: costs A and B, the sexes
    let (a, b) = ([[1.0, 3.0], [3.0, 2.0]], [[2.0, 3.0], [3.0, 1.0]]);
    let game = ncp("battle of the sexes", (0, 4), &[&[0.0], &[1.0], &[0.3]], move |z, f| {
        for i in 0..2 {
            f[i] = -1.0 + a[i][0] * z[2] + a[i][1] * z[3];
            f[2 + i] = -1.0 + b[0][i] * z[0] + b[1][i] * z[1];
        }
    });
    vec![murty, fathi, ahn, game]
}

fn fields() -> Vec<Classic> {
    let mut all = vec![];
    for (name, upper_too, wave) in
        [("obstacle A", false, 3.2), ("obstacle B", false, 9.2), ("two obstacles", true, 9.2)]
    {
        all.push(obstacle(name, upper_too, wave));
    }
    let n = 12;
    let h = 1.0 / (n as f64 + 1.0);
    // -u'' - 6 exp(u) / 8 below a ceiling
    let bratu = ncp("bratu", (n * n, n * n), &[&[0.0]], move |u, f| {
        for k in 0..n * n {
            f[k] = laplace(u, k, n) - 6.0 * h * h * u[k].exp();
        }
    })
    .between(vec![0.0; n * n], vec![0.4; n * n]);
    // torsion of an elastic-plastic bar: |u| below the distance from the boundary
    let edge = move |k: usize| {
        let (i, j) = (k % n + 1, k / n + 1);
        let near = i.min(n + 1 - i).min(j).min(n + 1 - j);
        near as f64 * h
    };
    let torsion = ncp("elastic-plastic torsion", (0, n * n), &[&[0.0]], move |u, f| {
        for k in 0..n * n {
            f[k] = laplace(u, k, n) - 5.0 * h * h;
        }
    })
    .between((0..n * n).map(|k| -edge(k)).collect(), (0..n * n).map(edge).collect());
    all.extend([bratu, torsion, bearing(), control(), minimal_surface()]);
    all
}

/// Five points, zero outside.
fn laplace(u: &[f64], k: usize, n: usize) -> f64 {
    let (i, j) = (k % n, k / n);
    let side = |inside: bool, k: usize| if inside { u[k] } else { 0.0 };
    4.0 * u[k]
        - side(i > 0, k.wrapping_sub(1))
        - side(i + 1 < n, k + 1)
        - side(j > 0, k.wrapping_sub(n))
        - side(j + 1 < n, k + n)
}

/// Dembo and Tulowitzki 1983; Averick and others, MINPACK-2: `l = (sin(a x) sin((a + 0.1) y))³`.
fn obstacle(name: &'static str, upper_too: bool, wave: f64) -> Classic {
    let n = 14;
    let h = 1.0 / (n as f64 + 1.0);
    let waves = move |k: usize| {
        let (x, y) = ((k % n + 1) as f64 * h, (k / n + 1) as f64 * h);
        (wave * x).sin() * ((wave + 0.1) * y).sin()
    };
    let lower: Vec<f64> = (0..n * n).map(|k| waves(k).powi(3)).collect();
    let ceiling = |k: usize| if upper_too { waves(k).powi(2) + 0.02 } else { 2000.0 };
    let upper: Vec<f64> = (0..n * n).map(ceiling).collect();
    let start = lower.clone();
    let mut made = ncp(name, (0, n * n), &[&[0.0]], move |u, f| {
        for k in 0..n * n {
            f[k] = laplace(u, k, n) - h * h;
        }
    })
    .between(lower, upper);
    made.starts.push(start);
    made
}

/// The film between a journal and its bearing (Cryer 1971; MINPACK-2, eccentricity 0.1).
fn bearing() -> Classic {
    let (n, b, e) = (30, 20.0, 0.1);
    let h = 2.0 * std::f64::consts::PI / (n as f64 + 1.0);
    let film = move |x: f64| (1.0 + e * x.cos()).powi(3);
    ncp("journal bearing", (0, n), &[&[0.0], &[1.0]], move |p, f| {
        for i in 0..n {
            let x = (i as f64 + 1.0) * h;
            let (before, after) = (film(x - 0.5 * h), film(x + 0.5 * h));
            let low = if i > 0 { p[i - 1] } else { 0.0 };
            let high = if i + 1 < n { p[i + 1] } else { 0.0 };
            f[i] = ((before + after) * p[i] - before * low - after * high) / (h * h) - e * x.sin()
                + film(x) / (b * b) * p[i];
        }
    })
}

/// An oscillator brought to rest by a bounded force: states, costates and controls.
fn control() -> Classic {
    let (n, h) = (12, 0.25);
    // z = [u_0 .. u_11, x_1.., v_1.., p_1.., q_1..]; explicit Euler, cost 1/2 (x² + v² + 0.1 u²)
    let made = ncp("optimal control", (5 * n, 5 * n), &[&[0.0], &[1.0]], move |z, f| {
        let (u, x, v) = (&z[..n], &z[n..2 * n], &z[2 * n..3 * n]);
        let (p, q) = (&z[3 * n..4 * n], &z[4 * n..]);
        for k in 0..n {
            let (x0, v0) = if k == 0 { (1.0, 0.5) } else { (x[k - 1], v[k - 1]) };
            f[k] = 0.1 * h * u[k] - h * q[k];
            f[3 * n + k] = x[k] - x0 - h * v0;
            f[4 * n + k] = v[k] - v0 - h * (u[k] - x0);
            let (p1, q1) = if k + 1 < n { (p[k + 1], q[k + 1]) } else { (0.0, 0.0) };
            f[n + k] = h * x[k] + p[k] - p1 + h * q1;
            f[2 * n + k] = h * v[k] + q[k] - q1 - h * p1;
        }
    });
    let bound = |b: f64| (0..5 * n).map(|i| if i < n { b } else { INF * b.signum() }).collect();
    let (lower, upper) = (bound(-0.5), bound(0.5));
    made.between(lower, upper)
}

/// A soap film over an obstacle: the area of triangles on a grid.
fn minimal_surface() -> Classic {
    let n = 10;
    let h = 1.0 / (n as f64 + 1.0);
    let edge = move |i: usize, j: usize| {
        let (x, y) = (i as f64 * h, j as f64 * h);
        if i == 0 || i == n + 1 { 1.0 - (2.0 * y - 1.0).powi(2) } else { 0.0 * x }
    };
    let hill = |k: usize| {
        let (i, j) = (k % n + 1, k / n + 1);
        let off = |a: usize| (a as f64 * h - 0.5).abs() < 0.26;
        if off(i) && off(j) { 0.5 } else { 0.0 }
    };
    let lower = (0..n * n).map(hill).collect();
    ncp("minimal surface", (0, n * n), &[&[0.5], &[1.0]], move |u, f| {
        let at = |i: usize, j: usize| {
            let inside = (1..=n).contains(&i) && (1..=n).contains(&j);
            if inside { u[(j - 1) * n + i - 1] } else { edge(i, j) }
        };
        f.fill(0.0);
        let mut add = |i: usize, j: usize, x: f64| {
            if (1..=n).contains(&i) && (1..=n).contains(&j) {
                f[(j - 1) * n + i - 1] += x;
            }
        };
        for j in 0..=n {
            for i in 0..=n {
                // area of the lower left and of the upper right triangle of each cell
                for (a, b, c) in
                    [((i, j), (i + 1, j), (i, j + 1)), ((i + 1, j + 1), (i, j + 1), (i + 1, j))]
                {
                    let (dx, dy) = (at(b.0, b.1) - at(a.0, a.1), at(c.0, c.1) - at(a.0, a.1));
                    let area = (h * h + dx * dx + dy * dy).sqrt();
                    add(b.0, b.1, 0.5 * h * dx / area);
                    add(c.0, c.1, 0.5 * h * dy / area);
                    add(a.0, a.1, -0.5 * h * (dx + dy) / area);
                }
            }
        }
    })
    .between(lower, vec![INF; n * n])
}

/// Gradients of Wong's constraints: constraint, unknown, derivative.
fn wong_rows(x: &[f64]) -> Vec<(usize, usize, f64)> {
    let p = |i: usize| x[i - 1];
    vec![
        (1, 1, -4.0),
        (1, 2, -5.0),
        (1, 7, 3.0),
        (1, 8, -9.0),
        (2, 1, -10.0),
        (2, 2, 8.0),
        (2, 7, 17.0),
        (2, 8, -2.0),
        (3, 1, 8.0),
        (3, 2, -2.0),
        (3, 9, -5.0),
        (3, 10, 2.0),
        (4, 1, -6.0 * (p(1) - 2.0)),
        (4, 2, -8.0 * (p(2) - 3.0)),
        (4, 3, -4.0 * p(3)),
        (4, 4, 7.0),
        (5, 1, -10.0 * p(1)),
        (5, 2, -8.0),
        (5, 3, -2.0 * (p(3) - 6.0)),
        (5, 4, 2.0),
        (6, 1, -(p(1) - 8.0)),
        (6, 2, -4.0 * (p(2) - 4.0)),
        (6, 5, -6.0 * p(5)),
        (6, 6, 1.0),
        (7, 1, -2.0 * p(1) + 2.0 * p(2)),
        (7, 2, -4.0 * (p(2) - 2.0) + 2.0 * p(1)),
        (7, 5, -14.0),
        (7, 6, 6.0),
        (8, 1, 3.0),
        (8, 2, -6.0),
        (8, 9, -24.0 * (p(9) - 8.0)),
        (8, 10, 7.0),
    ]
}
