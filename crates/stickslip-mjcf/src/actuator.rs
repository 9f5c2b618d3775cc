//! `<actuator>` and `<keyframe>`.

use stickslip::{
    geometry::{Pose, Quat, Vec3},
    model::{Motor, MotorTarget},
};
use stickslip_urdf::{JointType, UrdfError};

use crate::{defaults::ACTUATORS, element::Element, reader::Reader};

impl Reader<'_> {
    /// Actuators with a spring or damper become motors, those of pure force give their joint its
    /// largest force. `controls` are their inputs; zero for those not given.
    pub fn actuators(&mut self, root: &Element, controls: &[f64]) {
        let elements = root.all("actuator").flat_map(|a| &a.children);
        let passive: Vec<usize> = self.springs.keys().copied().collect();
        for (k, element) in elements.enumerate() {
            let joint = element.get("joint").or_else(|| element.get("jointinparent"));
            let known = ACTUATORS.contains(&element.tag.as_str());
            let found = self.robot.joints.iter().position(|j| Some(j.name.as_str()) == joint);
            let found = found.filter(|&j| known && self.robot.joints[j].has_position());
            let name = element.get("name").unwrap_or(&element.tag).to_owned();
            let unbuilt = ["muscle", "adhesion", "plugin", "intvelocity"];
            let Some(joint) = found.filter(|_| !unbuilt.contains(&element.tag.as_str())) else {
                let what = "actuators that drive no hinge or slider, or are not built: left out";
                self.note(what, &name, element.line);
                continue;
            };
            self.actuator(element, joint, controls.get(k).copied().unwrap_or(0.0));
        }
        let springs = self.springs.clone();
        for (joint, [stiffness, pull, damping]) in springs {
            let data = &mut self.robot.joints[joint];
            let position = if stiffness > 0.0 { pull / stiffness } else { 0.0 };
            let target = MotorTarget::Position { position, stiffness, damping };
            data.motor = Some(Motor::new(target, None));
            // A spring of the joint itself has no largest force.
            if passive.contains(&joint) {
                data.effort = None;
            }
        }
    }

    fn actuator(&mut self, element: &Element, joint: usize, control: f64) {
        let get = |key: &str| self.numbers(element, "main", key);
        let first = |key: &str| get(key).map(|v| v[0]);
        let gear = first("gear").unwrap_or(1.0);
        let range = get("ctrlrange").filter(|v| v.len() == 2);
        let limited = self.text(element, "main", "ctrllimited").as_deref() != Some("false");
        let range = range.filter(|_| limited);
        let control = range.as_ref().map_or(control, |r| control.max(r[0]).min(r[1]));
        // Force per position and velocity of the joint, and the force at zero.
        let (stiffness, damping, force) = match element.tag.as_str() {
            "position" => {
                let kp = first("kp").unwrap_or(1.0);
                (kp, first("kv").unwrap_or(0.0), kp * control)
            }
            "velocity" => {
                let kv = first("kv").unwrap_or(1.0);
                (0.0, kv, kv * control)
            }
            "general" if self.text(element, "main", "biastype").as_deref() == Some("affine") => {
                let bias = get("biasprm").unwrap_or_default();
                let b = |k: usize| bias.get(k).copied().unwrap_or(0.0);
                let gain = first("gainprm").unwrap_or(1.0);
                (-b(1), -b(2), gain * control + b(0))
            }
            _ => (0.0, 0.0, 0.0),
        };
        let strongest =
            get("forcerange").filter(|v| v.len() == 2).map(|v| v[0].abs().max(v[1].abs()));
        let pure = stiffness == 0.0 && damping == 0.0;
        let gain = first("gainprm").filter(|_| element.tag == "general").unwrap_or(1.0);
        let by_control = range.filter(|_| pure).map(|r| gain.abs() * r[0].abs().max(r[1].abs()));
        let effort = strongest.or(by_control).map(|f| f * gear.abs());
        let data = &mut self.robot.joints[joint];
        data.effort = effort.filter(|e| *e > 0.0 && e.is_finite()).or(data.effort);
        if stiffness >= 0.0 && damping >= 0.0 && !pure {
            let spring = self.springs.entry(joint).or_default();
            // Lengths of the actuator are `gear q`.
            spring[0] += stiffness * gear * gear;
            spring[1] += if stiffness > 0.0 { force * gear } else { 0.0 };
            spring[2] += damping * gear * gear;
        }
        if stiffness == 0.0 && damping > 0.0 && force != 0.0 {
            let name = element.get("name").unwrap_or("velocity").to_owned();
            self.note("velocity actuators start with the target 0", &name, element.line);
        }
    }

    /// Puts the joints where a keyframe has them; its controls.
    pub fn keyframe(&mut self, root: &Element, name: &str) -> Result<Vec<f64>, UrdfError> {
        let keys: Vec<&Element> = root.all("keyframe").flat_map(|k| k.all("key")).collect();
        let number = name.parse::<usize>().ok();
        let found = keys.iter().position(|k| k.get("name") == Some(name)).or(number);
        let Some(key) = found.and_then(|k| keys.get(k)) else {
            let names: Vec<&str> = keys.iter().filter_map(|k| k.get("name")).collect();
            let what = format!(
                "no keyframe is named {name:?}; there are {}: {}",
                keys.len(),
                names.join(", ")
            );
            return Err(UrdfError::Tree { file: self.robot.file.clone(), what });
        };
        let controls = self.numbers(key, "main", "ctrl").unwrap_or_default();
        let Some(qpos) = self.numbers(key, "main", "qpos") else { return Ok(controls) };
        let needed: usize = self.coordinates.iter().map(|c| c.1).sum();
        if qpos.len() != needed {
            let what = format!("the keyframe has {} positions, but there are {needed}", qpos.len());
            return Err(UrdfError::At { file: self.robot.file.clone(), line: key.line, what });
        }
        let mut from = 0;
        for (joint, width) in self.coordinates.clone() {
            let q = &qpos[from..from + width];
            from += width;
            let data = &mut self.robot.joints[joint];
            let turn = |q: &[f64]| {
                let turn = Quat::from_xyzw(q[1], q[2], q[3], q[0]);
                if turn.length() > 1e-12 { turn.normalize() } else { Quat::IDENTITY }
            };
            match data.kind {
                JointType::Floating => {
                    data.origin = Pose::new(Vec3::new(q[0], q[1], q[2]), turn(&q[3..]));
                }
                JointType::Ball => {
                    let turn = turn(q);
                    let moved = Pose::new(data.anchor - turn * data.anchor, turn);
                    data.origin = data.origin.compose(&moved);
                }
                _ => {
                    let name = data.name.clone();
                    self.robot.start.insert(name, q[0]);
                }
            }
        }
        Ok(controls)
    }
}
