//! Builds a model and checks it: what comes out can be simulated.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use stickslip_geometry::{Mat3, Pose, Vec3};

use super::{
    Body, BodyId, BodyInit, Camera, Dimension, ForceElement, ForceKind, FrictionRule, Joint,
    JointId, JointInit, JointKind, Model, Motion, Motor, PairOverride, RestitutionRule, Trajectory,
    ordered,
};
use crate::state::{State, Twist, Wrench};

/// A scene that cannot be simulated; says which body and what would be right.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// A number that must be finite is not.
    #[error("body {body:?}: {what} must be finite")]
    NotFinite {
        /// The body.
        body: String,
        /// Which quantity.
        what: &'static str,
    },
    /// Two bodies of one name.
    #[error("two bodies are named {0:?}; names must be unique")]
    DuplicateName(String),
    /// No such body.
    #[error("no body is named {name:?}{hint}")]
    UnknownBody {
        /// The name asked for.
        name: String,
        /// A suggestion, or empty.
        hint: String,
    },
    /// A number outside its range.
    #[error("body {body:?}: {what} is {value}, but must be {range}")]
    Range {
        /// The body.
        body: String,
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What would be right.
        range: &'static str,
    },
    /// Not symmetric positive definite, or breaking the triangle inequality of inertias.
    #[error("body {body:?}: the inertia {reason}")]
    Inertia {
        /// The body.
        body: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A camera that sees nothing.
    #[error("camera: `{key}`: {reason}")]
    Camera {
        /// The key.
        key: &'static str,
        /// What is wrong with it and what would be right.
        reason: String,
    },
    /// A joint that makes no sense.
    #[error("joint {joint:?}: {reason}")]
    Joint {
        /// The joint.
        joint: String,
        /// What is wrong with it and what would be right.
        reason: String,
    },
    /// A force element that makes no sense.
    #[error("force element {force:?}: {reason}")]
    Force {
        /// The element.
        force: String,
        /// What is wrong with it and what would be right.
        reason: String,
    },
    /// An unbounded shape on a body that moves.
    #[error("body {0:?} is infinite (plane or half-plane) and must be static or kinematic")]
    Infinite(String),
    /// An open surface on a body that moves.
    #[error(
        "body {0:?} is a surface without inside (mesh or heightfield) and must be static or kinematic; give decompose = true to make it solid"
    )]
    Surface(String),
}

/// Collects bodies and pairs; [`ModelBuilder::build`] returns the model and its initial state.
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    pub(super) dimension: Dimension,
    gravity: Vec3,
    pub(super) bodies: Vec<BodyInit>,
    pub(super) joints: Vec<Joint>,
    pub(super) forces: Vec<ForceElement>,
    names: BTreeMap<String, BodyId>,
    overrides: BTreeMap<(BodyId, BodyId), PairOverride>,
    ignored: BTreeSet<(BodyId, BodyId)>,
    friction_rule: FrictionRule,
    restitution_rule: RestitutionRule,
    description: String,
    camera: Option<Camera>,
}

impl ModelBuilder {
    /// An empty scene with the gravity of the earth.
    pub fn new(dimension: Dimension) -> Self {
        Self {
            dimension,
            gravity: dimension.default_gravity(),
            bodies: Vec::new(),
            joints: Vec::new(),
            forces: Vec::new(),
            names: BTreeMap::new(),
            overrides: BTreeMap::new(),
            ignored: BTreeSet::new(),
            friction_rule: FrictionRule::default(),
            restitution_rule: RestitutionRule::default(),
            description: String::new(),
            camera: None,
        }
    }

    /// Sets gravity \[m/s²\].
    pub fn gravity(&mut self, gravity: Vec3) -> &mut Self {
        self.gravity = gravity;
        self
    }

    /// Sets how coefficients of two bodies combine.
    pub fn rules(&mut self, friction: FrictionRule, restitution: RestitutionRule) -> &mut Self {
        (self.friction_rule, self.restitution_rule) = (friction, restitution);
        self
    }

    /// Says in one line what happens.
    pub fn describe(&mut self, description: &str) -> &mut Self {
        description.clone_into(&mut self.description);
        self
    }

