//! From XML to a robot.

use std::{borrow::Cow, cell::RefCell, collections::BTreeMap, path::Path};

use roxmltree::{Document, Node};
use stickslip::geometry::{Mat3, Pose, Quat, Vec3};

use crate::{
    Collision, Geometry, Inertial, Joint, Link, Packages, Robot, UrdfError,
    xml::{Source, child, children},
};

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
        let (text, trimmed) = well_formed(text);
        let document = Document::parse(&text)
            .map_err(|e| UrdfError::Xml { file: file.into(), reason: e.to_string() })?;
        let reader = Reader {
            source: Source { file, document: &document, notes: RefCell::default() },
            base,
            packages,
            errors: RefCell::default(),
        };
        if trimmed {
            let what = "text before the XML declaration or after the end: ignored";
            reader.note(what, "the file".into(), document.root_element());
        }
        reader.robot(document.root_element())
    }
}

/// The text without what XML forbids but many files have: anything before the declaration and
/// after the last end tag. Lines stay where they are.
fn well_formed(text: &str) -> (Cow<'_, str>, bool) {
    let text = text.trim_start_matches('\u{feff}');
    let end = text.rfind("</robot>").map_or(text.len(), |k| k + "</robot>".len());
    let tail = text[end..].trim();
    let after = !tail.is_empty() && !tail.starts_with("<!--");
    let declared = text.find("<?xml").filter(|k| *k > 0);
    let close = declared.and_then(|k| Some(k + text[k..].find("?>")? + 2));
    let mut cut = String::from(if after { &text[..end] } else { text });
    // A declaration after the end is gone already.
    if let (Some(from), Some(to)) = (declared, close.filter(|to| *to <= cut.len())) {
        cut.replace_range(from..to, &" ".repeat(to - from));
    }
    match after || declared.is_some() {
        true => (Cow::Owned(cut), true),
        false => (Cow::Borrowed(text), false),
    }
}

