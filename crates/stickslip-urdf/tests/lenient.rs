//! Files that are not quite right: what is mended, how, and that it is told once.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use stickslip::{
    BodyId, Dimension, JointId, Model, ModelBuilder, Motion, Settings, Simulator, State,
    geometry::{Mat3, Vec3},
    model::{Motor, MotorTarget},
};
use stickslip_urdf::{CollisionShape, Options, Packages, Plan, Robot, UrdfError};

const MASS: &str =
    r#"<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>"#;

fn parse(text: &str) -> Result<Robot, UrdfError> {
    let text = format!("<robot name=\"r\">\n{text}</robot>");
    Robot::parse(&text, "r.urdf", Path::new("."), &Packages::default())
}

fn link(name: &str, inside: &str) -> String {
    format!("<link name=\"{name}\">{inside}</link>\n")
}

fn joint(name: &str, kind: &str, ends: [&str; 2], inside: &str) -> String {
    let [a, b] = ends;
    format!(
        "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{a}\"/><child link=\"{b}\"/>{inside}</joint>\n"
    )
}

fn plan(text: &str, options: &Options) -> Plan {
    parse(text).unwrap().plan(options).unwrap()
}

fn built(plan: &Plan) -> (Model, State) {
    let mut builder = ModelBuilder::new(Dimension::Three);
    plan.add_to(&mut builder).unwrap();
    builder.build()
}

fn notes(plan: &Plan) -> String {
    plan.notes.list.iter().map(|n| format!("{n}\n")).collect()
}

/// One note each, with names and lines; strict reading refuses the same file, with all lines.
#[test]
fn faults_are_mended_and_told_once() {
    let text = link("a", MASS)
        + &link("b", MASS)
        + &link("c", MASS)
        + &link("d", MASS)
        + &joint("ab", "fixed", ["a", "b"], "<axis xyz=\"0 0 0\"/><mimic joint=\"bd\"/>")
        + &joint("ac", "fixed", ["a", "c"], "<axis xyz=\"0 0 0\"/>")
        + &joint("bd", "revolute", ["b", "d"], "<limit lower=\"1\" upper=\"-1\" effort=\"-3\"/>");
    let found = plan(&text, &Options::default());
    let told = notes(&found);
    assert_eq!(found.notes.list.len(), 4, "{told}");
    for words in [
        "zero: ignored: joint \"ab\" (line 6), joint \"ac\" (line 7)",
        "<mimic> on a joint without one position: ignored: joint \"ab\" (line 6)",
        "lower limit is above the upper: the joint has no limits: joint \"bd\": 1 > -1 (line 8)",
        "below zero: no such limit: joint \"bd\": effort -3 (line 8)",
    ] {
        assert!(told.contains(words), "{told} does not say {words}");
    }
    assert_eq!(found.joints.iter().filter(|j| j.limits.is_some()).count(), 0);
    let strict = Options { strict: true, ..Options::default() };
    let error = parse(&text).unwrap().plan(&strict).unwrap_err();
    assert_eq!(error.each().len(), 5, "{error}");
    assert!(error.each().iter().all(|e| e.to_string().starts_with("r.urdf:")), "{error}");
}

/// One run tells several mistakes.
#[test]
fn several_errors_are_told_at_once() {
    let wrong = "<inertial><mass value=\"x\"/></inertial>";
    let text = (0..12).map(|k| link(&format!("l{k}"), wrong)).collect::<String>();
    let error = parse(&text).unwrap_err();
    assert_eq!(error.each().len(), 10);
    for (k, one) in error.each().iter().enumerate() {
        assert!(one.to_string().contains(&format!("r.urdf:{}:", k + 2)), "{one}");
    }
}

