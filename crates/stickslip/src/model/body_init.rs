//! A body and how it starts, put together by chained calls.

use stickslip_geometry::{Mat3, Pose, Quat, Solid, Vec3};

use super::{Body, Material, Motion};
use crate::state::Twist;

/// A body with its initial pose and velocity.
///
/// ```
/// use stickslip::{BodyInit, geometry::{Solid, Vec3}};
///
/// let cube = Solid::cuboid(Vec3::ONE)?;
/// let body = BodyInit::new(&cube).named("cube").at(Vec3::new(0.0, 0.0, 2.0)).friction(0.3);
/// assert_eq!(body.body.mass, 1.0);
/// # Ok::<(), stickslip::geometry::GeometryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BodyInit {
    /// The body.
    pub body: Body,
    /// Its pose at time zero.
    pub pose: Pose,
    /// In 2D its angle \[rad\].
    pub angle: f64,
    /// Its velocity at time zero.
    pub twist: Twist,
}

impl BodyInit {
    /// A dynamic body of mass 1 kg with the inertia of its shape, friction 0.5, no restitution,
    /// at rest at the origin. A shape that cannot move is static.
    pub fn new(solid: &Solid) -> Self {
        let movable = solid.is_movable();
        let body = Body {
            name: String::new(),
            shape: solid.shape.clone(),
            motion: if movable { Motion::Dynamic } else { Motion::Static },
            mass: 1.0,
            inertia: if movable { solid.inertia * (1.0 / solid.volume) } else { Mat3::IDENTITY },
            material: Material { friction: 0.5, restitution: 0.0, rolling: 0.0, torsional: 0.0 },
            collides: true,
            force: Vec3::ZERO,
            torque: Vec3::ZERO,
            color: None,
            visible: true,
            radius: solid.shape.bounding_radius(),
            thickness: crate::sweep::thickness(&solid.shape),
        };
        Self { body, pose: Pose::IDENTITY, angle: 0.0, twist: Twist::default() }
    }

    /// Its name, unique in the scene.
    pub fn named(mut self, name: &str) -> Self {
        self.body.name = name.into();
        self
    }

    /// Sets the mass \[kg\]; the inertia scales along.
    pub fn mass(mut self, mass: f64) -> Self {
        self.body.inertia *= mass / self.body.mass;
        self.body.mass = mass;
        self
    }

    /// Sets the inertia, body axes \[kg m²\]. After [`BodyInit::mass`].
    pub fn inertia(mut self, inertia: Mat3) -> Self {
        self.body.inertia = inertia;
        self
    }

    /// Nothing moves it.
    pub fn fixed(mut self) -> Self {
        self.body.motion = Motion::Static;
        self
    }

    /// It keeps its velocity whatever touches it.
    pub fn kinematic(mut self) -> Self {
        self.body.motion = Motion::Kinematic;
        self
    }

    /// Rolling friction \[m\]: a torque of up to this times the normal force opposes rolling.
    pub fn rolling_friction(mut self, length: f64) -> Self {
        self.body.material.rolling = length;
        self
    }

    /// Torsional friction \[m\]: the same for spinning about the normal.
    pub fn torsional_friction(mut self, length: f64) -> Self {
        self.body.material.torsional = length;
        self
    }

    /// Coefficient of friction.
    pub fn friction(mut self, mu: f64) -> Self {
        self.body.material.friction = mu;
        self
    }

    /// Coefficient of restitution.
    pub fn restitution(mut self, e: f64) -> Self {
        self.body.material.restitution = e;
        self
    }

    /// Position of the centre of mass \[m\].
    pub fn at(mut self, position: Vec3) -> Self {
        self.pose.position = position;
        self
    }

    /// Orientation (3D).
    pub fn turned(mut self, orientation: Quat) -> Self {
        self.pose.orientation = orientation;
        self
    }

    /// Angle (2D) \[rad\].
    pub fn angle(mut self, angle: f64) -> Self {
        self.angle = angle;
        self
    }

    /// Velocity \[m/s\].
    pub fn velocity(mut self, linear: Vec3) -> Self {
        self.twist.linear = linear;
        self
    }

    /// Angular velocity \[rad/s\].
    pub fn spin(mut self, angular: Vec3) -> Self {
        self.twist.angular = angular;
        self
    }

    /// Constant external force \[N\].
    pub fn force(mut self, force: Vec3) -> Self {
        self.body.force = force;
        self
    }

    /// Constant external torque \[N m\].
    pub fn torque(mut self, torque: Vec3) -> Self {
        self.body.torque = torque;
        self
    }
}
