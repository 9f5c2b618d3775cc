//! Ctrl-C and callbacks.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use complementarity::Watch;
use numpy::PyArray1;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Stops when told to from outside.
pub struct Flag(pub Arc<AtomicBool>);

impl Watch for Flag {
    fn iterate(&mut self, _: usize, _: &[f64]) -> ControlFlow<()> {
        if self.0.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn stops(&mut self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs `work` on a thread of its own while this one listens for Ctrl-C. After that the thread is
/// left to itself: it ends at its next iteration.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&mut Flag) -> T + Send + 'static,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, mut receiver) = channel();
    let mut flag = Flag(stop.clone());
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(move || {
        // nobody listens after Ctrl-C
        let _ = sender.send(work(&mut flag));
    });
    thread.map_err(|e| PyRuntimeError::new_err(format!("no thread for the solver: {e}")))?;
    // short solves are not to wait for a long tick
    let mut tick = Duration::from_millis(1);
    loop {
        let heard;
        (receiver, heard) = py.detach(move || {
            let heard = receiver.recv_timeout(tick);
            (receiver, heard)
        });
        match heard {
            Ok(found) => return Ok(found),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the solver ended without a result"));
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(error) = py.check_signals() {
                    stop.store(true, Ordering::Relaxed);
                    return Err(error);
                }
                tick = Duration::from_millis(50).min(2 * tick);
            }
        }
    }
}

/// Hands iterates to Python, on the caller's thread; the first exception stops the solver.
pub struct Caller<'a, 'py> {
    pub py: Python<'py>,
    pub callback: Option<&'a Bound<'py, PyAny>>,
    pub error: Option<PyErr>,
}

impl Watch for Caller<'_, '_> {
    fn iterate(&mut self, k: usize, z: &[f64]) -> ControlFlow<()> {
        let call = || -> PyResult<bool> {
            self.py.check_signals()?;
            match self.callback {
                Some(f) => f.call1((k, PyArray1::from_slice(self.py, z)))?.is_truthy(),
                None => Ok(false),
            }
        };
        match call() {
            Ok(false) => ControlFlow::Continue(()),
            Ok(true) => ControlFlow::Break(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn stops(&mut self) -> bool {
        if self.error.is_none() {
            self.error = self.py.check_signals().err();
        }
        self.error.is_some()
    }
}
