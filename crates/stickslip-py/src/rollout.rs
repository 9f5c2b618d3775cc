//! Many short runs from given states under given controls, on all cores.
//!
//! Every run starts with stages that remember nothing: results depend neither on the number of
//! threads nor on the order of the runs.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use numpy::{PyArray3, PyArrayMethods, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use stickslip::{
    Model, Settings, Simulator, State,
    control::apply_joint_force,
    model::{JointId, MotorTarget},
};

use crate::{
    engine::Engine,
    error::{OrRaise, raise},
    state_array,
};

/// States after every n-th step, and what went wrong in which run.
type Runs<'py> = (Bound<'py, PyArray3<f64>>, Vec<(usize, String)>);

/// Numbers of all runs, and what went wrong in which.
type Outcome = (Vec<f64>, Vec<(usize, String)>);

/// What all runs share.
struct Rollouts<'a> {
    model: &'a Model,
    settings: &'a Settings,
    starts: Vec<State>,
    /// Controls of one run after the other, step by step.
    controls: Vec<f64>,
    joints: &'a [usize],
    steps: usize,
    every: usize,
    /// Whether controls are aims of motors and not forces.
    aims: bool,
}

impl Rollouts<'_> {
    /// Numbers of one run.
    fn size(&self) -> usize {
        self.starts.first().map_or(0, state_array::size) * (self.steps / self.every)
    }

    fn control(&self, run: usize, step: usize, state: &mut State) {
        let n = self.joints.len();
        let now = &self.controls[(run * self.steps + step) * n..][..n];
        for (&joint, &u) in self.joints.iter().zip(now) {
            if !self.aims {
                apply_joint_force(self.model, state, JointId::new(joint), 0, u);
            } else if let Some(motor) = &mut state.motors[joint] {
                motor.follows = false;
                match &mut motor.target {
                    MotorTarget::Velocity(aim) => *aim = u,
                    MotorTarget::Position { position, .. } => *position = u,
                }
            }
        }
    }

    /// One run; the numbers of the steps that were made are written to `out`. Gives the model back, and
    /// why it ended early.
    fn run(&self, run: usize, model: Model, out: &mut [f64]) -> (Model, Option<String>) {
        let made = Simulator::new(model, self.starts[run].clone(), self.settings.clone());
        let mut sim = match made {
            Ok(sim) => sim,
            Err(error) => return (self.model.clone(), Some(error.to_string())),
        };
        let size = state_array::size(&sim.state);
        let mut numbers = Vec::with_capacity(size);
        for step in 0..self.steps {
            self.control(run, step, &mut sim.state);
            if let Err(error) = sim.step() {
                return (sim.model, Some(error.to_string()));
            }
            if (step + 1) % self.every == 0 {
                numbers.clear();
                state_array::write(&sim.state, &mut numbers);
                let k = (step + 1) / self.every - 1;
                out[k * size..(k + 1) * size].copy_from_slice(&numbers);
            }
        }
        (sim.model, None)
    }

    /// All runs, on that many threads. `stop` ends them early.
    fn all(&self, threads: usize, stop: &AtomicBool) -> Outcome {
        let size = self.size();
        let mut values = vec![f64::NAN; size * self.starts.len()];
        let slots: Vec<Mutex<&mut [f64]>> =
            values.chunks_mut(size.max(1)).map(Mutex::new).collect();
        let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let mut model = None;
                    while !stop.load(Ordering::Relaxed) {
                        let run = next.fetch_add(1, Ordering::Relaxed);
                        let Some(slot) = slots.get(run) else { break };
                        let mut out = slot.lock().unwrap_or_else(PoisonError::into_inner);
                        let given = model.take().unwrap_or_else(|| self.model.clone());
                        let made =
                            catch_unwind(AssertUnwindSafe(|| self.run(run, given, &mut out)));
                        let failure = match made {
                            Ok((kept, failure)) => {
                                model = Some(kept);
                                failure
                            }
                            Err(_) => {
                                Some("the step broke off; this is a fault of the program".into())
                            }
                        };
                        let mut list = wrong.lock().unwrap_or_else(PoisonError::into_inner);
                        list.extend(failure.map(|text| (run, text)));
                    }
                });
            }
        });
        drop(slots);
        let mut wrong = wrong.into_inner().unwrap_or_else(PoisonError::into_inner);
        wrong.sort();
        (values, wrong)
    }
}

#[pymethods]
impl Engine {
    /// Runs from each state under each row of controls.
    #[pyo3(signature = (states, controls, joints, aims, every, threads))]
    #[allow(clippy::too_many_arguments, reason = "one call from Python, checked there")]
    fn rollout<'py>(
        &self,
        py: Python<'py>,
        states: PyReadonlyArray2<'py, f64>,
        controls: PyReadonlyArray3<'py, f64>,
        joints: Vec<usize>,
        aims: bool,
        every: usize,
        threads: usize,
    ) -> PyResult<Runs<'py>> {
        let (model, like, settings) = self.present(py)?;
        let custom = self.lock(py).custom;
        if custom != Default::default() {
            let text = "rollouts use the stages of the library, not functions of one's own";
            return Err(raise("ModelError", text.to_owned()));
        }
        let rows = states.as_array();
        let read = |row: numpy::ndarray::ArrayView1<'_, f64>| {
            state_array::read(&row.to_vec(), &like).map(|found| found.0)
        };
        let starts: Vec<State> = rows.rows().into_iter().map(read).collect::<PyResult<_>>()?;
        let [n, steps, _] = <[usize; 3]>::from(controls.as_array().dim());
        let values = controls.as_array().iter().copied().collect();
        Simulator::new((*model).clone(), like, settings.clone()).or_raise()?;
        let rollouts = Rollouts {
            model: &model,
            settings: &settings,
            starts,
            controls: values,
            joints: &joints,
            steps,
            every,
            aims,
        };
        let (values, wrong) = attended(py, &rollouts, threads)?;
        let size = rollouts.starts.first().map_or(0, state_array::size);
        let table = numpy::PyArray1::from_vec(py, values).reshape([n, steps / every, size])?;
        Ok((table, wrong))
    }
}

/// Runs without the interpreter's lock, looking up now and then whether Ctrl-C was pressed.
fn attended(py: Python<'_>, rollouts: &Rollouts<'_>, threads: usize) -> PyResult<Outcome> {
    let stop = AtomicBool::new(false);
    let mut pressed = Ok(());
    let found = std::thread::scope(|scope| {
        let all = scope.spawn(|| rollouts.all(threads, &stop));
        while !all.is_finished() {
            py.detach(|| std::thread::sleep(Duration::from_millis(2)));
            if pressed.is_ok() {
                pressed = py.check_signals();
                stop.store(pressed.is_err(), Ordering::Relaxed);
            }
        }
        all.join()
    });
    pressed?;
    found.map_err(|_| raise("StickslipError", "a rollout broke off".to_owned()))
}
