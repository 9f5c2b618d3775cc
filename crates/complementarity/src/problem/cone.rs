//! Friction with the true cone.

use std::ops::Range;

use super::{Matrix, ProblemError};

/// One contact: the rows `(n, t..)` or, with rolling friction, `(n, t1, t2, m1, m2)`.
#[derive(Clone, Debug, PartialEq)]
pub struct ConeRows {
    /// Its rows, the normal first: 1 (no friction), 2 (in the plane), 3 or 5 (rolling) of them.
    pub rows: Range<usize>,
    /// Coefficient of friction.
    pub mu: f64,
    /// Coefficient of rolling friction (a length); only with 5 rows.
    pub rolling: f64,
}

impl ConeRows {
    /// Tangential groups: (first, end, coefficient) counted from the normal row.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let d = self.rows.len();
        let first = (d > 1).then(|| (1, d.min(3), self.mu));
        first.into_iter().chain((d == 5).then_some((3, 5, self.rolling)))
    }
}

/// Frictional contact with second-order cones, the contacts' velocities being `u = W p + b`:
///
/// ```text
/// K ∋ p  ⟂  u + (mu |u_t| + mu_r |u_m|) n ∈ K*,   K = { p_n >= 0, |p_t| <= mu p_n, |p_m| <= mu_r p_n }
/// ```
/// Rows that belong to no contact are rows of a mixed LCP with the bounds given for them
/// (equations where these are infinite).
#[derive(Clone, Debug, PartialEq)]
pub struct Cone {
    /// W.
    pub matrix: Matrix,
    /// The velocities without impulses.
    pub b: Vec<f64>,
    /// The contacts, their rows disjoint.
    pub contacts: Vec<ConeRows>,
    /// Lower bounds of the rows outside all contacts; ignored on the others.
    pub lower: Vec<f64>,
    /// Upper bounds of the rows outside all contacts; ignored on the others.
    pub upper: Vec<f64>,
}

impl Cone {
    /// A checked problem; rows outside the contacts are equations.
    pub fn new(matrix: Matrix, b: Vec<f64>, contacts: Vec<ConeRows>) -> Result<Self, ProblemError> {
        let n = b.len();
        matrix.check_square(n)?;
        super::matrix::check_finite("b", &b)?;
        let mut owned = vec![false; n];
        for (k, contact) in contacts.iter().enumerate() {
            let bad = |reason: &'static str| ProblemError::Contact { contact: k, reason };
            if !matches!(contact.rows.len(), 1 | 2 | 3 | 5) || contact.rows.end > n {
                return Err(bad("its rows must be 1, 2, 3 or 5 rows of the matrix"));
            }
            if contact.rows.clone().any(|i| std::mem::replace(&mut owned[i], true)) {
                return Err(bad("its rows belong to another contact as well"));
            }
            let sound = |x: f64| x.is_finite() && x >= 0.0;
            if !sound(contact.mu) || !sound(contact.rolling) {
                return Err(bad("its coefficients of friction must be finite and not negative"));
            }
        }
        let (lower, upper) = (vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]);
        Ok(Self { matrix, b, contacts, lower, upper })
    }

    /// The same problem with bounds for the rows outside the contacts.
    pub fn with_bounds(mut self, lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, ProblemError> {
        super::mlcp::check_bounds(&lower, &upper, self.b.len())?;
        (self.lower, self.upper) = (lower, upper);
        Ok(self)
    }

    /// `u = W p + b`.
    pub fn w(&self, p: &[f64]) -> Vec<f64> {
        self.matrix.times_plus(p, &self.b)
    }

    /// Rows that belong to no contact.
    pub(crate) fn others(&self) -> Vec<usize> {
        let mut owned = vec![false; self.b.len()];
        self.contacts.iter().flat_map(|c| c.rows.clone()).for_each(|i| owned[i] = true);
        (0..owned.len()).filter(|&i| !owned[i]).collect()
    }
}
