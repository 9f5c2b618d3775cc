//! Numbers between Python and the engine.

use numpy::{PyArray1, PyArray2, PyArrayMethods, ndarray::Array2};
use pyo3::prelude::*;
use stickslip::Dimension;
use stickslip_geometry::{Quat, Vec3};

use crate::error::raise;

/// Three numbers as they come from Python.
pub type Triple = [f64; 3];

/// Numbers of a vector in this dimension.
pub fn width(dimension: Dimension) -> usize {
    match dimension {
        Dimension::Two => 2,
        Dimension::Three => 3,
    }
}

/// Numbers of an orientation (angle, or w x y z) in this dimension.
pub fn turn_width(dimension: Dimension) -> usize {
    match dimension {
        Dimension::Two => 1,
        Dimension::Three => 4,
    }
}

/// Numbers of an angular velocity in this dimension.
pub fn spin_width(dimension: Dimension) -> usize {
    match dimension {
        Dimension::Two => 1,
        Dimension::Three => 3,
    }
}

/// w, x, y, z.
pub fn quaternion([w, x, y, z]: [f64; 4]) -> Quat {
    Quat::from_xyzw(x, y, z, w)
}

/// As w, x, y, z.
pub fn wxyz(q: Quat) -> [f64; 4] {
    [q.w, q.x, q.y, q.z]
}

/// Points from rows of three.
pub fn points(rows: Vec<Triple>) -> Vec<Vec3> {
    rows.into_iter().map(Vec3::from).collect()
}

/// A table from its rows put one after another.
pub fn table(
    py: Python<'_>,
    values: Vec<f64>,
    columns: usize,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let rows = values.len().checked_div(columns).unwrap_or(0);
    PyArray1::from_vec(py, values).reshape([rows, columns])
}

/// A dense matrix from its columns put one after another.
pub fn from_columns<'py>(
    py: Python<'py>,
    values: &[f64],
    rows: usize,
    columns: usize,
) -> Bound<'py, PyArray2<f64>> {
    let dense = Array2::from_shape_fn((rows, columns), |(i, j)| values[j * rows + i]);
    PyArray2::from_owned_array(py, dense)
}

/// A matrix whose columns are those of the table.
pub fn rows_of(
    array: &numpy::PyReadonlyArray2<'_, f64>,
    columns: usize,
) -> PyResult<Vec<Vec<f64>>> {
    let view = array.as_array();
    if view.ncols() != columns {
        let text = format!("a table of {columns} columns is needed, this one has {}", view.ncols());
        return Err(raise("ProblemError", text));
    }
    Ok(view.rows().into_iter().map(|r| r.to_vec()).collect())
}
