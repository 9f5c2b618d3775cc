//! Settings by name.

use complementarity::{Options, Value, registry};
use pyo3::{
    IntoPyObjectExt,
    prelude::*,
    types::{PyBool, PyDict},
};
use serde::{Serialize, de::DeserializeOwned};
use stickslip::{
    Settings, collide, formulate, integrate,
    settings::{Epsilon, SettingsError},
    stabilize,
    step::SetupError,
};

use crate::error::{OrRaise, raise};

/// The fields of [`Settings`].
pub const KEYS: &[&str] = &[
    "step",
    "duration",
    "formulation",
    "solver",
    "solver_options",
    "detector",
    "friction",
    "friction_directions",
    "epsilon",
    "implicit",
    "rotation_tolerance",
    "impact",
    "restitution_threshold",
    "problem_form",
    "gyroscopic",
    "integrator",
    "stabilization",
    "on_unsolved",
    "accept_residual",
    "accuracy",
    "sleep",
    "separation_rounds",
    "separation_pile",
    "separation_motion",
    "separation_quiet",
    "separation_levers",
    "points",
    "penalty_stiffness",
    "penalty_damping",
    "penalty_integral",
    "penalty_forgetting",
    "penalty_friction",
    "penalty_impact_speed",
    "penalty_static_mass",
    "threads",
];

/// The value of one setting.
pub fn get(py: Python<'_>, s: &Settings, key: &str) -> PyResult<Py<PyAny>> {
    match key {
        "step" => s.step.into_py_any(py),
        "duration" => s.duration.into_py_any(py),
        "formulation" => s.formulation.as_str().into_py_any(py),
        "solver" => s.solver.as_str().into_py_any(py),
        "solver_options" => options_dict(py, &s.solver_options)?.into_py_any(py),
        "detector" => s.detector.as_str().into_py_any(py),
        "friction" => spell(&s.friction).into_py_any(py),
        "friction_directions" => s.friction_directions.into_py_any(py),
        "epsilon" => match s.epsilon {
            Epsilon::Auto => "auto".into_py_any(py),
            Epsilon::Fixed(x) => x.into_py_any(py),
        },
        "implicit" => s.implicit.into_py_any(py),
        "rotation_tolerance" => s.rotation_tolerance.into_py_any(py),
        "impact" => spell(&s.impact).into_py_any(py),
        "restitution_threshold" => s.restitution_threshold.into_py_any(py),
        "problem_form" => spell(&s.problem_form).into_py_any(py),
        "gyroscopic" => s.gyroscopic.into_py_any(py),
        "integrator" => s.integrator.as_str().into_py_any(py),
        "stabilization" => s.stabilization.as_str().into_py_any(py),
        "on_unsolved" => spell(&s.on_unsolved).into_py_any(py),
        "accept_residual" => s.accept_residual.into_py_any(py),
        "accuracy" => spell(&s.accuracy).into_py_any(py),
        "sleep" => s.sleep.into_py_any(py),
        "separation_rounds" => s.separation.rounds.into_py_any(py),
        "separation_pile" => s.separation.pile.into_py_any(py),
        "separation_motion" => s.separation.motion.into_py_any(py),
        "separation_quiet" => s.separation.quiet.into_py_any(py),
        "separation_levers" => s.separation.levers.into_py_any(py),
        "points" => spell(&s.penalty.points).into_py_any(py),
        "penalty_stiffness" => s.penalty.stiffness.into_py_any(py),
        "penalty_damping" => s.penalty.damping.into_py_any(py),
        "penalty_integral" => s.penalty.integral.into_py_any(py),
        "penalty_forgetting" => s.penalty.forgetting.into_py_any(py),
        "penalty_friction" => spell(&s.penalty.static_friction).into_py_any(py),
        "penalty_impact_speed" => s.penalty.impact_speed.into_py_any(py),
        "penalty_static_mass" => s.penalty.static_mass.into_py_any(py),
        "threads" => s.threads.into_py_any(py),
        _ => Err(unknown(key)),
    }
}

/// Sets one setting; nothing is checked beyond the type.
pub fn set(s: &mut Settings, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match key {
        "step" => s.step = number(key, value)?,
        "duration" => s.duration = number(key, value)?,
        "formulation" => s.formulation = text(key, value)?,
        "solver" => s.solver = text(key, value)?,
        "solver_options" => s.solver_options = options(value)?,
        "detector" => s.detector = text(key, value)?,
        "friction" => s.friction = word(key, value, "\"linear\", \"quadratic\" or \"none\"")?,
        "friction_directions" => s.friction_directions = count(key, value)?,
        "epsilon" => s.epsilon = epsilon(value)?,
        "implicit" => s.implicit = flag(key, value)?,
        "rotation_tolerance" => s.rotation_tolerance = number(key, value)?,
        "impact" => s.impact = word(key, value, "\"newton\" or \"poisson\"")?,
        "restitution_threshold" => {
            s.restitution_threshold =
                if value.is_none() { None } else { Some(number(key, value)?) };
        }
        "problem_form" => s.problem_form = word(key, value, "\"condensed\" or \"full\"")?,
        "gyroscopic" => s.gyroscopic = flag(key, value)?,
        "integrator" => s.integrator = text(key, value)?,
        "stabilization" => s.stabilization = text(key, value)?,
        "on_unsolved" => s.on_unsolved = word(key, value, "\"report\" or \"stop\"")?,
        "accept_residual" => s.accept_residual = number(key, value)?,
        "accuracy" => {
            s.accuracy = word(key, value, "\"exact\", \"balanced\" or \"fast\"")?;
        }
        "sleep" => s.sleep = flag(key, value)?,
        "separation_rounds" => s.separation.rounds = count(key, value)?,
        "separation_pile" => s.separation.pile = count(key, value)?,
        "separation_motion" => s.separation.motion = number(key, value)?,
        "separation_quiet" => s.separation.quiet = number(key, value)?,
        "separation_levers" => s.separation.levers = number(key, value)?,
        "points" => s.penalty.points = word(key, value, "\"bottom\" or \"deepest\"")?,
        "penalty_stiffness" => s.penalty.stiffness = number(key, value)?,
        "penalty_damping" => s.penalty.damping = number(key, value)?,
        "penalty_integral" => s.penalty.integral = number(key, value)?,
        "penalty_forgetting" => s.penalty.forgetting = number(key, value)?,
        "penalty_friction" => {
            let words = "\"spring\", \"linear-system\" or \"none\"";
            s.penalty.static_friction = word(key, value, words)?;
        }
        "penalty_impact_speed" => s.penalty.impact_speed = number(key, value)?,
        "penalty_static_mass" => s.penalty.static_mass = number(key, value)?,
        "threads" => s.threads = count(key, value)?,
        _ => return Err(unknown(key)),
    }
    Ok(())
}

