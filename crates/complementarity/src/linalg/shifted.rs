//! Solves `(A + diag(s)) x = r` with some unknowns held at zero, for many s in a row.
//!
//! For a factored matrix `A = J B + D` the system is condensed to the velocities: where D falls
//! into small blocks (one per contact), with `K = D + diag(s)` on those blocks,
//!
//! ```text
//! u = B x,   x_l = K⁻¹ (r_l - J_l u)
//! [ I + B_l K⁻¹ J_l   -B_k     ] [ u   ]   [ B_l K⁻¹ r_l ]
//! [ J_k               D_k + s_k] [ x_k ] = [ r_k         ]
//! ```
//! l are the rows in small blocks, k the others (equations, and all rows of a matrix that is not
//! factored). The condensed matrix has the sparsity of the contact graph of the bodies, whatever
//! the number of contacts.

use super::block_lu::BlockLu;
use super::dense_lu::DenseLu;
use super::lu::Lu;
use super::ordering::minimum_degree;
use super::sparse_lu::SparseLu;
use crate::problem::{Csc, Matrix};
use crate::sets::components;

/// Blocks of D above this size are kept in the system instead of being eliminated.
const LARGEST_BLOCK: usize = 32;

/// A small block of D with its rows of J and columns of B.
struct Block {
    rows: Vec<usize>,
    /// The velocities it touches.
    velocities: Vec<usize>,
    /// J, rows by velocities, row-major.
    j: Vec<f64>,
    /// B, velocities by rows, row-major.
    b: Vec<f64>,
    /// D, column-major.
    d: Vec<f64>,
    /// Places of velocities by velocities in the condensed matrix, column by column.
    places: Vec<usize>,
    lu: Lu,
}

/// The solver; its order of elimination is found once.
pub(crate) struct Shifted {
    n: usize,
    velocities: usize,
    blocks: Vec<Block>,
    kept: Vec<usize>,
    /// The condensed matrix with room for every entry it can have.
    system: Csc,
    /// Its part that does not change: `[I -B_k; J_k D_k]`.
    constant: Vec<f64>,
    /// Where the diagonal of each kept row stands in `system`.
    diagonal: Vec<usize>,
    /// For matrices of bodies: fronts; for all others, and where a front breaks down: columns.
    block_lu: BlockLu,
    use_blocks: bool,
    /// For matrices that are not sparse.
    dense: Option<DenseLu>,
    order: Vec<usize>,
    lu: SparseLu,
    row_scale: Vec<f64>,
    held: Vec<bool>,
    scratch: Vec<f64>,
}

impl Shifted {
    /// Prepares for `A = R A₀ C`; rows in `equation` are kept in the system.
    pub(crate) fn new(matrix: &Matrix, equation: &[bool]) -> Self {
        let n = equation.len();
        match matrix {
            // with few rows for its velocities the product is the smaller or sparser system
            Matrix::Factored(a) if n >= 2 * touched(&a.right) => {
                Self::condensed([&a.left, &a.right, &a.d_block], equation)
            }
            other => {
                let a = other.to_sparse();
                let none = Csc::from_triplets(n, 0, &[]);
                let none_right = Csc::from_triplets(0, n, &[]);
                Self::condensed([&none, &none_right, &a], &vec![true; n])
            }
        }
    }

    fn condensed([left, right, d_block]: [&Csc; 3], equation: &[bool]) -> Self {
        let (n, velocities) = (equation.len(), right.rows);
        let left_rows = left.transpose();
        let (mut blocks, mut kept) = (vec![], vec![]);
        for rows in components(d_block) {
            if rows.len() > LARGEST_BLOCK || rows.iter().any(|&i| equation[i]) {
                kept.extend(rows);
            } else {
                blocks.push(Block::new(rows, &left_rows, right, d_block));
            }
        }
        kept.sort_unstable();
        let mut place = vec![usize::MAX; n];
        for (k, &i) in kept.iter().enumerate() {
            place[i] = velocities + k;
        }
        let mut constant: Vec<Vec<(usize, f64)>> =
            (0..velocities).map(|v| vec![(v, 1.0)]).collect();
        for (v, column) in constant.iter_mut().enumerate() {
            column.extend(
                left.col(v).filter(|e| place[e.0] != usize::MAX).map(|(i, x)| (place[i], x)),
            );
        }
        for &i in &kept {
            let mut column: Vec<(usize, f64)> = right.col(i).map(|(v, x)| (v, -x)).collect();
            let inside = d_block.col(i).filter(|e| place[e.0] != usize::MAX);
            column.extend(inside.map(|(r, x)| (place[r], x)));
            constant.push(column);
        }
        let system = system_of(&constant, &blocks, velocities);
        blocks.iter_mut().for_each(|block| block.find_places(&system));
        let diagonal = (velocities..system.cols).map(|at| place_in(&system, at, at)).collect();
        let block_lu = if velocities > 0 {
            let late: Vec<bool> = (0..system.cols).map(|at| at >= velocities).collect();
            BlockLu::new(&system, &late)
        } else {
            BlockLu::default()
        };
        let constant = system.values.clone();
        Self {
            n,
            velocities,
            blocks,
            kept,
            system,
            constant,
            diagonal,
            order: vec![],
            block_lu,
            use_blocks: false,
            dense: None,
            lu: SparseLu::default(),
            row_scale: vec![],
            held: vec![],
            scratch: vec![],
        }
    }

