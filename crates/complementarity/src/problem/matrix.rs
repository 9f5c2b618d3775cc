//! Matrices of problems: dense, sparse, or as the factors of `G' M⁻¹ G + D`.

use super::{Factored, ProblemError};

/// Dense, column by column.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// `rows * cols` numbers, column-major.
    pub values: Vec<f64>,
}

/// Compressed sparse columns, row indices strictly growing within a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Csc {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Start of each column in `index`; `cols + 1` numbers.
    pub start: Vec<usize>,
    /// Row of each entry.
    pub index: Vec<usize>,
    /// Value of each entry.
    pub values: Vec<f64>,
}

/// The matrix of a problem.
#[derive(Clone, Debug, PartialEq)]
pub enum Matrix {
    /// All entries.
    Dense(Dense),
    /// The entries that are not zero.
    Sparse(Csc),
    /// As factors.
    Factored(Box<Factored>),
}

impl Dense {
    /// All zero.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, values: vec![0.0; rows * cols] }
    }

    /// From rows, as one writes a matrix on paper.
    pub fn from_rows(rows: &[&[f64]]) -> Self {
        let cols = rows.first().map_or(0, |r| r.len());
        let mut a = Self::zeros(rows.len(), cols);
        for (i, row) in rows.iter().enumerate() {
            for (j, &x) in row.iter().enumerate().take(cols) {
                a.values[j * rows.len() + i] = x;
            }
        }
        a
    }

    /// Entry at row `i`, column `j`.
    #[inline]
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.values[j * self.rows + i]
    }

    /// Column `j`.
    pub fn col(&self, j: usize) -> &[f64] {
        &self.values[j * self.rows..(j + 1) * self.rows]
    }
}

impl Csc {
    /// From entries (row, column, value) in any order; repeated places are summed.
    pub fn from_triplets(rows: usize, cols: usize, entries: &[(usize, usize, f64)]) -> Self {
        // by columns first: these are short, and mostly in order
        let mut first = vec![0; cols + 1];
        entries.iter().for_each(|e| first[e.1 + 1] += 1);
        (0..cols).for_each(|j| first[j + 1] += first[j]);
        let (mut next, mut sorted) = (first.clone(), vec![(0, 0.0); entries.len()]);
        for &(i, j, x) in entries {
            sorted[next[j]] = (i, x);
            next[j] += 1;
        }
        let mut start = Vec::with_capacity(cols + 1);
        let (mut index, mut values) =
            (Vec::with_capacity(entries.len()), Vec::with_capacity(entries.len()));
        for j in 0..cols {
            start.push(index.len());
            let column = &mut sorted[first[j]..first[j + 1]];
            if column.windows(2).any(|w| w[0].0 > w[1].0) {
                column.sort_by_key(|e| e.0);
            }
            let mut last = usize::MAX;
            for &(i, x) in column.iter() {
                match values.last_mut() {
                    Some(v) if i == last => *v += x,
                    _ => {
                        index.push(i);
                        values.push(x);
                    }
                }
                last = i;
            }
        }
        start.push(index.len());
        Self { rows, cols, start, index, values }
    }

    /// All entries as (row, column, value).
    pub fn to_triplets(&self) -> Vec<(usize, usize, f64)> {
        (0..self.cols).flat_map(|j| self.col(j).map(move |(i, x)| (i, j, x))).collect()
    }

    /// Entries (row, value) of column `j`.
    #[inline]
    pub fn col(&self, j: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.start[j]..self.start[j + 1];
        self.index[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// `y += A x`.
    pub fn add_times(&self, x: &[f64], y: &mut [f64]) {
        for (j, &xj) in x.iter().enumerate().take(self.cols) {
            if xj != 0.0 {
                let range = self.start[j]..self.start[j + 1];
                for (&i, a) in self.index[range.clone()].iter().zip(&self.values[range]) {
                    y[i] += a * xj;
                }
            }
        }
    }

    /// The transpose.
    pub fn transpose(&self) -> Self {
        // counted one place too far: where a column starts is then where its next entry goes
        let mut start = vec![0; self.rows + 2];
        for &i in &self.index {
            start[i + 2] += 1;
        }
        for i in 0..self.rows {
            start[i + 2] += start[i + 1];
        }
        let (mut index, mut values) = (vec![0; self.index.len()], vec![0.0; self.index.len()]);
        let next = &mut start[1..];
        for j in 0..self.cols {
            for (i, x) in self.col(j) {
                let place = next[i];
                next[i] = place + 1;
                (index[place], values[place]) = (j, x);
            }
        }
        start.truncate(self.rows + 1);
        Self { rows: self.cols, cols: self.rows, start, index, values }
    }

    pub(crate) fn check(&self) -> Result<(), ProblemError> {
        let bad = |text: &str| Err(ProblemError::Sparse(text.to_owned()));
        if self.start.len() != self.cols + 1 || self.start[0] != 0 {
            return bad("column starts must be one more than the columns and begin with 0");
        }
        if self.start.windows(2).any(|w| w[0] > w[1]) || self.start[self.cols] != self.index.len() {
            return bad("column starts must grow up to the number of entries");
        }
        // many at a time: `i - rows` is negative, and `i` is not
        let rows = self.rows;
        let signs = self.index.iter().fold(usize::MAX, |s, &i| s & i.wrapping_sub(rows) & !i);
        if self.index.len() != self.values.len() || signs >> (usize::BITS - 1) == 0 {
            return bad("every entry needs a row inside the matrix and a value");
        }
        check_finite("A", &self.values)
    }
}

impl Matrix {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense(a) => a.rows,
            Self::Sparse(a) => a.rows,
            Self::Factored(a) => a.left.rows,
        }
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        match self {
            Self::Dense(a) => a.cols,
            Self::Sparse(a) => a.cols,
            Self::Factored(a) => a.right.cols,
        }
    }

