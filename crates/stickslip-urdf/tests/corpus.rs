//! Damaged robots are read or refused, and what is read can be put into a scene: no panic.

#![allow(clippy::unwrap_used)]

#[path = "../../complementarity/tests/support/mutate.rs"]
mod mutate;

use std::path::Path;

use stickslip::{Dimension, ModelBuilder};
use stickslip_urdf::{Options, Packages, Robot};

const ROBOT: &str = r#"<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0" rpy="0 0 1"/><mass value="1.5"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.025" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.1 0.1"/></geometry></collision></link>
  <link name="lower"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.2" izz="0.2"/></inertial>
    <collision><geometry><cylinder radius="0.1" length="0.5"/></geometry></collision></link>
  <link name="tool"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 1" rpy="0 0 0.5"/><axis xyz="0 1 0"/><dynamics damping="0.3" friction="0.1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0.4 0 0" rpy="0.3 0 0"/><axis xyz="0 2 0"/>
    <limit lower="0.2" upper="1.5" effort="30" velocity="2"/></joint>
  <joint name="slide" type="prismatic"><parent link="lower"/><child link="tool"/>
    <axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="30" velocity="2"/>
    <mimic joint="elbow" multiplier="0.5" offset="0.1"/></joint>
</robot>"#;

#[test]
fn robots() {
    mutate::read_all(&[ROBOT.into()], mutate::cases(600), |bytes| {
        let text = String::from_utf8_lossy(bytes);
        match Robot::parse(&text, "arm.urdf", Path::new("/no/such/folder"), &Packages::default()) {
            Err(error) => assert!(error.to_string().contains("arm.urdf"), "no name: {error}"),
            Ok(robot) => {
                let mut builder = ModelBuilder::new(Dimension::Three);
                let _ = robot.add_to(&mut builder, &Options::default());
            }
        }
    });
}

/// Case 91283: an end before the declaration, which was cut off twice.
#[test]
fn a_declaration_after_the_end_is_refused() {
    let text = format!("</robot>\n{}", ROBOT.replace("</robot>", ""));
    let read = Robot::parse(&text, "arm.urdf", Path::new("/no/such/folder"), &Packages::default());
    let said = read.err().unwrap().to_string();
    assert!(said.contains("arm.urdf"), "{said}");
}
