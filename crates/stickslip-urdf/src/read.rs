//! From XML to a robot.

use std::path::Path;

use roxmltree::{Document, Node};
use stickslip::geometry::{Mat3, Vec3};

use crate::{
    Collision, Geometry, Inertial, Joint, JointType, Link, Mimic, Packages, Robot, UrdfError,
    xml::{Source, child, children},
};

const TYPES: &[(&str, JointType)] = &[
    ("fixed", JointType::Fixed),
    ("revolute", JointType::Revolute),
    ("continuous", JointType::Continuous),
    ("prismatic", JointType::Prismatic),
    ("planar", JointType::Planar),
    ("floating", JointType::Floating),
];

impl Robot {
    /// Reads a URDF file; meshes are found relative to it and in `packages`.
    pub fn read(path: &Path, packages: &Packages) -> Result<Self, UrdfError> {
        let text = std::fs::read_to_string(path)
            .map_err(|e| UrdfError::Io { path: path.to_owned(), reason: e.to_string() })?;
        let base = path.parent().unwrap_or(Path::new("."));
        Self::parse(&text, &path.display().to_string(), base, packages)
    }

    /// Reads URDF text; `file` is the name to report, `base` the folder of relative paths.
    pub fn parse(
        text: &str,
        file: &str,
        base: &Path,
        packages: &Packages,
    ) -> Result<Self, UrdfError> {
        let document = Document::parse(text)
            .map_err(|e| UrdfError::Xml { file: file.into(), reason: e.to_string() })?;
        let reader = Reader { source: Source { file, document: &document }, base, packages };
        reader.robot(document.root_element())
    }
}

struct Reader<'a> {
    source: Source<'a>,
    base: &'a Path,
    packages: &'a Packages,
}

impl<'a> Reader<'a> {
    fn robot(&self, node: Node<'a, 'a>) -> Result<Robot, UrdfError> {
        if node.tag_name().name() != "robot" {
            let what =
                format!("the file must begin with <robot>, not <{}>", node.tag_name().name());
            return Err(self.source.error(node, what));
        }
        let name = node.attribute("name").unwrap_or("robot").to_owned();
        let mut links: Vec<Link> = Vec::new();
        for element in children(node, "link") {
            let link = self.link(element)?;
            if links.iter().any(|l| l.name == link.name) {
                let what = format!("two links are named {:?}; names must be unique", link.name);
                return Err(self.source.error(element, what));
            }
            links.push(link);
        }
        if links.is_empty() {
            return Err(self.source.error(node, "the robot has no <link>"));
        }
        let mut joints: Vec<Joint> = Vec::new();
        for element in children(node, "joint") {
            let joint = self.joint(element, &links)?;
            if joints.iter().any(|j| j.name == joint.name) {
                let what = format!("two joints are named {:?}; names must be unique", joint.name);
                return Err(self.source.error(element, what));
            }
            joints.push(joint);
        }
        self.mimics(node, &mut joints)?;
        let root = self.root(&links, &joints)?;
        Ok(Robot { name, links, joints, root })
    }

    fn link(&self, node: Node<'a, 'a>) -> Result<Link, UrdfError> {
        let name = self.source.required(node, "name")?.to_owned();
        let inertial = child(node, "inertial").map(|i| self.inertial(i)).transpose()?;
        let collisions = children(node, "collision")
            .map(|c| self.collision(c, &name))
            .collect::<Result<_, _>>()?;
        let color = child(node, "visual")
            .and_then(|v| child(v, "material"))
            .and_then(|m| child(m, "color"))
            .map(|c| self.source.numbers(c, "rgba", [0.5, 0.5, 0.5, 1.0]))
            .transpose()?
            .map(|[r, g, b, _]| [r as f32, g as f32, b as f32]);
        Ok(Link { name, inertial, collisions, color })
    }

    fn inertial(&self, node: Node<'a, 'a>) -> Result<Inertial, UrdfError> {
        let source = &self.source;
        let origin = source.origin(node)?;
        let Some(mass) = child(node, "mass") else {
            return Err(source.error(node, "<inertial> needs <mass value=\"..\"/>"));
        };
        let mass = source.number(mass, "value")?;
        let Some(inertia) = child(node, "inertia") else {
            return Err(source.error(node, "<inertial> needs <inertia ixx=.. iyy=.. izz=.. />"));
        };
        let [xx, yy, zz] = ["ixx", "iyy", "izz"].map(|k| source.number(inertia, k));
        let [xy, xz, yz] = ["ixy", "ixz", "iyz"].map(|k| source.numbers(inertia, k, [0.0]));
        let ([xy], [xz], [yz]) = (xy?, xz?, yz?);
        let inertia =
            Mat3::from_cols(Vec3::new(xx?, xy, xz), Vec3::new(xy, yy?, yz), Vec3::new(xz, yz, zz?));
        Ok(Inertial { origin, mass, inertia })
    }

    fn collision(&self, node: Node<'a, 'a>, link: &str) -> Result<Collision, UrdfError> {
        let source = &self.source;
        let origin = source.origin(node)?;
        let shape = child(node, "geometry").and_then(|g| g.children().find(|c| c.is_element()));
        let Some(shape) = shape else {
            return Err(source.error(node, "<collision> needs <geometry> with a shape in it"));
        };
        let round =
            |length: &str| Ok((source.number(shape, "radius")?, source.number(shape, length)?));
        let geometry = match shape.tag_name().name() {
            "box" => {
                source.required(shape, "size")?;
                Geometry::Box(Vec3::from_array(source.numbers(shape, "size", [0.0; 3])?))
            }
            "sphere" => Geometry::Sphere(source.number(shape, "radius")?),
            "cylinder" => {
                let (radius, length) = round("length")?;
                Geometry::Cylinder { radius, length }
            }
            "capsule" => {
                let (radius, length) = round("length")?;
                Geometry::Capsule { radius, length }
            }
            "mesh" => {
                let name = source.required(shape, "filename")?.to_owned();
                let path = self.packages.locate(&name, self.base).map_err(|reason| {
                    UrdfError::Mesh { link: link.into(), name: name.clone(), reason }
                })?;
                let scale = Vec3::from_array(source.numbers(shape, "scale", [1.0; 3])?);
                Geometry::Mesh { name, path, scale }
            }
            other => {
                let what = format!(
                    "unknown shape <{other}>; there are: box, sphere, cylinder, capsule, mesh"
                );
                return Err(source.error(shape, what));
            }
        };
        Ok(Collision { origin, geometry })
    }

