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

use super::{JointTarget, StabilizeError, Stabilizer, Taken};
use crate::{
    dynamics::{JointRows, JointTree, MassMatrix, working_mass},
    model::Model,
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
        project_by(model, state, taken.h, &direct)
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

/// The rows that close the joints, their residual, and its largest part.
fn open_joints(model: &Model, state: &State) -> (JointRows, Vec<f64>, f64) {
    let rows = JointRows::closing_with_rotors(model, state);
    let residual: Vec<f64> = rows.bilateral().map(|row| row.target).collect();
    let error = residual.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    (rows, residual, error)
}

/// Moves the bodies until no joint error is left but round-off; keeps the best it finds where
/// the joints cannot all hold.
fn project_positions(
    model: &Model,
    state: &mut State,
    h: f64,
    refine: &Refine,
) -> Result<(), StabilizeError> {
    let (mut rows, mut residual, mut error) = open_joints(model, state);
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
        let next = open_joints(model, &moved);
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
    h: f64,
    refine: &Refine,
) -> Result<(), StabilizeError> {
    let mut nu = gather(model, state);
    let (mass, rows, tree) = working_mass(model, state, h);
    let residual = rows.residual(model.dimension().dof(), &nu);
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
        let closed = model.max_joint_error(state) <= SHAKEN;
        if closed && !JointRows::any_passed(model, state, model.joint_ids()) {
            return Ok(());
        }
        super::PostStepContacts.stabilize(model, state, taken)
    }
}

/// Puts positions and velocities onto the joints, in the metric of a step of length `h`.
pub(super) fn project_by(
    model: &Model,
    state: &mut State,
    h: f64,
    refine: &Refine,
) -> Result<(), StabilizeError> {
    if model.joints().is_empty() {
        return Ok(());
    }
    project_positions(model, state, h, refine)?;
    project_velocities(model, state, h, refine)
}

/// Puts positions and velocities onto the joints, whatever else there is: the smallest change in
/// the metric of the masses.
pub fn project(model: &Model, state: &mut State) -> Result<(), StabilizeError> {
    project_by(model, state, 0.0, &direct)
}