/// Goes on after a mistake, so that one run tells several.
pub(crate) struct Reader<'a> {
    pub source: Source<'a>,
    base: &'a Path,
    packages: &'a Packages,
    errors: RefCell<Vec<UrdfError>>,
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
            let link = self.link(element);
            if links.iter().any(|l| l.name == link.name) {
                let what = format!("two links are named {:?}; names must be unique", link.name);
                self.wrong(self.source.error(element, what));
            }
            links.push(link);
        }
        if links.is_empty() {
            return Err(self.source.error(node, "the robot has no <link>"));
        }
        let mut joints: Vec<Joint> = Vec::new();
        for element in children(node, "joint") {
            let Some(joint) = self.kept(self.joint(element, &links)) else { continue };
            if joints.iter().any(|j| j.name == joint.name) {
                let what = format!("two joints are named {:?}; names must be unique", joint.name);
                self.wrong(self.source.error(element, what));
            }
            joints.push(joint);
        }
        let errors = std::mem::take(&mut *self.errors.borrow_mut());
        UrdfError::all(errors)?;
        self.mimics(node, &mut joints)?;
        let root = self.root(&links, &joints)?;
        let (file, notes) = (self.source.file.to_owned(), self.source.notes.take());
        let (scenery, closures, excluded) = (Vec::new(), Vec::new(), Vec::new());
        let world_collides = false;
        Ok(Robot {
            name,
            links,
            joints,
            root,
            file,
            start: BTreeMap::new(),
            scenery,
            closures,
            sensors: Vec::new(),
            excluded,
            world_collides,
            notes,
        })
    }

    /// Remembers a mistake.
    fn wrong(&self, error: UrdfError) {
        self.errors.borrow_mut().push(error);
    }

    /// What was read, or nothing after remembering why not.
    fn kept<T>(&self, found: Result<T, UrdfError>) -> Option<T> {
        found.map_err(|e| self.wrong(e)).ok()
    }

    /// Notes a fault that was mended.
    pub fn note(&self, what: &str, name: String, node: Node<'a, 'a>) {
        self.source.notes.borrow_mut().fault(what, name, self.source.line(node));
    }

    fn link(&self, node: Node<'a, 'a>) -> Link {
        let name = self.kept(self.source.required(node, "name")).unwrap_or_default();
        let inertial = child(node, "inertial").and_then(|i| self.kept(self.inertial(i, name)));
        let collisions = children(node, "collision")
            .filter_map(|c| self.kept(self.collision(c, name)).flatten())
            .collect();
        // Nothing about the looks of a link is worth refusing it.
        let color = child(node, "visual")
            .and_then(|v| child(v, "material"))
            .and_then(|m| child(m, "color"))
            .and_then(|c| self.source.numbers(c, "rgba", [0.5, 0.5, 0.5, 1.0]).ok())
            .map(|[r, g, b, _]| [r as f32, g as f32, b as f32]);
        let line = self.source.line(node);
        Link { inertial: inertial.flatten(), collisions, color, line, ..Link::new(name) }
    }

    /// `None` where there is no mass.
    fn inertial(&self, node: Node<'a, 'a>, link: &str) -> Result<Option<Inertial>, UrdfError> {
        let source = &self.source;
        let origin = source.origin(node)?;
        let Some(element) = child(node, "mass") else {
            let what = "<inertial> without <mass value=\"..\"/>: taken as no mass";
            self.note(what, format!("link {link:?}"), node);
            return Ok(None);
        };
        let mass = source.number(element, "value")?;
        if mass < 0.0 {
            let what = format!("link {link:?}: the mass is {mass} kg, but must be 0 or more");
            return Err(source.error(element, what));
        }
        let line = source.line(node);
        let Some(inertia) = child(node, "inertia") else {
            return Ok(Some(Inertial { origin, mass, inertia: Mat3::ZERO, line }));
        };
        let keys = ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"];
        let mut numbers = [0.0; 6];
        for (number, key) in numbers.iter_mut().zip(keys) {
            [*number] = source.numbers(inertia, key, [0.0])?;
        }
        if mass == 0.0 && numbers != [0.0; 6] {
            let what = "an inertia without mass: ignored";
            self.note(what, format!("link {link:?}"), node);
        }
        let [xx, yy, zz, xy, xz, yz] = numbers;
        let inertia =
            Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
        Ok(Some(Inertial { origin, mass, inertia, line }))
    }

    /// `None` where the shape cannot be used, which was noted.
    fn collision(&self, node: Node<'a, 'a>, link: &str) -> Result<Option<Collision>, UrdfError> {
        let source = &self.source;
        let mut origin = source.origin(node)?;
        let shape = child(node, "geometry").and_then(|g| g.children().find(|c| c.is_element()));
        let Some(shape) = shape else {
            self.note("<collision> without a shape: left out", format!("link {link:?}"), node);
            return Ok(None);
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
            "plane" => {
                let normal = Vec3::from_array(source.numbers(shape, "normal", [0.0, 0.0, 1.0])?);
                let turn = Quat::from_rotation_arc(Vec3::Z, normal.normalize_or(Vec3::Z));
                origin = origin.compose(&Pose::new(Vec3::ZERO, turn));
                Geometry::Plane
            }
            "mesh" => match self.mesh(shape, link)? {
                Some(mesh) => mesh,
                None => return Ok(None),
            },
            other => {
                let what = "a shape that is no box, sphere, cylinder, capsule or mesh: left out";
                self.note(what, format!("link {link:?}: <{other}>"), shape);
                return Ok(None);
            }
        };
        Ok(Some(Collision { origin, geometry }))
    }

    /// `None` where there is no such file, which was noted.
    fn mesh(&self, shape: Node<'a, 'a>, link: &str) -> Result<Option<Geometry>, UrdfError> {
        let name = self.source.required(shape, "filename")?.to_owned();
        let scale = self.source.scale(shape)?;
        match self.packages.locate(&name, self.base) {
            Ok(path) => Ok(Some(Geometry::Mesh { name, path, scale })),
            Err(reason) => {
                let what = "a mesh that is not there: nothing collides with that shape";
                self.note(what, format!("link {link:?}: {reason}"), shape);
                Ok(None)
            }
        }
    }

    pub fn tree(&self, what: String) -> UrdfError {
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
