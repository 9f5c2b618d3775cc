//! `<joint>` and `<mimic>`.

use roxmltree::Node;
use stickslip::geometry::Vec3;

use crate::{
    Joint, JointType, Link, Mimic, UrdfError,
    read::Reader,
    xml::{child, children},
};

const TYPES: &[(&str, JointType)] = &[
    ("fixed", JointType::Fixed),
    ("revolute", JointType::Revolute),
    ("continuous", JointType::Continuous),
    ("prismatic", JointType::Prismatic),
    ("planar", JointType::Planar),
    ("spherical", JointType::Ball),
    ("ball", JointType::Ball),
    ("floating", JointType::Floating),
];

impl<'a> Reader<'a> {
    pub fn joint(&self, node: Node<'a, 'a>, links: &[Link]) -> Result<Joint, UrdfError> {
        let source = &self.source;
        let name = source.required(node, "name")?.to_owned();
        let text = source.required(node, "type")?;
        let Some(&(_, kind)) = TYPES.iter().find(|(t, _)| *t == text) else {
            let known = TYPES.iter().map(|t| t.0).collect::<Vec<_>>().join(", ");
            let what = format!("joint {name:?} has the unknown type {text:?}; there are: {known}");
            return Err(source.error(node, what));
        };
        let end = |tag: &str| {
            let Some(element) = child(node, tag) else {
                return Err(
                    source.error(node, format!("joint {name:?} needs <{tag} link=\"..\"/>"))
                );
            };
            let link = source.required(element, "link")?;
            links.iter().position(|l| l.name == link).ok_or_else(|| {
                let what = format!("joint {name:?}: there is no link named {link:?}");
                source.error(element, what)
            })
        };
        let mut joint = Joint::new(&name, kind, end("parent")?, end("child")?);
        joint.line = source.line(node);
        joint.origin = source.origin(node)?;
        self.axis(node, &mut joint)?;
        self.limits(node, &mut joint)?;
        self.dynamics(node, &mut joint)?;
        Ok(joint)
    }

    fn axis(&self, node: Node<'a, 'a>, joint: &mut Joint) -> Result<(), UrdfError> {
        let Some(axis) = child(node, "axis") else { return Ok(()) };
        let needless =
            matches!(joint.kind, JointType::Fixed | JointType::Floating | JointType::Ball);
        let given = match self.source.numbers(axis, "xyz", [1.0, 0.0, 0.0]) {
            Ok(given) => Vec3::from_array(given),
            Err(_) if needless => Vec3::ZERO,
            Err(error) => return Err(error),
        };
        if given.length() >= 1e-9 {
            joint.axis = given.normalize();
            return Ok(());
        }
        let name = format!("joint {:?}", joint.name);
        match needless {
            true => self.note("the axis of a joint that needs none is zero: ignored", name, axis),
            false => self.note("the axis is zero: x is used", name, axis),
        }
        Ok(())
    }

    /// Limits, effort and velocity of a joint.
    fn limits(&self, node: Node<'a, 'a>, joint: &mut Joint) -> Result<(), UrdfError> {
        let source = &self.source;
        let limited = matches!(joint.kind, JointType::Revolute | JointType::Prismatic);
        let name = format!("joint {:?}", joint.name);
        let Some(limit) = child(node, "limit") else {
            if limited {
                let what = "a revolute or prismatic joint without <limit>: it has no limits";
                self.note(what, name, node);
            }
            return Ok(());
        };
        let ([lower], [upper]) =
            (source.numbers(limit, "lower", [0.0])?, source.numbers(limit, "upper", [0.0])?);
        let given = limit.has_attribute("lower") || limit.has_attribute("upper");
        if limited && !given {
            self.note("<limit> without lower and upper: the joint has no limits", name, limit);
        } else if limited && lower > upper {
            let what = "the lower limit is above the upper: the joint has no limits";
            self.note(what, format!("{name}: {lower} > {upper}"), limit);
        } else if limited {
            joint.limits = Some([lower, upper]);
        }
        for (key, value) in [("effort", &mut joint.effort), ("velocity", &mut joint.velocity)] {
            let [number] = source.numbers(limit, key, [f64::INFINITY])?;
            if number < 0.0 {
                let what = "an effort or velocity below zero: no such limit";
                self.note(what, format!("joint {:?}: {key} {number}", joint.name), limit);
            } else if number.is_finite() && limit.has_attribute(key) {
                *value = Some(number);
            }
        }
        Ok(())
    }

    /// Friction and damping of a joint.
    fn dynamics(&self, node: Node<'a, 'a>, joint: &mut Joint) -> Result<(), UrdfError> {
        let Some(dynamics) = child(node, "dynamics") else { return Ok(()) };
        let name = joint.name.clone();
        let values = [("friction", &mut joint.friction), ("damping", &mut joint.damping)];
        for (key, value) in values {
            let [number] = self.source.numbers(dynamics, key, [0.0])?;
            match number < 0.0 {
                true => {
                    let what = "friction or damping below zero: taken as 0";
                    self.note(what, format!("joint {name:?}: {key} {number}"), dynamics);
                }
                false => *value = number,
            }
        }
        Ok(())
    }

    pub fn mimics(&self, node: Node<'a, 'a>, joints: &mut [Joint]) -> Result<(), UrdfError> {
        for (k, element) in children(node, "joint").enumerate() {
            let Some(mimic) = child(element, "mimic") else { continue };
            let leader = self.source.required(mimic, "joint")?;
            let name = || format!("joint {:?}", joints[k].name);
            if !joints[k].has_position() {
                let what = "<mimic> on a joint without one position: ignored";
                self.note(what, name(), mimic);
                continue;
            }
            let found = joints.iter().position(|j| j.name == leader && j.name != joints[k].name);
            let Some(joint) = found.filter(|&j| joints[j].has_position()) else {
                let what = "<mimic> of a joint that is not there or has no position: ignored";
                self.note(what, format!("{}: {leader:?}", name()), mimic);
                continue;
            };
            let [multiplier] = self.source.numbers(mimic, "multiplier", [1.0])?;
            let [offset] = self.source.numbers(mimic, "offset", [0.0])?;
            joints[k].mimic = Some(Mimic { joint, multiplier, offset });
        }
        // Followers of followers are fine, circles are not.
        for k in 0..joints.len() {
            let mut at = k;
            for _ in 0..joints.len() {
                match &joints[at].mimic {
                    Some(mimic) => at = mimic.joint,
                    None => break,
                }
            }
            if joints[at].mimic.is_some() {
                let what = format!("joint {:?} mimics itself through others", joints[k].name);
                return Err(self.tree(what));
            }
        }
        Ok(())
    }
}
