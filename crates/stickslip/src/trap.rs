//! Standard-model traps: contacts that push although the bodies are apart along another
//! direction.
//!
//! After the step, the gap of an enforced contact that pushed is zero (up to the rotation error
//! of the scheme). If the two convex parts are then farther apart than that gap says, some other
//! direction separates them and the push was wrong: a peg held up by the rim of a hole that it
//! fits into.

use stickslip_geometry::{Pose, Vec3, overlap};

use crate::{collide::Contact, formulate::StepMotion, model::Model, state::State};

/// Distances below this fraction of the bodies' size are round-off.
const TOLERANCE: f64 = 1e-9;

/// Number of traps among the contacts that pushed; `before` are the poses at the start of the
/// step, where the contacts were found.
pub fn count(model: &Model, before: &[Pose], after: &State, motion: &StepMotion) -> usize {
    let pushed = motion.forces.iter().filter(|f| f.normal > 0.0);
    pushed.filter(|f| is_trap(model, before, after, &motion.contacts[f.contact])).count()
}

fn is_trap(model: &Model, before: &[Pose], after: &State, c: &Contact) -> bool {
    let part =
        |side: &crate::collide::Side| model.body(side.body).shape.parts().get(side.part as usize);
    let (Some(a), Some(b)) = (part(&c.a), part(&c.b)) else { return false };
    // The gap of this contact's own direction at the end.
    let carried = |side: &crate::collide::Side, x: Vec3| {
        after.pose(side.body).point(before[side.body.index()].inverse_point(x))
    };
    let gap = (carried(&c.b, c.b.point) - carried(&c.a, c.a.point)).dot(c.normal);
    let apart = -overlap::depth(
        model.dimension(),
        &a.convex,
        &after.pose(c.a.body).compose(&a.pose),
        &b.convex,
        &after.pose(c.b.body).compose(&b.pose),
    );
    let size = model.body(c.a.body).radius.min(model.body(c.b.body).radius);
    apart > gap.max(0.0) + TOLERANCE * size
}
