//! Joints from keywords, and their motors.

use pyo3::{prelude::*, types::PyDict};
use stickslip::{
    BodyId, JointInit,
    model::{Blend, Freedom, Joint, JointId, JointKind, Motor, MotorTarget, Trajectory, Waypoint},
};
use stickslip_geometry::Vec3;

use crate::{
    body::read,
    convert::Triple,
    core::Description,
    error::{OrRaise, raise},
};

/// Kind of aim (velocity or position), target, stiffness, damping, largest force, whether it
/// follows the joint's path.
pub type MotorNumbers = (bool, f64, f64, f64, Option<f64>, bool);

/// Times and targets of a path, and whether it rests at each of them.
pub type PathNumbers = (Vec<(f64, f64)>, bool);

/// The motor as numbers.
pub fn numbers(motor: &Motor) -> MotorNumbers {
    match motor.target {
        MotorTarget::Velocity(v) => (false, v, 0.0, 0.0, motor.max_force, motor.follows),
        MotorTarget::Position { position, stiffness, damping } => {
            (true, position, stiffness, damping, motor.max_force, motor.follows)
        }
    }
}

/// The motor without what the joint itself adds to it; `None` if nothing is left.
pub fn own_numbers(joint: &Joint, motor: &Motor) -> Option<MotorNumbers> {
    let (to_position, target, stiffness, damping, max_force, follows) = numbers(motor);
    let own = if to_position { (damping - joint.damping).max(0.0) } else { damping };
    let passive = to_position && stiffness == 0.0 && own == 0.0 && joint.damping > 0.0;
    (!passive).then_some((to_position, target, stiffness, own, max_force, follows))
}

/// A motor put on a joint: its damping is added, and its largest force unless one is given.
pub fn put_on(joint: &Joint, numbers: Option<MotorNumbers>) -> PyResult<Option<Motor>> {
    let given = numbers.is_some_and(|n| n.4.is_some());
    let motor = numbers.map(motor).transpose()?.map(|m| Motor { follows: false, ..m });
    // An infinite force that is given lifts the limit of the joint.
    let effort = joint.effort.filter(|_| !given);
    Ok(Joint { effort, ..joint.clone() }.motor_with(motor))
}

/// A path from its numbers.
pub fn path((points, smooth): PathNumbers) -> Trajectory {
    let blend = if smooth { Blend::Smooth } else { Blend::Linear };
    let waypoint = |(time, x)| Waypoint { time, position: vec![x] };
    Trajectory::new(points.into_iter().map(waypoint).collect(), blend)
}

/// A motor from its numbers; refuses what is not finite or negative.
pub fn motor(numbers: MotorNumbers) -> PyResult<Motor> {
    let (to_position, target, stiffness, damping, max_force, follows) = numbers;
    let wrong = |what, x: f64, range| {
        Err(raise("ModelError", format!("the motor's {what} is {x}, but must be {range}")))
    };
    if !target.is_finite() {
        return wrong("target", target, "finite");
    }
    for (what, x) in [("stiffness", stiffness), ("damping", damping)] {
        if !(x >= 0.0 && x.is_finite()) {
            return wrong(what, x, "0 or more");
        }
    }
    if let Some(x) = max_force.filter(|x| x.is_nan() || *x < 0.0) {
        return wrong("max_force", x, "0 or more");
    }
    let target = match to_position {
        false => MotorTarget::Velocity(target),
        true => MotorTarget::Position { position: target, stiffness, damping },
    };
    Ok(Motor { target, max_force: max_force.filter(|x| x.is_finite()), follows })
}

/// A joint from the keywords that were given.
pub fn make(scene: &Description, fields: &Bound<'_, PyDict>) -> PyResult<JointInit> {
    let vector = |key: &str| Ok::<_, PyErr>(read::<Triple>(fields, key)?.map(Vec3::from));
    let names: Option<[String; 2]> = read(fields, "bodies")?;
    let body = |name: &str| -> PyResult<Option<BodyId>> {
        match name {
            "world" if !scene.names.contains_key(name) => Ok(None),
            _ => Ok(Some(BodyId::new(scene.find(name).or_raise()?))),
        }
    };
    let bodies = match &names {
        Some([a, b]) => [body(a)?, body(b)?],
        None => [None, None],
    };
    let mut init = JointInit::new(kind(scene, fields)?, bodies[0], bodies[1]);
    if let Some(name) = read(fields, "name")? {
        init.name = name;
    }
    if let Some(anchor) = vector("anchor")? {
        init.anchor = anchor;
    }
    init.anchor_b = vector("anchor_b")?;
    init.axis = vector("axis")?;
    init.axis2 = vector("axis2")?;
    init.limits = read(fields, "limits")?;
    init.friction = read(fields, "friction")?.unwrap_or(0.0);
    init.damping = read(fields, "damping")?.unwrap_or(0.0);
    init.armature = read(fields, "armature")?.unwrap_or(0.0);
    init.motor = read::<MotorNumbers>(fields, "motor")?.map(motor).transpose()?;
    init.path = read::<PathNumbers>(fields, "path")?.map(path);
    init.start = read(fields, "start")?.unwrap_or(0.0);
    init.collide_jointed = read(fields, "collide_jointed")?.unwrap_or(false);
    Ok(init)
}

fn kind(scene: &Description, fields: &Bound<'_, PyDict>) -> PyResult<JointKind> {
    let name: String = read(fields, "kind")?.unwrap_or_default();
    Ok(match name.as_str() {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute,
        "prismatic" => JointKind::Prismatic,
        "cylindrical" => JointKind::Cylindrical,
        "spherical" => JointKind::Spherical,
        "planar" => JointKind::Planar,
        "universal" => JointKind::Universal,
        "distance" => JointKind::Distance,
        "generic" => {
            let ranges: [[f64; 2]; 6] = read(fields, "freedoms")?.unwrap_or_default();
            JointKind::Generic(ranges.map(freedom))
        }
        "gear" => {
            let names: [String; 2] = read(fields, "joints")?.unwrap_or_default();
            let ratio = read(fields, "ratio")?.unwrap_or(1.0);
            let joints = [scene.find_joint(&names[0])?, scene.find_joint(&names[1])?];
            JointKind::Gear { joints: joints.map(JointId::new), ratio }
        }
        _ => return Err(raise("ModelError", format!("no joint is of the type {name:?}"))),
    })
}

/// A range of no length is locked, one without ends free.
fn freedom(range: [f64; 2]) -> Freedom {
    match range {
        [f64::NEG_INFINITY, f64::INFINITY] => Freedom::Free,
        [a, b] if a == 0.0 && b == 0.0 => Freedom::Locked,
        other => Freedom::Limited(other),
    }
}
