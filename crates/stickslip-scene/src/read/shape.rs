//! `shape = { type = "...", ... }`.

use stickslip::geometry::{GeometryError, Pose, Solid, Vec3};

use super::{
    mesh,
    pose::{placement, point, vector},
    reader::{Reader, Unchecked, numbers},
};
use crate::{
    diagnostic::Log,
    node::Node,
    schema::{PART, SHAPES, ShapeSchema, World, Worlds},
    suggest,
};

/// How deep compounds may nest.
const MAX_DEPTH: usize = 16;

/// Where files are looked for and what the body may do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeContext<'a> {
    /// Folder of the scene file; `None` for a scene without file.
    pub folder: Option<&'a std::path::Path>,
    /// Whether the body is said to be static or kinematic: surfaces are then possible.
    pub fixed: bool,
}

/// The solid of a body; `None` after reporting why not.
pub(crate) fn read(
    shape: Unchecked<'_>,
    context: ShapeContext<'_>,
    log: &mut Log<'_>,
) -> Option<Solid> {
    solid(shape, context, 0, log).map(|(_, solid)| solid)
}

fn solid<'a>(
    shape: Unchecked<'a>,
    context: ShapeContext<'_>,
    depth: usize,
    log: &mut Log<'_>,
) -> Option<(Reader<'a>, Solid)> {
    let schema = find(&shape, log)?;
    let also: Vec<_> = match depth {
        0 => vec![TYPE],
        _ => PART.iter().copied().chain([TYPE]).collect(),
    };
    let reader = shape.check(&schema.section, &also, log);
    let made = match schema.name {
        "compound" => return compound(&reader, context, depth, log).map(|s| (reader, s)),
        "mesh" => return mesh::read(&reader, context, log).map(|s| (reader, s)),
        name => simple(name, &reader)?,
    };
    match made {
        Ok(solid) => Some((reader, solid)),
        Err(error) => {
            report(&reader, &error, schema, log);
            None
        }
    }
}

const TYPE: crate::schema::Field = crate::schema::Field {
    key: "type",
    kind: crate::schema::Kind::Text,
    unit: "",
    default: "",
    doc: "",
};

/// The schema of the shape's type.
fn find(shape: &Unchecked<'_>, log: &mut Log<'_>) -> Option<&'static ShapeSchema> {
    let lives = |s: &ShapeSchema| match s.worlds {
        Worlds::Both => true,
        Worlds::Plane => shape.world == World::Plane,
        Worlds::Space => shape.world == World::Space,
    };
    let known: Vec<&str> = SHAPES.iter().filter(|s| lives(s)).map(|s| s.name).collect();
    let what = format!("shapes in {}", shape.world.name());
    let all = format!("{what}: {}", suggest::list(&known));
    let subject = &shape.subject;
    let Some(node) = shape.table.get("type") else {
        let message = format!("`{}` is missing", subject.local("type"));
        log.error(&shape.place, subject, "type", message, all);
        return None;
    };
    let Some(name) = node.text() else {
        let message =
            format!("`{}` must be a text, but is {}", subject.local("type"), node.describe());
        log.error(&node.place, subject, "type", message, all);
        return None;
    };
    match SHAPES.iter().find(|s| s.name == name) {
        Some(schema) if lives(schema) => Some(schema),
        Some(_) => {
            let message = format!("there is no shape `{name}` in {}", shape.world.name());
            log.error(&node.place, subject, "type", message, twin(name).unwrap_or(all));
            None
        }
        None => {
            let remedy = suggest::remedy(name, &known, &what);
            log.error(&node.place, subject, "type", format!("unknown shape `{name}`"), remedy);
            None
        }
    }
}

/// The shape of the other world that is most like this one.
fn twin(name: &str) -> Option<String> {
    let pairs = [
        ("box", "rectangle"),
        ("sphere", "disc"),
        ("plane", "half-plane"),
        ("convex", "polygon"),
        ("rectangle", "box"),
        ("disc", "sphere"),
        ("half-plane", "plane"),
        ("polygon", "convex"),
        ("regular", "cylinder"),
    ];
    let other = pairs.iter().find(|p| p.0 == name)?.1;
    let (here, there) = if matches!(other, "rectangle" | "disc" | "half-plane" | "polygon") {
        ("2D", "3")
    } else {
        ("3D", "2")
    };
    Some(format!("in {here} use `{other}`, or set `simulation.dimension = {there}`"))
}

