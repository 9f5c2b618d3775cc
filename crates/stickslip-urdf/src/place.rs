//! From a robot to bodies and joints of a scene.

use std::sync::Arc;

use stickslip::{
    Body, BodyId, BodyInit, JointId, JointInit, JointKind, ModelBuilder, Motion,
    geometry::{MassProperties, Mat3, Pose, Quat, Shape, Solid, Vec3, math::eigen, shape::Part},
};

use crate::{
    Added, CollisionShape, Joint, JointType, Link, Options, Plan, Robot, Scenery, UrdfError,
    inertia, pairs::Pairs, shape::Shapes, tree::Bodies,
};

/// Mass and inertia of a moving link that has none and no shape, in parts of the robot's: small
/// enough to change no motion by more than this, large enough for sums in double precision.
const MASSLESS: f64 = 1e-6;
/// Density of a moving link without mass that has a shape \[kg/m³\]: that of water, as MuJoCo and
/// others assume.
const DENSITY: f64 = 1000.0;

impl Robot {
    /// Adds bodies and joints to a scene.
    pub fn add_to(
        &self,
        builder: &mut ModelBuilder,
        options: &Options,
    ) -> Result<Added, UrdfError> {
        self.plan(options)?.add_to(builder)
    }

    /// Bodies and joints at the start.
    pub fn plan(&self, options: &Options) -> Result<Plan, UrdfError> {
        let mut plan = Plan { notes: self.notes.clone(), ..Plan::default() };
        let positions = self.positions(options, &mut plan)?;
        let mut placing = Placing {
            robot: self,
            options,
            frames: self.frames(options.pose, &positions),
            tree: self.bodies(options),
            shapes: Shapes::new(options),
            group: Vec::new(),
            masks: Vec::new(),
            plan,
        };
        for shape in &self.scenery {
            placing.scenery(shape);
        }
        let bare = placing.bodies()?;
        placing.joints(&positions);
        placing.pairs(bare);
        placing.sensors();
        let Placing { mut plan, shapes, .. } = placing;
        plan.notes.extend(&shapes.finish());
        if options.strict {
            plan.notes.refuse(&self.file)?;
        }
        Ok(plan)
    }

    /// Position of every joint at the start.
    fn positions(&self, options: &Options, plan: &mut Plan) -> Result<Vec<f64>, UrdfError> {
        let free = |j: &Joint| j.has_position() && j.mimic.is_none();
        for name in options.positions.keys() {
            if !self.joints.iter().any(|j| j.name == *name && free(j)) {
                let known: Vec<&str> =
                    self.joints.iter().filter(|j| free(j)).map(|j| j.name.as_str()).collect();
                let known = known.join(", ");
                return Err(UrdfError::Position { name: name.clone(), known });
            }
        }
        let mut own = |j: &Joint| {
            let [lower, upper] = j.limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
            let given = options.positions.get(&j.name).or_else(|| self.start.get(&j.name)).copied();
            let inside = given.unwrap_or(j.reference).max(lower).min(upper);
            if let Some(given) = given.filter(|x| *x != inside) {
                let what = "a start outside the limits of the joint: it starts at the limit";
                let name = format!("joint {:?}: {given} is not in {lower} to {upper}", j.name);
                plan.notes.fault(what, name, j.line);
            }
            inside
        };
        let mut positions: Vec<f64> = self.joints.iter().map(&mut own).collect();
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
}

pub(crate) struct Placing<'a> {
    pub(crate) robot: &'a Robot,
    options: &'a Options,
    pub(crate) frames: Vec<Pose>,
    pub(crate) tree: Bodies,
    shapes: Shapes<'a>,
    /// Rigid group of each body; `None` for scenery.
    group: Vec<Option<usize>>,
    /// What each body is and what it collides with.
    masks: Vec<Option<[u32; 2]>>,
    pub(crate) plan: Plan,
}

