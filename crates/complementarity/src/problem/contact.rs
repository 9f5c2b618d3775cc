//! Contacts of bodies as they are: blocks of one to three rows with a law each.

use super::{Law, ProblemError};

/// Contacts over velocities of unit mass, block by block:
///
/// ```text
/// v = Jᵀ p,     u_c = J_c v + b_c,     p_c and u_c obey the law of block c
/// ```
///
/// v is the change of the velocities in coordinates in which the mass matrix is the unit matrix
/// (m/s times √kg), u_c the speeds of a contact (m/s; normal, first tangent, second tangent), p_c
/// its impulses (N s) and b_c the speeds that it would have without any impulse. `J_c` is dense
/// over the few columns that the block touches.
///
/// The laws: [`Law::Interval`] `lower <= p <= upper ⟂ u + compliance p`; with friction, the normal
/// impulse pushes or the contact parts (`0 <= p_n ⟂ u_n >= 0`), and the tangential impulse opposes
/// the slip as far as `mu p_n` allows.
///
/// [`Lcp`](super::Lcp), [`Mlcp`](super::Mlcp) and [`Cone`](super::Cone) problems are derived from it
/// by [`Reduced`](crate::reduce::Reduced). The storage is flat and can be filled again:
///
/// ```
/// use complementarity::problem::{ContactProblem, Law};
/// # fn main() -> Result<(), complementarity::ProblemError> {
/// // a ball of mass 1 that falls on a floor at 1 m/s and slides at 2 m/s
/// let mut problem = ContactProblem::new(3);
/// let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// problem.push(Law::Disc { mu: 0.5 }, &[0, 1, 2], &unit, [-1.0, 2.0, 0.0])?;
/// let p = [[1.0, -0.5, 0.0]];
/// assert_eq!(problem.speeds(&problem.motion(&p)), [[0.0, 1.5, 0.0]]);
/// assert_eq!(complementarity::residual::contacts(&problem, &p), 0.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactProblem {
    velocities: usize,
    blocks: Vec<Block>,
    columns: Vec<u32>,
    rows: Vec<f64>,
}

/// One block; where its columns and rows begin. They end where those of the next begin.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Block {
    law: Law,
    b: [f64; 3],
    first_column: usize,
    first_row: usize,
    dim: usize,
}

/// Layout: velocities of two bodies.
const PAIR: usize = 12;

/// In the order that four lanes add in.
#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_last), (b, b_last)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sum = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        (0..4).for_each(|k| sum[k] += a[k] * b[k]);
    }
    let last: f64 = a_last.iter().zip(b_last).map(|(a, b)| a * b).sum();
    (sum[0] + sum[2]) + (sum[1] + sum[3]) + last
}

impl ContactProblem {
    /// No contacts yet, over this many velocities.
    pub fn new(velocities: usize) -> Self {
        Self { velocities, ..Self::default() }
    }

    /// Takes all blocks out and keeps their memory.
    pub fn clear(&mut self, velocities: usize) {
        self.velocities = velocities;
        self.blocks.clear();
        self.columns.clear();
        self.rows.clear();
    }

