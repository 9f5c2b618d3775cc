//! The rows of a program, in condensed or full form.

use complementarity::{
    Lcp, Matrix, Mlcp, Problem, ProblemError,
    problem::{Csc, Factored},
};

use super::program::{Layout, Program};
use crate::{formulate::JacobianBlock, settings::ProblemForm};

/// Gap rates that make a row (coefficient by contact, or one friction row), and its constant.
struct Row {
    gaps: Vec<(usize, f64)>,
    slip: Option<usize>,
}

impl Program {
    /// The rows without the velocities and impulses, and the entries that do not pass through the
    /// velocities.
    fn all_rows(&self) -> (Vec<Row>, Vec<(usize, usize, f64)>) {
        let Layout { pushes, rough, directions, size, .. } = &self.layout;
        let (np, nf) = (pushes.len(), directions.len());
        let mut rows: Vec<Row> = Vec::with_capacity(*size);
        let mut rest = Vec::new();
        let base = |k: usize| Row { gaps: vec![(self.clauses[k].base, 1.0)], slip: None };
        rows.extend(pushes.iter().map(|p| base(p.clause)));
        rows.extend((0..nf).map(|f| Row { gaps: vec![], slip: Some(f) }));
        rows.extend(rough.iter().map(|_| Row { gaps: vec![], slip: None }));
        for (s, r) in rough.iter().enumerate() {
            let slip = np + nf + s;
            for f in r.rows.clone() {
                rest.push((np + f, slip, 1.0));
                rest.push((slip, np + f, -1.0));
            }
            let here = pushes.iter().enumerate().filter(|(_, p)| p.contact == r.contact);
            rest.extend(here.map(|(i, _)| (slip, i, r.mu)));
        }
        // The sums of c, clause by clause; first[k]..rows.len() while k is written.
        let mut sums = vec![0..0; self.clauses.len()];
        for (k, clause) in self.clauses.iter().enumerate() {
            let first = rows.len();
            for other in clause.rest() {
                let here = rows.len();
                rows.push(Row { gaps: vec![(clause.base, 1.0), (other, -1.0)], slip: None });
                rest.extend((first..=here).map(|j| (here, j, 1.0)));
            }
            sums[k] = first..rows.len();
        }
        for (i, push) in pushes.iter().enumerate() {
            rest.extend(sums[push.clause].clone().map(|j| (i, j, 1.0)));
            if i >= self.clauses.len() {
                let here = rows.len();
                rows.push(Row { gaps: vec![(push.contact, 1.0)], slip: None });
                rest.push((here, here, 1.0));
                rest.push((i, here, 1.0));
            }
        }
        (rows, rest)
    }

    /// The problem.
    pub fn problem(&self) -> Result<Problem, ProblemError> {
        let (rows, rest) = self.all_rows();
        let Some([pushes, slips]) = &self.layout.forces else {
            return Ok(Problem::Lcp(Lcp::new(
                Matrix::Sparse(Csc::from_triplets(0, 0, &[])),
                Vec::new(),
            )?));
        };
        let (nv, width) = (self.free.len(), self.normals.width());
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
                constant += slips.drive(f);
            }
            b.push(constant);
        }
        let mut columns = Vec::new();
        for (first, jacobian) in [(0, pushes), (pushes.len(), slips)] {
            for i in 0..jacobian.len() {
                for block in jacobian.row(i) {
                    let filled = block.value.iter().take(width).enumerate();
                    columns.extend(filled.map(|(j, &g)| (block.dof + j, first + i, g)));
                }
            }
        }
        let size = rows.len();
        match self.form {
            ProblemForm::Condensed => self.condensed(size, left, columns, &rest, b),
            ProblemForm::Full => self.full(nv, left, columns, rest, b),
        }
    }

    fn condensed(
        &self,
        size: usize,
        left: Vec<(usize, usize, f64)>,
        columns: Vec<(usize, usize, f64)>,
        rest: &[(usize, usize, f64)],
        mut b: Vec<f64>,
    ) -> Result<Problem, ProblemError> {
        let nv = self.free.len();
        let left = Csc::from_triplets(size, nv, &left);
        left.add_times(&self.free, &mut b);
        let mut right = Csc::from_triplets(nv, size, &columns);
        self.divide_by_mass(&mut right);
        let rest = Csc::from_triplets(size, size, rest);
        // Multiplied out: pivoting needs the entries, and nothing but pivoting solves these.
        let matrix = Matrix::Factored(Box::new(Factored { left, right, rest })).to_sparse();
        Ok(Problem::Lcp(Lcp::new(Matrix::Sparse(matrix), b)?))
    }

    /// `M⁻¹` times every column.
    fn divide_by_mass(&self, columns: &mut Csc) {
        let (width, cols) = (self.normals.width(), columns.cols);
        let mut out = Vec::new();
        for j in 0..cols {
            let mut blocks: std::collections::BTreeMap<usize, [f64; 6]> = Default::default();
            for (i, x) in columns.col(j) {
                blocks.entry(i - i % width).or_default()[i % width] = x;
            }
            for (dof, block) in blocks {
                let block = self.mass.inverse_times(dof, &block);
                out.extend((0..width).map(|i| (dof + i, j, block[i])));
            }
        }
        *columns = Csc::from_triplets(columns.rows, cols, &out);
    }

    fn full(
        &self,
        nv: usize,
        left: Vec<(usize, usize, f64)>,
        columns: Vec<(usize, usize, f64)>,
        rest: Vec<(usize, usize, f64)>,
        rows: Vec<f64>,
    ) -> Result<Problem, ProblemError> {
        let size = nv + rows.len();
        let mut entries = self.mass.entries();
        entries.extend(left.into_iter().map(|(r, v, x)| (nv + r, v, x)));
        entries.extend(columns.into_iter().map(|(v, j, x)| (v, nv + j, -x)));
        entries.extend(rest.into_iter().map(|(r, j, x)| (nv + r, nv + j, x)));
        let mut b = vec![0.0; nv];
        let width = self.normals.width();
        for dof in (0..nv).step_by(width) {
            let mut block = [0.0; 6];
            block[..width].copy_from_slice(&self.free[dof..dof + width]);
            let momentum = self.mass.times(dof, &block);
            b[dof..dof + width].iter_mut().zip(momentum).for_each(|(b, p)| *b = -p);
        }
        b.extend(rows);
        let mut lower = vec![f64::NEG_INFINITY; nv];
        lower.resize(size, 0.0);
        let matrix = Matrix::Sparse(Csc::from_triplets(size, size, &entries));
        Ok(Problem::Mlcp(Mlcp::new(matrix, b, lower, vec![f64::INFINITY; size])?))
    }
}
