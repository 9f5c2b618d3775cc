//! Multifrontal LU for matrices with the pattern of bodies in contact.
//!
//! Unknowns with the same neighbours (the velocities of a body) are eliminated together. Every
//! group of them has a front: a dense matrix over the group and the unknowns it still touches. The
//! group is eliminated in the front with row exchanges inside the group only, and what is left is
//! added to the front of the next group that touches it. All the work is on dense columns.

use super::fronts::{Front, Fronts, add};
use crate::problem::Csc;

/// One front.
#[derive(Clone, Debug, Default)]
struct Node {
    front: Front,
    /// Entries of the matrix that enter here: (place in its values, place in the front).
    entries: Vec<(usize, usize)>,
    done: Eliminated,
}

/// A front after its first unknowns are eliminated.
#[derive(Clone, Debug, Default)]
pub(super) struct Eliminated {
    /// Columns of L (whole front, unit diagonal) and rows of U to the right, column by column.
    lower: Vec<f64>,
    upper: Vec<f64>,
    exchange: Vec<usize>,
    /// What is left of the front, until the parent takes it.
    pub(super) update: Vec<f64>,
}

/// The factors, with the structure found once.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockLu {
    nodes: Vec<Node>,
}

impl BlockLu {
    /// The structure for the pattern of `a`; unknowns that are `late` (equations whose diagonal
    /// is small before their neighbours are eliminated) come after those.
    pub(crate) fn new(a: &Csc, late: &[bool]) -> Self {
        let neighbors = symmetric(a);
        let groups = alike(&neighbors, late);
        let mut group_of = vec![0; a.cols];
        for (g, members) in groups.iter().enumerate() {
            members.iter().for_each(|&v| group_of[v] = g);
        }
        let graph: Vec<Vec<usize>> = groups
            .iter()
            .enumerate()
            .map(|(g, members)| {
                let near = neighbors[members[0]].iter().map(|&u| group_of[u]);
                near.filter(|&h| h != g).collect()
            })
            .collect();
        let late: Vec<bool> = groups.iter().map(|m| late[m[0]]).collect();
        let Fronts { fronts, front_of } = Fronts::new(&groups, graph, &late, 0.0);
        let mut entries_of = vec![Vec::new(); fronts.len()];
        for j in 0..a.cols {
            for p in a.start[j]..a.start[j + 1] {
                let i = a.index[p];
                entries_of[front_of[i].min(front_of[j])].push((p, i, j));
            }
        }
        let mut place = vec![usize::MAX; a.cols];
        let node = |(front, entries): (Front, Vec<(usize, usize, usize)>)| {
            let size = front.unknowns.len();
            front.mark(&mut place);
            let at = |(p, i, j): (usize, usize, usize)| (p, place[j] * size + place[i]);
            let entries = entries.into_iter().map(at).collect();
            Node { front, entries, done: Eliminated::default() }
        };
        Self { nodes: fronts.into_iter().zip(entries_of).map(node).collect() }
    }

    /// Factors the values of a matrix with this pattern; false when a pivot vanishes.
    pub(crate) fn factor(&mut self, values: &[f64]) -> bool {
        for k in 0..self.nodes.len() {
            let node = &self.nodes[k];
            let (size, own) = node.front.size();
            let mut front = vec![0.0; size * size];
            for &(p, at) in &node.entries {
                front[at] += values[p];
            }
            for (child, places) in &node.front.children {
                add(&self.nodes[*child].done.update, places, &mut front, size);
            }
            if !self.nodes[k].done.eliminate(&mut front, size, own) {
                return false;
            }
        }
        true
    }

    /// Solves in place.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let mut local = vec![];
        for node in &self.nodes {
            node.done.forward(&node.front.unknowns, x, &mut local);
        }
        for node in self.nodes.iter().rev() {
            node.done.backward(&node.front.unknowns, x, &mut local);
        }
    }
}