impl Placing<'_> {
    pub(crate) fn name(&self, name: &str) -> String {
        format!("{}{name}", self.options.prefix)
    }

    /// A shape that stands still by itself.
    fn scenery(&mut self, scenery: &Scenery) {
        if self.options.collision == CollisionShape::None {
            return;
        }
        let Some(solid) = self.shapes.solid(&scenery.shape, (&scenery.name, 0)) else { return };
        let pose = self.options.pose.compose(&scenery.shape.origin);
        let mut init = BodyInit::new(&solid)
            .named(&self.name(&scenery.name))
            .at(pose.point(solid.center))
            .turned(pose.orientation)
            .fixed();
        if let Some(friction) = self.options.friction.or(scenery.friction) {
            init.body.material.friction = friction;
        }
        resist(&mut init, scenery.torques);
        self.plan.bodies.push(init);
        self.group.push(None);
        self.masks.push(scenery.masks);
    }

    /// Adds all bodies; tells of each rigid group whether it has neither mass nor shape.
    fn bodies(&mut self) -> Result<Vec<bool>, UrdfError> {
        let mut bare = vec![true; self.tree.parent.len()];
        for (k, link) in self.robot.links.iter().enumerate() {
            let solid = !link.collisions.is_empty() || self.robot.has_mass(k);
            bare[self.tree.group[k]] &= !solid;
        }
        let reference = self.reference();
        for link in 0..self.robot.links.len() {
            if self.tree.owner[link] == Some(link) {
                self.body(link, reference)?;
            }
        }
        Ok(bare)
    }

    /// Mass and inertia for links without: a small part of the robot's.
    fn reference(&self) -> (f64, f64) {
        let given = || self.robot.links.iter().filter_map(|l| l.inertial).filter(|i| i.mass > 0.0);
        let mass: f64 = given().map(|i| i.mass).sum();
        let moment = |m: &Mat3| m.x_axis.x.max(m.y_axis.y).max(m.z_axis.z);
        let inertia = given().map(|i| moment(&i.inertia)).fold(0.0, f64::max);
        match mass > 0.0 {
            true => {
                let least = MASSLESS * mass * 1e-4;
                (MASSLESS * mass, (MASSLESS * inertia).max(least))
            }
            // A robot without any mass: as good as any other.
            false => (1.0, 0.01),
        }
    }

    /// Adds the body of a link and of those that are part of it.
    fn body(&mut self, link: usize, reference: (f64, f64)) -> Result<(), UrdfError> {
        let robot = self.robot;
        let data = &robot.links[link];
        let stands = self.tree.stands && self.tree.group[link] == 0;
        let frame = self.frames[link];
        let (mut parts, mut masses) = (Vec::new(), Vec::new());
        let members: Vec<usize> =
            (0..robot.links.len()).filter(|&k| self.tree.owner[k] == Some(link)).collect();
        for &k in &members {
            let from = inverse(&frame).compose(&self.frames[k]);
            let (found, mass) = self.shapes.of_link(&robot.links[k], !stands);
            parts.extend(
                found.into_iter().map(|p| Part { pose: from.compose(&p.pose), convex: p.convex }),
            );
            masses.extend(mass.map(|m| m.placed(&from)));
        }
        let shape_mass = MassProperties::sum(&masses).ok();
        // Body axes are those of the link, its origin the centre of mass.
        let (mass, center, inertia) = match stands {
            true => (1.0, data.inertial.map_or(Vec3::ZERO, |i| i.origin.position), Mat3::IDENTITY),
            false => self.mass(data, shape_mass, reference),
        };
        let to_center = Pose::new(-center, Quat::IDENTITY);
        parts.iter_mut().for_each(|p| p.pose = to_center.compose(&p.pose));
        let shape = match self.shapes.surface(data).filter(|_| stands && members.len() == 1) {
            Some(mesh) => mesh.mapped(|x| x - center).ok().map(|m| Shape::Surface(Arc::new(m))),
            None => (!parts.is_empty()).then_some(Shape::Parts(parts)),
        };
        let marker = Solid::sphere(1e-3).map_err(|e| UrdfError::Model(e.to_string()))?;
        let init = BodyInit::new(&marker).named(&self.name(&data.name));
        let body = Body {
            mass,
            inertia,
            collides: shape.is_some(),
            visible: shape.is_some(),
            color: data.color,
            ..init.body.clone()
        };
        let body = match shape {
            Some(shape) => {
                let shown = Solid { shape: shape.clone(), ..marker };
                let thickness = BodyInit::new(&shown).body.thickness;
                Body { radius: shape.bounding_radius(), thickness, shape, ..body }
            }
            None => body,
        };
        let mut init = BodyInit { body, ..init }.at(frame.point(center)).turned(frame.orientation);
        if let Some(friction) = self.options.friction.or(data.friction) {
            init.body.material.friction = friction;
        }
        resist(&mut init, data.torques);
        if stands {
            init.body.motion = Motion::Static;
        }
        let index = self.plan.bodies.len();
        for k in members {
            self.plan.body_of.insert(robot.links[k].name.clone(), index);
        }
        self.plan.bodies.push(init);
        self.group.push(Some(self.tree.group[link]));
        self.masks.push(data.masks);
        Ok(())
    }

    /// Mass, centre and inertia of a link that moves, mended where no body has them.
    fn mass(
        &mut self,
        link: &Link,
        shape: Option<MassProperties>,
        reference: (f64, f64),
    ) -> (f64, Vec3, Mat3) {
        let notes = &mut self.plan.notes;
        let item = format!("link {:?}", link.name);
        let Some(given) = link.inertial.filter(|i| i.mass > 0.0) else {
            if let Some(shape) = shape {
                let what = "a link that moves without mass: given that of its shape in water";
                let mass = DENSITY * shape.volume;
                notes.fault(what, format!("{item}: {mass:.3e} kg"), link.line);
                return (mass, shape.center, shape.inertia * DENSITY);
            }
            if link.between {
                let what = "bodies with several joints: one of a millionth of the robot's mass \
                            stands between each two";
                notes.remark(what, &link.name, link.line);
                return (reference.0, Vec3::ZERO, Mat3::from_diagonal(Vec3::splat(reference.1)));
            }
            let what = "a link that moves without mass or shape: given a millionth of the robot's";
            notes.fault(what, format!("{item}: {:.1e} kg", reference.0), link.line);
            return (reference.0, Vec3::ZERO, Mat3::from_diagonal(Vec3::splat(reference.1)));
        };
        let r = Mat3::from_quat(given.origin.orientation);
        let raw = r * given.inertia * r.transpose();
        let inertia = 0.5 * (raw + raw.transpose());
        let center = given.origin.position;
        let nothing = inertia::is_nothing(&inertia, given.mass);
        let reason = inertia::impossible(&inertia);
        if reason.is_none() && !nothing {
            return (given.mass, center, inertia);
        }
        if let (Some(reason), Some(mended), false) = (reason, inertia::mended(&inertia), nothing) {
            let moments = |m: &Mat3| eigen(m).0.map(|x| format!("{x:.3e}")).join(", ");
            let what = "an inertia that no body has: the nearest possible one is used";
            let name =
                format!("{item}: {reason} ({} -> {} kg m²)", moments(&inertia), moments(&mended));
            notes.fault(what, name, given.line);
            return (given.mass, center, mended);
        }
        let what = "an inertia of zero: that of the link's shape, or of a ball of water, is used";
        notes.fault(what, item, given.line);
        let ball = (0.75 * given.mass / DENSITY / std::f64::consts::PI).cbrt();
        let inertia = shape.map_or_else(
            || Mat3::from_diagonal(Vec3::splat(0.4 * given.mass * ball * ball)),
            |s| s.inertia * (given.mass / s.volume),
        );
        (given.mass, center, inertia)
    }

    fn body_of(&self, link: usize) -> Option<BodyId> {
        let owner = self.tree.owner[link]?;
        self.plan.body_of.get(&self.robot.links[owner].name).copied().map(BodyId::new)
    }

    fn moves(&self, body: Option<BodyId>) -> bool {
        body.is_some_and(|b| self.plan.bodies[b.index()].body.motion == Motion::Dynamic)
    }

    fn joints(&mut self, positions: &[f64]) {
        for (joint, &position) in self.robot.joints.iter().zip(positions) {
            self.joint(joint, position);
        }
        for joint in &self.robot.joints {
            self.mimic(joint);
        }
        for closure in &self.robot.closures {
            let [a, b] = closure.links.map(|l| self.body_of(l));
            if a == b || !(self.moves(a) || self.moves(b)) {
                continue;
            }
            let kind = match closure.kind {
                JointType::Ball => JointKind::Spherical,
                _ => JointKind::Fixed,
            };
            let anchor = self.frames[closure.links[0]].point(closure.anchor);
            let init = JointInit { collide_jointed: true, ..JointInit::new(kind, a, b) };
            let init = init.named(&self.name(&closure.name)).at(anchor);
            self.plan.joint_of.insert(closure.name.clone(), self.plan.joints.len());
            self.plan.joints.push(init);
        }
    }

    fn joint(&mut self, joint: &Joint, position: f64) {
        let [a, b] = [joint.parent, joint.child].map(|l| self.body_of(l));
        let kind = match joint.kind {
            JointType::Revolute | JointType::Continuous => JointKind::Revolute,
            JointType::Prismatic => JointKind::Prismatic,
            JointType::Planar => JointKind::Planar,
            JointType::Ball => JointKind::Spherical,
            JointType::Fixed => JointKind::Fixed,
            JointType::Floating => return,
        };
        if a == b || !(self.moves(a) || self.moves(b)) {
            return;
        }
        let frame = self.frames[joint.child];
        let mut init = JointInit::new(kind, a, b)
            .named(&self.name(&joint.name))
            .at(frame.point(joint.anchor))
            .along(frame.vector(joint.axis))
            .friction(joint.friction);
        init.limits = joint.limits.map(|l| self.around(joint, l, position));
        if joint.has_position() {
            init.start = position;
        }
        if kind != JointKind::Fixed {
            (init.damping, init.effort, init.motor) = (joint.damping, joint.effort, joint.motor);
            init.armature = joint.armature;
            // A limit of nothing is how files say that there is none.
            init.effort = init.effort.filter(|e| *e > 0.0);
            init.max_velocity = joint.velocity.filter(|v| *v > 0.0);
        }
        if let Some(velocity) = joint.velocity.filter(|v| *v > 0.0) {
            self.plan.velocity_limits.insert(init.name.clone(), velocity);
        }
        self.plan.joint_of.insert(joint.name.clone(), self.plan.joints.len());
        self.plan.joints.push(init);
    }

    /// The limits of a joint, wide enough for where it starts.
    fn around(&mut self, joint: &Joint, limits: [f64; 2], position: f64) -> [f64; 2] {
        let [lower, upper] = limits;
        if position < lower || position > upper {
            let what = "a joint that its <mimic> takes beyond its limits: they are widened";
            let name = format!("joint {:?}: {position} is not in {lower} to {upper}", joint.name);
            self.plan.notes.fault(what, name, joint.line);
        }
        [lower.min(position), upper.max(position)]
    }

    /// `q - multiplier q_leader` stays at the offset.
    fn mimic(&mut self, joint: &Joint) {
        let Some(mimic) = &joint.mimic else { return };
        let leader = &self.robot.joints[mimic.joint];
        let find = |j: &Joint| self.plan.joint_of.get(&j.name).copied().map(JointId::new);
        if let (Some(own), Some(other)) = (find(joint), find(leader)) {
            let gear = JointInit::gear(own, other, -mimic.multiplier)
                .named(&self.name(&format!("{}-mimic", joint.name)));
            self.plan.joints.push(gear);
        }
    }

    /// Which bodies pass through each other.
    fn pairs(&mut self, bare: Vec<bool>) {
        let pairs = Pairs {
            bodies: &self.plan.bodies,
            group: &self.group,
            masks: &self.masks,
            tree: &self.tree,
            bare,
            world_collides: self.robot.world_collides,
        };
        let mut ignored = pairs.joined();
        for links in &self.robot.excluded {
            if let [Some(a), Some(b)] = links.map(|l| self.body_of(l)) {
                let (a, b) = (a.index().min(b.index()), a.index().max(b.index()));
                ignored.push([a, b]);
            }
        }
        if !self.options.strict {
            let more = pairs.overlapping(&ignored, &mut self.plan.notes);
            ignored.extend(more);
        }
        self.plan.ignored = ignored;
    }
}

fn resist(init: &mut BodyInit, [rolling, torsional]: [f64; 2]) {
    let material = &mut init.body.material;
    (material.rolling, material.torsional) = (rolling, torsional);
}

pub(crate) fn inverse(pose: &Pose) -> Pose {
    let orientation = pose.orientation.conjugate();
    Pose { position: orientation * -pose.position, orientation }
}
