//! Colors for blocks of rows: no two blocks of one color see each other.
//!
//! Two blocks see each other where A has an entry between them. For a factored matrix that is where
//! they share a velocity, which needs no product of the factors: every velocity remembers the
//! colors of the blocks at it. Blocks are colored one after another with the least color that is
//! free (greedy), so the colors depend on the problem alone.

use super::rows::Rows;
use crate::problem::Csc;

/// The blocks of each color, each in growing order.
pub(crate) fn color(rows: &Rows, blocks: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let n = rows.z().len();
    let mut owner = vec![usize::MAX; n];
    for (k, block) in blocks.iter().enumerate() {
        block.iter().for_each(|&i| owner[i] = k);
    }
    let neighbors = neighbors(rows, &owner, blocks.len());
    let mut at_velocity: Vec<Vec<usize>> = match rows {
        Rows::Factored { nu, .. } => vec![vec![]; nu.len()],
        Rows::Formed { .. } => vec![],
    };
    let mut of: Vec<usize> = vec![usize::MAX; blocks.len()];
    // the block for which a color was last found taken
    let mut taken: Vec<usize> = vec![];
    let mut colors: Vec<Vec<usize>> = vec![];
    for (k, block) in blocks.iter().enumerate() {
        let velocities = velocities(rows, block);
        let seen = velocities.iter().flat_map(|&v| at_velocity[v].iter().copied());
        let met = neighbors[k].iter().map(|&j| of[j]).filter(|c| *c != usize::MAX);
        for c in seen.chain(met) {
            taken[c] = k;
        }
        let free = taken.iter().position(|&last| last != k).unwrap_or(taken.len());
        if free == taken.len() {
            taken.push(usize::MAX);
            colors.push(vec![]);
        }
        of[k] = free;
        colors[free].push(k);
        velocities.into_iter().for_each(|v| at_velocity[v].push(free));
    }
    colors
}

/// The velocities that the rows of a block read or change.
fn velocities(rows: &Rows, block: &[usize]) -> Vec<usize> {
    let Rows::Factored { left, right, .. } = rows else { return vec![] };
    let each = |a: &Csc, i: usize| a.col(i).map(|(v, _)| v).collect::<Vec<_>>();
    let mut out: Vec<usize> =
        block.iter().flat_map(|&i| each(left, i).into_iter().chain(each(right, i))).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// Blocks that an entry of A (or of the part that is not factored) joins.
fn neighbors(rows: &Rows, owner: &[usize], count: usize) -> Vec<Vec<usize>> {
    let entries = match rows {
        Rows::Formed { rows, .. } => rows,
        Rows::Factored { d_block, .. } => d_block,
    };
    let mut out = vec![vec![]; count];
    for i in 0..entries.cols {
        for (j, _) in entries.col(i) {
            let (a, b) = (owner[i], owner[j]);
            if a != b {
                out[a].push(b);
                out[b].push(a);
            }
        }
    }
    for list in &mut out {
        list.sort_unstable();
        list.dedup();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Factored, Matrix};

    /// A chain of bodies: contact k joins bodies k and k + 1, so two colors do.
    #[test]
    fn a_chain_of_contacts_has_two_colors() {
        let n = 9;
        let mut entries = vec![];
        for k in 0..n {
            entries.extend([(k, k, -1.0), (k, k + 1, 1.0)]);
        }
        let left = Csc::from_triplets(n, n + 1, &entries);
        let d_block = Csc::from_triplets(n, n, &[]);
        let factored = Factored { right: left.transpose(), left, d_block };
        let formed = Matrix::Sparse(factored.product());
        for matrix in [Matrix::Factored(Box::new(factored)), formed] {
            let rows = Rows::new(&matrix, &vec![0.0; n]);
            let blocks: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
            let colors = color(&rows, &blocks);
            assert_eq!(colors, [vec![0, 2, 4, 6, 8], vec![1, 3, 5, 7]]);
        }
    }
}
