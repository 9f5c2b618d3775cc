//! `shape = { type = "...", ... }`.

use super::{Field, Kind, REQUIRED, Range, Section, field};

/// Most sides of a cylinder, cone or regular polygon: more is a circle to every purpose.
const MAX_SIDES: i64 = 10_000;

/// In which worlds a shape lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Worlds {
    Plane,
    Space,
    Both,
}

/// One type of shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeSchema {
    pub name: &'static str,
    pub worlds: Worlds,
    pub section: Section,
}

const fn shape(
    name: &'static str,
    worlds: Worlds,
    title: &'static str,
    doc: &'static str,
    fields: &'static [Field],
) -> ShapeSchema {
    ShapeSchema { name, worlds, section: Section { title, doc, fields } }
}

const RADIUS: Field = field("radius", Kind::Number(Range::Size), "m", REQUIRED, "radius");
const HEIGHT: Field =
    field("height", Kind::Number(Range::Size), "m", REQUIRED, "height along its z axis");
const EDGE: Field = field("size", Kind::Number(Range::Size), "m", "1.0", "length of an edge");
const SIDES: Field = field(
    "sides",
    Kind::Whole(0, MAX_SIDES),
    "",
    "0",
    "3 or more: a polytope with that many sides, its corners on the circle; 0: smooth",
);
const NORMAL: Field =
    field("normal", Kind::Direction, "", "z, or y in 2D", "points out of the solid half");
const SIZE: Field = field("size", Kind::Vector(Range::Size), "m", REQUIRED, "edges");

/// All shapes.
pub(crate) const SHAPES: &[ShapeSchema] = &[
    shape("box", Worlds::Space, "a box", "A cuboid.", &[SIZE]),
    shape("sphere", Worlds::Space, "a sphere", "A ball.", &[RADIUS]),
    shape("cylinder", Worlds::Space, "a cylinder", "Along z.", &[RADIUS, HEIGHT, SIDES]),
    shape("cone", Worlds::Space, "a cone", "Along z, apex up.", &[RADIUS, HEIGHT, SIDES]),
    shape(
        "capsule",
        Worlds::Space,
        "a capsule",
        "A cylinder along z, `height` long, with a half-ball on either end.",
        &[RADIUS, HEIGHT],
    ),
    shape(
        "tube",
        Worlds::Space,
        "a tube",
        "A cylinder along z with a coaxial hole right through it, both smooth.",
        &[
            field("inner_radius", Kind::Number(Range::Size), "m", REQUIRED, "radius of the hole"),
            field(
                "outer_radius",
                Kind::Number(Range::Size),
                "m",
                REQUIRED,
                "radius of the outside",
            ),
            HEIGHT,
        ],
    ),
    shape(
        "bored-box",
        Worlds::Space,
        "a bored box",
        "A box with a smooth round hole right through its middle, along z.",
        &[SIZE, field("radius", Kind::Number(Range::Size), "m", REQUIRED, "radius of the hole")],
    ),
    shape(
        "plane",
        Worlds::Space,
        "a plane",
        "The half-space behind the plane through the body's position; never dynamic.",
        &[NORMAL],
    ),
    shape("tetrahedron", Worlds::Space, "a tetrahedron", "Regular.", &[EDGE]),
    shape("octahedron", Worlds::Space, "an octahedron", "Regular.", &[EDGE]),
    shape("dodecahedron", Worlds::Space, "a dodecahedron", "Regular.", &[EDGE]),
    shape("icosahedron", Worlds::Space, "an icosahedron", "Regular.", &[EDGE]),
    shape(
        "convex",
        Worlds::Space,
        "a convex hull",
        "The convex hull of points.",
        &[field("points", Kind::Points(4), "m", REQUIRED, "at least 4, not all in one plane")],
    ),
    shape(
        "mesh",
        Worlds::Space,
        "a mesh",
        "A triangle mesh from a file. A dynamic body needs a closed one: one that is not \
         convex is cut into convex parts that fill it exactly. A static or kinematic one may be any surface.",
        &[
            field(
                "file",
                Kind::Text,
                "",
                REQUIRED,
                ".obj, .stl, .ply, .off, .dae, .glb, .gltf, .msh or .poly, relative to the scene file",
            ),
            field("scale", Kind::Scale, "", "1.0", "factor, or one for each axis"),
            field(
                "decompose",
                Kind::Flag,
                "",
                "false",
                "split a mesh that is not convex into convex parts for a static body too, and approximately \
                 (with a warning that says by how much) where exact parts are too many",
            ),
        ],
    ),
    shape(
        "heightfield",
        Worlds::Space,
        "a heightfield",
        "A surface over a rectangle around the origin; never dynamic.",
        &[
            field(
                "heights",
                Kind::Grid,
                "m",
                REQUIRED,
                "rows from low y to high y, each from low x to high x",
            ),
            field("size", Kind::Numbers(2, Range::Size), "m", REQUIRED, "extent along x and y"),
        ],
    ),
    shape(
        "polygon",
        Worlds::Plane,
        "a polygon",
        "A simple polygon, convex or not, in either direction.",
        &[field("points", Kind::Points(3), "m", REQUIRED, "its corners in order")],
    ),
    shape("rectangle", Worlds::Plane, "a rectangle", "", &[SIZE]),
    shape(
        "regular",
        Worlds::Plane,
        "a regular polygon",
        "Its corners are on the circle, the first at +x.",
        &[RADIUS, field("sides", Kind::Whole(3, MAX_SIDES), "", REQUIRED, "number of sides")],
    ),
    shape("disc", Worlds::Plane, "a disc", "", &[RADIUS]),
    shape(
        "half-plane",
        Worlds::Plane,
        "a half-plane",
        "The half of the plane behind the line through the body's position; never dynamic.",
        &[NORMAL],
    ),
    shape(
        "compound",
        Worlds::Both,
        "a compound",
        "Several shapes as one body; overlapping parts count twice in mass.",
        &[field(
            "parts",
            Kind::Tables,
            "",
            REQUIRED,
            "shapes, each with `type`, its keys, `position` and `orientation`",
        )],
    ),
];
