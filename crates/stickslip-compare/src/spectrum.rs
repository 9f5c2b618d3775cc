//! Eigenvalues of small symmetric matrices.

use complementarity::problem::Dense;

/// Sweeps of Jacobi's method; it converges quadratically, eight are plenty.
const SWEEPS: usize = 30;

/// The eigenvalues of the symmetric part of `a`, ascending, by Jacobi's rotations.
pub(crate) fn eigenvalues(a: &Dense) -> Vec<f64> {
    let n = a.rows;
    let mut s = vec![vec![0.0; n]; n];
    for (i, row) in s.iter_mut().enumerate() {
        for (j, x) in row.iter_mut().enumerate() {
            *x = 0.5 * (a.get(i, j) + a.get(j, i));
        }
    }
    let total: f64 = s.iter().flatten().map(|x| x * x).sum();
    for _ in 0..SWEEPS {
        let off: f64 =
            (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| s[i][j] * s[i][j]).sum();
        if off <= 1e-30 * total {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut s, p, q);
            }
        }
    }
    let mut out: Vec<f64> = (0..n).map(|i| s[i][i]).collect();
    out.sort_by(f64::total_cmp);
    out
}

/// Makes entry (p, q) zero.
fn rotate(s: &mut [Vec<f64>], p: usize, q: usize) {
    let apq = s[p][q];
    if apq == 0.0 {
        return;
    }
    let theta = (s[q][q] - s[p][p]) / (2.0 * apq);
    let t = theta.signum() / (theta.abs() + (1.0 + theta * theta).sqrt());
    let t = if theta == 0.0 { 1.0 } else { t };
    let c = 1.0 / (1.0 + t * t).sqrt();
    let sine = t * c;
    for row in s.iter_mut() {
        let (x, y) = (row[p], row[q]);
        (row[p], row[q]) = (c * x - sine * y, sine * x + c * y);
    }
    let (above, below) = s.split_at_mut(q);
    for (x, y) in above[p].iter_mut().zip(&mut below[0]) {
        (*x, *y) = (c * *x - sine * *y, sine * *x + c * *y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second difference of n points has the eigenvalues 2 - 2 cos(k pi / (n + 1)).
    #[test]
    fn eigenvalues_of_the_second_difference() {
        let n = 12;
        let mut a = Dense::zeros(n, n);
        for i in 0..n {
            a.values[i * n + i] = 2.0;
            if i + 1 < n {
                a.values[i * n + i + 1] = -1.0;
                a.values[(i + 1) * n + i] = -1.0;
            }
        }
        for (k, x) in eigenvalues(&a).into_iter().enumerate() {
            let right = 2.0 - 2.0 * ((k + 1) as f64 * std::f64::consts::PI / (n + 1) as f64).cos();
            assert!((x - right).abs() < 1e-13, "{k}: {x} {right}");
        }
    }
}
