//! `[[body]]`.

use std::path::Path;

use stickslip::{
    BodyInit, Motion,
    geometry::{Mat3, Shape, Solid, Vec3},
    model::Material,
};

use super::{
    pose::{placement, point, spin, vector},
    reader::{Reader, Unchecked},
    shape::{self, ShapeContext},
};
use crate::{
    diagnostic::{Log, Subject},
    node::Node,
    place::Place,
    schema::{BODY, Kind, World, color},
};

/// A body as read, and what of it concerns others.
#[derive(Debug)]
pub(crate) struct ReadBody<'a> {
    /// Its name, given or made.
    pub name: String,
    /// `None` if something about it was wrong.
    pub init: Option<BodyInit>,
    /// Names of bodies that pass through it.
    pub ignore: Vec<(&'a str, &'a Place)>,
    pub subject: Subject,
    /// Where its table stands.
    pub place: Place,
    /// Where its name stands, or its table if it has none.
    pub name_place: Place,
    /// Where its inertia stands, or its table if it has none.
    pub inertia_place: Place,
}

/// The name that the `index`-th body (from 0) has when it is given none.
pub(crate) fn default_name(index: usize) -> String {
    format!("body-{}", index + 1)
}

/// Reads the `index`-th body.
pub(crate) fn read<'a>(
    node: &'a Node,
    index: usize,
    world: World,
    folder: Option<&Path>,
    log: &mut Log<'_>,
) -> Option<ReadBody<'a>> {
    let given = node.table()?.get("name").filter(|n| Kind::Text.check(n, world).is_ok());
    let name = given.and_then(Node::text).map_or_else(|| default_name(index), String::from);
    let subject = Subject::new(format!("body {name:?}"), format!("body.{name}"));
    let body = Unchecked::new(node, subject, world)?.check(&BODY, &[], log);
    if name == "world" {
        let remedy = "joints call the unmoving world so; choose another name";
        body.error(log, "name", "the name `world` is reserved", remedy);
    }
    let motion = motion(&body, log);
    let context = ShapeContext { folder, fixed: motion.is_some_and(|m| m != Motion::Dynamic) };
    let solid = body.inner("shape").and_then(|s| shape::read(s, context, log));
    let init = solid.and_then(|solid| init(&body, &name, &solid, motion, log));
    Some(ReadBody {
        name,
        init,
        ignore: body.texts("ignore"),
        place: body.place.clone(),
        name_place: body.place_of("name"),
        inertia_place: body.place_of("inertia"),
        subject: body.subject,
    })
}

/// What the file says about how it moves; `None` if it says nothing.
fn motion(body: &Reader<'_>, log: &mut Log<'_>) -> Option<Motion> {
    match (body.flag("static"), body.flag("kinematic")) {
        (Some(true), Some(true)) => {
            let message = "`static` and `kinematic` are both true";
            body.error(log, "kinematic", message, "a body is one or the other: remove one");
            Some(Motion::Static)
        }
        (Some(true), _) => Some(Motion::Static),
        (_, Some(true)) => Some(Motion::Kinematic),
        (None, None) => None,
        _ => Some(Motion::Dynamic),
    }
}

