//! `<equality>` and `<contact>`.

use stickslip::geometry::Vec3;
use stickslip_urdf::{Closure, JointType};

use crate::{compiler::vector, element::Element, reader::Reader};

impl Reader<'_> {
    /// `<equality>` and `<contact>`.
    pub fn relations(&mut self, root: &Element) {
        for (k, element) in root.all("equality").flat_map(|e| &e.children).enumerate() {
            if self.text(element, "main", "active").as_deref() == Some("false") {
                continue;
            }
            let done = match element.tag.as_str() {
                "connect" | "weld" => self.closure(element, k),
                "joint" => self.coupling(element),
                _ => false,
            };
            if !done {
                let item = format!("<{}>", element.tag);
                self.note("equalities that are not built: left out", &item, element.line);
            }
        }
        for element in root.all("contact").flat_map(|c| &c.children) {
            let ends = ["body1", "body2"].map(|key| element.get(key).and_then(|n| self.link_of(n)));
            match (element.tag.as_str(), ends) {
                ("exclude", [Some(a), Some(b)]) => self.robot.excluded.push([a, b]),
                _ => {
                    let item = format!("<{}>", element.tag);
                    self.note("contact elements that are not honoured", &item, element.line);
                }
            }
        }
    }

    fn closure(&mut self, element: &Element, k: usize) -> bool {
        let end = |key: &str| match element.get(key) {
            Some(name) => self.link_of(name),
            None => Some(0),
        };
        let (Some(a), Some(b)) = (end("body1"), end("body2")) else { return false };
        if element.get("body1").is_none() {
            return false;
        }
        let kind = match element.tag.as_str() {
            "connect" => JointType::Ball,
            _ => JointType::Fixed,
        };
        let anchor = self.numbers(element, "main", "anchor").filter(|v| v.len() == 3);
        let anchor = anchor.map_or(Vec3::ZERO, |v| vector(&v));
        let name = element.get("name").map_or_else(|| format!("equality-{}", k + 1), str::to_owned);
        self.robot.closures.push(Closure { name, kind, links: [a, b], anchor });
        true
    }

    /// `q1 - ref1 = c0 + c1 (q2 - ref2)`.
    fn coupling(&mut self, element: &Element) -> bool {
        let find = |key: &str| {
            let name = element.get(key)?;
            self.robot.joints.iter().position(|j| j.name == name && j.has_position())
        };
        let Some(first) = find("joint1") else { return false };
        let second = find("joint2");
        let c = self.numbers(element, "main", "polycoef").unwrap_or_else(|| vec![0.0, 1.0]);
        let at = |k: usize| c.get(k).copied().unwrap_or(0.0);
        let joints = &mut self.robot.joints;
        match second {
            Some(second) if second != first && c.iter().skip(2).all(|x| *x == 0.0) => {
                let offset = joints[first].reference + at(0) - at(1) * joints[second].reference;
                let mimic = stickslip_urdf::Mimic { joint: second, multiplier: at(1), offset };
                let mut chain = second;
                // A joint that leads its own leader would never settle.
                while let Some(m) = &joints[chain].mimic {
                    if m.joint == first {
                        return false;
                    }
                    chain = m.joint;
                }
                joints[first].mimic = Some(mimic);
                true
            }
            None if element.get("joint2").is_none() => {
                let held = joints[first].reference + at(0);
                joints[first].limits = Some([held, held]);
                true
            }
            _ => false,
        }
    }
}
