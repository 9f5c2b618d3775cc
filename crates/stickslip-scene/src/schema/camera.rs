//! `[camera]`.

use super::{Field, Kind, Range, Section, field};

pub(crate) const CAMERA: Section = Section {
    title: "[camera]",
    doc: "Where pictures are taken from. What is left open is chosen such that the whole motion is \
          in the picture.",
    fields: FIELDS,
};

const FIELDS: &[Field] = &[
    field("position", Kind::Numbers(3, Range::Any), "m", "", "where the camera is; 3D only"),
    field("target", Kind::Vector(Range::Any), "m", "", "what is in the middle of the picture"),
    field("fov", Kind::Number(Range::Positive), "degrees", "", "vertical field of view; 3D only"),
    field("height", Kind::Number(Range::Positive), "m", "", "height of the picture; 2D only"),
    field("follow", Kind::Text, "", "", "name of a body with which the camera moves"),
];
