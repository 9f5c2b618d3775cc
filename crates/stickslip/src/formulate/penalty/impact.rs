//! Impacts: impulses at the centre of the contact surface, pair after pair, until none approaches.
//!
//! ```text
//! K = G M⁻¹ Gᵀ at the centre,  u the relative velocity there,  u_n = n · u < -ε
//! stick   j = K⁻¹ (-e u_n n - u)                                if |j_t| <= mu j_n
//! slide   j = j_n (n - mu t),  j_n = -(1 + e) u_n / (n · K (n - mu t)),  t = u_t / |u_t|
//! ```
//!
//! Baraff's sequential impulses with friction, as the paper takes them (section III). Joints hold.

use stickslip_geometry::{Mat3, Vec3};

use super::{memory::Memory, touch::Touch};
use crate::{
    dynamics::{Jacobian, Mechanism},
    frame::Frame,
    model::Model,
    settings::Friction,
    state::{gather, scatter},
};

/// Rounds over all impacting pairs; a chain of n bodies needs some n of them.
const ROUNDS: usize = 200;

/// What the impacts of a step did.
pub(super) struct Impacts {
    /// Velocities after them.
    pub nu: Vec<f64>,
    /// Pair (index among the touches) and impulse on B \[N s\].
    pub impulses: Vec<(usize, Vec3)>,
}

/// One impacting pair.
struct Hit {
    touch: usize,
    rows: Jacobian,
    weighted: Jacobian,
    k: Mat3,
    total: Vec3,
}

/// Applies impulses to pairs that have just begun to touch, and to resting ones whose bodies were
/// hit by others; `None` when nothing approaches faster than the threshold.
pub(super) fn resolve(frame: &Frame, memory: &Memory, touches: &[Touch]) -> Option<Impacts> {
    let threshold = frame.settings.penalty.impact_speed;
    let mut nu = gather(frame.model, frame.state);
    let mut state = frame.state.clone();
    let mut active: Vec<bool> = vec![false; touches.len()];
    memory.fresh(touches).for_each(|i| active[i] = true);
    let approach = |state: &crate::state::State, i: usize| {
        touches[i].velocity(state, touches[i].center).dot(touches[i].normal)
    };
    if !(0..touches.len()).any(|i| active[i] && approach(&state, i) < -threshold) {
        return None;
    }
    let mechanism = frame.mechanism();
    let mut hits: Vec<Hit> = Vec::new();
    for _ in 0..ROUNDS {
        let mut quiet = true;
        for i in 0..touches.len() {
            if !active[i] || approach(&state, i) >= -threshold {
                continue;
            }
            quiet = false;
            let h = hits.iter().position(|h| h.touch == i).unwrap_or_else(|| {
                hits.push(Hit::new(frame, &mechanism, i, &touches[i]));
                hits.len() - 1
            });
            let u = touches[i].velocity(&state, touches[i].center);
            let impulse = hits[h].impulse(frame, &touches[i], u);
            hits[h].apply(impulse, &mut nu);
            scatter(frame.model, &nu, &mut state);
            wake(frame.model, touches, i, &mut active);
        }
        if quiet {
            break;
        }
    }
    let impulses = hits.into_iter().map(|h| (h.touch, h.total)).collect();
    Some(Impacts { nu, impulses })
}

/// Pairs that share a moving body with the one that was hit can be hit in turn.
fn wake(model: &Model, touches: &[Touch], hit: usize, active: &mut [bool]) {
    let bodies = |i: usize| [touches[i].id.0.0, touches[i].id.1.0];
    for j in (0..touches.len()).filter(|&j| j != hit) {
        let shared = bodies(hit).iter().any(|&b| model.dof(b).is_some() && bodies(j).contains(&b));
        active[j] |= shared;
    }
}

impl Hit {
    fn new(frame: &Frame, mechanism: &Mechanism, touch: usize, pair: &Touch) -> Self {
        let mut rows = Jacobian::new(frame.model);
        let contact = pair.contact(0, pair.center, 0.0);
        for d in Vec3::AXES {
            rows.push_contact(frame.model, frame.state, &contact, d);
        }
        let weighted = mechanism.weighted(&rows);
        let mut k = Mat3::ZERO;
        for i in 0..3 {
            for j in 0..3 {
                let row = rows.row(i).iter();
                let sum = row.flat_map(|x| weighted.row(j).iter().map(move |y| (x, y)));
                let dot = sum
                    .filter(|(x, y)| x.dof == y.dof)
                    .map(|(x, y)| x.value.iter().zip(&y.value).map(|(a, b)| a * b).sum::<f64>());
                k.col_mut(j)[i] = dot.sum();
            }
        }
        if frame.model.dimension() == crate::Dimension::Two {
            // Nothing moves across the plane; one keeps the matrix regular.
            k.col_mut(2)[2] = 1.0;
        }
        Self { touch, rows, weighted, k, total: Vec3::ZERO }
    }

    /// The impulse on B that ends the approach, with restitution and friction.
    fn impulse(&self, frame: &Frame, pair: &Touch, u: Vec3) -> Vec3 {
        let (n, material) = (pair.normal, frame.model.material(pair.id.0.0, pair.id.1.0));
        let mu = match frame.settings.friction {
            Friction::None => 0.0,
            _ => material.friction,
        };
        let threshold = frame.settings.restitution_threshold;
        let threshold = threshold.unwrap_or_else(|| frame.model.gravity().length() * frame.h);
        let u_n = u.dot(n);
        let e = if -u_n > threshold { material.restitution } else { 0.0 };
        let stick = self.k.inverse() * (n * (-e * u_n) - u);
        let j_n = stick.dot(n);
        if stick.is_finite() && (stick - n * j_n).length() <= mu * j_n {
            return stick;
        }
        let along = (u - n * u_n).normalize_or_zero();
        for direction in [n - along * mu, n] {
            let gain = n.dot(self.k * direction);
            if gain > 0.0 {
                return direction * (-(1.0 + e) * u_n / gain);
            }
        }
        Vec3::ZERO
    }

    fn apply(&mut self, impulse: Vec3, nu: &mut [f64]) {
        debug_assert_eq!(self.rows.len(), 3);
        self.total += impulse;
        for (i, p) in impulse.to_array().into_iter().enumerate() {
            self.weighted.add_transposed(i, p, nu);
        }
    }
}
