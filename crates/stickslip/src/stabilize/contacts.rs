//! Algorithm 1 with the contacts kept: the plain projection may push bodies into each other,
//! which the thesis names as its weakness.
//!
//! Among all changes that close the joints, the one nearest in the metric of the masses that
//! keeps every contact of the step open (or as open as it was):
//!
//! ```text
//! 0 <= p ⟂ Gnᵀ (change + M⁻¹ Gn p) + gap >= 0
//! ```
//!
//! where `M⁻¹` is the inverse mass of the mechanisms, `gap` the present one for positions, and
//! for velocities the rate the contact had, if it was closing, or zero.

use complementarity::{Lcp, Matrix, Problem, problem::Dense, registry};
use stickslip_geometry::{Pose, tolerance::MERGE};

use super::{
    StabilizeError, Stabilizer, Taken,
    post_step::{Correction, project_by},
};
use crate::{
    collide::{Contact, Feature, Side},
    dynamics::Jacobian,
    model::Model,
    solve::Status,
    state::{State, gather},
};

/// Projection after the step that leaves contacts open.
#[derive(Clone, Copy, Debug, Default)]
pub struct PostStepContacts;

impl Stabilizer for PostStepContacts {
    fn stabilize(
        &mut self,
        model: &Model,
        state: &mut State,
        taken: &Taken,
    ) -> Result<(), StabilizeError> {
        close(model, state, taken, None)
    }
}

/// Closes joints, those that `which` names if it is given, and leaves contacts open.
pub(super) fn close(
    model: &Model,
    state: &mut State,
    taken: &Taken,
    which: Option<&[bool]>,
) -> Result<(), StabilizeError> {
    let refine = |state: &State, correction: &Correction, change: Vec<f64>| {
        open(model, state, taken, correction, change)
    };
    project_by(model, state, (taken.h, which), &refine)
}

/// A contact carried along with its bodies.
pub(crate) fn carried(contact: &Contact, before: &[Pose], state: &State) -> Contact {
    let point = |side: &Side| {
        let local = before[side.body.index()].inverse_point(side.point);
        Side { point: state.pose(side.body).point(local), ..*side }
    };
    // The normal stays with the body whose face (or smooth side) it belongs to.
    let holder = match contact.b.feature {
        Feature::Face(_) => contact.b.body,
        _ => contact.a.body,
    };
    let turned = before[holder.index()].inverse_vector(contact.normal);
    let normal = state.pose(holder).vector(turned);
    let (a, b) = (point(&contact.a), point(&contact.b));
    let gap = (b.point - a.point).dot(normal);
    Contact { a, b, normal, gap, ..*contact }
}

/// Changes `change` as little as it takes to keep the contacts open.
fn open(
    model: &Model,
    state: &State,
    taken: &Taken,
    correction: &Correction,
    mut change: Vec<f64>,
) -> Vec<f64> {
    let mut jacobian = Jacobian::new(model);
    let mut gaps = Vec::new();
    let nu = gather(model, state);
    for contact in &taken.motion.contacts {
        let now = carried(contact, taken.before, state);
        let row = jacobian.len();
        jacobian.push_contact(model, state, &now, now.normal);
        gaps.push(match correction.velocities {
            false => now.gap.max(0.0),
            true => {
                let rate = jacobian.times(row, &nu) + jacobian.prescribed(row);
                // Far contacts do not mind what happens to their rate.
                if now.gap > 1e-9 { f64::INFINITY } else { rate.max(0.0) }
            }
        });
    }
    let near: Vec<usize> = (0..gaps.len()).filter(|&i| gaps[i].is_finite()).collect();
    let closed = near.iter().any(|&i| jacobian.times(i, &change) + gaps[i] < 0.0);
    if !closed {
        return change;
    }
    let weighted = jacobian.weighted_by(&correction.tree, &correction.mass);
    let mut a = Dense::zeros(near.len(), near.len());
    for (c, &j) in near.iter().enumerate() {
        let mut column = vec![0.0; change.len()];
        weighted.add_transposed(j, 1.0, &mut column);
        for (r, &i) in near.iter().enumerate() {
            a.values[c * near.len() + r] = jacobian.times(i, &column);
        }
    }
    let b = near.iter().map(|&i| jacobian.times(i, &change) + gaps[i]).collect();
    for (&i, p) in near.iter().zip(impulses(a, b)) {
        weighted.add_transposed(i, p, &mut change);
    }
    change
}

/// Solves the little problem; without a solution (joints and contacts exclude each other) the
/// joints win, as in the plain projection.
fn impulses(a: Dense, b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    let none = vec![0.0; n];
    let Ok(lcp) = Lcp::new(Matrix::Dense(a.clone()), b.clone()) else { return none };
    let Ok(mut solver) = registry::make("auto", &Default::default()) else { return none };
    match solver.solve(&Problem::Lcp(lcp), &[], &mut complementarity::solver::NoWatch) {
        Ok(solution) if solution.status == Status::Solved && opens(&a, &b, &solution.z) => {
            solution.z
        }
        _ => none,
    }
}

/// Whether impulses leave nothing closed that is asked for. A solver measures that by the size of its terms: where
/// contacts say the same twice, impulses of 1e131 were a solution for it.
fn opens(a: &Dense, b: &[f64], p: &[f64]) -> bool {
    let n = b.len();
    let most = MERGE * b.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let gap = |i: usize| (0..n).map(|c| a.values[c * n + i] * p[c]).sum::<f64>() + b[i];
    (0..n).all(|i| gap(i) >= -most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        collide::Role,
        testing::{Random, random_bodies},
    };
    use stickslip_geometry::Vec3;

    /// Two contacts that say the same but for round-off have no impulses that open one by 1e-15 m/s and leave
    /// the other; those of 1e131 N s that a solver gave are none.
    #[test]
    fn impulses_open_what_they_are_asked_to() {
        let mut a = Dense::zeros(2, 2);
        a.values = vec![1.0, 1.0, 1.0, 1.0];
        let b = [-1e-15, -2e-15];
        assert!(opens(&a, &b, &[1e-15, 1e-15]));
        assert!(!opens(&a, &b, &[1e-15, 0.0]));
        assert!(!opens(&a, &b, &[1e131, -1e131 - 1e116]));
        assert!(!opens(&a, &b, &[f64::NAN, 0.0]));
    }

    /// A carried contact has the gap and the normal of a point against a plane fixed to A.
    #[test]
    fn contacts_move_with_their_bodies() {
        let mut random = Random::new(9);
        let (model, mut state) = random_bodies(&mut random, crate::Dimension::Three, 2);
        let before = state.q.clone();
        let side = |i, feature, point| {
            let body = crate::BodyId::new(i);
            Side { body, part: 0, feature, point }
        };
        let (x, n) = (Vec3::new(0.3, 0.2, 0.1), Vec3::Z);
        let contact = Contact {
            a: side(0, Feature::Face(0), x),
            b: side(1, Feature::Vertex(0), x + n * 0.5),
            normal: n,
            gap: 0.5,
            applicability: 1.0,
            role: Role::Primary,
        };
        let twist = *state.twist(crate::BodyId::new(1));
        state.advance(model.dimension(), crate::BodyId::new(1), &twist, 0.1);
        let now = carried(&contact, &before, &state);
        let b = state.q[1].point(before[1].inverse_point(contact.b.point));
        assert!((now.normal - n).length() < 1e-15, "seed 9");
        assert!((now.gap - (b - x).z).abs() < 1e-15, "seed 9");
    }
}