/// Inertias that no body has become the nearest possible; those of zero come from the shape.
#[test]
fn inertias_are_mended() {
    let with = |inertia: &str, shape: &str| {
        let inside = format!("<inertial><mass value=\"3\"/>{inertia}</inertial>{shape}");
        let found = plan(&link("a", &inside), &Options::default());
        let (model, _) = built(&found);
        (model.body(BodyId::new(0)).inertia, notes(&found))
    };
    let (inertia, told) = with("<inertia ixx=\"1\" iyy=\"1\" izz=\"5\"/>", "");
    assert!(told.contains("triangle inequality") && told.contains("line 2"), "{told}");
    // The second moments were 2.5, 2.5 and -1.5: the last is raised to (nearly) zero.
    let expected = Mat3::from_diagonal(Vec3::new(2.5, 2.5, 5.0));
    assert!((inertia - expected).to_cols_array().iter().all(|x| x.abs() < 1e-4), "{inertia}");
    let cube = "<collision><geometry><box size=\"0.2 0.2 0.2\"/></geometry></collision>";
    let (inertia, told) = with("<inertia ixx=\"0\" iyy=\"0\" izz=\"0\"/>", cube);
    assert!(told.contains("inertia of zero"), "{told}");
    assert!((inertia.x_axis.x - 3.0 * 0.04 / 6.0).abs() < 1e-15, "{inertia}");
    assert!(with("<inertia ixx=\"0\" iyy=\"0\" izz=\"0\"/>", "").0.x_axis.x > 0.0);
    // Programs that write such files leave the rounding of a zero.
    let (inertia, told) = with("<inertia ixx=\"1e-35\" iyy=\"-2e-35\" izz=\"1e-18\"/>", cube);
    assert!(told.contains("inertia of zero"), "{told}");
    assert!((inertia.x_axis.x - 3.0 * 0.04 / 6.0).abs() < 1e-15, "{inertia}");
}

/// Feet of some robots have an inertia and no mass.
#[test]
fn an_inertia_without_mass_is_told() {
    let foot =
        "<inertial><mass value=\"0\"/><inertia ixx=\"1e-6\" iyy=\"1e-6\" izz=\"1e-6\"/></inertial>";
    let with = |foot: &str| {
        let text = link("leg", MASS) + &link("foot", foot);
        notes(&plan(&(text + &joint("ankle", "fixed", ["leg", "foot"], "")), &Options::default()))
    };
    assert!(with(foot).contains("inertia without mass"), "{}", with(foot));
    assert!(!with("").contains("inertia"), "{}", with(""));
}

/// A massless root goes with the mass that is welded to it, and floats or stands as asked.
#[test]
fn the_base_is_as_asked() {
    let text = link("base", "")
        + &link("trunk", MASS)
        + &link("leg", MASS)
        + &joint("weld", "fixed", ["base", "trunk"], "")
        + &joint("hip", "continuous", ["trunk", "leg"], "<axis xyz=\"0 1 0\"/>");
    let motion = |fixed_base| {
        let options = Options { fixed_base, ..Options::default() };
        let found = plan(&text, &options);
        let (model, _) = built(&found);
        assert_eq!(model.bodies().len(), 2);
        let bodies = [found.body_of.get("base"), found.body_of.get("trunk")];
        (model.body(model.find("trunk").unwrap()).motion, bodies[0] == bodies[1])
    };
    assert_eq!(motion(None), (Motion::Dynamic, true));
    assert_eq!(motion(Some(false)), (Motion::Dynamic, true));
    assert_eq!(motion(Some(true)), (Motion::Static, false));
    // Nothing but joints at a root without mass: it stands, or floats with a little mass.
    let arm = link("base", "")
        + &link("rod", MASS)
        + &joint("hinge", "continuous", ["base", "rod"], "<axis xyz=\"0 1 0\"/>");
    assert_eq!(plan(&arm, &Options::default()).bodies.len(), 1);
    let afloat = plan(&arm, &Options { fixed_base: Some(false), ..Options::default() });
    assert_eq!(afloat.bodies.len(), 2);
    assert!(afloat.bodies[0].body.mass < 1e-5 && notes(&afloat).contains("without mass"));
}

/// A pendulum whose hinge is at the end of a massless link between two hinges: the universal
/// joint that they form. It falls as one on a spherical joint does when it swings about one of
/// the axes: the small mass in between changes nothing that can be seen.
#[test]
fn links_without_mass_change_nothing() {
    let rod = "<inertial><origin xyz=\"0.5 0 0\"/><mass value=\"2\"/><inertia ixx=\"0.01\" iyy=\"0.2\" izz=\"0.2\"/></inertial>";
    let two = link("world", "")
        + &link("between", "")
        + &link("rod", rod)
        + &joint("yaw", "continuous", ["world", "between"], "<axis xyz=\"0 0 1\"/>")
        + &joint("pitch", "continuous", ["between", "rod"], "<axis xyz=\"0 1 0\"/>");
    let one = link("world", "")
        + &link("rod", rod)
        + &joint("pitch", "continuous", ["world", "rod"], "<axis xyz=\"0 1 0\"/>");
    let fall = |text: &str| {
        let (model, state) = built(&plan(text, &Options::default()));
        let mut sim = Simulator::new(model, state, Settings::default()).unwrap();
        // it hangs down after half a second, and is up on the other side after one
        for _ in 0..40 {
            sim.step().unwrap();
        }
        let rod = sim.model.find("rod").unwrap();
        sim.state.pose(rod).position
    };
    let (with, without) = (fall(&two), fall(&one));
    assert!(without.z < -0.05, "it fell: {without}");
    assert!(with.distance(without) < 1e-5 * without.length(), "{with} {without}");
}

