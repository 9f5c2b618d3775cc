//! One joint: a frame on each of two bodies, and what each of the six relative freedoms may do.
//!
//! All kinds but distance and gear are patterns of one generic joint. Its two frames coincide at
//! the initial pose; the position of B's frame seen from A's has three translations along A's
//! axes and three rotations. A locked freedom is an equation, a free one a joint coordinate.

use stickslip_geometry::{Pose, Vec3};

use super::{BodyId, Dimension, Trajectory};

/// Names a joint within its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(u32);

impl JointId {
    /// The joint at that place of [`super::Model::joints`].
    pub fn new(index: usize) -> Self {
        Self(index as u32)
    }

    /// Its place in [`super::Model::joints`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a joint lets move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Nothing.
    Fixed,
    /// Turning about the axis (2D: about z).
    Revolute,
    /// Sliding along the axis.
    Prismatic,
    /// Turning about the axis and sliding along it; 3D.
    Cylindrical,
    /// Turning about every axis; 3D.
    Spherical,
    /// Sliding across the axis and turning about it; 3D.
    Planar,
    /// Turning about the axis, which stays with A, and the second axis, which stays with B; 3D.
    Universal,
    /// Each direction its own way: x, y, z, and turning about them; z is the axis. The 2D joint
    /// has x, y and turning about z.
    Generic([Freedom; 6]),
    /// The two anchors keep their distance, or stay between two distances if limits are given.
    Distance,
    /// `q1 + ratio q2` stays, where q1 and q2 are the first coordinates of two other joints.
    Gear {
        /// The coupled joints.
        joints: [JointId; 2],
        /// Ratio.
        ratio: f64,
    },
}

impl JointKind {
    /// Its name in scene files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute => "revolute",
            Self::Prismatic => "prismatic",
            Self::Cylindrical => "cylindrical",
            Self::Spherical => "spherical",
            Self::Planar => "planar",
            Self::Universal => "universal",
            Self::Generic(_) => "generic",
            Self::Distance => "distance",
            Self::Gear { .. } => "gear",
        }
    }

    /// What the kind leaves free, before limits; translations, then rotations. `None` for the
    /// kinds that are no pattern, and for those that 2D does not have.
    pub(super) fn pattern(&self, dimension: Dimension) -> Option<[Freedom; 6]> {
        let free = |which: &[usize]| {
            let mut f = [Freedom::Locked; 6];
            which.iter().for_each(|&i| f[i] = Freedom::Free);
            Some(f)
        };
        match (self, dimension) {
            (Self::Fixed, _) => free(&[]),
            (Self::Revolute, _) => free(&[5]),
            (Self::Prismatic, Dimension::Two) => free(&[0]),
            (Self::Prismatic, Dimension::Three) => free(&[2]),
            (Self::Generic(freedoms), _) => Some(*freedoms),
            (Self::Cylindrical, Dimension::Three) => free(&[2, 5]),
            (Self::Spherical, Dimension::Three) => free(&[3, 4, 5]),
            (Self::Planar, Dimension::Three) => free(&[0, 1, 5]),
            (Self::Universal, Dimension::Three) => free(&[3, 4]),
            _ => None,
        }
    }
}

/// What one direction of a joint may do.
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

/// What drives a joint's first coordinate. Its present aim lives in
/// [`State::motors`](crate::State::motors), where controllers change it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Where it wants to go.
    pub target: MotorTarget,
    /// Largest force or torque \[N or N m\]; `None` has that of the joint, if it has one, and infinity none.
    pub max_force: Option<f64>,
    /// Whether the aim moves along [`Joint::path`] in place of the fixed number in `target`.
    pub follows: bool,
}

impl Motor {
    /// A motor with a fixed aim.
    pub fn new(target: MotorTarget, max_force: Option<f64>) -> Self {
        Self { target, max_force, follows: false }
    }

    /// The motor with its aim at `time` put in: of a velocity motor the path's value is the
    /// velocity; a position motor adds the pull `damping q*'` that keeps up with the path.
    pub fn at(self, path: Option<&Trajectory>, time: f64) -> Self {
        let Some(path) = path.filter(|_| self.follows) else { return self };
        let want = path.at(0, time);
        let target = match self.target {
            MotorTarget::Velocity(_) => MotorTarget::Velocity(want.position),
            MotorTarget::Position { stiffness, damping, .. } => {
                // damping q*' is the pull of a spring that leads by damping / stiffness q*'.
                let lead = if stiffness > 0.0 { damping / stiffness * want.velocity } else { 0.0 };
                MotorTarget::Position { position: want.position + lead, stiffness, damping }
            }
        };
        Self { target, ..self }
    }
}

