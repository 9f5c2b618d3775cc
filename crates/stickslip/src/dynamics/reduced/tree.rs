//! Which bodies make trees that joint coordinates describe.
//!
//! A tree hangs on the world (or on a body of prescribed motion) by one joint, or floats: then its
//! first body has the coordinates of a free body. Joints that close loops, and distance joints, are
//! no coordinates: mechanisms with them are left to the rows of joints.

use crate::model::{
    BodyId, Dimension, ForceElement, ForceKind, Freedom, Joint, JointId, JointKind, Model,
};

/// What a link hangs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parent {
    /// A link of the tree.
    Link(usize),
    /// A body that forces do not move; `None` is the world.
    Ground(Option<BodyId>),
}

/// A body of a tree and the joint to its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The body.
    pub body: BodyId,
    /// The joint that it hangs on; `None` for the first body of a tree that floats.
    pub joint: Option<JointId>,
    /// Whether the parent is body A of the joint.
    pub forward: bool,
    /// What it hangs on.
    pub parent: Parent,
    /// Free translations and rotations of the joint, as indices 0..6 of its frame.
    pub axes: Vec<usize>,
    /// Its first coordinate among those of the tree.
    pub first: usize,
    /// Whether it turns about every axis: the three rates are then the angular velocity in the
    /// frame on A, and the position is a rotation.
    pub ball: bool,
}

/// `q1 + ratio q2` stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gear {
    /// The coupled coordinates of the tree.
    pub coordinates: [usize; 2],
    /// Ratio.
    pub ratio: f64,
}

/// Bodies joined without loops, parents before children.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Tree {
    /// The links.
    pub links: Vec<Link>,
    /// Gears between its joints.
    pub gears: Vec<Gear>,
    /// Number of coordinates.
    pub n: usize,
    /// Armature of every coordinate \[kg or kg m²\]; empty where there is none.
    pub rotors: Vec<f64>,
}

impl Tree {
    /// All trees of a model, and whether they hold all bodies that forces move and all joints.
    /// With `loose` bodies without joints are trees as well.
    pub fn all(model: &Model, loose: bool) -> (Vec<Self>, bool) {
        let mut grow = Grow::new(model);
        let mut trees = Vec::new();
        let mut complete = true;
        for root in model.ids().filter(|&id| model.dof(id).is_some()) {
            if grow.seen[root.index()] {
                continue;
            }
            let bodies = grow.component(root);
            match grow.tree(&bodies) {
                Some(tree) if loose || tree.links.iter().any(|l| l.joint.is_some()) => {
                    trees.push(tree);
                }
                _ => complete = false,
            }
        }
        (trees, complete)
    }

    /// The coordinate that a joint spring acts on; `None` for other elements and joints elsewhere.
    pub fn spring_at(&self, model: &Model, element: &ForceElement) -> Option<usize> {
        let ForceKind::JointSpring { joint, .. } = element.kind else { return None };
        let link = self.links.iter().find(|l| l.joint == Some(joint))?;
        let turns = link.ball && link.axes.first().is_some_and(|&i| i >= 3);
        let first = model.joint(joint).coordinates(model.dimension()).next();
        (!turns && first == link.axes.first().copied()).then_some(link.first)
    }

    /// The link of a body.
    pub fn find(&self, body: BodyId) -> Option<usize> {
        self.links.iter().position(|l| l.body == body)
    }
}

struct Grow<'a> {
    model: &'a Model,
    seen: Vec<bool>,
    /// The joints at each body, gears aside.
    at: Vec<Vec<JointId>>,
}

impl<'a> Grow<'a> {
    fn new(model: &'a Model) -> Self {
        let mut at = vec![Vec::new(); model.bodies().len()];
        for id in model.joint_ids() {
            let joint = model.joint(id);
            if !matches!(joint.kind, JointKind::Gear { .. }) {
                joint.bodies.into_iter().flatten().for_each(|b| at[b.index()].push(id));
            }
        }
        Self { model, seen: vec![false; at.len()], at }
    }

    fn moves(&self, body: Option<BodyId>) -> Option<BodyId> {
        body.filter(|&b| self.model.dof(b).is_some())
    }

