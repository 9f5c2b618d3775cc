//! A joint as the user gives it, put together by chained calls, and its checks.

use stickslip_geometry::{Pose, Quat, Vec3};

use super::{BodyId, Dimension, Freedom, Joint, JointKind, Motor, MotorTarget, Trajectory};

/// A joint between two bodies, given in world coordinates at the initial pose.
///
/// ```
/// use stickslip::{BodyId, JointInit, geometry::Vec3};
///
/// let (chassis, wheel) = (BodyId::new(0), BodyId::new(1));
/// let axle = JointInit::revolute(chassis, wheel).named("axle").at(Vec3::X).along(Vec3::Y);
/// assert_eq!(axle.axis, Some(Vec3::Y));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JointInit {
    /// Its name, unique among joints; empty becomes `joint-N`.
    pub name: String,
    /// What it lets move.
    pub kind: JointKind,
    /// Bodies A and B; `None` is the world. Not used by a gear.
    pub bodies: [Option<BodyId>; 2],
    /// A point of the joint, world frame \[m\]; of a distance joint, its end on A.
    pub anchor: Vec3,
    /// The end of a distance joint on B, world frame \[m\]; `None`: the centre of mass of B.
    pub anchor_b: Option<Vec3>,
    /// Axis, world frame, any length; `None`: z (x of a 2D prismatic joint).
    pub axis: Option<Vec3>,
    /// Second axis: of a universal joint the one that stays with B; of the others the x axis of
    /// the joint's frame. `None`: any.
    pub axis2: Option<Vec3>,
    /// Lowest and highest first coordinate \[rad or m\]; of a distance joint the distance, of a
    /// spherical joint the second is the largest angle between the two z axes.
    pub limits: Option<[f64; 2]>,
    /// First coordinate at the initial pose \[m or rad\]; a distance joint knows its own.
    pub start: f64,
    /// Largest friction force or torque \[N or N m\].
    pub friction: f64,
    /// Damping of the joint itself along the first coordinate \[N s/m or N m s/rad\].
    pub damping: f64,
    /// Inertia that turns with the one coordinate of the joint, as a geared rotor does \[kg or kg m²\].
    pub armature: f64,
    /// Largest force or torque of motors that give none \[N or N m\].
    pub effort: Option<f64>,
    /// Largest speed that velocity motors ask for \[rad/s or m/s\].
    pub max_velocity: Option<f64>,
    /// What drives the first coordinate.
    pub motor: Option<Motor>,
    /// The aim of the motor over time, in place of its fixed one.
    pub path: Option<Trajectory>,
    /// Whether the two bodies can touch each other. Default false.
    pub collide_jointed: bool,
}

impl JointInit {
    /// A joint of that kind through the origin.
    pub fn new(
        kind: JointKind,
        a: impl Into<Option<BodyId>>,
        b: impl Into<Option<BodyId>>,
    ) -> Self {
        Self {
            name: String::new(),
            kind,
            bodies: [a.into(), b.into()],
            anchor: Vec3::ZERO,
            anchor_b: None,
            axis: None,
            axis2: None,
            limits: None,
            start: 0.0,
            friction: 0.0,
            damping: 0.0,
            armature: 0.0,
            effort: None,
            max_velocity: None,
            motor: None,
            path: None,
            collide_jointed: false,
        }
    }

    /// Nothing moves.
    pub fn fixed(a: impl Into<Option<BodyId>>, b: impl Into<Option<BodyId>>) -> Self {
        Self::new(JointKind::Fixed, a, b)
    }

    /// A hinge.
    pub fn revolute(a: impl Into<Option<BodyId>>, b: impl Into<Option<BodyId>>) -> Self {
        Self::new(JointKind::Revolute, a, b)
    }

    /// A slider.
    pub fn prismatic(a: impl Into<Option<BodyId>>, b: impl Into<Option<BodyId>>) -> Self {
        Self::new(JointKind::Prismatic, a, b)
    }