/// Whether the settings are sound and every name is known.
pub fn check(s: &Settings) -> Result<(), SetupError> {
    s.validate()?;
    collide::make(&s.detector)?;
    formulate::make(&s.formulation)?;
    registry::make(&s.solver, &s.solver_options)?;
    integrate::make(&s.integrator)?;
    stabilize::make(&s.stabilization)?;
    Ok(())
}

/// A word of a closed list.
pub fn word<T: DeserializeOwned>(key: &str, value: &Bound<'_, PyAny>, range: &str) -> PyResult<T> {
    let name = value.extract::<String>().map_err(|_| wrong(key, value, range))?;
    serde_json::from_value(serde_json::Value::String(name)).map_err(|_| wrong(key, value, range))
}

/// The word for a value of a closed list.
pub fn spell<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}

/// Settings of a solver from a dictionary.
pub fn options(value: &Bound<'_, PyAny>) -> PyResult<Options> {
    let mut options = Options::new();
    let Ok(dict) = value.cast::<PyDict>() else {
        return Err(wrong("solver_options", value, "a dictionary of settings"));
    };
    for (key, value) in dict.iter() {
        let key = key.extract::<String>()?;
        let found = if let Ok(flag) = value.cast::<PyBool>() {
            Value::Bool(flag.is_true())
        } else if let Ok(number) = value.extract::<f64>() {
            Value::Number(number)
        } else if let Ok(text) = value.extract::<String>() {
            Value::Text(text)
        } else {
            let text = format!("{key} = {value}, but it must be a number, a truth value or a text");
            return Err(raise("SettingsError", text));
        };
        options.set(&key, found);
    }
    Ok(options)
}

fn options_dict<'py>(py: Python<'py>, options: &Options) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in options.iter() {
        match value {
            Value::Number(x) => dict.set_item(key, x)?,
            Value::Bool(x) => dict.set_item(key, x)?,
            Value::Text(x) => dict.set_item(key, x)?,
        }
    }
    Ok(dict)
}

fn epsilon(value: &Bound<'_, PyAny>) -> PyResult<Epsilon> {
    match value.extract::<String>() {
        Ok(word) if word == "auto" => Ok(Epsilon::Auto),
        Ok(_) => Err(wrong("epsilon", value, "\"auto\" or a distance in m")),
        Err(_) => Ok(Epsilon::Fixed(number("epsilon", value)?)),
    }
}

fn number(key: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    value.extract().map_err(|_| wrong(key, value, "a number"))
}

fn count(key: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    value.extract().map_err(|_| wrong(key, value, "a whole number, 0 or more"))
}

fn flag(key: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.extract().map_err(|_| wrong(key, value, "True or False"))
}

fn text(key: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    value.extract().map_err(|_| wrong(key, value, "a name"))
}

fn wrong(key: &str, value: &Bound<'_, PyAny>, range: &str) -> PyErr {
    let shown = value.repr().map_or_else(|_| "?".to_owned(), |r| r.to_string());
    raise("SettingsError", format!("{key} = {shown}, but it must be {range}"))
}

fn unknown(key: &str) -> PyErr {
    raise("SettingsError", format!("no setting is named {key:?}; there are: {}", KEYS.join(", ")))
}

/// Whether changing from one to the other needs new stages.
pub fn same_stages(a: &Settings, b: &Settings) -> bool {
    a.detector == b.detector
        && a.formulation == b.formulation
        && a.solver == b.solver
        && a.solver_options == b.solver_options
        && a.integrator == b.integrator
        && a.stabilization == b.stabilization
}

/// Several at once: all or none.
pub fn update(old: &Settings, changes: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let mut new = old.clone();
    for (key, value) in changes.iter() {
        set(&mut new, &key.extract::<String>()?, &value)?;
    }
    if new.restitution_threshold.is_some_and(|x| x.is_nan() || x < 0.0) {
        let value = new.restitution_threshold.unwrap_or_default().to_string();
        let (key, range) = ("restitution_threshold", "0 or more");
        return Err(SettingsError { key, value, range }).or_raise();
    }
    check(&new).or_raise()?;
    Ok(new)
}
