//! Thesis Algorithm 1: after the step, put positions and velocities back onto the joints.
//!
//! ```text
//! positions    q  <- q + M⁻¹ Gb (Gbᵀ M⁻¹ Gb)⁺ (-psi),   until |psi| is round-off
//! velocities   nu <- nu + M⁻¹ Gb (Gbᵀ M⁻¹ Gb)⁺ (-Gbᵀ nu)
//! ```
//!
//! The change is the smallest in the metric of the masses, so it moves no centre of mass and does
//! not turn what hangs free. Both lines are one solve along the joint tree each; the positions
//! take a few (Newton). Limits that the step has passed by its linearisation count as joints.
//! Where light bodies would have to move far in place of a heavy one (a chain under load)
//! the masses are those with geometric stiffness (`dynamics/geometric_stiffness.rs`); and where Newton's
//! method fails all the same, the correction is measured with equal masses.

use super::{JointTarget, StabilizeError, Stabilizer, Taken, contacts};
use crate::{
    dynamics::{JointRows, JointTree, MassMatrix, working_mass},
    model::{BodyId, JointId, Model},
    state::{State, displace, gather, scatter},
};

/// Errors below this are round-off \[m or rad\].
const GOAL: f64 = 1e-15;
/// Newton's method takes two or three rounds; a start far off may need shorter steps.
const MAX_ROUNDS: usize = 30;

/// Projection after the step.
#[derive(Clone, Copy, Debug, Default)]
pub struct PostStep;

impl Stabilizer for PostStep {
    fn stabilize(
        &mut self,
        model: &Model,
        state: &mut State,
        taken: &Taken,
    ) -> Result<(), StabilizeError> {
        project_by(model, state, (taken.h, None), &direct)
    }
}

/// Adds to `change`, which closes the joints, what other constraints need.
pub(super) type Refine<'a> = dyn Fn(&State, &Correction, Vec<f64>) -> Vec<f64> + 'a;

/// What a correction is made of.
pub(super) struct Correction {
    pub(super) mass: MassMatrix,
    pub(super) tree: JointTree,
    /// Whether velocities are corrected, not positions.
    pub(super) velocities: bool,
}

/// No other constraints.
fn direct(_: &State, _: &Correction, change: Vec<f64>) -> Vec<f64> {
    change
}

/// The change that the rows ask for, in the metric of these masses.
fn solve(
    model: &Model,
    state: &State,
    residual: &[f64],
    (mass, tree): (MassMatrix, Option<JointTree>),
    (refine, velocities): (&Refine, bool),
) -> Vec<f64> {
    let mut change = vec![0.0; model.n_dof()];
    if let Some(tree) = tree {
        tree.solve(&mut change, Some(residual), None);
        change = refine(state, &Correction { mass, tree, velocities }, change);
    }
    change
}

/// Leaves the joints alone that are not among `which`, if that is given.
fn leave(rows: &JointRows, which: Option<&[bool]>, residual: &mut [f64]) {
    let Some(which) = which else { return };
    let mut at = 0;
    for (group, id) in rows.groups.iter().zip(&rows.joints) {
        let end = at + group.rows.len();
        if !which[id.index()] {
            residual[at..end].fill(0.0);
        }
        at = end;
    }
}

/// The rows that close the joints, their residual, and its largest part.
fn open_joints(model: &Model, state: &State, which: Option<&[bool]>) -> (JointRows, Vec<f64>, f64) {
    let rows = JointRows::closing_with_rotors(model, state);
    let mut residual: Vec<f64> = rows.bilateral().map(|row| row.target).collect();
    leave(&rows, which, &mut residual);
    let error = residual.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    (rows, residual, error)
}

/// Moves the bodies until no joint error is left but round-off; keeps the best it finds where
/// the joints cannot all hold.
fn project_positions(
    model: &Model,
    state: &mut State,
    (h, which): (f64, Option<&[bool]>),
    refine: &Refine,
) -> Result<(), StabilizeError> {
    let (mut rows, mut residual, mut error) = open_joints(model, state, which);
    let (mut length, mut by_mass) = (1.0, true);
    for _ in 0..MAX_ROUNDS {
        if error <= GOAL {
            break;
        }
        let metric = match by_mass {
            true => {
                let (mass, kept, tree) = working_mass(model, state, h);
                // The same rows but for what they ask for, unless limits are passed.
                let same = kept.bilateral().count() == residual.len();
                let tree = if same { tree } else { rows.tree(model, &mass) };
                (mass, tree)
            }
            false => {
                let mass = MassMatrix::new(model, state).geometric();
                let tree = rows.tree(model, &mass);
                (mass, tree)
            }
        };
        let change = solve(model, state, &residual, metric, (refine, false));
        if change.iter().any(|x| !x.is_finite()) {
            return Err(StabilizeError::NotFinite { error });
        }
        let mut moved = state.clone();
        displace(model, &change, length, &mut moved);
        let next = open_joints(model, &moved, which);
        let at_noise = error < 1e-13 && next.2 > 0.5 * error;
        if next.2 < error && (next.2 < 0.5 * error || !by_mass || at_noise) {
            *state = moved;
            (rows, residual, error) = next;
            length = 1.0;
        } else if by_mass && !at_noise {
            by_mass = false;
        } else {
            length *= 0.5;
        }
        if at_noise {
            break;
        }
    }
    Ok(())
}