    /// A ball and socket.
    pub fn spherical(a: impl Into<Option<BodyId>>, b: impl Into<Option<BodyId>>) -> Self {
        Self::new(JointKind::Spherical, a, b)
    }

    /// A massless rod between two anchors.
    pub fn distance(a: impl Into<Option<BodyId>>, b: impl Into<Option<BodyId>>) -> Self {
        Self::new(JointKind::Distance, a, b)
    }

    /// Couples the first coordinates of two joints: `q1 + ratio q2` stays.
    pub fn gear(first: super::JointId, second: super::JointId, ratio: f64) -> Self {
        Self::new(JointKind::Gear { joints: [first, second], ratio }, None, None)
    }

    /// Its name.
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// The anchor, world frame \[m\].
    pub fn at(mut self, anchor: Vec3) -> Self {
        self.anchor = anchor;
        self
    }

    /// Both ends of a distance joint, world frame \[m\].
    pub fn between(mut self, anchor_a: Vec3, anchor_b: Vec3) -> Self {
        (self.anchor, self.anchor_b) = (anchor_a, Some(anchor_b));
        self
    }

    /// The axis, world frame.
    pub fn along(mut self, axis: Vec3) -> Self {
        self.axis = Some(axis);
        self
    }

    /// The second axis, world frame.
    pub fn second(mut self, axis: Vec3) -> Self {
        self.axis2 = Some(axis);
        self
    }

    /// Limits of the first coordinate \[m or rad\].
    pub fn limits(mut self, lower: f64, upper: f64) -> Self {
        self.limits = Some([lower, upper]);
        self
    }

    /// The first coordinate at the initial pose \[m or rad\], zero unless given.
    pub fn starting(mut self, position: f64) -> Self {
        self.start = position;
        self
    }

    /// Coulomb friction \[N or N m\].
    pub fn friction(mut self, force: f64) -> Self {
        self.friction = force;
        self
    }

    /// Damping of the joint itself \[N s/m or N m s/rad\]; motors come on top of it.
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// Drives the first coordinate at a velocity; `max_force` \[N or N m\] may be infinite.
    pub fn velocity_motor(mut self, velocity: f64, max_force: f64) -> Self {
        let max_force = max_force.is_finite().then_some(max_force);
        self.motor = Some(Motor::new(MotorTarget::Velocity(velocity), max_force));
        self
    }

    /// Drives the first coordinate to a position by spring and damper, without force limit.
    pub fn position_motor(mut self, position: f64, stiffness: f64, damping: f64) -> Self {
        let target = MotorTarget::Position { position, stiffness, damping };
        self.motor = Some(Motor::new(target, None));
        self
    }

    /// The motor follows this path: positions of a position motor, velocities of a velocity motor.
    pub fn following(mut self, path: Trajectory) -> Self {
        self.path = Some(path);
        self
    }

    /// The two bodies can touch each other.
    pub fn colliding(mut self) -> Self {
        self.collide_jointed = true;
        self
    }

    /// The joint in body coordinates, or what is wrong with it. `poses` are those of A and B.
    pub(super) fn resolve(
        self,
        dimension: Dimension,
        poses: [Pose; 2],
        names: &dyn Fn(BodyId) -> String,
    ) -> Result<Joint, String> {
        self.check_numbers()?;
        let [anchor, anchor_b] = [self.anchor, self.anchor_b.unwrap_or(poses[1].position)]
            .map(|x| if dimension == Dimension::Two { x.with_z(0.0) } else { x });
        let orientation = self.frame(dimension)?;
        let anchors =
            if self.kind == JointKind::Distance { [anchor, anchor_b] } else { [anchor; 2] };
        let frames = [0, 1].map(|i| Pose {
            position: poses[i].inverse_point(anchors[i]),
            orientation: poses[i].orientation.conjugate() * orientation,
        });
        let rest = (anchors[1] - anchors[0]).length();
        if self.kind == JointKind::Distance && rest < 1e-12 {
            return Err(format!(
                "both ends of the distance joint are at {anchor}; they must be apart"
            ));
        }
        let gear = matches!(self.kind, JointKind::Gear { .. });
        if let [Some(a), Some(b)] = self.bodies
            && a == b
            && !gear
        {
            return Err(format!("it joins body {:?} to itself", names(a)));
        }
        let (freedoms, range) = self.freedoms(dimension)?;
        self.check_start(dimension, &freedoms, (range, rest))?;
        let Self {
            name,
            kind,
            bodies,
            friction,
            damping,
            armature,
            effort,
            motor,
            path,
            start,
            ..
        } = self;
        let max_velocity = self.max_velocity;
        let motor = motor.map(|m| Motor { follows: path.is_some(), ..m });
        let joint = Joint {
            name,
            kind,
            bodies,
            frames,
            freedoms,
            rest,
            range,
            friction,
            damping,
            armature,
            effort,
            max_velocity,
            motor: None,
            path,
            start,
            angle0: 0.0,
        };
        Ok(Joint { motor: joint.motor_with(motor), ..joint })
    }

