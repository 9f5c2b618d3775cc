//! What the stages after detection start from.

use std::sync::Arc;

use crate::{
    collide::{Contact, PartId, Query},
    dynamics::{AddedConstraints, Mechanism, SharedMechanism},
    model::{BodyId, Model},
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
    /// Masses and joints of this state, for all trials of the step: see [`Frame::mechanism`].
    pub shared: &'a SharedMechanism,
    /// Whether the detector is [exact](crate::collide::CollisionDetector::is_exact): gaps at other poses
    /// may be taken from the shapes.
    pub exact: bool,
    /// How far the detector looked.
    pub query: &'a Query,
    /// Step \[s\].
    pub h: f64,
    /// Settings of the run.
    pub settings: &'a Settings,
}

/// Overlap is undone no faster than a body is that falls by half its radius, `(g r)^(1/2)`: so
/// many m/s² times the radius \[m\] of the smaller body.
const RECOVERY: f64 = 9.81;

impl Frame<'_> {
    /// Masses, joints and the motion without contact; made once, whoever asks first.
    pub fn mechanism(&self) -> Arc<Mechanism> {
        self.shared.of(self)
    }

    /// The speed at which the gap of a contact may close so that it is gone at the end of the step,
    /// `psi / h` \[m/s\]. Overlap is undone as [`Frame::overlap_kept`] has it.
    pub fn closing_gently(&self, contact: &Contact) -> f64 {
        let size = self.size([contact.a.body, contact.b.body]);
        (contact.gap + self.overlap_kept(-contact.gap, size)) / self.h
    }

    /// The same where a gap below zero need not be an overlap: a vertex that is in front of one face may
    /// be far behind the plane of another, and must not seem to be near it.
    pub fn closing(&self, gap: f64) -> f64 {
        gap / if gap < 0.0 { self.h.max(self.settings.step) } else { self.h }
    }

    /// What may be left at the end of an overlap at the start \[m\], for bodies of that size. It
    /// takes a whole step of the settings to be undone, however short this part of it is, and no
    /// more speed than [`Frame::recovery`].
    pub fn overlap_kept(&self, overlap: f64, size: f64) -> f64 {
        let overlap = overlap.max(0.0);
        let undone = overlap * (self.h / self.settings.step).min(1.0);
        overlap - undone.min(self.recovery(size) * self.h)
    }

    /// The largest speed at which bodies of that size leave an overlap \[m/s\].
    pub fn recovery(&self, size: f64) -> f64 {
        (RECOVERY * size).sqrt()
    }

    /// The radius of the smaller body of two \[m\].
    pub fn size(&self, [a, b]: [BodyId; 2]) -> f64 {
        self.model.body(a).radius.min(self.model.body(b).radius)
    }
}
