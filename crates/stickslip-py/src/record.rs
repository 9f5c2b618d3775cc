//! Recordings and pages for the browser.

use std::path::{Path, PathBuf};

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use stickslip::{Dimension, Model, Simulator, State};
use stickslip_geometry::{Quat, Vec3};
use stickslip_record::{
    RecordOptions, Recorder, Recording, Replay, RunInfo, replay::html, series::SERIES,
    view::ViewModel,
};

use crate::{
    convert::quaternion,
    engine::Engine,
    error::{OrRaise, raise},
    live,
};

/// Name, dimension, bodies; the columns; the series by name.
type Loaded<'py> = (
    (String, usize, Vec<String>),
    Vec<Bound<'py, PyArray1<f64>>>,
    Vec<(&'static str, Bound<'py, PyArray1<f64>>)>,
);

/// Times, then positions, orientations, velocities, angular velocities, a row per sample.
pub type Samples<'py> = (PyReadonlyArray1<'py, f64>, [PyReadonlyArray2<'py, f64>; 4]);

/// Begins a recording of a simulator.
pub fn attach(path: &Path, simulator: &mut Simulator, info: &RunInfo) -> PyResult<Recorder> {
    Recorder::attach(path, simulator, info, RecordOptions::default()).or_raise()
}

/// Reads a recording: its bodies, the time and four quantities of all, the scalars.
#[pyfunction]
pub fn load_recording(py: Python<'_>, path: PathBuf) -> PyResult<Loaded<'_>> {
    let recording = Recording::open(&path).or_raise()?;
    let model = recording.model();
    let names = model.bodies.iter().map(|b| b.name.clone()).collect();
    let mut columns = vec![PyArray1::from_slice(py, recording.time())];
    for name in live::QUANTITIES {
        columns.push(PyArray1::from_vec(py, recording.trajectory(name).or_raise()?));
    }
    let mut scalars = Vec::new();
    for info in SERIES {
        let values = recording.series(info.name).or_raise()?;
        scalars.push((info.name, PyArray1::from_vec(py, values)));
    }
    Ok(((model.scene.clone(), usize::from(model.dimension), names), columns, scalars))
}

/// A recording as a page that holds viewer and data.
#[pyfunction]
pub fn recording_html(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    py.detach(|| html(&[Recording::open(&path)?.replay()?])).or_raise()
}

#[pymethods]
impl Engine {
    /// Ends the recording that the last run began, if any; `failure` says why the run ended.
    fn end_log(&self, py: Python<'_>, failure: Option<&str>) -> PyResult<Option<(usize, u64)>> {
        let mut core = self.lock(py);
        let Some(recorder) = core.recorder.take() else { return Ok(None) };
        let runner = core.ready("its recording cannot end")?;
        if let Some(reason) = failure {
            recorder.failed(&mut runner.simulator, reason).or_raise()?;
        }
        let summary = recorder.finish().or_raise()?;
        // The recorder sits in the pipeline: it goes with the old one.
        core.stale = true;
        Ok(Some((summary.rows, summary.bytes)))
    }

    /// A page that shows these samples, or the present state if there are none.
    fn html(&self, py: Python<'_>, name: &str, samples: Option<Samples<'_>>) -> PyResult<String> {
        let (model, state, settings) = self.present(py)?;
        let stages = [settings.formulation.as_str(), settings.solver.as_str()];
        let view = ViewModel::new(name, &model, settings.step, stages);
        let mut replay = Replay::empty(view);
        match samples {
            None => replay.push(&model, &state, None),
            Some(samples) => replay = fill(replay, &model, &state, &samples)?,
        }
        py.detach(|| html(&[replay])).or_raise()
    }
}

/// Adds samples to a replay; `state` has what they do not say.
pub fn fill(
    mut replay: Replay,
    model: &Model,
    state: &State,
    (time, columns): &Samples<'_>,
) -> PyResult<Replay> {
    let h = replay.model.step;
    for (k, &t) in time.as_array().iter().enumerate() {
        let mut sample = state.clone();
        (sample.time, sample.step) = (t, (t / h).round() as u64);
        place(model, &mut sample, columns, k)?;
        replay.push(model, &sample, None);
    }
    Ok(replay)
}

/// Sets the state to a sample.
fn place(
    model: &Model,
    state: &mut State,
    columns: &[PyReadonlyArray2<'_, f64>; 4],
    k: usize,
) -> PyResult<()> {
    let two = model.dimension() == Dimension::Two;
    let widths = live::columns(model.dimension());
    let n = model.bodies().len();
    let views = [0, 1, 2, 3].map(|c| columns[c].as_array());
    if views.iter().zip(widths).any(|(v, w)| v.ncols() != n * w || v.nrows() <= k) {
        let text = "the log is of other bodies than the simulator has".to_owned();
        return Err(raise("ModelError", text));
    }
    for i in 0..n {
        let x = |c: usize, j: usize| {
            if j < widths[c] { views[c][[k, i * widths[c] + j]] } else { 0.0 }
        };
        let vector = |c: usize| Vec3::new(x(c, 0), x(c, 1), x(c, 2));
        state.q[i].position = vector(0);
        state.nu[i].linear = vector(2);
        if two {
            state.angle[i] = x(1, 0);
            state.q[i].orientation = Quat::from_rotation_z(x(1, 0));
            state.nu[i].angular = Vec3::new(0.0, 0.0, x(3, 0));
        } else {
            state.q[i].orientation = quaternion([x(1, 0), x(1, 1), x(1, 2), x(1, 3)]);
            state.nu[i].angular = vector(3);
        }
    }
    Ok(())
}
