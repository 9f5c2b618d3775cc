//! The fronts of `I + sum_c J_cᵀ W_c J_c`, the matrix of bodies held together by contacts: every
//! contact couples the few unknowns it touches.
//!
//! Unknowns touched by the same contacts (the velocities of a body) are eliminated together, in
//! an order of minimum degree. Each such group has a front: a dense matrix over the group and what
//! it still touches. The group is eliminated in its front, and what is left is added to the front
//! of the next group it touches. How a front is eliminated depends on the W: `block_cholesky` for
//! symmetric ones, `contact_lu` for any.

use super::fronts::{Front, Fronts, add};

/// The structure, found once.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactFronts {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    front: Front,
    /// Contacts that enter here, with the places of their unknowns in the front.
    contacts: Vec<(usize, Vec<usize>)>,
}

/// What a contact adds: calls for its block, in its own unknowns.
pub(crate) trait Weights {
    /// Number of unknowns of contact `c` (as in its set).
    fn size(&self, c: usize) -> usize;
    /// Adds `J_cᵀ W_c J_c`, column by column; false where it adds nothing.
    fn block(&self, c: usize, out: &mut [f64]) -> bool;
}

impl ContactFronts {
    /// For `n` unknowns and the sets of unknowns that each contact couples.
    pub(crate) fn new(n: usize, sets: &[&[u32]]) -> Self {
        let groups = alike(n, sets);
        let mut group_of = vec![0; n];
        for (g, members) in groups.iter().enumerate() {
            members.iter().for_each(|&v| group_of[v] = g);
        }
        let mut graph = vec![Vec::new(); groups.len()];
        for set in sets {
            let mut touched: Vec<usize> = set.iter().map(|&v| group_of[v as usize]).collect();
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
            if let Some(first) = set.iter().map(|&v| front_of[v as usize]).min() {
                contacts_of[first].push(c);
            }
        }
        let mut place = vec![usize::MAX; n];
        let node = |(front, contacts): (Front, Vec<usize>)| {
            front.mark(&mut place);
            let at = |c: usize| (c, sets[c].iter().map(|&v| place[v as usize]).collect());
            let contacts = contacts.into_iter().map(at).collect();
            Node { front, contacts }
        };
        Self { nodes: fronts.into_iter().zip(contacts_of).map(node).collect() }
    }

    /// Number of fronts, in the order of elimination.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Number of unknowns of front `k`, and of those eliminated there, which come first.
    pub(crate) fn size(&self, k: usize) -> (usize, usize) {
        self.nodes[k].front.size()
    }

    /// Roughly the multiplications of a factorization: those that a front eliminates, times the square
    /// of its size, over all fronts.
    pub(crate) fn work(&self) -> f64 {
        let each = |node: &Node| {
            let (size, own) = node.front.size();
            own as f64 * (size * size) as f64
        };
        self.nodes.iter().map(each).sum()
    }

    /// The unknowns of front `k`.
    pub(crate) fn unknowns(&self, k: usize) -> &[usize] {
        &self.nodes[k].front.unknowns
    }

    /// Writes front `k`, column by column: the unit matrix, its contacts, and what its children
    /// left.
    pub(crate) fn assemble<'a>(
        &self,
        k: usize,
        weights: &impl Weights,
        update: impl Fn(usize) -> &'a [f64],
        out: &mut Vec<f64>,
    ) {
        let node = &self.nodes[k];
        let (size, own) = node.front.size();
        out.clear();
        out.resize(size * size, 0.0);
        (0..own).for_each(|i| out[i * size + i] = 1.0);
        let mut block = vec![];
        for (c, places) in &node.contacts {
            let m = weights.size(*c);
            block.clear();
            block.resize(m * m, 0.0);
            if weights.block(*c, &mut block) {
                add(&block, places, out, size);
            }
        }
        for (child, places) in &node.front.children {
            add(update(*child), places, out, size);
        }
    }
}

/// Neighbouring unknowns that are in much the same sets, as the velocities of a body are.
fn alike(n: usize, sets: &[&[u32]]) -> Vec<Vec<usize>> {
    let mut member: Vec<Vec<usize>> = vec![vec![]; n];
    for (c, set) in sets.iter().enumerate() {
        set.iter().for_each(|&v| member[v as usize].push(c));
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

/// Speed: unknowns that a joined front may hold needlessly, against those it eliminates.
const SLACK: f64 = 0.15;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::block_cholesky::BlockCholesky;
    use crate::linalg::contact_lu::ContactLu;

    /// Contacts with random rows of J over their unknowns, `W = I`, or with a skew part.
    struct Rows {
        sets: Vec<Vec<u32>>,
        skew: f64,
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
            for (first, second) in self.rows[c].iter().zip(self.rows[c].iter().skip(1)) {
                for a in 0..m {
                    for b in 0..m {
                        out[a * m + b] += self.skew * (second[b] * first[a] - first[b] * second[a]);
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
        let mut sets: Vec<Vec<u32>> = vec![];
        for k in 0..nx * ny {
            let body = |k: usize| (6 * k as u32..6 * k as u32 + 6).collect::<Vec<_>>();
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
        Rows { sets, rows, skew: 0.0 }
    }

    /// `(I + sum_c J_cᵀ W_c J_c) right`.
    fn times(rows: &Rows, right: &[f64]) -> Vec<f64> {
        let mut x = right.to_vec();
        for (c, set) in rows.sets.iter().enumerate() {
            let m = set.len();
            let mut block = vec![0.0; m * m];
            rows.block(c, &mut block);
            for (a, &j) in set.iter().enumerate() {
                for (b, &i) in set.iter().enumerate() {
                    x[i as usize] += block[a * m + b] * right[j as usize];
                }
            }
        }
        x
    }

    #[test]
    fn both_factors_solve_what_they_factored() {
        let mut seed = 11;
        for (nx, ny) in [(1, 1), (5, 1), (4, 3), (7, 9)] {
            for skew in [0.0, 0.7] {
                let rows = Rows { skew, ..grid(nx, ny, &mut seed) };
                let n = 6 * nx * ny;
                let sets: Vec<&[u32]> = rows.sets.iter().map(Vec::as_slice).collect();
                let fronts = ContactFronts::new(n, &sets);
                let right: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
                let close = |x: &[f64]| {
                    for (x, y) in x.iter().zip(&right) {
                        assert!((x - y).abs() < 1e-9, "seed 11, {nx} by {ny}: {x} {y}");
                    }
                };
                if skew == 0.0 {
                    let mut x = times(&rows, &right);
                    let mut cholesky = BlockCholesky::default();
                    assert!(cholesky.factor(&fronts, &rows), "seed 11, {nx} by {ny}");
                    cholesky.solve(&fronts, &mut x);
                    close(&x);
                }
                let mut x = times(&rows, &right);
                let mut lu = ContactLu::default();
                assert!(lu.factor(&fronts, &rows), "seed 11, {nx} by {ny}");
                lu.solve(&fronts, &mut x);
                close(&x);
            }
        }
    }

    #[test]
    fn numbers_that_are_not_finite_are_noticed() {
        let rows = vec![vec![vec![f64::NAN, 1.0]]];
        let rows = Rows { sets: vec![vec![0, 1]], rows, skew: 0.0 };
        let fronts = ContactFronts::new(2, &[&[0, 1]]);
        assert!(!BlockCholesky::default().factor(&fronts, &rows));
        assert!(!ContactLu::default().factor(&fronts, &rows));
    }
}
