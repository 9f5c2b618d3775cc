//! Mechanisms in scene files: the built-in ones against what their comments promise, imports of
//! robots, motors that follow paths.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};

use stickslip::{
    JointId, Motion, Simulator,
    control::Chain,
    geometry::Vec3,
    model::{Blend, Motor, MotorTarget},
};
use stickslip_scene::{Override, Scene, SceneText};

fn open(scene: &str, sets: &[&str]) -> Simulator {
    let sets: Vec<Override> = sets.iter().map(|s| Override::parse(s).unwrap()).collect();
    let scene = Scene::open(scene, &sets).unwrap_or_else(|e| panic!("{e}"));
    Simulator::new(scene.model, scene.state, scene.settings).unwrap()
}

/// Steps to that time; every solve succeeds. Returns the largest joint error.
fn run(sim: &mut Simulator, time: f64) -> f64 {
    let mut worst = 0.0_f64;
    while sim.state.time < time - 1e-9 {
        let report = sim.step().unwrap();
        assert_eq!(report.solves.failures, 0, "step {}", report.step);
        worst = worst.max(report.joint_error);
    }
    worst
}

fn place(sim: &Simulator, body: &str) -> Vec3 {
    sim.state.pose(sim.model.find(body).unwrap()).position
}

/// The rod is back where it started after one period of the elliptic integral.
#[test]
fn hanging_rod_returns_after_its_period() {
    let mut sim = open("hanging-rod", &[]);
    let rod = sim.model.find("rod").unwrap();
    let body = sim.model.body(rod);
    let about_hinge = body.inertia.y_axis.y + body.mass * 0.25 * 0.25;
    let w0 = (body.mass * 9.81 * 0.25 / about_hinge).sqrt();
    let amplitude = std::f64::consts::PI / 5.0;
    let (mut a, mut b) = (1.0, (0.5 * amplitude).cos());
    for _ in 0..20 {
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
    }
    let period = std::f64::consts::TAU / (w0 * a);
    let start = place(&sim, "rod");
    let energy = sim.state.energy(&sim.model);
    // A whole number of steps in five periods.
    let steps = 400.0;
    sim.settings.step = 5.0 * period / steps;
    let error = run(&mut sim, 5.0 * period);
    assert!((place(&sim, "rod") - start).length() < 1e-9, "{}", place(&sim, "rod"));
    assert!((sim.state.energy(&sim.model) - energy).abs() < 1e-12 && error < 1e-12);
}

/// Script 2 of the user guide: the cart lands on its wheels and rolls down the slope; with smooth
/// wheels at the analytic rate `g sin / (1 + 4 J / (r² M))`.
#[test]
fn cart_rolls_down_the_slope() {
    let mut sim = open("rolling-cart", &[]);
    let error = run(&mut sim, 4.0);
    let rolled = place(&sim, "chassis").y;
    assert!(rolled > 0.5 && rolled < 0.5 * 9.81 * 0.1 * 16.0, "{rolled}");
    assert!(error < 1e-9, "{error:e}");
    let smooth: Vec<String> = (1..5).map(|k| format!("body.wheel-{k}.shape.sides=0")).collect();
    let smooth: Vec<&str> = smooth.iter().map(String::as_str).collect();
    let mut sim = open("rolling-cart", &smooth);
    // Until it has landed and come to roll.
    run(&mut sim, 2.0);
    let down = Vec3::new(0.0, 1.0, -0.1).normalize();
    let speed =
        |sim: &Simulator| sim.state.twist(sim.model.find("chassis").unwrap()).linear.dot(down);
    let before = speed(&sim);
    run(&mut sim, 3.0);
    // Smooth wheels of 1 kg: J = r² / 2 each, five bodies of 1 kg.
    let slope = 0.1 / 1.01_f64.sqrt();
    let expected = 9.81 * slope * 5.0 / (5.0 + 4.0 * 0.5);
    let found = speed(&sim) - before;
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
}

/// The loop stays closed to round-off for 20 s and keeps its energy.
#[test]
fn four_bar_stays_closed_and_keeps_its_energy() {
    let mut sim = open("four-bar", &[]);
    let energy = sim.state.energy(&sim.model);
    let error = run(&mut sim, 20.0);
    let off = (sim.state.energy(&sim.model) - energy).abs() / energy;
    assert!(error < 1e-12 && off < 1e-9, "{error:e} {off:e}");
}

