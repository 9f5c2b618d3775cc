//! `[[joint]]`.

use stickslip::{
    BodyId, JointInit,
    model::{Freedom, JointId, JointKind},
};

use super::{
    motor,
    pose::vector,
    reader::{Described, Reader, Unchecked},
};
use crate::{
    diagnostic::Log,
    names::Names,
    node::Node,
    schema::{DOF, JOINT, World},
    suggest,
};

/// Reads all joints; those with something wrong are left out. `imported` are the names of joints
/// that come before. Returns the names of all joints as well.
pub(crate) fn read(
    list: &[Node],
    names: &Names,
    imported: Vec<String>,
    world: World,
    log: &mut Log<'_>,
) -> (Vec<Described<JointInit>>, Vec<String>) {
    let (mut joints, mut taken) = (Vec::new(), imported);
    for (k, node) in list.iter().enumerate() {
        let Some((name, table)) = Unchecked::named(node, "joint", k, world) else { continue };
        let reader = table.check(&JOINT, &[], log);
        if taken.contains(&name) {
            let message = format!("the name `{name}` is taken by an earlier joint");
            reader.error(log, "name", message, "give every joint its own name");
        }
        if let Some(init) = joint(&reader, names, &taken, log) {
            let (init, place) = (init.named(&name), reader.place.clone());
            joints.push(Described { init, subject: reader.subject, place });
        }
        taken.push(name);
    }
    (joints, taken)
}

fn joint(
    reader: &Reader<'_>,
    names: &Names,
    earlier: &[String],
    log: &mut Log<'_>,
) -> Option<JointInit> {
    let kind = kind(reader, earlier, log)?;
    let gear = matches!(kind, JointKind::Gear { .. });
    let sides = match gear {
        true => Some([None, None]),
        false => sides(reader, names, log),
    };
    let belongs = belongs(reader, kind, log);
    let given = required(reader, kind, log);
    let limits = ordered(reader, "limits", log);
    let drive = reader.inner("motor").map(|table| motor::drive(table, &[], log));
    let [a, b] = sides?;
    if !belongs || !given {
        return None;
    }
    let mut init = JointInit::new(kind, a, b);
    init.anchor = vector(reader, "anchor").unwrap_or(init.anchor);
    init.anchor_b = vector(reader, "anchor_b");
    init.axis = vector(reader, "axis");
    init.axis2 = vector(reader, "axis2");
    init.limits = limits;
    init.friction = reader.number("friction").unwrap_or(init.friction);
    init.damping = reader.number("damping").unwrap_or(init.damping);
    init.armature = reader.number("armature").unwrap_or(init.armature);
    init.start = reader.number("start").unwrap_or(init.start);
    within(reader, &init, log);
    if let Some(drive) = drive {
        let (motor, path) = drive?;
        (init.motor, init.path) = (Some(motor), path);
    }
    init.collide_jointed = reader.flag("collide_jointed").unwrap_or(init.collide_jointed);
    Some(init)
}

/// Reports a joint that starts outside its limits: the first step would throw it back.
fn within(reader: &Reader<'_>, init: &JointInit, log: &mut Log<'_>) {
    let other = matches!(
        init.kind,
        JointKind::Distance | JointKind::Spherical | JointKind::Gear { .. } | JointKind::Generic(_)
    );
    let Some([lower, upper]) = init.limits.filter(|_| !other) else { return };
    // Less is the rounding of a pose that means to be at the limit.
    let room = 1e-9 * (1.0 + lower.abs().max(upper.abs()));
    if init.start < lower - room || init.start > upper + room {
        let key = if reader.has("start") { "start" } else { "limits" };
        let message = format!("it starts at {}, outside its limits {lower} to {upper}", init.start);
        let remedy =
            "`start` says where it is at the initial pose; put the bodies within the limits";
        reader.error(log, key, message, remedy);
    }
}

/// Two different bodies, or a body and the world.
fn sides(reader: &Reader<'_>, names: &Names, log: &mut Log<'_>) -> Option<[Option<BodyId>; 2]> {
    let [a, b] = ends(reader, names, log)?;
    if a == b {
        let message = "`bodies` names the same body twice";
        reader.error(log, "bodies", message, "name two different bodies, or a body and `world`");
        return None;
    }
    Some([a, b])
}

/// What the two names in `bodies` stand for; the world is none.
pub(super) fn ends(
    reader: &Reader<'_>,
    names: &Names,
    log: &mut Log<'_>,
) -> Option<[Option<BodyId>; 2]> {
    if !reader.has("bodies") {
        reader.error(log, "bodies", "`bodies` is missing", "give a list of two names");
    }
    let mut found = Vec::new();
    for (name, place) in reader.texts("bodies") {
        found.push(match name {
            "world" => Some(None),
            _ => names
                .find(name, (place, &reader.subject, "bodies"), log)
                .map(|index| Some(BodyId::new(index))),
        });
    }
    let &[Some(a), Some(b)] = found.as_slice() else { return None };
    Some([a, b])
}

