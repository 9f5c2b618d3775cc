//! Gauss collocation for smooth phases.
//!
//! A step in which nothing pushes (no contact, no limit) and nothing rubs or drives is smooth:
//! bodies and joints follow a differential equation, and the first-order scheme is not needed.
//! Collocation with four stages has order 8 and, for the usual h, no error but round-off; energy
//! and momentum stay, and the joints are closed to round-off after each step. One stage is the
//! implicit midpoint rule, of order 2.
//!
//! Any other step is semi-implicit, and so is one at whose end the smooth motion would have
//! crossed a contact or a limit. The velocity after a smooth step is that of its end, not the
//! mean over it (`State::last_h` is zero). Joints are closed after smooth steps only; with the
//! stabilization `shake` they are after the others too.

use super::{Integrator, SemiImplicit, collocation::Table, smooth::Smooth};
use crate::{
    dynamics::JointRows,
    formulate::StepMotion,
    model::{Dimension, Model},
    settings::Settings,
    stabilize::{carried, project},
    state::State,
};

/// Collocation where nothing pushes.
#[derive(Clone, Debug)]
pub struct Gauss {
    table: Table,
    /// The rates of the last smooth step, a good first guess for the next.
    last: Vec<Vec<f64>>,
    /// Memory of the states of stages.
    spare: Option<State>,
}

/// The stages are iterated to round-off; more rounds mean that the step is too long.
const MAX_ROUNDS: usize = 60;

/// The first part of a step that is split; an odd number, so that stages do not fall together.
const PART: f64 = 0.382;

impl Gauss {
    /// With that many stages, at least one: order `2 stages`.
    pub fn new(stages: usize) -> Self {
        Self { table: Table::gauss(stages.max(1)), last: Vec::new(), spare: None }
    }

    /// The state after a smooth step, or `None` where none is found. The stages of a step that
    /// fails may lie right on a position of dependent constraints; those of two unequal parts
    /// lie elsewhere.
    fn smooth(&mut self, equation: Smooth, h: f64) -> Option<State> {
        if let Some(state) = self.collocate(&equation, h) {
            return Some(state);
        }
        self.last.clear();
        let careful = Smooth { careful: true, ..equation };
        if let Some(state) = self.collocate(&careful, h) {
            return Some(state);
        }
        let middle = self.collocate(&careful, PART * h)?;
        self.last.clear();
        let end = self.collocate(&Smooth { start: &middle, ..careful }, (1.0 - PART) * h);
        self.last.clear();
        end
    }

    /// One step of the method, started from the polynomial of the last step if there is one.
    fn collocate(&mut self, equation: &Smooth, h: f64) -> Option<State> {
        let y0 = equation.initial();
        let s = self.table.b.len();
        let fits = self.last.len() == s && self.last.iter().all(|k| k.len() == y0.len());
        let mut rates = match fits {
            true => {
                let none = vec![0.0; y0.len()];
                let rows = self.table.onward.iter();
                rows.map(|row| combine(&none, &self.last, row, 1.0)).collect()
            }
            false => vec![equation.rate(&y0, 0.0, &mut self.spare)?; s],
        };
        let scale = y0.iter().fold(1.0_f64, |m, y| m.max(y.abs()));
        // Next to dependent constraints round-off is magnified, in directions that hardly move.
        let noise = if equation.careful { 1e-6 } else { 1e-10 };
        let mut before = f64::INFINITY;
        for _ in 0..MAX_ROUNDS {
            let mut change = 0.0_f64;
            for i in 0..s {
                let y = combine(&y0, &rates, &self.table.a[i], h);
                let rate = equation.rate(&y, self.table.c[i] * h, &mut self.spare)?;
                let moved = rate.iter().zip(&rates[i]).map(|(a, b)| (a - b).abs());
                change = moved.fold(change, f64::max);
                rates[i] = rate;
            }
            // Converged, or as near as round-off lets it.
            let small = change * h <= noise * scale;
            if change * h <= 1e-16 * scale || (small && change >= 0.5 * before) {
                let y = combine(&y0, &rates, &self.table.b, h);
                self.last = rates;
                let mut state = equation.state(&y, h);
                project(equation.model, &mut state).ok()?;
                return Some(state);
            }
            // Springs too stiff for the iteration.
            if change.is_nan() || change * h > 1e6 * scale {
                return None;
            }
            before = change;
        }
        None
    }

    /// Forgets the last step, so that the next depends on its own start alone.
    pub(super) fn forget(&mut self) {
        self.last.clear();
    }
}

impl Integrator for Gauss {
    fn integrate(
        &mut self,
        model: &Model,
        state: &mut State,
        motion: &StepMotion,
        settings: &Settings,
    ) {
        let slow = turns_little(model, state, settings.step);
        let found = match slow && is_smooth(model, state, motion) {
            true => {
                let equation = Smooth { model, start: state, settings, careful: false };
                self.smooth(equation, settings.step)
            }
            false => None,
        };
        match found.filter(|next| stays_apart(model, state, next, motion)) {
            Some(next) => {
                *state = next;
                state.step += 1;
                state.time += settings.step;
                state.last_h = 0.0;
            }
            None => {
                self.last.clear();
                SemiImplicit.integrate(model, state, motion, settings);
            }
        }
    }

    /// The rates of all stages, one after the other.
    fn memory(&self) -> Vec<u64> {
        self.last.iter().flatten().map(|rate| rate.to_bits()).collect()
    }

    fn recall(&mut self, memory: &[u64]) -> bool {
        let stages = self.table.b.len();
        let rates: Vec<f64> = memory.iter().map(|&bits| f64::from_bits(bits)).collect();
        self.last =
            rates.chunks_exact((rates.len() / stages).max(1)).map(<[f64]>::to_vec).collect();
        rates.len().is_multiple_of(stages)
    }
}

/// `y + h sum_j w_j k_j`.
fn combine(y: &[f64], rates: &[Vec<f64>], weights: &[f64], h: f64) -> Vec<f64> {
    let mut out = y.to_vec();
    for (rate, w) in rates.iter().zip(weights) {
        out.iter_mut().zip(rate).for_each(|(y, k)| *y += h * w * k);
    }
    out
}

/// Whether nothing acts but forces and locked freedoms.
fn is_smooth(model: &Model, state: &State, motion: &StepMotion) -> bool {
    motion.is_smooth()
        && state.motors.iter().all(Option::is_none)
        && model.joints().iter().all(|j| j.friction == 0.0)
}

/// Rotations in a step beyond which it is left to `fast_spin.rs` \[rad\]: of free bodies, which that
/// turns exactly, and with joints. The vector of a rotation is no good coordinate near a full turn.
const TURNS: [f64; 2] = [0.5, 2.0];

/// Whether no body turns too far.
pub(super) fn turns_little(model: &Model, state: &State, h: f64) -> bool {
    let limit = TURNS[usize::from(!model.joints().is_empty())];
    let slow = |id| h * state.twist(id).angular.length() <= limit;
    model.dimension() == Dimension::Two
        || model.ids().filter(|&id| model.dof(id).is_some()).all(slow)
}

/// Whether no contact and no limit is passed at the end of the smooth step.
fn stays_apart(model: &Model, start: &State, end: &State, motion: &StepMotion) -> bool {
    let open = |c| carried(c, &start.q, end).gap >= 0.0;
    motion.contacts.iter().all(open) && !JointRows::passes_limits(model, end)
}
