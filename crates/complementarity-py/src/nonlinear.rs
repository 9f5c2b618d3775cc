//! Nonlinear problems with functions of Python.

use std::cell::RefCell;

use complementarity::nonlinear::{Map, Ncp, NonlinearSettings, differences, undefined};
use complementarity::{Matrix, Watch};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::errors::{OrRaise, ProblemError};
use crate::exchange::{Given, matrix};
use crate::interrupt::Caller;

/// F and its Jacobian as callables. The first exception is kept, and F is NaN from then on.
struct Callable<'a, 'py> {
    py: Python<'py>,
    n: usize,
    f: &'a Bound<'py, PyAny>,
    jacobian: Option<&'a Bound<'py, PyAny>>,
    error: RefCell<Option<PyErr>>,
}

impl Callable<'_, '_> {
    fn failed(&self) -> bool {
        self.error.borrow().is_some()
    }

    fn fail(&self, error: PyErr) {
        self.error.borrow_mut().get_or_insert(error);
    }

    fn call(&self, z: &[f64]) -> PyResult<Vec<f64>> {
        self.py.check_signals()?;
        let found = self.f.call1((PyArray1::from_slice(self.py, z),))?;
        let array: PyReadonlyArray1<'_, f64> = found.extract()?;
        let f = array.as_array().to_vec();
        if f.len() == self.n {
            Ok(f)
        } else {
            Err(ProblemError::new_err(format!(
                "F gave {} numbers for {} unknowns",
                f.len(),
                self.n
            )))
        }
    }

    fn call_jacobian(&self, f: &Bound<'_, PyAny>, z: &[f64]) -> PyResult<Matrix> {
        self.py.check_signals()?;
        let found = f.call1((PyArray1::from_slice(self.py, z),))?;
        let given: Given<'_> = found.extract()?;
        let a = matrix(&given).or_raise()?;
        if a.rows() == self.n && a.cols() == self.n {
            Ok(a)
        } else {
            let (rows, cols, n) = (a.rows(), a.cols(), self.n);
            Err(ProblemError::new_err(format!("J gave {rows} by {cols} numbers for {n} unknowns")))
        }
    }
}

impl Map for Callable<'_, '_> {
    fn size(&self) -> usize {
        self.n
    }

    fn value(&self, z: &[f64], f: &mut [f64]) {
        f.fill(f64::NAN);
        if self.failed() {
            return;
        }
        match self.call(z) {
            Ok(found) => f.copy_from_slice(&found),
            Err(error) => self.fail(error),
        }
    }

    fn jacobian(&self, z: &[f64]) -> Matrix {
        // what has failed is not to be asked for differences: a full matrix
        if self.failed() {
            return undefined(self.n);
        }
        let Some(f) = self.jacobian else { return differences(self, z) };
        self.call_jacobian(f, z).unwrap_or_else(|error| {
            self.fail(error);
            undefined(self.n)
        })
    }
}

/// Stops as soon as F has failed.
struct Both<'a, 'py> {
    map: &'a Callable<'a, 'py>,
    caller: Caller<'a, 'py>,
}

impl Watch for Both<'_, '_> {
    fn iterate(&mut self, k: usize, z: &[f64]) -> std::ops::ControlFlow<()> {
        if self.map.failed() {
            return std::ops::ControlFlow::Break(());
        }
        self.caller.iterate(k, z)
    }

    fn stops(&mut self) -> bool {
        self.map.failed() || self.caller.stops()
    }
}

type Array<'py> = Bound<'py, PyArray1<f64>>;

/// z, F(z), status, reason, iterations, evaluations, restarts, residual.
type Solved<'py> = (Array<'py>, Array<'py>, &'static str, String, usize, usize, usize, f64);

/// Solves `l <= z <= u ⟂ F(z)`.
#[pyfunction]
pub fn solve_nonlinear<'py>(
    py: Python<'py>,
    functions: (Bound<'py, PyAny>, Option<Bound<'py, PyAny>>),
    bounds: (PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>),
    z0: PyReadonlyArray1<'py, f64>,
    settings: (f64, usize, usize, u64),
    callback: Option<Bound<'py, PyAny>>,
) -> PyResult<Solved<'py>> {
    let (lower, upper) = (bounds.0.as_array().to_vec(), bounds.1.as_array().to_vec());
    let z0 = z0.as_array().to_vec();
    let (n, error) = (z0.len(), RefCell::new(None));
    let map = Callable { py, n, f: &functions.0, jacobian: functions.1.as_ref(), error };
    let (tolerance, max_iterations, restarts, seed) = settings;
    let settings = NonlinearSettings { tolerance, max_iterations, restarts, seed };
    let caller = Caller { py, callback: callback.as_ref(), error: None };
    let mut watch = Both { map: &map, caller };
    let ncp = Ncp { map: &map, lower, upper };
    let found = ncp.solve(&z0, &settings, &mut watch);
    if let Some(error) = watch.caller.error {
        return Err(error);
    }
    if let Some(error) = map.error.borrow_mut().take() {
        return Err(error);
    }
    let r = found.or_raise()?;
    let (z, f) = (PyArray1::from_vec(py, r.z), PyArray1::from_vec(py, r.f));
    let status = r.status.as_str();
    Ok((z, f, status, r.reason, r.iterations, r.evaluations, r.restarts, r.residual))
}
