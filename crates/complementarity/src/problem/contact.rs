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
    bodies: Bodies,
}

/// Layout: velocities of a body.
const BODY: usize = 6;
/// Layout: velocities of two bodies.
const PAIR: usize = 2 * BODY;

/// Where the velocities of a block of three rows stand; most touch all six of one body or of two.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bodies {
    One(usize),
    Two(usize, usize),
    Other,
}

impl Bodies {
    fn of(columns: &[u32], dim: usize) -> Self {
        let run = |part: &[u32]| part.windows(2).all(|w| w[0] + 1 == w[1]);
        match columns {
            [a, ..] if dim == 3 && columns.len() == BODY && run(columns) => Self::One(*a as usize),
            [a, .., b, _, _, _, _, _]
                if dim == 3
                    && columns.len() == PAIR
                    && run(&columns[..BODY])
                    && run(&columns[BODY..]) =>
            {
                Self::Two(*a as usize, *b as usize)
            }
            _ => Self::Other,
        }
    }
}

/// The velocities of a body.
#[inline]
fn body(v: &[f64], first: usize) -> Option<&[f64; BODY]> {
    v.get(first..)?.first_chunk()
}

/// In the order that two lanes add in.
#[inline]
fn dot_body(a: &[f64; BODY], b: &[f64; BODY]) -> f64 {
    (a[0] * b[0] + a[2] * b[2] + a[4] * b[4]) + (a[1] * b[1] + a[3] * b[3] + a[5] * b[5])
}

/// Adds `p` times three rows to the velocities of a body.
#[inline]
fn add_body(rows: [&[f64; BODY]; 3], p: &[f64; 3], v: &mut [f64], first: usize) {
    if let Some(v) = v.get_mut(first..).and_then(|v| v.first_chunk_mut::<BODY>()) {
        for k in 0..BODY {
            v[k] += rows[0][k] * p[0] + rows[1][k] * p[1] + rows[2][k] * p[2];
        }
    }
}

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

    /// Makes room for so many more contacts of two bodies.
    pub fn reserve(&mut self, contacts: usize) {
        self.blocks.reserve(contacts);
        self.columns.reserve(PAIR * contacts);
        self.rows.reserve(3 * PAIR * contacts);
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
        let bodies = Bodies::of(columns, dim);
        self.blocks.push(Block { law, b: constant, first_column, first_row, dim, bodies });
        self.columns.extend_from_slice(columns);
        self.rows.extend_from_slice(rows);
        Ok(())
    }

    /// Adds all blocks of a problem over the same velocities.
    pub fn append(&mut self, other: &Self) -> Result<(), ProblemError> {
        if other.velocities != self.velocities {
            let (found, expected) = (other.velocities, self.velocities);
            return Err(ProblemError::Size {
                what: "the velocities of more contacts",
                found,
                expected,
            });
        }
        let (columns, rows) = (self.columns.len(), self.rows.len());
        let moved = |b: &Block| Block {
            first_column: b.first_column + columns,
            first_row: b.first_row + rows,
            ..*b
        };
        self.blocks.extend(other.blocks.iter().map(moved));
        self.columns.extend_from_slice(&other.columns);
        self.rows.extend_from_slice(&other.rows);
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
        let rows = self.rows(c);
        match (self.blocks[c].bodies, rows.as_chunks::<BODY>().0) {
            (Bodies::One(first), [x, y, z]) => return add_body([x, y, z], p, v, first),
            (Bodies::Two(first, second), [x0, x1, y0, y1, z0, z1]) => {
                add_body([x0, y0, z0], p, v, first);
                return add_body([x1, y1, z1], p, v, second);
            }
            _ => {}
        }
        let columns = self.columns(c);
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
        match (self.blocks[c].bodies, self.rows(c).as_chunks::<BODY>().0) {
            (Bodies::One(first), [x, y, z]) => {
                if let Some(v) = body(v, first) {
                    return [dot_body(x, v), dot_body(y, v), dot_body(z, v)];
                }
            }
            (Bodies::Two(first, second), [x0, x1, y0, y1, z0, z1]) => {
                if let (Some(a), Some(b)) = (body(v, first), body(v, second)) {
                    return [
                        dot_body(x0, a) + dot_body(x1, b),
                        dot_body(y0, a) + dot_body(y1, b),
                        dot_body(z0, a) + dot_body(z1, b),
                    ];
                }
            }
            _ => {}
        }
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

    /// `J v` and `Jᵀ p` of bodies whose velocities follow each other are those of any columns.
    #[test]
    fn rows_of_bodies_are_multiplied_as_any_others() -> Result<(), ProblemError> {
        let columns: [Vec<u32>; 4] = [
            (6..12).collect(),
            (0..6).chain(12..18).collect(),
            (12..18).chain(0..6).collect(),
            vec![3, 9, 1],
        ];
        for columns in &columns {
            let m = columns.len();
            let rows: Vec<f64> = (0..3 * m).map(|k| (k as f64).sin()).collect();
            let mut problem = ContactProblem::new(18);
            problem.push(Law::Disc { mu: 0.5 }, columns, &rows, [0.0; 3])?;
            let v: Vec<f64> = (0..18).map(|k| (3.0 * f64::from(k)).cos()).collect();
            let p = [0.7, -0.2, 0.4];
            let (found, motion) = (problem.times(0, &v), problem.motion(&[p]));
            for r in 0..3 {
                let row = &rows[r * m..(r + 1) * m];
                let sum: f64 = row.iter().zip(columns).map(|(j, &i)| j * v[i as usize]).sum();
                assert!((found[r] - sum).abs() < 1e-14, "{columns:?}");
            }
            for (k, &i) in columns.iter().enumerate() {
                let sum: f64 = (0..3).map(|r| rows[r * m + k] * p[r]).sum();
                assert!((motion[i as usize] - sum).abs() < 1e-14, "{columns:?}");
            }
        }
        Ok(())
    }

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
