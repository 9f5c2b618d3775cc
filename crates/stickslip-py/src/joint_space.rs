//! Joint coordinates of an engine: positions, rates, dynamics, inverse kinematics.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use stickslip::{
    BodyId,
    control::{CoordinateError, Goal, JointSystem, ik},
};
use stickslip_geometry::Vec3;

use crate::{
    convert::{self, Triple},
    engine::Engine,
    error::raise,
};

/// Positions, distance [m], angle [rad], rounds.
type Solved<'py> = (Bound<'py, PyArray1<f64>>, f64, f64, usize);

/// Body, joint, first position, first rate, number of positions, number of rates.
type Places = Vec<(usize, Option<usize>, usize, usize, usize, usize)>;

/// Positions and rates.
type Pair<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

fn refuse(error: CoordinateError) -> PyErr {
    raise("ModelError", error.to_string())
}

#[pymethods]
impl Engine {
    /// Where the numbers of each link are.
    fn joint_places(&self, py: Python<'_>) -> PyResult<Places> {
        let (model, _, _) = self.present(py)?;
        let places = JointSystem::new(&model).map_err(refuse)?.places();
        let numbers = places
            .iter()
            .map(|p| (p.body.index(), p.joint.map(|j| j.index()), p.q, p.v, p.nq, p.nv));
        Ok(numbers.collect())
    }

    fn coordinates<'py>(&self, py: Python<'py>) -> PyResult<Pair<'py>> {
        let (model, state, _) = self.present(py)?;
        let (q, v) = JointSystem::new(&model).map_err(refuse)?.read(&model, &state);
        Ok((PyArray1::from_vec(py, q), PyArray1::from_vec(py, v)))
    }

    /// Puts all bodies where these positions and rates have them; tells of a joint beyond its limits.
    fn set_coordinates(
        &self,
        py: Python<'_>,
        q: Vec<f64>,
        v: Vec<f64>,
    ) -> PyResult<Option<String>> {
        let mut core = self.lock(py);
        let model = core.model()?;
        let system = JointSystem::new(&model).map_err(refuse)?;
        let sim = &mut core.ready("its state cannot be changed; use before_step")?.simulator;
        system.write(&model, &mut sim.state, (&q, &v)).map_err(refuse)?;
        let beyond = system.beyond_limits(&model, &sim.state).map(|e| e.to_string());
        sim.pipeline.warm_start.forget();
        core.refresh(py)?;
        Ok(beyond)
    }

    /// The scene as it starts.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        let mut core = self.lock(py);
        core.may_change("it cannot be reset")?;
        core.runner = None;
        core.stale = true;
        core.ready("it cannot be reset")?;
        core.refresh(py)
    }

    fn joint_mass<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (model, state, _) = self.present(py)?;
        let system = JointSystem::new(&model).map_err(refuse)?;
        convert::table(py, system.mass_matrix(&model, &state), system.nv)
    }

    fn joint_inverse<'py>(
        &self,
        py: Python<'py>,
        qdd: Vec<f64>,
        passive: bool,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (model, state, _) = self.present(py)?;
        let system = JointSystem::new(&model).map_err(refuse)?;
        let tau = system.inverse_dynamics(&model, &state, &qdd, passive).map_err(refuse)?;
        Ok(PyArray1::from_vec(py, tau))
    }

    fn joint_forward<'py>(
        &self,
        py: Python<'py>,
        tau: Vec<f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (model, state, _) = self.present(py)?;
        let system = JointSystem::new(&model).map_err(refuse)?;
        let qdd = system.forward_dynamics(&model, &state, &tau).map_err(refuse)?;
        Ok(PyArray1::from_vec(py, qdd))
    }

    fn body_jacobian<'py>(
        &self,
        py: Python<'py>,
        body: usize,
        point: Option<Triple>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (model, state, _) = self.present(py)?;
        let system = JointSystem::new(&model).map_err(refuse)?;
        let id = BodyId::new(body);
        let point = point.map_or(state.pose(id).position, Vec3::from);
        convert::table(py, system.jacobian(&model, &state, id, point), system.nv)
    }

    /// Positions that put a point of a body where it is wanted.
    fn solve_ik<'py>(
        &self,
        py: Python<'py>,
        place: (usize, Triple),
        position: Triple,
        orientation: Option<[f64; 4]>,
        bounds: (f64, usize),
    ) -> PyResult<Solved<'py>> {
        let (body, point) = place;
        let (model, state, _) = self.present(py)?;
        let goal = Goal {
            body: BodyId::new(body),
            point: point.into(),
            position: position.into(),
            orientation: orientation.map(|q| convert::quaternion(q).normalize()),
        };
        let found = py.detach(|| ik(&model, &state, &goal, bounds)).map_err(refuse)?;
        Ok((PyArray1::from_vec(py, found.q), found.error, found.turn_error, found.rounds))
    }
}
