//! Joints eliminated along the tree they form: linear in the number of bodies.
//!
//! The bilateral rows and the masses make one symmetric system for velocities and joint impulses:
//!
//! ```text
//! M nu - Gb p = f,     Gbᵀ nu + C p = t
//! ```
//!
//! A spanning forest of the joint graph is eliminated from its leaves to its roots. Body c hangs
//! on its parent by the rows `[J_c | J_p]`:
//!
//! ```text
//! S   = J_c M_c⁻¹ J_cᵀ + C
//! M_p <- M_p + J_pᵀ S⁻¹ J_p              f_p <- f_p + J_pᵀ S⁻¹ (t - J_c M_c⁻¹ f_c)
//! p   = S⁻¹ (t - J_c M_c⁻¹ f_c - J_p nu_p),   nu_c = M_c⁻¹ (f_c + J_cᵀ p)      on the way back
//! ```
//!
//! Neither block is ever singular in a tree. Rows that close loops, and gears, are added after
//! that by a dense factorisation that leaves out dependent rows: closed loops may repeat
//! constraints. With `t = 0` the map from `f` to `nu` is the inverse mass of the mechanism, which
//! is all that contacts need to know of the joints.

use smallvec::SmallVec;

use super::{
    JacobianBlock, MassMatrix,
    closures::Closures,
    forest::Forest,
    small::{Cholesky, dot},
};
use crate::model::Block;

/// The blocks of a joint's row, in place: a joint has two bodies, a gear up to four. Half of what a step of a hanging rod
/// allocated was these.
pub type RowBlocks = SmallVec<[JacobianBlock; 2]>;

/// One bilateral row: `Gbᵀ nu + compliance p = target`.
#[derive(Clone, Debug, PartialEq)]
pub struct BilateralRow {
    /// The bodies it touches that forces move.
    pub blocks: RowBlocks,
    /// Speed it asks for, less what bodies of prescribed motion contribute.
    pub target: f64,
    /// How much it gives way per impulse; zero for a rigid row.
    pub compliance: f64,
}

impl BilateralRow {
    /// `Gbᵀ nu`.
    pub fn times(&self, width: usize, nu: &[f64]) -> f64 {
        let of = |b: &JacobianBlock| {
            b.value.iter().zip(&nu[b.dof..b.dof + width]).map(|(g, v)| g * v).sum::<f64>()
        };
        self.blocks.iter().map(of).sum()
    }

    /// `f += p Gb`.
    pub fn add_to(&self, p: f64, f: &mut [f64]) {
        for block in &self.blocks {
            f[block.dof..].iter_mut().zip(block.value).for_each(|(f, g)| *f += g * p);
        }
    }
}

/// Rows that belong together: those of one joint, between at most two bodies, or those of a gear.
#[derive(Clone, Debug, Default)]
pub struct RowGroup {
    /// The rows.
    pub rows: Vec<BilateralRow>,
}

/// The factorised joints of one instant.
#[derive(Clone, Debug)]
pub struct JointTree {
    pub(super) width: usize,
    /// One node per body that forces move.
    pub(super) nodes: Vec<Node>,
    /// The bodies that hang together, parents before children.
    pub(super) components: Vec<Vec<usize>>,
    /// Every body, parents before children.
    order: Vec<usize>,
    /// The component of each body.
    pub(super) component: Vec<usize>,
    pub(super) closures: Closures,
    n_rows: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) parent: Option<usize>,
    /// Number of the first row of the joint to the parent.
    first: usize,
    pub(super) rows: Vec<TreeRow>,
    pub(super) mass: Cholesky,
    pub(super) schur: Cholesky,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct TreeRow {
    pub(super) child: Block,
    pub(super) parent: Block,
    /// `M_c⁻¹ J_cᵀ`.
    pub(super) weighted: Block,
    pub(super) compliance: f64,
}

impl JointTree {
    /// Factors the rows of all groups at once; rows are numbered through the groups.
    pub fn new(mass: &MassMatrix, width: usize, n_dof: usize, groups: &[RowGroup]) -> Self {
        let n = n_dof / width;
        let forest = Forest::new(n, width, groups);
        let empty = Cholesky::new(0, &[[0.0; 6]; 6]);
        let mut nodes: Vec<Node> = (0..n)
            .map(|_| Node { parent: None, first: 0, rows: vec![], mass: empty, schur: empty })
            .collect();
        for (k, hold) in forest.holds.iter().enumerate() {
            let Some((group, parent)) = *hold else { continue };
            nodes[k].parent = parent;
            nodes[k].first = forest.first[group];
            nodes[k].rows = groups[group].rows.iter().map(|r| TreeRow::new(r, k, width)).collect();
        }
        let mut closures = Closures::default();
        for &g in &forest.closing {
            let rows = groups[g].rows.iter().cloned().enumerate();
            closures.rows.extend(rows.map(|(i, row)| (forest.first[g] + i, row)));
        }
        let n_rows = groups.iter().map(|g| g.rows.len()).sum();
        let (components, component) = forest.components(groups, width);
        let order = components.iter().flatten().copied().collect();
        let mut tree = Self { width, nodes, components, order, component, closures, n_rows };
        tree.factor(mass);
        tree.close(mass);
        tree
    }