    /// Sets where pictures are taken from. The body it follows must have been added before.
    pub fn camera(&mut self, camera: Option<Camera>) -> Result<&mut Self, ModelError> {
        if let Some(camera) = &camera {
            camera
                .check(self.dimension)
                .map_err(|(key, reason)| ModelError::Camera { key, reason })?;
            if let Some(name) = camera.follow.as_ref().filter(|n| self.find(n).is_none()) {
                let reason = format!("no body is named {name:?}");
                return Err(ModelError::Camera { key: "follow", reason });
            }
        }
        self.camera = camera;
        Ok(self)
    }

    /// The body of that name.
    pub fn find(&self, name: &str) -> Option<BodyId> {
        self.names.get(name).copied()
    }

    /// Adds a body. An empty name becomes `body-N`.
    pub fn add(&mut self, init: BodyInit) -> Result<BodyId, ModelError> {
        let BodyInit { mut body, pose, angle, twist } = init;
        let id = BodyId::new(self.bodies.len());
        if body.name.is_empty() {
            body.name = format!("body-{}", id.index() + 1);
        }
        if self.names.contains_key(&body.name) {
            return Err(ModelError::DuplicateName(body.name));
        }
        check_body(&body, self.dimension)?;
        let finite = pose.position.is_finite()
            && pose.orientation.is_finite()
            && angle.is_finite()
            && twist.linear.is_finite()
            && twist.angular.is_finite();
        if !finite {
            return Err(ModelError::NotFinite { body: body.name, what: "pose and velocity" });
        }
        let turned = pose.orientation.length();
        if turned < 1e-12 {
            let (what, range) = ("length of the quaternion", "more than 0");
            return Err(ModelError::Range { body: body.name, what, value: turned, range });
        }
        self.names.insert(body.name.clone(), id);
        let (pose, twist) = match self.dimension {
            Dimension::Two => (
                Pose::planar(pose.position.x, pose.position.y, angle),
                Twist {
                    linear: twist.linear.with_z(0.0),
                    angular: Vec3::new(0.0, 0.0, twist.angular.z),
                },
            ),
            Dimension::Three => (Pose::new(pose.position, pose.orientation / turned), twist),
        };
        self.bodies.push(BodyInit { body, pose, angle, twist });
        Ok(id)
    }

    /// Adds a joint. Its bodies must have been added before; they stop colliding with each other
    /// unless it says otherwise.
    pub fn joint(&mut self, init: JointInit) -> Result<JointId, ModelError> {
        let id = JointId::new(self.joints.len());
        let name = match init.name.as_str() {
            "" => format!("joint-{}", id.index() + 1),
            name => name.to_owned(),
        };
        let wrong = |reason: String| ModelError::Joint { joint: name.clone(), reason };
        if self.joints.iter().any(|j| j.name == name) {
            return Err(wrong("another joint has that name; names must be unique".into()));
        }
        let mut init = JointInit { name: name.clone(), ..init };
        if let JointKind::Gear { joints, .. } = init.kind {
            init.bodies = self.geared(joints).map_err(wrong)?;
        }
        if let Some(body) = init.bodies.iter().flatten().find(|b| b.index() >= self.bodies.len()) {
            return Err(wrong(format!("there is no body number {}", body.index() + 1)));
        }
        let moves = |b: BodyId| self.bodies[b.index()].body.motion == Motion::Dynamic;
        if !init.bodies.iter().flatten().any(|&b| moves(b)) {
            return Err(wrong("it joins nothing that moves; one body must be dynamic".into()));
        }
        let poses = init.bodies.map(|b| b.map_or(Pose::IDENTITY, |b| self.bodies[b.index()].pose));
        let angles = init.bodies.map(|b| b.map_or(0.0, |b| self.bodies[b.index()].angle));
        let (collide, names) =
            (init.collide_jointed, |b: BodyId| self.bodies[b.index()].body.name.clone());
        let mut joint = init.resolve(self.dimension, poses, &names).map_err(wrong)?;
        joint.angle0 = angles[1] - angles[0];
        if let JointKind::Gear { joints: [first, second], ratio } = joint.kind {
            joint.rest =
                self.joints[first.index()].start + ratio * self.joints[second.index()].start;
            // Where its joints are, for those who draw it.
            joint.frames = [first, second].map(|id| {
                let coupled = &self.joints[id.index()];
                coupled.frames[usize::from(coupled.bodies[1].is_some())]
            });
        }
        if let [Some(a), Some(b)] = joint.bodies
            && !collide
            && a != b
        {
            self.ignore(a, b);
        }
        self.joints.push(joint);
        Ok(id)
    }