    /// Whether it starts within its limits: the first step would throw it back.
    fn check_start(
        &self,
        dimension: Dimension,
        freedoms: &[Freedom; 6],
        (range, rest): (Option<[f64; 2]>, f64),
    ) -> Result<(), String> {
        let within = |x: f64, [lower, upper]: [f64; 2]| {
            // Less is the rounding of a pose that means to be at the limit.
            let room = 1e-9 * (1.0 + lower.abs().min(upper.abs()));
            match x >= lower - room && x <= upper + room {
                true => Ok(()),
                false => Err(format!(
                    "it starts at {x}, outside its limits {lower} to {upper}; give the position \
                     at the start, or put the bodies within the limits"
                )),
            }
        };
        if self.kind == JointKind::Distance {
            return range.map_or(Ok(()), |limits| within(rest, limits));
        }
        let free =
            super::joint::directions(dimension).iter().filter(|&&i| freedoms[i] != Freedom::Locked);
        for (k, &i) in free.enumerate() {
            if let Freedom::Limited(limits) = freedoms[i] {
                within(if k == 0 { self.start } else { 0.0 }, limits)?;
            }
        }
        Ok(())
    }

    pub(super) fn check_numbers(&self) -> Result<(), String> {
        let vectors = [Some(self.anchor), self.anchor_b, self.axis, self.axis2];
        if vectors.iter().flatten().any(|v| !v.is_finite()) {
            return Err("anchor and axis must be finite".into());
        }
        if !self.start.is_finite() {
            return Err("the position at the start must be finite".into());
        }
        if !(self.friction >= 0.0 && self.friction.is_finite()) {
            return Err(format!("friction is {}, but must be 0 or more", self.friction));
        }
        if !(self.damping >= 0.0 && self.damping.is_finite()) {
            return Err(format!("damping is {}, but must be 0 or more", self.damping));
        }
        if !(self.armature >= 0.0 && self.armature.is_finite()) {
            return Err(format!("armature is {}, but must be 0 or more", self.armature));
        }
        if self.effort.is_some_and(|e| !(e >= 0.0 && e.is_finite())) {
            return Err(format!("effort is {:?}, but must be 0 or more", self.effort));
        }
        if self.max_velocity.is_some_and(|v| !(v >= 0.0 && v.is_finite())) {
            let v = self.max_velocity;
            return Err(format!("the largest velocity is {v:?}, but must be 0 or more"));
        }
        if let Some(path) = &self.path {
            path.check()?;
            if self.motor.is_none() {
                return Err("a path needs a motor that follows it".into());
            }
        }
        let Some(motor) = self.motor else { return Ok(()) };
        let gains = match motor.target {
            MotorTarget::Velocity(v) if v.is_finite() => [0.0; 2],
            MotorTarget::Position { position, stiffness, damping } if position.is_finite() => {
                [stiffness, damping]
            }
            _ => return Err("the target of the motor must be finite".into()),
        };
        for (what, x) in [("stiffness", gains[0]), ("damping", gains[1])] {
            if !(x >= 0.0 && x.is_finite()) {
                return Err(format!("the motor's {what} is {x}, but must be 0 or more"));
            }
        }
        match motor.max_force {
            Some(f) if f.is_nan() || f < 0.0 => {
                Err(format!("the motor's max_force is {f}, but must be 0 or more"))
            }
            _ => Ok(()),
        }
    }

