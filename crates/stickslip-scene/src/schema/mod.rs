//! The one list of keys that a scene file may hold: what each must be, its unit, its default and
//! what it means. It drives the checks and the reference page alike.

mod body;
mod camera;
mod force;
mod joint;
mod kind;
mod shape;
mod simulation;

pub(crate) use body::{BODY, IMPORT, PAIR, PART};
pub(crate) use camera::CAMERA;
pub(crate) use force::{FORCE, FORCE_TYPES};
pub(crate) use joint::{DOF, DRIVEN, JOINT, JOINT_TYPES, MOTOR};
pub(crate) use kind::{Kind, Range, color};
pub(crate) use shape::{SHAPES, ShapeSchema, Worlds};
pub(crate) use simulation::{SIMULATION, SOLVER};

/// One key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub key: &'static str,
    pub kind: Kind,
    /// Unit, empty for none.
    pub unit: &'static str,
    /// Default as it would be written, empty for none; [`REQUIRED`] if it must be given.
    pub default: &'static str,
    /// What it means.
    pub doc: &'static str,
}

/// In place of a default: the key must be given.
pub(crate) const REQUIRED: &str = "(required)";

/// In place of a default: the engine's own, see [`Field::default_text`].
pub(crate) const FROM_ENGINE: &str = "(engine)";

impl Field {
    /// The default as it would be written; empty for none.
    pub fn default_text(&self) -> String {
        let engine = stickslip::Settings::default();
        match (self.default, self.key) {
            (FROM_ENGINE, "formulation") => format!("{:?}", engine.formulation),
            (FROM_ENGINE, "solver") => format!("{:?}", engine.solver),
            (FROM_ENGINE, "detector") => format!("{:?}", engine.detector),
            (text, _) => text.into(),
        }
    }

    pub fn required(&self) -> bool {
        self.default == REQUIRED
    }
}

/// One kind of table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    /// What messages call such a table, such as "a box" or "[simulation]".
    pub title: &'static str,
    pub doc: &'static str,
    pub fields: &'static [Field],
}

const fn field(
    key: &'static str,
    kind: Kind,
    unit: &'static str,
    default: &'static str,
    doc: &'static str,
) -> Field {
    Field { key, kind, unit, default, doc }
}

/// The keys of the file itself.
pub(crate) const TOP: Section = Section {
    title: "a scene",
    doc: "",
    fields: &[
        field("description", Kind::Text, "", "", "what happens, in one line; the viewer shows it"),
        field("simulation", Kind::Table, "", "", "how to simulate"),
        field("camera", Kind::Table, "", "", "where pictures are taken from"),
        field("solver", Kind::Table, "", "", "settings of the solver"),
        field("body", Kind::Tables, "", "", "a body; the entry is repeated for each"),
        field("joint", Kind::Tables, "", "", "a joint between two bodies"),
        field("force", Kind::Tables, "", "", "a spring, a bushing or another force element"),
        field("motor", Kind::Tables, "", "", "what drives a joint that is named, or imported"),
        field("pair", Kind::Tables, "", "", "friction, restitution and mortar of two named bodies"),
        field("import", Kind::Tables, "", "", "bodies and joints from another file"),
    ],
};

/// Keys of `[simulation]` that once had another spelling, the old one first. They still load, with a
/// warning.
pub(crate) const RESPELLED: &[(&str, &str)] = &[("stabilisation", "stabilization")];

/// The present spelling of a key of `[simulation]`, if that one is an old one.
pub(crate) fn respelled(key: &str) -> Option<&'static str> {
    RESPELLED.iter().find(|(old, _)| *old == key).map(|(_, new)| *new)
}

/// Whether a world has two dimensions or three, as far as the file is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum World {
    Plane,
    Space,
}

impl World {
    /// Numbers in a vector.
    pub fn numbers(self) -> usize {
        match self {
            Self::Plane => 2,
            Self::Space => 3,
        }
    }

    /// For messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plane => "2D",
            Self::Space => "3D",
        }
    }
}
