//! A robot as its file describes it.

use std::{collections::BTreeMap, path::PathBuf};

use stickslip::{
    geometry::{Mat3, Pose, Vec3},
    model::Motor,
};

use crate::{Notes, Sensor};

/// A tree of links.
#[derive(Clone, Debug, PartialEq)]
pub struct Robot {
    /// Its name.
    pub name: String,
    /// Links, in the order of the file.
    pub links: Vec<Link>,
    /// Joints, in the order of the file.
    pub joints: Vec<Joint>,
    /// Index of the link that is no joint's child.
    pub root: usize,
    /// The file it was read from, for messages.
    pub file: String,
    /// Positions of joints at the start that the file gives \[rad or m\].
    pub start: BTreeMap<String, f64>,
    /// Shapes that stand still, with their names; part of no link.
    pub scenery: Vec<Scenery>,
    /// Joints that close loops.
    pub closures: Vec<Closure>,
    /// Sensors.
    pub sensors: Vec<Sensor>,
    /// Links that pass through each other.
    pub excluded: Vec<[usize; 2]>,
    /// Whether links that hang from the world collide with what is fixed to it.
    pub world_collides: bool,
    /// What was wrong in the file and what was assumed.
    pub notes: Notes,
}

/// A shape that stands still and is part of no link.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenery {
    /// Unique name.
    pub name: String,
    /// Where it is in the frame of the root, and what.
    pub shape: Collision,
    /// Coefficient of friction, if the file gives one.
    pub friction: Option<f64>,
    /// Rolling and torsional friction \[m\].
    pub torques: [f64; 2],
    /// See [`Link::masks`].
    pub masks: Option<[u32; 2]>,
}

/// A joint between two links that closes a loop, at the pose where all joints are at their
/// reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Closure {
    /// Unique name.
    pub name: String,
    /// [`JointType::Fixed`] or [`JointType::Ball`].
    pub kind: JointType,
    /// The two links.
    pub links: [usize; 2],
    /// A point of the joint in the frame of the first link \[m\].
    pub anchor: Vec3,
}

/// A rigid link.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Unique name.
    pub name: String,
    /// Mass and inertia, if given.
    pub inertial: Option<Inertial>,
    /// Shapes to collide with.
    pub collisions: Vec<Collision>,
    /// Color, red green blue in 0..=1.
    pub color: Option<[f32; 3]>,
    /// Coefficient of friction, if the file gives one.
    pub friction: Option<f64>,
    /// Rolling and torsional friction \[m\].
    pub torques: [f64; 2],
    /// What it is and what it collides with, as bits; two links collide if a bit of one's first
    /// is set in the other's second. `None` collides with everything.
    pub masks: Option<[u32; 2]>,
    /// Whether it only stands between two joints, and has no mass in the file.
    pub between: bool,
    /// Its line in the file, from 1; 0 if unknown.
    pub line: u32,
}

/// Mass and inertia of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertial {
    /// Frame of the inertia at the centre of mass, in the link's frame.
    pub origin: Pose,
    /// Mass \[kg\].
    pub mass: f64,
    /// Inertia about the centre of mass, axes of `origin` \[kg m²\].
    pub inertia: Mat3,
    /// Its line in the file, from 1; 0 if unknown.
    pub line: u32,
}

/// A shape in the link's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Collision {
    /// Where it is.
    pub origin: Pose,
    /// What it is.
    pub geometry: Geometry,
}

/// A shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// Edge lengths \[m\].
    Box(Vec3),
    /// Radius \[m\].
    Sphere(f64),
    /// Along z \[m\].
    Cylinder {
        /// Radius.
        radius: f64,
        /// Height.
        length: f64,
    },
    /// Along z; the length is that of the cylindrical part \[m\].
    Capsule {
        /// Radius.
        radius: f64,
        /// Length between the centres of the caps.
        length: f64,
    },
    /// Half axes along x, y and z \[m\].
    Ellipsoid(Vec3),
    /// The half-space below the plane through the origin with outward normal z.
    Plane,
    /// The hull of points \[m\].
    Points(Vec<Vec3>),
    /// A mesh in a file.
    Mesh {
        /// The name in the URDF file.
        name: String,
        /// The file it means.
        path: PathBuf,
        /// Scale along each axis.
        scale: Vec3,
    },
}

/// What a joint lets move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointType {
    /// Nothing.
    Fixed,
    /// A hinge with limits.
    Revolute,
    /// A hinge without.
    Continuous,
    /// A slider.
    Prismatic,
    /// Sliding across the axis and turning about it.
    Planar,
    /// Turning about every axis.
    Ball,
    /// Everything.
    Floating,
}

/// A joint between two links.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Unique name.
    pub name: String,
    /// What it lets move.
    pub kind: JointType,
    /// Index of the parent link.
    pub parent: usize,
    /// Index of the child link.
    pub child: usize,
    /// The child's frame in the parent's, at position zero.
    pub origin: Pose,
    /// Unit axis in the child's frame.
    pub axis: Vec3,
    /// A point of the axis in the child's frame \[m\].
    pub anchor: Vec3,
    /// Position at the pose that `origin` gives \[rad or m\].
    pub reference: f64,
    /// Lowest and highest position \[rad or m\].
    pub limits: Option<[f64; 2]>,
    /// Largest force or torque that a drive may exert \[N or N m\].
    pub effort: Option<f64>,
    /// Largest speed of velocity motors \[rad/s or m/s\].
    pub velocity: Option<f64>,
    /// Coulomb friction \[N or N m\].
    pub friction: f64,
    /// Damping \[N s/m or N m s/rad\].
    pub damping: f64,
    /// Inertia that turns with it, as a geared rotor does \[kg or kg m²\].
    pub armature: f64,
    /// What drives it from the start.
    pub motor: Option<Motor>,
    /// The joint it follows.
    pub mimic: Option<Mimic>,
    /// Its line in the file, from 1; 0 if unknown.
    pub line: u32,
}

/// `q = multiplier * q_other + offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Mimic {
    /// Index of the joint that leads.
    pub joint: usize,
    /// Factor.
    pub multiplier: f64,
    /// Offset \[rad or m\].
    pub offset: f64,
}

impl Joint {
    /// A joint at the origin of its child, along x, with nothing but its kind.
    pub fn new(name: &str, kind: JointType, parent: usize, child: usize) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            parent,
            child,
            origin: Pose::IDENTITY,
            axis: Vec3::X,
            anchor: Vec3::ZERO,
            reference: 0.0,
            limits: None,
            effort: None,
            velocity: None,
            friction: 0.0,
            damping: 0.0,
            armature: 0.0,
            motor: None,
            mimic: None,
            line: 0,
        }
    }

    /// Whether it has one position.
    pub fn has_position(&self) -> bool {
        matches!(self.kind, JointType::Revolute | JointType::Continuous | JointType::Prismatic)
    }
}

impl Link {
    /// A link with nothing but its name.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            inertial: None,
            collisions: Vec::new(),
            color: None,
            friction: None,
            torques: [0.0; 2],
            masks: None,
            between: false,
            line: 0,
        }
    }
}

impl Robot {
    /// The joint that holds a link to its parent; `None` for the root.
    pub fn holder(&self, link: usize) -> Option<&Joint> {
        self.joints.iter().find(|j| j.child == link)
    }

    /// The link of that name.
    pub fn link(&self, name: &str) -> Option<&Link> {
        self.links.iter().find(|l| l.name == name)
    }

    /// The joint of that name.
    pub fn joint(&self, name: &str) -> Option<&Joint> {
        self.joints.iter().find(|j| j.name == name)
    }
}
