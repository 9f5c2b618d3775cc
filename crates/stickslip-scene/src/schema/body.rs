//! `[[body]]`, `[[pair]]`, `[[import]]`, and the parts of a compound.

use super::{Field, Kind, REQUIRED, Range, Section, field};

const ORIENTATION: &str = "in 3D { axis = [x, y, z], angle = a }, { quaternion = [w, x, y, z] } \
     or { euler = [roll, pitch, yaw] } (about the fixed axes x, then y, then z); in 2D the angle";

pub(crate) const BODY: Section = Section {
    title: "a body",
    doc: "One rigid body. Its position is that of its centre of mass, whatever the frame its \
          shape was given in.",
    fields: BODY_FIELDS,
};

const BODY_FIELDS: &[Field] = &[
    field(
        "name",
        Kind::Text,
        "",
        "\"body-1\", \"body-2\", ...",
        "unique name; `world` is reserved",
    ),
    field(
        "shape",
        Kind::Table,
        "",
        REQUIRED,
        "geometry: `type` and the keys of that shape, see below",
    ),
    field("position", Kind::Vector(Range::Any), "m", "zero", "centre of mass"),
    field("orientation", Kind::Orientation, "rad", "not turned", ORIENTATION),
    field("velocity", Kind::Vector(Range::Any), "m/s", "zero", "of the centre of mass"),
    field("angular_velocity", Kind::Spin, "rad/s", "zero", "world axes"),
    field("mass", Kind::Number(Range::Positive), "kg", "1.0", "mass; or give `density`"),
    field(
        "density",
        Kind::Number(Range::Positive),
        "kg/m^3 (2D: kg/m^2)",
        "",
        "in place of `mass`",
    ),
    field(
        "inertia",
        Kind::Inertia,
        "kg m^2",
        "of the shape, exactly",
        "about the centre of mass, body axes: 3 principal moments or 3 rows of 3; in 2D one number",
    ),
    field(
        "friction",
        Kind::Number(Range::NotNegative),
        "",
        "0.5",
        "coefficient of Coulomb friction",
    ),
    field("restitution", Kind::Number(Range::Unit), "", "0.0", "coefficient of restitution"),
    field(
        "rolling_friction",
        Kind::Number(Range::NotNegative),
        "m",
        "0.0",
        "torque against rolling, over the normal force: at most `rolling_friction` times that; of two \
         bodies the larger holds",
    ),
    field(
        "torsional_friction",
        Kind::Number(Range::NotNegative),
        "m",
        "0.0",
        "the same against spinning about the normal (3D)",
    ),
    field("static", Kind::Flag, "", "false", "never moves"),
    field("kinematic", Kind::Flag, "", "false", "moves with its own velocity whatever touches it"),
    field("collides", Kind::Flag, "", "true", "whether it can touch anything"),
    field("ignore", Kind::Names, "", "[]", "names of bodies that pass through this one"),
    field("force", Kind::Vector(Range::Any), "N", "zero", "constant external force, world axes"),
    field("torque", Kind::Spin, "N m", "zero", "constant external torque, world axes"),
    field("color", Kind::Color, "", "chosen by the viewer", "\"#rrggbb\" or \"#rgb\""),
    field("visible", Kind::Flag, "", "true", "whether the viewer draws it"),
];

pub(crate) const PAIR: Section = Section {
    title: "a pair",
    doc: "What holds between two bodies in place of what their own coefficients combine to.",
    fields: &[
        field("bodies", Kind::TwoNames, "", REQUIRED, "the two names"),
        field("friction", Kind::Number(Range::NotNegative), "", "", "friction of the pair"),
        field("restitution", Kind::Number(Range::Unit), "", "", "restitution of the pair"),
        field(
            "rolling_friction",
            Kind::Number(Range::NotNegative),
            "m",
            "",
            "rolling friction of the pair",
        ),
        field(
            "torsional_friction",
            Kind::Number(Range::NotNegative),
            "m",
            "",
            "torsional friction of the pair",
        ),
        field(
            "tensile_strength",
            Kind::Number(Range::NotNegative),
            "Pa (2D: N/m)",
            "",
            "mortar where the two touch at time zero: it holds tension up to this and slides at \
             friction times (pressure + strength); once open it is broken",
        ),
        field(
            "crack_opening",
            Kind::Number(Range::NotNegative),
            "m",
            "1e-5",
            "how far the surfaces of the mortar may part or slide until it is broken",
        ),
    ],
};

pub(crate) const IMPORT: Section = Section {
    title: "an import",
    doc: "A robot described in URDF or MJCF (3D): its links become bodies, its joints joints, by their \
          names in the file. Other entries may name them: a [[motor]] drives a joint of the robot, \
          a [[joint]] holds something to one of its links.",
    fields: &[
        field(
            "file",
            Kind::Text,
            "",
            REQUIRED,
            "path of a .urdf file or of an MJCF file (.xml), relative to the scene file",
        ),
        field("position", Kind::Vector(Range::Any), "m", "zero", "where its root link goes"),
        field("orientation", Kind::Orientation, "rad", "not turned", ORIENTATION),
        field("prefix", Kind::Text, "", "none", "before every name, such as \"left/\""),
        field(
            "base",
            Kind::Choice(|| vec!["fixed", "floating"]),
            "",
            "as the file says",
            "whether the root link stands still or floats; without it a root named `world` stands, \
             and one that has no mass and is held to no mass by fixed joints",
        ),
        field("fixed_base", Kind::Flag, "", "as `base`", "the same: `base = \"fixed\"` if true"),
        field(
            "collision",
            Kind::Choice(|| vec!["hull", "decompose", "mesh", "primitives", "none"]),
            "",
            "\"hull\"",
            "what collides in place of a mesh: its convex hull; convex parts that fill it; its \
             surface where the link stands still (else parts); the box, ball, cylinder or capsule \
             of least volume; nothing",
        ),
        field(
            "hull_corners",
            Kind::Whole(0, 1_000_000),
            "",
            "64",
            "corners that a hull may have; larger ones are simplified, and by how much is told; 0 \
             keeps all",
        ),
        field(
            "strict",
            Kind::Flag,
            "",
            "false",
            "whether what is wrong in the file is an error; otherwise it is mended and told",
        ),
        field(
            "keyframe",
            Kind::Text,
            "",
            "none",
            "of an MJCF file: the keyframe to start from, by name or number from 0",
        ),
        field(
            "positions",
            Kind::NumberTable,
            "rad or m",
            "zero",
            "of joints at the start, by name",
        ),
        field("friction", Kind::Number(Range::NotNegative), "", "0.5", "of all its links"),
        field(
            "packages",
            Kind::TextTable,
            "",
            "looked for around the file",
            "folders of `package://NAME/...`, relative to the scene file",
        ),
        field(
            "cylinder_sides",
            Kind::Whole(0, 1000),
            "",
            "0",
            "sides of the prisms that cylinders become; 0 keeps them smooth",
        ),
    ],
};

/// What a part of a compound has beyond the keys of its shape.
pub(crate) const PART: &[Field] = &[
    field(
        "position",
        Kind::Vector(Range::Any),
        "m",
        "zero",
        "of the part's own frame within the compound",
    ),
    field("orientation", Kind::Orientation, "rad", "not turned", ORIENTATION),
];
