//! Robots read from URDF text, against what their files say.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use stickslip::{
    BodyId, Dimension, ModelBuilder, Motion, Settings, Simulator,
    control::Chain,
    geometry::{Pose, Quat, Vec3},
};
use stickslip_urdf::{Added, JointType, Options, Packages, Robot, UrdfError};

const LINK: &str = r#"<inertial><origin xyz="0.2 0 0"/><mass value="1.5"/>
  <inertia ixx="0.01" iyy="0.02" izz="0.025"/></inertial>
  <collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.1 0.1"/></geometry></collision>"#;

/// A root without mass, two hinges, a slider that mimics, and a tool on a fixed joint.
fn arm() -> String {
    format!(
        r#"<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">{LINK}</link>
  <link name="lower">{LINK}</link>
  <link name="finger">{LINK}</link>
  <link name="tool"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="shoulder" type="continuous">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0 0 1" rpy="0 0 0.5"/><axis xyz="0 1 0"/>
    <dynamics damping="0.3" friction="0.1"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="lower"/>
    <origin xyz="0.4 0 0" rpy="0.3 0 0"/><axis xyz="0 2 0"/>
    <limit lower="0.2" upper="1.5" effort="30" velocity="2"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="lower"/><child link="finger"/>
    <origin xyz="0.4 0 0"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="30" velocity="2"/>
    <mimic joint="elbow" multiplier="0.5" offset="0.1"/>
  </joint>
  <joint name="mount" type="fixed">
    <parent link="lower"/><child link="tool"/><origin xyz="0.4 0 0.1"/>
  </joint>
</robot>"#
    )
}

fn parse(text: &str) -> Result<Robot, UrdfError> {
    Robot::parse(text, "arm.urdf", Path::new("."), &Packages::default())
}

fn build(text: &str, options: &Options, settings: Settings) -> (Simulator, Added) {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let added = parse(text).unwrap().add_to(&mut builder, options).unwrap();
    let (model, state) = builder.build();
    (Simulator::new(model, state, settings).unwrap(), added)
}

/// Names, types, limits, inertias and merged links are as in the file.
#[test]
fn arm_is_read_as_written() {
    let robot = parse(&arm()).unwrap();
    assert_eq!(robot.links.len(), 5);
    assert_eq!(robot.joint("elbow").unwrap().kind, JointType::Revolute);
    assert_eq!(robot.joint("elbow").unwrap().axis, Vec3::Y);
    assert_eq!(robot.joint("elbow").unwrap().limits, Some([0.2, 1.5]));
    let (sim, added) = build(&arm(), &Options::default(), Settings::default());
    // The base is the world, the tool part of the lower link.
    assert_eq!(sim.model.bodies().len(), 3);
    assert_eq!(added.bodies["tool"], added.bodies["lower"]);
    assert!(!added.bodies.contains_key("base") && !added.joints.contains_key("mount"));
    let lower = sim.model.body(added.bodies["lower"]);
    assert_eq!((lower.mass, lower.inertia.y_axis.y, lower.motion), (1.5, 0.02, Motion::Dynamic));
    assert_eq!(lower.shape.parts().len(), 2);
    // The elbow starts at the limit nearest to zero, the slider where it mimics that.
    let position = |name: &str| sim.model.joint_position(&sim.state, added.joints[name])[0];
    assert!((position("elbow") - 0.2).abs() < 1e-12);
    assert!((position("slide") - 0.2).abs() < 1e-12);
    assert!(sim.model.max_joint_error(&sim.state) < 1e-12);
}

