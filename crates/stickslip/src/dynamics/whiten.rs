//! The inverse mass of mechanisms as a product `Z Zᵀ`, with one column of Z per freedom.
//!
//! What the elimination along the tree leaves of body c is
//!
//! ```text
//! P_c = M_c⁻¹ - M_c⁻¹ J_cᵀ S⁻¹ J_c M_c⁻¹ = U_c U_cᵀ
//! ```
//!
//! of rank "velocities less rows", and the inverse mass is the sum of these, carried down to the
//! bodies that hang on each. So `Zᵀ G` of a row needs only the way up from its bodies to their
//! root, and `Gᵀ M⁻¹ G` has as many inner unknowns as the mechanism has freedoms. Closing rows
//! L take the part of `Zᵀ` along `Zᵀ Lᵀ` away.

use complementarity::problem::Csc;

use super::{
    Jacobian, pivoted,
    small::dot,
    tree::{JointTree, Node},
};
use crate::model::Block;

/// The columns of Z that belong to each body.
#[derive(Clone, Debug)]
pub(crate) struct Whitened {
    /// `U_c`, column by column.
    factors: Vec<Vec<Block>>,
    /// Number of the first column of each body.
    first: Vec<usize>,
    size: usize,
    /// Orthonormal vectors that closing rows take away.
    closed: Vec<Vec<f64>>,
}

/// What is left of a column below this part of it is round-off.
const DEPENDENT: f64 = 1e-12;

impl Whitened {
    /// `None` where a closing row gives way: then the inverse mass is not of this form.
    pub(crate) fn new(tree: &JointTree) -> Option<Self> {
        if tree.closures.rows.iter().any(|(_, row)| row.compliance > 0.0) {
            return None;
        }
        let factors: Vec<Vec<Block>> = tree
            .nodes
            .iter()
            .map(|node| factor(&remaining(node, tree.width), tree.width))
            .collect();
        let mut first = vec![0];
        factors.iter().for_each(|f| first.push(first[first.len() - 1] + f.len()));
        let size = first[factors.len()];
        let mut out = Self { factors, first, size, closed: Vec::new() };
        for &k in &tree.closures.kept {
            let row = &tree.closures.rows[k].1;
            let mut z = vec![0.0; size];
            out.up(tree, row.blocks.iter().map(|b| (b.dof, b.value)), |i, x| z[i] += x);
            let whole = norm(&z);
            out.take_away(&mut z);
            // Twice, so that round-off does not leave them oblique.
            out.take_away(&mut z);
            let left = norm(&z);
            if left > 1e-6 * whole {
                z.iter_mut().for_each(|x| *x /= left);
                out.closed.push(z);
            }
        }
        Some(out)
    }

    /// `Zᵀ G`: one column per row of the Jacobian, empty ones up to `n_columns`.
    pub(crate) fn columns(&self, tree: &JointTree, rows: &Jacobian, n_columns: usize) -> Csc {
        let mut entries = Vec::new();
        for r in 0..rows.len() {
            let blocks = rows.row(r).iter().map(|b| (b.dof, b.value));
            if self.closed.is_empty() {
                self.up(tree, blocks, |i, x| entries.push((i, r, x)));
                continue;
            }
            let mut z = vec![0.0; self.size];
            self.up(tree, blocks, |i, x| z[i] += x);
            self.take_away(&mut z);
            let filled = z.into_iter().enumerate().filter(|(_, x)| *x != 0.0);
            entries.extend(filled.map(|(i, x)| (i, r, x)));
        }
        Csc::from_triplets(self.size, n_columns, &entries)
    }

    fn take_away(&self, z: &mut [f64]) {
        for v in &self.closed {
            let along: f64 = v.iter().zip(z.iter()).map(|(v, z)| v * z).sum();
            if along != 0.0 {
                z.iter_mut().zip(v).for_each(|(z, v)| *z -= along * v);
            }
        }
    }

    /// From the bodies of a row up to their roots; calls `out(column of Z, value)`.
    fn up(
        &self,
        tree: &JointTree,
        blocks: impl Iterator<Item = (usize, Block)>,
        mut out: impl FnMut(usize, f64),
    ) {
        let mut waiting: Vec<(usize, Block)> =
            blocks.map(|(dof, v)| (dof / tree.width, v)).collect();
        while let Some((k, f)) = waiting.pop() {
            for (i, u) in self.factors[k].iter().enumerate() {
                out(self.first[k] + i, dot(u, &f));
            }
            let node = &tree.nodes[k];
            if let Some(parent) = node.parent {
                waiting.push((parent, node.lift(&f)));
            }
        }
    }
}

