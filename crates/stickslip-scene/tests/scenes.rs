//! Good scenes: what is written is what the engine gets.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::f64::consts::FRAC_PI_2;

use stickslip::{
    Dimension, Motion, Settings, Simulator,
    formulate::{PenaltyPoints, PenaltySettings, SeparationSettings, StaticFriction},
    geometry::{Mat3, Pose, Vec3},
    model::{Freedom, JointId, JointKind, Material, Motor, MotorTarget},
    settings::{Accuracy, Epsilon, Friction, Impact, OnUnsolved, ProblemForm},
};
use stickslip_scene::{BUILTIN, Override, Scene, SceneText};

fn parse(text: &str) -> Scene {
    Scene::parse("scene.toml", text).unwrap_or_else(|error| panic!("{error}"))
}

/// A scene of one unit box with these lines.
fn body(lines: &str) -> Scene {
    parse(&format!(
        "[[body]]\nname = \"b\"\nshape = {{ type = \"box\", size = [1, 1, 1] }}\n{lines}\n"
    ))
}

fn with(text: &str, sets: &[&str]) -> Result<Scene, String> {
    let overrides: Vec<Override> = sets
        .iter()
        .map(|s| Override::parse(s))
        .collect::<Result<_, _>>()
        .map_err(|e| e.to_string())?;
    let (file, name, text) = ("scene.toml".into(), "scene".into(), text.into());
    Scene::read(SceneText { file, name, text, folder: None }, &overrides).map_err(|e| e.to_string())
}

fn near(a: Vec3, b: Vec3) {
    assert!((a - b).length() < 1e-14, "{a} is not {b}");
}

/// A scene that sets every key of `[simulation]`.
const EVERY_KEY: &str = r#"
[simulation]
dimension = 3
step = 0.002
duration = 3
gravity = [1, 2, 3]
formulation = "stewart-trinkle"
solver = "lemke"
detector = "exact"
friction = "none"
friction_directions = 9
epsilon = 0.5
impact = "poisson"
restitution_threshold = 0.25
problem_form = "full"
stabilization = "none"
integrator = "semi-implicit"
implicit = true
gyroscopic = false
on_unsolved = "stop"
accept_residual = 1e-4
accuracy = "fast"
sleep = false
separation_rounds = 7
separation_pile = 30
separation_motion = 2
separation_quiet = 0.5
separation_levers = 40
rotation_tolerance = 1e-5
threads = 2
[solver]
tolerance = 1e-7
[[body]]
shape = { type = "sphere", radius = 2 }
"#;

#[test]
fn every_key_of_simulation_reaches_the_settings() {
    let scene = parse(EVERY_KEY);
    let default = Settings::default();
    let expected = Settings {
        step: 0.002,
        duration: 3.0,
        formulation: "stewart-trinkle".into(),
        solver: "lemke".into(),
        solver_options: default.solver_options.with("tolerance", 1e-7),
        detector: "exact".into(),
        friction: Friction::None,
        friction_directions: 9,
        epsilon: Epsilon::Fixed(0.5),
        impact: Impact::Poisson,
        restitution_threshold: Some(0.25),
        problem_form: ProblemForm::Full,
        implicit: true,
        gyroscopic: false,
        integrator: "semi-implicit".into(),
        stabilization: "none".into(),
        on_unsolved: OnUnsolved::Stop,
        accept_residual: 1e-4,
        sleep: false,
        accuracy: Accuracy::Fast,
        rotation_tolerance: 1e-5,
        separation: SeparationSettings {
            rounds: 7,
            pile: 30,
            motion: 2.0,
            quiet: 0.5,
            levers: 40.0,
        },
        penalty: default.penalty,
        threads: 2,
    };
    assert_eq!(scene.settings, expected);
    assert_eq!(scene.model.gravity(), Vec3::new(1.0, 2.0, 3.0));
}

