//! The rows of a program, in condensed or full form.

use complementarity::{
    Lcp, Matrix, Mlcp, Problem, ProblemError,
    problem::{Cone, ConeRows, Csc, Factored},
};

use super::program::{Layout, Program};
use crate::{dynamics::JacobianBlock, settings::ProblemForm};

/// Gap rates that make a row (coefficient by contact, or one friction row), and its constant.
#[derive(Default)]
struct Row {
    gaps: Vec<(usize, f64)>,
    slip: Option<usize>,
    joint: Option<usize>,
}

impl Program {
    /// The rows without the velocities and impulses, and the entries that do not pass through the
    /// velocities.
    fn all_rows(&self) -> (Vec<Row>, Vec<(usize, usize, f64)>) {
        let Layout { pushes, rough, directions, size, .. } = &self.layout;
        let (np, nf) = (pushes.len(), directions.len());
        let mut rows: Vec<Row> = Vec::with_capacity(*size);
        let mut d_block = Vec::new();
        let base = |k: usize| Row { gaps: vec![(self.clauses[k].base, 1.0)], ..Row::default() };
        rows.extend(pushes.iter().map(|p| base(p.clause)));
        rows.extend((0..nf).map(|f| Row { gaps: vec![], slip: Some(f), ..Row::default() }));
        let slips = &rough[..self.n_slips()];
        rows.extend(slips.iter().map(|_| Row { gaps: vec![], ..Row::default() }));
        for (s, r) in slips.iter().enumerate() {
            let slip = np + nf + s;
            for f in r.rows.clone() {
                d_block.push((np + f, slip, 1.0));
                d_block.push((slip, np + f, -1.0));
            }
            let here = pushes.iter().enumerate().filter(|(_, p)| p.contact == r.contact);
            d_block.extend(here.map(|(i, _)| (slip, i, r.mu)));
        }
        // The sums of c, clause by clause; first[k]..rows.len() while k is written.
        let mut sums = vec![0..0; self.clauses.len()];
        for (k, clause) in self.clauses.iter().enumerate() {
            let first = rows.len();
            for other in clause.beside_base() {
                let here = rows.len();
                rows.push(Row { gaps: vec![(clause.base, 1.0), (other, -1.0)], ..Row::default() });
                d_block.extend((first..=here).map(|j| (here, j, 1.0)));
            }
            sums[k] = first..rows.len();
        }
        for (i, push) in pushes.iter().enumerate() {
            d_block.extend(sums[push.clause].clone().map(|j| (i, j, 1.0)));
            if i >= self.clauses.len() {
                let here = rows.len();
                rows.push(Row { gaps: vec![(push.contact, 1.0)], ..Row::default() });
                d_block.push((here, here, 1.0));
                d_block.push((i, here, 1.0));
            }
        }
        for (k, joint) in self.mechanism.joints.bounded.iter().enumerate() {
            if joint.compliance > 0.0 {
                d_block.push((rows.len(), rows.len(), joint.compliance));
            }
            rows.push(Row { joint: Some(k), ..Row::default() });
        }
        (rows, d_block)
    }

    /// The problem.
    pub fn problem(&self) -> Result<Problem, ProblemError> {
        let (rows, d_block) = self.all_rows();
        let Some([_, slips, joints]) = &self.layout.forces else {
            return Ok(Problem::Lcp(Lcp::new(
                Matrix::Sparse(Csc::from_triplets(0, 0, &[])),
                Vec::new(),
            )?));
        };
        let width = self.normals.width();
        let (mut left, mut b) = (Vec::new(), Vec::with_capacity(rows.len()));
        let mut put = |r: usize, x: f64, row: &[JacobianBlock]| {
            for block in row {
                let filled = block.value.iter().take(width).enumerate();
                left.extend(filled.map(|(j, g)| (r, block.dof + j, x * g)));
            }
        };
        for (r, row) in rows.iter().enumerate() {
            let mut constant = 0.0;
            for &(k, x) in &row.gaps {
                put(r, x, self.normals.row(k));
                constant += x * self.targets[k];
            }
            if let Some(f) = row.slip {
                put(r, 1.0, slips.row(f));
                constant += slips.prescribed(f);
            }
            if let Some(k) = row.joint {
                put(r, 1.0, joints.row(k));
                constant += self.mechanism.joints.bounded[k].constant;
            }
            b.push(constant);
        }
        let size = rows.len();
        if self.layout.order.is_some() {
            return self.cones(left, &d_block, b);
        }
        if self.keeps_velocities() {
            return self.full(left, d_block, b);
        }
        self.condensed(size, left, &d_block, b)
    }

    /// Entries of the columns of the impulses: of `G`, or of `M⁻¹ G`.
    fn columns(&self, weighted: bool) -> Vec<(usize, usize, f64)> {
        let (width, mut columns) = (self.normals.width(), Vec::new());
        for (first, plain) in self.force_rows() {
            let rows = if weighted { self.mechanism.weighted(plain) } else { plain.clone() };
            for i in 0..rows.len() {
                for block in rows.row(i) {
                    let filled = block.value.iter().take(width).enumerate();
                    columns.extend(filled.map(|(j, &g)| (block.dof + j, first + i, g)));
                }
            }
        }
        columns
    }

