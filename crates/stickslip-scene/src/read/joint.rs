//! `[[joint]]`.

use stickslip::{BodyId, geometry::Vec3};

use super::{
    pose::vector,
    reader::{Reader, Unchecked},
};
use crate::{
    diagnostic::{Log, Subject},
    joint::{Freedom, Joint, JointKind, JointSide, Motor, MotorTarget},
    names::Names,
    node::Node,
    schema::{DOF, JOINT, Kind, MOTOR, World},
};

/// Reads all joints; those with something wrong are left out.
pub(crate) fn read(list: &[Node], names: &Names, world: World, log: &mut Log<'_>) -> Vec<Joint> {
    let (mut joints, mut taken) = (Vec::new(), Vec::new());
    for (k, node) in list.iter().enumerate() {
        let Some(table) = node.table() else { continue };
        let given = table.get("name").filter(|n| Kind::Text.check(n, world).is_ok());
        let name =
            given.and_then(Node::text).map_or_else(|| format!("joint-{}", k + 1), String::from);
        let subject = Subject::new(format!("joint {name:?}"), format!("joint.{name}"));
        let Some(table) = Unchecked::new(node, subject, world) else { continue };
        let reader = table.check(&JOINT, &[], log);
        if taken.contains(&name) {
            let message = format!("the name `{name}` is taken by an earlier joint");
            reader.error(log, "name", message, "give every joint its own name");
        }
        taken.push(name.clone());
        joints.extend(joint(&reader, name, names, log));
    }
    joints
}

fn joint(reader: &Reader<'_>, name: String, names: &Names, log: &mut Log<'_>) -> Option<Joint> {
    let sides = sides(reader, names, log);
    let kind = kind(reader, log);
    let axis = axis(reader, kind, log);
    let limits = limits(reader, kind, log);
    let motor = motor(reader, kind, log);
    Some(Joint {
        name,
        kind: kind?,
        sides: sides?,
        anchor: vector(reader, "anchor")?,
        axis: axis?,
        limits,
        friction: reader.number("friction").unwrap_or(0.0),
        motor,
        collide_jointed: reader.flag("collide_jointed").unwrap_or(false),
    })
}

fn sides(reader: &Reader<'_>, names: &Names, log: &mut Log<'_>) -> Option<[JointSide; 2]> {
    let mut found = Vec::new();
    for (name, place) in reader.texts("bodies") {
        found.push(match name {
            "world" => Some(JointSide::World),
            _ => names
                .find(name, (place, &reader.subject, "bodies"), log)
                .map(|index| JointSide::Body(BodyId::new(index))),
        });
    }
    let &[Some(a), Some(b)] = found.as_slice() else { return None };
    if a == b {
        let message = "`bodies` names the same body twice";
        reader.error(log, "bodies", message, "name two different bodies, or a body and `world`");
        return None;
    }
    Some([a, b])
}

fn kind(reader: &Reader<'_>, log: &mut Log<'_>) -> Option<JointKind> {
    let name = reader.text("type")?;
    let planar = ["fixed", "revolute", "prismatic"];
    if reader.world == World::Plane && !planar.contains(&name) {
        let message = format!("there is no {name} joint in 2D");
        reader.error(log, "type", message, "use `fixed`, `revolute` or `prismatic`");
        return None;
    }
    if name != "generic" && reader.has("dof") {
        reader.error(
            log,
            "dof",
            format!("`dof` does not belong to a {name} joint"),
            "only `generic` joints have it",
        );
    }
    Some(match name {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute,
        "prismatic" => JointKind::Prismatic,
        "cylindrical" => JointKind::Cylindrical,
        "spherical" => JointKind::Spherical,
        "planar" => JointKind::Planar,
        _ => JointKind::Generic(freedoms(reader, log)),
    })
}

fn freedoms(reader: &Reader<'_>, log: &mut Log<'_>) -> [Freedom; 6] {
    let Some(table) = reader.inner("dof") else { return [Freedom::Locked; 6] };
    let dof = table.check(&DOF, &[], log);
    ["x", "y", "z", "rx", "ry", "rz"].map(|key| match dof.text(key) {
        Some("free") => Freedom::Free,
        Some(_) => Freedom::Locked,
        None => ordered(&dof, key, log).map_or(Freedom::Locked, Freedom::Limited),
    })
}

/// Two limits, the lower first.
fn ordered(reader: &Reader<'_>, key: &str, log: &mut Log<'_>) -> Option<[f64; 2]> {
    let numbers = reader.numbers(key)?;
    let &[low, high] = numbers.as_slice() else { return None };
    if low > high {
        let message = format!("`{}` is [{low}, {high}]", reader.subject.local(key));
        reader.error(log, key, message, "the lower limit comes first");
        return None;
    }
    Some([low, high])
}

