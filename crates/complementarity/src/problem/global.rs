//! Frictional contact in the velocities of the bodies.

use super::{Cone, ConeRows, Csc, ProblemError, check_finite};
use crate::linalg::sparse_lu::SparseLu;
use crate::transform::condense;

/// The global form, with the velocities v as unknowns beside the impulses p:
///
/// ```text
/// M v = H p + f,   u = Hᵀ v + w,   (p, u) as in [`Cone`]
/// ```
///
/// Solvers take the local form, [`Global::condensed`]; [`Global::velocities`] leads back.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// The mass matrix M, velocities by velocities.
    pub mass: Csc,
    /// H, velocities by rows of contacts.
    pub h: Csc,
    /// Impulse of the external forces plus M times the old velocity.
    pub f: Vec<f64>,
    /// Velocity at the contacts that does not come from v.
    pub w: Vec<f64>,
    /// The contacts, their rows disjoint.
    pub contacts: Vec<ConeRows>,
}

impl Global {
    /// A checked problem.
    pub fn new(
        mass: Csc,
        h: Csc,
        f: Vec<f64>,
        w: Vec<f64>,
        contacts: Vec<ConeRows>,
    ) -> Result<Self, ProblemError> {
        let n = f.len();
        let sizes = [
            ("M (rows)", mass.rows, n),
            ("M (columns)", mass.cols, n),
            ("H (rows)", h.rows, n),
            ("H (columns)", h.cols, w.len()),
        ];
        for (what, found, expected) in sizes {
            if found != expected {
                return Err(ProblemError::Size { what, found, expected });
            }
        }
        mass.check()?;
        h.check()?;
        check_finite("f", &f)?;
        check_finite("w", &w)?;
        Ok(Self { mass, h, f, w, contacts })
    }

    /// The local form `u = W p + b`, `W = Hᵀ M⁻¹ H` (kept as its factors), `b = Hᵀ M⁻¹ f + w`.
    pub fn condensed(&self) -> Result<Cone, ProblemError> {
        let (matrix, b) = condense(&self.mass, &self.h, &self.f, &self.w)?;
        Cone::new(matrix, b, self.contacts.clone())
    }

    /// `v = M⁻¹ (H p + f)` for the impulses of the local form.
    pub fn velocities(&self, p: &[f64]) -> Result<Vec<f64>, ProblemError> {
        let lu = SparseLu::with_limit(&self.mass, (0..self.mass.cols).collect(), 0.0);
        if let Some(&row) = lu.dependent.first() {
            return Err(ProblemError::SingularMass { row });
        }
        let mut v = self.f.clone();
        self.h.add_times(p, &mut v);
        lu.solve(&mut v, &mut Vec::new());
        Ok(v)
    }
}
