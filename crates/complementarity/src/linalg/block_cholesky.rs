//! Multifrontal Cholesky of `I + sum_c J_cᵀ W_c J_c`, the matrix of bodies held together by
//! contacts: every contact couples the few unknowns it touches.
//!
//! Unknowns touched by the same contacts (the velocities of a body) are eliminated together, in
//! an order of minimum degree. Each such group has a front: a dense matrix over the group and what
//! it still touches. The group is eliminated in its front, and what is left is added to the front
//! of the next group it touches. All the work is on dense columns, four by four.

use super::fronts::{Front, Fronts};

/// One front; only its lower triangle is used.
#[derive(Clone, Debug, Default)]
struct Node {
    front: Front,
    /// Contacts that enter here, with the places of their unknowns in the front.
    contacts: Vec<(usize, Vec<usize>)>,
    /// Columns of L, whole front.
    lower: Vec<f64>,
    /// What is left of the front, until the parent takes it.
    rest: Vec<f64>,
}

/// The factor, with the structure found once.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockCholesky {
    nodes: Vec<Node>,
    work: Vec<f64>,
}

/// What a contact adds: calls for the lower triangle of its block, in its own unknowns.
pub(crate) trait Weights {
    /// Number of unknowns of contact `c` (as in its set).
    fn size(&self, c: usize) -> usize;
    /// Writes `J_cᵀ W_c J_c`, column by column; false where it adds nothing.
    fn block(&self, c: usize, out: &mut [f64]) -> bool;
}

impl BlockCholesky {
    /// The structure for `n` unknowns and the sets of unknowns that each contact couples.
    pub(crate) fn new(n: usize, sets: &[&[usize]]) -> Self {
        let groups = alike(n, sets);
        let mut group_of = vec![0; n];
        for (g, members) in groups.iter().enumerate() {
            members.iter().for_each(|&v| group_of[v] = g);
        }
        let mut graph = vec![Vec::new(); groups.len()];
        for set in sets {
            let mut touched: Vec<usize> = set.iter().map(|&v| group_of[v]).collect();
            touched.sort_unstable();
            touched.dedup();
            for &g in &touched {
                graph[g].extend(touched.iter().copied().filter(|&h| h != g));
            }
        }
        let late = vec![false; groups.len()];
        let Fronts { fronts, front_of } = Fronts::new(&groups, graph, &late, SLACK);
        let mut contacts_of = vec![Vec::new(); fronts.len()];
        for (c, set) in sets.iter().enumerate() {
            if let Some(first) = set.iter().map(|&v| front_of[v]).min() {
                contacts_of[first].push(c);
            }
        }
        let mut place = vec![usize::MAX; n];
        let node = |(front, contacts): (Front, Vec<usize>)| {
            front.mark(&mut place);
            let at = |c: usize| (c, sets[c].iter().map(|&v| place[v]).collect());
            let contacts = contacts.into_iter().map(at).collect();
            Node { front, contacts, ..Node::default() }
        };
        Self { nodes: fronts.into_iter().zip(contacts_of).map(node).collect(), work: vec![] }
    }

    /// Factors; false when a pivot is not positive, which only numbers that are not finite do.
    pub(crate) fn factor(&mut self, weights: &impl Weights) -> bool {
        let mut block = vec![];
        for k in 0..self.nodes.len() {
            let (size, own) = self.nodes[k].front.size();
            let mut front = std::mem::take(&mut self.work);
            front.clear();
            front.resize(size * size, 0.0);
            (0..own).for_each(|i| front[i * size + i] = 1.0);
            for (c, places) in &self.nodes[k].contacts {
                let m = weights.size(*c);
                block.clear();
                block.resize(m * m, 0.0);
                if weights.block(*c, &mut block) {
                    add(&block, places, &mut front, size);
                }
            }
            for (child, places) in &self.nodes[k].front.children {
                add(&self.nodes[*child].rest, places, &mut front, size);
            }
            let node = &mut self.nodes[k];
            if !eliminate_front(&mut front, size, own) {
                self.work = front;
                return false;
            }
            node.lower.clear();
            node.lower.extend_from_slice(&front[..own * size]);
            node.rest.clear();
            for column in front[own * size..].chunks_exact(size) {
                node.rest.extend_from_slice(&column[own..]);
            }
            self.work = front;
        }
        true
    }