/// Poses by the file's own transforms, written out by hand, and by the chain of the model.
#[test]
fn forward_kinematics_follows_the_file() {
    let mut options = Options::default();
    options.positions.insert("shoulder".into(), 0.7);
    options.positions.insert("elbow".into(), 0.9);
    options.pose = Pose::new(Vec3::new(1.0, 2.0, 0.0), Quat::from_rotation_z(0.3));
    let (sim, added) = build(&arm(), &options, Settings::default());
    let at = |x: f64, y: f64, z: f64| Pose::new(Vec3::new(x, y, z), Quat::IDENTITY);
    let turn = |q: Quat| Pose::new(Vec3::ZERO, q);
    let lower = options
        .pose
        .compose(&at(0.0, 0.0, 1.0))
        .compose(&turn(Quat::from_rotation_z(0.5)))
        .compose(&turn(Quat::from_rotation_y(0.7)))
        .compose(&at(0.4, 0.0, 0.0))
        .compose(&turn(Quat::from_rotation_x(0.3)))
        .compose(&turn(Quat::from_rotation_y(0.9)))
        .compose(&at(0.2, 0.0, 0.0));
    let found = sim.state.pose(added.bodies["lower"]);
    assert!((found.position - lower.position).length() < 1e-12);
    let tip = added.bodies["finger"];
    let chain = Chain::to(&sim.model, tip).unwrap();
    let q = chain.positions(&sim.model, &sim.state);
    assert!((q[0] - 0.7).abs() < 1e-12 && (q[1] - 0.9).abs() < 1e-12, "{q:?}");
    let moved = [0.7 + 0.2, 0.9 - 0.3, q[2] + 0.1];
    let mut again = options.clone();
    again.positions.insert("shoulder".into(), moved[0]);
    again.positions.insert("elbow".into(), moved[1]);
    // The mimic offset differs: compare the lower link, which does not depend on it.
    let (other, _) = build(&arm(), &again, Settings::default());
    let chain = Chain::to(&sim.model, added.bodies["lower"]).unwrap();
    let pose = chain.forward(&sim.model, &sim.state, &moved[..2]);
    let expected = other.state.pose(added.bodies["lower"]);
    assert!((pose.position - expected.position).length() < 1e-12);
}

/// The robot moves: limits and mimic hold while it falls.
#[test]
fn arm_swings_within_its_limits() {
    let settings = Settings { stabilization: "post-step".into(), ..Settings::default() };
    let (mut sim, added) = build(&arm(), &Options::default(), settings);
    for _ in 0..200 {
        let report = sim.step().unwrap();
        assert_eq!(report.solves.failures, 0);
        assert!(report.joint_error < 1e-9, "{:e}", report.joint_error);
        let q = |name: &str| sim.model.joint_position(&sim.state, added.joints[name])[0];
        assert!(q("elbow") > 0.2 - 1e-9 && q("elbow") < 1.5 + 1e-9, "{}", q("elbow"));
        assert!((q("slide") - 0.5 * q("elbow") - 0.1).abs() < 1e-9);
    }
}