    /// Drives a joint that has been added, along a path if one is given; takes the place of the
    /// motor it had. The joint's own damping stays ([`Joint::motor_with`]).
    pub fn drive(
        &mut self,
        id: JointId,
        motor: Motor,
        path: Option<Trajectory>,
    ) -> Result<&mut Self, ModelError> {
        let dimension = self.dimension;
        let Some(joint) = self.joints.get_mut(id.index()) else {
            let (joint, reason) = (format!("joint-{}", id.index() + 1), "there is no such joint");
            return Err(ModelError::Joint { joint, reason: reason.into() });
        };
        let wrong = |reason: &str| ModelError::Joint {
            joint: joint.name.clone(),
            reason: reason.to_owned(),
        };
        let gear = matches!(joint.kind, JointKind::Gear { .. });
        let moves = joint.kind == JointKind::Distance || joint.coordinates(dimension).count() > 0;
        if gear || !moves {
            return Err(wrong("nothing moves, so there is nothing to drive"));
        }
        JointInit {
            motor: Some(motor),
            path: path.clone(),
            ..JointInit::new(joint.kind, None, None)
        }
        .check_numbers()
        .map_err(|reason| wrong(&reason))?;
        joint.motor = joint.motor_with(Some(Motor { follows: path.is_some(), ..motor }));
        joint.path = path;
        Ok(self)
    }

    /// The outer bodies of two geared joints.
    fn geared(&self, joints: [JointId; 2]) -> Result<[Option<BodyId>; 2], String> {
        if joints[0] == joints[1] {
            return Err("a gear couples two different joints".into());
        }
        let mut bodies = [None; 2];
        for (body, id) in bodies.iter_mut().zip(joints) {
            let Some(joint) = self.joints.get(id.index()) else {
                return Err(format!("there is no joint number {}", id.index() + 1));
            };
            let no_coordinate = joint.coordinates(self.dimension).next().is_none();
            if no_coordinate || matches!(joint.kind, JointKind::Gear { .. } | JointKind::Distance) {
                return Err(format!("joint {:?} has no coordinate to couple", joint.name));
            }
            *body = joint.bodies[1].or(joint.bodies[0]);
        }
        Ok(bodies)
    }

    /// The joint of that name.
    pub fn find_joint(&self, name: &str) -> Option<JointId> {
        self.joints.iter().position(|j| j.name == name).map(JointId::new)
    }

    /// Takes over the rules, joints, force elements, pairs and ignored pairs of a model whose bodies have been added
    /// here in the same order; joints keep the frames they have there.
    pub fn adopt(&mut self, model: &Model) -> &mut Self {
        (self.friction_rule, self.restitution_rule) = model.rules();
        self.joints.extend(model.joints.iter().cloned());
        // Mortar is laid anew where bodies touch.
        let laid = |f: &&ForceElement| !matches!(f.kind, ForceKind::Bond { .. });
        self.forces.extend(model.forces.iter().filter(laid).cloned());
        self.overrides.extend(model.overrides.iter().map(|(pair, values)| (*pair, *values)));
        self.ignored.extend(model.ignored.iter().copied());
        self
    }

    /// No contacts between these two.
    pub fn ignore(&mut self, a: BodyId, b: BodyId) -> &mut Self {
        self.ignored.insert(ordered(a, b));
        self
    }

    /// Friction or restitution of these two, whatever their own.
    pub fn pair(&mut self, a: BodyId, b: BodyId, values: PairOverride) -> &mut Self {
        self.overrides.insert(ordered(a, b), values);
        self
    }