    /// Solves in place.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let mut local = vec![];
        for node in &self.nodes {
            let (size, own) = node.front.size();
            local.clear();
            local.extend(node.front.unknowns.iter().map(|&v| x[v]));
            forward(&node.lower, size, own, &mut local);
            node.front.unknowns.iter().zip(&local).for_each(|(&v, y)| x[v] = *y);
        }
        for node in self.nodes.iter().rev() {
            let (size, own) = node.front.size();
            local.clear();
            local.extend(node.front.unknowns.iter().map(|&v| x[v]));
            backward(&node.lower, size, own, &mut local);
            node.front.unknowns[..own].iter().zip(&local).for_each(|(&v, y)| x[v] = *y);
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

/// Adds a small square matrix into the lower triangle of a front.
fn add(block: &[f64], places: &[usize], front: &mut [f64], size: usize) {
    for (column, &j) in block.chunks_exact(places.len().max(1)).zip(places) {
        let target = &mut front[j * size..(j + 1) * size];
        column.iter().zip(places).for_each(|(x, &i)| target[i] += x);
    }
}

/// Columns that are eliminated at once.
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

/// Neighbouring unknowns that are in much the same sets, as the velocities of a body are.
fn alike(n: usize, sets: &[&[usize]]) -> Vec<Vec<usize>> {
    let mut member: Vec<Vec<usize>> = vec![vec![]; n];
    for (c, set) in sets.iter().enumerate() {
        set.iter().for_each(|&v| member[v].push(c));
    }
    let mut groups: Vec<Vec<usize>> = vec![];
    let mut first = 0;
    for v in 0..n {
        let (a, b) = (&member[first], &member[v]);
        let common = b.iter().filter(|c| a.binary_search(c).is_ok()).count();
        // more than half of all the sets that either is in
        if v > 0 && 5 * common > 3 * (a.len() + b.len() - common) {
            if let Some(group) = groups.last_mut() {
                group.push(v);
            }
        } else {
            first = v;
            groups.push(vec![v]);
        }
    }
    groups
}

/// Unknowns that a joined front may hold needlessly, against those it eliminates.
const SLACK: f64 = 0.15;

#[cfg(test)]
mod tests {
    use super::*;

    /// Contacts with random rows of J over their unknowns, `W = I`.
    struct Rows {
        sets: Vec<Vec<usize>>,
        rows: Vec<Vec<Vec<f64>>>,
    }

    impl Weights for Rows {
        fn size(&self, c: usize) -> usize {
            self.sets[c].len()
        }

        fn block(&self, c: usize, out: &mut [f64]) -> bool {
            let m = self.sets[c].len();
            for row in &self.rows[c] {
                for a in 0..m {
                    for b in 0..m {
                        out[a * m + b] += row[a] * row[b];
                    }
                }
            }
            true
        }
    }

    /// Bodies of six unknowns, each pair of neighbours in a grid in contact.
    fn grid(nx: usize, ny: usize, seed: &mut u64) -> Rows {
        let mut random = || {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(97);
            (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut sets: Vec<Vec<usize>> = vec![];
        for k in 0..nx * ny {
            let body = |k: usize| (6 * k..6 * k + 6).collect::<Vec<_>>();
            let right = (k % nx + 1 < nx).then_some(k + 1);
            let up = (k + nx < nx * ny).then_some(k + nx);
            for other in [right, up].into_iter().flatten() {
                sets.push([body(k), body(other)].concat());
            }
            sets.push(body(k));
        }
        let rows = sets
            .iter()
            .map(|s| (0..3).map(|_| s.iter().map(|_| 30.0 * random()).collect()).collect())
            .collect();
        Rows { sets, rows }
    }

    #[test]
    fn solves_what_it_factored() {
        let mut seed = 11;
        for (nx, ny) in [(1, 1), (5, 1), (4, 3), (7, 9)] {
            let rows = grid(nx, ny, &mut seed);
            let n = 6 * nx * ny;
            let sets: Vec<&[usize]> = rows.sets.iter().map(Vec::as_slice).collect();
            let mut cholesky = BlockCholesky::new(n, &sets);
            assert!(cholesky.factor(&rows), "seed 11, {nx} by {ny}");
            let right: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
            // (I + sum JᵀJ) times that
            let mut x = right.clone();
            for (set, rows) in rows.sets.iter().zip(&rows.rows) {
                for row in rows {
                    let dot: f64 = row.iter().zip(set).map(|(j, &v)| j * right[v]).sum();
                    row.iter().zip(set).for_each(|(j, &v)| x[v] += j * dot);
                }
            }
            cholesky.solve(&mut x);
            for (x, y) in x.iter().zip(&right) {
                assert!((x - y).abs() < 1e-9, "seed 11, {nx} by {ny}: {x} {y}");
            }
        }
    }

    #[test]
    fn numbers_that_are_not_finite_are_noticed() {
        let rows = Rows { sets: vec![vec![0, 1]], rows: vec![vec![vec![f64::NAN, 1.0]]] };
        let mut cholesky = BlockCholesky::new(2, &[&[0, 1]]);
        assert!(!cholesky.factor(&rows));
    }
}
