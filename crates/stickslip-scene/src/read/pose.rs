//! Vectors, spins and orientations.

use stickslip::geometry::{Pose, Quat, Vec3};

use super::reader::{Reader, numbers};
use crate::{
    diagnostic::Log,
    node::Node,
    schema::{Field, Kind, Range, Section, World},
};

/// A vector of either world; in 2D z is zero.
pub(crate) fn vector(reader: &Reader<'_>, key: &str) -> Option<Vec3> {
    point(reader.node(key)?)
}

/// The point that a list of two or three numbers means.
pub(crate) fn point(node: &Node) -> Option<Vec3> {
    match *numbers(node)?.as_slice() {
        [x, y] => Some(Vec3::new(x, y, 0.0)),
        [x, y, z] => Some(Vec3::new(x, y, z)),
        _ => None,
    }
}

/// An angular velocity or torque: about z in 2D.
pub(crate) fn spin(reader: &Reader<'_>, key: &str) -> Option<Vec3> {
    match reader.world {
        World::Plane => reader.number(key).map(|z| Vec3::new(0.0, 0.0, z)),
        World::Space => vector(reader, key),
    }
}

const fn turn_field(key: &'static str, kind: Kind, unit: &'static str) -> Field {
    Field { key, kind, unit, default: "", doc: "" }
}

const ORIENTATION: Section = Section {
    title: "an orientation",
    doc: "",
    fields: &[
        turn_field("axis", Kind::Direction, ""),
        turn_field("angle", Kind::Number(Range::Any), "rad"),
        turn_field("quaternion", Kind::Numbers(4, Range::Any), ""),
        turn_field("euler", Kind::Numbers(3, Range::Any), "rad"),
    ],
};

/// Where something sits in 3D, or its position and angle in 2D.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placement {
    pub pose: Pose,
    /// In 2D \[rad\].
    pub angle: f64,
}

/// `position` and `orientation` of a table.
pub(crate) fn placement(reader: &Reader<'_>, log: &mut Log<'_>) -> Placement {
    let position = vector(reader, "position").unwrap_or(Vec3::ZERO);
    match reader.world {
        World::Plane => {
            let angle = reader.number("orientation").unwrap_or(0.0);
            Placement { pose: Pose::planar(position.x, position.y, angle), angle }
        }
        World::Space => {
            let turn = orientation(reader, log).unwrap_or(Quat::IDENTITY);
            Placement { pose: Pose::new(position, turn), angle: 0.0 }
        }
    }
}

fn orientation(reader: &Reader<'_>, log: &mut Log<'_>) -> Option<Quat> {
    let inner = reader.inner("orientation")?.check(&ORIENTATION, &[], log);
    let given = |key: &str| inner.has(key);
    let ways = [given("axis") || given("angle"), given("quaternion"), given("euler")];
    let count = ways.iter().filter(|w| **w).count();
    if count != 1 || given("axis") != given("angle") {
        let message = match count {
            0 => "`orientation` is empty",
            1 => "`orientation` needs both `axis` and `angle`",
            _ => "`orientation` is given in two ways",
        };
        let remedy = "give { axis = [x, y, z], angle = a }, { quaternion = [w, x, y, z] } or \
                      { euler = [roll, pitch, yaw] }";
        reader.error(log, "orientation", message, remedy);
        return None;
    }
    if let (Some(axis), Some(angle)) = (vector(&inner, "axis"), inner.number("angle")) {
        return Some(Quat::from_axis_angle(axis.try_normalize()?, angle));
    }
    if let Some(euler) = inner.numbers("euler") {
        return Some(from_euler([euler[0], euler[1], euler[2]]));
    }
    let q = inner.numbers("quaternion")?;
    let q = Quat::from_xyzw(q[1], q[2], q[3], q[0]);
    // The length is normalised; one far from 1 is more likely a slip of the pen.
    let length = q.length();
    if (length - 1.0).abs() > 1e-3 || !length.is_finite() {
        let message = format!("`orientation.quaternion` has length {length}");
        inner.error(log, "quaternion", message, "it must be [w, x, y, z] of length 1");
        return None;
    }
    Some(q.normalize())
}

/// Roll about x, then pitch about y, then yaw about z, all fixed axes: `R = Rz Ry Rx`.
fn from_euler([roll, pitch, yaw]: [f64; 3]) -> Quat {
    Quat::from_rotation_z(yaw) * Quat::from_rotation_y(pitch) * Quat::from_rotation_x(roll)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    /// Roll turns y up; the pitch that follows turns that z to x; the yaw turns x to y.
    #[test]
    fn euler_angles_turn_about_fixed_axes_in_the_order_x_y_z() {
        let near = |a: Vec3, b: Vec3| assert!((a - b).length() < 1e-15, "{a} {b}");
        near(from_euler([FRAC_PI_2, 0.0, 0.0]) * Vec3::Y, Vec3::Z);
        near(from_euler([FRAC_PI_2, FRAC_PI_2, 0.0]) * Vec3::Y, Vec3::X);
        near(from_euler([FRAC_PI_2, FRAC_PI_2, FRAC_PI_2]) * Vec3::Y, Vec3::Y);
    }
}
