//! Rows that close loops in a tree of joints, added by a dense factorisation that leaves out
//! dependent ones.

use super::{BilateralRow, MassMatrix, pivoted, small::dot};

/// The rows that are not in the tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Closures {
    /// With their numbers.
    pub(super) rows: Vec<(usize, BilateralRow)>,
    /// `M⁻¹ Lᵀ` of the tree, one column per row.
    pub(super) columns: Vec<Vec<f64>>,
    /// Makes the rows comparable: one over the root of `L M⁻¹ Lᵀ` without joints.
    pub(super) scale: Vec<f64>,
    /// Rows that are kept, in the order of elimination.
    pub(super) kept: Vec<usize>,
    /// Lower factor among the kept rows, by rows.
    pub(super) l: Vec<Vec<f64>>,
}

/// A closing row is dependent when less than this part of it is left by the rows before.
const DEPENDENT: f64 = 1e-10;

impl Closures {
    /// Factors `L M⁻¹ Lᵀ + C`, the columns `M⁻¹ Lᵀ` being known.
    pub(super) fn factor(&mut self, mass: &MassMatrix, width: usize) {
        let m = self.rows.len();
        for (_, row) in &self.rows {
            let blocks = row.blocks.iter();
            let bare: f64 =
                blocks.map(|b| dot(&b.value, &mass.inverse_times(b.dof, &b.value))).sum();
            let bare = bare + row.compliance;
            self.scale.push(if bare > 0.0 { 1.0 / bare.sqrt() } else { 0.0 });
        }
        let s = &self.scale;
        let mut k = vec![vec![0.0; m]; m];
        for (i, (_, row)) in self.rows.iter().enumerate() {
            for (j, column) in self.columns.iter().enumerate() {
                k[i][j] = s[i] * s[j] * row.times(width, column);
            }
            k[i][i] += s[i] * s[i] * row.compliance;
        }
        let (mut kept, mut columns): (Vec<usize>, Vec<Vec<f64>>) = (vec![], vec![]);
        pivoted(&mut k, &vec![1.0; m], DEPENDENT, |row, column| {
            kept.push(row);
            columns.push(column.clone());
        });
        let lower = |r: usize| (0..=r).map(|c| columns[c][kept[r]]).collect();
        self.l = (0..kept.len()).map(lower).collect();
        self.kept = kept;
    }

    /// Impulses of the kept rows for the residual of each.
    pub(super) fn impulses(&self, residual: impl Fn(usize, &BilateralRow) -> f64) -> Vec<f64> {
        let scaled = |&k: &usize| self.scale[k] * residual(self.rows[k].0, &self.rows[k].1);
        let mut mu: Vec<f64> = self.kept.iter().map(scaled).collect();
        solve_lower(&self.l, &mut mu);
        mu.iter().zip(&self.kept).map(|(mu, &k)| mu * self.scale[k]).collect()
    }
}

/// `x <- (L Lᵀ)⁻¹ x` with L by rows.
fn solve_lower(l: &[Vec<f64>], x: &mut [f64]) {
    for i in 0..l.len() {
        let dot: f64 = (0..i).map(|k| l[i][k] * x[k]).sum();
        x[i] = (x[i] - dot) / l[i][i];
    }
    for i in (0..l.len()).rev() {
        let dot: f64 = (i + 1..l.len()).map(|k| l[k][i] * x[k]).sum();
        x[i] = (x[i] - dot) / l[i][i];
    }
}
