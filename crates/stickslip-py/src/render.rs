//! Pictures and films.

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
};

use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use stickslip::{Model, State};
use stickslip_record::{Recording, Replay, view::ViewModel};
use stickslip_render::{CameraChoice, Film, FilmOptions, RenderError, RenderOptions};

use crate::{
    convert::Triple,
    engine::Engine,
    error::{OrRaise, Raise, raise},
    record::{self, Samples},
};

impl Raise for RenderError {
    fn raise(self) -> PyErr {
        let class = match self {
            Self::UnknownBody { .. } => "UnknownBodyError",
            Self::Io { .. }
            | Self::Format { .. }
            | Self::NoEncoder { .. }
            | Self::Encode { .. } => "FileError",
            _ => "SettingsError",
        };
        raise(class, self.to_string())
    }
}

/// Position, target, fov, height, follow.
type CameraFields = (Option<Triple>, Option<Triple>, Option<f64>, Option<f64>, Option<String>);

/// How pictures are made: columns and rows; position, target, fov, height, follow of the camera;
/// forces, joints, shadows, dark; samples a pixel, frames per second, speed.
#[derive(FromPyObject)]
pub struct Look((usize, usize), CameraFields, (bool, bool, bool, bool), (usize, f64, f64));

impl Look {
    fn options(self) -> (RenderOptions, FilmOptions) {
        let (width, height) = self.0;
        let (position, target, fov, tall, follow) = self.1;
        let (forces, joints, shadows, dark) = self.2;
        let (samples, fps, speed) = self.3;
        let camera = CameraChoice { position, target, fov, height: tall, follow };
        let render = RenderOptions {
            width,
            height,
            samples,
            forces,
            joints,
            shadows,
            dark,
            ..RenderOptions::default()
        };
        (render, FilmOptions { fps, speed, camera })
    }
}

/// A scene as it was when a run began: what its log needs to be drawn.
#[pyclass(frozen, module = "stickslip._core")]
pub struct Scenery {
    model: Arc<Model>,
    state: State,
    view: ViewModel,
}

#[pymethods]
impl Scenery {
    /// Writes a film of these samples.
    fn film(
        &self,
        py: Python<'_>,
        samples: Samples<'_>,
        path: PathBuf,
        look: Look,
    ) -> PyResult<()> {
        let replay = Replay::empty(self.view.clone());
        let replay = record::fill(replay, &self.model, &self.state, &samples)?;
        write(py, &replay, &path, look)
    }
}

#[pymethods]
impl Engine {
    /// The scene, for films of its logs.
    fn scenery(&self, py: Python<'_>, name: &str) -> PyResult<Scenery> {
        let (model, state, settings) = self.present(py)?;
        let stages = [settings.formulation.as_str(), settings.solver.as_str()];
        let view = ViewModel::new(name, &model, settings.step, stages);
        Ok(Scenery { model, state, view })
    }

    /// A picture of the present state: rows, columns, red green blue.
    fn render<'py>(&self, py: Python<'py>, look: Look) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let (model, state, settings) = self.present(py)?;
        let data = self.last_step().filter(|_| state.step > 0);
        let stages = [settings.formulation.as_str(), settings.solver.as_str()];
        let mut replay = Replay::empty(ViewModel::new("", &model, settings.step, stages));
        replay.push(&model, &state, data.as_ref());
        let (render, film) = look.options();
        let shape = [render.height, render.width, 3];
        let picture = py
            .detach(|| Film::new(&replay, render, film).map(|film| film.at(f64::INFINITY)))
            .or_raise()?;
        PyArray1::from_vec(py, picture.pixels).reshape(shape)
    }
}

/// Writes a film of a recording.
#[pyfunction]
pub fn recording_film(
    py: Python<'_>,
    recording: PathBuf,
    path: PathBuf,
    look: Look,
) -> PyResult<()> {
    let replay = py.detach(|| Recording::open(&recording)?.replay()).or_raise()?;
    write(py, &replay, &path, look)
}

fn write(py: Python<'_>, replay: &Replay, path: &Path, look: Look) -> PyResult<()> {
    let (render, film) = look.options();
    let mut stopped = None;
    let written = py.detach(|| {
        let film = Film::new(replay, render, film)?;
        film.write(path, &mut |_, _| match Python::attach(|py| py.check_signals()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                stopped = Some(error);
                ControlFlow::Break(())
            }
        })
    });
    stopped.map_or(written.or_raise(), Err)
}