/// Shapes that need nothing but their own numbers; `None` if one of those was wrong.
fn simple(name: &str, reader: &Reader<'_>) -> Option<Result<Solid, GeometryError>> {
    let number = |key: &str| reader.number(key);
    // A key that is absent has its default; one that is wrong has none.
    let or = |key: &str, default: f64| if reader.has(key) { number(key) } else { Some(default) };
    let sides = || if reader.has("sides") { reader.whole("sides") } else { Some(0) };
    let normal = |default: Vec3| match reader.has("normal") {
        true => vector(reader, "normal"),
        false => Some(default),
    };
    Some(match name {
        "box" => Solid::cuboid(vector(reader, "size")?),
        "sphere" => Solid::sphere(number("radius")?),
        "cylinder" => Solid::cylinder(number("radius")?, number("height")?, sides()?),
        "cone" => Solid::cone(number("radius")?, number("height")?, sides()?),
        "capsule" => Solid::capsule(number("radius")?, number("height")?),
        "tube" => Solid::tube(number("inner_radius")?, number("outer_radius")?, number("height")?),
        "bored-box" => Solid::bored_cuboid(vector(reader, "size")?, number("radius")?),
        "plane" => Solid::half_space(normal(Vec3::Z)?),
        "tetrahedron" => Solid::tetrahedron(or("size", 1.0)?),
        "octahedron" => Solid::octahedron(or("size", 1.0)?),
        "dodecahedron" => Solid::dodecahedron(or("size", 1.0)?),
        "icosahedron" => Solid::icosahedron(or("size", 1.0)?),
        "convex" => Solid::convex(&points(reader)?),
        "heightfield" => heightfield(reader)?,
        "polygon" => Solid::polygon(&points(reader)?),
        "rectangle" => vector(reader, "size").map(|s| Solid::rectangle(s.x, s.y))?,
        "regular" => Solid::regular(reader.whole("sides")?, number("radius")?),
        "disc" => Solid::disc(number("radius")?),
        "half-plane" => Solid::half_plane(normal(Vec3::Y)?),
        _ => return None,
    })
}

fn points(reader: &Reader<'_>) -> Option<Vec<Vec3>> {
    reader.node("points")?.list()?.iter().map(point).collect()
}

fn heightfield(reader: &Reader<'_>) -> Option<Result<Solid, GeometryError>> {
    let rows: Option<Vec<Vec<f64>>> = reader.node("heights")?.list()?.iter().map(numbers).collect();
    let (rows, size) = (rows?, reader.numbers("size")?);
    let columns = rows.first().map_or(0, Vec::len);
    Some(Solid::heightfield(&rows.concat(), columns, [size[0], size[1]]))
}

fn compound(
    reader: &Reader<'_>,
    context: ShapeContext<'_>,
    depth: usize,
    log: &mut Log<'_>,
) -> Option<Solid> {
    let list = reader.node("parts").and_then(Node::list)?;
    if list.is_empty() || depth >= MAX_DEPTH {
        let (message, remedy) = match list.is_empty() {
            true => ("`shape.parts` is empty".to_owned(), "give at least one part"),
            false => (format!("compounds nest deeper than {MAX_DEPTH}"), "flatten them"),
        };
        reader.error(log, "parts", message, remedy);
        return None;
    }
    let mut parts = Vec::with_capacity(list.len());
    for (k, node) in list.iter().enumerate() {
        let subject = reader.subject.within(&format!("parts[{}]", k + 1));
        let part = Unchecked::new(node, subject, reader.world)
            .and_then(|part| solid(part, context, depth + 1, log));
        if let Some((inner, solid)) = part {
            // A part's position is that of its own frame; the solid sits at its centre of mass.
            let pose = placement(&inner, log).pose;
            let center = Pose::new(pose.point(solid.center), pose.orientation);
            parts.push((center, solid));
        }
    }
    if parts.len() < list.len() {
        return None;
    }
    match Solid::compound(&parts) {
        Ok(solid) => Some(solid),
        Err(error) => {
            reader.error(log, "parts", format!("`shape.parts`: {error}"), "");
            None
        }
    }
}

/// A shape that the geometry refuses: told at the key that is to blame.
fn report(reader: &Reader<'_>, error: &GeometryError, schema: &ShapeSchema, log: &mut Log<'_>) {
    let blamed = match error {
        GeometryError::NotPositive { what, .. } | GeometryError::NoDirection { what, .. } => *what,
        GeometryError::TooFew { what, .. } | GeometryError::TooMany { what, .. } => *what,
        GeometryError::NoWall { .. } if schema.name == "tube" => "inner_radius",
        GeometryError::NoWall { .. } => "radius",
        _ => "",
    };
    let fields = schema.section.fields;
    let key = fields.iter().map(|f| f.key).find(|k| *k == blamed);
    let key = key.or_else(|| fields.first().map(|f| f.key)).unwrap_or("type");
    let message = format!("`{}`: {error}", reader.subject.local(key));
    let remedy = match error {
        GeometryError::Flat { .. } if reader.world == World::Space => {
            "give points that are not all in one plane"
        }
        GeometryError::Flat { .. } => "give points that are not all on one line",
        GeometryError::TooFew { what: "sides", .. } => "use 0 for a smooth shape, or 3 or more",
        GeometryError::SelfIntersecting { .. } => "list the corners in order along the outline",
        _ => "",
    };
    reader.error(log, key, message, remedy);
}
