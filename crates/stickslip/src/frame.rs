//! What the stages after detection start from.

use crate::{
    collide::{Contact, PartId, Query},
    dynamics::AddedConstraints,
    model::Model,
    settings::Settings,
    state::State,
};

/// The frame at the start of the step.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The scene.
    pub model: &'a Model,
    /// Places and velocities at the start of the step.
    pub state: &'a State,
    /// Potential contacts: of all shapes, or, for a formulation that starts from pairs, of those
    /// that are not in `pairs`.
    pub contacts: &'a [Contact],
    /// Pairs of parts with corners that may touch; empty for a formulation that starts from
    /// features.
    pub pairs: &'a [[PartId; 2]],
    /// Constraints of joints added after a rejected trial of this step.
    pub added: &'a AddedConstraints,
    /// How far the detector looked.
    pub query: &'a Query,
    /// Step \[s\].
    pub h: f64,
    /// Settings of the run.
    pub settings: &'a Settings,
}

impl Frame<'_> {
    /// The speed at which a gap may close so that it is gone at the end of the step, `psi / h`
    /// \[m/s\]. An overlap takes a whole step of the settings to be undone, however short this
    /// part of it is: the speed of undoing it stays with the bodies.
    pub fn closing(&self, gap: f64) -> f64 {
        (gap + self.overlap_kept(-gap)) / self.h
    }

    /// What may be left at the end of an overlap at the start, when this is but a part of a step
    /// \[m\].
    pub fn overlap_kept(&self, overlap: f64) -> f64 {
        overlap.max(0.0) * (1.0 - self.h / self.settings.step).max(0.0)
    }
}
