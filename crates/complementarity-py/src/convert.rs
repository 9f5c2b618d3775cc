//! Matrices and settings from Python.

use complementarity::problem::{Csc, Dense};
use complementarity::{Matrix, Options, Value};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Any error of the library as a `ValueError` with its text.
pub fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A dense array, or `(rows, columns, values, row indices, column starts)` of a sparse one.
#[derive(FromPyObject)]
pub enum Given<'py> {
    /// Two dimensions.
    Dense(PyReadonlyArray2<'py, f64>),
    /// Compressed columns.
    Sparse(
        usize,
        usize,
        PyReadonlyArray1<'py, f64>,
        PyReadonlyArray1<'py, i64>,
        PyReadonlyArray1<'py, i64>,
    ),
}

/// The matrix of the library.
pub fn matrix(given: &Given<'_>) -> PyResult<Matrix> {
    match given {
        Given::Dense(a) => {
            let a = a.as_array();
            let values = a.t().iter().copied().collect();
            Ok(Matrix::Dense(Dense { rows: a.nrows(), cols: a.ncols(), values }))
        }
        Given::Sparse(rows, cols, values, index, start) => {
            let whole = |x: &PyReadonlyArray1<'_, i64>| -> PyResult<Vec<usize>> {
                let found: Result<Vec<usize>, _> =
                    x.as_array().iter().map(|&i| usize::try_from(i)).collect();
                found.map_err(|_| wrong("malformed sparse matrix: an index is negative"))
            };
            let (index, start) = (whole(index)?, whole(start)?);
            let values = values.as_array().to_vec();
            Ok(Matrix::Sparse(Csc { rows: *rows, cols: *cols, start, index, values }))
        }
    }
}

/// Settings of a solver.
pub fn options(given: &Bound<'_, PyDict>) -> PyResult<Options> {
    let mut options = Options::new();
    for (key, value) in given {
        let key: String = key.extract()?;
        let value = if let Ok(x) = value.extract::<bool>() {
            Value::Bool(x)
        } else if let Ok(x) = value.extract::<f64>() {
            Value::Number(x)
        } else if let Ok(x) = value.extract::<String>() {
            Value::Text(x)
        } else {
            let text = format!("{key}: a setting is a number, a word, or true or false");
            return Err(PyTypeError::new_err(text));
        };
        options.set(&key, value);
    }
    Ok(options)
}
