//! Semi-implicit Euler: `q_next = q + h H nu_next`, the end velocity over the whole step. It is
//! what makes a gap constraint on `nu_next` a constraint on the end position.

use super::Integrator;
use crate::{
    formulate::StepMotion,
    model::{Model, Motion},
    settings::Settings,
    state::{State, scatter},
};

/// Semi-implicit Euler, rotations by the exponential map.
#[derive(Clone, Copy, Debug, Default)]
pub struct SemiImplicit;

impl Integrator for SemiImplicit {
    fn integrate(
        &mut self,
        model: &Model,
        state: &mut State,
        motion: &StepMotion,
        settings: &Settings,
    ) {
        let (dimension, h) = (model.dimension(), settings.step);
        scatter(model, &motion.nu, state);
        for id in model.ids().filter(|&id| model.body(id).motion != Motion::Static) {
            let twist = *state.twist(id);
            state.advance(dimension, id, &twist, h);
        }
        state.step += 1;
        state.time += h;
        state.last_h = h;
    }
}
