//! Semi-implicit Euler: `q_next = q + h H nu_next`, the end velocity over the whole step. It is
//! what makes a gap constraint on `nu_next` a constraint on the end position.

use super::{
    Integrator,
    fast_spin::{self, Turned},
    undo,
};
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
        let fast = fast_spin::turned(model, state, motion, settings);
        let start = undo::concerns(model, state, motion, settings).then(|| state.clone());
        scatter(model, &motion.nu, state);
        state.instant_spin.fill(false);
        for id in model.ids().filter(|&id| model.body(id).motion != Motion::Static) {
            let twist = *state.twist(id);
            state.advance(dimension, id, &twist, h);
        }
        for Turned { id, orientation, omega } in fast {
            let i = id.index();
            (state.q[i].orientation, state.nu[i].angular) = (orientation, omega);
            state.instant_spin[i] = true;
        }
        if let Some(start) = start {
            undo::undo(model, &start, state, motion, settings);
        }
        state.step += 1;
        state.time += h;
        state.last_h = h;
    }
}
