//! `[[force]]`.

use stickslip::{BodyId, ForceInit, model::ForceKind};

use super::{
    joint::ends,
    motor::find_joint,
    pose::vector,
    reader::{Described, Reader, Unchecked, numbers},
};
use crate::{
    diagnostic::Log,
    names::Names,
    node::Node,
    schema::{FORCE, World},
    suggest,
};

/// Reads all force elements; those with something wrong are left out. `joints` are the names of all
/// joints in their order.
pub(crate) fn read(
    list: &[Node],
    names: &Names,
    joints: &[String],
    world: World,
    log: &mut Log<'_>,
) -> Vec<Described<ForceInit>> {
    let mut found = Vec::new();
    for (k, node) in list.iter().enumerate() {
        let Some((name, table)) = Unchecked::named(node, "force", k, world) else { continue };
        let reader = table.check(&FORCE, &[], log);
        if let Some(init) = force(&reader, names, joints, log) {
            let (init, place) = (init.named(&name), reader.place.clone());
            found.push(Described { init, subject: reader.subject, place });
        }
    }
    found
}

fn force(
    reader: &Reader<'_>,
    names: &Names,
    joints: &[String],
    log: &mut Log<'_>,
) -> Option<ForceInit> {
    let kind = reader.text("type")?;
    if !belongs(reader, kind, log) {
        return None;
    }
    let (k, d) = (gains(reader, "stiffness", kind, log)?, gains(reader, "damping", kind, log)?);
    let mut init = match kind {
        "spring" => {
            let [a, b] = ends(reader, names, log)?;
            let rest_length = reader.number("rest_length").unwrap_or(f64::NAN);
            let kind = ForceKind::Spring { rest_length, stiffness: k[0], damping: d[0] };
            ForceInit::new(kind, a, b)
        }
        "bushing" => {
            let [a, b] = ends(reader, names, log)?;
            ForceInit::bushing(a, b, k, d)
        }
        "joint-spring" => {
            let name = needed(reader, "joint", log)?;
            let at = reader.place_of("joint");
            let joint = find_joint(name, joints, (&at, &reader.subject), log)?;
            let position = reader.number("position").unwrap_or(0.0);
            ForceInit::joint_spring(joint, position, k[0]).damping(d[0])
        }
        _ => {
            let name = needed(reader, "body", log)?;
            let at = reader.place_of("body");
            let body = names.find(name, (&at, &reader.subject, "body"), log)?;
            let part = reader.number("part").unwrap_or(1.0);
            ForceInit::gravity_compensation(BodyId::new(body), part)
        }
    };
    init.anchors = [vector(reader, "anchor"), vector(reader, "anchor_b")];
    if kind == "bushing" {
        let place = init.anchors[0];
        init.anchors[1] = place;
        if place.is_none() {
            reader.error(log, "anchor", "`anchor` is missing", "say where the bushing is");
            return None;
        }
    }
    Some(init)
}

fn needed<'a>(reader: &Reader<'a>, key: &str, log: &mut Log<'_>) -> Option<&'a str> {
    if !reader.has(key) {
        reader.error(log, key, format!("`{key}` is missing"), "give a name");
    }
    reader.text(key)
}

/// One number for each direction: that of a spring, or the six of a bushing.
fn gains(reader: &Reader<'_>, key: &str, kind: &str, log: &mut Log<'_>) -> Option<[f64; 6]> {
    let Some(node) = reader.node(key) else { return Some([0.0; 6]) };
    match (numbers(node).as_deref(), node.number()) {
        (Some(&[x, y, turn]), _) if kind == "bushing" => Some([x, y, 0.0, 0.0, 0.0, turn]),
        (Some(list), _) if kind == "bushing" => <[f64; 6]>::try_from(list).ok(),
        (_, Some(all)) => Some([all; 6]),
        _ => {
            reader.error(log, key, format!("`{key}` of a {kind} is one number"), "give one number");
            None
        }
    }
}

/// Whether every key goes with the type.
fn belongs(reader: &Reader<'_>, kind: &str, log: &mut Log<'_>) -> bool {
    let between = ["spring", "bushing"];
    let springs = ["spring", "bushing", "joint-spring"];
    let cases: [(&str, &[&str]); 9] = [
        ("bodies", &between),
        ("anchor", &between),
        ("anchor_b", &["spring"]),
        ("rest_length", &["spring"]),
        ("joint", &["joint-spring"]),
        ("position", &["joint-spring"]),
        ("body", &["gravity-compensation"]),
        ("part", &["gravity-compensation"]),
        ("stiffness", &springs),
    ];
    let mut fits = true;
    for (key, kinds) in cases {
        if reader.has(key) && !kinds.contains(&kind) {
            let message = format!("`{key}` does not belong to a {kind}");
            reader.error(log, key, message, format!("only {} has it", suggest::list(kinds)));
            fits = false;
        }
    }
    fits
}
