//! The extension module behind the Python package `complementarity`: parses, calls, converts.

mod ampl;
mod convert;
mod interrupt;
mod linear;
mod nonlinear;

#[pyo3::pymodule]
mod _complementarity {
    #[pymodule_export]
    use crate::ampl::run_ampl;
    #[pymodule_export]
    use crate::linear::{residual, solve_linear, solver_info};
    #[pymodule_export]
    use crate::nonlinear::solve_nonlinear;
}
