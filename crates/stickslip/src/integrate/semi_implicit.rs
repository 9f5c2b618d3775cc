//! Semi-implicit Euler: `q_next = q + h H nu_next`, the end velocity over the whole step. It is
//! what makes a gap constraint on `nu_next` a constraint on the end position.

use super::Integrator;
use crate::{
    model::{Model, Motion},
    state::{State, Twist},
};

/// Semi-implicit Euler, rotations by the exponential map.
#[derive(Clone, Copy, Debug, Default)]
pub struct SemiImplicit;

impl Integrator for SemiImplicit {
    fn integrate(&mut self, model: &Model, state: &mut State, nu_next: &[f64], h: f64) {
        let dimension = model.dimension();
        for id in model.ids() {
            if let Some(dof) = model.dof(id) {
                let (linear, angular) = dimension.split(&nu_next[dof..dof + dimension.dof()]);
                state.nu[id.index()] = Twist { linear, angular };
            }
            if model.body(id).motion != Motion::Static {
                let twist = *state.twist(id);
                state.advance(dimension, id, &twist, h);
            }
        }
        state.step += 1;
        state.time += h;
        state.last_h = h;
    }
}