/// 127 bars hold together.
#[test]
fn joint_tree_holds() {
    let mut sim = open("joint-tree", &[]);
    assert_eq!((sim.model.bodies().len(), sim.model.joints().len()), (127, 127));
    let energy = sim.state.energy(&sim.model);
    let error = run(&mut sim, 0.3);
    let off = (sim.state.energy(&sim.model) - energy).abs() / energy.abs();
    assert!(error < 1e-12 && off < 1e-9, "{error:e} {off:e}");
}

/// The threshold of the gripper, `2 mu N = m (g + a)` with the largest acceleration of the path: 1 %
/// above nothing slips, 1 % below the load slides, and far below it stays on the floor.
#[test]
fn gripper_lifts_when_the_grip_says_so() {
    // Largest acceleration of the quintic over 0.3 m in 2 s.
    let a = 10.0 / 3_f64.sqrt() * 0.3 / 4.0;
    let enough = 2.0 * (9.81 + a) / (2.0 * 0.5);
    let lifted = |grip: f64| {
        let sets = ["left", "right"].map(|j| format!("joint.{j}.motor.max_force={grip}"));
        let mut sim = open("gripper", &[&sets[0], &sets[1]]);
        let mut error = run(&mut sim, 1.0);
        let held = |sim: &Simulator| place(sim, "load").z - place(sim, "jaw-left").z;
        let before = held(&sim);
        error = error.max(run(&mut sim, 4.0));
        assert!(error < 1e-9, "{error:e}");
        (place(&sim, "load").z - 0.1, before - held(&sim))
    };
    let (height, slip) = lifted(1.01 * enough);
    assert!((height - 0.3).abs() < 1e-5 && slip.abs() < 1e-9, "{height} {slip:e}");
    // For a while the path asks for more than friction gives.
    let (height, slip) = lifted(0.99 * enough);
    assert!(slip > 1e-5 && height > 0.1, "{height} {slip:e}");
    let (height, _) = lifted(0.9 * enough);
    assert!(height.abs() < 1e-3, "{height}");
}

/// The block ends where the points of the path lead it, square to the axes.
#[test]
fn arm_carries_the_block() {
    let mut sim = open("arm", &[]);
    let error = run(&mut sim, 7.0);
    assert!(error < 1e-9, "{error:e}");
    let block = sim.model.find("block").unwrap();
    let goal = Vec3::new(0.45 * 0.6_f64.cos(), -0.45 * 0.6_f64.sin(), 0.04);
    let off = (sim.state.pose(block).position - goal).length();
    assert!(off < 0.01, "off by {off} m");
    let x = sim.state.pose(block).vector(Vec3::X);
    assert!(x.y.abs() < 0.02 && x.z.abs() < 1e-6, "{x}");
    // Every joint is where its path ends, but for what gravity takes from the springs.
    for (k, joint) in sim.model.joints().iter().enumerate().take(6) {
        let goal = joint.path.as_ref().unwrap().at(0, 7.0).position;
        let q = sim.model.joint_position(&sim.state, JointId::new(k))[0];
        assert!((q - goal).abs() < 0.01, "{}: {q} {goal}", joint.name);
    }
}

/// Wheels that do not slip: speed and turning of the chassis follow from those of the wheels.
#[test]
fn differential_drive_goes_as_its_wheels_say() {
    let mut sim = open("differential-drive", &[]);
    let chassis = sim.model.find("chassis").unwrap();
    run(&mut sim, 3.0);
    let twist = sim.state.twist(chassis);
    assert!((twist.linear.x - 0.5).abs() < 1e-6 && twist.linear.y.abs() < 1e-6, "{twist:?}");
    run(&mut sim, 8.0);
    let twist = sim.state.twist(chassis);
    assert!((twist.angular.z - 0.1 * 2.0 / 0.4).abs() < 1e-3, "{twist:?}");
    // The point midway between the wheels, 0.1 m behind the chassis' centre.
    let back = sim.state.pose(chassis).vector(Vec3::X * -0.1);
    let speed = (twist.linear + twist.angular.cross(back)).length();
    assert!((speed - 0.5).abs() < 1e-3, "{speed}");
}

/// The fingers come to rest on the polygon, whatever the step, and the polygon ends in one place.
#[test]
fn fingers_close_on_the_polygon() {
    let end = |step: &str| {
        let mut sim = open("grasp-2d", &[&format!("step={step}")]);
        let error = run(&mut sim, 3.0);
        assert!(error < 1e-9, "{step}: {error:e}");
        let speed = sim.state.nu.iter().map(|t| t.linear.length()).fold(0.0, f64::max);
        assert!(speed < 1e-3, "{step}: still moving at {speed}");
        assert!(stickslip::oracle::measure(&sim.model, &sim.state).depth < 1e-8, "{step}");
        place(&sim, "object")
    };
    let (fine, coarse) = (end("0.0025"), end("0.01"));
    assert!((fine - coarse).length() < 0.01, "{fine} {coarse}");
}

