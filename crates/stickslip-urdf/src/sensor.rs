//! Sensors of a file: what they measure and where.

use stickslip::geometry::{Pose, Vec3};

use crate::{
    Robot,
    place::{Placing, inverse},
};

/// The volume of a site, about its pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Zone {
    /// Half axes of an ellipsoid \[m\].
    Ellipsoid(Vec3),
    /// Half edges of a box \[m\].
    Box(Vec3),
    /// Radius and half length along z of a cylinder \[m\].
    Cylinder([f64; 2]),
    /// The same of a capsule, without the caps \[m\].
    Capsule([f64; 2]),
}

/// A sensor of a robot's file.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    /// Its name in the file.
    pub name: String,
    /// What it measures, in MJCF's word: `accelerometer`, `touch`, `jointpos`, ...
    pub kind: String,
    /// The link it is fixed to, and its pose in the frame of that.
    pub at: Option<(usize, Pose)>,
    /// The frame relative to which it measures; the world's if there is none.
    pub relative_to: Option<(usize, Pose)>,
    /// The joint it measures, or that holds its link.
    pub joint: Option<String>,
    /// Lengths and forces of an actuator are this times those of the joint.
    pub gear: f64,
    /// Where a touch sensor feels.
    pub zone: Option<Zone>,
    /// Largest value that it shows; 0: no limit.
    pub cutoff: f64,
}

/// A sensor in a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedSensor {
    /// Its name, with the prefix of the robot.
    pub name: String,
    /// What it measures, as in [`Sensor::kind`].
    pub kind: String,
    /// Name of the body it is fixed to (none: the world), and its pose in the frame of that.
    pub at: (Option<String>, Pose),
    /// The frame relative to which it measures.
    pub relative_to: (Option<String>, Pose),
    /// Name of the joint.
    pub joint: Option<String>,
    /// Anchor of that joint in the frame of its second body \[m\].
    pub anchor: Vec3,
    /// See [`Sensor::gear`].
    pub gear: f64,
    /// See [`Sensor::zone`].
    pub zone: Option<Zone>,
    /// See [`Sensor::cutoff`].
    pub cutoff: f64,
    /// Names of the bodies of its link and of all that hang on that.
    pub subtree: Vec<String>,
}

impl Robot {
    /// A link and all that hang on it.
    pub(crate) fn subtree(&self, link: usize) -> Vec<usize> {
        let mut found = vec![link];
        let mut next = 0;
        while let Some(&at) = found.get(next) {
            found.extend(self.joints.iter().filter(|j| j.parent == at).map(|j| j.child));
            next += 1;
        }
        found
    }
}

impl Placing<'_> {
    /// Sensors, in the frames of the bodies that carry them.
    pub(crate) fn sensors(&mut self) {
        for sensor in &self.robot.sensors {
            let on_body = |at: Option<(usize, Pose)>| {
                let Some((link, pose)) = at else { return (None, Pose::IDENTITY) };
                let world = self.frames[link].compose(&pose);
                let body = self.tree.owner[link]
                    .and_then(|owner| self.plan.body_of.get(&self.robot.links[owner].name));
                match body.map(|&k| &self.plan.bodies[k]) {
                    Some(init) => {
                        (Some(init.body.name.clone()), inverse(&init.pose).compose(&world))
                    }
                    None => (None, world),
                }
            };
            let joint = sensor.joint.as_ref().and_then(|name| self.plan.joint_of.get(name));
            let joint = joint.map(|&k| &self.plan.joints[k]);
            let anchor = joint.and_then(|j| {
                let body = &self.plan.bodies[j.bodies[1]?.index()];
                Some(inverse(&body.pose).point(j.anchor))
            });
            let needs_joint = ["force", "torque"].contains(&sensor.kind.as_str());
            if (sensor.joint.is_some() || needs_joint) && joint.is_none() {
                let what = "sensors of joints that are welded: left out";
                self.plan.notes.remark(what, &sensor.name, 0);
                continue;
            }
            let tree = sensor.at.map_or(Vec::new(), |(link, _)| self.robot.subtree(link));
            let mut bodies: Vec<usize> = tree
                .into_iter()
                .filter_map(|link| self.plan.body_of.get(&self.robot.links[link].name).copied())
                .collect();
            bodies.sort_unstable();
            bodies.dedup();
            let subtree = bodies.into_iter().map(|k| self.plan.bodies[k].body.name.clone());
            let planned = PlannedSensor {
                name: self.name(&sensor.name),
                kind: sensor.kind.clone(),
                at: on_body(sensor.at),
                relative_to: on_body(sensor.relative_to),
                joint: joint.map(|j| j.name.clone()),
                anchor: anchor.unwrap_or(Vec3::ZERO),
                gear: sensor.gear,
                zone: sensor.zone,
                cutoff: sensor.cutoff,
                subtree: subtree.collect(),
            };
            self.plan.sensors.push(planned);
        }
    }
}
