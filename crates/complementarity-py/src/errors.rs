//! The exceptions of the package, and settings.

use complementarity::file::FileError;
use complementarity::nonlinear::NonlinearError;
use complementarity::registry::RegistryError;
use complementarity::{Options, ProblemError as WrongProblem, SolveError as WrongSolve, Value};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

pyo3::create_exception!(
    complementarity,
    ProblemError,
    PyValueError,
    "A problem that makes no sense: sizes, NaN, bounds."
);
pyo3::create_exception!(
    complementarity,
    SettingsError,
    PyValueError,
    "A solver, or a setting of one, that does not exist or is out of its range."
);
pyo3::create_exception!(
    complementarity,
    SolveError,
    PyValueError,
    "A problem that cannot be handed to a solver."
);

/// Turns an error of the library into its exception.
pub trait OrRaise<T> {
    /// The value, or the exception.
    fn or_raise(self) -> PyResult<T>;
}

macro_rules! classes {
    ($($error:ty => $class:ty),* $(,)?) => {
        $(impl<T> OrRaise<T> for Result<T, $error> {
            fn or_raise(self) -> PyResult<T> {
                self.map_err(|e| <$class>::new_err(e.to_string()))
            }
        })*
    };
}

classes! {
    WrongProblem => ProblemError,
    NonlinearError => ProblemError,
    WrongSolve => SolveError,
    RegistryError => SettingsError,
    FileError => PyOSError,
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
            let text = format!("{key} = {value}, but it must be a number, a truth value or a text");
            return Err(SettingsError::new_err(text));
        };
        options.set(&key, value);
    }
    Ok(options)
}
