//! Arrays of the whole state that follow the simulation.
//!
//! numpy owns the memory; it is rewritten when the state changed and the interpreter's lock is
//! held, so that nobody sees half a step. Python gets views that it cannot write to.

use numpy::{PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use stickslip::{Dimension, State};

use crate::{
    convert::{spin_width, turn_width, width, wxyz},
    error::raise,
};

/// The quantities, in the order of [`Live::arrays`].
pub const QUANTITIES: [&str; 4] = ["position", "orientation", "velocity", "angular_velocity"];

/// The arrays handed out so far.
#[derive(Default)]
pub struct Live {
    arrays: [Option<Py<PyArray2<f64>>>; 4],
}

impl Live {
    /// Bodies were added: new arrays are needed, the old ones stay as they are.
    pub fn forget(&mut self) {
        self.arrays = Default::default();
    }

    /// Whether nobody asked yet.
    pub fn is_empty(&self) -> bool {
        self.arrays.iter().all(Option::is_none)
    }

    /// The array of that quantity.
    pub fn get<'py>(
        &mut self,
        py: Python<'py>,
        quantity: &str,
        (dimension, state): (Dimension, &State),
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let Some(k) = QUANTITIES.iter().position(|q| *q == quantity) else {
            return Err(raise("ModelError", format!("no quantity is named {quantity:?}")));
        };
        if let Some(array) = &self.arrays[k] {
            return Ok(array.bind(py).clone());
        }
        let columns = columns(dimension)[k];
        let array = PyArray2::zeros(py, [state.q.len(), columns], false);
        write(&array, k, (dimension, state))?;
        self.arrays[k] = Some(array.clone().unbind());
        Ok(array)
    }

    /// Writes the present state into the arrays that were handed out.
    pub fn refresh(&self, py: Python<'_>, dimension: Dimension, state: &State) -> PyResult<()> {
        for (k, array) in self.arrays.iter().enumerate() {
            if let Some(array) = array {
                write(array.bind(py), k, (dimension, state))?;
            }
        }
        Ok(())
    }
}

/// Numbers per body of each quantity.
pub fn columns(dimension: Dimension) -> [usize; 4] {
    let d = width(dimension);
    [d, turn_width(dimension), d, spin_width(dimension)]
}

/// The numbers of one quantity of one body.
pub fn numbers(dimension: Dimension, state: &State, i: usize, k: usize) -> ([f64; 4], usize) {
    let three = |v: stickslip_geometry::Vec3| [v.x, v.y, v.z, 0.0];
    let two = dimension == Dimension::Two;
    let all = match k {
        0 => three(state.q[i].position),
        1 if two => [state.angle[i], 0.0, 0.0, 0.0],
        1 => wxyz(state.q[i].orientation),
        2 => three(state.nu[i].linear),
        _ if two => [state.nu[i].angular.z, 0.0, 0.0, 0.0],
        _ => three(state.nu[i].angular),
    };
    (all, columns(dimension)[k])
}

fn write(
    array: &Bound<'_, PyArray2<f64>>,
    k: usize,
    (dimension, state): (Dimension, &State),
) -> PyResult<()> {
    let mut access = array.try_readwrite()?;
    for (i, mut row) in access.as_array_mut().rows_mut().into_iter().enumerate() {
        let (all, n) = numbers(dimension, state, i, k);
        row.iter_mut().zip(&all[..n]).for_each(|(x, y)| *x = *y);
    }
    Ok(())
}
