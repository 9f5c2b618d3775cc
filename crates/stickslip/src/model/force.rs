//! Force elements: springs, dampers, bushings, gravity compensation, forces of one's own.
//!
//! They are part of the model, so that every integrator evaluates them at its own stages. What is
//! stiff is taken at the end of the step where the step is semi-implicit
//! (`crates/stickslip/src/dynamics/element_rows.rs`).

use std::{fmt, sync::Arc};

use stickslip_geometry::{Pose, Quat, Vec3};

use super::{BodyId, JointId, JointKind, Model, ModelBuilder, ModelError};
use crate::state::{State, Wrench};

/// What a force element does.
#[derive(Clone, Debug)]
pub enum ForceKind {
    /// A spring and a damper along the line between two points: the force
    /// `-stiffness (l - rest_length) - damping l'` parts them.
    Spring {
        /// Length without force \[m\].
        rest_length: f64,
        /// \[N/m\].
        stiffness: f64,
        /// \[N s/m\].
        damping: f64,
    },
    /// A spring and a damper on the first coordinate of a joint, whatever drives it:
    /// `-stiffness (q - position) - damping q'`.
    JointSpring {
        /// The joint.
        joint: JointId,
        /// Position without force \[rad or m\].
        position: f64,
        /// \[N m/rad or N/m\].
        stiffness: f64,
        /// \[N m s/rad or N s/m\].
        damping: f64,
    },
    /// Springs and dampers along and about the three axes of the frame on A. Rotations count as
    /// `2 sin(angle / 2)` about the axis of the turn.
    Bushing {
        /// Along x, y, z \[N/m\], about x, y, z \[N m/rad\]; in 2D only x, y and about z count.
        stiffness: [f64; 6],
        /// \[N s/m, N m s/rad\].
        damping: [f64; 6],
    },
    /// The force `-part m g` at the centre of mass of body B.
    GravityCompensation {
        /// How much of the weight is taken off; 1 is all of it.
        part: f64,
    },
    /// Mortar: presses B onto A along the x axis of the frame on A until it breaks
    /// ([`Mortar`](super::Mortar)). Made where bodies touch at time zero.
    Bond {
        /// Tensile strength times area \[N\].
        force: f64,
        /// How far its surfaces may move until it breaks \[m\].
        opening: f64,
        /// How far its corners are from its middle \[m\].
        radius: f64,
        /// Its place in [`State::broken`].
        place: usize,
    },
    /// Forces that are a function of the state.
    Function(ForceFunction),
}

/// Adds forces to the wrenches of the bodies, world axes, about their centres of mass.
pub type AddForces = dyn Fn(&Model, &State, &mut [Wrench]) + Send + Sync;

/// A function of the state that adds forces. It is called at the stages of integrators, any number
/// of times in a step, and must give the same forces for the same state.
#[derive(Clone)]
pub struct ForceFunction(Arc<AddForces>);

impl ForceFunction {
    /// From a closure.
    pub fn new(add: impl Fn(&Model, &State, &mut [Wrench]) + Send + Sync + 'static) -> Self {
        Self(Arc::new(add))
    }

    pub(super) fn add(&self, model: &Model, state: &State, wrenches: &mut [Wrench]) {
        (self.0)(model, state, wrenches);
    }
}

impl fmt::Debug for ForceFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ForceFunction")
    }
}

/// A force element. Made by [`ModelBuilder::force`], which checks it.
#[derive(Clone, Debug)]
pub struct ForceElement {
    /// Unique name.
    pub name: String,
    /// What it does.
    pub kind: ForceKind,
    /// Bodies A and B; `None` is the world.
    pub bodies: [Option<BodyId>; 2],
    /// Its frame on A and on B, in body axes (in world axes where the body is the world).
    pub frames: [Pose; 2],
    /// In 2D the angle of B minus that of A at the initial pose \[rad\].
    pub angle0: f64,
}

