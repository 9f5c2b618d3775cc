//! The problems: plain data, checked once when they are made.

mod cone;
mod contact;
mod factored;
mod global;
mod law;
mod lcp;
mod matrix;
mod mlcp;
mod ring;

pub use cone::{Cone, ConeRows};
pub use contact::ContactProblem;
pub use factored::Factored;
pub use global::Global;
pub use law::Law;
pub use lcp::Lcp;
pub use matrix::{Csc, Dense, Matrix};
pub use mlcp::Mlcp;

pub(crate) use law::Projected;
pub(crate) use matrix::{check_finite, nonzeros};
pub(crate) use mlcp::check_bounds;

use std::ops::Range;

/// What kind of problem a solver can be handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemClass {
    /// `0 <= z ⟂ A z + b >= 0`.
    Lcp,
    /// `l <= z <= u ⟂ A z + b`.
    Mlcp,
    /// Friction with second-order cones.
    Cone,
}

impl ProblemClass {
    /// The word used in reports and files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lcp => "lcp",
            Self::Mlcp => "mlcp",
            Self::Cone => "cone",
        }
    }
}

/// A problem of any class.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// Linear complementarity.
    Lcp(Lcp),
    /// Mixed linear complementarity with bounds.
    Mlcp(Mlcp),
    /// Friction with second-order cones.
    Cone(Cone),
}

impl Problem {
    /// The class, which decides which solvers apply.
    pub fn class(&self) -> ProblemClass {
        match self {
            Self::Lcp(_) => ProblemClass::Lcp,
            Self::Mlcp(_) => ProblemClass::Mlcp,
            Self::Cone(_) => ProblemClass::Cone,
        }
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.b().len()
    }

    /// The matrix.
    pub fn matrix(&self) -> &Matrix {
        match self {
            Self::Lcp(p) => &p.matrix,
            Self::Mlcp(p) => &p.matrix,
            Self::Cone(p) => &p.matrix,
        }
    }

    /// The constant.
    pub fn b(&self) -> &[f64] {
        match self {
            Self::Lcp(p) => &p.b,
            Self::Mlcp(p) => &p.b,
            Self::Cone(p) => &p.b,
        }
    }

    /// Lower and upper bounds of every unknown. For a cone problem: of the normal impulses and of
    /// the rows outside the contacts; the tangential ones count as free.
    pub fn bounds(&self) -> (Vec<f64>, Vec<f64>) {
        match self {
            Self::Lcp(p) => (vec![0.0; p.b.len()], vec![f64::INFINITY; p.b.len()]),
            Self::Mlcp(p) => (p.lower.clone(), p.upper.clone()),
            Self::Cone(p) => {
                let (mut lower, mut upper) = (p.lower.clone(), p.upper.clone());
                for contact in &p.contacts {
                    for i in contact.rows.clone() {
                        lower[i] = f64::NEG_INFINITY;
                        upper[i] = f64::INFINITY;
                    }
                    lower[contact.rows.start] = 0.0;
                }
                (lower, upper)
            }
        }
    }

    /// How many contacts the problem has, where it says.
    pub fn n_contacts(&self) -> Option<usize> {
        match self {
            Self::Cone(p) => Some(p.contacts.len()),
            other => Some(other.contacts().len()).filter(|n| *n > 0),
        }
    }

    /// The contacts of a linearised problem; empty for cones.
    pub fn contacts(&self) -> &[ContactRows] {
        match self {
            Self::Lcp(p) => &p.contacts,
            Self::Mlcp(p) => &p.contacts,
            Self::Cone(_) => &[],
        }
    }
}

/// Where the rows of one frictional contact stand in `z`, for solvers that use the structure
/// (block Gauss-Seidel, the staggered method); general solvers ignore it.
///
/// With `n` the normal row, `f` the friction rows and `s` the slip row, the rows read
/// `A z + b = [.., normal gap rate; .., slip speeds + s; mu p_n - sum p_f]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactRows {
    /// Row of the normal impulse.
    pub normal: usize,
    /// Rows of the friction impulses, one per direction of the linearised cone; may be empty.
    pub friction: Range<usize>,
    /// Row of the slip speed; `None` where there is no friction.
    pub slip: Option<usize>,
    /// Coefficient of friction.
    pub mu: f64,
}

/// A problem that does not make sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProblemError {
    /// Sizes disagree.
    #[error("{what} has {found} entries where {expected} are needed")]
    Size {
        /// Which part.
        what: &'static str,
        /// Its size.
        found: usize,
        /// The size that fits the rest.
        expected: usize,
    },
    /// A number is NaN or infinite.
    #[error("{what} is {value} at row {row}; every number must be finite")]
    NotFinite {
        /// Which part.
        what: &'static str,
        /// Where.
        row: usize,
        /// The offender.
        value: f64,
    },
    /// Bounds that cannot hold together.
    #[error("row {row} has lower bound {lower} above upper bound {upper}")]
    Bounds {
        /// Where.
        row: usize,
        /// Lower bound.
        lower: f64,
        /// Upper bound.
        upper: f64,
    },
    /// A mass matrix that cannot be inverted.
    #[error("the mass matrix is singular at row {row}")]
    SingularMass {
        /// Where.
        row: usize,
    },
    /// A contact that cannot be.
    #[error("contact {contact}: {reason}")]
    Contact {
        /// Which one.
        contact: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A sparse matrix whose index arrays are inconsistent.
    #[error("malformed sparse matrix: {0}")]
    Sparse(String),
}