    /// Number of bilateral rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Numbers stored by the factorisation: a measure of its cost that does not depend on the
    /// machine. Linear in the bodies of a tree.
    pub fn n_stored(&self) -> usize {
        let w = self.width;
        let node = |n: &Node| {
            let k = n.rows.len();
            w * (w + 1) / 2 + k * (k + 1) / 2 + 3 * k * w
        };
        let closing: usize = self.closures.columns.iter().map(Vec::len).sum();
        let l: usize = self.closures.l.iter().map(Vec::len).sum();
        self.nodes.iter().map(node).sum::<usize>() + closing + l
    }

    /// Which rows do not depend on others.
    pub fn independent(&self) -> Vec<bool> {
        let mut independent = vec![true; self.n_rows];
        self.closures.rows.iter().for_each(|(i, _)| independent[*i] = false);
        self.closures.kept.iter().for_each(|&k| independent[self.closures.rows[k].0] = true);
        independent
    }

    /// From the leaves to the roots.
    fn factor(&mut self, mass: &MassMatrix) {
        let w = self.width;
        let mut masses: Vec<[Block; 6]> =
            (0..self.nodes.len()).map(|k| mass.block(k * w)).collect();
        for &k in self.components.iter().flat_map(|c| c.iter().rev()) {
            let node = &mut self.nodes[k];
            node.mass = Cholesky::new(w, &masses[k]);
            for row in &mut node.rows {
                row.weighted = row.child;
                node.mass.solve(&mut row.weighted);
            }
            let n = node.rows.len();
            let mut schur = [[0.0; 6]; 6];
            for (i, a) in node.rows.iter().enumerate() {
                for (j, b) in node.rows.iter().enumerate() {
                    schur[i][j] = dot(&a.child, &b.weighted);
                }
                schur[i][i] += a.compliance;
            }
            node.schur = Cholesky::new(n, &schur);
            let Some(parent) = node.parent else { continue };
            // M_p += J_pᵀ S⁻¹ J_p, column by column; M_p is symmetric.
            for (j, target) in masses[parent].iter_mut().enumerate().take(w) {
                let mut column = [0.0; 6];
                column.iter_mut().zip(&node.rows).for_each(|(c, row)| *c = row.parent[j]);
                node.schur.solve(&mut column);
                for (row, c) in node.rows.iter().zip(column) {
                    target.iter_mut().zip(row.parent).for_each(|(m, g)| *m += g * c);
                }
            }
        }
    }

    /// Factors what the tree leaves of the closing rows.
    fn close(&mut self, mass: &MassMatrix) {
        let mut closures = std::mem::take(&mut self.closures);
        for (_, row) in &closures.rows {
            let mut f = vec![0.0; self.nodes.len() * self.width];
            row.add_to(1.0, &mut f);
            self.solve_tree(&self.order, &mut f, None, None);
            closures.columns.push(f);
        }
        closures.factor(mass, self.width);
        self.closures = closures;
    }

    /// Solves for the velocities, in place of `f`; `target` is zero where not given. Impulses of
    /// the rows come out in `impulses`.
    pub fn solve(&self, f: &mut [f64], target: Option<&[f64]>, impulses: Option<&mut [f64]>) {
        self.solve_part(&self.order, f, target, impulses);
    }

    /// Zero velocities of all bodies.
    pub fn buffer(&self) -> Vec<f64> {
        vec![0.0; self.nodes.len() * self.width]
    }

    /// `M⁻¹ G` of a row: the velocities that a unit impulse along it gives to the mechanisms that
    /// it touches. `f` is a buffer for the velocities of all bodies, which zero is left in.
    pub fn weighted(
        &self,
        mass: &MassMatrix,
        row: &[JacobianBlock],
        f: &mut [f64],
        out: &mut Vec<JacobianBlock>,
    ) {
        let w = self.width;
        let mut touched: Vec<usize> = row.iter().map(|b| self.component[b.dof / w]).collect();
        touched.sort_unstable();
        touched.dedup();
        if touched.iter().all(|&c| self.components[c].len() == 1 && !self.is_held(c)) {
            let times = |b: &JacobianBlock| mass.inverse_times(b.dof, &b.value);
            out.extend(row.iter().map(|b| JacobianBlock { dof: b.dof, value: times(b) }));
            return;
        }
        for block in row {
            f[block.dof..].iter_mut().zip(block.value).for_each(|(f, g)| *f += g);
        }
        let several: Vec<usize>;
        let bodies = match touched[..] {
            [one] => &self.components[one],
            _ => {
                several = touched.iter().flat_map(|&c| &self.components[c]).copied().collect();
                &several
            }
        };
        self.solve_part(bodies, f, None, None);
        for &k in bodies {
            let part = &mut f[k * w..(k + 1) * w];
            let mut value = [0.0; 6];
            value[..w].copy_from_slice(part);
            part.fill(0.0);
            out.push(JacobianBlock { dof: k * w, value });
        }
    }

