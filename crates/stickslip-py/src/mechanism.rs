//! Mechanisms of an engine: forces in joints, kinematics and dynamics of chains.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use stickslip::{
    BodyId, Model, State,
    control::{Chain, apply_joint_force},
    dynamics::{acceleration, reactions},
    model::JointId,
};
use stickslip_geometry::Vec3;

use crate::{
    convert::{self, Triple},
    engine::Engine,
    error::raise,
};

/// Force, torque and motor force of a joint.
type JointForce<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, f64);

/// Position, and orientation as (w, x, y, z).
type Placed<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// Velocity and angular velocity of a point per rate, one row per coordinate.
type Columns<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

fn chain(model: &Model, tip: usize) -> PyResult<Chain> {
    let id = BodyId::new(tip);
    Chain::to(model, id).ok_or_else(|| {
        let name = &model.body(id).name;
        raise("ModelError", format!("no joint leads to the body {name:?}"))
    })
}

#[pymethods]
impl Engine {
    /// What a joint did to its bodies during the last step.
    fn joint_force<'py>(&self, py: Python<'py>, index: usize) -> PyResult<JointForce<'py>> {
        let (model, state, settings) = self.present(py)?;
        let data = self.last_step().ok_or_else(|| {
            raise("StepError", "there is no step yet to tell the forces of".to_owned())
        })?;
        let all = reactions(&model, &settings, &data, &state);
        let found = all.get(index).copied().unwrap_or_default();
        let vector = |v: Vec3| PyArray1::from_slice(py, &v.to_array());
        Ok((vector(found.force), vector(found.torque), found.motor))
    }

    /// Specific force and angular velocity that an inertial unit on a body measured during the last step,
    /// in its own axes; `place` is its position and orientation on the body.
    fn imu<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        place: (Triple, [f64; 4]),
    ) -> PyResult<Placed<'py>> {
        let (model, end, settings) = self.present(py)?;
        let data = self.last_step().ok_or_else(|| {
            raise("StepError", "there is no step yet to measure the acceleration of".to_owned())
        })?;
        let (id, arm) = (BodyId::new(index), Vec3::from(place.0));
        let velocity = |state: &State| {
            let arm = state.pose(id).vector(arm);
            state.twist(id).at(arm)
        };
        let acceleration = (velocity(&end) - velocity(&data.start)) / settings.step;
        let turn = end.pose(id).orientation * convert::quaternion(place.1).normalize();
        let own = |v: Vec3| PyArray1::from_slice(py, &(turn.conjugate() * v).to_array());
        Ok((own(acceleration - model.gravity()), own(end.twist(id).angular)))
    }

    /// Adds a generalised force on a coordinate of a joint for the coming step.
    fn apply_joint_force(
        &self,
        py: Python<'_>,
        index: usize,
        coordinate: usize,
        force: f64,
    ) -> PyResult<()> {
        if !force.is_finite() {
            return Err(raise("ModelError", format!("force = {force}, but it must be finite")));
        }
        let mut core = self.lock(py);
        let model = core.model()?;
        let (id, state) = (JointId::new(index), core.state_mut()?);
        let count = model.joint_coordinates(state, id).len();
        if coordinate >= count {
            let text = format!("the joint has {count} coordinates, not one at {coordinate}");
            return Err(raise("ModelError", text));
        }
        apply_joint_force(&model, state, id, coordinate, force);
        Ok(())
    }

    /// Forces on the first coordinates of joints that give them these accelerations.
    fn inverse_dynamics(&self, py: Python<'_>, wanted: Vec<(usize, f64)>) -> PyResult<Vec<f64>> {
        let (model, state, _) = self.present(py)?;
        let wanted: Vec<(JointId, f64)> =
            wanted.into_iter().map(|(k, a)| (JointId::new(k), a)).collect();
        Ok(acceleration::inverse_dynamics(&model, &state, &wanted))
    }

    /// The joints that lead to a body.
    fn chain(&self, py: Python<'_>, tip: usize) -> PyResult<Vec<usize>> {
        let (model, _, _) = self.present(py)?;
        Ok(chain(&model, tip)?.joints.iter().map(|j| j.0.index()).collect())
    }

    /// Where a body is when the coordinates of its chain have these positions.
    fn chain_forward<'py>(
        &self,
        py: Python<'py>,
        tip: usize,
        positions: Vec<f64>,
    ) -> PyResult<Placed<'py>> {
        let (model, state, _) = self.present(py)?;
        let chain = chain(&model, tip)?;
        let n = chain.n_coordinates(&model);
        if positions.len() != n {
            let text = format!("{} positions, but the chain has {n} coordinates", positions.len());
            return Err(raise("ModelError", text));
        }
        let pose = chain.forward(&model, &state, &positions);
        let turn = convert::wxyz(pose.orientation);
        Ok((PyArray1::from_slice(py, &pose.position.to_array()), PyArray1::from_slice(py, &turn)))
    }

    /// The Jacobian of a point of a body, given in the world; its centre of mass by default.
    fn chain_jacobian<'py>(
        &self,
        py: Python<'py>,
        tip: usize,
        point: Option<Triple>,
    ) -> PyResult<Columns<'py>> {
        let (model, state, _): (_, State, _) = self.present(py)?;
        let point = point.map_or(state.pose(BodyId::new(tip)).position, Vec3::from);
        let found = chain(&model, tip)?.jacobian(&model, &state, point);
        let rows =
            |v: &[Vec3]| convert::table(py, v.iter().flat_map(|x| x.to_array()).collect(), 3);
        Ok((rows(&found.linear)?, rows(&found.angular)?))
    }
}
