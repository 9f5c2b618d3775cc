//! One sweep of projected Gauss-Seidel over single rows and whole contacts.
//!
//! The rows of a frictional contact cannot be swept one by one: the diagonal of the slip row
//! `w_s = mu p_n - sum p_f` is zero. They are solved together as a small LCP with all other
//! unknowns held, by Lemke's method; its matrix is copositive, so there is no ray.

use super::rows::Rows;
use crate::pivoting::tableau::Tableau;
use crate::problem::{ContactRows, Dense, Problem};
use crate::solver::{SolveError, Status};

/// A row on its own, or the rows of a contact.
enum Block {
    Row { i: usize, diagonal: f64 },
    Contact { rows: Vec<usize>, matrix: Dense },
}

/// The order of work and what can be computed once.
pub(crate) struct Sweep {
    blocks: Vec<Block>,
    b: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Sweep {
    /// Splits the problem; a row outside all contacts needs a diagonal that is not zero.
    pub(crate) fn new(
        problem: &Problem,
        rows: &Rows,
        solver: &'static str,
    ) -> Result<Self, SolveError> {
        let n = problem.size();
        let ((lower, upper), contacts) = (problem.bounds(), problem.contacts());
        let mut owner = vec![usize::MAX; n];
        for (c, contact) in contacts.iter().enumerate() {
            let inside = rows_of(contact);
            if inside.iter().all(|&i| i < n && owner[i] == usize::MAX) {
                inside.iter().for_each(|&i| owner[i] = c);
            }
        }
        let mut blocks = vec![];
        let mut done = vec![false; contacts.len()];
        for (i, &c) in owner.iter().enumerate() {
            if c == usize::MAX {
                blocks.push(single(rows, i, solver)?);
            } else if !done[c] {
                done[c] = true;
                blocks.push(contact_block(rows, &contacts[c]));
            }
        }
        Ok(Self { blocks, b: problem.b().to_vec(), lower, upper })
    }

    /// What solves of contacts write to.
    pub(crate) fn scratch() -> Tableau {
        Tableau::new(&Dense::zeros(0, 0), &[])
    }

    /// The rows of each block.
    pub(crate) fn rows_of_blocks(&self) -> Vec<Vec<usize>> {
        let rows = |block: &Block| match block {
            Block::Row { i, .. } => vec![*i],
            Block::Contact { rows, .. } => rows.clone(),
        };
        self.blocks.iter().map(rows).collect()
    }

    /// The solution of one block with everything else held; of a row not yet clamped. Empty where
    /// a contact has none.
    pub(crate) fn solve(&self, rows: &Rows, block: usize, scratch: &mut Tableau) -> Vec<f64> {
        match &self.blocks[block] {
            Block::Row { i, diagonal } => {
                vec![rows.z()[*i] - (rows.product(*i) + self.b[*i]) / diagonal]
            }
            Block::Contact { rows: inside, matrix } => {
                self.local(rows, inside, matrix, scratch).unwrap_or_default()
            }
        }
    }

    /// Moves one block towards its solution.
    pub(crate) fn put(&self, rows: &mut Rows, block: usize, z: &[f64], relaxation: f64) {
        match &self.blocks[block] {
            Block::Row { i, .. } => {
                let old = rows.z()[*i];
                let next = z.first().map_or(old, |z| old + relaxation * (z - old));
                rows.set(*i, next.clamp(self.lower[*i], self.upper[*i]));
            }
            Block::Contact { rows: inside, .. } => {
                for (&i, z) in inside.iter().zip(z) {
                    let old = rows.z()[i];
                    rows.set(i, (old + relaxation * (z - old)).max(0.0));
                }
            }
        }
    }

    /// Updates every block once; `relaxation` 1 is Gauss-Seidel.
    pub(crate) fn run(&self, rows: &mut Rows, relaxation: f64) {
        let mut scratch = Self::scratch();
        for (k, block) in self.blocks.iter().enumerate() {
            match block {
                Block::Row { i, diagonal } => {
                    let w = rows.product(*i) + self.b[*i];
                    let z = rows.z()[*i] - relaxation * w / diagonal;
                    rows.set(*i, z.clamp(self.lower[*i], self.upper[*i]));
                }
                Block::Contact { .. } => {
                    let z = self.solve(rows, k, &mut scratch);
                    self.put(rows, k, &z, relaxation);
                }
            }
        }
    }

    /// By how much each block may move at once: one over the sum of its row against its diagonal,
    /// or over the number of contacts it meets.
    pub(crate) fn shares(&self, problem: &Problem) -> Vec<f64> {
        let n = self.b.len();
        let sums = problem.matrix().magnitude(&vec![1.0; n], &vec![0.0; n]);
        let a = problem.matrix().to_sparse();
        let mut owner = vec![0; n];
        for (k, block) in self.blocks.iter().enumerate() {
            match block {
                Block::Row { i, .. } => owner[*i] = k,
                Block::Contact { rows, .. } => rows.iter().for_each(|&i| owner[i] = k),
            }
        }
        let met = |rows: &[usize]| {
            let mut met: Vec<usize> =
                rows.iter().flat_map(|&j| a.col(j).map(|(i, _)| owner[i])).collect();
            met.sort_unstable();
            met.dedup();
            met.len().max(1) as f64
        };
        self.blocks
            .iter()
            .map(|block| match block {
                Block::Row { i, diagonal } => diagonal / sums[*i].max(1e-300),
                Block::Contact { rows, .. } => 1.0 / met(rows),
            })
            .collect()
    }

    /// Updates every block from the old values of all others.
    pub(crate) fn jacobi(&self, rows: &mut Rows, relaxation: f64, shares: &[f64]) {
        let mut next = rows.z().to_vec();
        let mut tableau = Tableau::new(&Dense::zeros(0, 0), &[]);
        for (block, share) in self.blocks.iter().zip(shares) {
            match block {
                Block::Row { i, diagonal } => {
                    let w = rows.product(*i) + self.b[*i];
                    let z = next[*i] - relaxation * share * w / diagonal;
                    next[*i] = z.max(self.lower[*i]).min(self.upper[*i]);
                }
                Block::Contact { rows: inside, matrix } => {
                    let found = self.local(rows, inside, matrix, &mut tableau);
                    let Some(z) = found else { continue };
                    for (&i, z) in inside.iter().zip(z) {
                        next[i] = (next[i] + relaxation * share * (z - next[i])).max(0.0);
                    }
                }
            }
        }
        next.iter().enumerate().for_each(|(i, &z)| rows.set(i, z));
        rows.refresh();
    }

    /// The solution of one contact with everything else held.
    fn local(
        &self,
        rows: &Rows,
        inside: &[usize],
        a: &Dense,
        tableau: &mut Tableau,
    ) -> Option<Vec<f64>> {
        let own = |r: usize| {
            inside.iter().enumerate().map(|(c, &i)| a.get(r, c) * rows.z()[i]).sum::<f64>()
        };
        let rhs: Vec<f64> =
            inside.iter().enumerate().map(|(r, &i)| rows.product(i) + self.b[i] - own(r)).collect();
        tableau.load(a, &rhs);
        let (status, _) = tableau.run(20 * inside.len() + 20, |_, _| false);
        (status == Status::Solved).then(|| tableau.z())
    }
}

fn rows_of(contact: &ContactRows) -> Vec<usize> {
    let mut rows = vec![contact.normal];
    rows.extend(contact.friction.clone());
    rows.extend(contact.slip);
    rows
}

fn single(rows: &Rows, i: usize, solver: &'static str) -> Result<Block, SolveError> {
    let diagonal = rows.entry(i, i);
    if diagonal == 0.0 {
        return Err(SolveError::ZeroDiagonal { solver, row: i, value: diagonal });
    }
    Ok(Block::Row { i, diagonal })
}

fn contact_block(rows: &Rows, contact: &ContactRows) -> Block {
    let inside = rows_of(contact);
    let k = inside.len();
    let mut matrix = Dense::zeros(k, k);
    for (c, &j) in inside.iter().enumerate() {
        for (r, &i) in inside.iter().enumerate() {
            matrix.values[c * k + r] = rows.entry(i, j);
        }
    }
    Block::Contact { rows: inside, matrix }
}