    /// The matrix without velocities; what they are without contact goes into `b`.
    fn eliminated(
        &self,
        size: usize,
        left: Vec<(usize, usize, f64)>,
        d_block: &[(usize, usize, f64)],
        b: &mut [f64],
    ) -> Csc {
        let nv = self.free().len();
        let left = Csc::from_triplets(size, nv, &left);
        left.add_times(self.free(), b);
        let right = Csc::from_triplets(nv, size, &self.columns(true));
        let d_block = Csc::from_triplets(size, size, d_block);
        // Multiplied out: pivoting needs the entries, and nothing but pivoting solves these.
        Matrix::Factored(Box::new(Factored { left, right, d_block: d_block })).to_sparse()
    }

    /// Bounds of the unknowns without velocities.
    fn bounds(&self, size: usize) -> (Vec<f64>, Vec<f64>) {
        let bounded = &self.mechanism.joints.bounded;
        let (mut lower, mut upper) = (vec![0.0; size], vec![f64::INFINITY; size]);
        for (k, row) in bounded.iter().enumerate() {
            let i = size - bounded.len() + k;
            (lower[i], upper[i]) = (row.lower, row.upper);
        }
        (lower, upper)
    }

    /// With true cones: every push has its own, and the rows that are no contacts have bounds.
    fn cones(
        &self,
        left: Vec<(usize, usize, f64)>,
        d_block: &[(usize, usize, f64)],
        mut b: Vec<f64>,
    ) -> Result<Problem, ProblemError> {
        let Layout { pushes, rough, order, .. } = &self.layout;
        let order = order.as_deref().unwrap_or_default();
        let size = order.len();
        let matrix = self.eliminated(size, left, d_block, &mut b);
        let mut place = vec![0; size];
        order.iter().enumerate().for_each(|(i, &r)| place[r] = i);
        let entries = matrix.to_triplets().into_iter();
        let moved: Vec<_> = entries.map(|(i, j, x)| (place[i], place[j], x)).collect();
        let b = order.iter().map(|&r| b[r]).collect();
        let (lower, upper) = self.bounds(size);
        let first = pushes.len() + self.layout.directions.len();
        let bound = |of: &[f64], free: f64| -> Vec<f64> {
            order.iter().map(|&r| if r < first { free } else { of[r] }).collect()
        };
        let (lower, upper) = (bound(&lower, f64::NEG_INFINITY), bound(&upper, f64::INFINITY));
        let mut cones = rough.iter().peekable();
        let contacts = (0..pushes.len())
            .map(|i| {
                let (mu, n) =
                    cones.next_if(|r| r.push == i).map_or((0.0, 0), |r| (r.mu, r.rows.len()));
                ConeRows { rows: place[i]..place[i] + 1 + n, mu, rolling: 0.0 }
            })
            .collect();
        let matrix = Matrix::Sparse(Csc::from_triplets(size, size, &moved));
        Ok(Problem::Cone(Cone::new(matrix, b, contacts)?.with_bounds(lower, upper)?))
    }

    fn condensed(
        &self,
        size: usize,
        left: Vec<(usize, usize, f64)>,
        d_block: &[(usize, usize, f64)],
        mut b: Vec<f64>,
    ) -> Result<Problem, ProblemError> {
        let matrix = Matrix::Sparse(self.eliminated(size, left, d_block, &mut b));
        let bounded = &self.mechanism.joints.bounded;
        if self.form == ProblemForm::Condensed
            && bounded.iter().all(|row| row.lower == 0.0 && row.upper == f64::INFINITY)
        {
            return Ok(Problem::Lcp(Lcp::new(matrix, b)?));
        }
        let (lower, upper) = self.bounds(size);
        Ok(Problem::Mlcp(Mlcp::new(matrix, b, lower, upper)?))
    }

    fn full(
        &self,
        left: Vec<(usize, usize, f64)>,
        d_block: Vec<(usize, usize, f64)>,
        rows: Vec<f64>,
    ) -> Result<Problem, ProblemError> {
        let nv = self.free().len();
        let size = nv + rows.len();
        let mut entries = self.mechanism.mass.entries();
        entries.extend(left.into_iter().map(|(r, v, x)| (nv + r, v, x)));
        entries.extend(self.columns(false).into_iter().map(|(v, j, x)| (v, nv + j, -x)));
        entries.extend(d_block.into_iter().map(|(r, j, x)| (nv + r, nv + j, x)));
        let mut b = vec![0.0; nv];
        let width = self.normals.width();
        for dof in (0..nv).step_by(width) {
            let mut block = [0.0; 6];
            block[..width].copy_from_slice(&self.free()[dof..dof + width]);
            let momentum = self.mechanism.mass.times(dof, &block);
            b[dof..dof + width].iter_mut().zip(momentum).for_each(|(b, p)| *b = -p);
        }
        b.extend(rows);
        let mut lower = vec![f64::NEG_INFINITY; nv];
        lower.resize(size, 0.0);
        let matrix = Matrix::Sparse(Csc::from_triplets(size, size, &entries));
        Ok(Problem::Mlcp(Mlcp::new(matrix, b, lower, vec![f64::INFINITY; size])?))
    }
}