fn scene_in(folder: &Path, text: &str) -> Result<Scene, String> {
    let (file, name) = ("robot.toml".into(), "robot".into());
    let text = SceneText { file, name, text: text.into(), folder: Some(folder.into()) };
    Scene::read(text, &[]).map_err(|e| e.to_string())
}

fn scenes_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

const ROBOT: &str = r#"
[simulation]
stabilization = "shake"
[[body]]
name = "weight"
shape = { type = "box", size = [0.1, 0.1, 0.1] }
position = [0.4, 0, 0.45]
collides = false
[[import]]
file = "robots/arm.urdf"
prefix = "my "
positions = { shoulder = 0.0, left = 0.01 }
friction = 0.9
[[joint]]
name = "hook"
type = "fixed"
bodies = ["my hand", "weight"]
anchor = [0.4, 0, 0.5]
[[motor]]
joint = "my shoulder"
target_position = [[0, 0], [1, 0.4]]
stiffness = 9000
damping = 300
blend = "linear"
[[pair]]
bodies = ["my upper", "weight"]
friction = 0.1
"#;

/// The robot of a URDF file is part of the scene: its names, its joints' places, its force limits.
#[test]
fn a_robot_is_imported() {
    let scene = scene_in(&scenes_folder(), ROBOT).unwrap();
    let model = &scene.model;
    let joint = |name: &str| model.joints().iter().position(|j| j.name == name).unwrap();
    assert_eq!(model.bodies()[0].name, "weight");
    assert_eq!(model.joints()[joint("hook")].bodies, [model.find("my hand"), model.find("weight")]);
    let shoulder = &model.joints()[joint("my shoulder")];
    let path = shoulder.path.as_ref().unwrap();
    assert_eq!((path.at(0, 0.5).position, path.blend()), (0.2, Blend::Linear));
    let Some(Motor { target: MotorTarget::Position { stiffness, .. }, max_force, follows }) =
        shoulder.motor
    else {
        panic!("{:?}", shoulder.motor)
    };
    assert_eq!((stiffness, max_force, follows), (9000.0, Some(300.0), true));
    let left = JointId::new(joint("my left"));
    assert!((model.joint_position(&scene.state, left)[0] - 0.01).abs() < 1e-12);
    assert_eq!(model.body(model.find("my hand").unwrap()).material.friction, 0.9);
    // The tip by forward kinematics is where the body is.
    let hand = model.find("my hand").unwrap();
    let chain = Chain::to(model, hand).unwrap();
    let q = chain.positions(model, &scene.state);
    assert_eq!(q.len(), 6);
    let found = chain.forward(model, &scene.state, &q).position;
    assert!((found - scene.state.pose(hand).position).length() < 1e-12);
    let mut sim = Simulator::new(scene.model, scene.state, scene.settings).unwrap();
    assert!(run(&mut sim, 0.5) < 1e-9);
}

/// The same arm in both formats: same masses, same places.
#[test]
fn urdf_and_scene_describe_one_arm() {
    let text = "[[import]]\nfile = \"robots/arm.urdf\"\n";
    let robot = scene_in(&scenes_folder(), text).unwrap();
    let scene = Scene::open("arm", &[]).unwrap();
    for name in ["turret", "upper", "fore", "roll", "wrist", "hand", "finger-left"] {
        let (a, b) = (robot.model.find(name).unwrap(), scene.model.find(name).unwrap());
        let apart = robot.state.pose(a).position - scene.state.pose(b).position;
        assert!(apart.length() < 1e-8, "{name}: {apart}");
        let (x, y) = (robot.model.body(a), scene.model.body(b));
        assert_eq!(x.mass, y.mass, "{name}");
        let inertia = [x, y].map(|b| b.inertia.to_cols_array());
        let scale = inertia[1].iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let off = inertia[0].iter().zip(inertia[1]).map(|(a, b)| (a - b).abs());
        // Bodies of meshes have the axes of the file in both.
        assert!(off.fold(0.0, f64::max) < 1e-6 * scale, "{name}: {inertia:?}");
    }
}

