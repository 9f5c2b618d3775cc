//! Reads the whole of a model into a robot.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use stickslip::geometry::{MassProperties, Mat3, Pose, Quat, Vec3};
use stickslip_urdf::{Inertial, Joint, JointType, Link, Notes, Robot, Scenery, UrdfError};

use crate::{
    compiler::{Compiler, vector},
    defaults::Defaults,
    element::Element,
    geom::{Geom, Mesh},
    sensor::Site,
};

/// Everything known while reading.
pub(crate) struct Reader<'a> {
    pub file: &'a Path,
    pub compiler: Compiler,
    pub defaults: Defaults,
    pub meshes: Vec<Mesh>,
    pub robot: Robot,
    /// Joints in the order of the file's positions, with how many numbers each has.
    pub coordinates: Vec<(usize, usize)>,
    /// Spring of each joint: stiffness, stiffness times rest position, damping of actuators.
    pub springs: BTreeMap<usize, [f64; 3]>,
    pub sites: Vec<Site>,
}

/// Where in the tree of bodies the reader is.
#[derive(Clone)]
pub(crate) struct Place {
    pub link: usize,
    /// From the body to the frame around the elements read.
    pub frame: Pose,
    pub class: String,
}

impl<'a> Reader<'a> {
    pub fn new(file: &'a Path, root: &Element) -> Self {
        let robot = Robot {
            name: root.get("model").unwrap_or("model").to_owned(),
            links: vec![Link::new("world")],
            joints: Vec::new(),
            root: 0,
            file: file.display().to_string(),
            start: BTreeMap::new(),
            scenery: Vec::new(),
            closures: Vec::new(),
            sensors: Vec::new(),
            excluded: Vec::new(),
            world_collides: true,
            notes: Notes::default(),
        };
        Self {
            file,
            compiler: Compiler::of(root),
            defaults: Defaults::of(root),
            meshes: Vec::new(),
            robot,
            coordinates: Vec::new(),
            springs: BTreeMap::new(),
            sites: Vec::new(),
        }
    }

    /// Notes what is not honoured.
    pub fn note(&mut self, what: &str, item: &str, line: u32) {
        self.robot.notes.remark(what, item, line);
    }

    pub fn text(&self, element: &Element, class: &str, name: &str) -> Option<String> {
        self.defaults.get(element, class, name).map(str::to_owned)
    }

    /// The finite numbers of an attribute; `None` if one is none, or there are none.
    pub fn numbers(&self, element: &Element, class: &str, name: &str) -> Option<Vec<f64>> {
        let text = self.defaults.get(element, class, name)?;
        let words = text.split_whitespace().map(str::parse::<f64>);
        let found: Vec<f64> = words.collect::<Result<_, _>>().ok()?;
        (!found.is_empty() && found.iter().all(|x| x.is_finite())).then_some(found)
    }

    pub fn number(&self, element: &Element, class: &str, name: &str) -> Option<f64> {
        self.numbers(element, class, name).map(|v| v[0])
    }

    pub fn assets(&mut self, root: &Element) {
        let folder = self.file.parent().unwrap_or(Path::new(".")).to_owned();
        for element in root.all("asset").flat_map(|a| a.all("mesh")) {
            let file = self.text(element, "main", "file");
            let stem = file.as_deref().map(Path::new).and_then(Path::file_stem);
            let stem = stem.map(|s| s.to_string_lossy().into_owned());
            let name = element.get("name").map(str::to_owned).or(stem).unwrap_or_default();
            let scale = self.numbers(element, "main", "scale").filter(|v| v.len() == 3);
            let scale = scale.map_or(Vec3::ONE, |v| vector(&v));
            let points = self.numbers(element, "main", "vertex").unwrap_or_default();
            let points = points.chunks_exact(3).map(|p| vector(p) * scale).collect();
            let path = file.map(|file| {
                let inner = match self.compiler.strip_path {
                    true => Path::new(&file).file_name().map_or_else(PathBuf::new, PathBuf::from),
                    false => PathBuf::from(&file),
                };
                folder.join(&self.compiler.mesh_folder).join(inner)
            });
            if element.get("refpos").is_some() || element.get("refquat").is_some() {
                self.note("refpos and refquat of meshes are not honoured", &name, element.line);
            }
            self.meshes.push(Mesh { name, file: path, scale, points });
        }
    }

    pub fn world(&mut self, root: &Element) -> Result<(), UrdfError> {
        for world in root.all("worldbody") {
            let class = world.get("childclass").unwrap_or("main").to_owned();
            let at = Place { link: 0, frame: Pose::IDENTITY, class };
            self.inside(world, &at, 0)?;
        }
        Ok(())
    }

    /// Geoms, bodies and frames of a body or frame.
    fn inside(&mut self, element: &Element, at: &Place, depth: usize) -> Result<(), UrdfError> {
        if depth > 1000 {
            let what = "bodies lie more than 1000 deep within each other".into();
            return Err(UrdfError::Tree { file: self.robot.file.clone(), what });
        }
        let mut geoms = Vec::new();
        self.collect(element, at, &mut geoms);
        match at.link {
            0 => self.scenery(geoms),
            link => self.link(element, link, geoms),
        }
        self.children(element, at, depth)
    }

