//! The extension module behind the Python package `complementarity`: parses, calls, converts.
//!
//! As a library it has [`exchange`] alone, by which the package `stickslip` hands over its problems.

pub mod exchange;

#[cfg(feature = "module")]
mod ampl;
#[cfg(feature = "module")]
mod errors;
#[cfg(feature = "module")]
mod interrupt;
#[cfg(feature = "module")]
mod linear;
#[cfg(feature = "module")]
mod nonlinear;

#[cfg(feature = "module")]
#[pyo3::pymodule]
mod _complementarity {
    #[pymodule_export]
    use crate::{
        ampl::run_ampl,
        errors::{ProblemError, SettingsError, SolveError},
        linear::{
            bounds, dense, describe, load, metrics, residual, save, solve, solver_info, sparse,
        },
        nonlinear::solve_nonlinear,
    };
}