/// What is wrong with a robot is told at the import, with the file and line of the robot.
#[test]
fn faults_of_robots_are_told() {
    let folder = std::env::temp_dir().join(format!("stickslip-import-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let link = "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>";
    let hinge = |child: &str| {
        format!(
            "<joint name=\"j\" type=\"continuous\">\n<parent link=\"a\"/><child link=\"{child}\"/></joint>"
        )
    };
    let cases = [
        (format!("<link name=\"b\">{link}</link>{}", hinge("c")), "", "robot.urdf:4"),
        (
            "<link name=\"b\"><collision><geometry><mesh filename=\"no.stl\"/></geometry></collision></link>"
                .to_owned() + &hinge("b").replace("continuous", "fixed"),
            "strict = true\n",
            "no.stl",
        ),
        (format!("<link name=\"b\"/>{}", hinge("b")), "strict = true\n", "without mass"),
        (
            format!("<link name=\"b\">{link}</link>{}", hinge("b")),
            "positions = { knee = 1 }\n",
            "\"knee\"",
        ),
        (
            format!("<link name=\"b\">{link}</link>{}{}", hinge("b"), hinge("b").replace("\"j\"", "\"k\"")),
            "",
            "loop",
        ),
        (
            format!("<link name=\"b\">{link}</link>{}", hinge("b")),
            "[[body]]\nname = \"b\"\nshape = { type = \"sphere\", radius = 1 }\n",
            "prefix",
        ),
    ];
    for (robot, more, word) in cases {
        let text = format!("<robot name=\"r\">\n<link name=\"a\"/>\n{robot}</robot>");
        std::fs::write(folder.join("robot.urdf"), text).unwrap();
        let scene = format!("[[import]]\nfile = \"robot.urdf\"\n{more}");
        let error = scene_in(&folder, &scene).unwrap_err();
        assert!(error.starts_with("robot.toml:") && error.contains("import 1"), "{error}");
        assert!(error.contains(word), "{error:?} does not say {word:?}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What is wrong in a robot's file is mended and told, in one warning each; `base`, `collision`
/// and two robots in one scene are as asked.
#[test]
fn robots_are_imported_leniently() {
    let folder = std::env::temp_dir().join(format!("stickslip-lenient-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mass = "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"9\"/></inertial>";
    let ball = "<collision><geometry><sphere radius=\"0.1\"/></geometry></collision>";
    let robot = format!(
        "<robot name=\"r\">\n<link name=\"a\">{mass}{ball}</link>\n<link name=\"b\">{mass}</link>\n\
         <joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>\
         <limit lower=\"-1\" upper=\"1\" velocity=\"2\" effort=\"4\"/></joint></robot>"
    );
    std::fs::write(folder.join("r.urdf"), robot).unwrap();
    let text = "[[import]]\nfile = \"r.urdf\"\nprefix = \"1 \"\nbase = \"fixed\"\n\
                collision = \"none\"\n[[import]]\nfile = \"r.urdf\"\nprefix = \"2 \"\n\
                [[motor]]\njoint = \"2 j\"\ntarget_velocity = 3\n";
    let scene = scene_in(&folder, text).unwrap();
    let model = &scene.model;
    let body = |name: &str| model.body(model.find(name).unwrap());
    assert_eq!((body("1 a").motion, body("2 a").motion), (Motion::Static, Motion::Dynamic));
    assert_eq!((body("1 a").collides, body("2 a").collides), (false, true));
    assert_eq!(scene.imports.len(), 2);
    let told: Vec<String> = scene.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 3, "{told:#?}");
    assert!(
        told[1].contains("import 2") && told[1].contains("\"b\"") && told[1].contains("(line 3)")
    );
    assert!(told[2].contains("motor 1") && told[2].contains("limit 2"), "{}", told[2]);
    let motor = model.joint(model.find_joint("2 j").unwrap()).motor.unwrap();
    assert_eq!(motor.max_force, Some(4.0));
    let error = scene_in(&folder, "[[import]]\nfile = \"r.urdf\"\nstrict = true\n").unwrap_err();
    assert!(error.contains("r.urdf:2") && error.contains("r.urdf:3"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A joint that starts outside its limits is refused, with what would be right.
#[test]
fn joints_start_within_their_limits() {
    let text = |more: &str| {
        format!(
            "[[body]]\nname = \"a\"\nshape = {{ type = \"sphere\", radius = 1 }}\n[[joint]]\n\
             type = \"revolute\"\nbodies = [\"world\", \"a\"]\nanchor = [0, 0, 0]\n\
             axis = [0, 0, 1]\nlimits = [0.5, 1]\n{more}"
        )
    };
    let error = Scene::parse("a.toml", &text("")).unwrap_err().to_string();
    assert!(error.contains("starts at 0, outside its limits 0.5 to 1"), "{error}");
    assert!(Scene::parse("a.toml", &text("start = 0.7\ndamping = 0.1\n")).is_ok());
}

/// Motors follow their paths: velocities as given, positions with the pull of the damper.
#[test]
fn motors_follow_paths() {
    let scene = |motor: &str| {
        let text = format!(
            "[simulation]\ngravity = [0, 0, 0]\n[[body]]\nname = \"a\"\n\
             shape = {{ type = \"sphere\", radius = 1 }}\n[[joint]]\nname = \"j\"\n\
             type = \"revolute\"\nbodies = [\"world\", \"a\"]\nanchor = [0, 0, 0]\n\
             axis = [0, 0, 1]\nstart = 0.25\nmotor = {{ {motor} }}\n"
        );
        let scene = Scene::parse("path", &text).unwrap_or_else(|e| panic!("{e}"));
        Simulator::new(scene.model, scene.state, scene.settings).unwrap()
    };
    let id = JointId::new(0);
    let mut sim = scene("target_velocity = [[0, 0], [1, 2]], blend = \"linear\"");
    run(&mut sim, 0.5);
    assert!((sim.model.joint_velocity(&sim.state, id)[0] - 1.0).abs() < 1e-9);
    let mut sim = scene("target_position = [[0, 0.25], [1, 1.25]], stiffness = 1e6, damping = 1e3");
    for _ in 0..150 {
        sim.step().unwrap();
        let want = sim.model.joint(id).path.as_ref().unwrap().at(0, sim.state.time);
        let q = sim.model.joint_position(&sim.state, id)[0];
        assert!((q - want.position).abs() < 1e-4, "{q} {want:?}");
    }
    assert!((sim.model.joint_position(&sim.state, id)[0] - 1.25).abs() < 1e-6);
}

/// Every type of force element from a file, against the weights that it carries.
#[test]
fn force_elements_in_scene_files_carry_weights() {
    let text = r#"
        [[body]]
        name = "hung"
        shape = { type = "sphere", radius = 0.1 }
        position = [0, 0, -1]
        collide = false
        [[body]]
        name = "light"
        shape = { type = "sphere", radius = 0.1 }
        position = [1, 0, 0]
        [[body]]
        name = "arm"
        shape = { type = "box", size = [0.2, 0.2, 0.2] }
        position = [3, 0, 0]
        [[body]]
        name = "soft"
        shape = { type = "box", size = [0.2, 0.2, 0.2] }
        position = [5, 0, 0]
        [[joint]]
        name = "hinge"
        type = "revolute"
        bodies = ["world", "arm"]
        anchor = [2.8, 0, 0]
        axis = [0, 1, 0]
        [[force]]
        name = "cord"
        type = "spring"
        bodies = ["world", "hung"]
        anchor = [0, 0, 0]
        rest_length = 0.5
        stiffness = 50.0
        damping = 5.0
        [[force]]
        type = "gravity-compensation"
        body = "light"
        [[force]]
        type = "joint-spring"
        joint = "hinge"
        position = 0.1
        stiffness = 200.0
        damping = 10.0
        [[force]]
        type = "bushing"
        bodies = ["world", "soft"]
        anchor = [5, 0, 0]
        stiffness = [100.0, 100.0, 400.0, 10.0, 10.0, 10.0]
        damping = 8.0
    "#
    .replace("        collide = false\n", "");
    let scene = Scene::parse("forces", &text).unwrap_or_else(|e| panic!("{e}"));
    let mut sim = Simulator::new(scene.model, scene.state, scene.settings).unwrap();
    run(&mut sim, 20.0);
    let g = 9.81;
    assert!((place(&sim, "hung").z + 0.5 + g / 50.0).abs() < 1e-6, "{}", place(&sim, "hung"));
    assert!((place(&sim, "light") - Vec3::X).length() < 1e-12);
    assert!((place(&sim, "soft").z + g / 400.0).abs() < 1e-6, "{}", place(&sim, "soft"));
    let hinge = sim.model.find_joint("hinge").unwrap();
    let q = sim.model.joint_position(&sim.state, hinge)[0];
    // m g l cos(q) turns it on, the spring back
    assert!((200.0 * (0.1 - q) + 0.2 * g * q.cos()).abs() < 1e-5, "{q}");
    assert!(Override::parse("force.cord.stiffness=1").is_ok());
}
