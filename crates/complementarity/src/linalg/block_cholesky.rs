//! Multifrontal Cholesky of `I + sum_c J_cᵀ W_c J_c`, the matrix of bodies held together by
//! contacts: every contact couples the few unknowns it touches.
//!
//! All the work is on the dense columns of the [fronts](super::contact_fronts), four by four.

use super::contact_fronts::{ContactFronts, Weights};

/// One factored front; only its lower triangle is used.
#[derive(Clone, Debug, Default)]
struct Node {
    /// Columns of L, whole front.
    lower: Vec<f64>,
    /// What is left of the front, until the parent takes it.
    update: Vec<f64>,
}

/// The factor.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockCholesky {
    nodes: Vec<Node>,
    work: Vec<f64>,
}

impl BlockCholesky {
    /// Factors; false when a pivot is not positive, which only numbers that are not finite do.
    pub(crate) fn factor(&mut self, fronts: &ContactFronts, weights: &impl Weights) -> bool {
        self.nodes.resize_with(fronts.len(), Node::default);
        for k in 0..fronts.len() {
            let (size, own) = fronts.size(k);
            let mut front = std::mem::take(&mut self.work);
            fronts.assemble(k, weights, |child| &self.nodes[child].update, &mut front);
            let node = &mut self.nodes[k];
            if !eliminate_front(&mut front, size, own) {
                self.work = front;
                return false;
            }
            node.lower.clear();
            node.lower.extend_from_slice(&front[..own * size]);
            node.update.clear();
            for column in front[own * size..].chunks_exact(size) {
                node.update.extend_from_slice(&column[own..]);
            }
            self.work = front;
        }
        true
    }

    /// Solves in place, with the fronts that were factored.
    pub(crate) fn solve(&self, fronts: &ContactFronts, x: &mut [f64]) {
        let mut local = vec![];
        for (k, node) in self.nodes.iter().enumerate() {
            let ((size, own), unknowns) = (fronts.size(k), fronts.unknowns(k));
            local.clear();
            local.extend(unknowns.iter().map(|&v| x[v]));
            forward(&node.lower, size, own, &mut local);
            unknowns.iter().zip(&local).for_each(|(&v, y)| x[v] = *y);
        }
        for (k, node) in self.nodes.iter().enumerate().rev() {
            let ((size, own), unknowns) = (fronts.size(k), fronts.unknowns(k));
            local.clear();
            local.extend(unknowns.iter().map(|&v| x[v]));
            backward(&node.lower, size, own, &mut local);
            unknowns[..own].iter().zip(&local).for_each(|(&v, y)| x[v] = *y);
        }
    }
}

/// Solves with the first `own` columns of a factor, in place.
pub(crate) fn forward(lower: &[f64], size: usize, own: usize, x: &mut [f64]) {
    for k in 0..own {
        let column = &lower[k * size..(k + 1) * size];
        x[k] /= column[k];
        let xk = x[k];
        x[k + 1..].iter_mut().zip(&column[k + 1..]).for_each(|(x, l)| *x -= l * xk);
    }
}

/// Solves with their transpose, in place.
pub(crate) fn backward(lower: &[f64], size: usize, own: usize, x: &mut [f64]) {
    for k in (0..own).rev() {
        let column = &lower[k * size..(k + 1) * size];
        let below: f64 = column[k + 1..].iter().zip(&x[k + 1..]).map(|(l, x)| l * x).sum();
        x[k] = (x[k] - below) / column[k];
    }
}

/// Speed: columns that are eliminated at once.
const PANEL: usize = 4;

/// Cholesky of the first `own` columns; the rest of the lower triangle becomes what is left.
pub(crate) fn eliminate_front(front: &mut [f64], size: usize, own: usize) -> bool {
    let mut k = 0;
    while k < own {
        let end = (k + PANEL).min(own);
        let (head, tail) = front.split_at_mut(end * size);
        let panel = &mut head[k * size..];
        if !factor_panel(panel, size, k) {
            return false;
        }
        update(panel, tail, size, end);
        k = end;
    }
    true
}

/// The columns of a panel that starts at row `k` of the front.
fn factor_panel(panel: &mut [f64], size: usize, k: usize) -> bool {
    for c in 0..panel.len() / size {
        let (before, here) = panel.split_at_mut(c * size);
        let column = &mut here[..size];
        for other in before.chunks_exact(size) {
            let top = other[k + c];
            column[k + c..].iter_mut().zip(&other[k + c..]).for_each(|(x, l)| *x -= l * top);
        }
        let pivot = column[k + c];
        // NaN must be noticed too
        if pivot.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) || pivot.is_infinite() {
            return false;
        }
        let root = pivot.sqrt();
        let inverse = 1.0 / root;
        column[k + c] = root;
        column[k + c + 1..].iter_mut().for_each(|x| *x *= inverse);
    }
    true
}

/// Takes the panel's product off the columns from `first` on.
fn update(panel: &[f64], tail: &mut [f64], size: usize, first: usize) {
    if panel.len() < PANEL * size {
        for l in panel.chunks_exact(size) {
            for (j, column) in tail.chunks_exact_mut(size).enumerate() {
                let (at, top) = (first + j, l[first + j]);
                column[at..].iter_mut().zip(&l[at..]).for_each(|(x, l)| *x -= l * top);
            }
        }
        return;
    }
    let l = |c: usize| &panel[c * size..(c + 1) * size];
    let rows = [l(0), l(1), l(2), l(3)];
    let mut at = first;
    let mut columns = tail.chunks_exact_mut(4 * size);
    for four in &mut columns {
        four_columns(rows, four, size, at);
        at += 4;
    }
    for column in columns.into_remainder().chunks_exact_mut(size) {
        let t = rows.map(|l| l[at]);
        let [a, b, c, d] = rows.map(|l| &l[at..]);
        for ((((x, a), b), c), d) in column[at..].iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *x -= a * t[0] + b * t[1] + c * t[2] + d * t[3];
        }
        at += 1;
    }
}

/// Four columns less four products, from row `at` on.
fn four_columns(rows: [&[f64]; 4], four: &mut [f64], size: usize, at: usize) {
    let t: [[f64; 4]; 4] = std::array::from_fn(|j| rows.map(|l| l[at + j]));
    let n = size - at;
    let (w, rest) = four.split_at_mut(size);
    let (x, rest) = rest.split_at_mut(size);
    let (y, z) = rest.split_at_mut(size);
    let (w, x, y, z) = (&mut w[at..][..n], &mut x[at..][..n], &mut y[at..][..n], &mut z[at..][..n]);
    let [a, b, c, d] = rows.map(|l| &l[at..][..n]);
    for i in 0..n {
        let (a, b, c, d) = (a[i], b[i], c[i], d[i]);
        w[i] -= a * t[0][0] + b * t[0][1] + c * t[0][2] + d * t[0][3];
        x[i] -= a * t[1][0] + b * t[1][1] + c * t[1][2] + d * t[1][3];
        y[i] -= a * t[2][0] + b * t[2][1] + c * t[2][2] + d * t[2][3];
        z[i] -= a * t[3][0] + b * t[3][1] + c * t[3][2] + d * t[3][3];
    }
}
