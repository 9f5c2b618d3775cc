//! What stages written in Python need: contacts, mass matrix, Jacobian.

use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use stickslip::{
    Model, Settings, State, collide,
    dynamics::{Jacobian, MassMatrix},
};
use stickslip_geometry::Vec3;

use crate::{
    contacts, convert,
    error::{OrRaise, raise},
};

/// A matrix of rows, and one number per row.
pub type Rows<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

/// The potential contacts at a state, by the detector of that name.
pub fn detect<'py>(
    py: Python<'py>,
    (model, state): (&Model, &State),
    settings: &Settings,
    name: &str,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let mut detector = collide::make(name).or_raise()?;
    let query = collide::query(model, state, settings);
    let found = py.detach(|| detector.detect(model, state, &query)).or_raise()?;
    convert::table(py, contacts::table(&found, &[]), contacts::COLUMNS)
}

/// M.
pub fn mass_matrix<'py>(
    py: Python<'py>,
    model: &Model,
    state: &State,
) -> Bound<'py, PyArray2<f64>> {
    let n = model.n_dof();
    let mut dense = vec![0.0; n * n];
    for (i, j, x) in MassMatrix::new(model, state).entries() {
        dense[j * n + i] = x;
    }
    convert::from_columns(py, &dense, n, n)
}

/// Velocities at the end of a step without contact.
pub fn free_velocity<'py>(
    py: Python<'py>,
    (model, state): (&Model, &State),
    settings: &Settings,
) -> Bound<'py, PyArray1<f64>> {
    let mass = MassMatrix::new(model, state);
    PyArray1::from_vec(py, mass.free_velocity(model, state, settings.step, settings.gyroscopic))
}

/// One row per contact and direction, and what prescribed motions add to each.
pub fn jacobian<'py>(
    py: Python<'py>,
    (model, state): (&Model, &State),
    table: &PyReadonlyArray2<'py, f64>,
    directions: &PyReadonlyArray2<'py, f64>,
) -> PyResult<Rows<'py>> {
    let rows = convert::rows_of(table, contacts::COLUMNS)?;
    let found = contacts::read(&rows, model.bodies().len()).map_err(|e| raise("DetectError", e))?;
    let directions = convert::rows_of(directions, 3)?;
    if directions.len() != found.len() {
        let text = format!("{} directions for {} contacts", directions.len(), found.len());
        return Err(raise("ProblemError", text));
    }
    let mut jacobian = Jacobian::new(model);
    for ((contact, d), row) in found.iter().zip(&directions).zip(&rows) {
        // Directions push the second body of the row, whichever the engine calls B.
        let sign = if row[0] > row[1] { -1.0 } else { 1.0 };
        let d = Vec3::new(d[0], d[1], d[2]) * sign;
        jacobian.push_contact(model, state, contact, d);
    }
    let (n, width) = (model.n_dof(), jacobian.width());
    let mut dense = vec![0.0; jacobian.len() * n];
    for i in 0..jacobian.len() {
        for block in jacobian.row(i) {
            for (j, x) in block.value.iter().enumerate().take(width) {
                dense[i * n + block.dof + j] += x;
            }
        }
    }
    let drive = (0..jacobian.len()).map(|i| jacobian.prescribed(i));
    let drive = PyArray1::from_iter(py, drive);
    let rows = jacobian.len();
    let matrix = match n {
        0 => PyArray2::zeros(py, [rows, 0], false),
        _ => convert::table(py, dense, n)?,
    };
    Ok((matrix, drive))
}