    /// The model and the state at time zero.
    pub fn build(self) -> (Model, State) {
        let n = self.bodies.len();
        let mut dof = Vec::with_capacity(n);
        let mut n_dof = 0;
        for init in &self.bodies {
            let moves = init.body.motion == Motion::Dynamic;
            dof.push(moves.then_some(n_dof));
            n_dof += if moves { self.dimension.dof() } else { 0 };
        }
        let mut state = State {
            time: 0.0,
            step: 0,
            q: self.bodies.iter().map(|b| b.pose).collect(),
            nu: self
                .bodies
                .iter()
                .map(|b| match b.body.motion {
                    Motion::Static => Twist::default(),
                    _ => b.twist,
                })
                .collect(),
            angle: self.bodies.iter().map(|b| b.angle).collect(),
            applied: vec![Wrench::default(); n],
            last_h: 0.0,
            instant_spin: vec![false; n],
            joint_angles: vec![[0.0; 3]; self.joints.len()],
            motors: self.joints.iter().map(|j| j.motor).collect(),
            broken: Vec::new(),
        };
        let mut model = Model {
            dimension: self.dimension,
            gravity: self.gravity,
            bodies: self.bodies.into_iter().map(|b| b.body).collect(),
            joints: self.joints,
            forces: self.forces,
            overrides: self.overrides,
            ignored: self.ignored,
            friction_rule: self.friction_rule,
            restitution_rule: self.restitution_rule,
            dof,
            n_dof,
            description: self.description,
            camera: self.camera,
            token: Arc::default(),
        };
        model.lay_mortar(&mut state);
        (model, state)
    }
}

fn check_body(body: &Body, dimension: Dimension) -> Result<(), ModelError> {
    let range = |what, value: f64, ok: bool, range| {
        if ok {
            Ok(())
        } else {
            Err(ModelError::Range { body: body.name.clone(), what, value, range })
        }
    };
    let m = body.material;
    range("friction", m.friction, m.friction >= 0.0 && m.friction.is_finite(), "0 or more")?;
    for (what, x) in [("rolling friction", m.rolling), ("torsional friction", m.torsional)] {
        range(what, x, x >= 0.0 && x.is_finite(), "0 or more")?;
    }
    let e = m.restitution;
    range("restitution", e, (0.0..=1.0).contains(&e), "between 0 and 1")?;
    if !body.force.is_finite() || !body.torque.is_finite() {
        return Err(ModelError::NotFinite { body: body.name.clone(), what: "force and torque" });
    }
    if body.motion != Motion::Dynamic {
        return Ok(());
    }
    range("mass", body.mass, body.mass > 0.0 && body.mass.is_finite(), "more than 0")?;
    if !body.radius.is_finite() {
        return Err(ModelError::Infinite(body.name.clone()));
    }
    check_inertia(&body.inertia, dimension)
        .map_err(|reason| ModelError::Inertia { body: body.name.clone(), reason })
}

/// Symmetric, positive definite, and no principal moment above the sum of the two others.
fn check_inertia(inertia: &Mat3, dimension: Dimension) -> Result<(), &'static str> {
    if !inertia.is_finite() {
        return Err("must be finite");
    }
    if dimension == Dimension::Two {
        let ok = inertia.z_axis.z > 0.0;
        return if ok { Ok(()) } else { Err("about z must be more than 0") };
    }
    let scale = inertia.x_axis.x.abs() + inertia.y_axis.y.abs() + inertia.z_axis.z.abs();
    let t = inertia.transpose();
    let skew = (0..3).any(|i| (inertia.col(i) - t.col(i)).length() > 1e-9 * scale);
    if skew {
        return Err("must be symmetric");
    }
    // Sylvester's criterion.
    let minor = inertia.x_axis.x * inertia.y_axis.y - inertia.x_axis.y * inertia.y_axis.x;
    let definite = inertia.x_axis.x > 0.0 && minor > 0.0 && inertia.determinant() > 0.0;
    if !definite {
        return Err("must be positive definite");
    }
    // The second-moment matrix tr(J)/2 I - J of a real body has no negative diagonal in any
    // frame; checked through its own minors, with room for round-off.
    let half = 0.5 * scale;
    let s = Mat3::from_diagonal(Vec3::splat(half * (1.0 + 1e-9))) - *inertia;
    let minor = s.x_axis.x * s.y_axis.y - s.x_axis.y * s.y_axis.x;
    let room = -1e-9 * scale;
    let real =
        s.x_axis.x >= room && minor >= room * scale && s.determinant() >= room * scale * scale;
    if real { Ok(()) } else { Err("breaks the triangle inequality: no body has it") }
}