    /// `A z + b`.
    pub fn times_plus(&self, z: &[f64], b: &[f64]) -> Vec<f64> {
        let mut w = b.to_vec();
        match self {
            Self::Dense(a) => {
                for (j, &zj) in z.iter().enumerate() {
                    if zj != 0.0 {
                        for (wi, aij) in w.iter_mut().zip(a.col(j)) {
                            *wi += aij * zj;
                        }
                    }
                }
            }
            Self::Sparse(a) => a.add_times(z, &mut w),
            Self::Factored(a) => {
                let mut nu = vec![0.0; a.right.rows];
                a.right.add_times(z, &mut nu);
                a.left.add_times(&nu, &mut w);
                a.d_block.add_times(z, &mut w);
            }
        }
        w
    }

    /// All entries.
    pub fn to_dense(&self) -> Dense {
        match self {
            Self::Dense(a) => a.clone(),
            Self::Sparse(a) => {
                let mut dense = Dense::zeros(a.rows, a.cols);
                for j in 0..a.cols {
                    for (i, x) in a.col(j) {
                        dense.values[j * a.rows + i] += x;
                    }
                }
                dense
            }
            Self::Factored(a) => a.dense(),
        }
    }

    /// The entries that are not zero; the product of the factors where it is factored.
    pub fn to_sparse(&self) -> Csc {
        match self {
            Self::Sparse(a) => a.clone(),
            Self::Dense(a) => {
                let (mut start, mut index, mut values) = (vec![0], vec![], vec![]);
                for j in 0..a.cols {
                    for (i, &x) in a.col(j).iter().enumerate().filter(|(_, x)| **x != 0.0) {
                        index.push(i);
                        values.push(x);
                    }
                    start.push(index.len());
                }
                Csc { rows: a.rows, cols: a.cols, start, index, values }
            }
            Self::Factored(a) => a.product(),
        }
    }

    /// `a A`.
    pub(crate) fn times(&self, a: f64) -> Self {
        let scale = |m: &Csc| {
            let mut m = m.clone();
            m.values.iter_mut().for_each(|x| *x *= a);
            m
        };
        match self {
            Self::Dense(m) => {
                let mut m = m.clone();
                m.values.iter_mut().for_each(|x| *x *= a);
                Self::Dense(m)
            }
            Self::Sparse(m) => Self::Sparse(scale(m)),
            Self::Factored(m) => {
                let (left, right, d_block) = (m.left.clone(), scale(&m.right), scale(&m.d_block));
                Self::Factored(Box::new(Factored { left, right, d_block }))
            }
        }
    }

    /// `A + a I`.
    pub(crate) fn shifted(&self, a: f64) -> Self {
        let shift = |m: &Csc| {
            let mut entries = m.to_triplets();
            entries.extend((0..m.cols).map(|i| (i, i, a)));
            Csc::from_triplets(m.rows, m.cols, &entries)
        };
        match self {
            Self::Dense(m) => {
                let mut m = m.clone();
                (0..m.cols).for_each(|i| m.values[i * m.rows + i] += a);
                Self::Dense(m)
            }
            Self::Sparse(m) => Self::Sparse(shift(m)),
            Self::Factored(m) => Self::Factored(Box::new(Factored {
                d_block: shift(&m.d_block),
                ..m.as_ref().clone()
            })),
        }
    }

