//! The speed of undoing an overlap does not stay with the bodies.
//!
//! A gap `psi < 0` is closed within the step: the constraint on the end velocity asks for `-psi / h`,
//! which moves the bodies apart and would then stay with them: 0.1 m of overlap leave at 10 m/s.
//! So after the move the push is taken back as far as it did only that:
//!
//! ```text
//! nu <- nu - M⁻¹ Gᵀ y,   0 <= y <= p,   y > 0 only where G nu > 0 and until G nu = 0
//! ```
//!
//! `separation` does so itself ([`StepMotion::after`]); this is for the other formulations.
//!
//! Here are `p` the impulses at the contacts that overlapped. What is left of each impulse is a push, and
//! the velocities are those of contacts that come to rest: energy is lost, never gained.

use stickslip_geometry::{Mat3, Vec3, overlap};

use super::gyroscopic::world_inertia;
use crate::{
    collide::{Contact, depth},
    formulate::StepMotion,
    model::{BodyId, Dimension, Model},
    settings::Settings,
    state::State,
};

/// Other path: overlaps of less than this part of the smaller body are what linear rows leave in a step.
const SHALLOW: f64 = 1e-3;
/// Other path: sweeps over the contacts.
const SWEEPS: usize = 100;

/// One contact whose push is taken back.
struct Row {
    sides: [Side; 2],
    normal: Vec3,
    /// `G M⁻¹ Gᵀ`.
    response: f64,
    /// What may still be taken back \[N s\].
    left: f64,
}

/// A body at a contact; the normal pushes it along `sign`.
struct Side {
    body: usize,
    sign: f64,
    arm: Vec3,
    /// Inverses of mass and world inertia; zero if nothing moves the body.
    inverse: (f64, Mat3),
}

impl Row {
    fn speed(&self, state: &State) -> f64 {
        let part = |s: &Side| s.sign * self.normal.dot(state.nu[s.body].at(s.arm));
        self.sides.iter().map(part).sum()
    }

    fn pull(&self, impulse: f64, state: &mut State) {
        for side in &self.sides {
            let (p, twist) = (self.normal * (-side.sign * impulse), &mut state.nu[side.body]);
            twist.linear += p * side.inverse.0;
            twist.angular += side.inverse.1 * side.arm.cross(p);
        }
    }
}

/// Whether a step undoes overlaps large enough to count.
pub(super) fn concerns(
    model: &Model,
    start: &State,
    motion: &StepMotion,
    settings: &Settings,
) -> bool {
    let deep = |c: &Contact| c.gap < 0.0 && c.gap < -SHALLOW * size(model, c);
    // Within a step that was cut, overlaps belong to the collision that it was cut for. What is known
    // here is the length of the part: the time is a multiple of that of whole steps.
    let whole = (start.time - start.step as f64 * settings.step).abs() < 1e-3 * settings.step;
    !motion.acts_on_overlap && whole && motion.contacts.iter().any(deep)
}

/// Radius of the smaller body at a contact that moves \[m\].
fn size(model: &Model, c: &Contact) -> f64 {
    let moving = [c.a.body, c.b.body].into_iter().filter(|&id| model.dof(id).is_some());
    moving.map(|id| model.body(id).radius).fold(f64::INFINITY, f64::min)
}

/// Takes back what undid overlaps; `state` has moved, `start` has not.
pub(super) fn undo(
    model: &Model,
    start: &State,
    state: &mut State,
    motion: &StepMotion,
    settings: &Settings,
) {
    let mut rows: Vec<Row> = Vec::new();
    for force in motion.forces.iter().filter(|f| f.normal > 0.0) {
        if let Some(row) = row(model, start, motion, (force.contact, force.normal)) {
            let speed = row.speed(state);
            let depth = -motion.contacts[force.contact].gap;
            let falls = model.gravity().length() * settings.step;
            let undoes = speed > falls && speed <= 1.5 * depth / settings.step;
            if undoes && is_deep(model, start, &motion.contacts[force.contact]) {
                rows.push(row);
            }
        }
    }
    for _ in 0..SWEEPS {
        let mut changed = 0.0_f64;
        for row in &mut rows {
            let speed = row.speed(state);
            let impulse = (speed / row.response).clamp(0.0, row.left);
            if impulse > 0.0 {
                row.pull(impulse, state);
                row.left -= impulse;
                changed = changed.max(impulse * row.response);
            }
        }
        if changed <= 1e-12 {
            break;
        }
    }
}

/// Whether the parts of a contact overlap by more than linear rows leave. Faces and edges may have no end
/// to a contact: a gap below zero alone is no overlap.
fn is_deep(model: &Model, start: &State, c: &Contact) -> bool {
    let [a, b] = [&c.a, &c.b].map(|side| {
        let (shape, pose) = (&model.body(side.body).shape, start.pose(side.body));
        let part = shape.parts().get(side.part as usize);
        (shape, pose, part.map(|p| (&p.convex, pose.compose(&p.pose))))
    });
    let depth = match (a.2, b.2) {
        (Some((p, at)), Some((q, to))) => {
            depth::of_parts(model.dimension(), [p, q], &[at, to], f64::INFINITY)
        }
        _ => overlap::shape_depth(model.dimension(), a.0, a.1, b.0, b.1),
    };
    depth >= SHALLOW * size(model, c)
}

/// The row of a contact with a gap below zero, between bodies that no joint holds and that do not rebound.
fn row(
    model: &Model,
    start: &State,
    motion: &StepMotion,
    (contact, left): (usize, f64),
) -> Option<Row> {
    let c = motion.contacts.get(contact)?;
    let ends = [c.a.body, c.b.body];
    let moving = || ends.into_iter().filter(|&id| model.dof(id).is_some());
    if c.gap >= -SHALLOW * size(model, c) || moving().any(|id| model.is_jointed(id)) {
        return None;
    }
    let side = |id: BodyId, point: Vec3, sign: f64| {
        let inverse = match (model.dof(id), model.dimension()) {
            (None, _) => (0.0, Mat3::ZERO),
            (Some(_), Dimension::Two) => {
                let j = model.body(id).inertia.z_axis.z;
                (1.0 / model.body(id).mass, Mat3::from_diagonal(Vec3::Z / j))
            }
            (Some(_), Dimension::Three) => {
                (1.0 / model.body(id).mass, world_inertia(model, start, id).inverse())
            }
        };
        Side { body: id.index(), sign, arm: point - start.pose(id).position, inverse }
    };
    let sides = [side(ends[0], c.a.point, -1.0), side(ends[1], c.b.point, 1.0)];
    let response: f64 = sides
        .iter()
        .map(|s| {
            let turn = s.arm.cross(c.normal);
            s.inverse.0 + turn.dot(s.inverse.1 * turn)
        })
        .sum();
    let row = Row { sides, normal: c.normal, response, left };
    // A body that came in fast and rebounds keeps its speed.
    let rebounds = model.material(ends[0], ends[1]).restitution > 0.0 && row.speed(start) < 0.0;
    (response > 0.0 && !rebounds).then_some(row)
}
