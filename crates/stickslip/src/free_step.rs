//! A step in which nothing is near anything: no problem is written.

use crate::{
    formulate::StepMotion,
    model::Model,
    report::SolveReport,
    settings::Settings,
    state::{State, gather_into},
    step::{Part, Pipeline},
};

impl Pipeline {
    /// Moves the state by `h` seconds where stage 1 found nothing and the integrator knows the motion;
    /// `None`, and the state as it was, elsewhere.
    pub(crate) fn free_motion(
        &mut self,
        model: &Model,
        state: &mut State,
        settings: &Settings,
        h: f64,
    ) -> Option<Part> {
        let near = !self.candidates.is_empty();
        if self.formulation.sees_free_motion() || near || h != settings.step {
            return None;
        }
        let mut end = self.spare.take().map_or_else(|| state.clone(), |old| old.with(state));
        if !self.integrator.free_motion(model, state, &mut end, settings) {
            self.spare = Some(end);
            return None;
        }
        let start = std::mem::replace(state, end);
        let mut nu = std::mem::take(&mut self.spare_nu);
        gather_into(model, state, &mut nu);
        let motion = StepMotion { nu, ..StepMotion::default() };
        Some(Part {
            start,
            contacts: Vec::new(),
            motion,
            solves: SolveReport::default(),
            spurious: Some(0),
            h,
        })
    }
}
