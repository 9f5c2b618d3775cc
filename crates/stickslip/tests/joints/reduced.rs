//! Joint coordinates against the rows of joints, and what the default integrator keeps.

use stickslip::{
    BodyId, BodyInit, Dimension, JointId, JointInit, JointKind, ModelBuilder, Settings, Simulator,
    dynamics::reduced::{Coordinates, JointSpace, Tree},
    geometry::{Mat3, Quat, Solid, Vec3},
    model::{Motor, MotorTarget},
};

use super::scene::{G, Random, bob, rod_pendulum, run, simulator};

/// A random tree of all kinds of joints, with the ends of some joints the other way round.
fn random_tree(
    random: &mut Random,
    kinds: &[JointKind],
    floats: bool,
    settings: Settings,
) -> Simulator {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let solid = Solid::sphere(0.05).unwrap();
    let mut bodies: Vec<BodyId> = Vec::new();
    for (k, &kind) in kinds.iter().enumerate() {
        let inertia = Vec3::new(0.02, 0.03, 0.04) + 0.005 * random.vector(Dimension::Three);
        let mut init = BodyInit::new(&solid)
            .named(&format!("b{k}"))
            .mass(1.5 + random.signed())
            .inertia(Mat3::from_diagonal(inertia))
            .turned(Quat::from_scaled_axis(random.vector(Dimension::Three)))
            .at(random.vector(Dimension::Three));
        init.body.collides = false;
        let body = builder.add(init).unwrap();
        let parent = match k {
            0 if floats => None,
            0 => Some(None),
            _ => Some(Some(bodies[k - 1 - usize::from(random.signed() > 0.3 && k > 1)])),
        };
        bodies.push(body);
        let Some(parent) = parent else { continue };
        let (a, b) =
            if random.signed() > 0.0 { (parent, Some(body)) } else { (Some(body), parent) };
        let axis = random.vector(Dimension::Three).normalize();
        let across = axis.cross(random.vector(Dimension::Three)).normalize();
        let joint = JointInit::new(kind, a, b).at(random.vector(Dimension::Three)).along(axis);
        let mut joint = joint.second(across);
        if matches!(kind, JointKind::Revolute | JointKind::Prismatic) {
            joint.armature = 0.03;
        }
        builder.joint(joint).unwrap();
    }
    let mut sim = simulator(builder, settings);
    // Velocities that the joints allow.
    for id in sim.model.ids() {
        sim.state.nu[id.index()].linear = random.vector(Dimension::Three);
        sim.state.nu[id.index()].angular = random.vector(Dimension::Three);
    }
    stickslip::stabilize::project(&sim.model, &mut sim.state).unwrap();
    sim
}

const KINDS: [JointKind; 7] = [
    JointKind::Revolute,
    JointKind::Spherical,
    JointKind::Universal,
    JointKind::Prismatic,
    JointKind::Planar,
    JointKind::Fixed,
    JointKind::Cylindrical,
];

/// Joint coordinates and collocation of the constrained bodies go the same way: two methods that
/// share nothing but the model. All kinds of joints, either end first, standing and floating.
#[test]
fn joint_coordinates_follow_the_constrained_bodies() {
    for (seed, floats) in [(1, false), (2, true), (3, false), (4, true)] {
        let run = |integrator: &str| {
            let mut random = Random::new(seed);
            let kinds: Vec<JointKind> = (0..7).map(|k| KINDS[(k + seed as usize) % 7]).collect();
            let settings =
                Settings { step: 2e-3, integrator: integrator.into(), ..Settings::default() };
            let mut sim = random_tree(&mut random, &kinds, floats, settings);
            for _ in 0..50 {
                sim.step().unwrap();
            }
            assert_eq!(sim.state.last_h, 0.0, "seed {seed}: not smooth");
            sim.state
        };
        let (reduced, rows) = (run("auto"), run("gauss"));
        for (i, (a, b)) in reduced.q.iter().zip(&rows.q).enumerate() {
            let apart = (a.position - b.position).length();
            assert!(apart < 1e-9, "seed {seed}, floats {floats}, body {i}: {apart:e} m apart");
            let spin = (reduced.nu[i].angular - rows.nu[i].angular).length();
            assert!(spin < 1e-8, "seed {seed}, body {i}: {spin:e} rad/s apart");
        }
    }
}