fn kind(reader: &Reader<'_>, earlier: &[String], log: &mut Log<'_>) -> Option<JointKind> {
    let name = reader.text("type")?;
    let spatial = ["cylindrical", "spherical", "planar", "universal"];
    if reader.world == World::Plane && spatial.contains(&name) {
        let message = format!("there is no {name} joint in 2D");
        reader.error(log, "type", message, "use `fixed`, `revolute` or `prismatic`");
        return None;
    }
    Some(match name {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute,
        "prismatic" => JointKind::Prismatic,
        "cylindrical" => JointKind::Cylindrical,
        "spherical" => JointKind::Spherical,
        "planar" => JointKind::Planar,
        "universal" => JointKind::Universal,
        "generic" => JointKind::Generic(freedoms(reader, log)),
        "distance" => JointKind::Distance,
        "gear" => gear(reader, earlier, log)?,
        _ => return None,
    })
}

fn gear(reader: &Reader<'_>, earlier: &[String], log: &mut Log<'_>) -> Option<JointKind> {
    if !reader.has("joints") {
        reader.error(log, "joints", "`joints` is missing", "give the names of two earlier joints");
    }
    let mut found = Vec::new();
    for (name, place) in reader.texts("joints") {
        let index = earlier.iter().position(|n| n == name);
        if index.is_none() {
            let known: Vec<&str> = earlier.iter().map(String::as_str).collect();
            let message = format!("`joints` names no earlier joint: `{name}`");
            let remedy = suggest::remedy(name, &known, "earlier joints");
            log.error(place, &reader.subject, "joints", message, remedy);
        }
        found.extend(index.map(JointId::new));
    }
    let &[a, b] = found.as_slice() else { return None };
    Some(JointKind::Gear { joints: [a, b], ratio: reader.number("ratio").unwrap_or(1.0) })
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

/// Whether a kind has more than one free direction whatever is given.
fn several(kind: JointKind) -> bool {
    use JointKind as K;
    matches!(kind, K::Cylindrical | K::Spherical | K::Planar | K::Universal)
}

/// Whether every key that only some types have goes with this one.
fn belongs(reader: &Reader<'_>, kind: JointKind, log: &mut Log<'_>) -> bool {
    use JointKind as K;
    let gear = matches!(kind, K::Gear { .. });
    let cases = [
        ("dof", matches!(kind, K::Generic(_)), "only generic joints have it"),
        ("joints", gear, "only gears have it"),
        ("ratio", gear, "only gears have it"),
        ("bodies", !gear, "a gear has those of its joints"),
        ("anchor_b", kind == K::Distance, "only distance joints have it"),
        (
            "start",
            !gear && !matches!(kind, K::Fixed | K::Distance | K::Spherical),
            "fixed, spherical and distance joints and gears have none",
        ),
        (
            "limits",
            !gear && !matches!(kind, K::Fixed | K::Generic(_)),
            "a fixed joint and a gear have none; a generic joint has `dof`",
        ),
        (
            "armature",
            !matches!(kind, K::Fixed | K::Distance | K::Gear { .. }) && !several(kind),
            "only joints with one free direction have it",
        ),
        (
            "motor",
            !gear && !matches!(kind, K::Fixed | K::Spherical | K::Distance),
            "fixed, spherical and distance joints and gears have none",
        ),
    ];
    let mut fits = true;
    for (key, allowed, remedy) in cases {
        if reader.has(key) && !allowed {
            let message = format!("`{key}` does not belong to a {} joint", kind.name());
            reader.error(log, key, message, remedy);
            fits = false;
        }
    }
    fits
}

/// Whether the keys that this type needs are there.
fn required(reader: &Reader<'_>, kind: JointKind, log: &mut Log<'_>) -> bool {
    use JointKind as K;
    let numbers = reader.world.numbers();
    let turns_in_plane = kind == K::Revolute && reader.world == World::Plane;
    let axis = match kind {
        K::Revolute | K::Prismatic => !turns_in_plane,
        K::Cylindrical | K::Planar | K::Universal => true,
        _ => false,
    };
    let anchor = !matches!(kind, K::Fixed | K::Gear { .. });
    let mut given = true;
    let cases = [
        ("axis", axis, format!("give {numbers} numbers, not all zero")),
        ("anchor", anchor, format!("give {numbers} numbers")),
    ];
    for (key, needed, remedy) in cases {
        if needed && !reader.has(key) {
            reader.error(log, key, format!("`{key}` is missing"), remedy);
            given = false;
        }
    }
    given
}