/// Links that are welded, adjacent (through massless links too) or overlap at the start do not
/// collide; the others do.
#[test]
fn overlapping_and_joined_links_pass_through_each_other() {
    let ball = |x: f64| {
        format!(
            "{MASS}<collision><origin xyz=\"{x} 0 0\"/><geometry><sphere radius=\"0.1\"/></geometry></collision>"
        )
    };
    let text = link("a", &ball(0.0))
        + &link("welded", &ball(1.0))
        + &link("dummy", "")
        + &link("child", &ball(2.0))
        + &link("grandchild", &ball(0.15))
        + &link("far", &ball(4.0))
        + &joint("j1", "fixed", ["a", "welded"], "")
        + &joint("j2", "continuous", ["a", "dummy"], "")
        + &joint("j3", "continuous", ["dummy", "child"], "<axis xyz=\"0 1 0\"/>")
        + &joint("j4", "continuous", ["child", "grandchild"], "")
        + &joint("j5", "continuous", ["grandchild", "far"], "");
    let found = plan(&text, &Options::default());
    let (model, _) = built(&found);
    let touch = |a: &str, b: &str| model.may_touch(model.find(a).unwrap(), model.find(b).unwrap());
    for (a, b) in [("a", "welded"), ("a", "child"), ("welded", "child"), ("child", "grandchild")] {
        assert!(!touch(a, b), "{a} {b}");
    }
    assert!(!touch("a", "grandchild"), "they overlap");
    assert!(touch("a", "far") && touch("child", "far") && touch("welded", "grandchild"));
    assert!(notes(&found).contains(
        "overlap at the start do not collide with each other: \"a\" and \"grandchild\"\n"
    ));
    let strict = plan(
        &text.replace("name=\"dummy\">", &format!("name=\"dummy\">{MASS}")),
        &Options { strict: true, ..Options::default() },
    );
    let (model, _) = built(&strict);
    assert!(model.may_touch(model.find("a").unwrap(), model.find("grandchild").unwrap()));
}

/// A start outside the limits is moved to them and told; a motor keeps the damping and the
/// largest force of its joint.
#[test]
fn limits_damping_and_effort_count() {
    let text = link("world", "")
        + &link("rod", MASS)
        + &joint(
            "hinge",
            "revolute",
            ["world", "rod"],
            "<limit lower=\"-1\" upper=\"1\" effort=\"7\" velocity=\"2\"/><dynamics damping=\"0.5\"/>",
        );
    let mut options = Options::default();
    options.positions.insert("hinge".into(), 1.5);
    let found = plan(&text, &options);
    assert!(notes(&found).contains("joint \"hinge\": 1.5 is not in -1 to 1"), "{}", notes(&found));
    assert_eq!(found.joints[0].start, 1.0);
    assert_eq!(found.velocity_limits["hinge"], 2.0);
    let strict = Options { strict: true, ..options };
    assert!(parse(&text).unwrap().plan(&strict).unwrap_err().to_string().contains("\"hinge\""));
    let mut builder = ModelBuilder::new(Dimension::Three);
    found.add_to(&mut builder).unwrap();
    let spring = |damping| MotorTarget::Position { position: 0.0, stiffness: 9.0, damping };
    builder.drive(JointId::new(0), Motor::new(spring(2.0), None), None).unwrap();
    let motor = builder.build().0.joint(JointId::new(0)).motor.unwrap();
    assert_eq!((motor.target, motor.max_force), (spring(2.5), Some(7.0)));
}