#[test]
fn every_key_of_the_penalty_method_reaches_the_settings() {
    let scene = parse(
        r#"
[simulation]
formulation = "penalty"
integrator = "rk4"
points = "deepest"
penalty_stiffness = 101
penalty_damping = 51
penalty_integral = 3
penalty_forgetting = 0.9
penalty_friction = "linear-system"
penalty_impact_speed = 1e-3
penalty_static_mass = 5
[[body]]
shape = { type = "sphere", radius = 2 }
"#,
    );
    let expected = PenaltySettings {
        points: PenaltyPoints::Deepest,
        stiffness: 101.0,
        damping: 51.0,
        integral: 3.0,
        forgetting: 0.9,
        static_friction: StaticFriction::LinearSystem,
        impact_speed: 1e-3,
        static_mass: 5.0,
    };
    assert_eq!(scene.settings.penalty, expected);
    assert_eq!(scene.settings.integrator, "rk4");
}

#[test]
fn every_key_of_a_body_reaches_the_model() {
    let scene = body(
        "position = [1, 2, 3]\nvelocity = [4, 5, 6]\nangular_velocity = [7, 8, 9]\nmass = 2\n\
         friction = 0.25\nrestitution = 0.5\nkinematic = true\ncollides = false\n\
         color = \"#ff0080\"\nvisible = false",
    );
    let b = &scene.model.bodies()[0];
    assert_eq!((b.name.as_str(), b.motion), ("b", Motion::Kinematic));
    assert_eq!(
        b.material,
        Material { friction: 0.25, restitution: 0.5, rolling: 0.0, torsional: 0.0 }
    );
    assert_eq!((b.collides, b.visible), (false, false));
    assert_eq!(b.color, Some([1.0, 0.0, 128.0 / 255.0]));
    assert_eq!(b.mass, 2.0);
    assert_eq!(scene.state.q[0].position, Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(scene.state.nu[0].linear, Vec3::new(4.0, 5.0, 6.0));
    assert_eq!(scene.state.nu[0].angular, Vec3::new(7.0, 8.0, 9.0));
    let pushed = body("force = [1, 2, 3]\ntorque = [4, 5, 6]");
    assert_eq!(pushed.model.bodies()[0].force, Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(pushed.model.bodies()[0].torque, Vec3::new(4.0, 5.0, 6.0));
}

/// A unit cube has the moment m/6 about each axis.
#[test]
fn mass_density_and_inertia() {
    let inertia = |scene: &Scene| scene.model.bodies()[0].inertia;
    let cube = |m: f64| Mat3::from_diagonal(Vec3::splat(m / 6.0));
    let close = |a: Mat3, b: Mat3| assert!(a.abs_diff_eq(b, 1e-12), "{a} {b}");
    assert_eq!(body("").model.bodies()[0].mass, 1.0);
    close(inertia(&body("")), cube(1.0));
    close(inertia(&body("mass = 3")), cube(3.0));
    assert_eq!(body("density = 600").model.bodies()[0].mass, 600.0);
    close(inertia(&body("density = 600")), cube(600.0));
    close(inertia(&body("inertia = [2, 3, 4]")), Mat3::from_diagonal(Vec3::new(2.0, 3.0, 4.0)));
    let rows = body("inertia = [[2, 0.1, 0.2], [0.1, 3, 0.3], [0.2, 0.3, 4]]");
    assert_eq!(inertia(&rows).x_axis, Vec3::new(2.0, 0.1, 0.2));
    assert_eq!(inertia(&rows).z_axis, Vec3::new(0.2, 0.3, 4.0));
}

#[test]
fn three_ways_to_turn_a_body() {
    let turned = |text: &str| body(&format!("orientation = {text}")).state.q[0];
    let x = |pose: Pose| pose.vector(Vec3::X);
    // The axis need not be of unit length.
    near(x(turned(&format!("{{ axis = [0, 0, 2], angle = {FRAC_PI_2} }}"))), Vec3::Y);
    let half = 0.5_f64.sqrt();
    near(x(turned(&format!("{{ quaternion = [{half}, 0, {half}, 0] }}"))), -Vec3::Z);
    // Roll leaves x alone, pitch turns it down, yaw turns what is left of it: R = Rz Ry Rx.
    near(x(turned(&format!("{{ euler = [1, {FRAC_PI_2}, 0.3] }}"))), -Vec3::Z);
    let y = turned(&format!("{{ euler = [{FRAC_PI_2}, 0, 0.3] }}")).vector(Vec3::Y);
    near(y, Vec3::Z);
}

#[test]
fn the_plane_has_vectors_of_two_and_angles_that_are_numbers() {
    let scene = parse(
        "[simulation]\ndimension = 2\n[[body]]\nshape = { type = \"rectangle\", size = [2, 1] }\n\
         position = [3, 4]\norientation = 1.5\nangular_velocity = 2\ntorque = 7\ninertia = 5\n\
         velocity = [1, 2]\n",
    );
    assert_eq!(scene.model.dimension(), Dimension::Two);
    assert_eq!(scene.model.gravity(), Vec3::new(0.0, -9.81, 0.0));
    let (model, state) = (&scene.model.bodies()[0], &scene.state);
    assert_eq!(state.angle[0], 1.5);
    assert_eq!(state.q[0], Pose::planar(3.0, 4.0, 1.5));
    assert_eq!(state.nu[0].linear, Vec3::new(1.0, 2.0, 0.0));
    assert_eq!(state.nu[0].angular, Vec3::new(0.0, 0.0, 2.0));
    assert_eq!(model.torque, Vec3::new(0.0, 0.0, 7.0));
    assert_eq!(model.inertia.z_axis.z, 5.0);
}

/// Every shape of the reference in a scene of its own, with the volume it must have: a density
/// of 1 makes the mass the volume.
#[test]
fn every_shape_has_its_volume() {
    let (s2, s5, pi) = (2_f64.sqrt(), 5_f64.sqrt(), std::f64::consts::PI);
    let space = [
        ("{ type = \"box\", size = [1, 2, 3] }", 6.0),
        ("{ type = \"sphere\", radius = 3 }", 36.0 * pi),
        ("{ type = \"cylinder\", radius = 2, height = 3 }", 12.0 * pi),
        ("{ type = \"cylinder\", radius = 2, height = 3, sides = 4 }", 24.0),
        ("{ type = \"cone\", radius = 2, height = 3 }", 4.0 * pi),
        ("{ type = \"cone\", radius = 2, height = 3, sides = 4 }", 8.0),
        ("{ type = \"capsule\", radius = 3, height = 2 }", 18.0 * pi + 36.0 * pi),
        ("{ type = \"tube\", inner_radius = 1, outer_radius = 2, height = 3 }", 9.0 * pi),
        ("{ type = \"bored-box\", size = [2, 3, 4], radius = 0.5 }", 24.0 - pi),
        ("{ type = \"tetrahedron\" }", s2 / 12.0),
        ("{ type = \"octahedron\", size = 2 }", 8.0 * s2 / 3.0),
        ("{ type = \"dodecahedron\" }", (15.0 + 7.0 * s5) / 4.0),
        ("{ type = \"icosahedron\" }", 5.0 * (3.0 + s5) / 12.0),
        ("{ type = \"convex\", points = [[0,0,0],[1,0,0],[0,1,0],[0,0,1]] }", 1.0 / 6.0),
        (
            "{ type = \"compound\", parts = [{ type = \"box\", size = [1, 1, 1] }, \
             { type = \"sphere\", radius = 3, position = [9, 0, 0] }] }",
            1.0 + 36.0 * pi,
        ),
    ];
    let plane = [
        ("{ type = \"polygon\", points = [[0,0],[2,0],[2,2],[1,1],[0,2]] }", 3.0),
        ("{ type = \"rectangle\", size = [2, 3] }", 6.0),
        ("{ type = \"regular\", sides = 4, radius = 1 }", 2.0),
        ("{ type = \"disc\", radius = 2 }", 4.0 * pi),
        (
            "{ type = \"compound\", parts = [{ type = \"rectangle\", size = [1, 1] }, \
             { type = \"disc\", radius = 1, position = [3, 0], orientation = 1 }] }",
            1.0 + pi,
        ),
    ];
    let cases = space.iter().map(|c| (3, c)).chain(plane.iter().map(|c| (2, c)));
    for (dimension, (shape, volume)) in cases {
        let text = format!(
            "[simulation]\ndimension = {dimension}\n[[body]]\nshape = {shape}\ndensity = 1\n"
        );
        let mass = parse(&text).model.bodies()[0].mass;
        assert!((mass - volume).abs() < 1e-12 * volume, "{shape}: {mass}, not {volume}");
    }
}

/// Two unit cubes at x = 0 and x = 3: the body's frame is halfway, wherever they were written.
#[test]
fn a_compound_is_recentred_and_its_parts_keep_their_places() {
    let scene = parse(
        "[[body]]\nposition = [10, 0, 0]\nshape = { type = \"compound\", parts = [\
         { type = \"box\", size = [1, 1, 1] }, \
         { type = \"convex\", points = [[2.5,-0.5,-0.5],[3.5,-0.5,-0.5],[2.5,0.5,-0.5],[3.5,0.5,-0.5],\
         [2.5,-0.5,0.5],[3.5,-0.5,0.5],[2.5,0.5,0.5],[3.5,0.5,0.5]] }] }\n",
    );
    let body = &scene.model.bodies()[0];
    let bounds = body.shape.aabb(Dimension::Three, &scene.state.q[0]);
    near(bounds.min, Vec3::new(8.0, -0.5, -0.5));
    near(bounds.max, Vec3::new(12.0, 0.5, 0.5));
    // 2 (1/12 + 1/12) / 2 + 1.5^2 about y for a mass of 1.
    assert!((body.inertia.y_axis.y - (1.0 / 6.0 + 2.25)).abs() < 1e-13);
}

#[test]
fn planes_are_static_unless_they_move_by_themselves() {
    let scene = parse(
        "[[body]]\nshape = { type = \"plane\" }\n[[body]]\nshape = { type = \"plane\" }\n\
         kinematic = true\nvelocity = [0, 0, 1]\nposition = [0, 0, -5]\n",
    );
    let motions: Vec<Motion> = scene.model.bodies().iter().map(|b| b.motion).collect();
    assert_eq!(motions, [Motion::Static, Motion::Kinematic]);
}

#[test]
fn pairs_and_ignored_bodies() {
    let scene = parse(
        "[[body]]\nname = \"a\"\nshape = { type = \"sphere\", radius = 1 }\nfriction = 0.25\n\
         [[body]]\nname = \"b\"\nshape = { type = \"sphere\", radius = 1 }\nfriction = 1\nposition = [5, 0, 0]\n\
         [[body]]\nname = \"c\"\nshape = { type = \"sphere\", radius = 1 }\nposition = [9, 0, 0]\nignore = [\"a\"]\n\
         [[pair]]\nbodies = [\"c\", \"b\"]\nfriction = 0.1\nrestitution = 0.7\n",
    );
    let id = |name: &str| scene.model.find(name).unwrap();
    assert_eq!(scene.model.material(id("a"), id("b")).friction, 0.5);
    let pair = Material { friction: 0.1, restitution: 0.7, rolling: 0.0, torsional: 0.0 };
    assert_eq!(scene.model.material(id("b"), id("c")), pair);
    assert!(!scene.model.may_touch(id("a"), id("c")));
    assert!(scene.model.may_touch(id("b"), id("c")));
}

const TWO: &str = "[[body]]\nname = \"a\"\nshape = { type = \"sphere\", radius = 1 }\n\
    [[body]]\nname = \"b\"\nshape = { type = \"sphere\", radius = 1 }\nposition = [1, 0, 0]\n";

#[test]
fn a_hinge_with_limits_and_a_position_motor() {
    let scene = parse(&format!(
        "{TWO}[[joint]]\nname = \"hinge\"\ntype = \"revolute\"\nbodies = [\"world\", \"b\"]\n\
         anchor = [1, 2, 3]\naxis = [0, 3, 4]\nlimits = [-1, 2]\nfriction = 0.5\n\
         motor = {{ target_position = 1, stiffness = 10, damping = 2, max_force = 7 }}\n\
         [[joint]]\ntype = \"fixed\"\nbodies = [\"a\", \"b\"]\n"
    ));
    let [hinge, weld] = scene.model.joints() else { panic!("two joints") };
    assert_eq!((hinge.name.as_str(), weld.name.as_str()), ("hinge", "joint-2"));
    assert_eq!(hinge.kind, JointKind::Revolute);
    assert_eq!(hinge.bodies, [None, scene.model.find("b")]);
    // On the world the frame is where the scene says; its z is the axis.
    near(hinge.frames[0].position, Vec3::new(1.0, 2.0, 3.0));
    near(hinge.axis(2), Vec3::new(0.0, 0.6, 0.8));
    assert_eq!(hinge.freedoms[5], Freedom::Limited([-1.0, 2.0]));
    assert_eq!(hinge.friction, 0.5);
    let target = MotorTarget::Position { position: 1.0, stiffness: 10.0, damping: 2.0 };
    assert_eq!(hinge.motor, Some(Motor::new(target, Some(7.0))));
    // Jointed bodies pass through each other, and no overlap is told.
    let id = |name: &str| scene.model.find(name).unwrap();
    assert!(!scene.model.may_touch(id("a"), id("b")));
    assert!(scene.warnings.is_empty());
}

#[test]
fn a_generic_joint_and_a_gear() {
    let scene = parse(&format!(
        "{TWO}[[joint]]\nname = \"g\"\ntype = \"generic\"\nbodies = [\"world\", \"a\"]\nanchor = [0, 0, 0]\n\
         dof = {{ x = \"free\", y = [-1, 1], rz = \"free\" }}\n\
         [[joint]]\nname = \"p\"\ntype = \"prismatic\"\nbodies = [\"world\", \"b\"]\nanchor = [0, 0, 0]\n\
         axis = [1, 0, 0]\nmotor = {{ target_velocity = 3 }}\n\
         [[joint]]\ntype = \"gear\"\njoints = [\"g\", \"p\"]\nratio = -2\n"
    ));
    let (free, locked) = (Freedom::Free, Freedom::Locked);
    let limited = Freedom::Limited([-1.0, 1.0]);
    let joints = scene.model.joints();
    assert_eq!(joints[0].freedoms, [free, limited, locked, locked, locked, free]);
    let gear = JointKind::Gear { joints: [JointId::new(0), JointId::new(1)], ratio: -2.0 };
    assert_eq!(joints[2].kind, gear);
    let target = MotorTarget::Velocity(3.0);
    assert_eq!(joints[1].motor, Some(Motor::new(target, None)));
}

/// A rod on a hinge keeps its distance from it while it falls.
#[test]
fn a_jointed_scene_runs() {
    let text = "[simulation]\nstabilization = \"post-step\"\n[[body]]\nname = \"rod\"\n\
        shape = { type = \"box\", size = [1, 0.1, 0.1] }\nposition = [0.5, 0, 0]\n\
        [[joint]]\nname = \"hinge\"\ntype = \"revolute\"\nbodies = [\"world\", \"rod\"]\n\
        anchor = [0, 0, 0]\naxis = [0, 1, 0]\n";
    let scene = with(text, &["joint.hinge.friction=0"]).unwrap();
    let mut sim = Simulator::new(scene.model, scene.state, scene.settings).unwrap();
    for _ in 0..50 {
        sim.step().unwrap();
    }
    let x = sim.state.q[0].position;
    assert!((x.length() - 0.5).abs() < 1e-9 && x.z < -0.1, "{x}");
}

#[test]
fn bodies_that_overlap_at_the_start_are_told_with_names_and_depth() {
    let two = |x: f64, more: &str| {
        parse(&format!(
            "[[body]]\nname = \"a\"\nshape = {{ type = \"box\", size = [1, 1, 1] }}\n\
             [[body]]\nname = \"b\"\nshape = {{ type = \"box\", size = [1, 1, 1] }}\n\
             position = [{x}, 0, 0]\n{more}\n"
        ))
    };
    let warnings = two(0.75, "").warnings;
    assert_eq!(warnings.len(), 1);
    let text = warnings[0].to_string();
    assert!(text.starts_with("scene.toml:4:1: warning: body \"b\": overlaps body \"a\""), "{text}");
    assert!(text.contains("2.500e-1 m"), "{text}");
    assert!(two(1.0, "").warnings.is_empty(), "touching is not overlapping");
    assert!(two(0.75, "ignore = [\"a\"]").warnings.is_empty());
}

#[test]
fn a_static_body_with_a_velocity_is_told() {
    let scene = body("static = true\nvelocity = [1, 0, 0]");
    assert!(scene.warnings[0].to_string().contains("kinematic"), "{:?}", scene.warnings);
}

const PEG: &str = "[simulation]\nstep = 0.01\n[[body]]\nname = \"peg\"\n\
    shape = { type = \"box\", size = [1, 1, 1] }\n[[body]]\nshape = { type = \"plane\" }\n\
    position = [0, 0, -2]\n";

#[test]
fn set_reaches_every_key_by_its_path() {
    let scene = with(
        PEG,
        &[
            "step=0.002",
            "simulation.duration = 4",
            "solver=lemke",
            "solver.tolerance=1e-10",
            "body.peg.friction=0.2",
            "body.\"peg\".mass=7",
            "body.peg.shape.size=[1, 2, 3]",
            "body.peg.orientation.axis=[0,0,1]",
            "body.peg.orientation.angle=0.5",
            "body.body-2.position=[0, 0, -9]",
            "body.2.friction=0.75",
        ],
    )
    .unwrap();
    let (settings, bodies) = (&scene.settings, scene.model.bodies());
    assert_eq!((settings.step, settings.duration), (0.002, 4.0));
    assert_eq!(settings.solver, "lemke");
    assert_eq!(settings.solver_options.number("tolerance"), Ok(Some(1e-10)));
    assert_eq!(bodies[0].material.friction, 0.2);
    assert_eq!(bodies[0].mass, 7.0);
    assert_eq!(bodies[0].radius, 0.5 * 14_f64.sqrt());
    near(scene.state.q[0].vector(Vec3::X), Vec3::new(0.5_f64.cos(), 0.5_f64.sin(), 0.0));
    assert_eq!(scene.state.q[1].position.z, -9.0);
    assert_eq!(bodies[1].material.friction, 0.75);
    assert_eq!(scene.text, PEG);
    assert_eq!(scene.overrides[0], "--set step=0.002");
}

#[test]
fn the_last_set_wins() {
    let scene = with(PEG, &["step=0.002", "simulation.step=0.004"]).unwrap();
    assert_eq!(scene.settings.step, 0.004);
}

#[test]
fn errors_of_set_name_the_option() {
    let cases = [
        ("step=-1", "--set step=-1: [simulation]: `step` must be a number above 0, but is -1"),
        (
            "step=fast",
            "--set step=fast: [simulation]: `step` must be a number above 0, but is the text",
        ),
        ("stepp=1", "--set stepp=1: there is no setting `stepp`; did you mean `step`?"),
        ("body.pge.mass=1", "--set body.pge.mass=1: no body is named `pge`; did you mean `peg`?"),
        ("body.9.mass=1", "--set body.9.mass=1: no body is named `9`"),
        (
            "body.peg.masss=1",
            "--set body.peg.masss=1: body \"peg\": unknown key `masss`; did you mean `mass`?",
        ),
        (
            "body.peg=1",
            "--set body.peg=1: `body.peg` is not a single value; write body.peg.KEY=VALUE",
        ),
        ("body.peg.name.x=1", "--set body.peg.name.x=1: `x` cannot be set"),
        ("joint.axle.friction=1", "--set joint.axle.friction=1: the scene has no [[joint]]"),
        ("solver.tolerence=1", "--set solver.tolerence=1: [solver]: unknown key `tolerence`"),
        ("simulation=1", "--set simulation=1: there is no setting `simulation`"),
        ("step", "--set step: there is no `=`"),
        ("=1", "--set =1: there is no `=`"),
    ];
    for (option, expected) in cases {
        let error = with(PEG, &[option]).unwrap_err();
        assert!(error.starts_with(expected), "{option}: {error}");
    }
}

/// A key in its old spelling loads, with a warning that names file and line; so does `--set`.
#[test]
fn an_old_spelling_loads_with_a_warning() {
    let body = "[[body]]\nshape = { type = \"sphere\", radius = 2 }\n";
    let old = format!("[simulation]\nstabilisation = \"shake\"\n{body}");
    let scene = Scene::parse("old.toml", &old).unwrap();
    assert_eq!(scene.settings.stabilization, "shake");
    let told = scene.warnings[0].to_string();
    let right = "old.toml:2:1: warning: [simulation]: `stabilisation` is an old spelling; write `stabilization`";
    assert_eq!((scene.warnings.len(), told.as_str()), (1, right));

    let solver = format!("[solver]\nenough = 1e-5\n{body}");
    let scene = Scene::parse("old.toml", &solver).unwrap();
    assert_eq!(scene.settings.solver_options.number("acceptable_tolerance"), Ok(Some(1e-5)));
    let told = scene.warnings[0].to_string();
    let right = "old.toml:2:1: warning: [solver]: `enough` is an old spelling; write `acceptable_tolerance`";
    assert_eq!((scene.warnings.len(), told.as_str()), (1, right));

    let change = |text: &str, set: &str| {
        let text = SceneText {
            file: "new.toml".into(),
            name: "new".into(),
            text: text.into(),
            folder: None,
        };
        Scene::read(text, &[Override::parse(set).unwrap()])
    };
    for set in ["stabilisation=post-step", "simulation.stabilisation=post-step"] {
        for text in [&old, body] {
            let scene = change(text, set).unwrap();
            assert_eq!(scene.settings.stabilization, "post-step", "{set}");
            let told = scene.warnings.last().unwrap().to_string();
            assert!(told.starts_with(&format!("--set {set}: warning:")), "{told}");
        }
    }
    let both = old.replace("[[body]]", "stabilization = \"none\"\n[[body]]");
    let error = Scene::parse("both.toml", &both).unwrap_err().to_string();
    assert!(
        error.contains("unknown key `stabilisation`; did you mean `stabilization`?"),
        "{error}"
    );
}

#[test]
fn every_built_in_scene_loads_without_warnings_and_steps() {
    for builtin in BUILTIN {
        let scene = Scene::open(builtin.name, &[]).unwrap_or_else(|e| panic!("{e}"));
        assert!(scene.warnings.is_empty(), "{}: {:?}", builtin.name, scene.warnings);
        assert_eq!((scene.name.as_str(), scene.text.as_str()), (builtin.name, builtin.text));
        assert!(builtin.text.starts_with("# ") && builtin.text.contains("Right answer"));
        let mut sim = Simulator::new(scene.model, scene.state, scene.settings).unwrap();
        for _ in 0..20 {
            let report = sim.step().unwrap_or_else(|e| panic!("{}: {e}", builtin.name));
            assert_eq!(report.solves.failures, 0, "{}, step {}", builtin.name, report.step);
        }
    }
}

/// The file in the book is what the schema says today.
#[test]
fn the_reference_page_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scene-reference.md");
    let page = std::fs::read_to_string(path).unwrap();
    let hint = "write it anew: stickslip scenes --reference > docs/scene-reference.md";
    assert!(page == stickslip_scene::reference::markdown(), "{hint}");
}

/// `[camera]` and `description` reach the model, the camera also by an override; built-in scenes say
/// what happens in them as the list of scenes does.
#[test]
fn the_camera_and_the_description_reach_the_model() {
    let text = "description = \"a ball\"\n[camera]\nposition = [1, -2, 3]\nfollow = \"ball\"\n\
                [[body]]\nname = \"ball\"\nshape = { type = \"sphere\", radius = 1 }\n";
    let scene = with(text, &["camera.fov=60"]).unwrap();
    let camera = scene.model.camera().unwrap();
    assert_eq!((camera.position, camera.fov), (Some([1.0, -2.0, 3.0]), Some(60.0)));
    assert_eq!((camera.target, camera.follow.as_deref()), (None, Some("ball")));
    assert_eq!(scene.model.description(), "a ball");
    assert_eq!(parse("[[body]]\nshape = { type = \"sphere\", radius = 1 }\n").model.camera(), None);
    for scene in BUILTIN {
        let read = Scene::open(scene.name, &[]).unwrap();
        assert_eq!(read.model.description(), scene.summary, "{}", scene.name);
    }
}
