//! The mixed linear complementarity problem with bounds.

use super::{ContactRows, Matrix, ProblemError};

/// `l <= z <= u ⟂ w = A z + b`: where `z` is at its lower bound `w >= 0`, at its upper bound
/// `w <= 0`, strictly between them `w = 0`. A free unknown has infinite bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Mlcp {
    /// The matrix A, square.
    pub matrix: Matrix,
    /// The constant b.
    pub b: Vec<f64>,
    /// Lower bounds; `-inf` allowed.
    pub lower: Vec<f64>,
    /// Upper bounds; `+inf` allowed.
    pub upper: Vec<f64>,
    /// Which rows belong to which contact, if the problem comes from contacts; may be empty.
    pub contacts: Vec<ContactRows>,
}

impl Mlcp {
    /// A checked problem.
    pub fn new(
        matrix: Matrix,
        b: Vec<f64>,
        lower: Vec<f64>,
        upper: Vec<f64>,
    ) -> Result<Self, ProblemError> {
        let n = b.len();
        matrix.check_square(n)?;
        super::matrix::check_finite("b", &b)?;
        check_bounds(&lower, &upper, n)?;
        Ok(Self { matrix, b, lower, upper, contacts: Vec::new() })
    }

    /// The same problem with its contact structure.
    pub fn with_contacts(mut self, contacts: Vec<ContactRows>) -> Self {
        self.contacts = contacts;
        self
    }

    /// `w = A z + b`.
    pub fn w(&self, z: &[f64]) -> Vec<f64> {
        self.matrix.times_plus(z, &self.b)
    }
}

/// Lengths and order of bounds.
pub(crate) fn check_bounds(lower: &[f64], upper: &[f64], n: usize) -> Result<(), ProblemError> {
    for (what, bound) in [("lower", lower), ("upper", upper)] {
        if bound.len() != n {
            return Err(ProblemError::Size { what, found: bound.len(), expected: n });
        }
    }
    for (row, (&lower, &upper)) in lower.iter().zip(upper).enumerate() {
        let ordered = lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY;
        if !ordered {
            return Err(ProblemError::Bounds { row, lower, upper });
        }
    }
    Ok(())
}
