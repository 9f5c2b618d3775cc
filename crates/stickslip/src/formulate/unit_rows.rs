//! Rows over velocities of unit mass: `J = Gᵀ U` with `U Uᵀ = M⁻¹`.

use complementarity::problem::Csc;
use stickslip_geometry::tolerance::ROUND_OFF;

use super::ContactSystem;
use crate::dynamics::{JacobianBlock, Root, Whitened, pivoted};

/// The rows of a system in velocities of unit mass.
pub(super) enum UnitRows<'a> {
    /// Free bodies: one small root per body.
    Bodies { system: &'a ContactSystem, roots: Vec<Root> },
    /// Mechanisms: one column per row.
    Columns(Csc),
}

impl ContactSystem {
    pub(super) fn unit_rows(&self) -> UnitRows<'_> {
        let Some(tree) = &self.mechanism.tree else {
            return UnitRows::Bodies { system: self, roots: self.mechanism.mass.roots() };
        };
        let rows = &self.jacobian;
        match Whitened::new(tree) {
            Some(whitened) => UnitRows::Columns(whitened.columns(tree, rows, rows.len())),
            None => {
                let weighted = rows.weighted_by(tree, &self.mechanism.mass);
                let n = rows.len();
                let product = |j: usize| -> Vec<f64> {
                    let mut column = vec![0.0; self.free().len()];
                    weighted.add_transposed(j, 1.0, &mut column);
                    (0..n).map(|i| rows.times(i, &column)).collect()
                };
                // Symmetric: columns are rows.
                UnitRows::Columns(root((0..n).map(product).collect()))
            }
        }
    }
}

impl UnitRows<'_> {
    /// Number of velocities of unit mass.
    pub fn velocities(&self) -> usize {
        match self {
            Self::Bodies { system, .. } => system.free().len(),
            Self::Columns(columns) => columns.rows,
        }
    }

    /// The velocities that these rows touch, growing, and the rows over them, one after the other.
    pub fn gather(
        &self,
        rows: impl Iterator<Item = usize> + Clone,
        columns: &mut Vec<u32>,
        out: &mut Vec<f64>,
    ) {
        columns.clear();
        out.clear();
        match self {
            Self::Bodies { system, roots } => {
                let width = system.jacobian.width();
                let Some(first) = rows.clone().next() else { return };
                // All rows of a contact touch the same bodies.
                let blocks = system.jacobian.row(first);
                let swapped = !blocks.is_sorted_by_key(|b| b.dof);
                let mut order: Vec<usize> = Vec::new();
                if swapped {
                    order.extend(0..blocks.len());
                    order.sort_by_key(|&k| blocks[k].dof);
                }
                let mut put = |block: &JacobianBlock| {
                    out.extend_from_slice(&roots[block.dof / width].times(&block.value)[..width]);
                };
                for (k, r) in rows.enumerate() {
                    let row = system.jacobian.row(r);
                    let mut push = |block: &JacobianBlock| {
                        if k == 0 {
                            columns.extend(block.dof as u32..(block.dof + width) as u32);
                        }
                        put(block);
                    };
                    match swapped {
                        true => order.iter().for_each(|&i| push(&row[i])),
                        false => row.iter().for_each(&mut push),
                    }
                }
            }
            Self::Columns(all) => {
                columns.extend(rows.clone().flat_map(|r| all.col(r)).map(|(i, _)| i as u32));
                columns.sort_unstable();
                columns.dedup();
                for (k, r) in rows.enumerate() {
                    out.resize((k + 1) * columns.len(), 0.0);
                    let row = &mut out[k * columns.len()..];
                    for (i, x) in all.col(r) {
                        if let Ok(at) = columns.binary_search(&(i as u32)) {
                            row[at] += x;
                        }
                    }
                }
            }
        }
    }
}

/// J with `J Jᵀ = a`, positive semidefinite; one column per row of `a`.
fn root(mut a: Vec<Vec<f64>>) -> Csc {
    let n = a.len();
    let scale: Vec<f64> = (0..n).map(|i| a[i][i]).collect();
    let (mut entries, mut rank) = (Vec::new(), 0);
    pivoted(&mut a, &scale, ROUND_OFF, |_, column| {
        let nonzero = column.iter().enumerate().filter(|(_, x)| **x != 0.0);
        entries.extend(nonzero.map(|(i, &x)| (rank, i, x)));
        rank += 1;
    });
    Csc::from_triplets(rank, n, &entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `J Jᵀ` gives the matrix back, one of lower rank too.
    #[test]
    fn the_root_of_a_singular_matrix_squares_to_it() {
        let rows = [[1.0, 2.0, 0.0], [0.5, 1.0, 0.0], [0.0, 1.0, 3.0], [1.0, 3.0, 3.0]];
        let dot = |x: &[f64; 3], y: &[f64; 3]| x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
        let a: Vec<Vec<f64>> =
            rows.iter().map(|x| rows.iter().map(|y| dot(x, y)).collect()).collect();
        let j = root(a.clone());
        assert_eq!(j.rows, 2);
        for (i, row) in a.iter().enumerate() {
            for (k, x) in row.iter().enumerate() {
                let at = |c: usize, r: usize| j.col(c).find(|e| e.0 == r).map_or(0.0, |e| e.1);
                let found: f64 = (0..j.rows).map(|r| at(i, r) * at(k, r)).sum();
                assert!((found - x).abs() < 1e-12, "{i} {k}: {found} {x}");
            }
        }
    }
}