    /// The square block of the rows and columns in `set`.
    pub(crate) fn block(&self, set: &[usize]) -> Dense {
        let k = set.len();
        let mut block = Dense::zeros(k, k);
        if let Self::Dense(a) = self {
            for (c, &j) in set.iter().enumerate() {
                for (r, &i) in set.iter().enumerate() {
                    block.values[c * k + r] = a.get(i, j);
                }
            }
            return block;
        }
        let mut place = vec![usize::MAX; self.rows()];
        for (r, &i) in set.iter().enumerate() {
            place[i] = r;
        }
        for (c, &j) in set.iter().enumerate() {
            self.for_column(j, |i, x| {
                if place[i] != usize::MAX {
                    block.values[c * k + place[i]] += x;
                }
            });
        }
        block
    }

    /// Calls `f(row, value)` for the entries of column `j`; a row may come more than once, and
    /// its values are to be summed.
    pub(crate) fn for_column(&self, j: usize, mut f: impl FnMut(usize, f64)) {
        match self {
            Self::Dense(a) => a.col(j).iter().enumerate().for_each(|(i, &x)| f(i, x)),
            Self::Sparse(a) => a.col(j).for_each(|(i, x)| f(i, x)),
            Self::Factored(a) => {
                for (v, b) in a.right.col(j) {
                    a.left.col(v).for_each(|(i, x)| f(i, x * b));
                }
                a.d_block.col(j).for_each(|(i, x)| f(i, x));
            }
        }
    }

    /// `|A| |z| + |b|`, a bound on what cancels in `A z + b` and so on its rounding error.
    pub(crate) fn magnitude(&self, z: &[f64], b: &[f64]) -> Vec<f64> {
        let mut m: Vec<f64> = b.iter().map(|x| x.abs()).collect();
        let add = |a: &Csc, x: &[f64], y: &mut [f64]| {
            for (j, x) in x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                a.col(j).for_each(|(i, v)| y[i] += (v * x).abs());
            }
        };
        match self {
            Self::Dense(a) => {
                for (j, x) in z.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                    m.iter_mut().zip(a.col(j)).for_each(|(m, v)| *m += (v * x).abs());
                }
            }
            Self::Sparse(a) => add(a, z, &mut m),
            Self::Factored(a) => {
                let mut nu = vec![0.0; a.right.rows];
                add(&a.right, z, &mut nu);
                add(&a.left, &nu, &mut m);
                add(&a.d_block, z, &mut m);
            }
        }
        m
    }

    /// Checks shape and numbers.
    pub(crate) fn check_square(&self, n: usize) -> Result<(), ProblemError> {
        for (what, found) in [("A (rows)", self.rows()), ("A (columns)", self.cols())] {
            if found != n {
                return Err(ProblemError::Size { what, found, expected: n });
            }
        }
        match self {
            Self::Dense(a) if a.values.len() != n * n => {
                Err(ProblemError::Size { what: "A", found: a.values.len(), expected: n * n })
            }
            // the place among the values is not the row
            Self::Dense(a) => check_finite("A", &a.values).map_err(|e| at_row(e, |k| k % n)),
            Self::Sparse(a) => a.check().map_err(|e| at_row(e, |k| a.index[k])),
            Self::Factored(a) => {
                if a.left.cols != a.right.rows || a.d_block.rows != n || a.d_block.cols != n {
                    return Err(ProblemError::Sparse("the factors do not fit together".into()));
                }
                [&a.left, &a.right, &a.d_block].into_iter().try_for_each(Csc::check)
            }
        }
    }
}

/// The error with the row of the offender.
fn at_row(error: ProblemError, row_of: impl Fn(usize) -> usize) -> ProblemError {
    match error {
        ProblemError::NotFinite { what, row, value } => {
            ProblemError::NotFinite { what, row: row_of(row), value }
        }
        other => other,
    }
}

/// How many are not zero.
pub(crate) fn nonzeros(values: &[f64]) -> usize {
    // a sum that cannot overflow is several times faster without the check for it
    values.iter().fold(0, |n: usize, x| n.wrapping_add(usize::from(*x != 0.0)))
}

/// Every number finite, or the first that is not.
pub(crate) fn check_finite(what: &'static str, x: &[f64]) -> Result<(), ProblemError> {
    // nearly always all are, and many at a time cost little to check: one more at the exponent of an
    // infinity or NaN carries into the sign
    let exponent = f64::INFINITY.to_bits();
    let one = 1 << f64::MANTISSA_DIGITS.saturating_sub(1);
    let carries = x.iter().fold(0, |c, v| c | (v.to_bits() & exponent).wrapping_add(one));
    if carries >> 63 == 0 {
        return Ok(());
    }
    match x.iter().position(|v| !v.is_finite()) {
        Some(row) => Err(ProblemError::NotFinite { what, row, value: x[row] }),
        None => Ok(()),
    }
}
