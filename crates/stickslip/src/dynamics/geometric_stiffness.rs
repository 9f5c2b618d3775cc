//! Geometric stiffness of joints under load.
//!
//! A force F that a joint exerts at the arm r from a body's centre turns with the joint, not with
//! the body: turning the body by a small angle changes its torque `r x F` by
//!
//! ```text
//! -K angle,   K = (F · r) I - (F rᵀ + r Fᵀ) / 2
//! ```
//!
//! which swings a light link under a heavy load at the frequency `sqrt(F r / J)`. The scheme
//! takes joint forces at the start of the step and blows up where `h² K` exceeds some J. There
//! the part of `h² K` that is too much is added to the inertia, the momentum staying what it was:
//! `(J + h² K) omega_next = J omega + ..`, the implicit treatment of that swing, which damps it.
//! A mechanism whose swings the step resolves is left
//! as it is.

use stickslip_geometry::{Mat3, Vec3, math::eigen};

use super::{JointRows, JointTree, MassMatrix};
use crate::{
    model::{Dimension, Model},
    state::State,
};

/// `h² K / J` up to which nothing is added. The scheme is stable up to 4 for one link by itself
/// and up to 1 in a chain.
const RESOLVED: f64 = 0.5;

/// The masses with the geometric stiffness of the joints, or `None` where it is resolved. `impulses` are those
/// of the bilateral rows.
pub(super) fn added_to(
    (model, state, h): (&Model, &State, f64),
    rows: &JointRows,
    mass: &MassMatrix,
    impulses: &[f64],
) -> Option<MassMatrix> {
    let width = model.dimension().dof();
    let mut stiffness = vec![Mat3::ZERO; model.n_dof() / width];
    let mut first = 0;
    for (&id, group) in rows.joints.iter().zip(&rows.groups) {
        let errors = model.joint_errors(state, id);
        for (row, p) in errors.iter().zip(&impulses[first..]) {
            for (body, sign) in model.joint(id).bodies.into_iter().zip([-1.0, 1.0]) {
                let Some((body, dof)) = body.and_then(|b| Some((b, model.dof(b)?))) else {
                    continue;
                };
                // One h of h² K turns the impulse into a force.
                let force = row.force * (sign * p * h);
                let arm = row.point - state.pose(body).position;
                stiffness[dof / width] += turning(force, arm);
            }
        }
        first += group.rows.len();
    }
    let mut out = None;
    for (k, stiffness) in stiffness.into_iter().enumerate() {
        if let Some(extra) = excess(stiffness, &mass.inertia(k * width), model.dimension()) {
            out.get_or_insert_with(|| mass.clone()).add_inertia(k * width, extra);
        }
    }
    out
}

/// The masses that a step from this state would work with, geometric stiffness included: the metric in
/// which corrections do not throw light links about. With the rows that keep the joints, factorised.
pub(crate) fn working_mass(
    model: &Model,
    state: &State,
    h: f64,
) -> (MassMatrix, JointRows, Option<JointTree>) {
    let mass = MassMatrix::new(model, state);
    let rows = JointRows::keeping(model, state);
    let Some(tree) = rows.tree(model, &mass) else { return (mass, rows, None) };
    let free = mass.free_velocity(model, state, h, true);
    let pull = rows.pull(model, &tree, &free);
    match added_to((model, state, h), &rows, &mass, &pull) {
        Some(stiffer) => {
            let tree = rows.tree(model, &stiffer);
            (stiffer, rows, tree)
        }
        None => (mass, rows, Some(tree)),
    }
}

fn turning(force: Vec3, arm: Vec3) -> Mat3 {
    let outer = |a: Vec3, b: Vec3| Mat3::from_cols(a * b.x, a * b.y, a * b.z);
    Mat3::from_diagonal(Vec3::splat(force.dot(arm))) - (outer(force, arm) + outer(arm, force)) * 0.5
}

/// What to add to the inertia; `None` where the step resolves the swing.
fn excess(stiffness: Mat3, inertia: &Mat3, dimension: Dimension) -> Option<Mat3> {
    if dimension == Dimension::Two {
        let extra = stiffness.z_axis.z - RESOLVED * inertia.z_axis.z;
        return (extra > 0.0).then(|| Mat3::from_diagonal(Vec3::Z * extra));
    }
    // Bounds first: most joints carry little.
    let size = |m: &Mat3| m.x_axis.x.abs() + m.y_axis.y.abs() + m.z_axis.z.abs();
    let least = inertia.determinant() / (size(inertia) * size(inertia));
    if !stiffness.is_finite() || frobenius(&stiffness) <= RESOLVED * least {
        return None;
    }
    let (values, axes) = eigen(&stiffness);
    let mut extra = Mat3::ZERO;
    let mut any = false;
    for (i, value) in values.into_iter().enumerate() {
        let axis = axes.col(i);
        let more = value - RESOLVED * axis.dot(*inertia * axis);
        if more > 0.0 {
            any = true;
            extra += Mat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z) * more;
        }
    }
    any.then_some(extra)
}

fn frobenius(m: &Mat3) -> f64 {
    (0..3).map(|i| m.col(i).length_squared()).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// K is minus the derivative of the torque of a force that does not turn with the body,
    /// symmetrised: along any axis the work is that of finite differences.
    #[test]
    fn stiffness_is_the_loss_of_torque() {
        let mut random = Random::new(2);
        for _ in 0..50 {
            let (force, arm) = (random.vector(Dimension::Three), random.vector(Dimension::Three));
            let axis = random.vector(Dimension::Three).normalize();
            let torque = |angle: f64| {
                let turned = stickslip_geometry::Quat::from_axis_angle(axis, angle) * arm;
                turned.cross(force).dot(axis)
            };
            let slope = (torque(1e-5) - torque(-1e-5)) / 2e-5;
            let expected = -axis.dot(turning(force, arm) * axis);
            assert!((slope - expected).abs() < 1e-9, "seed 2: {slope} {expected}");
        }
    }
}
