//! `[camera]`.

use stickslip::{Dimension, model::Camera};

use super::{pose::vector, reader::Unchecked};
use crate::{
    diagnostic::{Log, Subject},
    names::Names,
    node::{Node, Table},
    schema::{CAMERA, World},
};

/// Reads the table, which may be absent.
pub(crate) fn read(top: &Table, names: &Names, world: World, log: &mut Log<'_>) -> Option<Camera> {
    let node: &Node = top.get("camera")?;
    let table = Unchecked::new(node, Subject::new("[camera]", "camera"), world)?;
    let reader = table.check(&CAMERA, &[], log);
    let follow = reader.node("follow").and_then(|node| {
        let name = node.text()?;
        names.find(name, (&node.place, &reader.subject, "follow"), log)?;
        Some(name.to_owned())
    });
    let position = reader.numbers("position").and_then(|x| <[f64; 3]>::try_from(x).ok());
    let camera = Camera {
        position,
        target: vector(&reader, "target").map(|x| x.to_array()),
        fov: reader.number("fov"),
        height: reader.number("height"),
        follow,
    };
    let dimension = match world {
        World::Plane => Dimension::Two,
        World::Space => Dimension::Three,
    };
    if let Err((key, reason)) = camera.check(dimension) {
        reader.error(log, key, format!("`{key}`: {reason}"), "");
    }
    Some(camera)
}
