//! `<sensor>` and `<site>`.

use stickslip::geometry::Pose;
use stickslip_urdf::{Sensor, Zone};

use crate::{
    compiler::vector,
    element::Element,
    reader::{Place, Reader},
};

/// A named place on a link.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    name: String,
    link: usize,
    pose: Pose,
    zone: Zone,
}

/// What each kind of sensor is about.
#[derive(Clone, Copy, PartialEq)]
enum About {
    Site,
    Joint,
    Actuator,
    Frame,
    Subtree,
    Nothing,
}

/// The kinds that are built.
const KINDS: &[(&str, About)] = &[
    ("accelerometer", About::Site),
    ("gyro", About::Site),
    ("velocimeter", About::Site),
    ("force", About::Site),
    ("torque", About::Site),
    ("touch", About::Site),
    ("rangefinder", About::Site),
    ("jointpos", About::Joint),
    ("jointvel", About::Joint),
    ("jointactuatorfrc", About::Joint),
    ("actuatorpos", About::Actuator),
    ("actuatorvel", About::Actuator),
    ("actuatorfrc", About::Actuator),
    ("framepos", About::Frame),
    ("framequat", About::Frame),
    ("framexaxis", About::Frame),
    ("frameyaxis", About::Frame),
    ("framezaxis", About::Frame),
    ("framelinvel", About::Frame),
    ("frameangvel", About::Frame),
    ("framelinacc", About::Frame),
    ("subtreecom", About::Subtree),
    ("subtreelinvel", About::Subtree),
    ("subtreeangmom", About::Subtree),
    ("clock", About::Nothing),
];

impl Reader<'_> {
    /// The sites of a body or of a frame in it.
    pub fn site(&mut self, element: &Element, at: &Place) {
        let Some(name) = self.text(element, &at.class, "name") else { return };
        let (pose, length) = self.placed(element, &at.class);
        let size = self.numbers(element, &at.class, "size").unwrap_or_else(|| vec![0.005]);
        let half = |k: usize| size.get(k).copied().unwrap_or(0.0);
        let long = length.unwrap_or(half(1));
        let sides = match length {
            Some(long) => vector(&[half(0), half(0), long]),
            None => vector(&[half(0), half(1), half(2)]),
        };
        let zone = match self.text(element, &at.class, "type").as_deref() {
            Some("box") => Zone::Box(sides),
            Some("ellipsoid") => Zone::Ellipsoid(sides),
            Some("cylinder") => Zone::Cylinder([half(0), long]),
            Some("capsule") => Zone::Capsule([half(0), long]),
            _ => Zone::Ellipsoid(vector(&[half(0); 3])),
        };
        self.sites.push(Site { name, link: at.link, pose: at.frame.compose(&pose), zone });
    }

    /// The sensors of the file; those that are not built are noted.
    pub fn sensors(&mut self, root: &Element) {
        let all: Vec<&Element> = root.all("sensor").flat_map(|s| &s.children).collect();
        for (k, element) in all.into_iter().enumerate() {
            let name =
                element.get("name").map_or_else(|| format!("sensor-{}", k + 1), str::to_owned);
            match self.sensor(root, element, &name) {
                Some(sensor) => self.robot.sensors.push(sensor),
                None => {
                    let item = format!("<{}> {name}", element.tag);
                    self.note("sensors that are not built: left out", &item, element.line);
                }
            }
        }
    }

    fn sensor(&self, root: &Element, element: &Element, name: &str) -> Option<Sensor> {
        let about = KINDS.iter().find(|(kind, _)| *kind == element.tag)?.1;
        let cutoff = self.number(element, "main", "cutoff").unwrap_or(0.0);
        let (name, kind) = (name.to_owned(), element.tag.clone());
        let (at, relative_to, joint, gear, zone) = (None, None, None, 1.0, None);
        let mut out = Sensor { name, kind, at, relative_to, joint, gear, zone, cutoff };
        match about {
            About::Nothing => {}
            About::Site => {
                let wanted = element.get("site")?;
                let site = self.sites.iter().find(|s| s.name == wanted)?;
                (out.at, out.zone) = (Some((site.link, site.pose)), Some(site.zone));
                if ["force", "torque"].contains(&element.tag.as_str()) {
                    // The joint that holds the link; one welded to its parent has none.
                    let holds = |j: &&stickslip_urdf::Joint| j.child == site.link;
                    out.joint = self.robot.joints.iter().find(holds).map(|j| j.name.clone());
                }
            }
            About::Joint => out.joint = Some(self.coordinate(element.get("joint")?)?),
            About::Actuator => {
                let wanted = element.get("actuator")?;
                let mut actuators = root.all("actuator").flat_map(|a| &a.children);
                let found = actuators.find(|a| a.get("name") == Some(wanted))?;
                let joint = found.get("joint").or_else(|| found.get("jointinparent"))?;
                out.joint = Some(self.coordinate(joint)?);
                out.gear = self.numbers(found, "main", "gear").map_or(1.0, |g| g[0]);
            }
            About::Frame => {
                out.at = Some(self.frame_of(element, "objtype", "objname")?);
                if element.get("refname").is_some() {
                    if element.get("reftype") == Some("body") {
                        return None;
                    }
                    out.relative_to = Some(self.frame_of(element, "reftype", "refname")?);
                }
            }
            About::Subtree => {
                out.at = Some((self.link_of(element.get("body")?)?, Pose::IDENTITY));
            }
        }
        Some(out)
    }

    /// The hinge or slider of that name.
    fn coordinate(&self, name: &str) -> Option<String> {
        let joint = self.robot.joints.iter().find(|j| j.name == name && j.has_position())?;
        Some(joint.name.clone())
    }

    /// The frame of a body, of its centre of mass, or of a site.
    fn frame_of(&self, element: &Element, kind: &str, name: &str) -> Option<(usize, Pose)> {
        let name = element.get(name)?;
        match element.get(kind)? {
            "site" => self.sites.iter().find(|s| s.name == name).map(|s| (s.link, s.pose)),
            "xbody" => Some((self.link_of(name)?, Pose::IDENTITY)),
            // Of the frame of inertia no more than the place: its axes have no order that two programs agree on.
            "body"
                if ["framepos", "framelinvel", "frameangvel"].contains(&element.tag.as_str()) =>
            {
                let link = self.link_of(name)?;
                let pose = self.robot.links[link].inertial.map_or(Pose::IDENTITY, |i| i.origin);
                Some((link, pose))
            }
            _ => None,
        }
    }
}