    /// The bodies joined to `root`, itself first.
    fn component(&mut self, root: BodyId) -> Vec<BodyId> {
        let mut found = vec![root];
        self.seen[root.index()] = true;
        let mut next = 0;
        while let Some(&body) = found.get(next) {
            next += 1;
            for &id in &self.at[body.index()] {
                for other in self.model.joint(id).bodies {
                    if let Some(b) = self.moves(other).filter(|b| !self.seen[b.index()]) {
                        self.seen[b.index()] = true;
                        found.push(b);
                    }
                }
            }
        }
        found
    }

    /// The tree of a component; `None` where it is none.
    fn tree(&self, bodies: &[BodyId]) -> Option<Tree> {
        let grounded = |id: &&JointId| {
            self.model.joint(**id).bodies.into_iter().any(|b| self.moves(b).is_none())
        };
        let held =
            bodies.iter().find_map(|b| Some((*b, *self.at[b.index()].iter().find(grounded)?)));
        let mut tree = Tree::default();
        match held {
            Some((body, joint)) => self.hang(&mut tree, body, joint, None)?,
            None => tree.float(self.model.dimension(), *bodies.first()?),
        }
        let mut used: Vec<JointId> = held.into_iter().map(|h| h.1).collect();
        let mut next = 0;
        while next < tree.links.len() {
            let body = tree.links[next].body;
            for &id in &self.at[body.index()] {
                if used.contains(&id) {
                    continue;
                }
                used.push(id);
                let ends = self.model.joint(id).bodies;
                let other = self.moves(if ends[0] == Some(body) { ends[1] } else { ends[0] })?;
                if tree.find(other).is_some() {
                    return None;
                }
                self.hang(&mut tree, other, id, Some(next))?;
            }
            next += 1;
        }
        self.gears(&mut tree)?;
        self.rotors(&mut tree);
        Some(tree)
    }

    /// Adds a link.
    fn hang(
        &self,
        tree: &mut Tree,
        body: BodyId,
        id: JointId,
        parent: Option<usize>,
    ) -> Option<()> {
        let joint = self.model.joint(id);
        let forward = joint.bodies[1] == Some(body);
        let axes = axes(joint, self.model.dimension())?;
        let ground = joint.bodies[usize::from(!forward)];
        let parent = parent.map_or(Parent::Ground(ground), Parent::Link);
        let ball = axes.iter().filter(|&&i| i >= 3).count() == 3;
        let first = tree.n;
        tree.n += axes.len();
        tree.links.push(Link { body, joint: Some(id), forward, parent, axes, first, ball });
        Some(())
    }

    /// The armature of the joints.
    fn rotors(&self, tree: &mut Tree) {
        for k in 0..tree.links.len() {
            let Some(joint) = tree.links[k].joint.map(|id| self.model.joint(id)) else { continue };
            if joint.armature > 0.0 {
                tree.rotors.resize(tree.n, 0.0);
                tree.rotors[tree.links[k].first] = joint.armature;
            }
        }
    }

    /// Gears at joints of the tree; `None` where one leads out of it.
    fn gears(&self, tree: &mut Tree) -> Option<()> {
        for joint in self.model.joints() {
            let JointKind::Gear { joints, ratio } = joint.kind else { continue };
            let place = |id: JointId| {
                let link = tree.links.iter().find(|l| l.joint == Some(id))?;
                (!link.ball && !link.axes.is_empty()).then_some(link.first)
            };
            match joints.map(place) {
                [None, None] => {}
                [Some(a), Some(b)] => tree.gears.push(Gear { coordinates: [a, b], ratio }),
                _ => return None,
            }
        }
        Some(())
    }
}

impl Tree {
    /// Adds the first body of a tree that nothing holds.
    fn float(&mut self, dimension: Dimension, body: BodyId) {
        let (axes, ball): (Vec<usize>, bool) = match dimension {
            Dimension::Two => (vec![0, 1, 5], false),
            Dimension::Three => (vec![0, 1, 2, 3, 4, 5], true),
        };
        self.n = axes.len();
        let parent = Parent::Ground(None);
        self.links.push(Link { body, joint: None, forward: true, parent, axes, first: 0, ball });
    }
}

/// The free directions of a joint; `None` for kinds that are no pattern of six.
fn axes(joint: &Joint, dimension: Dimension) -> Option<Vec<usize>> {
    match joint.kind {
        JointKind::Distance | JointKind::Gear { .. } => None,
        _ => Some(
            joint
                .coordinates(dimension)
                .filter(|&i| joint.freedoms[i] != Freedom::Locked)
                .collect(),
        ),
    }
}
