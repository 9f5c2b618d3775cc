//! Factorisation of the small symmetric blocks that joints and bodies make: up to 6 by 6.

/// `A = L Lᵀ` of a symmetric positive semidefinite block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cholesky {
    n: usize,
    l: [[f64; 6]; 6],
}

/// A pivot below this part of its first size is zero: the row depends on those before it.
const DEPENDENT: f64 = 1e-13;

impl Cholesky {
    /// Factors the leading `n` by `n` part. A row that depends on the ones before is left out:
    /// its unknown is zero in every solution.
    pub(crate) fn new(n: usize, a: &[[f64; 6]; 6]) -> Self {
        let l = match n {
            0 => [[0.0; 6]; 6],
            1 => factor::<1>(a),
            2 => factor::<2>(a),
            3 => factor::<3>(a),
            4 => factor::<4>(a),
            5 => factor::<5>(a),
            _ => factor::<6>(a),
        };
        Self { n, l }
    }

    /// `x <- A⁻¹ x`.
    pub(crate) fn solve(&self, x: &mut [f64; 6]) {
        match self.n {
            0 => {}
            1 => solve::<1>(&self.l, x),
            2 => solve::<2>(&self.l, x),
            3 => solve::<3>(&self.l, x),
            4 => solve::<4>(&self.l, x),
            5 => solve::<5>(&self.l, x),
            _ => solve::<6>(&self.l, x),
        }
    }
}

/// The factor of a block whose size the compiler knows: its loops are unrolled.
fn factor<const N: usize>(a: &[[f64; 6]; 6]) -> [[f64; 6]; 6] {
    let mut l = [[0.0; 6]; 6];
    for j in 0..N {
        let pivot = a[j][j] - (0..j).map(|k| l[j][k] * l[j][k]).sum::<f64>();
        // Zero on the diagonal marks the row as left out.
        if pivot.is_nan() || pivot <= DEPENDENT * a[j][j] {
            continue;
        }
        let root = pivot.sqrt();
        l[j][j] = root;
        for i in j + 1..N {
            let dot: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
            l[i][j] = (a[i][j] - dot) / root;
        }
    }
    l
}

/// `x <- L⁻ᵀ L⁻¹ x` for a factor of known size. Plain loops: iterators are not unrolled here, and took three times the
/// instructions.
fn solve<const N: usize>(l: &[[f64; 6]; 6], x: &mut [f64; 6]) {
    for i in 0..N {
        let mut dot = 0.0;
        for k in 0..i {
            dot += l[i][k] * x[k];
        }
        x[i] = if l[i][i] == 0.0 { 0.0 } else { (x[i] - dot) / l[i][i] };
    }
    for i in (0..N).rev() {
        let mut dot = 0.0;
        for k in i + 1..N {
            dot += l[k][i] * x[k];
        }
        if l[i][i] != 0.0 {
            x[i] = (x[i] - dot) / l[i][i];
        }
    }
}

/// Product of two rows of a block.
pub(crate) fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// `A x = b` with `A = B Bᵀ` of full rank, then with a row repeated: the solution still obeys
    /// every equation, the repeated one included.
    #[test]
    fn solves_also_with_a_repeated_row() {
        let mut random = Random::new(5);
        for n in 1..=6 {
            let b: Vec<[f64; 6]> = (0..n).map(|_| [(); 6].map(|()| random.signed())).collect();
            for repeat in [false, n > 1] {
                let mut rows = b.clone();
                if repeat {
                    rows[n - 1] = rows[0];
                }
                let mut a = [[0.0; 6]; 6];
                for i in 0..n {
                    for j in 0..n {
                        a[i][j] = dot(&rows[i], &rows[j]);
                    }
                }
                let known = [(); 6].map(|()| random.signed());
                let times = |x: &[f64; 6]| {
                    let mut y = [0.0; 6];
                    (0..n).for_each(|i| y[i] = (0..n).map(|j| a[i][j] * x[j]).sum());
                    y
                };
                let rhs = times(&known);
                let mut x = rhs;
                Cholesky::new(n, &a).solve(&mut x);
                let back = times(&x);
                for i in 0..n {
                    assert!((back[i] - rhs[i]).abs() < 1e-9, "seed 5, n = {n}, {repeat}");
                }
            }
        }
    }
}
