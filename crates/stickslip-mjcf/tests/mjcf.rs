//! Models in MJCF against what the format says.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use stickslip::{
    Dimension, Model, ModelBuilder, Motion, Settings, Simulator, State,
    geometry::{Mat3, Quat, Vec3},
    model::{JointKind, MotorTarget},
};
use stickslip_urdf::{JointType, Options, Plan, Robot, UrdfError};

/// A file of that text, removed when it goes out of scope.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("stickslip-mjcf-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.0));
    }
}

fn read(name: &str, text: &str, keyframe: Option<&str>) -> Result<Robot, UrdfError> {
    stickslip_mjcf::read(&File::new(name, text).0, keyframe)
}

fn plan(name: &str, text: &str) -> Plan {
    read(name, text, None).unwrap().plan(&Options::default()).unwrap()
}

fn built(plan: &Plan) -> (Model, State) {
    let mut builder = ModelBuilder::new(Dimension::Three);
    plan.add_to(&mut builder).unwrap();
    builder.build()
}

/// Classes within classes, `childclass`, and an element's own attributes, in that order.
#[test]
fn defaults_are_inherited() {
    let found = plan(
        "defaults.xml",
        r#"<mujoco><default><geom size="0.1" density="500"/>
          <default class="big"><geom size="0.2"/><joint damping="3"/></default></default>
        <worldbody>
          <body name="a"><freejoint/><geom/></body>
          <body name="b" childclass="big" pos="2 0 0"><joint name="j"/><geom/>
            <body name="c" pos="1 0 0"><joint/><geom size="0.3"/></body></body>
          <body name="d" pos="9 0 0"><freejoint/><geom class="big"/></body>
        </worldbody></mujoco>"#,
    );
    let (model, _) = built(&found);
    let ball = |r: f64| 500.0 * 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
    for (name, radius) in [("a", 0.1), ("b", 0.2), ("c", 0.3), ("d", 0.2)] {
        let mass = model.body(model.find(name).unwrap()).mass;
        assert!((mass - ball(radius)).abs() < 1e-12 * mass, "{name}: {mass}");
    }
    assert!(model.joints().iter().all(|j| j.damping == 3.0));
}

