//! A cone problem with its cones replaced by pyramids: a mixed LCP of Stewart and Trinkle's kind.
//!
//! ```text
//! p_t = sum_k d_k x_k,   0 <= x_k ⟂ d_k . u_t + s >= 0,   0 <= s ⟂ mu p_n - sum x_k >= 0
//! ```

use super::change_basis::{Mix, change_basis};
use crate::problem::{Cone, ContactRows, Csc, Matrix, Mlcp};

/// The mixed LCP and the way back.
#[derive(Clone, Debug)]
pub struct Linearized {
    /// The problem with pyramids.
    pub mlcp: Mlcp,
    mixes: Vec<Mix>,
    size: usize,
}

impl Linearized {
    /// Pyramids with `directions` edges (two in the plane).
    pub fn new(cone: &Cone, directions: usize) -> Self {
        let mut mixes: Vec<Mix> = vec![];
        let mut d_block = vec![];
        let mut contacts = vec![];
        for contact in &cone.contacts {
            let first = contact.rows.start;
            let normal = mixes.len();
            mixes.push(vec![(first, 1.0)]);
            for (a, e, mu) in contact.groups() {
                let begin = mixes.len();
                let edges = if e - a == 1 { 2 } else { directions.max(3) };
                for k in 0..edges {
                    let angle = 2.0 * std::f64::consts::PI * k as f64 / edges as f64;
                    let mut mix = vec![(first + a, angle.cos())];
                    if e - a == 2 {
                        mix.push((first + a + 1, angle.sin()));
                    }
                    mixes.push(mix);
                }
                let slip = mixes.len();
                mixes.push(vec![]);
                d_block.push((slip, normal, mu));
                for k in begin..slip {
                    d_block.push((k, slip, 1.0));
                    d_block.push((slip, k, -1.0));
                }
                if a == 1 && contact.rows.len() <= 3 {
                    let (friction, slip) = (begin..slip, Some(slip));
                    contacts.push(ContactRows { normal, friction, slip, mu });
                }
            }
        }
        let (mut lower, mut upper) = (vec![0.0; mixes.len()], vec![f64::INFINITY; mixes.len()]);
        for i in cone.others() {
            mixes.push(vec![(i, 1.0)]);
            lower.push(cone.lower[i]);
            upper.push(cone.upper[i]);
        }
        let all: Vec<&Mix> = mixes.iter().collect();
        let matrix = with_d_block(change_basis(&cone.matrix, &all, &all), &d_block);
        let b = mixes.iter().map(|m| m.iter().map(|&(i, c)| c * cone.b[i]).sum()).collect();
        let mlcp = Mlcp { matrix, b, lower, upper, contacts };
        Self { mlcp, mixes, size: cone.b.len() }
    }

    /// The impulses of the cone problem for those of the pyramids.
    pub fn restore(&self, z: &[f64]) -> Vec<f64> {
        let mut p = vec![0.0; self.size];
        for (mix, z) in self.mixes.iter().zip(z) {
            mix.iter().for_each(|&(i, c)| p[i] += c * z);
        }
        p
    }
}

/// Adds entries to the part of a matrix that is not factored.
fn with_d_block(matrix: Matrix, entries: &[(usize, usize, f64)]) -> Matrix {
    let add = |a: &Csc| {
        let mut all = a.to_triplets();
        all.extend_from_slice(entries);
        Csc::from_triplets(a.rows, a.cols, &all)
    };
    match matrix {
        Matrix::Factored(mut a) => {
            a.d_block = add(&a.d_block);
            Matrix::Factored(a)
        }
        other => Matrix::Sparse(add(&other.to_sparse())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{ConeRows, Dense, Problem};
    use crate::solver::{NoWatch, Solver};

    #[test]
    fn a_push_along_an_edge_of_the_pyramid_gives_the_cone_solution() {
        // W = I, pushed along +x: with 4 edges the pyramid touches the cone there
        let w = Dense::from_rows(&[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]]);
        let contacts = vec![ConeRows { rows: 0..3, mu: 0.5, rolling: 0.0 }];
        let cone = Cone::new(Matrix::Dense(w), vec![-1.0, 2.0, 0.0], contacts).unwrap();
        let linear = Linearized::new(&cone, 4);
        let mut lemke = crate::pivoting::Lemke::default();
        let problem = Problem::Mlcp(linear.mlcp.clone());
        let found = lemke.solve(&problem, &[], &mut NoWatch).unwrap();
        for (x, y) in linear.restore(&found.z).iter().zip([1.0, -0.5, 0.0]) {
            assert!((x - y).abs() < 1e-12, "{found:?}");
        }
    }
}