    /// Adds a block: `columns` are the velocities that it touches, each once, and `rows` the rows of
    /// `J_c` over those, one after the other (normal, tangents). What `b` holds beyond the rows is
    /// ignored. An error leaves the problem as it was; numbers are checked by
    /// [`validate`](Self::validate).
    pub fn push(
        &mut self,
        law: Law,
        columns: &[u32],
        rows: &[f64],
        b: [f64; 3],
    ) -> Result<(), ProblemError> {
        let contact = self.len();
        let dim = match (law, columns.len()) {
            (Law::Interval { .. }, _) => 1,
            (Law::Polygon { corners, .. }, _) => 3 - usize::from(corners <= 2),
            (Law::Disc { .. }, 0) => 3,
            (Law::Disc { .. }, m) => rows.len() / m,
        };
        if rows.len() != dim * columns.len() {
            let (what, expected) = ("the rows of a contact", dim * columns.len());
            return Err(ProblemError::Size { what, found: rows.len(), expected });
        }
        if let Some(reason) = law.fault(dim) {
            return Err(ProblemError::Contact { contact, reason });
        }
        let growing = columns.windows(2).all(|w| w[0] < w[1]);
        let twice = || (1..columns.len()).any(|k| columns[..k].contains(&columns[k]));
        if !growing && twice() {
            let reason = "it touches a velocity twice; the two columns must be added up";
            return Err(ProblemError::Contact { contact, reason });
        }
        if columns.iter().any(|&v| v as usize >= self.velocities) {
            let reason = "it touches a velocity that the problem does not have";
            return Err(ProblemError::Contact { contact, reason });
        }
        let mut constant = [0.0; 3];
        constant[..dim].copy_from_slice(&b[..dim]);
        let (first_column, first_row) = (self.columns.len(), self.rows.len());
        self.blocks.push(Block { law, b: constant, first_column, first_row, dim });
        self.columns.extend_from_slice(columns);
        self.rows.extend_from_slice(rows);
        Ok(())
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Number of velocities.
    pub fn velocities(&self) -> usize {
        self.velocities
    }

    /// Number of rows of block `c`, 1 to 3.
    pub fn dim(&self, c: usize) -> usize {
        self.blocks[c].dim
    }

    /// The law of block `c`.
    pub fn law(&self, c: usize) -> Law {
        self.blocks[c].law
    }

    /// The velocities that block `c` touches.
    pub fn columns(&self, c: usize) -> &[u32] {
        let end = self.blocks.get(c + 1).map_or(self.columns.len(), |next| next.first_column);
        &self.columns[self.blocks[c].first_column..end]
    }

    /// The rows of `J_c` over its columns, one after the other.
    pub fn rows(&self, c: usize) -> &[f64] {
        let end = self.blocks.get(c + 1).map_or(self.rows.len(), |next| next.first_row);
        &self.rows[self.blocks[c].first_row..end]
    }

    /// The speeds of block `c` without impulses; 0 beyond its rows.
    pub fn b(&self, c: usize) -> [f64; 3] {
        self.blocks[c].b
    }

    /// The same, to be changed; what is beyond its rows must stay 0.
    pub fn b_mut(&mut self, c: usize) -> &mut [f64; 3] {
        &mut self.blocks[c].b
    }

    /// `v = Jᵀ p`.
    pub fn motion(&self, p: &[[f64; 3]]) -> Vec<f64> {
        let mut v = Vec::new();
        self.motion_into(p, &mut v);
        v
    }

    /// `v = Jᵀ p` into a buffer.
    pub fn motion_into(&self, p: &[[f64; 3]], v: &mut Vec<f64>) {
        v.clear();
        v.resize(self.velocities, 0.0);
        for (c, p) in p.iter().enumerate().take(self.len()) {
            if p.iter().any(|x| *x != 0.0) {
                self.add_motion(c, p, v);
            }
        }
    }

    /// Adds `J_cᵀ p` to the velocities.
    pub fn add_motion(&self, c: usize, p: &[f64; 3], v: &mut [f64]) {
        let (columns, rows) = (self.columns(c), self.rows(c));
        let m = columns.len();
        let mut add = |k: usize, x: f64| v[columns[k] as usize] += x;
        match self.blocks[c].dim {
            1 => (0..m).for_each(|k| add(k, rows[k] * p[0])),
            2 => (0..m).for_each(|k| add(k, rows[k] * p[0] + rows[m + k] * p[1])),
            _ => {
                let (normal, tangents) = rows.split_at(m);
                let (first, second) = tangents.split_at(m);
                let all = normal.iter().zip(first).zip(second).enumerate();
                all.for_each(|(k, ((n, s), t))| add(k, n * p[0] + s * p[1] + t * p[2]));
            }
        }
    }

    /// `J_c v`, without b; 0 beyond its rows.
    pub fn times(&self, c: usize, v: &[f64]) -> [f64; 3] {
        let columns = self.columns(c);
        let mut out = [0.0; 3];
        let rows = self.rows(c).chunks_exact(columns.len().max(1)).zip(&mut out);
        let mut own = [0.0; PAIR];
        match own.get_mut(..columns.len()) {
            // read once, for all rows
            Some(own) => {
                own.iter_mut().zip(columns).for_each(|(x, &i)| *x = v[i as usize]);
                rows.for_each(|(row, out)| *out = dot(row, own));
            }
            None => rows.for_each(|(row, out)| {
                *out = row.iter().zip(columns).map(|(j, &i)| j * v[i as usize]).sum();
            }),
        }
        out
    }

    /// `u_c = J_c v + b_c`, without what a compliant row gives way by.
    pub fn speed(&self, c: usize, v: &[f64]) -> [f64; 3] {
        let mut u = self.times(c, v);
        u.iter_mut().zip(self.blocks[c].b).for_each(|(u, b)| *u += b);
        u
    }

    /// `u = J v + b` of every block, without what compliant rows give way by.
    pub fn speeds(&self, v: &[f64]) -> Vec<[f64; 3]> {
        (0..self.len()).map(|c| self.speed(c, v)).collect()
    }

    /// Whether all numbers are finite and the impulses of every law are possible.
    pub fn validate(&self) -> Result<(), ProblemError> {
        for (contact, block) in self.blocks.iter().enumerate() {
            if let Some(reason) = block.law.fault(block.dim) {
                return Err(ProblemError::Contact { contact, reason });
            }
            let numbers = block.b.iter().map(|x| ("b of a contact", x));
            let rows = self.rows(contact).iter().map(|x| ("J of a contact", x));
            if let Some((what, &value)) = numbers.chain(rows).find(|e| !e.1.is_finite()) {
                return Err(ProblemError::NotFinite { what, row: contact, value });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_kept_as_given_and_cleared() -> Result<(), ProblemError> {
        let mut problem = ContactProblem::new(4);
        problem.push(Law::FRICTIONLESS, &[1], &[2.0], [-1.0, 9.0, 9.0])?;
        problem.push(Law::Disc { mu: 0.3 }, &[3, 0], &[1.0, 2.0, 3.0, 4.0], [0.1, 0.2, 0.3])?;
        problem.push(Law::FRICTIONLESS, &[], &[], [0.5; 3])?;
        assert_eq!((problem.len(), problem.dim(1), problem.columns(1)), (3, 2, &[3_u32, 0][..]));
        assert_eq!((problem.b(0), problem.b(1)), ([-1.0, 0.0, 0.0], [0.1, 0.2, 0.0]));
        let v = problem.motion(&[[1.0, 0.0, 0.0], [1.0, -1.0, 0.0], [7.0, 0.0, 0.0]]);
        assert_eq!(v, [-2.0, 2.0, 0.0, -2.0]);
        assert_eq!(problem.speeds(&v)[1], [0.1 - 6.0, 0.2 - 14.0, 0.0]);
        assert_eq!(problem.validate(), Ok(()));
        problem.clear(1);
        assert_eq!((problem.len(), problem.velocities()), (0, 1));
        Ok(())
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let mut problem = ContactProblem::new(2);
        let mut refused = |law, columns: &[u32], rows: &[f64]| {
            let error = problem.push(law, columns, rows, [0.0; 3]).unwrap_err();
            assert!(problem.is_empty(), "{error}");
        };
        refused(Law::FRICTIONLESS, &[0, 1], &[1.0]);
        refused(Law::FRICTIONLESS, &[2], &[1.0]);
        refused(Law::FRICTIONLESS, &[1, 1], &[1.0, 1.0]);
        refused(Law::Disc { mu: 0.5 }, &[0], &[1.0]);
        refused(Law::Disc { mu: f64::NAN }, &[0], &[1.0, 1.0]);
        refused(Law::Polygon { mu: 0.5, corners: 1 }, &[0], &[1.0, 1.0]);
        refused(Law::Polygon { mu: 0.5, corners: 3 }, &[0], &[1.0, 1.0]);
        refused(Law::Interval { lower: 1.0, upper: 0.0, compliance: 0.0 }, &[0], &[1.0]);
        refused(Law::Interval { lower: 0.0, upper: 1.0, compliance: -1.0 }, &[0], &[1.0]);
        for bad in [f64::NAN, f64::INFINITY] {
            for (row, b) in [(bad, 0.0), (1.0, bad)] {
                let mut problem = ContactProblem::new(1);
                problem.push(Law::FRICTIONLESS, &[0], &[row], [b, 0.0, 0.0]).unwrap();
                assert!(problem.validate().is_err(), "{row} {b}");
            }
        }
    }
}