/// Angles, orientations in all their ways, `fromto` and `frame` put things where they say.
#[test]
fn places_are_as_written() {
    let model = |compiler: &str, turn: &str| {
        let text = format!(
            r#"<mujoco><compiler {compiler}/><worldbody><frame pos="0 0 1"><body name="a" {turn}>
            <freejoint/><geom type="sphere" size="0.1" pos="1 2 3"/></body></frame></worldbody></mujoco>"#
        );
        let (model, state) = built(&plan("places.xml", &text));
        state.pose(model.find("a").unwrap()).position
    };
    let expect = |found: Vec3, turn: Quat| {
        let expected = turn * Vec3::new(1.0, 2.0, 3.0) + Vec3::Z;
        assert!(found.distance(expected) < 1e-12, "{found} {expected}");
    };
    let x = Quat::from_rotation_x(0.3);
    let [y, z] = [Quat::from_rotation_y(0.5), Quat::from_rotation_z(0.7)];
    expect(model(r#"angle="radian""#, r#"euler="0.3 0.5 0.7""#), x * y * z);
    expect(model(r#"angle="radian" eulerseq="XYZ""#, r#"euler="0.3 0.5 0.7""#), z * y * x);
    expect(model(r#"angle="radian" eulerseq="zyx""#, r#"euler="0.7 0.5 0.3""#), z * y * x);
    expect(model("", r#"axisangle="0 2 0 90""#), Quat::from_rotation_y(90_f64.to_radians()));
    expect(model("", r#"quat="1 1 0 0""#), Quat::from_rotation_x(90_f64.to_radians()));
    expect(model("", r#"xyaxes="0 1 0 -1 0 0""#), Quat::from_rotation_z(90_f64.to_radians()));
    expect(model("", r#"zaxis="1 0 0""#), Quat::from_rotation_y(90_f64.to_radians()));
    let rod = plan(
        "rod.xml",
        r#"<mujoco><worldbody><body name="rod"><freejoint/>
        <geom type="cylinder" size="0.1" fromto="0 0 0 2 0 0" mass="3"/></body></worldbody></mujoco>"#,
    );
    let (model, state) = built(&rod);
    let body = model.body(model.find("rod").unwrap());
    assert!(state.q[0].position.distance(Vec3::X) < 1e-15);
    // m r²/2 about its axis, m (3 r² + l²) / 12 across.
    let (along, across) = (3.0 * 0.01 / 2.0, 3.0 * (0.03 + 4.0) / 12.0);
    let expected = Mat3::from_diagonal(Vec3::new(along, across, across));
    let apart =
        (body.inertia - expected).to_cols_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    assert!(apart < 1e-14, "{}", body.inertia);
}

/// Several joints of one body act in turn, each about its own point.
#[test]
fn several_joints_of_a_body() {
    let text = r#"<mujoco><compiler angle="radian"/><worldbody><body name="a" pos="0 0 2">
      <joint name="slide" type="slide" axis="1 0 0"/>
      <joint name="turn" axis="0 0 1" pos="0.5 0 0"/>
      <joint name="tilt" axis="0 1 0"/>
      <geom type="box" size="0.1 0.2 0.3" pos="0 1 0"/></body></worldbody></mujoco>"#;
    let mut options = Options::default();
    for (name, q) in [("slide", 0.3), ("turn", 0.7), ("tilt", -0.4)] {
        options.positions.insert(name.into(), q);
    }
    let found = read("several.xml", text, None).unwrap().plan(&options).unwrap();
    let (model, state) = built(&found);
    assert_eq!((model.bodies().len(), model.joints().len()), (3, 3));
    // x -> R_turn (x - p) + p, then the slide, after the tilt about the origin.
    let inner = Quat::from_rotation_y(-0.4) * Vec3::Y;
    let pivot = Vec3::new(0.5, 0.0, 0.0);
    let turned = Quat::from_rotation_z(0.7) * (inner - pivot) + pivot;
    let expected = Vec3::new(0.3, 0.0, 2.0) + turned;
    let body = model.find("a").unwrap();
    assert!(state.pose(body).position.distance(expected) < 1e-12);
    for (name, q) in [("slide", 0.3), ("turn", 0.7), ("tilt", -0.4)] {
        let joint = model.find_joint(name).unwrap();
        assert!((model.joint_position(&state, joint)[0] - q).abs() < 1e-12, "{name}");
    }
    assert!(model.max_joint_error(&state) < 1e-12);
}

/// What collides with what: bits, exclusions, parents, and the world.
#[test]
fn contacts_are_filtered() {
    let found = plan(
        "contacts.xml",
        r#"<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
          <geom name="ghost" type="box" size="1 1 1" contype="0" conaffinity="0"/>
          <body name="a" pos="0 0 1"><joint/><geom size="0.1"/>
            <body name="b" pos="1 0 0"><joint/><geom size="0.1"/>
              <body name="c" pos="1 0 0"><joint/><geom size="0.1"/></body></body></body>
          <body name="d" pos="5 0 1"><freejoint/><geom size="0.1"/></body>
          <body name="e" pos="6 0 1"><freejoint/><geom size="0.1" contype="2" conaffinity="2"/></body>
        </worldbody><contact><exclude body1="a" body2="d"/></contact></mujoco>"#,
    );
    let (model, _) = built(&found);
    assert!(model.find("ghost").is_none());
    assert_eq!(model.body(model.find("floor").unwrap()).motion, Motion::Static);
    let touch = |a: &str, b: &str| model.may_touch(model.find(a).unwrap(), model.find(b).unwrap());
    for (a, b, expected) in [
        ("a", "b", false),
        ("a", "c", true),
        ("a", "d", false),
        ("b", "d", true),
        ("d", "e", false),
        ("floor", "e", false),
        ("floor", "a", true),
        ("floor", "d", true),
    ] {
        assert_eq!(touch(a, b), expected, "{a} {b}");
    }
}

/// Actuators with springs become motors with gears and limits; equalities become joints and
/// gears; keyframes set the start.
#[test]
fn actuators_equalities_and_keyframes() {
    let text = r#"<mujoco><compiler angle="radian"/><worldbody>
      <body name="a"><joint name="j" axis="0 1 0" ref="0.1" range="-2 2"/><geom size="0.1" pos="1 0 0"/>
        <body name="b" pos="1 0 0"><joint name="k" axis="0 1 0"/><geom size="0.1" pos="1 0 0"/></body></body>
      <body name="c" pos="0 5 0"><joint name="l" type="slide" stiffness="7" springref="0.5"/><geom size="0.1"/></body>
      <body name="f" pos="0 9 0"><freejoint/><geom size="0.1"/></body></worldbody>
      <actuator><position joint="j" kp="10" kv="2" gear="3" forcerange="-4 4"/>
        <motor joint="k" gear="5" ctrlrange="-2 1"/></actuator>
      <equality><joint joint1="k" joint2="j" polycoef="0.2 2 0 0 0"/>
        <connect body1="b" body2="f" anchor="0 1 0"/></equality>
      <keyframe><key name="bent" qpos="0.4 0 0.3 1 2 3 1 0 0 0" ctrl="0.6 0"/></keyframe></mujoco>"#;
    let robot = read("actuators.xml", text, Some("bent")).unwrap();
    assert_eq!(robot.joint("j").unwrap().kind, JointType::Continuous);
    let found = robot.plan(&Options::default()).unwrap();
    let (model, state) = built(&found);
    let joint = |name: &str| model.joint(model.find_joint(name).unwrap());
    // Force 3 (10 (0.6 - 3 q) - 2 (3 q')): stiffness 90, damping 18, at rest at 0.2.
    let MotorTarget::Position { position, stiffness, damping } = joint("j").motor.unwrap().target
    else {
        panic!("{:?}", joint("j").motor)
    };
    assert!((position - 0.2).abs() < 1e-15, "{position}");
    assert_eq!((stiffness, damping, joint("j").motor.unwrap().max_force), (90.0, 18.0, Some(12.0)));
    assert_eq!((joint("k").motor, joint("k").effort), (None, Some(10.0)));
    let spring = MotorTarget::Position { position: 0.5, stiffness: 7.0, damping: 0.0 };
    assert_eq!(joint("l").motor.unwrap().target, spring);
    let q = |name: &str| model.joint_position(&state, model.find_joint(name).unwrap())[0];
    assert!((q("j") - 0.4).abs() < 1e-12 && (q("l") - 0.3).abs() < 1e-12);
    // k = 0.2 + 2 (j - 0.1).
    assert!((q("k") - 0.8).abs() < 1e-12, "{}", q("k"));
    assert!(model.joints().iter().any(|j| j.kind == JointKind::Spherical));
    assert_eq!(state.pose(model.find("f").unwrap()).position, Vec3::new(1.0, 2.0, 3.0));
    let wrong = read("actuators2.xml", text, Some("straight")).unwrap_err().to_string();
    assert!(wrong.contains("straight") && wrong.contains("bent"), "{wrong}");
}

/// A rod on a hinge swings with the period of the compound pendulum.
#[test]
fn pendulum_has_its_period() {
    let text = r#"<mujoco><compiler angle="radian"/><worldbody><body name="rod">
      <joint name="hinge" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 -1"/>
      </body></worldbody><keyframe><key qpos="0.01"/></keyframe></mujoco>"#;
    let robot = read("pendulum.xml", text, Some("0")).unwrap();
    let found = robot.plan(&Options::default()).unwrap();
    let (model, state) = built(&found);
    let body = model.bodies()[0].clone();
    let about = body.inertia.y_axis.y + body.mass * 0.25;
    let period = std::f64::consts::TAU * (about / (body.mass * 9.81 * 0.5)).sqrt();
    let h = 1e-3;
    let settings = Settings { step: h, ..Settings::default() };
    let mut sim = Simulator::new(model, state, settings).unwrap();
    let hinge = sim.model.find_joint("hinge").unwrap();
    let mut crossings = Vec::new();
    let mut last = 0.01_f64;
    while crossings.len() < 3 && sim.state.time < 3.0 * period {
        sim.step().unwrap();
        let q = sim.model.joint_position(&sim.state, hinge)[0];
        if last.signum() != q.signum() {
            crossings.push(sim.state.time - h * q / (q - last));
        }
        last = q;
    }
    let found = crossings[2] - crossings[0];
    // First order in h, and a swing of 0.01 rad is longer by 6e-6 of the period.
    assert!((found - period).abs() < 1e-3 * period, "{found} {period}");
}

/// What is not honoured is noted; files that include themselves or others are read or refused.
#[test]
fn the_rest_is_noted() {
    let found = plan(
        "rest.xml",
        r#"<mujoco><option gravity="0 0 -1" viscosity="0.1"/><worldbody>
          <body name="a"><joint name="j" armature="1"/><geom size="0.1" solref="0.1 1"/></body>
        </worldbody><tendon><spatial/></tendon><sensor><gyro site="s"/></sensor></mujoco>"#,
    );
    let told: String = found.notes.list.iter().map(|n| format!("{n}\n")).collect();
    for word in ["solref", "<tendon>", "<gyro>", "gravity", "viscosity"] {
        assert!(told.contains(word), "{told} does not say {word}");
    }
    let inner = File::new("inner.xml", "<mujocoinclude><body name=\"b\"/></mujocoinclude>");
    let text = "<mujoco><worldbody><include file=\"inner.xml\"/></worldbody></mujoco>";
    assert_eq!(read("outer.xml", text, None).unwrap().links.len(), 2);
    drop(inner);
    let itself = "<mujoco><include file=\"itself.xml\"/></mujoco>";
    let error = read("itself.xml", itself, None).unwrap_err().to_string();
    assert!(error.contains("without end"), "{error}");
    let kind = |text: &str| stickslip_mjcf::is_mjcf(&File::new("kind.xml", text).0);
    assert!(kind("<mujoco/>") && !kind("<robot><mujoco/></robot>"));
    assert!(read("none.xml", "<robot/>", None).unwrap_err().to_string().contains("<mujoco>"));
}

/// A file with random characters changed is read or refused; it never brings the program down.
#[test]
fn damaged_files_are_survived() {
    let good = r#"<mujoco><compiler angle="radian" eulerseq="xyz"/><default><geom size="0.1 0.2 0.3"/>
      <default class="c"><joint damping="3"/></default></default>
      <asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>
      <geom type="plane"/><body name="a" childclass="c" euler="1 2 3"><freejoint/><geom type="box"/>
      <body name="b" pos="1 0 0"><joint name="j" range="-1 1"/><joint name="k" type="slide"/>
      <geom type="mesh" mesh="m"/><geom type="ellipsoid"/></body></body></worldbody>
      <equality><joint joint1="k" joint2="j"/><weld body1="a"/></equality>
      <actuator><position joint="j" kp="3"/></actuator>
      <keyframe><key qpos="0 0 0 1 0 0 0 0.5 0"/></keyframe></mujoco>"#;
    let seed = 5;
    let mut random = seed;
    let mut next = |limit: usize| {
        random = 6_364_136_223_846_793_005_u64.wrapping_mul(random).wrapping_add(1);
        (random >> 33) as usize % limit
    };
    let pieces = ["0", "-", "e", "9", " ", "\"", "<", "/", "a", "b", "c", "nan", "1e308", "1e-308"];
    let mut accepted = 0;
    for k in 0..400 {
        let mut text = good.to_owned();
        for _ in 0..1 + next(4) {
            let at = next(text.len());
            text.replace_range(at..at + next(2).min(text.len() - at), pieces[next(pieces.len())]);
        }
        let robot = read("damaged.xml", &text, (k % 2 == 0).then_some("0"));
        let plan = robot.and_then(|robot| robot.plan(&Options::default()));
        let added = plan.map(|plan| plan.add_to(&mut ModelBuilder::new(Dimension::Three)).is_ok());
        accepted += usize::from(added == Ok(true));
    }
    assert!((20..380).contains(&accepted), "seed {seed}: {accepted} of 400 were read");
}

/// Sensors are where their sites are, also on bodies that became part of another; what is not built is told.
#[test]
fn sensors_are_placed_on_bodies() {
    let text = r#"<mujoco><compiler angle="radian"/>
        <default><site size="0.02 0.03 0.04"/></default>
        <worldbody><site name="base" pos="0 0 3"/>
          <body name="arm" pos="1 0 0"><joint name="hinge" axis="0 1 0"/>
            <geom type="box" size="0.5 0.1 0.1" pos="0.5 0 0" mass="2"/>
            <frame pos="0 0 0.5"><site name="tip" pos="1 0 0" euler="0 0 1.5707963267948966" type="box"/></frame>
            <body name="hand" pos="1 0 0"><site name="palm" pos="0 0 0.1"/>
              <body name="free"><joint name="slide" type="slide"/><geom size="0.1"/></body></body></body>
        </worldbody>
        <actuator><motor name="drive" joint="hinge" gear="3"/></actuator>
        <sensor><gyro name="turn" site="tip"/><touch site="palm" cutoff="7"/><force name="wrist" site="palm"/>
          <jointpos joint="slide"/><actuatorvel name="rate" actuator="drive"/>
          <framepos name="where" objtype="site" objname="base" reftype="xbody" refname="arm"/>
          <subtreecom body="arm"/><magnetometer site="tip"/><tendonpos name="cord" tendon="t"/></sensor></mujoco>"#;
    let options = Options { prefix: "a ".into(), ..Options::default() };
    let found = read("sensors.xml", text, None).unwrap().plan(&options).unwrap();
    let get = |name: &str| found.sensors.iter().find(|s| s.name == name).unwrap();
    let turn = get("a turn");
    assert_eq!(turn.at.0.as_deref(), Some("a arm"));
    // the frame of a body is at its centre of mass
    assert!(turn.at.1.position.distance(Vec3::new(0.5, 0.0, 0.5)) < 1e-12, "{:?}", turn.at.1);
    assert!(turn.at.1.vector(Vec3::X).distance(Vec3::Y) < 1e-12);
    assert_eq!(turn.zone, Some(stickslip_urdf::Zone::Box(Vec3::new(0.02, 0.03, 0.04))));
    let touch = get("a sensor-2");
    assert_eq!((touch.kind.as_str(), touch.cutoff), ("touch", 7.0));
    assert_eq!(touch.zone, Some(stickslip_urdf::Zone::Ellipsoid(Vec3::splat(0.02))));
    assert_eq!(get("a sensor-4").joint.as_deref(), Some("a slide"));
    assert_eq!((get("a rate").joint.as_deref(), get("a rate").gear), (Some("a hinge"), 3.0));
    let place = get("a where");
    assert_eq!((place.at.0.as_deref(), place.relative_to.0.as_deref()), (None, Some("a arm")));
    assert_eq!(place.at.1.position, Vec3::Z * 3.0);
    assert_eq!(get("a sensor-7").subtree, ["a arm", "a free"]);
    let told: Vec<String> = found.notes.list.iter().map(ToString::to_string).collect();
    for word in ["<magnetometer>", "<tendonpos> cord"] {
        assert!(told.iter().any(|n| n.contains(word)), "{word}: {told:#?}");
    }
    // the hand is welded to the arm: no joint holds it
    assert!(found.sensors.iter().all(|s| s.name != "a wrist"), "{told:#?}");
}

/// `condim` says which of the three coefficients of friction count.
#[test]
fn condim_brings_rolling_and_torsional_friction() {
    let text = r#"<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" condim="4"/>
        <body name="a"><freejoint/><geom size="0.1" condim="6" friction="0.7 0.01 0.002"/></body>
        <body name="b" pos="1 0 0"><freejoint/><geom size="0.1" friction="0.7 0.01 0.002"/></body>
        <body name="c" pos="2 0 0"><freejoint/><geom size="0.1" condim="1"/></body>
        </worldbody></mujoco>"#;
    let (model, _) = built(&plan("condim.xml", text));
    let of = |name: &str| {
        let m = model.body(model.find(name).unwrap()).material;
        [m.friction, m.torsional, m.rolling]
    };
    assert_eq!(of("a"), [0.7, 0.01, 0.002]);
    assert_eq!(of("b"), [0.7, 0.0, 0.0]);
    assert_eq!(of("c"), [0.0, 0.0, 0.0]);
    assert_eq!(of("floor"), [1.0, 0.005, 0.0]);
}
