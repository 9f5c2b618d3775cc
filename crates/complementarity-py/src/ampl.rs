//! The program `complementarity-ampl`, for the script of the package.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::interrupt::interruptible;

/// Runs it with the words of a command line, the first of which is its name.
#[pyfunction]
pub fn run_ampl(py: Python<'_>, words: Vec<String>) -> PyResult<()> {
    let run = move |watch: &mut crate::interrupt::Flag| {
        complementarity_ampl::command::run(&words, watch).map_err(|e| e.to_string())
    };
    interruptible(py, run)?.map_err(PyRuntimeError::new_err)
}
