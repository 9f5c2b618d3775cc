//! The classic method of Runge and Kutta, of order 4, explicit.
//!
//! A formulation that knows forces at every state (`penalty`) advances with it itself and hands
//! over the displacement; other steps are integrated with it where nothing pushes, and are
//! semi-implicit elsewhere.

use super::{Integrator, SemiImplicit, smooth::Smooth};
use crate::{
    formulate::StepMotion,
    model::{Model, Motion},
    settings::Settings,
    state::{State, Wrench, displace, scatter},
};

/// Runge-Kutta of order 4.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rk4;

/// Displacements (rotations as vectors) and end velocities of a step under forces that depend on
/// the state, on top of gravity and the applied ones; `None` where they are not finite.
pub(crate) fn advance(
    model: &Model,
    start: &State,
    settings: &Settings,
    forces: &mut dyn FnMut(&State) -> Vec<Wrench>,
) -> Option<(Vec<f64>, Vec<f64>)> {
    let (h, n) = (settings.step, model.n_dof());
    let equation = Smooth { model, start, settings, careful: false };
    let y0 = equation.initial();
    let mut push = |state: &mut State| {
        let found = forces(state);
        for (sum, more) in state.applied.iter_mut().zip(found) {
            sum.force += more.force;
            sum.torque += more.torque;
        }
    };
    let mut sum = y0.clone();
    let mut rate = vec![0.0; y0.len()];
    for (c, weight) in [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
        let y: Vec<f64> = y0.iter().zip(&rate).map(|(y, k)| y + c * h * k).collect();
        rate = equation.rate_under(&y, c * h, &mut push)?;
        sum.iter_mut().zip(&rate).for_each(|(s, k)| *s += h * weight / 6.0 * k);
    }
    let nu = sum.split_off(n);
    Some((sum, nu))
}

impl Integrator for Rk4 {
    fn integrate(
        &mut self,
        model: &Model,
        state: &mut State,
        motion: &StepMotion,
        settings: &Settings,
    ) {
        let smooth = || {
            let free = motion.is_smooth() && state.motors.iter().all(Option::is_none);
            let none = vec![Wrench::default(); model.bodies().len()];
            free.then(|| advance(model, state, settings, &mut |_| none.clone())).flatten()
        };
        let found = match &motion.displacement {
            Some(displacement) => Some((displacement.clone(), motion.nu.clone())),
            None => smooth(),
        };
        let Some((displacement, nu)) = found else {
            return SemiImplicit.integrate(model, state, motion, settings);
        };
        displace(model, &displacement, 1.0, state);
        for id in model.ids().filter(|&id| model.body(id).motion == Motion::Kinematic) {
            let twist = *state.twist(id);
            state.advance(model.dimension(), id, &twist, settings.step);
        }
        scatter(model, &nu, state);
        state.step += 1;
        state.time += settings.step;
        // The velocities are those of the end, not a mean over the step.
        state.last_h = 0.0;
    }
}
