//! Smooth motion of bodies and joints: accelerations, and rotations as vectors.
//!
//! ```text
//! phi' = omega - phi x omega / 2 + c(|phi|) phi x (phi x omega),  R(t) = exp(phi) R(0)
//! ```
//!
//! Within a step the rotation of a body since its start is the vector `phi`, whose rate is a
//! smooth function of `phi` and `omega`: so that a method for plain differential equations can
//! be used as it is.

use stickslip_geometry::Vec3;

use crate::{
    dynamics::acceleration::acceleration,
    model::{Dimension, Model, Motion},
    settings::Settings,
    stabilize::project,
    state::{State, gather, scatter},
};

/// The equation of motion from one state on.
#[derive(Clone, Copy)]
pub(super) struct Smooth<'a> {
    pub model: &'a Model,
    /// The start of the step.
    pub start: &'a State,
    pub settings: &'a Settings,
    /// Whether states are put onto the joints before accelerations are taken. Near a position
    /// where constraints become dependent the accelerations of states beside the joints are wild.
    pub careful: bool,
}

impl Smooth<'_> {
    /// Start values: no displacement, the present velocities.
    pub fn initial(&self) -> Vec<f64> {
        let mut y = vec![0.0; self.model.n_dof()];
        y.extend(gather(self.model, self.start));
        y
    }

    /// The state after displacements and velocities `y`, at time `t` of the step. The bodies of
    /// prescribed motion have moved for that time.
    pub fn state(&self, y: &[f64], t: f64) -> State {
        self.state_in(y, t, None)
    }

    /// The same in memory that may be there.
    fn state_in(&self, y: &[f64], t: f64, memory: Option<State>) -> State {
        let n = self.model.n_dof();
        let mut state = memory.map_or_else(|| self.start.clone(), |old| old.with(self.start));
        let dimension = self.model.dimension();
        crate::state::displace(self.model, &y[..n], 1.0, &mut state);
        for id in self.model.ids() {
            if self.model.body(id).motion == Motion::Kinematic {
                let twist = *state.twist(id);
                state.advance(dimension, id, &twist, t);
            }
        }
        scatter(self.model, &y[n..], &mut state);
        state
    }

    /// The rate of `y` at time `t` of the step; `None` where it is not finite. The state there is left in `memory`.
    pub fn rate(&self, y: &[f64], t: f64, memory: &mut Option<State>) -> Option<Vec<f64>> {
        self.rate_under((y, t), memory, &mut |_| {})
    }

    /// The same with forces that `push` adds to those applied.
    pub fn rate_under(
        &self,
        (y, t): (&[f64], f64),
        memory: &mut Option<State>,
        push: &mut dyn FnMut(&mut State),
    ) -> Option<Vec<f64>> {
        let n = self.model.n_dof();
        let d = self.model.dimension().dof();
        let mut out = vec![0.0; 2 * n];
        for dof in (0..n).step_by(d) {
            let (_, phi) = self.model.dimension().split(&y[dof..dof + d]);
            let (v, omega) = self.model.dimension().split(&y[n + dof..n + dof + d]);
            let turn = match self.model.dimension() {
                Dimension::Two => omega,
                Dimension::Three => turning(phi, omega),
            };
            let block = self.model.dimension().block(v, turn);
            out[dof..dof + d].copy_from_slice(&block[..d]);
        }
        let mut state = self.state_in(y, t, memory.take());
        state.time += t;
        if self.careful {
            project(self.model, &mut state).ok()?;
        }
        push(&mut state);
        out[n..].copy_from_slice(&acceleration(self.model, &state, self.settings.gyroscopic));
        *memory = Some(state);
        out.iter().all(|x| x.is_finite()).then_some(out)
    }
}

/// Rate of the rotation vector `phi` of a body that turns with `omega`, world frame.
pub(super) fn turning(phi: Vec3, omega: Vec3) -> Vec3 {
    let t = phi.length();
    // (1 - t/2 cot(t/2)) / t², by its series where that cancels.
    let c = if t > 0.02 {
        (1.0 - 0.5 * t / (0.5 * t).tan()) / (t * t)
    } else {
        1.0 / 12.0 + t * t / 720.0 + t.powi(4) / 30240.0
    };
    let cross = phi.cross(omega);
    omega - cross * 0.5 + phi.cross(cross) * c
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use stickslip_geometry::Quat;

    /// `exp(phi)` turns with `omega` when `phi` changes at the rate `turning`: central differences
    /// of the rotation itself.
    #[test]
    fn rotation_vector_follows_the_angular_velocity() {
        let mut random = Random::new(4);
        for _ in 0..100 {
            let phi = random.vector(Dimension::Three);
            let omega = random.vector(Dimension::Three);
            let rate = turning(phi, omega);
            let e = 1e-5;
            let [a, b] = [-e, e].map(|e| Quat::from_scaled_axis(phi + rate * e));
            // Rotation from the one to the other, world frame.
            let turn = (b * a.conjugate()).to_scaled_axis() / (2.0 * e);
            assert!((turn - omega).length() < 1e-8, "seed 4: {turn} {omega}");
        }
    }
}
