//! Linear problems as plain arrays: what crosses the border between Python and a library in Rust.
//!
//! The package `stickslip` uses this module too, so that the problems of its simulator are those of this package.

use complementarity::problem::{Csc, Dense, Factored};
use complementarity::{Cone, ConeRows, ContactRows, Lcp, Matrix, Mlcp, Problem, ProblemError};
use numpy::ndarray::Array2;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::{IntoPyObjectExt, prelude::*};

type Floats<'py> = PyReadonlyArray1<'py, f64>;
type Whole<'py> = PyReadonlyArray1<'py, i64>;

/// Compressed columns: rows, columns, values, row of each value, start of each column.
pub type Columns<'py> = (usize, usize, Floats<'py>, Whole<'py>, Whole<'py>);

/// A matrix as it comes from Python.
#[derive(FromPyObject)]
pub enum Given<'py> {
    /// Two dimensions.
    Dense(PyReadonlyArray2<'py, f64>),
    /// Compressed columns.
    Sparse(usize, usize, Floats<'py>, Whole<'py>, Whole<'py>),
    /// J, B and D of `J B + D`.
    Factored(Columns<'py>, Columns<'py>, Columns<'py>),
}

/// First row, end, friction and rolling friction of a contact with a friction cone.
pub type ConeParts = (usize, usize, f64, f64);

/// Normal row, first friction row, end, slip row and friction of a contact with a linearised cone.
pub type RowParts = (usize, usize, usize, Option<usize>, f64);

/// Matrix, constant, bounds, cones, contacts with linearised cones: an LCP where there are neither bounds nor
/// cones.
pub type Parts<'py> = (
    Given<'py>,
    Floats<'py>,
    Option<(Floats<'py>, Floats<'py>)>,
    Option<Vec<ConeParts>>,
    Vec<RowParts>,
);

fn columns(
    rows: usize,
    cols: usize,
    values: &Floats<'_>,
    (index, start): (&Whole<'_>, &Whole<'_>),
) -> Result<Csc, ProblemError> {
    let whole = |x: &Whole<'_>| -> Result<Vec<usize>, ProblemError> {
        let found: Result<Vec<usize>, _> =
            x.as_array().iter().map(|&i| usize::try_from(i)).collect();
        found.map_err(|_| ProblemError::Sparse("an index is negative".to_owned()))
    };
    let (index, start, values) = (whole(index)?, whole(start)?, values.as_array().to_vec());
    Ok(Csc { rows, cols, start, index, values })
}

/// The matrix of the library; the problem that takes it checks it.
pub fn matrix(given: &Given<'_>) -> Result<Matrix, ProblemError> {
    let sparse = |(rows, cols, values, index, start): &Columns<'_>| {
        columns(*rows, *cols, values, (index, start))
    };
    Ok(match given {
        Given::Dense(a) => {
            let a = a.as_array();
            let values = a.t().iter().copied().collect();
            Matrix::Dense(Dense { rows: a.nrows(), cols: a.ncols(), values })
        }
        Given::Sparse(rows, cols, values, index, start) => {
            Matrix::Sparse(columns(*rows, *cols, values, (index, start))?)
        }
        Given::Factored(left, right, d_block) => {
            let (left, right, d_block) = (sparse(left)?, sparse(right)?, sparse(d_block)?);
            Matrix::Factored(Box::new(Factored { left, right, d_block }))
        }
    })
}

/// Rows of contacts that are rows of the problem; nobody behind checks them.
fn contact_rows(parts: &[RowParts], n: usize) -> Result<Vec<ContactRows>, ProblemError> {
    let row = |(contact, &(normal, first, end, slip, mu)): (usize, &RowParts)| {
        let inside = normal < n && first <= end && end <= n && slip.is_none_or(|s| s < n);
        if !inside || !mu.is_finite() || mu < 0.0 {
            let reason =
                "its rows must be rows of the matrix, its friction finite and not negative";
            return Err(ProblemError::Contact { contact, reason });
        }
        Ok(ContactRows { normal, friction: first..end, slip, mu })
    };
    parts.iter().enumerate().map(row).collect()
}

/// The problem of the library, checked.
pub fn problem((a, b, bounds, cones, contacts): &Parts<'_>) -> Result<Problem, ProblemError> {
    let (a, b) = (matrix(a)?, b.as_array().to_vec());
    let contacts = contact_rows(contacts, b.len())?;
    let bounds = bounds.as_ref().map(|(l, u)| (l.as_array().to_vec(), u.as_array().to_vec()));
    if let Some(cones) = cones {
        let cone =
            |&(start, end, mu, rolling): &ConeParts| ConeRows { rows: start..end, mu, rolling };
        let made = Cone::new(a, b, cones.iter().map(cone).collect())?;
        return Ok(Problem::Cone(match bounds {
            None => made,
            Some((lower, upper)) => made.with_bounds(lower, upper)?,
        }));
    }
    Ok(match bounds {
        None => Problem::Lcp(Lcp::new(a, b)?.with_contacts(contacts)),
        Some((lower, upper)) => {
            Problem::Mlcp(Mlcp::new(a, b, lower, upper)?.with_contacts(contacts))
        }
    })
}

/// A matrix with two dimensions.
pub fn dense<'py>(py: Python<'py>, a: &Dense) -> Bound<'py, PyArray2<f64>> {
    PyArray2::from_owned_array(py, Array2::from_shape_fn((a.rows, a.cols), |(i, j)| a.get(i, j)))
}

/// A matrix as compressed columns.
pub fn sparse<'py>(py: Python<'py>, a: &Csc) -> PyResult<Bound<'py, PyAny>> {
    let whole = |x: &[usize]| PyArray1::from_iter(py, x.iter().map(|&i| i as i64));
    let values = PyArray1::from_slice(py, &a.values);
    (a.rows, a.cols, values, whole(&a.index), whole(&a.start)).into_bound_py_any(py)
}

/// The parts that make this problem again.
pub fn parts<'py>(py: Python<'py>, problem: &Problem) -> PyResult<Bound<'py, PyAny>> {
    let matrix = match problem.matrix() {
        Matrix::Dense(a) => dense(py, a).into_any(),
        Matrix::Sparse(a) => sparse(py, a)?,
        Matrix::Factored(f) => {
            let factors = (sparse(py, &f.left)?, sparse(py, &f.right)?, sparse(py, &f.d_block)?);
            factors.into_bound_py_any(py)?
        }
    };
    let vectors =
        |(l, u): (&[f64], &[f64])| (PyArray1::from_slice(py, l), PyArray1::from_slice(py, u));
    let bounds = match problem {
        Problem::Lcp(_) => None,
        Problem::Mlcp(p) => Some((&p.lower[..], &p.upper[..])),
        Problem::Cone(p) => Some((&p.lower[..], &p.upper[..])),
    };
    let cones: Option<Vec<ConeParts>> = match problem {
        Problem::Cone(p) => {
            let cone = |c: &ConeRows| (c.rows.start, c.rows.end, c.mu, c.rolling);
            Some(p.contacts.iter().map(cone).collect())
        }
        _ => None,
    };
    let row = |c: &ContactRows| (c.normal, c.friction.start, c.friction.end, c.slip, c.mu);
    let rows: Vec<RowParts> = problem.contacts().iter().map(row).collect();
    let constant = PyArray1::from_slice(py, problem.b());
    (matrix, constant, bounds.map(vectors), cones, rows).into_bound_py_any(py)
}