    /// Orientation of the joint's frame, world axes.
    fn frame(&self, dimension: Dimension) -> Result<Quat, String> {
        let planar = dimension == Dimension::Two;
        let unit = |v: Vec3| {
            let v = if planar { v.with_z(0.0) } else { v };
            let length = v.length();
            if length > 1e-12 {
                Ok(v / length)
            } else {
                Err("the axis must not be zero".to_owned())
            }
        };
        if planar {
            // The plane has one axis of rotation; a given axis is the direction x slides along.
            let slides = self.kind == JointKind::Prismatic;
            return match self.axis.filter(|a| slides || a.with_z(0.0).length() > 1e-12) {
                Some(axis) => unit(axis).map(|x| Quat::from_rotation_z(x.y.atan2(x.x))),
                None => Ok(Quat::IDENTITY),
            };
        }
        let axis = unit(self.axis.unwrap_or(Vec3::Z))?;
        let second = self.axis2.map(unit).transpose()?;
        let x = match second {
            Some(x) => {
                let across = x - axis * axis.dot(x);
                if across.length() < 1e-6 {
                    return Err("the two axes must not be parallel".into());
                }
                across.normalize()
            }
            None => Quat::from_rotation_arc(Vec3::Z, axis) * Vec3::X,
        };
        if self.kind == JointKind::Universal {
            // x is the axis on A, y the one on B.
            let m = stickslip_geometry::Mat3::from_cols(axis, x, axis.cross(x));
            return Ok(Quat::from_mat3(&m).normalize());
        }
        let m = stickslip_geometry::Mat3::from_cols(x, axis.cross(x), axis);
        Ok(Quat::from_mat3(&m).normalize())
    }

    /// The freedoms with the limits put in, and the range of those kinds that have another one.
    fn freedoms(&self, dimension: Dimension) -> Result<([Freedom; 6], Option<[f64; 2]>), String> {
        let pair = |l: [f64; 2]| {
            if l[0] <= l[1] && !l[0].is_nan() {
                Ok(l)
            } else {
                Err(format!("limits are {l:?}, but the first must not be above the second"))
            }
        };
        let limits = self.limits.map(pair).transpose()?;
        match self.kind {
            JointKind::Distance | JointKind::Gear { .. } | JointKind::Spherical
                if self.armature > 0.0 =>
            {
                return Err("armature needs a joint with one free direction".into());
            }
            JointKind::Distance | JointKind::Gear { .. } => {
                return Ok(([Freedom::Free; 6], limits));
            }
            JointKind::Spherical if dimension == Dimension::Three => {
                let freedoms = self.kind.pattern(dimension).unwrap_or_default();
                return Ok((freedoms, limits));
            }
            _ => {}
        }
        let Some(mut freedoms) = self.kind.pattern(dimension) else {
            return Err(format!("a {} joint exists only in 3D", self.kind.name()));
        };
        for f in &freedoms {
            if let Freedom::Limited(l) = f {
                pair(*l)?;
            }
        }
        let first = super::joint::directions(dimension)
            .iter()
            .copied()
            .find(|&i| freedoms[i] != Freedom::Locked);
        match (first, limits) {
            (Some(i), Some(l)) => freedoms[i] = Freedom::Limited(l),
            (None, Some(_)) => return Err("nothing moves, so there is nothing to limit".into()),
            _ => {}
        }
        if first.is_none() && (self.motor.is_some() || self.damping > 0.0) {
            return Err("nothing moves, so there is nothing to drive".into());
        }
        let free =
            super::joint::directions(dimension).iter().filter(|&&i| freedoms[i] != Freedom::Locked);
        if self.armature > 0.0 && free.count() != 1 {
            return Err("armature needs a joint with one free direction".into());
        }
        Ok((freedoms, None))
    }
}
