//! What a run leaves behind, step by step.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::PyArray2;
use pyo3::prelude::*;
use stickslip::{Dimension, Model, State, StepReport};

use crate::{convert, error::raise, live};

/// Scalars per sample, after the time.
pub const SCALARS: [&str; 8] =
    ["time", "energy", "contacts", "size", "iterations", "residual", "failures", "seconds"];

/// Samples, appended as the run goes.
#[derive(Default)]
pub struct Columns {
    every: u64,
    n_bodies: usize,
    widths: [usize; 4],
    quantities: [Vec<f64>; 4],
    scalars: Vec<f64>,
    pub samples: usize,
}

impl Columns {
    /// Adds a sample if its turn has come.
    pub fn record(&mut self, model: &Model, state: &State, report: Option<&StepReport>) {
        if report.is_some() && !state.step.is_multiple_of(self.every) {
            return;
        }
        for (k, column) in self.quantities.iter_mut().enumerate() {
            for i in 0..self.n_bodies {
                let (all, n) = live::numbers(model.dimension(), state, i, k);
                column.extend_from_slice(&all[..n]);
            }
        }
        let solves = report.map(|r| &r.solves);
        self.scalars.extend([
            state.time,
            state.energy(model),
            report.map_or(0.0, |r| r.contacts as f64),
            solves.map_or(0.0, |s| s.size as f64),
            solves.map_or(0.0, |s| s.iterations as f64),
            solves.map_or(0.0, |s| s.residual),
            solves.map_or(0.0, |s| s.failures as f64),
            report.map_or(0.0, |r| r.seconds.total()),
        ]);
        self.samples += 1;
    }
}

/// A log that grows while the simulator runs.
#[pyclass(frozen, module = "stickslip._core")]
pub struct Log {
    pub columns: Arc<Mutex<Columns>>,
}

impl Log {
    pub fn new(dimension: Dimension, n_bodies: usize, every: u64) -> Self {
        let widths = live::columns(dimension);
        let columns = Columns { every: every.max(1), n_bodies, widths, ..Default::default() };
        Self { columns: Arc::new(Mutex::new(columns)) }
    }

    pub fn open(&self) -> MutexGuard<'_, Columns> {
        self.columns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Log {
    fn __len__(&self) -> usize {
        self.open().samples
    }

    /// A quantity: one row per sample, the bodies side by side.
    fn quantity<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let Some(k) = live::QUANTITIES.iter().position(|q| *q == name) else {
            return Err(raise("ModelError", format!("no quantity is named {name:?}")));
        };
        let (values, columns, rows) = {
            let c = self.open();
            (c.quantities[k].clone(), c.n_bodies * c.widths[k], c.samples)
        };
        if columns == 0 {
            return Ok(PyArray2::zeros(py, [rows, 0], false));
        }
        convert::table(py, values, columns)
    }

    /// Time, energy, contacts, unknowns, iterations, residual, failures, seconds per sample.
    fn scalars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = self.open().scalars.clone();
        convert::table(py, values, SCALARS.len())
    }
}
