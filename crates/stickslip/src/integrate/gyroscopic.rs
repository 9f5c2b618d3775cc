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

/// Angular momentum of a body about its centre of mass, world frame \[kg m²/s\].
pub fn spin(model: &Model, state: &State, id: BodyId) -> Vec3 {
    let omega = state.twist(id).angular;
    match model.dimension() {
        Dimension::Two => Vec3::Z * (model.body(id).inertia.z_axis.z * omega.z),
        Dimension::Three => momentum(&world_inertia(model, state, id), omega, -state.last_h),
    }
}

/// Angular velocity over the coming step of a body that only the torque impulse `impulse`
/// (`h` times the torque, world frame) acts on. `j`, `j_inv`: world inertia and its inverse.
pub fn free_spin(state: &State, id: BodyId, world: (&Mat3, &Mat3), impulse: Vec3, h: f64) -> Vec3 {
    let (j, j_inv) = world;
    let omega = state.twist(id).angular;
    let target = momentum(j, omega, -state.last_h) + impulse;
    let scale = target.length();
    let mut w = omega + *j_inv * impulse;
    if scale == 0.0 {
        return Vec3::ZERO;
    }
    for _ in 0..60 {
        let error = momentum(j, w, h) - target;
        if error.length() <= 4.0 * f64::EPSILON * scale {
            return w;
        }
        // Newton with the derivative of the first two terms.
        let slope = *j + (cross_matrix(w) * *j - cross_matrix(*j * w)) * (0.5 * h);
        let delta = slope.inverse() * error;
        if !delta.is_finite() {
            break;
        }
        w -= delta;
        if delta.length() <= 2.0 * f64::EPSILON * w.length() {
            return w;
        }
    }
    // More than about a radian per step: no mean velocity fits. Keep the momentum and let the
    // body turn about it.
    if (momentum(j, w, h) - target).length() <= 1e-9 * scale { w } else { *j_inv * target }
}

fn cross_matrix(w: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, w.z, -w.y), Vec3::new(-w.z, 0.0, w.x), Vec3::new(w.y, -w.x, 0.0))
}
