//! Nodes and weights of Gauss collocation.
//!
//! With the nodes `c_i` at the zeros of the Legendre polynomial on 0..1, the polynomial that
//! obeys the differential equation at every node has order 2s at the end of the step:
//!
//! ```text
//! Y_i = y + h sum_j a_ij f(Y_j),   a_ij = integral of L_j from 0 to c_i
//! y_next = y + h sum_j b_j f(Y_j), b_j = integral of L_j from 0 to 1
//! ```
//!
//! One stage is the implicit midpoint rule. All of them are symmetric and symplectic.

/// The table of a method.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Table {
    /// `a[i][j]`.
    pub a: Vec<Vec<f64>>,
    /// Weights.
    pub b: Vec<f64>,
    /// Nodes.
    pub c: Vec<f64>,
    /// Carries the polynomial through values at the nodes on to those of the next step.
    pub onward: Vec<Vec<f64>>,
}

impl Table {
    /// The method of `s` stages.
    pub fn gauss(s: usize) -> Self {
        let c = nodes(s);
        let integral = |j: usize, to: f64| integrate(&lagrange(&c, j), to);
        let a = c.iter().map(|&to| (0..s).map(|j| integral(j, to)).collect()).collect();
        let b = (0..s).map(|j| integral(j, 1.0)).collect();
        let value = |j: usize, x: f64| {
            let others = c.iter().enumerate().filter(|(k, _)| *k != j);
            others.map(|(_, &node)| (x - node) / (c[j] - node)).product()
        };
        let onward = c.iter().map(|&x| (0..s).map(|j| value(j, 1.0 + x)).collect()).collect();
        Self { a, b, c, onward }
    }
}

/// Zeros of the Legendre polynomial of degree `s`, moved to 0..1, ascending.
fn nodes(s: usize) -> Vec<f64> {
    let mut nodes: Vec<f64> = (0..s)
        .map(|k| {
            let guess = std::f64::consts::PI * (k as f64 + 0.75) / (s as f64 + 0.5);
            let mut x = guess.cos();
            for _ in 0..50 {
                let (p, slope) = legendre(s, x);
                x -= p / slope;
            }
            0.5 * (1.0 - x)
        })
        .collect();
    nodes.sort_by(f64::total_cmp);
    nodes
}

/// Value and slope of the Legendre polynomial of degree `s` on -1..1.
fn legendre(s: usize, x: f64) -> (f64, f64) {
    let (mut before, mut p) = (1.0, x);
    for k in 2..=s {
        let k = k as f64;
        (before, p) = (p, ((2.0 * k - 1.0) * x * p - (k - 1.0) * before) / k);
    }
    (p, s as f64 * (x * p - before) / (x * x - 1.0))
}

/// Coefficients, lowest power first, of the polynomial that is 1 at node `j` and 0 at the others.
fn lagrange(c: &[f64], j: usize) -> Vec<f64> {
    let mut poly = vec![1.0];
    for (_, &node) in c.iter().enumerate().filter(|(k, _)| *k != j) {
        let scale = 1.0 / (c[j] - node);
        let mut next = vec![0.0; poly.len() + 1];
        for (i, &x) in poly.iter().enumerate() {
            next[i] -= x * node * scale;
            next[i + 1] += x * scale;
        }
        poly = next;
    }
    poly
}

/// Integral of a polynomial from 0 to `to`.
fn integrate(poly: &[f64], to: f64) -> f64 {
    poly.iter().enumerate().map(|(i, x)| x * to.powi(i as i32 + 1) / (i + 1) as f64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `s` stages integrate powers up to `2 s - 1` exactly, and no more.
    #[test]
    fn weights_have_the_order_of_gauss() {
        for s in 1..=5 {
            let table = Table::gauss(s);
            let sum = |power: usize| -> f64 {
                table.b.iter().zip(&table.c).map(|(b, c)| b * c.powi(power as i32)).sum()
            };
            for power in 0..2 * s {
                let exact = 1.0 / (power + 1) as f64;
                assert!((sum(power) - exact).abs() < 1e-14, "{s} {power}");
            }
            assert!((sum(2 * s) - 1.0 / (2 * s + 1) as f64).abs() > 1e-6);
        }
        assert_eq!(Table::gauss(1).c, vec![0.5]);
    }

    /// A cubic goes on exactly.
    #[test]
    fn polynomials_go_on() {
        let t = Table::gauss(4);
        let cubic = |x: f64| 2.0 - x + 3.0 * x * x * x;
        for (row, c) in t.onward.iter().zip(&t.c) {
            let sum: f64 = row.iter().zip(&t.c).map(|(w, c)| w * cubic(*c)).sum();
            assert!((sum - cubic(1.0 + c)).abs() < 1e-11);
        }
    }

    /// The stages integrate powers below `s` exactly: `sum_j a_ij c_j^k = c_i^(k+1) / (k+1)`.
    #[test]
    fn stages_collocate() {
        let t = Table::gauss(4);
        for (row, c) in t.a.iter().zip(&t.c) {
            for k in 0..4 {
                let sum: f64 = row.iter().zip(&t.c).map(|(a, c)| a * c.powi(k)).sum();
                assert!((sum - c.powi(k + 1) / f64::from(k + 1)).abs() < 1e-14);
            }
        }
    }
}
