//! The classic method of Runge and Kutta, of order 4, explicit.
//!
//! A formulation that knows forces at every state (`penalty`) advances with it itself and hands
//! over the displacement; other steps are integrated with it where nothing pushes, and are
//! semi-implicit elsewhere.

use super::{Integrator, SemiImplicit, gauss::turns_little, smooth::Smooth};
use crate::{
    formulate::StepMotion,
    model::{Dimension, Model, Motion},
    settings::Settings,
    state::{State, Wrench, displace, gather, scatter},
};

/// Runge-Kutta of order 4.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rk4;

/// Rotation that a step is taken through as a whole \[rad\]: an explicit method is one for small
/// rotations only.
const TURN: f64 = 0.5;
/// Rotation in one part of other steps \[rad\], and the most parts.
const PART: f64 = 0.2;
const MAX_PARTS: f64 = 64.0;

/// Displacements (rotations as vectors) and end velocities of a step under forces that depend on
/// the state, on top of gravity and the applied ones; `None` where they are not finite, or where a
/// body turns too fast for the method. A step is taken in parts where bodies turn fast.
pub(crate) fn advance(
    model: &Model,
    start: &State,
    settings: &Settings,
    forces: &mut dyn FnMut(&State) -> Vec<Wrench>,
) -> Option<(Vec<f64>, Vec<f64>)> {
    let movers = model.ids().filter(|&id| model.dof(id).is_some());
    let spin = movers.map(|id| start.twist(id).angular.length()).fold(0.0, f64::max);
    let parts = match (model.dimension(), settings.step * spin) {
        (Dimension::Two, _) => 1.0,
        (Dimension::Three, turn) if turn <= TURN => 1.0,
        (Dimension::Three, turn) => (turn / PART).ceil(),
    };
    if parts == 1.0 {
        return part(model, start, (settings, settings.step), forces);
    }
    if parts.is_nan() || parts > MAX_PARTS {
        return None;
    }
    let (h, n) = (settings.step / parts, model.n_dof());
    let mut state = start.clone();
    for _ in 0..parts as usize {
        let (displacement, nu) = part(model, &state, (settings, h), forces)?;
        let y: Vec<f64> = displacement.into_iter().chain(nu).collect();
        state = Smooth { model, start: &state, settings, careful: false }.state(&y, h);
    }
    let mut total = vec![0.0; n];
    for id in model.ids() {
        let Some(dof) = model.dof(id) else { continue };
        let (from, to) = (start.pose(id), state.pose(id));
        let turn = (to.orientation * from.orientation.conjugate()).to_scaled_axis();
        let block = model.dimension().block(to.position - from.position, turn);
        total[dof..dof + 6].copy_from_slice(&block);
    }
    Some((total, gather(model, &state)))
}

/// The method over `h` seconds.
fn part(
    model: &Model,
    start: &State,
    (settings, h): (&Settings, f64),
    forces: &mut dyn FnMut(&State) -> Vec<Wrench>,
) -> Option<(Vec<f64>, Vec<f64>)> {
    let n = model.n_dof();
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
    let (mut rate, mut memory) = (vec![0.0; y0.len()], None);
    for (c, weight) in [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
        let y: Vec<f64> = y0.iter().zip(&rate).map(|(y, k)| y + c * h * k).collect();
        rate = equation.rate_under((&y, c * h), &mut memory, &mut push)?;
        sum.iter_mut().zip(&rate).for_each(|(s, k)| *s += h * weight / 6.0 * k);
    }
    let nu = sum.split_off(n);
    Some((sum, nu))
}

impl Integrator for Rk4 {
    fn evaluates_forces(&self) -> bool {
        true
    }

    fn integrate(
        &mut self,
        model: &Model,
        state: &mut State,
        motion: &StepMotion,
        settings: &Settings,
    ) {
        let smooth = || {
            let slow = turns_little(model, state, settings.step);
            let free = slow && motion.is_smooth() && state.motors.iter().all(Option::is_none);
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
