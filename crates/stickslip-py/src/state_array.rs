//! A saved state as one array of numbers.
//!
//! ```text
//! time, step, last step size
//! per body   position 3, orientation x y z w, velocity 3, angular velocity 3, angle, force 3, torque 3, fast
//! per joint  angles 3, motor: there, to a position, target, stiffness, damping, largest force, follows
//! per bond   whether it is broken
//! then, as far as given, what the stages remember: three counts and the words themselves
//! ```

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use stickslip::{State, Twist, memory::Memory, model::Motor, state::Wrench};
use stickslip_geometry::{Pose, Quat, Vec3};

use crate::{engine::Engine, error::raise, joint, snapshot::Snapshot};

const HEAD: usize = 3;
const PER_BODY: usize = 21;
const PER_JOINT: usize = 10;

/// Numbers of a state without what the stages remember.
pub fn size(state: &State) -> usize {
    HEAD + PER_BODY * state.q.len() + PER_JOINT * state.motors.len() + state.broken.len()
}

/// The state as numbers.
pub fn write(s: &State, out: &mut Vec<f64>) {
    out.extend([s.time, s.step as f64, s.last_h]);
    for i in 0..s.q.len() {
        out.extend(s.q[i].position.to_array());
        out.extend(s.q[i].orientation.to_array());
        out.extend(s.nu[i].linear.to_array());
        out.extend(s.nu[i].angular.to_array());
        out.push(s.angle[i]);
        out.extend(s.applied[i].force.to_array());
        out.extend(s.applied[i].torque.to_array());
        out.push(f64::from(u8::from(s.instant_spin[i])));
    }
    for (angles, motor) in s.joint_angles.iter().zip(&s.motors) {
        out.extend(angles);
        out.extend(motor.as_ref().map_or([0.0; 7], numbers));
    }
    out.extend(s.broken.iter().map(|&b| f64::from(u8::from(b))));
}

fn numbers(motor: &Motor) -> [f64; 7] {
    let (to_position, target, stiffness, damping, force, follows) = joint::numbers(motor);
    let flag = |x: bool| f64::from(u8::from(x));
    let force = force.unwrap_or(f64::INFINITY);
    [1.0, flag(to_position), target, stiffness, damping, force, flag(follows)]
}

/// The state that these numbers tell, for a scene like that of `like`; also how many were read.
pub fn read(x: &[f64], like: &State) -> PyResult<(State, usize)> {
    let n = size(like);
    if x.len() < n {
        let text = format!("a state of this simulator has {n} numbers or more, not {}", x.len());
        return Err(raise("ModelError", text));
    }
    if let Some(at) = x[..n].iter().position(|v| v.is_nan()) {
        return Err(raise("ModelError", format!("number {at} of the state is NaN")));
    }
    let mut state = like.clone();
    (state.time, state.step, state.last_h) = (x[0], x[1].max(0.0) as u64, x[2]);
    let bodies = x[HEAD..].chunks_exact(PER_BODY).take(like.q.len());
    for (i, b) in bodies.enumerate() {
        let v = |k: usize| Vec3::new(b[k], b[k + 1], b[k + 2]);
        let orientation = Quat::from_xyzw(b[3], b[4], b[5], b[6]);
        state.q[i] = Pose { position: v(0), orientation };
        state.nu[i] = Twist { linear: v(7), angular: v(10) };
        state.angle[i] = b[13];
        state.applied[i] = Wrench { force: v(14), torque: v(17) };
        state.instant_spin[i] = b[20] != 0.0;
    }
    let (rest, bonds) =
        x[HEAD + PER_BODY * like.q.len()..n].split_at(PER_JOINT * like.motors.len());
    state.broken = bonds.iter().map(|&b| b != 0.0).collect();
    let joints = rest.chunks_exact(PER_JOINT);
    for (i, j) in joints.enumerate() {
        state.joint_angles[i] = [j[0], j[1], j[2]];
        let force = Some(j[8]).filter(|f| f.is_finite());
        let motor = (j[4] != 0.0, j[5], j[6], j[7], force, j[9] != 0.0);
        state.motors[i] = (j[3] != 0.0).then(|| joint::motor(motor)).transpose()?;
    }
    Ok((state, n))
}

/// What the stages remember; none where nothing is left.
fn memory(x: &[f64]) -> PyResult<Memory> {
    let wrong =
        || raise("ModelError", "the end of the state does not tell what stages remember".into());
    let [a, b, c, rest @ ..] = x else {
        return if x.is_empty() { Ok(Memory::default()) } else { Err(wrong()) };
    };
    let [keys, formulation, integrator] = [*a, *b, *c].map(|n| n.max(0.0) as usize);
    let total = keys
        .checked_mul(2)
        .and_then(|n| n.checked_add(formulation))
        .and_then(|n| n.checked_add(integrator));
    if total != Some(rest.len()) {
        return Err(wrong());
    }
    let words = |part: &[f64]| part.iter().map(|v| v.to_bits()).collect::<Vec<u64>>();
    let (names, rest) = rest.split_at(keys);
    let (values, rest) = rest.split_at(keys);
    let (formulation, integrator) = rest.split_at(formulation);
    let unknowns = words(names).into_iter().zip(values.iter().copied()).collect();
    Ok(Memory { unknowns, formulation: words(formulation), integrator: words(integrator) })
}

#[pymethods]
impl Engine {
    /// Numbers of a state without what the stages remember.
    fn state_size(&self, py: Python<'_>) -> PyResult<usize> {
        let mut core = self.lock(py);
        Ok(size(core.state()?))
    }

    fn state_array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut core = self.lock(py);
        let sim = &core.ready("its state cannot be read as a whole")?.simulator;
        let mut out = Vec::with_capacity(size(&sim.state) + 3);
        write(&sim.state, &mut out);
        let Memory { unknowns, formulation, integrator } = sim.pipeline.memory();
        out.extend([unknowns.len(), formulation.len(), integrator.len()].map(|n| n as f64));
        out.extend(unknowns.iter().map(|u| f64::from_bits(u.0)));
        out.extend(unknowns.iter().map(|u| u.1));
        out.extend(formulation.iter().chain(&integrator).map(|&w| f64::from_bits(w)));
        Ok(PyArray1::from_vec(py, out))
    }

    /// A saved state from its numbers.
    fn state_of(&self, py: Python<'_>, numbers: PyReadonlyArray1<'_, f64>) -> PyResult<Snapshot> {
        let x = numbers.as_slice().map_err(|e| raise("ModelError", e.to_string()))?;
        let (state, n) = read(x, self.lock(py).state()?)?;
        Ok(Snapshot { state, memory: memory(&x[n..])? })
    }
}
