//! The page that follows a loop in Python.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use stickslip_record::{Replay, view::ViewModel};
use stickslip_view::passive::{Leave, Passive};

use crate::{engine::Engine, error::raise};

/// A page, until it is closed.
#[pyclass(frozen, module = "stickslip._core")]
pub struct Viewer {
    name: String,
    page: Mutex<Option<Passive>>,
}

impl Viewer {
    fn open(&self) -> MutexGuard<'_, Option<Passive>> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A replay that begins with the present state.
fn begin(py: Python<'_>, engine: &Engine, name: &str) -> PyResult<Replay> {
    let (model, state, settings) = engine.present(py)?;
    let stages = [settings.formulation.as_str(), settings.solver.as_str()];
    let mut replay = Replay::empty(ViewModel::new(name, &model, settings.step, stages));
    replay.push(&model, &state, None);
    Ok(replay)
}

#[pymethods]
impl Viewer {
    #[new]
    fn new(py: Python<'_>, engine: &Bound<'_, Engine>, name: String, port: u16) -> PyResult<Self> {
        let replay = begin(py, engine.get(), &name)?;
        let page = Passive::start(replay, port).map_err(|e| raise("FileError", e.to_string()))?;
        Ok(Self { name, page: Mutex::new(Some(page)) })
    }

    /// Where the page is; none once it is closed.
    #[getter]
    fn url(&self) -> Option<String> {
        self.open().as_ref().map(Passive::url)
    }

    /// Whether somebody looks.
    fn watched(&self) -> bool {
        self.open().as_ref().is_some_and(Passive::watched)
    }

    /// Shows the present state.
    fn show(&self, py: Python<'_>, engine: &Bound<'_, Engine>) -> PyResult<()> {
        let engine = engine.get();
        let (model, state, _) = engine.present(py)?;
        let data = engine.last_step().filter(|_| state.step > 0);
        let restarts = |page: &Passive| page.restarts(&model, &state);
        // The page is not locked while the engine is asked: others lock them the other way round.
        let over = self.open().as_ref().is_some_and(restarts);
        let again = if over { Some(begin(py, engine, &self.name)?) } else { None };
        if let Some(page) = self.open().as_mut() {
            page.show((&model, &state), data.as_ref(), again);
        }
        Ok(())
    }

    /// Whether the loop may go on: yes, not yet, or never as the page is closed (`None`).
    fn poll(&self) -> Option<bool> {
        match self.open().as_mut()?.poll() {
            Leave::Go => Some(true),
            Leave::Wait => Some(false),
            Leave::Closed => None,
        }
    }

    /// Whether the page can still be seen.
    fn is_open(&self) -> bool {
        self.open().as_mut().is_some_and(Passive::is_open)
    }

    /// Seconds of the run in a second of the clock, if the user of the page chose.
    fn speed(&self) -> Option<f64> {
        self.open().as_ref().and_then(Passive::speed)
    }

    /// Adds the pull of the mouse to the forces of the next step.
    fn pull(&self, py: Python<'_>, engine: &Bound<'_, Engine>) -> PyResult<()> {
        let mut core = engine.get().lock(py);
        let (model, h) = (core.model()?, core.settings.step);
        let state = core.state_mut()?;
        if let Some(page) = self.open().as_mut() {
            page.pull(&model, state, h);
        }
        Ok(())
    }

    fn close(&self, py: Python<'_>) {
        let page = self.open().take();
        py.detach(|| drop(page));
    }
}