/// What collides in place of a mesh, by volume: an L of two cubes out of the four that fill its
/// bounds.
#[test]
fn meshes_collide_as_asked() {
    let folder = std::env::temp_dir().join(format!("stickslip-lenient-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // Three unit cubes in the plane, as an L of height 1.
    let corners = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]];
    let mut obj = String::new();
    for z in 0..2 {
        corners.iter().for_each(|[x, y]| obj += &format!("v {x} {y} {z}\n"));
    }
    obj += "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\n";
    (0..6).for_each(|k| {
        let next = (k + 1) % 6;
        obj += &format!("f {} {} {} {}\n", k + 1, next + 1, next + 7, k + 7);
    });
    std::fs::write(folder.join("l.obj"), obj).unwrap();
    let text = link(
        "a",
        &format!("{MASS}<collision><geometry><mesh filename=\"l.obj\"/></geometry></collision>"),
    );
    let text = format!("<robot name=\"r\">{text}</robot>");
    let robot = Robot::parse(&text, "r.urdf", &folder, &Packages::default()).unwrap();
    let volume = |collision| {
        let found = robot.plan(&Options { collision, ..Options::default() }).unwrap();
        found.bodies[0]
            .body
            .shape
            .parts()
            .iter()
            .map(|p| match &p.convex {
                stickslip::geometry::Convex::Polytope(p) => p.volume(),
                other => panic!("{other:?}"),
            })
            .sum::<f64>()
    };
    assert!((volume(CollisionShape::Hull) - 3.5).abs() < 1e-12);
    assert!((volume(CollisionShape::Decompose) - 3.0).abs() < 1e-12);
    assert!(volume(CollisionShape::Primitives) >= 3.5);
    let options = Options { collision: CollisionShape::None, ..Options::default() };
    assert!(!robot.plan(&options).unwrap().bodies[0].body.collides);
    let options =
        Options { collision: CollisionShape::Mesh, fixed_base: Some(true), ..Options::default() };
    let shape = robot.plan(&options).unwrap().bodies[0].body.shape.clone();
    assert!(matches!(shape, stickslip::geometry::Shape::Surface(_)));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Text around the document, commas and other slips do not keep a file from being read.
#[test]
fn slips_of_the_pen_are_forgiven() {
    let text = format!(
        "\n<?xml version=\"1.0\"?>\n<robot name=\"r\">{}{}{}</robot>\0",
        link("a", MASS),
        link("b", MASS),
        joint("j", "continuous", ["a", "b"], "<origin xyz=\"1, 2, 3.\" rpy=\"0 0 0 0\"/>")
    );
    let robot = Robot::parse(&text, "r.urdf", Path::new("."), &Packages::default()).unwrap();
    assert_eq!(robot.joints[0].origin.position, Vec3::new(1.0, 2.0, 3.0));
    let told = notes(&robot.plan(&Options::default()).unwrap());
    assert!(told.contains("text before the XML declaration") && told.contains("line 5"), "{told}");
}

/// A file with random characters changed is read or refused; it never brings the program down.
#[test]
fn damaged_files_are_survived() {
    let good = format!(
        "<robot name=\"r\">{}{}{}{}{}</robot>",
        link("a", MASS),
        link(
            "b",
            &format!("{MASS}<collision><geometry><box size=\"1 2 3\"/></geometry></collision>")
        ),
        link(
            "c",
            "<collision><geometry><cylinder radius=\"1\" length=\"2\"/></geometry></collision>"
        ),
        joint(
            "j",
            "revolute",
            ["a", "b"],
            "<axis xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"1\"/>"
        ),
        joint("k", "prismatic", ["b", "c"], "<mimic joint=\"j\"/><limit lower=\"0\" upper=\"1\"/>")
    );
    let seed = 11;
    let mut random = seed;
    let mut next = |limit: usize| {
        random = 6_364_136_223_846_793_005_u64.wrapping_mul(random).wrapping_add(1);
        (random >> 33) as usize % limit
    };
    let pieces = ["0", "-", "e", "9", " ", "\"", "<", "/", "a", "b", "c", "nan", "1e308", "1e-308"];
    let mut read = 0;
    for _ in 0..3000 {
        let mut text = good.clone();
        for _ in 0..1 + next(4) {
            let at = next(text.len());
            text.replace_range(at..at + next(2).min(text.len() - at), pieces[next(pieces.len())]);
        }
        let robot = Robot::parse(&text, "r.urdf", Path::new("."), &Packages::default());
        let plan = robot.and_then(|robot| robot.plan(&Options::default()));
        let added = plan.map(|plan| plan.add_to(&mut ModelBuilder::new(Dimension::Three)).is_ok());
        read += usize::from(added == Ok(true));
    }
    assert!((100..2900).contains(&read), "seed {seed}: {read} of 3000 were read");
}