    /// Factors for the shifts `s`; unknowns in `held` stay zero and their rows are dropped. False
    /// when the matrix is singular.
    pub(crate) fn factor(&mut self, s: &[f64], held: &[bool]) -> bool {
        self.held = held.to_vec();
        self.system.values.copy_from_slice(&self.constant);
        for block in &mut self.blocks {
            block.factor(s, held);
            block.condense(held, &mut self.system.values, &mut self.scratch);
        }
        for (k, &i) in self.kept.iter().enumerate() {
            self.system.values[self.diagonal[k]] += s[i];
        }
        self.drop_held();
        self.scale_rows();
        self.use_blocks = self.velocities > 0 && self.block_lu.factor(&self.system.values);
        if self.use_blocks {
            return true;
        }
        let n = self.system.cols;
        if self.velocities == 0 && 5 * self.system.index.len() > n * n {
            let dense = Matrix::Sparse(self.system.clone()).to_dense();
            self.dense = DenseLu::new(n, dense.values, 0.0);
            return self.dense.is_some();
        }
        if self.order.is_empty() {
            self.order = order_of(&self.system);
        }
        // K⁻¹ may be huge against the I beside it: that is stiffness, not singularity
        self.lu = SparseLu::with_limit(&self.system, self.order.clone(), 1e-300);
        self.lu.dependent.is_empty()
    }

    /// Held unknowns among the kept ones: their column becomes a unit vector, their row empties.
    fn drop_held(&mut self) {
        let nv = self.velocities;
        let (kept, held) = (&self.kept, &self.held);
        let dropped = |at: usize| at >= nv && held[kept[at - nv]];
        if !kept.iter().any(|&i| held[i]) {
            return;
        }
        for at in 0..self.system.cols {
            for p in self.system.start[at]..self.system.start[at + 1] {
                let row = self.system.index[p];
                if dropped(at) || dropped(row) {
                    self.system.values[p] = f64::from(u8::from(row == at));
                }
            }
        }
    }

    /// Rows of heavy and light bodies differ by their masses; pivoting must not see that.
    fn scale_rows(&mut self) {
        self.row_scale.clear();
        self.row_scale.resize(self.system.rows, 0.0);
        for (&i, x) in self.system.index.iter().zip(&self.system.values) {
            self.row_scale[i] = self.row_scale[i].max(x.abs());
        }
        self.row_scale.iter_mut().for_each(|m| *m = if *m > 0.0 { 1.0 / *m } else { 1.0 });
        for (&i, x) in self.system.index.iter().zip(&mut self.system.values) {
            *x *= self.row_scale[i];
        }
    }

    /// Solves for one right-hand side.
    pub(crate) fn solve(&mut self, r: &[f64]) -> Vec<f64> {
        let nv = self.velocities;
        let mut y = vec![0.0; nv + self.kept.len()];
        let mut x = vec![0.0; self.n];
        for block in &self.blocks {
            let local = block.solve_local(r, &self.held);
            for (a, &v) in block.velocities.iter().enumerate() {
                let row = &block.b[a * local.len()..(a + 1) * local.len()];
                y[v] += row.iter().zip(&local).map(|(b, x)| b * x).sum::<f64>();
            }
        }
        for (k, &i) in self.kept.iter().enumerate() {
            y[nv + k] = if self.held[i] { 0.0 } else { r[i] };
        }
        y.iter_mut().zip(&self.row_scale).for_each(|(y, s)| *y *= s);
        if let Some(lu) = &self.dense {
            lu.solve(&mut y);
        } else if self.use_blocks {
            self.block_lu.solve(&mut y);
        } else {
            self.lu.solve(&mut y, &mut self.scratch);
        }
        for block in &self.blocks {
            block.back(r, &y, &self.held, &mut x);
        }
        for (k, &i) in self.kept.iter().enumerate() {
            x[i] = if self.held[i] { 0.0 } else { y[nv + k] };
        }
        x
    }
}