    fn children(&mut self, element: &Element, at: &Place, depth: usize) -> Result<(), UrdfError> {
        for child in &element.children {
            match child.tag.as_str() {
                "body" => self.body(child, at, depth + 1)?,
                "site" => self.site(child, at),
                "frame" => {
                    let at = self.framed(child, at);
                    self.children(child, &at, depth + 1)?;
                }
                "composite" | "flexcomp" | "replicate" | "attach" | "plugin" => {
                    let item = format!("<{}>", child.tag);
                    self.note("elements that are not built: left out", &item, child.line);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn framed(&self, frame: &Element, at: &Place) -> Place {
        let pose = self.compiler.pose(|key| self.numbers(frame, &at.class, key));
        let class = frame.get("childclass").unwrap_or(&at.class).to_owned();
        Place { frame: at.frame.compose(&pose), class, ..at.clone() }
    }

    /// The geoms of a body, those in its frames included.
    fn collect(&mut self, element: &Element, at: &Place, geoms: &mut Vec<Geom>) {
        for child in &element.children {
            match child.tag.as_str() {
                "geom" => {
                    let mut geom = self.geom(child, &at.class);
                    if let Some(shape) = &mut geom.shape {
                        shape.origin = at.frame.compose(&shape.origin);
                    }
                    geom.mass = geom.mass.map(|m| m.placed(&at.frame));
                    geoms.push(geom);
                }
                "frame" => {
                    let at = self.framed(child, at);
                    self.collect(child, &at, geoms);
                }
                _ => {}
            }
        }
    }

    fn scenery(&mut self, geoms: Vec<Geom>) {
        for geom in geoms {
            let Some(shape) = geom.shape.filter(|_| geom.masks != [0, 0]) else { continue };
            let name = geom.name.unwrap_or_default();
            let (friction, masks) = (Some(geom.friction), Some(geom.masks));
            let torques = geom.torques;
            self.robot.scenery.push(Scenery { name, shape, friction, torques, masks });
        }
    }

    /// What a body weighs and collides with.
    fn link(&mut self, element: &Element, link: usize, geoms: Vec<Geom>) {
        let compiler = &self.compiler;
        let [low, high] = compiler.groups;
        let masses: Vec<MassProperties> = geoms
            .iter()
            .filter(|g| (low..=high).contains(&g.group))
            .filter_map(|g| g.mass)
            .collect();
        let given = element.all("inertial").next().map(|i| self.inertial(i));
        let from_shapes = || {
            let sum = MassProperties::sum(&masses).ok()?;
            let origin = Pose::new(sum.center, Quat::IDENTITY);
            Some(Inertial { origin, mass: sum.volume, inertia: sum.inertia, line: element.line })
        };
        let inertial = match compiler.from_geoms {
            Some(true) => from_shapes(),
            Some(false) => given,
            None => given.or_else(from_shapes),
        };
        let bounded = inertial.map(|i| Inertial {
            mass: i.mass.max(compiler.least_mass),
            inertia: at_least(i.inertia, compiler.least_inertia),
            ..i
        });
        let data = &mut self.robot.links[link];
        data.inertial = bounded;
        let solid = |g: &&Geom| g.masks != [0, 0] && g.shape.is_some();
        data.friction = geoms.iter().find(solid).map(|g| g.friction);
        data.torques = geoms.iter().find(solid).map_or([0.0; 2], |g| g.torques);
        data.color = geoms.iter().find_map(|g| g.color);
        let bits = |k: usize| geoms.iter().filter(solid).fold(0, |m, g| m | g.masks[k]);
        data.masks = Some([bits(0), bits(1)]);
        data.collisions =
            geoms.into_iter().filter(|g| g.masks != [0, 0]).filter_map(|g| g.shape).collect();
    }

    fn inertial(&self, element: &Element) -> Inertial {
        let get = |key: &str| self.numbers(element, "main", key);
        let diagonal = get("diaginertia").filter(|v| v.len() == 3).map(|v| vector(&v));
        let full = get("fullinertia").filter(|v| v.len() == 6).map(|v| {
            let [xx, yy, zz, xy, xz, yz] = [v[0], v[1], v[2], v[3], v[4], v[5]];
            Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz))
        });
        let inertia = full.or(diagonal.map(Mat3::from_diagonal)).unwrap_or(Mat3::ZERO);
        let mass = get("mass").map_or(0.0, |v| v[0]).max(0.0);
        Inertial { origin: self.compiler.pose(get), mass, inertia, line: element.line }
    }

    fn body(&mut self, element: &Element, at: &Place, depth: usize) -> Result<(), UrdfError> {
        let class = element.get("childclass").unwrap_or(&at.class).to_owned();
        let number = self.robot.links.len();
        let name = element.get("name").map_or_else(|| format!("body-{number}"), str::to_owned);
        let pose = self.compiler.pose(|key| self.numbers(element, &class, key));
        let origin = at.frame.compose(&pose);
        let joints: Vec<&Element> =
            element.children.iter().filter(|c| c.tag == "joint" || c.tag == "freejoint").collect();
        let (mut parent, mut place) = (at.link, origin);
        for (k, joint) in joints.iter().enumerate() {
            let last = k + 1 == joints.len();
            let between = format!("{name}/{}", k + 1);
            let child = self.robot.links.len();
            let mut link = Link::new(if last { &name } else { &between });
            (link.line, link.between) = (element.line, !last);
            self.robot.links.push(link);
            let own = format!("{name}-joint-{}", k + 1);
            let own = joint.get("name").map_or(own, str::to_owned);
            self.joint(
                joint,
                &class,
                Joint { origin: place, ..Joint::new(&own, JointType::Fixed, parent, child) },
            );
            (parent, place) = (child, Pose::IDENTITY);
        }
        if joints.is_empty() {
            let child = self.robot.links.len();
            self.robot.links.push(Link { line: element.line, ..Link::new(&name) });
            let weld = Joint::new(&format!("{name}-weld"), JointType::Fixed, parent, child);
            self.robot.joints.push(Joint { origin, line: element.line, ..weld });
            parent = child;
        }
        for key in ["mocap", "gravcomp"] {
            if element.get(key).is_some_and(|v| v != "false" && v != "0") {
                self.note(&format!("{key} of bodies is not honoured"), &name, element.line);
            }
        }
        let inner = Place { link: parent, frame: Pose::IDENTITY, class };
        self.inside(element, &inner, depth)
    }

    fn joint(&mut self, element: &Element, class: &str, start: Joint) {
        let get = |key: &str| self.number(element, class, key);
        let kind = match element.tag.as_str() {
            "freejoint" => "free".to_owned(),
            _ => self.text(element, class, "type").unwrap_or_else(|| "hinge".into()),
        };
        let angle = |x: f64| if kind == "hinge" { self.compiler.angle(x) } else { x };
        let vector_of = |key: &str| {
            self.numbers(element, class, key).filter(|v| v.len() == 3).map(|v| vector(&v))
        };
        let range = self.numbers(element, class, "range").filter(|v| v.len() == 2);
        let limited = match self.text(element, class, "limited").as_deref() {
            Some("true") => true,
            Some("false") => false,
            _ => self.compiler.autolimits && range.is_some(),
        };
        let (kind_here, width) = match kind.as_str() {
            "free" => (JointType::Floating, 7),
            "ball" => (JointType::Ball, 4),
            "slide" => (JointType::Prismatic, 1),
            _ => (JointType::Continuous, 1),
        };
        let limits = range.filter(|_| limited).map(|r| match kind_here {
            // The second number is the largest tilt.
            JointType::Ball => [0.0, self.compiler.angle(r[1])],
            _ => [angle(r[0]), angle(r[1])],
        });
        let reference = angle(get("ref").unwrap_or(0.0));
        let stiffness = get("stiffness").unwrap_or(0.0);
        let rest = angle(get("springref").unwrap_or(0.0));
        let armature = get("armature").unwrap_or(0.0).max(0.0);
        let joint = Joint {
            kind: kind_here,
            axis: vector_of("axis").and_then(Vec3::try_normalize).unwrap_or(Vec3::Z),
            anchor: vector_of("pos").unwrap_or(Vec3::ZERO),
            reference: if width == 1 { reference } else { 0.0 },
            limits: limits.filter(|_| kind_here != JointType::Floating),
            friction: get("frictionloss").unwrap_or(0.0).max(0.0),
            damping: get("damping").unwrap_or(0.0).max(0.0),
            armature: if width == 1 { armature } else { 0.0 },
            line: element.line,
            ..start
        };
        let index = self.robot.joints.len();
        let item = format!("joint {:?}", joint.name);
        if kind_here == JointType::Ball && joint.damping + joint.friction > 0.0 {
            self.note("damping of ball joints acts about one axis only", &item, element.line);
        }
        if stiffness > 0.0 && width == 1 {
            self.springs.insert(index, [stiffness, stiffness * rest, 0.0]);
        }
        self.robot.joints.push(joint);
        self.coordinates.push((index, width));
        if armature > 0.0 && width != 1 {
            let what = "armature of ball and free joints is not honoured: no rotor turns with them";
            self.note(what, &item, element.line);
        }
    }

    /// The link of that name.
    pub fn link_of(&self, name: &str) -> Option<usize> {
        self.robot.links.iter().position(|l| l.name == name && !l.between)
    }
}

/// The inertia with no principal moment below `least`, for diagonal ones exactly.
fn at_least(inertia: Mat3, least: f64) -> Mat3 {
    let mut found = inertia;
    for k in 0..3 {
        found.col_mut(k)[k] = found.col(k)[k].max(least);
    }
    found
}