impl Eliminated {
    /// Eliminates the first `own` unknowns of a front; false when a pivot vanishes.
    pub(super) fn eliminate(&mut self, front: &mut [f64], size: usize, own: usize) -> bool {
        self.exchange.resize(own, 0);
        if !panel(front, size, &mut self.exchange) {
            return false;
        }
        trailing(front, size, &self.exchange);
        let (left, right) = front.split_at(own * size);
        let Self { lower, upper, update, .. } = self;
        [&mut *lower, upper, update].into_iter().for_each(Vec::clear);
        lower.extend_from_slice(left);
        for column in right.chunks_exact(size) {
            upper.extend_from_slice(&column[..own]);
            update.extend_from_slice(&column[own..]);
        }
        true
    }

    /// Solves with L, in place; `local` is scratch.
    pub(super) fn forward(&self, unknowns: &[usize], x: &mut [f64], local: &mut Vec<f64>) {
        let (size, own) = (unknowns.len(), self.exchange.len());
        local.clear();
        local.extend(unknowns[..own].iter().map(|&v| x[v]));
        for (k, &p) in self.exchange.iter().enumerate() {
            local.swap(k, p);
        }
        for k in 0..own {
            let xk = local[k];
            let column = &self.lower[k * size..(k + 1) * size];
            for i in k + 1..own {
                local[i] -= column[i] * xk;
            }
            if xk != 0.0 {
                for (&v, l) in unknowns[own..].iter().zip(&column[own..]) {
                    x[v] -= l * xk;
                }
            }
        }
        unknowns[..own].iter().zip(local.iter()).for_each(|(&v, y)| x[v] = *y);
    }

    /// Solves with U, in place; `local` is scratch.
    pub(super) fn backward(&self, unknowns: &[usize], x: &mut [f64], local: &mut Vec<f64>) {
        let (size, own) = (unknowns.len(), self.exchange.len());
        local.clear();
        local.extend(unknowns[..own].iter().map(|&v| x[v]));
        for (&v, column) in unknowns[own..].iter().zip(self.upper.chunks_exact(own.max(1))) {
            let xv = x[v];
            if xv != 0.0 {
                local.iter_mut().zip(column).for_each(|(y, u)| *y -= u * xv);
            }
        }
        for k in (0..own).rev() {
            let column = &self.lower[k * size..k * size + own];
            local[k] /= column[k];
            let yk = local[k];
            local[..k].iter_mut().zip(column).for_each(|(y, u)| *y -= u * yk);
        }
        unknowns[..own].iter().zip(local.iter()).for_each(|(&v, y)| x[v] = *y);
    }
}

/// Eliminates inside the first `exchange.len()` columns, exchanging rows among as many rows.
fn panel(front: &mut [f64], size: usize, exchange: &mut [usize]) -> bool {
    let own = exchange.len();
    for k in 0..own {
        let (head, tail) = front[..own * size].split_at_mut((k + 1) * size);
        let column = &mut head[k * size..];
        let p = (k..own).fold(k, |p, i| if column[i].abs() > column[p].abs() { i } else { p });
        exchange[k] = p;
        // NaN must be noticed too
        if column[p].abs().partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
            return false;
        }
        column.swap(k, p);
        let inverse = 1.0 / column[k];
        column[k + 1..].iter_mut().for_each(|x| *x *= inverse);
        for other in tail.chunks_exact_mut(size) {
            other.swap(k, p);
            let top = other[k];
            if top != 0.0 {
                let l = &column[k + 1..];
                other[k + 1..].iter_mut().zip(l).for_each(|(x, l)| *x -= l * top);
            }
        }
        for other in head[..k * size].chunks_exact_mut(size) {
            other.swap(k, p);
        }
    }
    true
}

/// Applies the panel to the columns on its right, four columns of L at a time.
fn trailing(front: &mut [f64], size: usize, exchange: &[usize]) {
    let own = exchange.len();
    let (lower, right) = front.split_at_mut(own * size);
    for column in right.chunks_exact_mut(size) {
        for (k, &p) in exchange.iter().enumerate() {
            column.swap(k, p);
        }
        for k in 0..own {
            let top = column[k];
            for i in k + 1..own {
                column[i] -= lower[k * size + i] * top;
            }
        }
        let (top, rest) = column.split_at_mut(own);
        let mut k = 0;
        while k + 4 <= own {
            let l = |c: usize| &lower[(k + c) * size + own..(k + c + 1) * size];
            let (a, b, c, d) = (l(0), l(1), l(2), l(3));
            let t = [top[k], top[k + 1], top[k + 2], top[k + 3]];
            for ((((x, a), b), c), d) in rest.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *x -= a * t[0] + b * t[1] + c * t[2] + d * t[3];
            }
            k += 4;
        }
        for k in k..own {
            let l = &lower[k * size + own..(k + 1) * size];
            rest.iter_mut().zip(l).for_each(|(x, l)| *x -= l * top[k]);
        }
    }
}