    /// Whether any joint acts on a component of one body.
    fn is_held(&self, component: usize) -> bool {
        let root = self.components[component][0];
        let closed =
            |(_, r): &(usize, BilateralRow)| r.blocks.iter().any(|b| b.dof == root * self.width);
        !self.nodes[root].rows.is_empty() || self.closures.rows.iter().any(closed)
    }

    fn solve_part(
        &self,
        bodies: &[usize],
        f: &mut [f64],
        target: Option<&[f64]>,
        mut impulses: Option<&mut [f64]>,
    ) {
        self.solve_tree(bodies, f, target, impulses.as_deref_mut());
        let c = &self.closures;
        if c.kept.is_empty() {
            return;
        }
        let found =
            c.impulses(|number, row| target.map_or(0.0, |t| t[number]) - row.times(self.width, f));
        // The tree's own impulses change along with the velocities.
        let mut push = vec![0.0; if impulses.is_some() { f.len() } else { 0 }];
        for (&k, p) in c.kept.iter().zip(found) {
            f.iter_mut().zip(&c.columns[k]).for_each(|(f, x)| *f += x * p);
            if let Some(out) = impulses.as_deref_mut() {
                out[c.rows[k].0] = p;
                c.rows[k].1.add_to(p, &mut push);
            }
        }
        if let Some(out) = impulses {
            let mut more = vec![0.0; out.len()];
            self.solve_tree(bodies, &mut push, None, Some(&mut more));
            out.iter_mut().zip(more).for_each(|(p, x)| *p += x);
        }
    }

    fn solve_tree(
        &self,
        bodies: &[usize],
        f: &mut [f64],
        target: Option<&[f64]>,
        impulses: Option<&mut [f64]>,
    ) {
        let w = self.width;
        let take = |f: &[f64], k: usize| {
            let mut x = [0.0; 6];
            x[..w].copy_from_slice(&f[k * w..(k + 1) * w]);
            x
        };
        // S⁻¹ (t - J_c M_c⁻¹ f_c) of every joint.
        let mut ready: Vec<Block> = vec![[0.0; 6]; self.nodes.len()];
        for &k in bodies.iter().rev() {
            let node = &self.nodes[k];
            let mut y = take(f, k);
            // Nothing acts here or beyond.
            if target.is_none() && y == [0.0; 6] {
                continue;
            }
            node.mass.solve(&mut y);
            f[k * w..(k + 1) * w].copy_from_slice(&y[..w]);
            let mut r = [0.0; 6];
            for (i, row) in node.rows.iter().enumerate() {
                r[i] = target.map_or(0.0, |t| t[node.first + i]) - dot(&row.child, &y);
            }
            node.schur.solve(&mut r);
            ready[k] = r;
            if let Some(p) = node.parent {
                for (i, row) in node.rows.iter().enumerate() {
                    (0..w).for_each(|j| f[p * w + j] += row.parent[j] * r[i]);
                }
            }
        }
        let mut out = impulses;
        for &k in bodies {
            let node = &self.nodes[k];
            let mut p = ready[k];
            if let Some(parent) = node.parent {
                let nu = take(f, parent);
                let mut back = [0.0; 6];
                (0..node.rows.len()).for_each(|i| back[i] = dot(&node.rows[i].parent, &nu));
                node.schur.solve(&mut back);
                (0..6).for_each(|i| p[i] -= back[i]);
            }
            for (i, row) in node.rows.iter().enumerate() {
                (0..w).for_each(|j| f[k * w + j] += row.weighted[j] * p[i]);
                if let Some(out) = out.as_deref_mut() {
                    out[node.first + i] = p[i];
                }
            }
        }
    }
}

impl TreeRow {
    fn new(row: &BilateralRow, child: usize, width: usize) -> Self {
        let mut out = Self {
            child: [0.0; 6],
            parent: [0.0; 6],
            weighted: [0.0; 6],
            compliance: row.compliance,
        };
        for block in &row.blocks {
            let side = if block.dof == child * width { &mut out.child } else { &mut out.parent };
            side.iter_mut().zip(block.value).for_each(|(s, x)| *s += x);
        }
        out
    }
}

impl RowGroup {
    /// Whether any of its rows does not give way: one of a joint.
    pub(super) fn is_rigid(&self) -> bool {
        self.rows.iter().any(|row| row.compliance == 0.0)
    }

    /// The bodies that its rows touch, ascending.
    pub(super) fn bodies(&self, width: usize) -> SmallVec<[usize; 2]> {
        let mut bodies = SmallVec::new();
        for block in self.rows.iter().flat_map(|r| &r.blocks) {
            let body = block.dof / width;
            if !bodies.contains(&body) {
                bodies.push(body);
            }
        }
        bodies.sort_unstable();
        bodies
    }
}