/// A force element as the user gives it, in world coordinates at the initial pose.
///
/// ```
/// use stickslip::{BodyId, ForceInit, geometry::Vec3};
///
/// let (wall, cart) = (None, BodyId::new(0));
/// let spring = ForceInit::spring(wall, cart, 100.0).between(Vec3::ZERO, Vec3::X).damping(2.0);
/// assert_eq!(spring.anchors[1], Some(Vec3::X));
/// ```
#[derive(Clone, Debug)]
pub struct ForceInit {
    /// Its name, unique among force elements; empty becomes `force-N`.
    pub name: String,
    /// What it does; a rest length of NaN is the length at the initial pose.
    pub kind: ForceKind,
    /// Bodies A and B; `None` is the world.
    pub bodies: [Option<BodyId>; 2],
    /// Its ends on A and B, world frame \[m\]; `None`: the centre of mass (the origin of the world).
    pub anchors: [Option<Vec3>; 2],
    /// Orientation of a bushing's axes.
    pub orientation: Quat,
}

impl ForceInit {
    /// An element of that kind.
    pub fn new(kind: ForceKind, a: Option<BodyId>, b: Option<BodyId>) -> Self {
        let (name, orientation) = (String::new(), Quat::IDENTITY);
        Self { name, kind, bodies: [a, b], anchors: [None; 2], orientation }
    }

    /// A spring without damper whose length at the initial pose is its rest length \[N/m\].
    pub fn spring(
        a: impl Into<Option<BodyId>>,
        b: impl Into<Option<BodyId>>,
        stiffness: f64,
    ) -> Self {
        let kind = ForceKind::Spring { rest_length: f64::NAN, stiffness, damping: 0.0 };
        Self::new(kind, a.into(), b.into())
    }

    /// A spring without damper on the first coordinate of a joint \[N m/rad or N/m\].
    pub fn joint_spring(joint: JointId, position: f64, stiffness: f64) -> Self {
        let kind = ForceKind::JointSpring { joint, position, stiffness, damping: 0.0 };
        Self::new(kind, None, None)
    }

    /// Springs and dampers along and about three axes.
    pub fn bushing(
        a: impl Into<Option<BodyId>>,
        b: impl Into<Option<BodyId>>,
        stiffness: [f64; 6],
        damping: [f64; 6],
    ) -> Self {
        Self::new(ForceKind::Bushing { stiffness, damping }, a.into(), b.into())
    }

    /// Takes a part of its weight off a body.
    pub fn gravity_compensation(body: BodyId, part: f64) -> Self {
        Self::new(ForceKind::GravityCompensation { part }, None, Some(body))
    }

    /// Forces that are a function of the state.
    pub fn function(add: impl Fn(&Model, &State, &mut [Wrench]) + Send + Sync + 'static) -> Self {
        Self::new(ForceKind::Function(ForceFunction::new(add)), None, None)
    }

    /// Its name.
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// Both ends, world frame \[m\].
    pub fn between(mut self, a: Vec3, b: Vec3) -> Self {
        self.anchors = [Some(a), Some(b)];
        self
    }

    /// Both ends at one point, world frame \[m\].
    pub fn at(self, point: Vec3) -> Self {
        self.between(point, point)
    }

    /// The length of a spring without force \[m\].
    pub fn rest_length(mut self, length: f64) -> Self {
        if let ForceKind::Spring { rest_length, .. } = &mut self.kind {
            *rest_length = length;
        }
        self
    }

    /// The damper of a spring \[N s/m or N m s/rad\].
    pub fn damping(mut self, by: f64) -> Self {
        if let ForceKind::Spring { damping, .. } | ForceKind::JointSpring { damping, .. } =
            &mut self.kind
        {
            *damping = by;
        }
        self
    }

