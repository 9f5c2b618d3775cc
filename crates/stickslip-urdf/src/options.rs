//! How to put a robot into a scene.

use std::collections::BTreeMap;

use stickslip::geometry::Pose;

/// What collides in place of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CollisionShape {
    /// Its convex hull.
    #[default]
    Hull,
    /// Convex parts that fill it; the hull where it is not closed.
    Decompose,
    /// Its surface where the link stands still and has no other shape; else convex parts.
    Mesh,
    /// The box, ball, cylinder or capsule of least volume along its principal axes.
    Primitives,
    /// Nothing: links collide with nothing at all.
    None,
}

impl CollisionShape {
    /// Its names in scene files.
    pub const NAMES: &[(&str, Self)] = &[
        ("hull", Self::Hull),
        ("decompose", Self::Decompose),
        ("mesh", Self::Mesh),
        ("primitives", Self::Primitives),
        ("none", Self::None),
    ];
}

/// How to put a robot into a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Pose of the root link.
    pub pose: Pose,
    /// Whether the root link stands still; `None`: if it is named `world`, or neither it nor a
    /// link on a fixed joint to it has mass.
    pub fixed_base: Option<bool>,
    /// Before the name of every body and joint, so that one robot can be added twice.
    pub prefix: String,
    /// Positions of joints at the start \[rad or m\]; zero, or the limit nearest to it, for those
    /// not named.
    pub positions: BTreeMap<String, f64>,
    /// Sides of the prisms that cylinders become; 0 keeps them smooth. Default 0.
    pub cylinder_sides: usize,
    /// Friction of all links; `None`: that of the file, or the default of bodies.
    pub friction: Option<f64>,
    /// What collides in place of a mesh. Default hull.
    pub collision: CollisionShape,
    /// Corners that a hull may have; hulls of more are simplified, and by how much is told. 0
    /// keeps all. Default 64: detection costs time in proportion to corners, and hulls of scanned
    /// or turned parts have thousands.
    pub hull_corners: usize,
    /// Refuse what is wrong in the file instead of mending it; let links collide that overlap at
    /// the start. Default false.
    pub strict: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            pose: Pose::IDENTITY,
            fixed_base: None,
            prefix: String::new(),
            positions: BTreeMap::new(),
            cylinder_sides: 0,
            friction: None,
            collision: CollisionShape::Hull,
            hull_corners: 64,
            strict: false,
        }
    }
}