    fn joint(&self, node: Node<'a, 'a>, links: &[Link]) -> Result<Joint, UrdfError> {
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
        let (parent, child_link) = (end("parent")?, end("child")?);
        let axis = match child(node, "axis") {
            Some(axis) => {
                let given = Vec3::from_array(source.numbers(axis, "xyz", [1.0, 0.0, 0.0])?);
                if given.length() < 1e-9 {
                    return Err(source.error(axis, format!("joint {name:?}: the axis is zero")));
                }
                given.normalize()
            }
            None => Vec3::X,
        };
        let (limits, effort) = self.limits(node, &name, kind)?;
        let [friction, damping] = self.dynamics(node, &name)?;
        let origin = source.origin(node)?;
        let (child, mimic) = (child_link, None);
        Ok(Joint {
            name,
            kind,
            parent,
            child,
            origin,
            axis,
            limits,
            effort,
            friction,
            damping,
            mimic,
        })
    }

    /// Limits and effort of a joint.
    fn limits(
        &self,
        node: Node<'a, 'a>,
        name: &str,
        kind: JointType,
    ) -> Result<(Option<[f64; 2]>, Option<f64>), UrdfError> {
        let source = &self.source;
        let Some(limit) = child(node, "limit") else {
            if kind == JointType::Revolute || kind == JointType::Prismatic {
                let what = format!(
                    "joint {name:?} needs <limit lower=.. upper=.. />; a hinge without limits has the type continuous"
                );
                return Err(source.error(node, what));
            }
            return Ok((None, None));
        };
        let ([lower], [upper]) =
            (source.numbers(limit, "lower", [0.0])?, source.numbers(limit, "upper", [0.0])?);
        if lower > upper {
            let what =
                format!("joint {name:?}: the lower limit {lower} is above the upper {upper}");
            return Err(source.error(limit, what));
        }
        let limited = matches!(kind, JointType::Revolute | JointType::Prismatic);
        let effort = match limit.attribute("effort") {
            Some(_) => Some(source.number(limit, "effort")?),
            None => None,
        };
        Ok((limited.then_some([lower, upper]), effort))
    }

    /// Friction and damping of a joint.
    fn dynamics(&self, node: Node<'a, 'a>, name: &str) -> Result<[f64; 2], UrdfError> {
        let Some(dynamics) = child(node, "dynamics") else { return Ok([0.0; 2]) };
        let mut out = [0.0; 2];
        for (value, key) in out.iter_mut().zip(["friction", "damping"]) {
            [*value] = self.source.numbers(dynamics, key, [0.0])?;
            if *value < 0.0 {
                let what = format!("joint {name:?}: {key} is {value}, but must be 0 or more");
                return Err(self.source.error(dynamics, what));
            }
        }
        Ok(out)
    }

    fn mimics(&self, node: Node<'a, 'a>, joints: &mut [Joint]) -> Result<(), UrdfError> {
        for (k, element) in children(node, "joint").enumerate() {
            let Some(mimic) = child(element, "mimic") else { continue };
            let leader = self.source.required(mimic, "joint")?;
            let Some(joint) =
                joints.iter().position(|j| j.name == leader && j.name != joints[k].name)
            else {
                let what = format!(
                    "joint {:?} mimics {leader:?}, which is no other joint of this robot",
                    joints[k].name
                );
                return Err(self.source.error(mimic, what));
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

    fn tree(&self, what: String) -> UrdfError {
        UrdfError::Tree { file: self.source.file.into(), what }
    }

    /// The one link without parent, from which all others hang.
    fn root(&self, links: &[Link], joints: &[Joint]) -> Result<usize, UrdfError> {
        let mut parents: Vec<Option<&Joint>> = vec![None; links.len()];
        for joint in joints {
            if let Some(other) = parents[joint.child].replace(joint) {
                return Err(self.tree(format!(
                    "link {:?} is the child of two joints, {:?} and {:?}: the links form a loop, which URDF cannot have",
                    links[joint.child].name, other.name, joint.name
                )));
            }
        }
        let roots: Vec<usize> = (0..links.len()).filter(|&l| parents[l].is_none()).collect();
        match roots[..] {
            [root] => {
                // With one root and one parent each, a link that does not lead to it is in a loop.
                for start in 0..links.len() {
                    let mut at = start;
                    for _ in 0..links.len() {
                        at = parents[at].map_or(at, |j| j.parent);
                    }
                    if at != root {
                        return Err(
                            self.tree(format!("link {:?} is part of a loop", links[start].name))
                        );
                    }
                }
                Ok(root)
            }
            [] => {
                Err(self.tree("every link is the child of a joint: the links form a loop".into()))
            }
            _ => {
                let names: Vec<&str> = roots.iter().map(|&r| links[r].name.as_str()).collect();
                Err(self.tree(format!(
                    "the links {names:?} are no joint's child; a robot has one root, so join them"
                )))
            }
        }
    }
}
