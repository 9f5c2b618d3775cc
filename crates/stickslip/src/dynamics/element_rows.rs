//! Springs, dampers and bushings as rows that give way: linearly implicit.
//!
//! The force at the end of the step, `f0 - h k q' - d q'` with `f0` the force of the spring at its
//! start, solved for the rate `q'` at the end:
//!
//! ```text
//! q' + p / (h (h k + d)) = f0 / (h k + d)
//! ```
//!
//! As with position motors no stiffness is too large for it, and contacts see how the springs give
//! way.

use super::{BilateralRow, JacobianBlock, RowBlocks, RowGroup};
use crate::{
    model::{ForceRow, Model},
    state::State,
};

/// Gains below this part of what a step could feel are left out: their rows would only be round-off.
const NOTHING: f64 = 1e-290;

/// The rows of every force element over a step of `h`, one group each.
pub(super) fn groups(model: &Model, state: &State, h: f64) -> Vec<RowGroup> {
    let mut groups = Vec::new();
    for element in model.force_elements() {
        let found = model.force_rows(state, element);
        let rows: Vec<BilateralRow> =
            found.iter().filter_map(|row| soft(model, state, row, h)).collect();
        if !rows.is_empty() {
            groups.push(RowGroup { rows });
        }
    }
    groups
}

fn soft(model: &Model, state: &State, row: &ForceRow, h: f64) -> Option<BilateralRow> {
    let give = h * row.stiffness + row.damping;
    if give * h <= NOTHING {
        return None;
    }
    let (mut blocks, mut drive) = (RowBlocks::new(), 0.0);
    for (body, unit) in (0..2).filter_map(|side| row.wrench(state, side)) {
        match model.dof(body) {
            Some(dof) => {
                let value = model.dimension().block(unit.force, unit.torque);
                blocks.push(JacobianBlock { dof, value });
            }
            None => {
                let twist = state.twist(body);
                drive += unit.force.dot(twist.linear) + unit.torque.dot(twist.angular);
            }
        }
    }
    let target = (row.force + row.damping * row.rate) / give - drive;
    (!blocks.is_empty()).then_some(BilateralRow { blocks, target, compliance: 1.0 / (h * give) })
}
