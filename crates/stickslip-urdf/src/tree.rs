//! Which links move as one, and whose body each is part of.

use stickslip::geometry::{Pose, Quat, Vec3};

use crate::{Joint, JointType, Options, Robot};

/// Who moves with whom.
pub(crate) struct Bodies {
    /// Number of the rigid group of each link; that of the root is 0.
    pub group: Vec<usize>,
    /// Group that each group hangs from; the root's own is 0.
    pub parent: Vec<usize>,
    /// The link whose body each link is part of; `None`: the world.
    pub owner: Vec<Option<usize>>,
    /// Whether the root's group stands still.
    pub stands: bool,
}

impl Robot {
    pub(crate) fn has_mass(&self, link: usize) -> bool {
        self.links[link].inertial.is_some_and(|i| i.mass > 0.0)
    }

    /// Links from the root outward, each with the joint that holds it.
    pub(crate) fn order(&self) -> Vec<(usize, Option<usize>)> {
        let mut below = vec![Vec::new(); self.links.len()];
        for (k, joint) in self.joints.iter().enumerate() {
            below[joint.parent].push(k);
        }
        let mut order = vec![(self.root, None)];
        let mut next = 0;
        while next < order.len() {
            let link = order[next].0;
            order.extend(below[link].iter().map(|&k| (self.joints[k].child, Some(k))));
            next += 1;
        }
        order
    }

    /// Pose of every link in the world.
    pub(crate) fn frames(&self, root: Pose, positions: &[f64]) -> Vec<Pose> {
        let mut frames = vec![root; self.links.len()];
        for (link, holder) in self.order() {
            let Some(k) = holder else { continue };
            let joint = &self.joints[k];
            let motion = motion(joint, positions[k] - joint.reference);
            frames[link] = frames[joint.parent].compose(&joint.origin).compose(&motion);
        }
        frames
    }

    pub(crate) fn bodies(&self, options: &Options) -> Bodies {
        let order = self.order();
        let (mut group, mut parent) = (vec![0; self.links.len()], vec![0]);
        for &(link, holder) in &order {
            let Some(joint) = holder.map(|k| &self.joints[k]) else { continue };
            group[link] = match joint.kind {
                JointType::Fixed => group[joint.parent],
                _ => {
                    parent.push(group[joint.parent]);
                    parent.len() - 1
                }
            };
        }
        let massive = |g: usize| (0..group.len()).any(|l| group[l] == g && self.has_mass(l));
        let world = self.links[self.root].name == "world";
        let stands = options.fixed_base.unwrap_or_else(|| world || !massive(0));
        let mut owner = vec![None; self.links.len()];
        // Those with mass are bodies; the others go to the nearest above, or else below.
        for &(link, holder) in &order {
            let above = holder.map(|k| &self.joints[k]).filter(|j| j.kind == JointType::Fixed);
            owner[link] = match (self.has_mass(link), above) {
                (true, _) => Some(link),
                (false, Some(joint)) => owner[joint.parent],
                (false, None) => None,
            };
        }
        for &(link, holder) in order.iter().rev() {
            let fixed = holder.map(|k| &self.joints[k]).filter(|j| j.kind == JointType::Fixed);
            if let Some(joint) = fixed
                && owner[joint.parent].is_none()
                && owner[link].is_some()
                && !(stands && group[link] == 0)
            {
                owner[joint.parent] = owner[link];
            }
        }
        // What is left has no mass in its group, or is welded to a base that stands still.
        let touched = |g: usize, owner: &[Option<usize>]| {
            let bare = |&l: &usize| group[l] == g && owner[l].is_none();
            (0..group.len()).filter(bare).any(|l| !self.links[l].collisions.is_empty())
        };
        let scenery = touched(0, &owner);
        let mut first = vec![None; parent.len()];
        for &(link, holder) in &order {
            let g = group[link];
            let unowned = owner[link].is_none();
            let moves = g != 0 || !stands;
            if unowned && (moves || scenery) {
                // A massless link below one that got its body from further down shares it.
                let above = holder.map(|k| &self.joints[k]).filter(|j| j.kind == JointType::Fixed);
                owner[link] = above.and_then(|j| owner[j.parent]).or(first[g]).or(Some(link));
            }
            first[g] = first[g].or(owner[link]);
        }
        Bodies { group, parent, owner, stands }
    }
}

/// How far a joint moved its child.
fn motion(joint: &Joint, q: f64) -> Pose {
    match joint.kind {
        JointType::Revolute | JointType::Continuous => {
            let turn = Quat::from_axis_angle(joint.axis, q);
            Pose::new(joint.anchor - turn * joint.anchor, turn)
        }
        JointType::Prismatic => Pose::new(joint.axis * q, Quat::IDENTITY),
        _ => Pose::new(Vec3::ZERO, Quat::IDENTITY),
    }
}
