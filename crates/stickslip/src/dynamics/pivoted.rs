//! Cholesky factorization with pivots of a dense, positive semidefinite matrix: the one way in which
//! dependent rows are left out.

/// Columns U with `U Uᵀ = A`, found one by one with the largest pivot first; `found` gets each with
/// the number of its row. Pivots are compared in units of `scale`; the first that is at most
/// `dependent` of it ends the factorization: what is left is round-off. The entries of rows eliminated
/// before are zero. `a` is used up.
pub(crate) fn pivoted<R: AsRef<[f64]> + AsMut<[f64]> + Clone>(
    a: &mut [R],
    scale: &[f64],
    dependent: f64,
    mut found: impl FnMut(usize, &R),
) {
    let mut left: Vec<usize> = (0..scale.len()).filter(|&i| scale[i] > 0.0).collect();
    loop {
        let size = |i: usize| a[i].as_ref()[i] / scale[i];
        // The first among equals.
        let larger = |best: usize, at: usize| match size(left[at]) > size(left[best]) {
            true => at,
            false => best,
        };
        let Some(at) = (0..left.len()).reduce(larger) else { break };
        let j = left[at];
        if size(j).is_nan() || size(j) <= dependent {
            break;
        }
        let root = a[j].as_ref()[j].sqrt();
        let mut column = a[j].clone();
        column.as_mut().fill(0.0);
        left.iter().for_each(|&i| column.as_mut()[i] = a[i].as_ref()[j] / root);
        left.remove(at);
        for &i in &left {
            let (row, x) = (a[i].as_mut(), column.as_ref()[i]);
            left.iter().for_each(|&k| row[k] -= x * column.as_ref()[k]);
        }
        found(j, &column);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// `U Uᵀ` gives a matrix of any rank back, from as many columns as its rank.
    #[test]
    fn the_root_of_a_singular_matrix_squares_to_it() {
        for seed in 0..50 {
            let mut random = Random::new(seed);
            let (n, rank) = (2 + seed as usize % 9, 1 + seed as usize % 5);
            let mut row = |_| (0..rank).map(|_| random.signed()).collect::<Vec<f64>>();
            let b: Vec<Vec<f64>> = (0..n).map(&mut row).collect();
            let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
            let a: Vec<Vec<f64>> =
                b.iter().map(|x| b.iter().map(|y| dot(x, y)).collect()).collect();
            let scale: Vec<f64> = (0..n).map(|i| a[i][i]).collect();
            let mut columns: Vec<Vec<f64>> = Vec::new();
            pivoted(&mut a.clone(), &scale, 1e-12, |_, column| columns.push(column.clone()));
            assert_eq!(columns.len(), rank.min(n), "seed {seed}");
            for (i, row) in a.iter().enumerate() {
                for (k, x) in row.iter().enumerate() {
                    let back: f64 = columns.iter().map(|c| c[i] * c[k]).sum();
                    assert!((back - x).abs() < 1e-9, "seed {seed}: {i} {k}: {back} {x}");
                }
            }
        }
    }
}