fn axis(reader: &Reader<'_>, kind: Option<JointKind>, log: &mut Log<'_>) -> Option<Vec3> {
    let given = vector(reader, "axis").map(|v| v / v.length());
    let kind = kind?;
    let turns_in_plane = kind == JointKind::Revolute && reader.world == World::Plane;
    let needed = !turns_in_plane
        && !matches!(kind, JointKind::Fixed | JointKind::Spherical | JointKind::Generic(_));
    if needed && !reader.has("axis") {
        let remedy = format!("give {} numbers, not all zero", reader.world.numbers());
        reader.error(log, "axis", "`axis` is missing", remedy);
        return None;
    }
    Some(given.unwrap_or(Vec3::Z))
}

/// Whether the joint has one free direction, which limits and motors act on.
fn single(kind: Option<JointKind>) -> bool {
    matches!(kind, None | Some(JointKind::Revolute | JointKind::Prismatic))
}

fn limits(reader: &Reader<'_>, kind: Option<JointKind>, log: &mut Log<'_>) -> Option<[f64; 2]> {
    if reader.has("limits") && !single(kind) {
        let remedy = "only revolute and prismatic joints have it; a generic one has `dof`";
        reader.error(log, "limits", "`limits` does not belong to this joint", remedy);
        return None;
    }
    ordered(reader, "limits", log)
}

fn motor(reader: &Reader<'_>, kind: Option<JointKind>, log: &mut Log<'_>) -> Option<Motor> {
    let motor = reader.inner("motor")?.check(&MOTOR, &[], log);
    if !single(kind) {
        let remedy = "only revolute and prismatic joints have one";
        reader.error(log, "motor", "`motor` does not belong to this joint", remedy);
        return None;
    }
    let target = match (motor.has("target_velocity"), motor.has("target_position")) {
        (true, false) => MotorTarget::Velocity(motor.number("target_velocity")?),
        (false, true) if !motor.has("stiffness") => {
            let remedy = "`target_position` needs it: give the force per error";
            motor.error(log, "stiffness", "`motor.stiffness` is missing", remedy);
            return None;
        }
        (false, true) => MotorTarget::Position {
            position: motor.number("target_position")?,
            stiffness: motor.number("stiffness")?,
            damping: motor.number("damping").unwrap_or(0.0),
        },
        _ => {
            let message = "`motor` needs one target";
            reader.error(log, "motor", message, "give `target_velocity` or `target_position`");
            return None;
        }
    };
    for key in ["stiffness", "damping"] {
        if matches!(target, MotorTarget::Velocity(_)) && motor.has(key) {
            let message = format!("`motor.{key}` does not go with `target_velocity`");
            motor.error(log, key, message, "remove it, or use `target_position`");
        }
    }
    Some(Motor { target, max_force: motor.number("max_force") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{node, place::Source, read::body};

    fn joints(text: &str) -> Vec<Joint> {
        let bodies = "[[body]]\nname = \"a\"\nshape = { type = \"sphere\", radius = 1 }\n";
        let source = Source { file: "s".into(), text: format!("{bodies}{text}") };
        let mut log = Log::new(&source);
        let top = node::parse(&source.text).ok().unwrap();
        let list = |key: &str| top.get(key).and_then(Node::list).unwrap();
        let read: Vec<_> = list("body")
            .iter()
            .filter_map(|n| body::read(n, 0, World::Space, None, &mut log))
            .collect();
        let names = Names::new(&read, &mut log);
        let joints = super::read(list("joint"), &names, World::Space, &mut log);
        let found = log.finish();
        assert!(found.is_empty(), "{found:?}");
        joints
    }

    #[test]
    fn a_hinge_with_limits_and_a_position_motor() {
        let found = joints(
            "[[joint]]\ntype = \"revolute\"\nbodies = [\"world\", \"a\"]\nanchor = [1, 2, 3]\n\
             axis = [0, 3, 4]\nlimits = [-1, 2]\nfriction = 0.5\n\
             motor = { target_position = 1, stiffness = 10, damping = 2, max_force = 7 }\n",
        );
        let position = MotorTarget::Position { position: 1.0, stiffness: 10.0, damping: 2.0 };
        let expected = Joint {
            name: "joint-1".into(),
            kind: JointKind::Revolute,
            sides: [JointSide::World, JointSide::Body(BodyId::new(0))],
            anchor: Vec3::new(1.0, 2.0, 3.0),
            axis: Vec3::new(0.0, 0.6, 0.8),
            limits: Some([-1.0, 2.0]),
            friction: 0.5,
            motor: Some(Motor { target: position, max_force: Some(7.0) }),
            collide_jointed: false,
        };
        assert_eq!(found, [expected]);
    }

    #[test]
    fn a_generic_joint_says_what_each_direction_may_do() {
        let found = joints(
            "[[joint]]\ntype = \"generic\"\nbodies = [\"world\", \"a\"]\nanchor = [0, 0, 0]\n\
             dof = { x = \"free\", y = [-1, 1], rz = \"free\" }\n",
        );
        let (free, locked) = (Freedom::Free, Freedom::Locked);
        let limited = Freedom::Limited([-1.0, 1.0]);
        let kind = JointKind::Generic([free, limited, locked, locked, locked, free]);
        assert_eq!(found[0].kind, kind);
    }
}