/// Neighbours of every unknown in the symmetrised pattern, sorted, without itself.
fn symmetric(a: &Csc) -> Vec<Vec<usize>> {
    let mut neighbors = vec![Vec::new(); a.cols];
    for j in 0..a.cols {
        for (i, _) in a.col(j).filter(|e| e.0 != j) {
            neighbors[j].push(i);
            neighbors[i].push(j);
        }
    }
    for list in &mut neighbors {
        list.sort_unstable();
        list.dedup();
    }
    neighbors
}

/// Groups of unknowns with the same neighbours (each other included), all late or none.
fn alike(neighbors: &[Vec<usize>], late: &[bool]) -> Vec<Vec<usize>> {
    let mut closed: Vec<(Vec<usize>, usize)> = neighbors
        .iter()
        .enumerate()
        .map(|(v, list)| {
            let mut list = list.clone();
            let at = list.partition_point(|&u| u < v);
            list.insert(at, v);
            (list, v)
        })
        .collect();
    closed.sort();
    let mut groups: Vec<Vec<usize>> = vec![];
    for k in 0..closed.len() {
        let v = closed[k].1;
        let same = k > 0 && closed[k].0 == closed[k - 1].0 && late[v] == late[closed[k - 1].1];
        match groups.last_mut() {
            Some(group) if same => group.push(v),
            _ => groups.push(vec![v]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of bodies with three unknowns each, every body coupled to its neighbours.
    fn ring(bodies: usize) -> Csc {
        let mut entries = vec![];
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for k in 0..bodies {
            for other in [k, (k + 1) % bodies, (k + bodies - 1) % bodies] {
                for i in 0..3 {
                    for j in 0..3 {
                        let diagonal = if other == k && i == j { 4.0 } else { 0.0 };
                        entries.push((3 * k + i, 3 * other + j, random() + diagonal));
                    }
                }
            }
        }
        Csc::from_triplets(3 * bodies, 3 * bodies, &entries)
    }

    #[test]
    fn solves_what_it_factored() {
        for bodies in [3, 4, 7, 20] {
            let a = ring(bodies);
            let mut lu = BlockLu::new(&a, &vec![false; a.cols]);
            assert!(lu.factor(&a.values));
            let right: Vec<f64> = (0..a.cols).map(|i| (i as f64).cos()).collect();
            let mut x = vec![0.0; a.cols];
            a.add_times(&right, &mut x);
            lu.solve(&mut x);
            for (x, y) in x.iter().zip(&right) {
                assert!((x - y).abs() < 1e-12, "{bodies} bodies: {x} {y}");
            }
        }
    }

    #[test]
    fn an_equation_without_a_diagonal_comes_after_its_neighbours() {
        // [2 1 1; 0 3 1; 1 1 0] with the last row an equation
        let entries = [
            (0, 0, 2.0),
            (0, 1, 1.0),
            (0, 2, 1.0),
            (1, 1, 3.0),
            (1, 2, 1.0),
            (2, 0, 1.0),
            (2, 1, 1.0),
            (2, 2, 0.0),
        ];
        let a = Csc::from_triplets(3, 3, &entries);
        let mut lu = BlockLu::new(&a, &[false, false, true]);
        assert!(lu.factor(&a.values));
        let mut x = vec![0.0; 3];
        a.add_times(&[1.0, -2.0, 3.0], &mut x);
        lu.solve(&mut x);
        for (x, y) in x.iter().zip([1.0, -2.0, 3.0]) {
            assert!((x - y).abs() < 1e-14);
        }
    }
}
