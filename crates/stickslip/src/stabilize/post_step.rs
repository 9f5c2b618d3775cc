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

use super::{StabilizeError, Stabilizer, Taken};
use crate::{
    formulate::{JointRows, MassMatrix},
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
        _taken: &Taken,
    ) -> Result<(), StabilizeError> {
        project_positions(model, state, &direct)?;
        project_velocities(model, state, &direct)
    }
}

/// Adds to `change`, which closes the joints, what other constraints need.
pub(super) type Refine<'a> = dyn Fn(&State, &Correction, Vec<f64>) -> Vec<f64> + 'a;

/// What a correction is made of.
pub(super) struct Correction {
    pub(super) mass: MassMatrix,
    pub(super) tree: crate::formulate::JointTree,
    /// Whether velocities are corrected, not positions.
    pub(super) velocities: bool,
}

/// No other constraints.
fn direct(_: &State, _: &Correction, change: Vec<f64>) -> Vec<f64> {
    change
}

/// The change that the rows ask for, and their largest error.
fn solve(
    model: &Model,
    state: &State,
    rows: &JointRows,
    nu: &[f64],
    refine: (&Refine, bool),
) -> (Vec<f64>, f64) {
    let mass = MassMatrix::new(model, state);
    let lack = rows.lack(model.dimension().dof(), nu);
    let error = lack.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut change = vec![0.0; nu.len()];
    if let Some(tree) = rows.tree(model, &mass) {
        tree.solve(&mut change, Some(&lack), None);
        change = refine.0(state, &Correction { mass, tree, velocities: refine.1 }, change);
    }
    (change, error)
}

/// Moves the bodies until no joint error is left but round-off; keeps the best it finds where
/// the joints cannot all hold.
pub(super) fn project_positions(
    model: &Model,
    state: &mut State,
    refine: &Refine,
) -> Result<(), StabilizeError> {
    if model.joints().is_empty() {
        return Ok(());
    }
    let still = vec![0.0; model.n_dof()];
    let (mut change, mut error) =
        solve(model, state, &JointRows::closing(model, state), &still, (refine, false));
    let mut length = 1.0;
    for _ in 0..MAX_ROUNDS {
        if error <= GOAL {
            break;
        }
        if change.iter().any(|x| !x.is_finite()) {
            return Err(StabilizeError::NotFinite { error });
        }
        let mut moved = state.clone();
        displace(model, &change, length, &mut moved);
        let rows = JointRows::closing(model, &moved);
        let (next, left) = solve(model, &moved, &rows, &still, (refine, false));
        if left < error {
            let settled = left > 0.5 * error && error < 1e-13;
            (*state, change, error, length) = (moved, next, left, 1.0);
            if settled {
                break;
            }
        } else if error < 1e-13 {
            break;
        } else {
            length *= 0.5;
        }
    }
    Ok(())
}

/// Takes out of the velocities what would part the joints.
pub(super) fn project_velocities(
    model: &Model,
    state: &mut State,
    refine: &Refine,
) -> Result<(), StabilizeError> {
    if model.joints().is_empty() {
        return Ok(());
    }
    let mut nu = gather(model, state);
    let rows = JointRows::keeping(model, state);
    let (change, error) = solve(model, state, &rows, &nu, (refine, true));
    if change.iter().any(|x| !x.is_finite()) {
        return Err(StabilizeError::NotFinite { error });
    }
    nu.iter_mut().zip(change).for_each(|(v, x)| *v += x);
    scatter(model, &nu, state);
    Ok(())
}

/// Puts positions and velocities onto the joints, whatever else there is.
pub fn project(model: &Model, state: &mut State) -> Result<(), StabilizeError> {
    project_positions(model, state, &direct)?;
    project_velocities(model, state, &direct)
}
