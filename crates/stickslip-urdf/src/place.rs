//! From a robot to bodies and joints of a scene.

use std::collections::BTreeMap;

use stickslip::{
    Body, BodyId, BodyInit, JointId, JointInit, JointKind, ModelBuilder,
    geometry::{Mat3, Pose, Quat, Shape, Solid, Vec3, mesh_file, shape::Part},
    model::{Motor, MotorTarget},
};

use crate::{Collision, Geometry, Joint, JointType, Robot, UrdfError};

/// How to put a robot into a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Pose of the root link.
    pub pose: Pose,
    /// Whether the root link stands still; `None`: if it has no mass or is named `world`.
    pub fixed_base: Option<bool>,
    /// Before the name of every body and joint, so that one robot can be added twice.
    pub prefix: String,
    /// Positions of joints at the start \[rad or m\]; zero, or the limit nearest to it, for those
    /// not named.
    pub positions: BTreeMap<String, f64>,
    /// Sides of the prisms that cylinders become; 0 keeps them smooth. Default 0.
    pub cylinder_sides: usize,
    /// Friction of all links; `None`: the default of bodies.
    pub friction: Option<f64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            pose: Pose::IDENTITY,
            fixed_base: None,
            prefix: String::new(),
            positions: BTreeMap::new(),
            cylinder_sides: 0,
            friction: None,
        }
    }
}

/// What came of a robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Added {
    /// Bodies by the name of their link. A link that is part of another's body names that body;
    /// one that is part of the world is missing.
    pub bodies: BTreeMap<String, BodyId>,
    /// Joints by their name; fixed joints that became part of a body are missing.
    pub joints: BTreeMap<String, JointId>,
}

impl Robot {
    /// Adds bodies and joints to a scene.
    pub fn add_to(
        &self,
        builder: &mut ModelBuilder,
        options: &Options,
    ) -> Result<Added, UrdfError> {
        let positions = self.positions(options)?;
        let frames = self.frames(options.pose, &positions);
        let mut work = Work {
            robot: self,
            options,
            frames,
            owner: self.owners(options)?,
            added: Added::default(),
        };
        for link in 0..self.links.len() {
            work.body(builder, link)?;
        }
        for (joint, &position) in positions.iter().enumerate() {
            work.joint(builder, joint, position)?;
        }
        for joint in 0..self.joints.len() {
            work.mimic(builder, joint)?;
        }
        Ok(work.added)
    }

    /// Position of every joint at the start.
    fn positions(&self, options: &Options) -> Result<Vec<f64>, UrdfError> {
        let moves = |j: &Joint| !matches!(j.kind, JointType::Fixed | JointType::Floating);
        for name in options.positions.keys() {
            if !self.joints.iter().any(|j| j.name == *name && moves(j) && j.mimic.is_none()) {
                let known: Vec<&str> =
                    self.joints.iter().filter(|j| moves(j)).map(|j| j.name.as_str()).collect();
                let known = known.join(", ");
                return Err(UrdfError::Position { name: name.clone(), known });
            }
        }
        let own = |j: &Joint| {
            let [lower, upper] = j.limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
            let given = options.positions.get(&j.name).copied();
            given.unwrap_or_else(|| 0.0_f64.max(lower).min(upper))
        };
        let mut positions: Vec<f64> = self.joints.iter().map(own).collect();
        // Followers take theirs from their leader, however long the line.
        for _ in 0..self.joints.len() {
            for (k, joint) in self.joints.iter().enumerate() {
                if let Some(m) = &joint.mimic {
                    positions[k] = m.multiplier * positions[m.joint] + m.offset;
                }
            }
        }
        Ok(positions)
    }

    /// Pose of every link in the world.
    fn frames(&self, root: Pose, positions: &[f64]) -> Vec<Pose> {
        let mut frames = vec![root; self.links.len()];
        let mut queue = vec![self.root];
        while let Some(link) = queue.pop() {
            for (k, joint) in self.joints.iter().enumerate().filter(|(_, j)| j.parent == link) {
                let q = positions[k];
                let motion = match joint.kind {
                    JointType::Revolute | JointType::Continuous => {
                        Pose::new(Vec3::ZERO, Quat::from_axis_angle(joint.axis, q))
                    }
                    JointType::Prismatic => Pose::new(joint.axis * q, Quat::IDENTITY),
                    _ => Pose::IDENTITY,
                };
                frames[joint.child] = frames[link].compose(&joint.origin).compose(&motion);
                queue.push(joint.child);
            }
        }
        frames
    }

