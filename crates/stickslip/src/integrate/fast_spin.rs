//! Rotation of bodies that turn far in one step.
//!
//! No mean velocity stands for such a step (see `gyroscopic.rs`). A body that is left alone turns
//! as the free rigid body does: Euler's equations in its own frame, `m' = m x J⁻¹ m`, by the
//! implicit midpoint rule in short parts, three to make one of order 4. The rule keeps `|m|` and
//! the energy `m J⁻¹ m / 2`, as all quadratic invariants, whatever the length of the parts. The
//! rotation is then turned by the little that the momentum in the world frame is off.
//!
//! A body that may touch something, or that a joint holds, was promised the place to which its
//! velocity takes it, and goes there. It keeps its momentum, but for what would add energy.

use stickslip_geometry::{Mat3, Quat, Vec3};

use super::gyroscopic::{TURN, cross_matrix, is_fast, world_inertia};
use crate::{
    formulate::StepMotion,
    model::{BodyId, Dimension, Model},
    settings::Settings,
    state::{State, rotate},
    substep::MAX_TRIALS,
};

/// Layout: weights of three midpoint steps that make one of order 4 (Yoshida 1990).
const WEIGHTS: [f64; 3] =
    [1.351_207_191_959_657_7, -1.702_414_383_919_315_3, 1.351_207_191_959_657_7];

/// Where a fast body is turned to, and how it turns then.
pub(super) struct Turned {
    pub id: BodyId,
    pub orientation: Quat,
    pub omega: Vec3,
}

/// The fast bodies of a step from `state` on.
pub(super) fn turned(
    model: &Model,
    state: &State,
    motion: &StepMotion,
    settings: &Settings,
) -> Vec<Turned> {
    if model.dimension() == Dimension::Two || !settings.gyroscopic {
        return Vec::new();
    }
    let h = settings.step;
    let omega = |dof: usize| model.dimension().split(&motion.nu[dof..dof + 6]).1;
    let movers = model.ids().filter_map(|id| Some((id, omega(model.dof(id)?))));
    let fast = movers.filter(|(id, omega)| is_fast(model, state, *id, *omega, h));
    fast.map(|(id, omega)| turn(model, state, motion, (id, omega), h)).collect()
}

fn turn(
    model: &Model,
    state: &State,
    motion: &StepMotion,
    (id, omega): (BodyId, Vec3),
    h: f64,
) -> Turned {
    let (body, start) = (model.body(id), state.pose(id).orientation);
    let momentum = world_inertia(model, state, id) * omega;
    let near = motion.contacts.iter().any(|c| c.a.body == id || c.b.body == id);
    let held = model.is_jointed(id);
    let orientation = match near || held {
        true => rotate(start, omega * h),
        false => free_turn(&body.inertia, start, momentum, h),
    };
    let inside = orientation.conjugate() * momentum;
    let mut omega_next = orientation * (body.inertia.inverse() * inside);
    let (before, after) = (momentum.dot(omega), momentum.dot(omega_next));
    if after > before {
        omega_next *= (before / after).sqrt();
    }
    Turned { id, orientation, omega: omega_next }
}

/// The orientation after `h` seconds of a free body with the inertia `j` in its own frame and that
/// angular momentum in the world frame.
fn free_turn(j: &Mat3, start: Quat, momentum: Vec3, h: f64) -> Quat {
    let j_inv = j.inverse();
    let mut m = start.conjugate() * momentum;
    let fastest = (j_inv * m).length();
    // Short parts; beyond a hundred radians in a step nobody can tell where in its turn a body is, and it
    // turns by that much only.
    let part = 0.2 * TURN;
    let parts = (h * fastest / part).ceil().clamp(1.0, MAX_TRIALS as f64);
    let dt = (h / parts).min(part / fastest);
    let mut q = start;
    for _ in 0..parts as usize {
        for weight in WEIGHTS {
            let middle = midpoint(&j_inv, m, weight * dt);
            // The body's own frame: turns are multiplied from the right.
            q = (q * Quat::from_scaled_axis(j_inv * middle * (weight * dt))).normalize();
            let next = 2.0 * middle - m;
            // Round-off only.
            m = next * (m.length() / next.length());
        }
    }
    // The momentum stands still in the world.
    let found = (q * m).normalize();
    (Quat::from_rotation_arc(found, momentum.normalize()) * q).normalize()
}

/// `x = m + dt/2 x x J⁻¹ x`, by Newton.
fn midpoint(j_inv: &Mat3, m: Vec3, dt: f64) -> Vec3 {
    let mut x = m;
    for _ in 0..20 {
        let w = *j_inv * x;
        let error = x - m - x.cross(w) * (0.5 * dt);
        let slope = Mat3::IDENTITY - (cross_matrix(x) * *j_inv - cross_matrix(w)) * (0.5 * dt);
        let delta = slope.inverse() * error;
        if !delta.is_finite() {
            return m;
        }
        x -= delta;
        if delta.length() <= 1e-15 * m.length() {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// Energy and momentum stay to round-off however fast a body turns, and halving the step does
    /// not change where it gets to.
    #[test]
    fn free_bodies_keep_energy_and_momentum_at_any_speed() {
        let mut random = Random::new(77);
        for speed in [3.0, 250.0, 1e4, 1e8] {
            let j = Mat3::from_diagonal(Vec3::new(0.3, 1.0, 1.2));
            let start = Quat::from_scaled_axis(random.vector(Dimension::Three));
            let omega = random.vector(Dimension::Three).normalize() * speed;
            let momentum = start * (j * omega);
            let energy = |q: Quat| {
                let m = q.conjugate() * momentum;
                0.5 * m.dot(j.inverse() * m)
            };
            let mut q = start;
            for _ in 0..100 {
                q = free_turn(&j, q, momentum, 0.01);
                let drift = energy(q) / energy(start) - 1.0;
                assert!(drift.abs() < 1e-9, "seed 77, {speed} rad/s: energy off by {drift:e}");
            }
            if speed > 1000.0 {
                continue;
            }
            let whole = free_turn(&j, start, momentum, 0.01);
            let half = free_turn(&j, free_turn(&j, start, momentum, 0.005), momentum, 0.005);
            let apart = (whole * half.conjugate()).to_scaled_axis().length();
            assert!(apart < 1e-5, "seed 77, {speed} rad/s: {apart:e} rad apart");
        }
    }

    /// A body with two equal moments precesses regularly: its axis turns about the momentum with
    /// `|L| / J` of the equal ones.
    #[test]
    fn symmetric_body_precesses() {
        let j = Mat3::from_diagonal(Vec3::new(2.0, 2.0, 3.0));
        let omega = Vec3::new(40.0, 0.0, 200.0);
        let momentum = j * omega;
        let (mut q, h) = (Quat::IDENTITY, 0.01);
        for _ in 0..20 {
            q = free_turn(&j, q, momentum, h);
        }
        let turn = Quat::from_axis_angle(momentum.normalize(), momentum.length() / 2.0 * 20.0 * h);
        let (axis, expected) = (q * Vec3::Z, turn * Vec3::Z);
        assert!((axis - expected).length() < 1e-3, "{axis} {expected}");
    }
}
