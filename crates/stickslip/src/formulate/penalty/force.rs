//! Forces of pairs in resting contact.
//!
//! ```text
//! I       = sum_i lambda^(t-i-1) max_y d(y, i)                                   eq. 2
//! |f(p)|  = max((k_p d(p) - k_v v(p) + k_i I) / r, 0)                            eq. 3
//! ```
//!
//! `d` is the depth, `v` the speed at which the bodies part, `r` the number of points with a force.
//! Friction on a point that slips is `mu |f|` against the slip; one that does not is held by a
//! spring and damper of the gains `k_p / r` and `k_v / r` in the tangent plane, no stronger than
//! `mu |f|`, or by the linear system of [`super::hold`].

use stickslip_geometry::Vec3;

use super::{
    memory::{Anchor, Memory},
    settings::{PenaltySettings, StaticFriction},
    touch::Touch,
};
use crate::{
    model::{BodyId, Model},
    settings::{Friction, Settings},
    state::{State, Wrench},
};

/// A force at a point, on B; A gets the opposite.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointForce {
    /// Index of the pair among the touches.
    pub touch: usize,
    /// Index of the point in the pair.
    pub point: usize,
    /// Along the normal \[N\].
    pub normal: f64,
    /// In the tangent plane \[N\].
    pub friction: Vec3,
    /// Coefficient of friction.
    pub mu: f64,
}

/// `m1 + m2`, static bodies counting as a multiple of their partner \[kg\].
pub(super) fn gain_mass(model: &Model, settings: &PenaltySettings, a: BodyId, b: BodyId) -> f64 {
    let mass = |id: BodyId| model.dof(id).map(|_| model.body(id).mass);
    match (mass(a), mass(b)) {
        (Some(x), Some(y)) => x + y,
        (Some(x), None) | (None, Some(x)) => x * (1.0 + settings.static_mass),
        (None, None) => 0.0,
    }
}

/// Mass that opposes a relative motion of two bodies \[kg\].
fn reduced_mass(model: &Model, a: BodyId, b: BodyId) -> f64 {
    let inverse = |id: BodyId| model.dof(id).map_or(0.0, |_| 1.0 / model.body(id).mass);
    let sum = inverse(a) + inverse(b);
    if sum > 0.0 { 1.0 / sum } else { 0.0 }
}

/// Normal forces of all pairs in the memory, and friction but for that of the linear system.
pub(super) fn forces(
    model: &Model,
    state: &State,
    settings: &Settings,
    memory: &Memory,
    touches: &[Touch],
) -> Vec<PointForce> {
    let mut out = Vec::new();
    for (k, touch) in touches.iter().enumerate() {
        let Some(kept) = memory.pairs.get(&touch.id) else { continue };
        let (a, b) = (touch.id.0.0, touch.id.1.0);
        let gains = &settings.penalty;
        let mass = gain_mass(model, gains, a, b);
        let pull: Vec<f64> = touch
            .points
            .iter()
            .map(|p| {
                let v = touch.velocity(state, p.at).dot(touch.normal);
                let (kp, kv, ki) = (gains.stiffness, gains.damping, gains.integral);
                mass * (kp * p.depth - kv * v + ki * kept.integral)
            })
            .collect();
        let r = pull.iter().filter(|f| **f > 0.0).count() as f64;
        let mu = match settings.friction {
            Friction::None => 0.0,
            _ => model.material(a, b).friction,
        };
        let loaded = pull.iter().enumerate().filter(|(_, f)| **f > 0.0);
        for (i, f) in loaded {
            let point = &touch.points[i];
            let normal = f / r;
            let slip = touch.velocity(state, point.at);
            let slip = slip - touch.normal * slip.dot(touch.normal);
            let friction = match gains.static_friction {
                _ if mu == 0.0 => Vec3::ZERO,
                StaticFriction::Spring => {
                    let anchor = kept.anchors.get(&point.id);
                    let stretch = anchor.map_or(Vec3::ZERO, |x| x.stretch(state, touch.id));
                    let stretch = stretch - touch.normal * stretch.dot(touch.normal);
                    let (kp, kv) = (gains.stiffness * mass / r, gains.damping * mass / r);
                    (stretch * -kp - slip * kv).clamp_length_max(mu * normal)
                }
                // Less near rest, so that a step does not turn the slip round.
                _ => {
                    let stop = reduced_mass(model, a, b) / (r * settings.step);
                    (slip * -stop).clamp_length_max(mu * normal)
                }
            };
            out.push(PointForce { touch: k, point: i, normal, friction, mu });
        }
    }
    out
}

/// Anchors of new points, and those of points that slip dragged along. At the start of a step.
pub(super) fn drag_anchors(
    model: &Model,
    state: &State,
    settings: &PenaltySettings,
    memory: &mut Memory,
    (touches, forces): (&[Touch], &[PointForce]),
) {
    for force in forces.iter().filter(|f| f.mu > 0.0) {
        let touch = &touches[force.touch];
        let Some(kept) = memory.pairs.get_mut(&touch.id) else { continue };
        let point = &touch.points[force.point];
        let r = forces.iter().filter(|f| f.touch == force.touch).count() as f64;
        let mass = gain_mass(model, settings, touch.id.0.0, touch.id.1.0);
        let most = force.mu * force.normal * r / (settings.stiffness * mass);
        let fresh = || Anchor::new(state, touch.id, point.at);
        let anchor = kept.anchors.entry(point.id).or_insert_with(fresh);
        let stretch = anchor.stretch(state, touch.id);
        let along = stretch - touch.normal * stretch.dot(touch.normal);
        if along.length() > most {
            anchor.slide(state, touch.id, along.clamp_length_max(most));
        } else if anchor.slid && touch.velocity(state, point.at).dot(along) <= 0.0 {
            *anchor = fresh();
        }
    }
}

/// Forces and torques on the bodies.
pub(super) fn wrenches(
    model: &Model,
    state: &State,
    touches: &[Touch],
    forces: &[PointForce],
) -> Vec<Wrench> {
    let mut out = vec![Wrench::default(); model.bodies().len()];
    for force in forces {
        let touch = &touches[force.touch];
        let at = touch.points[force.point].at;
        let f = touch.normal * force.normal + force.friction;
        for (body, f) in [(touch.id.0.0, -f), (touch.id.1.0, f)] {
            let wrench = &mut out[body.index()];
            wrench.force += f;
            wrench.torque += (at - state.pose(body).position).cross(f);
        }
    }
    out
}