    fn has_mass(&self, link: usize) -> bool {
        self.links[link].inertial.is_some_and(|i| i.mass > 0.0)
    }

    /// Whether the root link stands still.
    fn stands(&self, options: &Options) -> bool {
        let world = self.links[self.root].name == "world";
        options.fixed_base.unwrap_or_else(|| world || !self.has_mass(self.root))
    }

    /// The link whose body each link is part of; `None`: the world.
    fn owners(&self, options: &Options) -> Result<Vec<Option<usize>>, UrdfError> {
        let mut owners = vec![None; self.links.len()];
        let root = &self.links[self.root];
        let fixed = self.stands(options);
        // A base that stands still is a body of its own only if it can be touched.
        if !fixed || !root.collisions.is_empty() {
            owners[self.root] = Some(self.root);
        }
        if !fixed && !self.has_mass(self.root) {
            return Err(massless(&root.name, "mass is missing or 0"));
        }
        let mut queue = vec![self.root];
        while let Some(link) = queue.pop() {
            for joint in self.joints.iter().filter(|j| j.parent == link) {
                owners[joint.child] = match (self.has_mass(joint.child), joint.kind) {
                    (true, _) => Some(joint.child),
                    (false, JointType::Fixed) => owners[link],
                    (false, _) => {
                        let name = &self.links[joint.child].name;
                        return Err(massless(name, "mass is missing or 0"));
                    }
                };
                queue.push(joint.child);
            }
        }
        Ok(owners)
    }
}

fn massless(link: &str, what: &str) -> UrdfError {
    UrdfError::Massless { link: link.into(), what: what.into() }
}

struct Work<'a> {
    robot: &'a Robot,
    options: &'a Options,
    frames: Vec<Pose>,
    owner: Vec<Option<usize>>,
    added: Added,
}

