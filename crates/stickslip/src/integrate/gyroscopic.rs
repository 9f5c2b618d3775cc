//! Free rotation that keeps the angular momentum to round-off.
//!
//! The explicit gyroscopic term `-omega x J omega` gains energy without bound. Instead the
//! angular velocity of a step is the one whose rotation `exp(h omega)` carries the body between
//! two instants with the same momentum L (the variational scheme of the free rigid body):
//!
//! ```text
//! start of the step   L = J w + h/2 w x J w + h² c w x (w x J w),   J at the start
//! end of the step     L = J w - h/2 w x J w + h² c w x (w x J w),   J at the end
//! c(t) = (1 - t/2 cot(t/2)) / t²,   t = h |w|
//! ```
//!
//! Both expressions agree for every `w`, so a free body keeps L exactly and its energy error
//! stays bounded. A body that was just set in motion (`h = 0` before) has `L = J w`.
//!
//! With `a` the part of `J w` along `w` and `b` the rest, `|L|² = a² + b² (t/2)² / sin²(t/2)`:
//! the scheme is one for steps of less than about a radian. A body that turns by more than
//! [`TURN`] in a step is fast: its velocity is that of the step's end (`State::instant_spin`), its
//! momentum `J w`, and `fast_spin.rs` turns it.

use stickslip_geometry::{Mat3, Vec3};

use crate::{
    model::{BodyId, Dimension, Model},
    state::State,
};

/// Momentum of the mean velocity `omega` over a step of signed length `h`: positive seen from the
/// step's start, negative from its end. `j` is the world inertia at that instant.
fn momentum(j: &Mat3, omega: Vec3, h: f64) -> Vec3 {
    let l = *j * omega;
    let (t, cross) = (h.abs() * omega.length(), omega.cross(l));
    // The series avoids the cancellation near zero; its next term is below 1e-16 at t = 0.02.
    let c = if t > 0.02 {
        (1.0 - 0.5 * t / (0.5 * t).tan()) / (t * t)
    } else {
        1.0 / 12.0 + t * t / 720.0 + t.powi(4) / 30240.0
    };
    l + cross * (0.5 * h) + omega.cross(cross) * (h * h * c)
}

/// World inertia `R J Rᵀ` \[kg m²\].
pub(crate) fn world_inertia(model: &Model, state: &State, id: BodyId) -> Mat3 {
    let r = state.pose(id).rotation();
    r * model.body(id).inertia * r.transpose()
}

/// Largest rotation in a step for which its mean velocity is sought \[rad\]: the energy that goes
/// with that velocity oscillates by less than `TURN² / 12`, 2 %.
pub(crate) const TURN: f64 = 0.5;

/// Angular momentum of a body about its centre of mass, world frame \[kg m²/s\].
pub fn spin(model: &Model, state: &State, id: BodyId) -> Vec3 {
    let omega = state.twist(id).angular;
    match model.dimension() {
        Dimension::Two => Vec3::Z * (model.body(id).inertia.z_axis.z * omega.z),
        Dimension::Three => spin_of(state, id, &world_inertia(model, state, id)),
    }
}

/// The same in 3D, with the world inertia `j`.
fn spin_of(state: &State, id: BodyId, j: &Mat3) -> Vec3 {
    let omega = state.twist(id).angular;
    let h = if state.instant_spin[id.index()] { 0.0 } else { state.last_h };
    momentum(j, omega, -h)
}

/// Angular velocity over the coming step of a body that only the torque impulse `impulse`
/// (`h` times the torque, world frame) acts on. `j`, `j_inv`: world inertia and its inverse.
pub fn free_spin(state: &State, id: BodyId, world: (&Mat3, &Mat3), impulse: Vec3, h: f64) -> Vec3 {
    let target = spin_of(state, id, world.0) + impulse;
    // A fast body keeps its momentum, and starts the step with the velocity that goes with it.
    mean_spin(state, id, world, (target, impulse), h).unwrap_or(*world.1 * target)
}

/// The mean velocity over the coming step that has the momentum `target`, of which `impulse` came
/// last; `None` for a fast body.
fn mean_spin(
    state: &State,
    id: BodyId,
    (j, j_inv): (&Mat3, &Mat3),
    (target, impulse): (Vec3, Vec3),
    h: f64,
) -> Option<Vec3> {
    let scale = target.length();
    if scale == 0.0 {
        return Some(Vec3::ZERO);
    }
    // A body that was fast must have become clearly slower, or one near the limit would change sides over
    // and over, and its energy a little each time.
    let limit = if state.instant_spin[id.index()] { 0.5 * TURN } else { TURN };
    let mut w = state.twist(id).angular + *j_inv * impulse;
    for _ in 0..60 {
        let error = momentum(j, w, h) - target;
        if error.length() <= 4.0 * f64::EPSILON * scale {
            return (h * w.length() <= limit).then_some(w);
        }
        // Newton with the derivative of the first two terms.
        let slope = *j + (cross_matrix(w) * *j - cross_matrix(*j * w)) * (0.5 * h);
        let delta = slope.inverse() * error;
        if !delta.is_finite() {
            return None;
        }
        w -= delta;
        if delta.length() <= 2.0 * f64::EPSILON * w.length() {
            break;
        }
    }
    let close = (momentum(j, w, h) - target).length() <= 1e-9 * scale;
    (close && h * w.length() <= limit).then_some(w)
}

/// Whether a body is fast in the step of `h` from `state` on, at whose end it turns with `omega`.
pub(super) fn is_fast(model: &Model, state: &State, id: BodyId, omega: Vec3, h: f64) -> bool {
    let turn = h * omega.length();
    // The usual case: the equation need not be solved.
    if turn <= 0.2 * TURN && !state.instant_spin[id.index()] {
        return false;
    }
    let j = world_inertia(model, state, id);
    let impulse = (model.body(id).torque + state.applied[id.index()].torque) * h;
    let target = spin_of(state, id, &j) + impulse;
    // Contacts may have made it fast where it was not.
    turn > 2.0 * TURN || mean_spin(state, id, (&j, &j.inverse()), (target, impulse), h).is_none()
}

pub(super) fn cross_matrix(w: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, w.z, -w.y), Vec3::new(-w.z, 0.0, w.x), Vec3::new(w.y, -w.x, 0.0))
}
