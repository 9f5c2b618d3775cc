//! The linear complementarity problem.

use super::{ContactRows, Matrix, ProblemError};

/// `0 <= z ⟂ A z + b >= 0`.
#[derive(Clone, Debug, PartialEq)]
pub struct Lcp {
    /// The matrix A, square.
    pub matrix: Matrix,
    /// The constant b.
    pub b: Vec<f64>,
    /// Which rows belong to which contact, if the problem comes from contacts; may be empty.
    pub contacts: Vec<ContactRows>,
}

impl Lcp {
    /// A checked problem.
    pub fn new(matrix: Matrix, b: Vec<f64>) -> Result<Self, ProblemError> {
        matrix.check_square(b.len())?;
        super::matrix::check_finite("b", &b)?;
        Ok(Self { matrix, b, contacts: Vec::new() })
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