/// Takes out of the velocities what would part the joints.
fn project_velocities(
    model: &Model,
    state: &mut State,
    (h, which): (f64, Option<&[bool]>),
    refine: &Refine,
) -> Result<(), StabilizeError> {
    let mut nu = gather(model, state);
    let (mass, rows, tree) = working_mass(model, state, h);
    let mut residual = rows.residual(model.dimension().dof(), &nu);
    leave(&rows, which, &mut residual);
    let change = solve(model, state, &residual, (mass, tree), (refine, true));
    let error = residual.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if change.iter().any(|x| !x.is_finite()) {
        return Err(StabilizeError::NotFinite { error });
    }
    nu.iter_mut().zip(change).for_each(|(v, x)| *v += x);
    scatter(model, &nu, state);
    Ok(())
}

/// What the stabilization `shake` needs after the step: nothing, unless contacts of the same step
/// or a step too long for its iteration have left an error.
#[derive(Clone, Copy, Debug, Default)]
pub struct AfterShake;

/// Errors up to here are what the iteration of `shake` leaves \[m or rad\].
const SHAKEN: f64 = 1e-12;

impl Stabilizer for AfterShake {
    fn target(&self) -> JointTarget {
        JointTarget::Closed
    }

    fn stabilize(
        &mut self,
        model: &Model,
        state: &mut State,
        taken: &Taken,
    ) -> Result<(), StabilizeError> {
        let is_open = |&id: &JointId| {
            let error = model.joint_error(state, id);
            error > SHAKEN || JointRows::any_passed(model, state, std::iter::once(id))
        };
        let open: Vec<JointId> = model.joint_ids().filter(is_open).collect();
        if open.is_empty() {
            return Ok(());
        }
        contacts::close(model, state, taken, Some(&with_all_joined(model, &open)))
    }
}

/// Of each joint, whether joints connect it to one of these. Those of a chain that lies still are not moved
/// for another that fell: round-off of 1e-15 m/s made 4e131 m/s of it where its contacts say the same twice
/// (soak seed 700).
fn with_all_joined(model: &Model, open: &[JointId]) -> Vec<bool> {
    let mut bodies = vec![false; model.bodies().len()];
    let ends = |id: JointId| model.joint(id).bodies.into_iter().flatten();
    let moves = |b: &BodyId| model.dof(*b).is_some();
    open.iter().flat_map(|&id| ends(id)).filter(moves).for_each(|b| bodies[b.index()] = true);
    model.spread_along_joints(&mut bodies);
    model.joint_ids().map(|id| ends(id).any(|b| bodies[b.index()])).collect()
}

/// Puts positions and velocities onto the joints, in the metric of a step of length `h`; of those joints alone
/// that `which` names, if it is given.
pub(super) fn project_by(
    model: &Model,
    state: &mut State,
    (h, which): (f64, Option<&[bool]>),
    refine: &Refine,
) -> Result<(), StabilizeError> {
    if model.joints().is_empty() {
        return Ok(());
    }
    project_positions(model, state, (h, which), refine)?;
    project_velocities(model, state, (h, which), refine)
}

/// Puts positions and velocities onto the joints, whatever else there is: the smallest change in
/// the metric of the masses.
pub fn project(model: &Model, state: &mut State) -> Result<(), StabilizeError> {
    project_by(model, state, (0.0, None), &direct)
}

#[cfg(test)]
mod tests {
    use stickslip_geometry::{Solid, Vec3};

    use super::*;
    use crate::{
        formulate::StepMotion,
        model::{BodyInit, Dimension, JointInit, ModelBuilder},
    };

    /// Two chains of two balls, the first of them open by 1e-4 m. Closing it leaves the second as it is to the last
    /// bit, though velocities part its balls as those of `shake` may.
    #[test]
    fn closing_one_chain_leaves_the_others() {
        let mut builder = ModelBuilder::new(Dimension::Three);
        let ball = Solid::sphere(0.4).unwrap();
        for k in 0..2 {
            let at = |x: f64| Vec3::new(x, 5.0 * f64::from(k), 0.0);
            let a = builder.add(BodyInit::new(&ball).at(at(0.0))).unwrap();
            let b = builder.add(BodyInit::new(&ball).at(at(1.0)).velocity(Vec3::X)).unwrap();
            builder.joint(JointInit::spherical(a, b).at(at(0.5))).unwrap();
        }
        let (model, mut state) = builder.build();
        state.q[1].position.x += 1e-4;
        let (before, motion) = (state.clone(), StepMotion::default());
        let taken = Taken { before: &before.q, motion: &motion, h: 0.01 };
        AfterShake.stabilize(&model, &mut state, &taken).unwrap();
        assert!(model.max_joint_error(&state) < 1e-14);
        assert!((state.nu[1].linear.x - 0.5).abs() < 1e-3, "{:?}", state.nu[1]);
        assert_eq!((&state.q[2..], &state.nu[2..]), (&before.q[2..], &before.nu[2..]));
    }
}