impl Node {
    /// What a generalised force on the body does to its parent: `-J_pᵀ S⁻¹ J_c M_c⁻¹ f`.
    fn lift(&self, f: &Block) -> Block {
        let mut r = [0.0; 6];
        r.iter_mut().zip(&self.rows).for_each(|(r, row)| *r = -dot(&row.weighted, f));
        self.schur.solve(&mut r);
        let mut out = [0.0; 6];
        for (row, r) in self.rows.iter().zip(r) {
            out.iter_mut().zip(row.parent).for_each(|(o, g)| *o += g * r);
        }
        out
    }
}

/// `P_c`, by columns.
fn remaining(node: &Node, width: usize) -> Vec<Block> {
    (0..width)
        .map(|j| {
            let mut column = [0.0; 6];
            column[j] = 1.0;
            node.mass.solve(&mut column);
            let mut r = [0.0; 6];
            r.iter_mut().zip(&node.rows).for_each(|(r, row)| *r = row.weighted[j]);
            node.schur.solve(&mut r);
            for (row, r) in node.rows.iter().zip(r) {
                column.iter_mut().zip(row.weighted).for_each(|(c, w)| *c -= w * r);
            }
            column
        })
        .collect()
}

/// Columns U with `U Uᵀ = P`, the largest pivot first, in units of the first diagonal.
fn factor(p: &[Block], width: usize) -> Vec<Block> {
    let mut p = p.to_vec();
    let scale: Vec<f64> = (0..width).map(|i| p[i][i].abs()).collect();
    // Metres and radians do not compare: each row is measured by the largest there is of its kind.
    let half = if width == 6 { 3 } else { 2 };
    let largest = |i: usize| {
        let kind = if i < half { 0..half } else { half..width };
        kind.map(|k| scale[k]).fold(0.0, f64::max)
    };
    let units: Vec<f64> = (0..width).map(largest).collect();
    let mut out = Vec::new();
    pivoted(&mut p, &units, DEPENDENT, |_, column| out.push(*column));
    out
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use stickslip_geometry::Vec3;

    use super::*;
    use crate::{
        BodyId, BodyInit, Dimension, JointInit, ModelBuilder,
        dynamics::{JointRows, MassMatrix},
        testing::Random,
    };

    /// `(Zᵀ G)ᵀ (Zᵀ G) = Gᵀ M⁻¹ G` for a tree with branches, a loop, a door with two hinges and a
    /// free body, and Z has as many columns as the mechanism has freedoms before loops close.
    #[test]
    fn products_agree_with_the_inverse_mass() {
        for dimension in [Dimension::Two, Dimension::Three] {
            let mut random = Random::new(23);
            let mut builder = ModelBuilder::new(dimension);
            let solid = stickslip_geometry::Solid::sphere(0.3).unwrap();
            for _ in 0..7 {
                let body = BodyInit::new(&solid).mass(2.0 + random.signed());
                builder.add(body.at(random.vector(dimension))).unwrap();
            }
            let body = |k: usize| (k > 0).then(|| BodyId::new(k - 1));
            for (a, b) in [(0, 1), (1, 2), (2, 3), (1, 4), (4, 3), (0, 5), (0, 5), (5, 6)] {
                let joint = JointInit::revolute(body(a), body(b)).along(Vec3::Z);
                builder.joint(joint.at(random.vector(dimension))).unwrap();
            }
            let (model, state) = builder.build();
            let mass = MassMatrix::new(&model, &state);
            let tree = JointRows::keeping(&model, &state).tree(&model, &mass).unwrap();
            let whitened = Whitened::new(&tree).unwrap();
            let free = 6 + model.dimension().dof();
            assert_eq!(whitened.size, free, "{dimension:?}");
            let mut rows = Jacobian::new(&model);
            for k in 0..7 {
                let (a, b) = (BodyId::new(k), BodyId::new((k + 2) % 7));
                let (d, x) = (random.vector(dimension), random.vector(dimension));
                rows.push_pair(&model, &state, (a, -d, x), (b, d, x));
            }
            let z = whitened.columns(&tree, &rows, 7).transpose();
            let weighted = rows.weighted_by(&tree, &mass);
            for j in 0..7 {
                let mut column = vec![0.0; model.n_dof()];
                weighted.add_transposed(j, 1.0, &mut column);
                for i in 0..7 {
                    let expected = rows.times(i, &column);
                    let found: f64 = (0..z.cols)
                        .map(|c| {
                            let at = |r: usize| z.col(c).find(|e| e.0 == r).map_or(0.0, |e| e.1);
                            at(i) * at(j)
                        })
                        .sum();
                    assert!((found - expected).abs() < 1e-10, "seed 23: {found} {expected}");
                }
            }
        }
    }
}
