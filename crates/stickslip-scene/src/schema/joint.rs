//! `[[joint]]`.

use super::{Field, Kind, REQUIRED, Range, Section, field};

pub(crate) const JOINT: Section = Section {
    title: "a joint",
    doc: "A joint between two bodies; `world` is a body that never moves. Joints are checked, \
          but not simulated yet: a scene with a joint is refused.",
    fields: FIELDS,
};

const FIELDS: &[Field] = &[
    field("name", Kind::Text, "", "\"joint-1\", \"joint-2\", ...", "unique name"),
    field(
        "type",
        Kind::Choice(types),
        "",
        REQUIRED,
        "kind of joint; in 2D fixed, revolute or prismatic",
    ),
    field("bodies", Kind::TwoNames, "", REQUIRED, "names of the two bodies"),
    field(
        "anchor",
        Kind::Vector(Range::Any),
        "m",
        REQUIRED,
        "a point of the joint, world, at the initial pose",
    ),
    field(
        "axis",
        Kind::Direction,
        "",
        "",
        "axis of a revolute, prismatic, cylindrical or generic joint, normal of a planar one; world, at the initial pose",
    ),
    field(
        "limits",
        Kind::Numbers(2, Range::Any),
        "rad or m",
        "none",
        "lowest and highest position of a revolute or prismatic joint",
    ),
    field(
        "friction",
        Kind::Number(Range::NotNegative),
        "N or N m",
        "0.0",
        "largest friction force or torque along the free direction",
    ),
    field("motor", Kind::Table, "", "none", "drives a revolute or prismatic joint, see below"),
    field("dof", Kind::Table, "", "", "of a generic joint: what each direction may do, see below"),
    field(
        "collide_jointed",
        Kind::Flag,
        "",
        "false",
        "whether the two bodies can touch each other",
    ),
];

pub(crate) const MOTOR: Section = Section {
    title: "a motor",
    doc: "Either a velocity or a position is the target.",
    fields: &[
        field("target_velocity", Kind::Number(Range::Any), "rad/s or m/s", "", "velocity to keep"),
        field("target_position", Kind::Number(Range::Any), "rad or m", "", "position to go to"),
        field(
            "stiffness",
            Kind::Number(Range::NotNegative),
            "N m/rad or N/m",
            "",
            "with `target_position`: force per error",
        ),
        field(
            "damping",
            Kind::Number(Range::NotNegative),
            "N m s/rad or N s/m",
            "0.0",
            "with `target_position`: force per velocity",
        ),
        field(
            "max_force",
            Kind::Number(Range::Positive),
            "N m or N",
            "no limit",
            "largest force or torque",
        ),
    ],
};

const FREEDOM: &str = "\"free\", \"locked\" or its limits";

pub(crate) const DOF: Section = Section {
    title: "the directions of a generic joint",
    doc: "Each is \"free\", \"locked\" or a list of two limits. The z axis of the joint is `axis`.",
    fields: &[
        field("x", Kind::Freedom, "m", "\"locked\"", FREEDOM),
        field("y", Kind::Freedom, "m", "\"locked\"", FREEDOM),
        field("z", Kind::Freedom, "m", "\"locked\"", FREEDOM),
        field("rx", Kind::Freedom, "rad", "\"locked\"", FREEDOM),
        field("ry", Kind::Freedom, "rad", "\"locked\"", FREEDOM),
        field("rz", Kind::Freedom, "rad", "\"locked\"", FREEDOM),
    ],
};

fn types() -> Vec<&'static str> {
    vec!["fixed", "revolute", "prismatic", "cylindrical", "spherical", "planar", "generic"]
}