/// The aim of a motor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MotorTarget {
    /// Keep this velocity \[rad/s or m/s\].
    Velocity(f64),
    /// Go to this position with the force `stiffness (position - q) - damping q'`, both taken at
    /// the end of the step: stable for any gain.
    Position {
        /// Position \[rad or m\].
        position: f64,
        /// Spring \[N/m or N m/rad\].
        stiffness: f64,
        /// Damper \[N s/m or N m s/rad\].
        damping: f64,
    },
}

/// A joint. Made by [`super::ModelBuilder::joint`], which checks it.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Unique name.
    pub name: String,
    /// What it lets move.
    pub kind: JointKind,
    /// Bodies A and B; `None` is the world. A gear has those of its two joints.
    pub bodies: [Option<BodyId>; 2],
    /// The joint's frame on A and on B, in body axes (in world axes where the body is the world).
    pub frames: [Pose; 2],
    /// Translations along and rotations about the axes of A's frame. In 2D only x, y and the
    /// rotation about z count.
    pub freedoms: [Freedom; 6],
    /// Length kept by a distance joint \[m\]; for a gear the value kept by `q1 + ratio q2`.
    pub rest: f64,
    /// Limits of a distance \[m\], or the largest angle between the z axes of a spherical joint's
    /// frames \[rad\] (the second number).
    pub range: Option<[f64; 2]>,
    /// Coulomb friction: largest force along every free translation \[N\], largest torque about
    /// every free rotation \[N m\].
    pub friction: f64,
    /// Damping of the joint itself along the first coordinate \[N s/m or N m s/rad\]; part of
    /// `motor`, and of every position motor put in its place.
    pub damping: f64,
    /// Inertia that turns with the one coordinate, as a geared rotor does \[kg or kg m²\]: a force
    /// `-armature q''` along it, and the energy `armature q'² / 2`.
    pub armature: f64,
    /// Largest force or torque of motors that give none \[N or N m\].
    pub effort: Option<f64>,
    /// Largest speed that velocity motors ask for \[rad/s or m/s\].
    pub max_velocity: Option<f64>,
    /// What drives the first coordinate at the start.
    pub motor: Option<Motor>,
    /// Where a motor that [follows](Motor::follows) it wants to be over time.
    pub path: Option<Trajectory>,
    /// First coordinate at the initial pose \[m or rad\].
    pub start: f64,
    /// In 2D the angle of B minus that of A at the initial pose \[rad\].
    pub angle0: f64,
}

impl Joint {
    /// The freedoms that exist in this dimension and are not locked, as indices 0..6.
    pub fn coordinates(&self, dimension: Dimension) -> impl Iterator<Item = usize> + '_ {
        directions(dimension).iter().copied().filter(|&i| self.freedoms[i] != Freedom::Locked)
    }

    /// The motor as this joint has it: with the joint's own damping added to a spring and damper (beside
    /// a motor that keeps a velocity it acts by itself), and with its largest force. Without motor the
    /// damping alone is left.
    pub fn motor_with(&self, motor: Option<Motor>) -> Option<Motor> {
        let damper = |damping| MotorTarget::Position { position: 0.0, stiffness: 0.0, damping };
        let Some(motor) = motor else {
            return (self.damping > 0.0).then(|| Motor::new(damper(self.damping), None));
        };
        let target = match motor.target {
            MotorTarget::Position { position, stiffness, damping } => {
                MotorTarget::Position { position, stiffness, damping: damping + self.damping }
            }
            velocity @ MotorTarget::Velocity(_) => velocity,
        };
        // A force without bound that is given lifts the joint's own.
        let max_force = motor.max_force.or(self.effort).filter(|f| f.is_finite());
        Some(Motor { target, max_force, ..motor })
    }

    /// A motor of this joint with its aim at `time` put in, within the joint's largest speed.
    pub fn motor_at(&self, motor: Motor, time: f64) -> Motor {
        let motor = motor.at(self.path.as_ref(), time);
        let target = match (motor.target, self.max_velocity) {
            (MotorTarget::Velocity(v), Some(most)) => MotorTarget::Velocity(v.clamp(-most, most)),
            (target, _) => target,
        };
        Motor { target, ..motor }
    }

    /// Axis `i` (0, 1, 2) of the frame on A, in body axes.
    pub fn axis(&self, i: usize) -> Vec3 {
        self.frames[0].orientation * Vec3::AXES[i]
    }
}

/// The relative freedoms of two bodies: all six, or x, y and the turn about z.
pub(crate) fn directions(dimension: Dimension) -> &'static [usize] {
    match dimension {
        Dimension::Two => &[0, 1, 5],
        Dimension::Three => &[0, 1, 2, 3, 4, 5],
    }
}
