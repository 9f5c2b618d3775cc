//! The factorised basis and its updates.
//!
//! ```text
//! A z - w = -b + t r:   the column of z_i is A_i, of w_i is -e_i, of t is -r
//! ```
//! Slack columns are unit vectors, so only the block of the basic z (and t) is factored: sparsely,
//! or densely where it is full.
//! A pivot multiplies the basis by a matrix that differs from the identity in one column (product
//! form); after some pivots the basis is factored afresh.

use super::model::Model;
use super::outside::Outside;
use crate::linalg::dense_lu::DenseLu;
use crate::linalg::ordering::minimum_degree;
use crate::linalg::sparse_lu::SparseLu;
use crate::problem::Csc;

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Var {
    /// Unknown i.
    Z(usize),
    /// Its slack.
    W(usize),
    /// The parameter of the path.
    T,
}

/// One pivot: position, entry there, and the other entries of the entering column; all of them, with
/// a zero at the position, where there is no index.
struct Eta {
    position: usize,
    pivot: f64,
    index: Vec<usize>,
    values: Vec<f64>,
}

/// The factors of the nucleus.
enum Factors {
    Sparse(SparseLu),
    /// The columns in this order, t last.
    Dense(DenseLu, Vec<usize>),
}

/// Smaller blocks are always factored sparsely.
const DENSE_FROM: usize = 64;
/// A column that shrinks below this part of its first size depends on those before it.
const DEPENDENT: f64 = 1e-11;
/// Steps through updates that cost as much as one entry of new factors.
const COST: usize = 60;
/// Share of entries that are not zero above which a block counts as full.
const DENSE_SHARE: f64 = 0.3;

/// `B = B₀ E₁ E₂ ..`.
pub(crate) struct Basis {
    /// The variable at each position.
    pub(crate) var: Vec<Var>,
    /// Positions factored in `lu`; the others were slack columns when B₀ was factored.
    nucleus: Vec<usize>,
    /// Entries of the nucleus columns in rows outside the nucleus.
    outside: Outside,
    is_slack: Vec<bool>,
    lu: Factors,
    /// Updates after which a new factorisation is due.
    patience: usize,
    etas: Vec<Eta>,
    eta_entries: usize,
    /// Entries of updates gone through in solves.
    spent: usize,
    small: Vec<f64>,
    scratch: Vec<f64>,
}

impl Basis {
    /// Factors the basis with those variables, position i holding a column that belongs to row i.
    /// Columns that depend on others are replaced by slacks; t never is, except as a last resort
    /// (`None`). `r` is the direction of the path, empty when t is not basic.
    pub(crate) fn factor(model: &Model, mut var: Vec<Var>, r: &[f64]) -> Option<Self> {
        loop {
            let nucleus: Vec<usize> =
                (0..var.len()).filter(|&i| !matches!(var[i], Var::W(_))).collect();
            let mut place = vec![usize::MAX; var.len()];
            for (k, &i) in nucleus.iter().enumerate() {
                place[i] = k;
            }
            let (mut inside, mut outside) = (empty(nucleus.len()), empty(nucleus.len()));
            for &i in &nucleus {
                let mut put = |row: usize, x: f64| match place[row] {
                    usize::MAX => push(&mut outside, row, x),
                    at => push(&mut inside, at, x),
                };
                match var[i] {
                    Var::Z(j) => model.a.col(j).for_each(|(row, x)| put(row, x)),
                    _ => r.iter().enumerate().filter(|e| *e.1 != 0.0).for_each(|(i, x)| put(i, -x)),
                }
                inside.start.push(inside.index.len());
                outside.start.push(outside.index.len());
            }
            let (lu, dependent) = factors(&inside, &nucleus, &var);
            if dependent.is_empty() {
                let patience = patience(&lu, var.len());
                let is_slack = place.iter().map(|&p| p == usize::MAX).collect();
                let outside = Outside::new(outside, &place);
                let (etas, eta_entries, small, scratch) = (vec![], 0, vec![], vec![]);
                return Some(Self {
                    var,
                    nucleus,
                    outside,
                    is_slack,
                    lu,
                    patience,
                    etas,
                    eta_entries,
                    spent: 0,
                    small,
                    scratch,
                });
            }
            for k in dependent {
                let i = nucleus[k];
                if var[i] == Var::T {
                    return None;
                }
                var[i] = Var::W(i);
            }
        }
    }

    /// Solves `B x = y` in place.
    pub(crate) fn solve(&mut self, y: &mut [f64]) {
        self.small.clear();
        self.small.extend(self.nucleus.iter().map(|&i| y[i]));
        match &self.lu {
            Factors::Sparse(lu) => lu.solve(&mut self.small, &mut self.scratch),
            Factors::Dense(lu, order) => {
                lu.solve(&mut self.small);
                self.scratch.clone_from(&self.small);
                for (x, &c) in self.scratch.iter().zip(order) {
                    self.small[c] = *x;
                }
            }
        }
        for (y, slack) in y.iter_mut().zip(&self.is_slack) {
            if *slack {
                *y = -*y;
            }
        }
        self.nucleus.iter().zip(&self.small).for_each(|(&i, x)| y[i] = *x);
        self.outside.add_times(&self.small, y);
        self.spent += self.eta_entries;
        for eta in &self.etas {
            let x = y[eta.position] / eta.pivot;
            y[eta.position] = x;
            if x == 0.0 {
                continue;
            }
            if eta.index.is_empty() {
                y.iter_mut().zip(&eta.values).for_each(|(y, a)| *y -= a * x);
            }
            for (&i, a) in eta.index.iter().zip(&eta.values) {
                y[i] -= a * x;
            }
        }
    }

