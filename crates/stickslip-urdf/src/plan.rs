//! Bodies and joints of a robot, ready to be put into a scene.

use std::collections::BTreeMap;

use stickslip::{BodyId, BodyInit, JointId, JointInit, JointKind, ModelBuilder};

use crate::{Notes, PlannedSensor, UrdfError};

/// Bodies and joints of a robot; ids count from its own first body and joint.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Bodies, in the order in which they are added.
    pub bodies: Vec<BodyInit>,
    /// Joints, likewise.
    pub joints: Vec<JointInit>,
    /// Pairs of bodies that pass through each other, beyond those that a joint connects.
    pub ignored: Vec<[usize; 2]>,
    /// Body of each link. A link that is part of another's body names that body; one that is
    /// part of the world is missing.
    pub body_of: BTreeMap<String, usize>,
    /// Joints by their name in the file; fixed joints that became part of a body are missing.
    pub joint_of: BTreeMap<String, usize>,
    /// Largest speeds that the file gives, by the name of the joint in the scene; velocity
    /// motors keep them.
    pub velocity_limits: BTreeMap<String, f64>,
    /// Sensors; those of links that became part of the world are in its frame.
    pub sensors: Vec<PlannedSensor>,
    /// What was wrong and what was assumed.
    pub notes: Notes,
}

/// What came of a robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Added {
    /// Bodies by the name of their link; see [`Plan::body_of`].
    pub bodies: BTreeMap<String, BodyId>,
    /// Joints by their name; see [`Plan::joint_of`].
    pub joints: BTreeMap<String, JointId>,
}

impl Plan {
    /// Puts the bodies and joints into a scene.
    pub fn add_to(&self, builder: &mut ModelBuilder) -> Result<Added, UrdfError> {
        let refused = |e: stickslip::ModelError| UrdfError::Model(e.to_string());
        let (mut bodies, mut joints) = (Vec::new(), Vec::new());
        for init in &self.bodies {
            bodies.push(builder.add(init.clone()).map_err(refused)?);
        }
        for init in &self.joints {
            let init = renamed(init, |b| bodies[b], |j| joints[j]);
            joints.push(builder.joint(init).map_err(refused)?);
        }
        for &[a, b] in &self.ignored {
            builder.ignore(bodies[a], bodies[b]);
        }
        Ok(Added {
            bodies: self.body_of.iter().map(|(name, &k)| (name.clone(), bodies[k])).collect(),
            joints: self.joint_of.iter().map(|(name, &k)| (name.clone(), joints[k])).collect(),
        })
    }

    /// The joints with the first body and joint of a scene to count from.
    pub fn joints_from(&self, body: usize, joint: usize) -> Vec<JointInit> {
        let shifted = |init: &JointInit| {
            renamed(init, |b| BodyId::new(b + body), |j| JointId::new(j + joint))
        };
        self.joints.iter().map(shifted).collect()
    }
}

fn renamed(
    init: &JointInit,
    body: impl Fn(usize) -> BodyId,
    joint: impl Fn(usize) -> JointId,
) -> JointInit {
    let kind = match init.kind {
        JointKind::Gear { joints, ratio } => {
            JointKind::Gear { joints: joints.map(|j| joint(j.index())), ratio }
        }
        other => other,
    };
    let bodies = init.bodies.map(|b| b.map(|b| body(b.index())));
    JointInit { kind, bodies, ..init.clone() }
}