    /// What is wrong with its numbers.
    fn check_numbers(&self) -> Result<(), String> {
        let anchors = self.anchors.iter().flatten().all(|a| a.is_finite());
        if !anchors || !self.orientation.is_finite() {
            return Err("anchors and orientation must be finite".into());
        }
        let range = |what: &str, x: f64| match x >= 0.0 && x.is_finite() {
            true => Ok(()),
            false => Err(format!("the {what} is {x}, but must be 0 or more")),
        };
        let finite = |what: &str, x: f64| match x.is_finite() {
            true => Ok(()),
            false => Err(format!("the {what} is {x}, but must be finite")),
        };
        match &self.kind {
            ForceKind::Spring { rest_length, stiffness, damping } => {
                range("stiffness", *stiffness)?;
                range("damping", *damping)?;
                if rest_length.is_nan() { Ok(()) } else { range("rest length", *rest_length) }
            }
            ForceKind::JointSpring { position, stiffness, damping, .. } => {
                range("stiffness", *stiffness)?;
                range("damping", *damping)?;
                finite("position", *position)
            }
            ForceKind::Bushing { stiffness, damping } => {
                stiffness.iter().try_for_each(|&k| range("stiffness", k))?;
                damping.iter().try_for_each(|&d| range("damping", d))
            }
            ForceKind::GravityCompensation { part } => finite("part", *part),
            ForceKind::Bond { force, opening, .. } => {
                range("strength", *force)?;
                range("opening", *opening)
            }
            ForceKind::Function(_) => Ok(()),
        }
    }

    fn needs_bodies(&self) -> bool {
        !matches!(self.kind, ForceKind::JointSpring { .. } | ForceKind::Function(_))
    }
}

impl ModelBuilder {
    /// Adds a force element. Its bodies and joints must have been added before.
    pub fn force(&mut self, init: ForceInit) -> Result<&mut Self, ModelError> {
        let name = match init.name.as_str() {
            "" => format!("force-{}", self.forces.len() + 1),
            name => name.to_owned(),
        };
        let element = self.resolve_force(init, &name);
        let element = element.map_err(|reason| ModelError::Force { force: name, reason })?;
        self.forces.push(element);
        Ok(self)
    }

    fn resolve_force(&self, init: ForceInit, name: &str) -> Result<ForceElement, String> {
        init.check_numbers()?;
        if self.forces.iter().any(|f| f.name == name) {
            return Err("another force element has that name; names must be unique".into());
        }
        let (mut bodies, needs) = (init.bodies, init.needs_bodies());
        if let ForceKind::JointSpring { joint, .. } = init.kind {
            let Some(found) = self.joints.get(joint.index()) else {
                return Err(format!("there is no joint number {}", joint.index() + 1));
            };
            let measured = found.kind == JointKind::Distance && found.measures_distance();
            let gear = matches!(found.kind, JointKind::Gear { .. });
            let moves = found.coordinates(self.dimension).next().is_some();
            if gear || !(measured || found.kind != JointKind::Distance && moves) {
                return Err(format!("joint {:?} has no coordinate for a spring", found.name));
            }
            bodies = found.bodies;
        }
        if let Some(body) = bodies.iter().flatten().find(|b| b.index() >= self.bodies.len()) {
            return Err(format!("there is no body number {}", body.index() + 1));
        }
        if needs && bodies[0] == bodies[1] {
            return Err("it acts between a body and itself".into());
        }
        let poses = bodies.map(|b| b.map_or(Pose::IDENTITY, |b| self.bodies[b.index()].pose));
        let angles = bodies.map(|b| b.map_or(0.0, |b| self.bodies[b.index()].angle));
        let ends = [0, 1].map(|i| {
            let end = init.anchors[i].unwrap_or(poses[i].position);
            if self.dimension == super::Dimension::Two { end.with_z(0.0) } else { end }
        });
        let turn = init.orientation.normalize();
        let frames = [0, 1].map(|i| Pose {
            position: poses[i].inverse_point(ends[i]),
            orientation: poses[i].orientation.conjugate() * turn,
        });
        let kind = match init.kind {
            ForceKind::Spring { rest_length, stiffness, damping } if rest_length.is_nan() => {
                ForceKind::Spring { rest_length: ends[0].distance(ends[1]), stiffness, damping }
            }
            kind => kind,
        };
        let angle0 = angles[1] - angles[0];
        Ok(ForceElement { name: name.to_owned(), kind, bodies, frames, angle0 })
    }
}