/// The mass matrix has the kinetic energy; what the coordinates do by themselves needs no force.
#[test]
fn mass_matrix_and_inverse_dynamics_agree_with_forward_dynamics() {
    for seed in 10..16 {
        let mut random = Random::new(seed);
        let kinds: Vec<JointKind> = (0..7).map(|k| KINDS[(k + seed as usize) % 7]).collect();
        let sim = random_tree(&mut random, &kinds, seed % 2 == 0, Settings::default());
        let (trees, complete) = Tree::all(&sim.model, true);
        assert!(complete && trees.len() == 1, "seed {seed}");
        let (model, state, tree) = (&sim.model, &sim.state, &trees[0]);
        let space = JointSpace { model, tree, state, gyroscopic: true, held: &[] };
        let x = Coordinates::of(model, tree, state);
        let (mass, n) = (space.mass_matrix(&x), tree.n);
        let energy: f64 = (0..n * n).map(|k| 0.5 * x.w[k / n] * mass[k] * x.w[k % n]).sum::<f64>();
        let height: f64 =
            model.ids().map(|id| G * model.body(id).mass * state.pose(id).position.z).sum();
        let expected = state.energy(model) - height;
        assert!((energy - expected).abs() < 1e-11 * expected, "seed {seed}: {energy} {expected}");
        let qdd = space.acceleration((&x, &x.w), 0.0).unwrap();
        let tau = space.inverse_dynamics(&x, &qdd);
        let scale = qdd.iter().fold(1.0_f64, |m, a| m.max(a.abs()));
        assert!(tau.iter().all(|t| t.abs() < 1e-11 * scale), "seed {seed}: {tau:?}");
    }
}

/// With the settings as they come a pendulum keeps its energy and its joint.
#[test]
fn defaults_keep_energy_and_joint() {
    let mut sim = rod_pendulum(Settings::default());
    let start = sim.state.energy(&sim.model);
    let (mut spread, mut error) = (0.0_f64, 0.0_f64);
    for _ in 0..1000 {
        error = error.max(sim.step().unwrap().joint_error);
        spread = spread.max((sim.state.energy(&sim.model) - start).abs() / (0.5 * G));
    }
    assert!(error < 1e-12, "joint error {error:e}");
    assert!(spread < 1e-8, "energy off by {spread:e}");
}

/// A hinge with a spring and damper stiff over a step: order 2, whether the force has a bound or
/// not.
#[test]
fn stiff_motors_are_of_second_order() {
    for bound in [None, Some(1e4)] {
        let angle = |step: f64| {
            let mut sim = rod_pendulum(Settings { step, ..Settings::default() });
            let target = MotorTarget::Position { position: 0.3, stiffness: 2e4, damping: 600.0 };
            sim.state.motors[0] = Some(Motor::new(target, bound));
            run(&mut sim, 0.16);
            sim.model.joint_position(&sim.state, JointId::new(0))[0]
        };
        let exact = angle(5e-5);
        let errors = [4e-3, 2e-3, 1e-3].map(|h| (angle(h) - exact).abs());
        let orders = [errors[0] / errors[1], errors[1] / errors[2]].map(f64::log2);
        assert!(orders.iter().all(|o| (1.7..2.6).contains(o)), "{errors:?} {orders:?}");
    }
}

