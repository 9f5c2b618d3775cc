//! A robot as its file describes it.

use std::path::PathBuf;

use stickslip::geometry::{Mat3, Pose, Vec3};

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
    /// Lowest and highest position \[rad or m\].
    pub limits: Option<[f64; 2]>,
    /// Largest force or torque that a drive may exert \[N or N m\].
    pub effort: Option<f64>,
    /// Coulomb friction \[N or N m\].
    pub friction: f64,
    /// Damping \[N s/m or N m s/rad\].
    pub damping: f64,
    /// The joint it follows.
    pub mimic: Option<Mimic>,
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