    /// Puts `var` at `position`; `column` is its column solved with the basis.
    pub(crate) fn replace(&mut self, position: usize, var: Var, column: &[f64]) {
        let largest = column.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let keep = |i: usize, x: f64| i != position && x.abs() > 1e-16 * largest;
        let n = column.len();
        let (mut index, mut values) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for (i, &x) in column.iter().enumerate().filter(|&(i, x)| keep(i, *x)) {
            index.push(i);
            values.push(x);
        }
        if 3 * index.len() > 2 * n {
            index.clear();
            values = column.to_vec();
            values[position] = 0.0;
        }
        self.eta_entries += values.len();
        self.etas.push(Eta { position, pivot: column[position], index, values });
        self.var[position] = var;
    }

    /// Whether the updates cost more than a new factorisation would save.
    pub(crate) fn is_stale(&self) -> bool {
        let fill = match &self.lu {
            Factors::Sparse(lu) => lu.fill(),
            Factors::Dense(_, order) => order.len() * order.len(),
        };
        self.etas.len() >= self.patience
            || (self.etas.len() >= 16 && self.spent > COST * (fill + self.var.len()))
    }

    /// The variables with every one at the position of its row, t at the row that is left.
    pub(crate) fn aligned(&self) -> Vec<Var> {
        let mut out = vec![Var::T; self.var.len()];
        for &v in &self.var {
            if let Var::Z(i) | Var::W(i) = v {
                out[i] = v;
            }
        }
        out
    }
}

/// The factors, and the columns that depend on others.
fn factors(columns: &Csc, nucleus: &[usize], var: &[Var]) -> (Factors, Vec<usize>) {
    let k = columns.cols;
    if k >= DENSE_FROM && columns.index.len() as f64 > DENSE_SHARE * (k * k) as f64 {
        let mut order: Vec<usize> = (0..k).collect();
        order.sort_by_key(|&c| var[nucleus[c]] == Var::T);
        let mut a = vec![0.0; k * k];
        for (place, &c) in order.iter().enumerate() {
            columns.col(c).for_each(|(row, x)| a[place * k + row] += x);
        }
        if let Some(lu) = DenseLu::new(k, a, DEPENDENT) {
            return (Factors::Dense(lu, order), vec![]);
        }
    }
    let lu = SparseLu::new(columns, column_order(columns, nucleus, var));
    let dependent = lu.dependent.clone();
    (Factors::Sparse(lu), dependent)
}

/// As many updates as make the solves with them cost what a new factorisation costs.
fn patience(lu: &Factors, n: usize) -> usize {
    match lu {
        Factors::Sparse(_) => 100,
        Factors::Dense(_, order) => {
            let cube = (order.len() as f64).powi(3);
            ((0.4 * cube / n as f64).sqrt() as usize).clamp(100, 500)
        }
    }
}

/// A matrix of `k` columns to be written one after the other.
fn empty(k: usize) -> Csc {
    Csc { rows: k, cols: k, start: vec![0], index: vec![], values: vec![] }
}

fn push(a: &mut Csc, row: usize, x: f64) {
    a.index.push(row);
    a.values.push(x);
}

/// Minimum degree on the symmetrised pattern; t, whose column is full, comes last.
fn column_order(columns: &Csc, nucleus: &[usize], var: &[Var]) -> Vec<usize> {
    let k = columns.cols;
    let is_t: Vec<bool> = nucleus.iter().map(|&i| var[i] == Var::T).collect();
    if k <= 3 {
        let mut order: Vec<usize> = (0..k).collect();
        order.sort_by_key(|&c| is_t[c]);
        return order;
    }
    let pairs = |c: usize| {
        let rows = &columns.index[columns.start[c]..columns.start[c + 1]];
        rows.iter().copied().filter(move |&r| r != c)
    };
    let mut count = vec![0; k];
    let kept = || (0..k).filter(|&c| !is_t[c]);
    for c in kept() {
        for r in pairs(c).filter(|&r| !is_t[r]) {
            count[c] += 1;
            count[r] += 1;
        }
    }
    let mut neighbors: Vec<Vec<usize>> = count.into_iter().map(Vec::with_capacity).collect();
    for c in kept() {
        for r in pairs(c).filter(|&r| !is_t[r]) {
            neighbors[c].push(r);
            neighbors[r].push(c);
        }
    }
    let mut order = minimum_degree(neighbors);
    order.sort_by_key(|&c| is_t[c]);
    order
}
