//! A saved state.

use pyo3::prelude::*;
use stickslip::{State, Twist, memory::Memory, state::Wrench};
use stickslip_geometry::{Pose, Quat, Vec3};

use crate::{
    error::raise,
    joint::{self, MotorNumbers},
};

/// Time, places, velocities and the memory of the stages; can be pickled.
#[pyclass(frozen, module = "stickslip._core")]
#[derive(Clone)]
pub struct Snapshot {
    pub state: State,
    pub memory: Memory,
}

/// Numbers per body: pose 7, twist 6, angle 1, wrench 6, whether it turned fast 1.
const PER_BODY: usize = 21;

/// Angles of a joint, and its motor.
type JointNumbers = ([f64; 3], Option<MotorNumbers>);

/// time, step, last_h, numbers, joints, memory, broken bonds.
type Packed = (f64, u64, f64, Vec<f64>, Vec<JointNumbers>, Words, Vec<bool>);

/// Names of unknowns, unknowns, words of the formulation and of the integrator.
type Words = (Vec<u64>, Vec<f64>, Vec<u64>, Vec<u64>);

#[pymethods]
impl Snapshot {
    #[staticmethod]
    fn unpack(packed: Packed) -> PyResult<Self> {
        let (time, step, last_h, numbers, joints, words, broken) = packed;
        let (keys, values, formulation, integrator) = words;
        if numbers.len() % PER_BODY != 0 || keys.len() != values.len() {
            return Err(raise("ModelError", "this is no saved state".to_owned()));
        }
        let mut state = State {
            time,
            step,
            last_h,
            instant_spin: Vec::new(),
            q: Vec::new(),
            nu: Vec::new(),
            angle: Vec::new(),
            applied: Vec::new(),
            joint_angles: joints.iter().map(|j| j.0).collect(),
            motors: Vec::new(),
            broken,
        };
        for x in numbers.chunks_exact(PER_BODY) {
            let v = |k: usize| Vec3::new(x[k], x[k + 1], x[k + 2]);
            let orientation = Quat::from_xyzw(x[3], x[4], x[5], x[6]);
            state.q.push(Pose { position: v(0), orientation });
            state.nu.push(Twist { linear: v(7), angular: v(10) });
            state.angle.push(x[13]);
            state.applied.push(Wrench { force: v(14), torque: v(17) });
            state.instant_spin.push(x[20] != 0.0);
        }
        for (_, numbers) in joints {
            state.motors.push(numbers.map(joint::motor).transpose()?);
        }
        let unknowns = keys.into_iter().zip(values).collect();
        Ok(Self { state, memory: Memory { unknowns, formulation, integrator } })
    }

    fn pack(&self) -> Packed {
        let s = &self.state;
        let mut numbers = Vec::with_capacity(PER_BODY * s.q.len());
        for i in 0..s.q.len() {
            numbers.extend(s.q[i].position.to_array());
            numbers.extend(s.q[i].orientation.to_array());
            numbers.extend(s.nu[i].linear.to_array());
            numbers.extend(s.nu[i].angular.to_array());
            numbers.push(s.angle[i]);
            numbers.extend(s.applied[i].force.to_array());
            numbers.extend(s.applied[i].torque.to_array());
            numbers.push(f64::from(u8::from(s.instant_spin[i])));
        }
        let Memory { unknowns, formulation, integrator } = self.memory.clone();
        let (keys, values) = unknowns.into_iter().unzip();
        let motors = s.motors.iter().map(|m| m.as_ref().map(joint::numbers));
        let joints = s.joint_angles.iter().copied().zip(motors).collect();
        let words = (keys, values, formulation, integrator);
        (s.time, s.step, s.last_h, numbers, joints, words, s.broken.clone())
    }

    #[getter]
    fn time(&self) -> f64 {
        self.state.time
    }

    #[getter]
    fn steps(&self) -> u64 {
        self.state.step
    }

    fn __len__(&self) -> usize {
        self.state.q.len()
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (Packed,))> {
        let unpack = slf.get_type().getattr("unpack")?.unbind();
        Ok((unpack, (slf.get().pack(),)))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.state == other.state && self.memory == other.memory
    }

    fn __repr__(&self) -> String {
        format!("<state of {} bodies at t = {} s>", self.state.q.len(), self.state.time)
    }
}
