//! Sets of indices that hang together.

use crate::problem::Csc;

/// Sets of indices connected through a square matrix, each sorted, by their first member.
pub(crate) fn components(a: &Csc) -> Vec<Vec<usize>> {
    let mut sets = Sets::new(a.cols);
    for j in 0..a.cols {
        sets.join_all(std::iter::once(j).chain(a.col(j).map(|(i, _)| i)));
    }
    sets.groups(a.cols)
}

/// Whether more than half of the sets are different ones, as the bodies of the contacts between balls.
pub(crate) fn mostly_different<'a, T: Ord + 'a>(sets: impl Iterator<Item = &'a [T]>) -> bool {
    let mut sets: Vec<&[T]> = sets.collect();
    let count = sets.len();
    sets.sort_unstable();
    sets.dedup();
    2 * sets.len() > count
}

/// Union-find.
pub(crate) struct Sets {
    parent: Vec<usize>,
}

impl Sets {
    pub(crate) fn new(n: usize) -> Self {
        Self { parent: (0..n).collect() }
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.parent[i] != i {
            self.parent[i] = self.parent[self.parent[i]];
            i = self.parent[i];
        }
        i
    }

    /// Puts the sets of all these together.
    pub(crate) fn join_all(&mut self, mut members: impl Iterator<Item = usize>) {
        let Some(first) = members.next() else { return };
        let mut leader = self.root(first);
        for i in members {
            let root = self.root(i);
            if root != leader {
                // the smaller index leads, so that the result does not depend on the order of joining
                self.parent[root.max(leader)] = root.min(leader);
                leader = root.min(leader);
            }
        }
    }

    /// The sets, restricted to the first `n` members.
    pub(crate) fn groups(&mut self, n: usize) -> Vec<Vec<usize>> {
        let mut place = vec![usize::MAX; self.parent.len()];
        let mut groups: Vec<Vec<usize>> = vec![];
        for i in 0..n {
            let root = self.root(i);
            if place[root] == usize::MAX {
                place[root] = groups.len();
                groups.push(vec![]);
            }
            groups[place[root]].push(i);
        }
        groups
    }
}
