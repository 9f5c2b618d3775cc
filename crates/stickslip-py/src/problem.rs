//! Complementarity problems.

use std::{ops::ControlFlow, path::PathBuf};

use complementarity::{
    Lcp, Matrix, Mlcp, Options, Solution, Watch, file,
    problem::{Cone, ConeRows, Csc, Dense},
    registry, residual,
    solver::NoWatch,
};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::{prelude::*, types::PyDict};

use crate::{
    convert,
    error::{OrRaise, raise},
    lcp, settings,
};

/// `l <= z <= u ⟂ A z + b`, checked.
#[pyclass(frozen, module = "stickslip._core")]
pub struct Problem {
    pub inner: complementarity::Problem,
}

/// z, status, iterations, solver, fallbacks, error, whether it counts as solved.
type Solved<'py> = (Bound<'py, PyArray1<f64>>, &'static str, usize, &'static str, usize, f64, bool);

/// values, row indices, column starts.
type Columns<'py> =
    (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

/// J and B.
type Factors<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

/// A vector of bounds; `None`: zero and infinity.
type Bounds<'py> = Option<(PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>)>;

impl Problem {
    pub fn of(inner: complementarity::Problem) -> Self {
        Self { inner }
    }

    fn made(matrix: Matrix, b: Vec<f64>, bounds: Bounds<'_>) -> PyResult<Self> {
        let inner = match bounds {
            None => complementarity::Problem::Lcp(Lcp::new(matrix, b).or_raise()?),
            Some((l, u)) => {
                let (l, u) = (l.as_array().to_vec(), u.as_array().to_vec());
                complementarity::Problem::Mlcp(Mlcp::new(matrix, b, l, u).or_raise()?)
            }
        };
        Ok(Self { inner })
    }

    fn run(
        &self,
        (solver, options): (&str, &Options),
        z0: &[f64],
        watch: &mut dyn Watch,
    ) -> PyResult<Solution> {
        let mut method = registry::make(solver, options).or_raise()?;
        let class = self.inner.class();
        if !method.accepts().contains(&class) {
            let solver = method.name();
            return Err(complementarity::SolveError::Class { solver, class }).or_raise();
        }
        method.solve(&self.inner, z0, watch).or_raise()
    }
}

#[pymethods]
impl Problem {
    #[staticmethod]
    fn dense(
        a: PyReadonlyArray2<'_, f64>,
        b: PyReadonlyArray1<'_, f64>,
        bounds: Bounds<'_>,
    ) -> PyResult<Self> {
        let a = a.as_array();
        let values = a.t().iter().copied().collect();
        let dense = Dense { rows: a.nrows(), cols: a.ncols(), values };
        Self::made(Matrix::Dense(dense), b.as_array().to_vec(), bounds)
    }

    #[staticmethod]
    fn sparse(
        rows: usize,
        columns: (PyReadonlyArray1<'_, f64>, PyReadonlyArray1<'_, i64>, PyReadonlyArray1<'_, i64>),
        b: PyReadonlyArray1<'_, f64>,
        bounds: Bounds<'_>,
    ) -> PyResult<Self> {
        let whole = |x: &PyReadonlyArray1<'_, i64>| -> PyResult<Vec<usize>> {
            let found: Result<Vec<usize>, _> =
                x.as_array().iter().map(|&i| usize::try_from(i)).collect();
            found.map_err(|_| {
                raise("ProblemError", "malformed sparse matrix: an index is negative".to_owned())
            })
        };
        let (values, index, start) = columns;
        let csc = Csc {
            rows,
            cols: start.as_array().len().saturating_sub(1),
            start: whole(&start)?,
            index: whole(&index)?,
            values: values.as_array().to_vec(),
        };
        Self::made(Matrix::Sparse(csc), b.as_array().to_vec(), bounds)
    }

    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        Ok(Self { inner: file::read(&path).or_raise()? })
    }

    fn save(&self, path: PathBuf) -> PyResult<()> {
        file::write(&path, &self.inner).or_raise()
    }

    /// "lcp", "mlcp" or "cone".
    #[getter]
    fn kind(&self) -> &'static str {
        lcp::class_name(self.inner.class())
    }

    #[getter]
    fn size(&self) -> usize {
        self.inner.size()
    }

    /// How many contacts the problem has, where it says.
    #[getter]
    fn contacts(&self) -> Option<usize> {
        self.inner.n_contacts()
    }

    /// Whether `z` counts as a solution with that tolerance.
    fn solved(&self, z: PyReadonlyArray1<'_, f64>, tolerance: f64) -> bool {
        let z = z.as_array().to_vec();
        z.len() == self.inner.size() && residual::solved(&self.inner, &z, tolerance)
    }

    fn a<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let dense = self.inner.matrix().to_dense();
        convert::from_columns(py, &dense.values, dense.rows, dense.cols)
    }

    fn csc<'py>(&self, py: Python<'py>) -> Columns<'py> {
        columns(py, &self.inner.matrix().to_sparse())
    }

    /// The factors J and B of A = J B + D as dense matrices, where A has them.
    fn factors<'py>(&self, py: Python<'py>) -> Option<Factors<'py>> {
        let Matrix::Factored(f) = self.inner.matrix() else { return None };
        let dense = |m: &Csc| {
            let d = Matrix::Sparse(m.clone()).to_dense();
            convert::from_columns(py, &d.values, d.rows, d.cols)
        };
        Some((dense(&f.left), dense(&f.right)))
    }

    fn b<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.inner.b())
    }

    fn bounds<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>) {
        let (lower, upper) = self.inner.bounds();
        (PyArray1::from_vec(py, lower), PyArray1::from_vec(py, upper))
    }

    /// First row, end, friction and rolling friction of each contact of a cone problem.
    fn cones(&self) -> Vec<(usize, usize, f64, f64)> {
        match &self.inner {
            complementarity::Problem::Cone(p) => {
                let row = |c: &ConeRows| (c.rows.start, c.rows.end, c.mu, c.rolling);
                p.contacts.iter().map(row).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The same matrix and constant as a problem with friction cones; the bounds count for the
    /// rows outside the contacts.
    fn with_cones(&self, cones: Vec<(usize, usize, f64, f64)>) -> PyResult<Self> {
        let (matrix, b) = (self.inner.matrix().clone(), self.inner.b().to_vec());
        let contact = |(start, end, mu, rolling)| ConeRows { rows: start..end, mu, rolling };
        let contacts = cones.into_iter().map(contact).collect();
        let mut cone = Cone::new(matrix, b, contacts).or_raise()?;
        if let complementarity::Problem::Mlcp(p) = &self.inner {
            cone = cone.with_bounds(p.lower.clone(), p.upper.clone()).or_raise()?;
        }
        Ok(Self { inner: complementarity::Problem::Cone(cone) })
    }

    fn solve<'py>(
        &self,
        py: Python<'py>,
        solver: &str,
        options: &Bound<'py, PyDict>,
        z0: Option<PyReadonlyArray1<'py, f64>>,
        watch: Option<Py<PyAny>>,
    ) -> PyResult<Solved<'py>> {
        let options = settings::options(options.as_any())?;
        let z0 = z0.map_or_else(Vec::new, |z| z.as_array().to_vec());
        let solution = match watch {
            None => py.detach(|| self.run((solver, &options), &z0, &mut NoWatch))?,
            Some(f) => {
                let mut watch = Caller { f, error: None };
                let solution = self.run((solver, &options), &z0, &mut watch);
                if let Some(error) = watch.error {
                    return Err(error);
                }
                solution?
            }
        };
        let error = residual::natural(&self.inner, &solution.z);
        let tolerance = match options.number("tolerance") {
            Ok(Some(tolerance)) => tolerance,
            _ => 1e-8,
        };
        let close = residual::solved(&self.inner, &solution.z, tolerance.max(1e-8));
        let Solution { z, status, iterations, solver, fallbacks } = solution;
        let z = PyArray1::from_vec(py, z);
        Ok((z, status.as_str(), iterations, solver, fallbacks, error, close))
    }

    fn residual(&self, z: PyReadonlyArray1<'_, f64>, metric: &str) -> PyResult<f64> {
        let z = z.as_array().to_vec();
        if z.len() != self.inner.size() {
            let (what, found, expected) = ("z", z.len(), self.inner.size());
            return Err(complementarity::ProblemError::Size { what, found, expected }).or_raise();
        }
        lcp::measure(&self.inner, &z, metric)
    }
}

/// A sparse matrix as numpy arrays.
pub fn columns<'py>(py: Python<'py>, csc: &Csc) -> Columns<'py> {
    let whole = |x: &[usize]| PyArray1::from_iter(py, x.iter().map(|&i| i as i64));
    (PyArray1::from_slice(py, &csc.values), whole(&csc.index), whole(&csc.start))
}

/// Hands iterates to Python.
struct Caller {
    f: Py<PyAny>,
    error: Option<PyErr>,
}

impl Watch for Caller {
    fn iterate(&mut self, k: usize, z: &[f64]) -> ControlFlow<()> {
        let stop = Python::attach(|py| {
            self.f.bind(py).call1((k, PyArray1::from_slice(py, z)))?.is_truthy()
        });
        match stop {
            Ok(false) => ControlFlow::Continue(()),
            Ok(true) => ControlFlow::Break(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}