impl Block {
    fn new(rows: Vec<usize>, left_rows: &Csc, right: &Csc, d_block: &Csc) -> Self {
        let k = rows.len();
        let mut velocities: Vec<usize> =
            rows.iter().flat_map(|&i| left_rows.col(i).chain(right.col(i)).map(|e| e.0)).collect();
        velocities.sort_unstable();
        velocities.dedup();
        let m = velocities.len();
        let place = |v: usize| velocities.binary_search(&v).unwrap_or(0);
        let (mut j, mut b, mut d) = (vec![0.0; k * m], vec![0.0; k * m], vec![0.0; k * k]);
        for (r, &i) in rows.iter().enumerate() {
            left_rows.col(i).for_each(|(v, x)| j[r * m + place(v)] = x);
            right.col(i).for_each(|(v, x)| b[place(v) * k + r] = x);
            for (row, x) in d_block.col(i) {
                if let Ok(at) = rows.binary_search(&row) {
                    d[r * k + at] = x;
                }
            }
        }
        Self { rows, velocities, j, b, d, places: vec![], lu: Lu::new(0, vec![]) }
    }

    fn factor(&mut self, s: &[f64], held: &[bool]) {
        let k = self.rows.len();
        let mut a = self.d.clone();
        for (r, &i) in self.rows.iter().enumerate() {
            a[r * k + r] += s[i];
            if held[i] {
                for c in 0..k {
                    a[r * k + c] = 0.0;
                    a[c * k + r] = 0.0;
                }
                a[r * k + r] = 1.0;
            }
        }
        self.lu = Lu::with_limit(k, a, 0.0);
    }

    /// Where `B K⁻¹ J` goes in the condensed matrix.
    fn find_places(&mut self, system: &Csc) {
        for &v in &self.velocities {
            self.places.extend(self.velocities.iter().map(|&u| place_in(system, u, v)));
        }
    }

    /// Adds `B K⁻¹ J` to the condensed matrix.
    fn condense(&self, held: &[bool], values: &mut [f64], scratch: &mut Vec<f64>) {
        let (k, m) = (self.rows.len(), self.velocities.len());
        if m == 0 {
            return;
        }
        scratch.clear();
        scratch.extend_from_slice(&self.j);
        for (row, &i) in scratch.chunks_exact_mut(m).zip(&self.rows) {
            if held[i] {
                row.fill(0.0);
            }
        }
        self.lu.solve_rows(scratch, m);
        scratch.resize(k * m + m, 0.0);
        let (x, sum) = scratch.split_at_mut(k * m);
        for (a, b) in self.b.chunks_exact(k).enumerate() {
            sum.fill(0.0);
            for (row, b) in x.chunks_exact(m).zip(b) {
                if *b != 0.0 {
                    sum.iter_mut().zip(row).for_each(|(s, x)| *s += b * x);
                }
            }
            for (c, s) in sum.iter().enumerate() {
                values[self.places[c * m + a]] += s;
            }
        }
    }

    fn local(&self, r: &[f64], held: &[bool]) -> Vec<f64> {
        self.rows.iter().map(|&i| if held[i] { 0.0 } else { r[i] }).collect()
    }

    fn solve_local(&self, r: &[f64], held: &[bool]) -> Vec<f64> {
        let mut x = self.local(r, held);
        self.lu.solve(&mut x);
        x
    }

    fn back(&self, r: &[f64], u: &[f64], held: &[bool], x: &mut [f64]) {
        let m = self.velocities.len();
        let mut local = self.local(r, held);
        for (row, y) in local.iter_mut().enumerate() {
            let j = &self.j[row * m..(row + 1) * m];
            if !held[self.rows[row]] {
                *y -= j.iter().zip(&self.velocities).map(|(j, &v)| j * u[v]).sum::<f64>();
            }
        }
        self.lu.solve(&mut local);
        for (&i, value) in self.rows.iter().zip(local) {
            x[i] = if held[i] { 0.0 } else { value };
        }
    }
}

/// The condensed matrix with its constant entries, and a zero wherever a block or a shift will add
/// something.
fn system_of(constant: &[Vec<(usize, f64)>], blocks: &[Block], velocities: usize) -> Csc {
    let mut entries = vec![];
    for (j, column) in constant.iter().enumerate() {
        entries.extend(column.iter().map(|&(i, x)| (i, j, x)));
    }
    entries.extend((velocities..constant.len()).map(|at| (at, at, 0.0)));
    for block in blocks {
        for &v in &block.velocities {
            entries.extend(block.velocities.iter().map(|&u| (u, v, 0.0)));
        }
    }
    Csc::from_triplets(constant.len(), constant.len(), &entries)
}

/// Velocities that some column moves.
fn touched(right: &Csc) -> usize {
    let mut seen = vec![false; right.rows];
    right.index.iter().for_each(|&v| seen[v] = true);
    seen.iter().filter(|s| **s).count()
}

/// Where an entry stands; the pattern holds it.
fn place_in(a: &Csc, row: usize, column: usize) -> usize {
    let range = a.start[column]..a.start[column + 1];
    range.start + a.index[range].binary_search(&row).unwrap_or(0)
}

fn order_of(a: &Csc) -> Vec<usize> {
    let mut neighbors = vec![Vec::new(); a.cols];
    for c in 0..a.cols {
        for (r, _) in a.col(c).filter(|e| e.0 != c) {
            neighbors[c].push(r);
            neighbors[r].push(c);
        }
    }
    minimum_degree(neighbors)
}
