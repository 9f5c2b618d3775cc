//! Errors of the engine as exceptions of one family, with the same texts.

use complementarity::{
    ProblemError, SolveError, file::FileError, options::TypeError, registry::RegistryError,
};
use pyo3::{exceptions::PyRuntimeError, prelude::*, types::PyType};
use stickslip::{
    ModelError, StepError, collide::CollideError, formulate::FormulateError,
    settings::SettingsError, step::SetupError,
};
use stickslip_geometry::{GeometryError, mesh_file::MeshFileError};
use stickslip_record::RecordError;
use stickslip_scene::SceneError;

/// An exception of the class of that name in `stickslip.errors`.
pub fn raise(class: &str, text: String) -> PyErr {
    Python::attach(|py| match family(py, class) {
        Ok(class) => PyErr::from_type(class, text),
        // The package is broken; the text still gets out.
        Err(_) => PyRuntimeError::new_err(text),
    })
}

fn family<'py>(py: Python<'py>, class: &str) -> PyResult<Bound<'py, PyType>> {
    Ok(py.import("stickslip.errors")?.getattr(class)?.cast_into::<PyType>()?)
}

/// Turns an error into its exception.
pub trait Raise {
    /// The exception.
    fn raise(self) -> PyErr;
}

macro_rules! classes {
    ($($error:ty => $class:literal),* $(,)?) => {
        $(impl Raise for $error {
            fn raise(self) -> PyErr {
                raise($class, self.to_string())
            }
        })*
    };
}

classes! {
    SettingsError => "SettingsError",
    TypeError => "SettingsError",
    RegistryError => "SettingsError",
    GeometryError => "GeometryError",
    ProblemError => "ProblemError",
    SolveError => "SolveError",
    FileError => "FileError",
    SceneError => "SceneError",
    RecordError => "FileError",
    MeshFileError => "FileError",
    CollideError => "DetectError",
    FormulateError => "FormulateError",
}

impl Raise for ModelError {
    fn raise(self) -> PyErr {
        let class = match self {
            Self::UnknownBody { .. } => "UnknownBodyError",
            _ => "ModelError",
        };
        raise(class, self.to_string())
    }
}

impl Raise for SetupError {
    fn raise(self) -> PyErr {
        match self {
            Self::Model(e) => e.raise(),
            other => raise("SettingsError", other.to_string()),
        }
    }
}

impl Raise for StepError {
    fn raise(self) -> PyErr {
        let text = self.to_string();
        Python::attach(|py| {
            let made = family(py, "StepError")
                .and_then(|class| class.call1((&text, self.step, self.stage.to_string())));
            made.map_or_else(|e| e, PyErr::from_value)
        })
    }
}

/// The simulator is out in a step.
pub fn busy(doing: &str) -> PyErr {
    raise("BusyError", format!("the simulator is in the middle of a step, so {doing}"))
}

/// Shortens `map_err(Raise::raise)`.
pub trait OrRaise<T> {
    /// The value, or the exception.
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: Raise> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(Raise::raise)
    }
}
