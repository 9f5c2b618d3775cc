//! `motor = { ... }` of a joint, and `[[motor]]`.

use stickslip::model::{Blend, JointId, Motor, MotorTarget, Trajectory, Waypoint};

use super::reader::{Reader, Unchecked, numbers};
use crate::{
    diagnostic::{Log, Subject},
    node::Node,
    place::Place,
    schema::{DRIVEN, Field, MOTOR, World},
    suggest,
};

/// A motor and the path it follows, if its aim moves.
pub(crate) type Drive = (Motor, Option<Trajectory>);

/// A `[[motor]]`, and where to point when the engine refuses it.
#[derive(Debug)]
pub(crate) struct ReadMotor {
    pub joint: JointId,
    pub drive: Drive,
    pub subject: Subject,
    pub place: Place,
}

/// Reads every `[[motor]]`; `joints` are the names of all joints in their order.
pub(crate) fn read(
    list: &[Node],
    joints: &[String],
    world: World,
    log: &mut Log<'_>,
) -> Vec<ReadMotor> {
    let (mut found, mut seen): (Vec<ReadMotor>, Vec<&str>) = (Vec::new(), Vec::new());
    for (k, node) in list.iter().enumerate() {
        let subject = Subject::new(format!("motor {}", k + 1), format!("motor.{}", k + 1));
        let Some(table) = Unchecked::new(node, subject.clone(), world) else { continue };
        let named = node.table().and_then(|t| t.get("joint"));
        let place = named.map_or_else(|| table.place.clone(), |n| n.place.clone());
        let drive = drive(table, DRIVEN, log);
        let Some(name) = named.and_then(Node::text) else { continue };
        let Some(joint) = find_joint(name, joints, (&place, &subject), log) else { continue };
        if seen.contains(&name) {
            let message = format!("the joint `{name}` has a motor by an earlier entry");
            log.error(&place, &subject, "joint", message, "give every joint one motor");
        }
        seen.push(name);
        found.extend(drive.map(|drive| ReadMotor { joint, drive, subject, place }));
    }
    found
}

/// The joint that `joint` names, reporting if there is none; `joints` are the names of all.
pub(super) fn find_joint(
    name: &str,
    joints: &[String],
    (place, subject): (&Place, &Subject),
    log: &mut Log<'_>,
) -> Option<JointId> {
    let index = joints.iter().position(|j| j == name);
    if index.is_none() {
        let known: Vec<&str> = joints.iter().map(String::as_str).collect();
        let message = format!("`joint` names no joint: `{name}`");
        log.error(place, subject, "joint", message, suggest::remedy(name, &known, "joints"));
    }
    index.map(JointId::new)
}

/// Largest aims \[rad, m, rad/s, m/s\], gains and forces of a motor: what is larger is a mistake, and
/// no step could follow it.
const AIM: f64 = 1e9;
const GAIN: f64 = 1e18;
const FORCE: f64 = 1e30;

/// Whether a number of a motor is not absurd; else it has been reported.
fn within(motor: &Reader<'_>, key: &str, x: f64, limit: f64, log: &mut Log<'_>) -> Option<()> {
    // A force may have no bound, by leaving it out or by giving `inf`.
    if x.abs() <= limit || (key == "max_force" && x == f64::INFINITY) {
        return Some(());
    }
    let message = format!("`{}` is {x:e}, beyond all motors", motor.subject.local(key));
    motor.error(log, key, message, format!("it must be at most {limit:e}"));
    None
}

/// A motor from its table; `also` are fields beyond those of a motor.
pub(super) fn drive(table: Unchecked<'_>, also: &[Field], log: &mut Log<'_>) -> Option<Drive> {
    let motor = table.check(&MOTOR, also, log);
    let key = match (motor.has("target_velocity"), motor.has("target_position")) {
        (true, false) => "target_velocity",
        (false, true) => "target_position",
        _ => {
            let message = "a motor needs one target";
            motor.error(log, "", message, "give `target_velocity` or `target_position`");
            return None;
        }
    };
    if motor.has("target_position") && !motor.has("stiffness") {
        let remedy = "`target_position` needs it: give the force per error";
        let message = format!("`{}` is missing", motor.subject.local("stiffness"));
        motor.error(log, "stiffness", message, remedy);
        return None;
    }
    for gain in ["stiffness", "damping"] {
        if key == "target_velocity" && motor.has(gain) {
            let message =
                format!("`{}` does not go with `target_velocity`", motor.subject.local(gain));
            motor.error(log, gain, message, "remove it, or use `target_position`");
        }
    }
    for (gain, limit) in [("stiffness", GAIN), ("damping", GAIN), ("max_force", FORCE)] {
        let given = motor.number(gain).unwrap_or(0.0);
        within(&motor, gain, given, limit, log)?;
    }
    let (aim, path) = aim(&motor, key, log)?;
    let target = match key {
        "target_velocity" => MotorTarget::Velocity(aim),
        _ => MotorTarget::Position {
            position: aim,
            stiffness: motor.number("stiffness")?,
            damping: motor.number("damping").unwrap_or(0.0),
        },
    };
    Some((Motor::new(target, motor.number("max_force")), path))
}

/// The target at the start, and its path if it moves.
fn aim(motor: &Reader<'_>, key: &str, log: &mut Log<'_>) -> Option<(f64, Option<Trajectory>)> {
    let node = motor.node(key)?;
    if let Some(fixed) = node.number() {
        within(motor, key, fixed, AIM, log)?;
        if motor.has("blend") {
            let message =
                format!("`{}` does not go with a fixed target", motor.subject.local("blend"));
            motor.error(log, "blend", message, "give points [[time, target], ...]");
        }
        return Some((fixed, None));
    }
    let blend = match motor.text("blend") {
        Some("linear") => Blend::Linear,
        _ => Blend::Smooth,
    };
    let waypoint = |n: &Node| {
        let pair = numbers(n)?;
        Some(Waypoint { time: *pair.first()?, position: vec![*pair.get(1)?] })
    };
    let points: Vec<Waypoint> = node.list()?.iter().map(waypoint).collect::<Option<_>>()?;
    for point in &points {
        for &x in point.position.iter().chain([&point.time]) {
            within(motor, key, x, AIM, log)?;
        }
    }
    let path = Trajectory::new(points, blend);
    Some((path.at(0, 0.0).position, Some(path)))
}