/// A base with mass floats unless it is held; a fixed one that can be touched is a static body.
#[test]
fn base_floats_or_stands() {
    let text = format!(r#"<robot name="r"><link name="base">{LINK}</link></robot>"#);
    let motion = |fixed_base| {
        let options = Options { fixed_base, ..Options::default() };
        build(&text, &options, Settings::default()).0.model.body(BodyId::new(0)).motion
    };
    assert_eq!(motion(None), Motion::Dynamic);
    assert_eq!(motion(Some(true)), Motion::Static);
}

/// A mesh by relative path and by package.
#[test]
fn meshes_are_found() {
    let folder = std::env::temp_dir().join(format!("stickslip-urdf-{}", std::process::id()));
    let meshes = folder.join("my_robot").join("meshes");
    std::fs::create_dir_all(&meshes).unwrap();
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(meshes.join("part.obj"), obj).unwrap();
    let urdf = folder.join("my_robot").join("robot.urdf");
    for name in ["meshes/part.obj", "package://my_robot/meshes/part.obj"] {
        let mesh = format!(
            r#"<robot name="r"><link name="a"><inertial><mass value="1"/>
            <inertia ixx="1" iyy="1" izz="1"/></inertial><collision><geometry>
            <mesh filename="{name}" scale="2 2 2"/></geometry></collision></link></robot>"#
        );
        std::fs::write(&urdf, mesh).unwrap();
        let robot = Robot::read(&urdf, &Packages::default()).unwrap();
        let mut builder = ModelBuilder::new(Dimension::Three);
        let added = robot.add_to(&mut builder, &Options::default()).unwrap();
        let model = builder.build().0;
        // The farthest corner from the link's origin, which is its centre of mass.
        let radius = model.body(added.bodies["a"]).radius;
        assert!((radius - 2.0).abs() < 1e-12, "{name}: {radius}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What cannot be read gets a message with the line and a remedy; what can be mended is refused by
/// strict reading alone.
#[test]
fn mistakes_get_clear_messages() {
    let refused = |text: &str, words: &[&str]| {
        let strict = Options { strict: true, ..Options::default() };
        let error = parse(text).and_then(|robot| robot.plan(&strict));
        let message = error.unwrap_err().to_string();
        for word in words {
            assert!(message.contains(word), "{message:?} does not say {word:?}");
        }
    };
    let joint = |kind: &str, parent: &str, child: &str, name: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\">\n<parent link=\"{parent}\"/><child link=\"{child}\"/></joint>\n"
        )
    };
    let two = format!("<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"b\">{LINK}</link>\n");
    refused("<robot", &["arm.urdf", "not XML"]);
    refused("<model/>", &["<robot>"]);
    refused("<robot name=\"r\"/>", &["no <link>"]);
    refused(&format!("{two}{}</robot>", joint("hinge", "a", "b", "j")), &["hinge", "continuous"]);
    refused(&format!("{two}{}</robot>", joint("fixed", "a", "c", "j")), &["no link", "\"c\""]);
    refused(&format!("{two}{}</robot>", joint("revolute", "a", "b", "j")), &["limit"]);
    refused(&format!("{two}</robot>"), &["one root", "\"a\""]);
    let twice = joint("fixed", "a", "b", "j") + &joint("fixed", "a", "b", "k");
    refused(&format!("{two}{twice}</robot>"), &["loop", "\"j\"", "\"k\""]);
    let circle = joint("fixed", "a", "b", "j") + &joint("fixed", "b", "a", "k");
    refused(&format!("{two}{circle}</robot>"), &["loop"]);
    let bare = "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/>";
    refused(&format!("{bare}{}</robot>", joint("continuous", "a", "b", "j")), &["\"b\"", "mass"]);
    let zero = "<inertial><mass value=\"1\"/><inertia ixx=\"0\" iyy=\"0\" izz=\"0\"/></inertial>";
    let still = format!("<robot name=\"r\"><link name=\"a\"/>\n<link name=\"b\">\n{zero}</link>");
    refused(
        &format!("{still}{}</robot>", joint("continuous", "a", "b", "j")),
        &["arm.urdf:3", "\"b\"", "inertia"],
    );
    let mesh = |name: &str| {
        format!(
            "<robot name=\"r\"><link name=\"a\"><collision><geometry><mesh filename=\"{name}\"/></geometry></collision></link></robot>"
        )
    };
    refused(&mesh("nowhere.stl"), &["\"a\"", "nowhere.stl", "no file"]);
    refused(&mesh("package://unknown_pkg/x.stl"), &["unknown_pkg", "package"]);
    let number = "<robot name=\"r\">\n\n<link name=\"a\"><collision><geometry><box size=\"1 x 1\"/></geometry></collision></link></robot>";
    refused(number, &["arm.urdf:3", "1 x 1", "3 finite"]);
    let negative = "<robot name=\"r\"><link name=\"a\">\n<inertial><mass value=\"-1\"/></inertial></link></robot>";
    refused(negative, &["arm.urdf:2", "-1", "0 or more"]);
}
