//! `[[force]]`.

use super::{Field, Kind, REQUIRED, Range, Section, field};

pub(crate) const FORCE: Section = Section {
    title: "a force element",
    doc: "A spring, a damper, a bushing or the compensation of a weight. It is part of the model: \
          integrators evaluate it at their own stages, and take it implicitly where it is stiff. \
          Anchors are given in the world, at the initial pose.",
    fields: FIELDS,
};

const FIELDS: &[Field] = &[
    field("name", Kind::Text, "", "\"force-1\", \"force-2\", ...", "unique name"),
    field("type", Kind::Choice(types), "", REQUIRED, "kind of force element, see below"),
    field(
        "bodies",
        Kind::TwoNames,
        "",
        "",
        "of a spring or a bushing: names of the two bodies; one may be `world`",
    ),
    field(
        "joint",
        Kind::Text,
        "",
        "",
        "of a joint spring: name of the joint, which may be imported",
    ),
    field("body", Kind::Text, "", "", "of a gravity compensation: name of the body"),
    field(
        "anchor",
        Kind::Vector(Range::Any),
        "m",
        "its centre of mass",
        "of a spring: its end on the first body; of a bushing its place on both",
    ),
    field(
        "anchor_b",
        Kind::Vector(Range::Any),
        "m",
        "its centre of mass",
        "of a spring: its end on the second body",
    ),
    field(
        "rest_length",
        Kind::Number(Range::NotNegative),
        "m",
        "that at the start",
        "of a spring: length without force",
    ),
    field(
        "position",
        Kind::Number(Range::Any),
        "rad or m",
        "0.0",
        "of a joint spring: position without force",
    ),
    field(
        "stiffness",
        Kind::Gains,
        "N/m or N m/rad",
        "0.0",
        "force per length or angle; of a bushing along x, y, z and about x, y, z (2D: x, y and \
         about z)",
    ),
    field("damping", Kind::Gains, "N s/m or N m s/rad", "0.0", "force per rate, likewise"),
    field(
        "part",
        Kind::Number(Range::Any),
        "",
        "1.0",
        "of a gravity compensation: how much of the weight is taken off",
    ),
];

/// Types of force elements and what they do.
pub(crate) const FORCE_TYPES: &[(&str, &str)] = &[
    ("spring", "a spring and a damper along the line between two points"),
    ("joint-spring", "a spring and a damper on the first coordinate of a joint"),
    ("bushing", "springs and dampers along and about three axes"),
    ("gravity-compensation", "a force against the weight of a body"),
];

fn types() -> Vec<&'static str> {
    FORCE_TYPES.iter().map(|t| t.0).collect()
}