fn init(
    body: &Reader<'_>,
    name: &str,
    solid: &Solid,
    motion: Option<Motion>,
    log: &mut Log<'_>,
) -> Option<BodyInit> {
    let mut init = BodyInit::new(solid).named(name);
    if !measurable(solid) {
        let message = format!("`shape` has a volume of {}", solid.volume);
        body.error(log, "shape", message, "it must be above 0 and finite");
        return None;
    }
    if motion == Some(Motion::Dynamic) && !solid.is_movable() {
        let message = "a plane, half-plane or surface cannot be dynamic";
        body.error(log, "static", message, "write `static = true` or `kinematic = true`");
        return None;
    }
    init.body.motion = motion.unwrap_or(init.body.motion);
    let place = placement(body, log);
    (init.pose, init.angle) = (place.pose, place.angle);
    init.twist.linear = vector(body, "velocity").unwrap_or(Vec3::ZERO);
    init.twist.angular = spin(body, "angular_velocity").unwrap_or(Vec3::ZERO);
    init.body.force = vector(body, "force").unwrap_or(Vec3::ZERO);
    init.body.torque = spin(body, "torque").unwrap_or(Vec3::ZERO);
    init.body.material = Material {
        friction: body.number("friction").unwrap_or(init.body.material.friction),
        restitution: body.number("restitution").unwrap_or(init.body.material.restitution),
        rolling: body.number("rolling_friction").unwrap_or(0.0),
        torsional: body.number("torsional_friction").unwrap_or(0.0),
    };
    init.body.collides = body.flag("collides").unwrap_or(true);
    init.body.visible = body.flag("visible").unwrap_or(true);
    init.body.color = body.text("color").and_then(color);
    warn_useless(body, init.body.motion, log);
    mass(body, solid, init, log)
}

/// Whether volume and inertia of a bounded shape are above zero and finite: those of extreme sizes
/// are beyond the range of numbers.
fn measurable(solid: &Solid) -> bool {
    let unbounded =
        matches!(solid.shape, Shape::Surface(_)) || !solid.shape.bounding_radius().is_finite();
    unbounded
        || (solid.volume.is_normal()
            && solid.inertia.is_finite()
            && solid.inertia.z_axis.z.is_normal()
            && (1.0 / solid.volume).is_finite())
}

/// What has no effect on a body that forces do not move.
fn warn_useless(body: &Reader<'_>, motion: Motion, log: &mut Log<'_>) {
    let moves =
        |key: &str| vector(body, key).or_else(|| spin(body, key)).is_some_and(|v| v != Vec3::ZERO);
    for key in ["velocity", "angular_velocity"] {
        if motion == Motion::Static && moves(key) {
            let message = format!("`{key}` has no effect on a static body");
            body.warning(log, key, message, "use `kinematic = true` for a body that keeps moving");
        }
    }
    for key in ["force", "torque"] {
        if motion != Motion::Dynamic && moves(key) {
            let message = format!("`{key}` has no effect on a static or kinematic body");
            body.warning(log, key, message, "remove it");
        }
    }
}

/// Mass from `mass` or `density`, inertia from the shape or from `inertia`.
fn mass(body: &Reader<'_>, solid: &Solid, init: BodyInit, log: &mut Log<'_>) -> Option<BodyInit> {
    if body.has("mass") && body.has("density") {
        let message = "`mass` and `density` are both given";
        body.error(log, "density", message, "keep the one you mean");
        return None;
    }
    if !solid.is_movable() {
        return Some(init);
    }
    let mut init = match (body.number("mass"), body.number("density")) {
        (Some(mass), _) => init.mass(mass),
        (_, Some(density)) => init.mass(density * solid.volume),
        _ => init,
    };
    if let Some(inertia) = inertia(body) {
        init = init.inertia(inertia);
    }
    let finite = init.body.mass.is_finite() && init.body.inertia.is_finite();
    if !finite || init.body.mass <= 0.0 {
        let key = if body.has("density") { "density" } else { "mass" };
        let message = format!("`{key}` gives a mass of {} kg", init.body.mass);
        body.error(log, key, message, "the mass must be above 0 and finite");
        return None;
    }
    Some(init)
}

fn inertia(body: &Reader<'_>) -> Option<Mat3> {
    let node = body.node("inertia")?;
    if let Some(about_z) = node.number() {
        return Some(Mat3::from_diagonal(Vec3::splat(about_z)));
    }
    let list = node.list()?;
    let rows: Option<Vec<Vec3>> = list.iter().map(point).collect();
    match rows.as_deref() {
        // Rows of the file are columns of the transpose.
        Some(&[a, b, c]) => Some(Mat3::from_cols(a, b, c).transpose()),
        _ => point(node).map(Mat3::from_diagonal),
    }
}
