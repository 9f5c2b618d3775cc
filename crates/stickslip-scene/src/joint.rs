//! Joints as plain data, checked, ready for an engine that simulates them.

use stickslip::{BodyId, geometry::Vec3};

/// One side of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointSide {
    /// The world, which never moves.
    World,
    /// A body of the scene.
    Body(BodyId),
}

/// A joint as a scene file describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Unique name.
    pub name: String,
    /// What it lets move.
    pub kind: JointKind,
    /// The two sides.
    pub sides: [JointSide; 2],
    /// A point of the joint, world frame at the initial pose \[m\].
    pub anchor: Vec3,
    /// Unit axis (normal of a planar joint), world frame at the initial pose; z in 2D and where
    /// the kind has none.
    pub axis: Vec3,
    /// Lowest and highest position \[rad or m\].
    pub limits: Option<[f64; 2]>,
    /// Largest friction force or torque along the free direction \[N or N m\].
    pub friction: f64,
    /// What drives it.
    pub motor: Option<Motor>,
    /// Whether the two bodies can touch each other.
    pub collide_jointed: bool,
}

/// What a joint lets move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Nothing.
    Fixed,
    /// Turning about the axis.
    Revolute,
    /// Sliding along the axis.
    Prismatic,
    /// Turning about the axis and sliding along it.
    Cylindrical,
    /// Turning about every axis.
    Spherical,
    /// Sliding across the axis and turning about it.
    Planar,
    /// Each direction its own way: x, y, z, and turning about them; z is the axis.
    Generic([Freedom; 6]),
}

/// What one direction of a generic joint may do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Freedom {
    /// Anything.
    Free,
    /// Nothing.
    #[default]
    Locked,
    /// Stay between two positions \[m or rad\].
    Limited([f64; 2]),
}

/// What drives a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Where it wants to go.
    pub target: MotorTarget,
    /// Largest force or torque \[N or N m\]; `None` has no limit.
    pub max_force: Option<f64>,
}

/// The aim of a motor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MotorTarget {
    /// Keep this velocity \[rad/s or m/s\].
    Velocity(f64),
    /// Go to this position.
    Position {
        /// Position \[rad or m\].
        position: f64,
        /// Force per error \[N m/rad or N/m\].
        stiffness: f64,
        /// Force per velocity \[N m s/rad or N s/m\].
        damping: f64,
    },
}
