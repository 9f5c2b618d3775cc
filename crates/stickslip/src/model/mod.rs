//! What stays fixed during a run: bodies, joints, materials, which pairs may touch.

mod body;
mod body_init;
mod bond;
mod builder;
mod camera;
mod change;
mod force;
mod force_motion;
mod joint;
mod joint_frame;
mod joint_init;
mod joint_motion;
mod joint_values;
mod material;
mod trajectory;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

pub use body::{Body, BodyId, Motion};
pub use body_init::BodyInit;
pub use builder::{ModelBuilder, ModelError};
pub use camera::Camera;
pub use force::{AddForces, ForceElement, ForceFunction, ForceInit, ForceKind};
pub use force_motion::ForceRow;
pub use joint::{Freedom, Joint, JointId, JointKind, Motor, MotorTarget};
pub use joint_frame::JointRow;
pub use joint_init::JointInit;
pub use joint_values::{JointMotion, Measured};

pub use bond::Mortar;
pub use material::{FrictionRule, Material, PairOverride, RestitutionRule};
pub use trajectory::{Blend, Desired, Trajectory, Waypoint};

use stickslip_geometry::Vec3;
pub use stickslip_geometry::{Block, Dimension};

/// The scene without its state. Made by [`ModelBuilder`], which checks it.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) dimension: Dimension,
    pub(crate) gravity: Vec3,
    pub(crate) bodies: Vec<Body>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) forces: Vec<ForceElement>,
    pub(crate) overrides: BTreeMap<(BodyId, BodyId), PairOverride>,
    pub(crate) ignored: BTreeSet<(BodyId, BodyId)>,
    pub(crate) friction_rule: FrictionRule,
    pub(crate) restitution_rule: RestitutionRule,
    /// First generalised velocity of each body; `None` where forces do not move it.
    pub(crate) dof: Vec<Option<usize>>,
    pub(crate) n_dof: usize,
    pub(crate) description: String,
    pub(crate) camera: Option<Camera>,
    /// The same for copies of one scene, and another for every scene that is made.
    pub(crate) token: Arc<()>,
}

impl Model {
    /// 2D or 3D.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Gravity \[m/s²\].
    pub fn gravity(&self) -> Vec3 {
        self.gravity
    }

    /// What happens in the scene, in one line; empty where nobody said.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Where pictures are taken from; `None` for a view of the whole motion.
    pub fn camera(&self) -> Option<&Camera> {
        self.camera.as_ref()
    }

    /// How the coefficients of two bodies combine.
    pub fn rules(&self) -> (FrictionRule, RestitutionRule) {
        (self.friction_rule, self.restitution_rule)
    }

    /// All bodies, in the order they were added.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// One body.
    pub fn body(&self, id: BodyId) -> &Body {
        &self.bodies[id.index()]
    }

    /// The body of that name.
    pub fn find(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|b| b.name == name).map(BodyId::new)
    }

    /// Ids of all bodies.
    pub fn ids(&self) -> impl Iterator<Item = BodyId> + use<> {
        (0..self.bodies.len()).map(BodyId::new)
    }

    /// All joints, in the order they were added.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// One joint.
    pub fn joint(&self, id: JointId) -> &Joint {
        &self.joints[id.index()]
    }

    /// The joint of that name.
    pub fn find_joint(&self, name: &str) -> Option<JointId> {
        self.joints.iter().position(|j| j.name == name).map(JointId::new)
    }

    /// Ids of all joints.
    pub fn joint_ids(&self) -> impl Iterator<Item = JointId> + use<> {
        (0..self.joints.len()).map(JointId::new)
    }

    /// Whether joint friction or motors can put rows with bounds into the problems.
    pub fn has_bounded_joints(&self) -> bool {
        self.joints.iter().any(|j| j.friction > 0.0 || j.motor.is_some())
    }

    /// Whether a body has a joint.
    pub(crate) fn is_jointed(&self, id: BodyId) -> bool {
        self.joints.iter().any(|j| j.bodies.contains(&Some(id)))
    }

    /// Marks all bodies that joints connect to a marked one, over bodies that forces move.
    pub(crate) fn spread_along_joints(&self, marked: &mut [bool]) {
        let mut grows = true;
        while std::mem::take(&mut grows) {
            for joint in &self.joints {
                let [Some(a), Some(b)] = joint.bodies else { continue };
                let free = [a, b].into_iter().all(|id| self.dof(id).is_some());
                let [a, b] = [a, b].map(BodyId::index);
                if free && marked[a] != marked[b] {
                    (marked[a], marked[b], grows) = (true, true, true);
                }
            }
        }
    }

    /// Where the body's velocities start in the vector ν; `None` for static and kinematic bodies.
    pub fn dof(&self, id: BodyId) -> Option<usize> {
        self.dof[id.index()]
    }

    /// Length of ν.
    pub fn n_dof(&self) -> usize {
        self.n_dof
    }

    /// Whether contacts between the two are looked for at all.
    pub fn may_touch(&self, a: BodyId, b: BodyId) -> bool {
        let (x, y) = (self.body(a), self.body(b));
        a != b
            && x.collides
            && y.collides
            && (x.motion == Motion::Dynamic || y.motion == Motion::Dynamic)
            && !self.ignored.contains(&ordered(a, b))
    }

    /// Friction and restitution between two bodies: the pair's own, or combined by the rules. Of rolling and
    /// torsional friction the larger holds.
    pub fn material(&self, a: BodyId, b: BodyId) -> Material {
        let (x, y) = (self.body(a).material, self.body(b).material);
        let pair = self.overrides.get(&ordered(a, b)).copied().unwrap_or_default();
        Material {
            friction: pair
                .friction
                .unwrap_or_else(|| self.friction_rule.combine(x.friction, y.friction)),
            restitution: pair
                .restitution
                .unwrap_or_else(|| self.restitution_rule.combine(x.restitution, y.restitution)),
            rolling: pair.rolling.unwrap_or(x.rolling.max(y.rolling)),
            torsional: pair.torsional.unwrap_or(x.torsional.max(y.torsional)),
        }
    }

    /// Whether any contact may carry rolling or torsional friction.
    pub fn has_contact_torques(&self) -> bool {
        let body = |b: &Body| b.material.rolling > 0.0 || b.material.torsional > 0.0;
        let pair =
            |p: &PairOverride| [p.rolling, p.torsional].into_iter().flatten().any(|x| x > 0.0);
        self.bodies.iter().any(body) || self.overrides.values().any(pair)
    }
}

pub(crate) fn ordered(a: BodyId, b: BodyId) -> (BodyId, BodyId) {
    if a <= b { (a, b) } else { (b, a) }
}