impl Work<'_> {
    fn name(&self, name: &str) -> String {
        format!("{}{name}", self.options.prefix)
    }

    /// Adds the body of a link, or names the one that it is part of.
    fn body(&mut self, builder: &mut ModelBuilder, link: usize) -> Result<(), UrdfError> {
        if self.owner[link] != Some(link) {
            return Ok(());
        }
        let data = &self.robot.links[link];
        let inertial = data.inertial.filter(|i| i.mass > 0.0);
        // Body axes are those of the link, its origin the centre of mass.
        let center = inertial.map_or(Vec3::ZERO, |i| i.origin.position);
        let frame = self.frames[link];
        let mut parts = Vec::new();
        for (k, other) in self.robot.links.iter().enumerate() {
            if self.owner[k] == Some(link) {
                let from = inverse(&frame).compose(&self.frames[k]);
                for collision in &other.collisions {
                    self.parts(&other.name, collision, &from, &mut parts)?;
                }
            }
        }
        let to_center = Pose::new(-center, Quat::IDENTITY);
        parts.iter_mut().for_each(|p| p.pose = to_center.compose(&p.pose));
        let collides = !parts.is_empty();
        let marker = Solid::sphere(1e-3).map_err(|e| shape_error(&data.name, &e))?;
        let mut init = BodyInit::new(&marker).named(&self.name(&data.name));
        if collides {
            let shape = Shape::Parts(parts);
            init.body = Body { radius: shape.bounding_radius(), shape, ..init.body };
        }
        init.body.collides = collides;
        init.body.visible = collides;
        init.body.color = data.color;
        if let Some(friction) = self.options.friction {
            init.body.material.friction = friction;
        }
        if let Some(i) = inertial {
            let r = Mat3::from_quat(i.origin.orientation);
            init.body.mass = i.mass;
            init.body.inertia = r * i.inertia * r.transpose();
            if init.body.inertia == Mat3::ZERO {
                return Err(massless(&data.name, "inertia is 0"));
            }
        }
        let stands = link == self.robot.root && self.robot.stands(self.options);
        let init = init.at(frame.point(center)).turned(frame.orientation);
        let init = if stands { init.fixed() } else { init };
        let id = builder.add(init).map_err(|e| UrdfError::Model(e.to_string()))?;
        for (k, other) in self.robot.links.iter().enumerate() {
            if self.owner[k] == Some(link) {
                self.added.bodies.insert(other.name.clone(), id);
            }
        }
        Ok(())
    }

    /// The convex parts of a collision shape, `from` being its link in the body's link.
    fn parts(
        &self,
        link: &str,
        collision: &Collision,
        from: &Pose,
        out: &mut Vec<Part>,
    ) -> Result<(), UrdfError> {
        let wrong = |e| shape_error(link, &e);
        let solid = match &collision.geometry {
            Geometry::Box(size) => Solid::cuboid(*size).map_err(wrong)?,
            Geometry::Sphere(radius) => Solid::sphere(*radius).map_err(wrong)?,
            Geometry::Cylinder { radius, length } => {
                Solid::cylinder(*radius, *length, self.options.cylinder_sides).map_err(wrong)?
            }
            Geometry::Capsule { radius, length } => {
                Solid::capsule(*radius, *length).map_err(wrong)?
            }
            Geometry::Mesh { name, path, scale } => {
                let failed = |reason: String| UrdfError::Mesh {
                    link: link.into(),
                    name: name.clone(),
                    reason,
                };
                let mesh = mesh_file::read(path).map_err(|e| failed(e.to_string()))?;
                let mesh = mesh.mapped(|x| x * *scale).map_err(|e| failed(e.to_string()))?;
                // A mesh that is not convex is split into parts that are.
                Solid::mesh(&mesh)
                    .or_else(|_| Solid::decomposed(&mesh))
                    .map_err(|e| failed(e.to_string()))?
            }
        };
        let Shape::Parts(inner) = &solid.shape else {
            let reason = "the shape has no inside".into();
            return Err(UrdfError::Shape { link: link.into(), reason });
        };
        let centered = Pose::new(solid.center, Quat::IDENTITY);
        let outer = from.compose(&collision.origin).compose(&centered);
        out.extend(
            inner.iter().map(|p| Part { pose: outer.compose(&p.pose), convex: p.convex.clone() }),
        );
        Ok(())
    }

    fn joint(
        &mut self,
        builder: &mut ModelBuilder,
        k: usize,
        position: f64,
    ) -> Result<(), UrdfError> {
        let joint = &self.robot.joints[k];
        let body = |link: usize| {
            self.owner[link].and_then(|o| self.added.bodies.get(&self.robot.links[o].name).copied())
        };
        if self.owner[joint.child] != Some(joint.child) || joint.kind == JointType::Floating {
            return Ok(());
        }
        let kind = match joint.kind {
            JointType::Revolute | JointType::Continuous => JointKind::Revolute,
            JointType::Prismatic => JointKind::Prismatic,
            JointType::Planar => JointKind::Planar,
            JointType::Fixed | JointType::Floating => JointKind::Fixed,
        };
        let frame = self.frames[joint.child];
        let mut init = JointInit::new(kind, body(joint.parent), body(joint.child))
            .named(&self.name(&joint.name))
            .at(frame.position)
            .along(frame.vector(joint.axis))
            .friction(joint.friction);
        init.limits = joint.limits;
        if matches!(joint.kind, JointType::Revolute | JointType::Continuous | JointType::Prismatic)
        {
            init.start = position;
        }
        if joint.damping > 0.0 && kind != JointKind::Fixed {
            let target =
                MotorTarget::Position { position: 0.0, stiffness: 0.0, damping: joint.damping };
            init.motor = Some(Motor::new(target, None));
        }
        let id = builder.joint(init).map_err(|e| UrdfError::Model(e.to_string()))?;
        self.added.joints.insert(joint.name.clone(), id);
        Ok(())
    }

    /// `q - multiplier q_leader` stays at the offset.
    fn mimic(&mut self, builder: &mut ModelBuilder, k: usize) -> Result<(), UrdfError> {
        let joint = &self.robot.joints[k];
        let Some(mimic) = &joint.mimic else { return Ok(()) };
        let leader = &self.robot.joints[mimic.joint];
        let find = |j: &Joint| {
            self.added.joints.get(&j.name).copied().ok_or_else(|| {
                UrdfError::Model(format!("joint {:?} of a mimic has no position", j.name))
            })
        };
        let gear = JointInit::gear(find(joint)?, find(leader)?, -mimic.multiplier)
            .named(&self.name(&format!("{}-mimic", joint.name)));
        builder.joint(gear).map_err(|e| UrdfError::Model(e.to_string()))?;
        Ok(())
    }
}

fn shape_error(link: &str, error: &impl std::fmt::Display) -> UrdfError {
    UrdfError::Shape { link: link.into(), reason: error.to_string() }
}

fn inverse(pose: &Pose) -> Pose {
    let orientation = pose.orientation.conjugate();
    Pose { position: orientation * -pose.position, orientation }
}
