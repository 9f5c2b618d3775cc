//! `[[joint]]`.

use super::{Field, Kind, REQUIRED, Range, Section, field};

pub(crate) const JOINT: Section = Section {
    title: "a joint",
    doc: "A joint between two bodies; `world` is a body that never moves. Anchor and axes are \
          given in the world, at the initial pose; positions of the joint are zero there unless \
          `start` says otherwise.",
    fields: FIELDS,
};

const FIELDS: &[Field] = &[
    field("name", Kind::Text, "", "\"joint-1\", \"joint-2\", ...", "unique name"),
    field("type", Kind::Choice(types), "", REQUIRED, "kind of joint, see below"),
    field(
        "bodies",
        Kind::TwoNames,
        "",
        "",
        "names of the two bodies, one of them dynamic; every type but gear needs it",
    ),
    field(
        "anchor",
        Kind::Vector(Range::Any),
        "m",
        "zero for a fixed joint",
        "a point of the joint; of a distance joint its end on the first body",
    ),
    field(
        "anchor_b",
        Kind::Vector(Range::Any),
        "m",
        "its centre of mass",
        "of a distance joint: its end on the second body",
    ),
    field(
        "axis",
        Kind::Direction,
        "",
        "z for a generic joint",
        "axis of a revolute, prismatic, cylindrical, universal or generic joint, normal of a \
         planar one",
    ),
    field(
        "axis2",
        Kind::Direction,
        "",
        "any",
        "second axis of a universal joint, which stays with the second body; x axis of others",
    ),
    field(
        "limits",
        Kind::Numbers(2, Range::Any),
        "rad or m",
        "none",
        "lowest and highest position; of a distance joint the distance, of a spherical one the \
         second is the largest tilt",
    ),
    field(
        "start",
        Kind::Number(Range::Any),
        "rad or m",
        "0.0",
        "position at the initial pose, from which limits and motors count",
    ),
    field(
        "friction",
        Kind::Number(Range::NotNegative),
        "N or N m",
        "0.0",
        "largest friction force or torque along each free direction",
    ),
    field(
        "damping",
        Kind::Number(Range::NotNegative),
        "N m s/rad or N s/m",
        "0.0",
        "of the joint itself along its first direction; a position motor comes on top of it",
    ),
    field(
        "armature",
        Kind::Number(Range::NotNegative),
        "kg m² or kg",
        "0.0",
        "inertia that turns with its one free direction, as a geared rotor does",
    ),
    field("motor", Kind::Table, "", "none", "drives the first free direction, see below"),
    field("dof", Kind::Table, "", "", "of a generic joint: what each direction may do, see below"),
    field("joints", Kind::TwoNames, "", "", "of a gear: the names of two earlier joints"),
    field(
        "ratio",
        Kind::Number(Range::Any),
        "",
        "1.0",
        "of a gear: the position of the first plus ratio times that of the second stays",
    ),
    field(
        "collide_jointed",
        Kind::Flag,
        "",
        "false",
        "whether the two bodies can touch each other",
    ),
];

/// Types of joints and what they let move.
pub(crate) const JOINT_TYPES: &[(&str, &str)] = &[
    ("fixed", "nothing"),
    ("revolute", "turning about the axis (2D: about the anchor)"),
    ("prismatic", "sliding along the axis"),
    ("cylindrical", "turning about the axis and sliding along it (3D)"),
    ("spherical", "turning about every axis (3D)"),
    ("planar", "sliding across the axis and turning about it (3D)"),
    ("universal", "turning about two axes, one on each body (3D)"),
    ("generic", "what `dof` says"),
    ("distance", "everything, but the two ends keep their distance"),
    ("gear", "everything, but the positions of two joints are coupled"),
];

fn types() -> Vec<&'static str> {
    JOINT_TYPES.iter().map(|t| t.0).collect()
}

pub(crate) const MOTOR: Section = Section {
    title: "a motor",
    doc: "Either a velocity or a position is the target. Points `[[time, target], ...]` in place of \
          one number make the target move; before the first and after the last it stays. A \
          position motor on such a path adds the pull of its damper at the speed of the path: PD \
          control.",
    fields: MOTOR_FIELDS,
};

const MOTOR_FIELDS: &[Field] = &[
    field("target_velocity", Kind::Aim, "rad/s or m/s", "", "velocity to keep"),
    field("target_position", Kind::Aim, "rad or m", "", "position to go to"),
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
        Kind::Number(Range::Bound),
        "N m or N",
        "that of the joint in a robot's file, else no limit",
        "largest force or torque; `inf` has no limit",
    ),
    field(
        "blend",
        Kind::Choice(blends),
        "",
        "\"smooth\"",
        "between points: \"smooth\" rests at each of them, \"linear\" goes at constant speed",
    ),
];

fn blends() -> Vec<&'static str> {
    vec!["smooth", "linear"]
}

/// What a `[[motor]]` has beyond the keys of a motor.
pub(crate) const DRIVEN: &[Field] =
    &[field("joint", Kind::Text, "", REQUIRED, "name of the joint, which may be imported")];

const FREEDOM: &str = "\"free\", \"locked\" or its limits";

pub(crate) const DOF: Section = Section {
    title: "the directions of a generic joint",
    doc: "Each is \"free\", \"locked\" or a list of two limits. The z axis of the joint is `axis`. \
          In 2D only x, y and rz count.",
    fields: &[
        field("x", Kind::Freedom, "m", "\"locked\"", FREEDOM),
        field("y", Kind::Freedom, "m", "\"locked\"", FREEDOM),
        field("z", Kind::Freedom, "m", "\"locked\"", FREEDOM),
        field("rx", Kind::Freedom, "rad", "\"locked\"", FREEDOM),
        field("ry", Kind::Freedom, "rad", "\"locked\"", FREEDOM),
        field("rz", Kind::Freedom, "rad", "\"locked\"", FREEDOM),
    ],
};
