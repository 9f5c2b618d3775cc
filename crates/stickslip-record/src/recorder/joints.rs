//! What a recording keeps of every joint.

use hdf5_metno::{Group, Result};
use stickslip::{Model, State, dynamics::Reaction, model::JointId};

use super::column::Packed;

/// Name and numbers per joint of each dataset in `trajectory`.
pub(crate) const JOINT_COLUMNS: [(&str, usize); 5] = [
    ("joint_position", 1),
    ("joint_velocity", 1),
    ("joint_motor", 1),
    ("joint_force", 3),
    ("joint_torque", 3),
];

/// The columns of joints; none in a scene without.
pub(super) fn columns(
    groups: [&Group; 2],
    joints: usize,
    block: usize,
    level: u8,
) -> Result<Vec<Packed>> {
    let wanted = JOINT_COLUMNS.iter().filter(|_| joints > 0);
    wanted
        .map(|&(name, width)| match width {
            1 => Packed::create(groups, name, &[joints], block, level),
            _ => Packed::create(groups, name, &[joints, width], block, level),
        })
        .collect()
}

/// A row: first coordinate and its rate, force of the motor, force and torque on the second body.
/// NaN where there is no coordinate, or where forces were not measured.
pub(super) fn row(model: &Model, state: &State, forces: Option<&[Reaction]>) -> [Vec<f64>; 5] {
    let mut out: [Vec<f64>; 5] = Default::default();
    for id in model.joint_ids() {
        let first = |x: Vec<f64>| x.first().copied().unwrap_or(f64::NAN);
        out[0].push(first(model.joint_position(state, id)));
        out[1].push(first(model.joint_velocity(state, id)));
        let found = forces.and_then(|f| f.get(JointId::index(id)));
        out[2].push(found.map_or(f64::NAN, |r| r.motor));
        out[3].extend(found.map_or([f64::NAN; 3], |r| r.force.to_array()));
        out[4].extend(found.map_or([f64::NAN; 3], |r| r.torque.to_array()));
    }
    out
}
