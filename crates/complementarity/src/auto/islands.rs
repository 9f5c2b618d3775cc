//! Contacts split into islands: blocks that share velocities, directly or through others.

use crate::problem::{ContactProblem, ProblemError};
use crate::sets::Sets;

/// The islands of one problem, in memory that is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Islands {
    /// Sets of velocities, then blocks.
    sets: Sets,
    /// Blocks, island after island, each in the order of the problem.
    blocks: Vec<u32>,
    /// Where islands end in that.
    ends: Vec<usize>,
    /// Island of every root.
    island: Vec<u32>,
    /// Place of every velocity in its island, and the number of those.
    place: Vec<u32>,
    velocities: Vec<u32>,
    counts: Vec<usize>,
    columns: Vec<u32>,
}

/// Layout: no place.
const NONE: u32 = u32::MAX;

impl Islands {
    /// Splits; islands come in the order of their first block.
    pub(super) fn split(&mut self, problem: &ContactProblem) {
        let n = problem.velocities();
        self.sets.reset(n + problem.len());
        for c in 0..problem.len() {
            let block = std::iter::once(n + c);
            self.sets.join_all(block.chain(problem.columns(c).iter().map(|&v| v as usize)));
        }
        self.island.clear();
        self.island.resize(n + problem.len(), NONE);
        self.counts.clear();
        self.blocks.clear();
        self.blocks.resize(problem.len(), 0);
        for c in 0..problem.len() {
            let root = self.sets.root(n + c);
            if self.island[root] == NONE {
                self.island[root] = self.counts.len() as u32;
                self.counts.push(0);
            }
            self.counts[self.island[root] as usize] += 1;
        }
        self.ends.clear();
        let mut end = 0;
        for count in &mut self.counts {
            // from here on: where the next block goes
            end += std::mem::replace(count, end);
            self.ends.push(end);
        }
        for c in 0..problem.len() {
            let root = self.sets.root(n + c);
            let at = &mut self.counts[self.island[root] as usize];
            self.blocks[*at] = c as u32;
            *at += 1;
        }
        self.number(n);
    }

    /// Numbers the velocities of every island in their order, so that neighbours stay neighbours.
    fn number(&mut self, n: usize) {
        self.place.clear();
        self.velocities.clear();
        self.velocities.resize(self.ends.len(), 0);
        for v in 0..n {
            let root = self.sets.root(v);
            let island = self.island[root];
            // velocities that nothing touches have none
            let place = self.velocities.get_mut(island as usize).map_or(NONE, |next| {
                *next += 1;
                *next - 1
            });
            self.place.push(place);
        }
    }

    /// Number of islands.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether all is one island, without a velocity that nothing touches.
    pub(super) fn is_whole(&self, problem: &ContactProblem) -> bool {
        matches!(self.velocities[..], [all] if all as usize == problem.velocities())
    }

    /// The blocks of an island.
    pub(super) fn blocks(&self, island: usize) -> &[u32] {
        let begin = if island == 0 { 0 } else { self.ends[island - 1] };
        &self.blocks[begin..self.ends[island]]
    }

    /// The contacts of an island over its own velocities, into `out`.
    pub(super) fn cut(
        &mut self,
        problem: &ContactProblem,
        island: usize,
        out: &mut ContactProblem,
    ) -> Result<(), ProblemError> {
        let begin = if island == 0 { 0 } else { self.ends[island - 1] };
        let set = &self.blocks[begin..self.ends[island]];
        out.clear(self.velocities[island] as usize);
        for &c in set {
            let c = c as usize;
            self.columns.clear();
            self.columns.extend(problem.columns(c).iter().map(|&v| self.place[v as usize]));
            out.push(problem.law(c), &self.columns, problem.rows(c), problem.b(c))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Law;

    #[test]
    fn blocks_that_share_velocities_stay_together() {
        let mut problem = ContactProblem::new(6);
        for (k, columns) in [&[0_u32, 3][..], &[1], &[], &[3, 5], &[1, 2], &[]].iter().enumerate() {
            let rows: Vec<f64> = columns.iter().map(|&v| f64::from(v) + 10.0 * k as f64).collect();
            problem.push(Law::FRICTIONLESS, columns, &rows, [k as f64, 0.0, 0.0]).unwrap();
        }
        let (mut islands, mut part) = (Islands::default(), ContactProblem::default());
        for _ in 0..2 {
            islands.split(&problem);
            let found: Vec<&[u32]> = (0..islands.len()).map(|i| islands.blocks(i)).collect();
            assert_eq!(found, [&[0, 3][..], &[1, 4], &[2], &[5]]);
        }
        islands.cut(&problem, 0, &mut part).unwrap();
        assert_eq!((part.len(), part.velocities()), (2, 3));
        assert_eq!((part.columns(1), part.rows(1)), (&[1_u32, 2][..], &[33.0, 35.0][..]));
        islands.cut(&problem, 1, &mut part).unwrap();
        assert_eq!((part.columns(1), part.b(1)[0]), (&[0_u32, 1][..], 4.0));
        islands.cut(&problem, 2, &mut part).unwrap();
        assert_eq!((part.len(), part.velocities()), (1, 0));
    }
}
