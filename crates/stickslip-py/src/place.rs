//! The state of an engine: reading, moving, saving.

use numpy::{PyArray1, PyArray2};
use pyo3::{prelude::*, types::PyDict};
use stickslip::{Dimension, ModelError, Motion, State};
use stickslip_geometry::{Quat, Vec3};

use crate::{
    body,
    convert::Triple,
    engine::Engine,
    error::{OrRaise, busy, raise},
    live,
    snapshot::Snapshot,
};

/// Depth, volume, the worst pair.
type Overlap = (f64, f64, Option<(usize, usize)>);

#[pymethods]
impl Engine {
    /// Time and number of steps.
    fn clock(&self, py: Python<'_>) -> PyResult<(f64, u64)> {
        let mut core = self.lock(py);
        let state = core.state()?;
        Ok((state.time, state.step))
    }

    /// A quantity of all bodies, following the simulation.
    fn live<'py>(&self, py: Python<'py>, quantity: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let mut core = self.lock(py);
        if core.out {
            return Err(busy("its state cannot be read as a whole"));
        }
        core.ready("its state cannot be read")?;
        let core = &mut *core;
        let Some(runner) = &core.runner else { return Err(busy("its state cannot be read")) };
        let seen = (core.description.dimension, &runner.simulator.state);
        core.live.get(py, quantity, seen)
    }

    /// A quantity of one body.
    fn quantity<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        which: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut core = self.lock(py);
        let dimension = core.description.dimension;
        let (all, n) = live::numbers(dimension, core.state()?, index, which);
        Ok(PyArray1::from_slice(py, &all[..n]))
    }

    /// Moves a body: any of position, orientation (or angle), velocity, angular velocity.
    fn place(&self, py: Python<'_>, index: usize, fields: &Bound<'_, PyDict>) -> PyResult<()> {
        let mut core = self.lock(py);
        let two = core.description.dimension == Dimension::Two;
        let mut init = core.description.bodies[index].clone();
        let fixed = init.body.motion == Motion::Static;
        let state = core.state()?;
        (init.pose, init.angle, init.twist) = (state.q[index], state.angle[index], state.nu[index]);
        body::update(&mut init, fields)?;
        core.description.check(&init).or_raise()?;
        let state = core.state_mut()?;
        state.angle[index] = init.angle;
        let turn = init.pose.orientation.normalize();
        init.pose.orientation = if two { Quat::from_rotation_z(init.angle) } else { turn };
        state.q[index] = init.pose;
        if !fixed {
            state.nu[index] = init.twist;
        }
        // Before the first step this is where the body starts, and where joints take hold.
        if state.step == 0 {
            let moved = core.description.bodies[index].pose != init.pose;
            core.description.bodies[index] = init;
            core.stale |= moved && !core.description.joints.is_empty();
        }
        core.refresh(py)
    }

    /// Adds to the force and torque that act during the coming step.
    fn apply(
        &self,
        py: Python<'_>,
        index: usize,
        force: Triple,
        torque: Triple,
        point: Option<Triple>,
    ) -> PyResult<()> {
        let (force, mut torque) = (Vec3::from(force), Vec3::from(torque));
        let mut core = self.lock(py);
        let state = core.state_mut()?;
        if let Some(point) = point {
            torque += (Vec3::from(point) - state.q[index].position).cross(force);
        }
        if !force.is_finite() || !torque.is_finite() {
            let name = core.description.bodies[index].body.name.clone();
            let what = "force and torque";
            return Err(ModelError::NotFinite { body: name, what }).or_raise();
        }
        let applied = &mut state.applied[index];
        applied.force += force;
        applied.torque += torque;
        Ok(())
    }

    fn save(&self, py: Python<'_>) -> PyResult<Snapshot> {
        let mut core = self.lock(py);
        let sim = &core.ready("its state cannot be saved")?.simulator;
        Ok(Snapshot { state: sim.state.clone(), memory: sim.pipeline.memory() })
    }

    fn restore(&self, py: Python<'_>, saved: &Snapshot) -> PyResult<()> {
        let mut core = self.lock(py);
        let sim = &mut core.ready("its state cannot be restored")?.simulator;
        let counts = |s: &State| [(s.q.len(), "bodies"), (s.motors.len(), "joints")];
        for ((found, what), (n, _)) in counts(&saved.state).into_iter().zip(counts(&sim.state)) {
            if found != n {
                let text = format!("the saved state has {found} {what}, the simulator {n}");
                return Err(raise("ModelError", text));
            }
        }
        sim.state = saved.state.clone();
        // A memory of other methods than those in use tells them nothing: they start afresh.
        if sim.pipeline.recall(&saved.memory).is_err() {
            sim.pipeline.warm_start.forget();
        }
        core.refresh(py)
    }

    /// Kinetic plus potential energy; linear and angular momentum.
    fn totals(&self, py: Python<'_>) -> PyResult<(f64, Triple, Triple)> {
        let (model, state, _) = self.present(py)?;
        let (linear, angular) = state.momentum(&model);
        Ok((state.energy(&model), linear.to_array(), angular.to_array()))
    }

    /// True overlap: depth, volume, the worst pair.
    fn overlap(&self, py: Python<'_>) -> PyResult<Overlap> {
        let (model, state, _) = self.present(py)?;
        let found = py.detach(|| stickslip::oracle::measure(&model, &state));
        Ok((found.depth, found.volume, found.worst.map(|(a, b)| (a.index(), b.index()))))
    }
}