/// A motor far too stiff for the step holds still instead of ringing.
#[test]
fn very_stiff_motor_comes_to_rest() {
    let mut sim = rod_pendulum(Settings::default());
    let target = MotorTarget::Position { position: 0.5, stiffness: 1e8, damping: 1e5 };
    sim.state.motors[0] = Some(Motor::new(target, None));
    run(&mut sim, 1.0);
    let id = JointId::new(0);
    let (q, rate) =
        (sim.model.joint_position(&sim.state, id)[0], sim.model.joint_velocity(&sim.state, id)[0]);
    assert!((q - 0.5).abs() < 1e-6 && rate.abs() < 1e-6, "{q} {rate}");
}

/// A slider with friction `f` stops after `m v² / (2 f)`: exact while it slides, one semi-implicit
/// step where it stops. The error is far below that of a first-order scheme, `v h / 2`.
#[test]
fn friction_slides_to_the_right_place() {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let body = builder.add(bob("slider", Vec3::ZERO).velocity(Vec3::X)).unwrap();
    let mut joint = JointInit::prismatic(None, body).along(Vec3::X);
    joint.friction = 2.0;
    builder.joint(joint).unwrap();
    let mut sim = simulator(builder, Settings::default());
    assert_eq!(sim.model.body(body).mass, 1.0);
    run(&mut sim, 1.0);
    let x = sim.state.pose(body).position.x;
    assert!((x - 0.25).abs() < 2e-4, "{x}");
    assert!(sim.state.twist(body).linear.length() < 1e-12);
}

/// What hangs free goes on in joint coordinates while something else touches: the pendulum swings as
/// it does alone, beside a box that rests.
#[test]
fn trees_apart_from_contacts_stay_smooth() {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let rod = Solid::cuboid(Vec3::new(1.0, 0.1, 0.1)).unwrap();
    let rod = builder.add(BodyInit::new(&rod).named("rod").at(Vec3::new(0.5, 0.0, 3.0))).unwrap();
    let hinge = JointInit::revolute(None, rod).named("hinge").along(Vec3::Y);
    builder.joint(hinge.at(Vec3::Z * 3.0)).unwrap();
    let ground = Solid::half_space(Vec3::Z).unwrap();
    builder.add(BodyInit::new(&ground).fixed()).unwrap();
    builder.add(bob("box", Vec3::new(5.0, 0.0, 0.05))).unwrap();
    let mut sim = simulator(builder, Settings { sleep: false, ..Settings::default() });
    let mut alone = rod_pendulum(Settings::default());
    let mut touched = 0;
    for _ in 0..200 {
        touched += usize::from(sim.step().unwrap().solves.count > 0);
        alone.step().unwrap();
    }
    assert!(touched > 100, "the box rested in {touched} steps only");
    let id = JointId::new(0);
    let [a, b] = [&sim, &alone].map(|s| s.model.joint_position(&s.state, id)[0]);
    assert!((a - b).abs() < 1e-12, "{a} {b}");
}

/// Coupled coordinates stay coupled, in joint coordinates as by rows.
#[test]
fn gears_keep_in_joint_coordinates() {
    let run = |integrator: &str| {
        let mut builder = ModelBuilder::new(Dimension::Three);
        let (mut arms, mut bodies) = (Vec::new(), Vec::<BodyId>::new());
        for k in 0..2 {
            let at = Vec3::new(0.3, 0.4 * f64::from(k), 0.0);
            let body = builder.add(bob(&format!("arm{k}"), at)).unwrap();
            let parent = bodies.last().copied();
            let joint = JointInit::revolute(parent, body).at(Vec3::Y * at.y).along(Vec3::Y);
            arms.push(builder.joint(joint).unwrap());
            bodies.push(body);
        }
        builder.joint(JointInit::gear(arms[0], arms[1], -2.0)).unwrap();
        let settings =
            Settings { step: 2e-3, integrator: integrator.into(), ..Settings::default() };
        let mut sim = simulator(builder, settings);
        let error = run(&mut sim, 0.5);
        assert!(error < 1e-12, "{integrator}: {error:e}");
        sim.model.joint_position(&sim.state, arms[1])[0]
    };
    let (a, b) = (run("auto"), run("gauss"));
    assert!((a - b).abs() < 1e-9, "{a} {b}");
}
