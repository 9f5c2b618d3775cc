//! Sets of indices that are connected, directly or through others (union-find).

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

/// Sets of indices, put together pair by pair.
#[derive(Clone, Debug, Default)]
pub struct Sets {
    /// Another member of the same set with a smaller index, or the index itself.
    parent: Vec<u32>,
}

impl Sets {
    /// `n` sets of one member each; no more than `u32::MAX`.
    pub fn new(n: usize) -> Self {
        let mut sets = Self::default();
        sets.reset(n);
        sets
    }

    /// The same in the memory of these.
    pub fn reset(&mut self, n: usize) {
        self.parent.clear();
        self.parent.extend(0..n as u32);
    }

    /// The smallest member of the set of `i`.
    pub fn root(&mut self, i: usize) -> usize {
        let mut i = i as u32;
        while self.parent[i as usize] != i {
            self.parent[i as usize] = self.parent[self.parent[i as usize] as usize];
            i = self.parent[i as usize];
        }
        i as usize
    }

    /// Puts two sets together; the root of both.
    pub fn join(&mut self, i: usize, j: usize) -> usize {
        let (i, j) = (self.root(i), self.root(j));
        // the smaller index leads, so that the result does not depend on the order of joining
        self.parent[i.max(j)] = i.min(j) as u32;
        i.min(j)
    }

    /// Puts the sets of all these together.
    pub fn join_all(&mut self, mut members: impl Iterator<Item = usize>) {
        if let Some(first) = members.next() {
            members.fold(first, |leader, i| self.join(leader, i));
        }
    }

    /// The sets, restricted to the first `n` members.
    pub fn groups(&mut self, n: usize) -> Vec<Vec<usize>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Two members are in one set exactly if a path of joined pairs leads from one to the other.
    #[test]
    fn sets_are_what_paths_connect() {
        let (seed, n) = (5_u64, 40);
        let mut bits = seed;
        let mut next = || {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (bits >> 33) as usize % n
        };
        let pairs: Vec<[usize; 2]> = (0..25).map(|_| [next(), next()]).collect();
        let mut sets = Sets::new(3);
        sets.reset(n);
        for &[i, j] in &pairs {
            sets.join(i, j);
        }
        for start in 0..n {
            let mut reached = vec![start];
            let mut k = 0;
            while k < reached.len() {
                for &[i, j] in &pairs {
                    let other = if reached[k] == i { j } else { i };
                    if [i, j].contains(&reached[k]) && !reached.contains(&other) {
                        reached.push(other);
                    }
                }
                k += 1;
            }
            reached.sort_unstable();
            let groups = sets.groups(n);
            let found = groups.iter().find(|g| g.contains(&start));
            assert_eq!(found, Some(&reached), "seed {seed}, {start}");
            assert_eq!(sets.root(start), reached[0], "seed {seed}, {start}");
        }
    }
}
