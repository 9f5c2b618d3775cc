//! Damaged models in MJCF are read or refused, and what is read can be put into a scene: no panic.

#![allow(clippy::unwrap_used)]

#[path = "../../complementarity/tests/support/mutate.rs"]
mod mutate;

use stickslip::{Dimension, ModelBuilder};
use stickslip_urdf::Options;

const MODEL: &str = r#"<mujoco model="arm"><compiler angle="degree" eulerseq="xyz"/>
<option timestep="0.002" gravity="0 0 -9.81"/>
<default><geom size="0.1" density="500" friction="0.8 0.1 0.1"/>
  <default class="big"><geom size="0.2"/><joint damping="3" range="-90 90" limited="true"/></default></default>
<asset><mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/></asset>
<worldbody>
  <geom type="plane" size="5 5 0.1"/>
  <body name="a" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.3"/></body>
  <body name="b" childclass="big" pos="2 0 0" euler="0 90 0">
    <inertial pos="0 0 0.1" mass="2" diaginertia="0.1 0.2 0.2"/>
    <joint name="hinge" type="hinge" axis="0 1 0" ref="10"/><geom type="capsule" fromto="0 0 0 0 0 0.5"/>
    <body name="c" pos="1 0 0" quat="1 0 1 0"><joint name="slide" type="slide" axis="1 0 0" range="-0.1 0.4"/>
      <geom type="mesh" mesh="wedge"/><geom type="cylinder" size="0.1 0.3" mass="1"/></body></body>
</worldbody>
<contact><exclude body1="a" body2="b"/></contact>
<equality><joint joint1="hinge" joint2="slide" polycoef="0 0.5 0 0 0"/></equality>
<actuator><motor joint="hinge" gear="10" ctrlrange="-1 1"/><position joint="slide" kp="50"/></actuator>
<keyframe><key name="home" qpos="0 0 1 1 0 0 0 0.1 0.2"/></keyframe></mujoco>"#;

#[test]
fn models() {
    let name = format!("stickslip-mjcf-corpus-{}.xml", std::process::id());
    let path = std::env::temp_dir().join(&name);
    mutate::read_all(&[MODEL.into()], mutate::cases(600), |bytes| {
        std::fs::write(&path, bytes).unwrap();
        for keyframe in [None, Some("home")] {
            match stickslip_mjcf::read(&path, keyframe) {
                Err(error) => assert!(error.to_string().contains(&name), "no name: {error}"),
                Ok(robot) => {
                    let mut builder = ModelBuilder::new(Dimension::Three);
                    if let Ok(plan) = robot.plan(&Options::default()) {
                        let _ = plan.add_to(&mut builder);
                    }
                }
            }
        }
    });
    std::fs::remove_file(&path).unwrap();
}

/// What the cases are made from is a model without fault.
#[test]
fn the_original_is_sound() {
    let path =
        std::env::temp_dir().join(format!("stickslip-mjcf-sound-{}.xml", std::process::id()));
    std::fs::write(&path, MODEL).unwrap();
    let robot = stickslip_mjcf::read(&path, Some("home"));
    std::fs::remove_file(&path).unwrap();
    robot.unwrap().plan(&Options::default()).unwrap();
}
