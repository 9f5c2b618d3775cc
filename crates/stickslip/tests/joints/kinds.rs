//! Every kind of joint: rows, invariants, limits.

use stickslip::{
    BodyId, BodyInit, Dimension, JointId, JointInit, JointKind, ModelBuilder, Settings, Simulator,
    State, Twist,
    geometry::{Mat3, Quat, Solid, Vec3},
    model::Freedom::{Free, Limited, Locked},
    stabilize,
};

use super::scene::{Random, run, simulator};

/// All kinds that join two bodies, with a name to report.
fn kinds(dimension: Dimension) -> Vec<(&'static str, JointKind)> {
    let wide = Limited([-50.0, 50.0]);
    let mut kinds = vec![
        ("fixed", JointKind::Fixed),
        ("revolute", JointKind::Revolute),
        ("prismatic", JointKind::Prismatic),
        ("distance", JointKind::Distance),
        ("generic slot", JointKind::Generic([wide, Locked, Locked, Locked, Locked, Free])),
    ];
    if dimension == Dimension::Three {
        kinds.extend([
            ("cylindrical", JointKind::Cylindrical),
            ("spherical", JointKind::Spherical),
            ("planar", JointKind::Planar),
            ("universal", JointKind::Universal),
            ("generic two turns", JointKind::Generic([Locked, Free, Locked, wide, Locked, Free])),
            (
                "generic ball in a slot",
                JointKind::Generic([Free, Locked, Locked, Free, Free, Free]),
            ),
        ]);
    }
    kinds
}

/// Two bodies at random poses with random velocities, joined.
fn pair(
    random: &mut Random,
    dimension: Dimension,
    kind: JointKind,
    settings: Settings,
) -> Simulator {
    let mut builder = ModelBuilder::new(dimension);
    builder.gravity(Vec3::ZERO);
    let mut add = |name: &str| {
        let angle = 3.0 * random.signed();
        let axis = random.vector(Dimension::Three).normalize();
        let inertia = Vec3::new(1.0, 1.2, 1.4) + 0.1 * random.vector(Dimension::Three);
        let init = BodyInit::new(&Solid::sphere(0.1).unwrap())
            .named(name)
            .mass(2.0 + random.signed())
            .inertia(Mat3::from_diagonal(inertia))
            .at(random.vector(dimension))
            .turned(Quat::from_axis_angle(axis, angle))
            .angle(angle)
            .velocity(random.vector(dimension))
            .spin(random.spin(dimension));
        builder.add(init).unwrap()
    };
    let (a, b) = (add("a"), add("b"));
    let init = JointInit::new(kind, a, b)
        .named("joint")
        .at(random.vector(dimension))
        .along(random.vector(dimension))
        .second(random.vector(dimension));
    builder.joint(init).unwrap();
    simulator(builder, settings)
}

/// Moves all bodies along their velocities.
fn moved(sim: &Simulator, state: &State, t: f64) -> State {
    let mut out = state.clone();
    for id in sim.model.ids() {
        let twist = *state.twist(id);
        out.advance(sim.model.dimension(), id, &twist, t);
    }
    out
}

/// Central difference of fourth order of some values along the motion.
fn slope(values: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let e = 1e-3;
    let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|k| values(k * e));
    (0..a.len()).map(|i| (8.0 * (c[i] - b[i]) - (d[i] - a[i])) / (12.0 * e)).collect()
}

/// The bias of rows is the slope of their rates while the bodies keep their velocities.
fn check_bias(
    sim: &Simulator,
    rows: impl Fn(&State) -> Vec<stickslip::model::JointRow>,
    name: &str,
) {
    let joint = sim.model.joint(JointId::new(0));
    let expected = slope(|t| {
        let state = moved(sim, &sim.state, t);
        rows(&state).iter().map(|row| sim.model.row_rate(&state, joint, row)).collect()
    });
    for (row, expected) in rows(&sim.state).iter().zip(expected) {
        let off = (row.bias - expected).abs() / (1.0 + row.bias.abs());
        assert!(off < 1e-6, "seed 21, {name}: bias {} against {expected}", row.bias);
    }
}

/// The rows of the locked freedoms are the rates of the errors, also where the joint has drifted
/// far apart; those of the coordinates are the rates of the positions where it holds.
#[test]
fn rows_are_the_rates_of_what_they_measure() {
    let mut random = Random::new(21);
    let joint = JointId::new(0);
    for dimension in [Dimension::Two, Dimension::Three] {
        for (name, kind) in kinds(dimension) {
            for round in 0..20 {
                let mut sim = pair(&mut random, dimension, kind, Settings::default());
                // Apart by a random motion of the size of the bodies.
                sim.state = moved(&sim, &sim.state, 0.4);
                for twist in &mut sim.state.nu {
                    let (linear, angular) = (random.vector(dimension), random.spin(dimension));
                    *twist = Twist { linear, angular };
                }
                let errors = slope(|t| {
                    let rows = sim.model.joint_errors(&moved(&sim, &sim.state, t), joint);
                    rows.iter().map(|row| row.value).collect()
                });
                let rows = sim.model.joint_errors(&sim.state, joint);
                assert_eq!(rows.len(), errors.len());
                let mut values = Vec::new();
                sim.model.add_joint_errors(&sim.state, joint, &mut values);
                assert!(rows.iter().map(|row| row.value).eq(values), "seed 21, {name}");
                for (row, expected) in rows.iter().zip(errors) {
                    let rate = sim.model.row_rate(&sim.state, sim.model.joint(joint), row);
                    let off = (rate - expected).abs();
                    assert!(off < 1e-9, "seed 21, {name} {dimension:?} {round}: {rate} {expected}");
                }
                check_bias(&sim, |state| sim.model.joint_errors(state, joint), name);
                stabilize::project(&sim.model, &mut sim.state).unwrap();
                check_bias(&sim, |state| sim.model.joint_coordinates(state, joint), name);
                let error = sim.model.joint_error(&sim.state, joint);
                assert!(error < 1e-12, "seed 21, {name} {dimension:?} {round}: {error:e}");
                let expected =
                    slope(|t| sim.model.joint_position(&moved(&sim, &sim.state, t), joint));
                let rates = sim.model.joint_velocity(&sim.state, joint);
                for (rate, expected) in rates.iter().zip(&expected) {
                    let off = (rate - expected).abs() / (1.0 + rate.abs());
                    assert!(
                        off < 1e-7,
                        "seed 21, {name} {dimension:?} {round}: {rates:?} {expected:?}"
                    );
                }
            }
        }
    }
}

/// Freedoms left by each kind: as many coordinates, and as many fewer errors.
#[test]
fn every_kind_leaves_the_right_number_of_freedoms() {
    let mut random = Random::new(3);
    let mut count = |dimension, kind| {
        let sim = pair(&mut random, dimension, kind, Settings::default());
        let joint = JointId::new(0);
        let free = sim.model.joint_position(&sim.state, joint).len();
        (free, sim.model.joint_errors(&sim.state, joint).len())
    };
    use Dimension::{Three, Two};
    assert_eq!(count(Two, JointKind::Fixed), (0, 3));
    assert_eq!(count(Two, JointKind::Revolute), (1, 2));
    assert_eq!(count(Two, JointKind::Prismatic), (1, 2));
    assert_eq!(count(Two, JointKind::Distance), (0, 1));
    assert_eq!(count(Three, JointKind::Fixed), (0, 6));
    assert_eq!(count(Three, JointKind::Revolute), (1, 5));
    assert_eq!(count(Three, JointKind::Prismatic), (1, 5));
    assert_eq!(count(Three, JointKind::Cylindrical), (2, 4));
    assert_eq!(count(Three, JointKind::Spherical), (3, 3));
    assert_eq!(count(Three, JointKind::Planar), (3, 3));
    assert_eq!(count(Three, JointKind::Universal), (2, 4));
}

/// Two joined bodies alone in space: the smooth integrator keeps energy, both momenta and the
/// joint for every kind.
#[test]
fn free_pairs_keep_energy_and_momentum() {
    let mut random = Random::new(8);
    let settings = || Settings { integrator: "gauss".into(), ..Settings::default() };
    for dimension in [Dimension::Two, Dimension::Three] {
        for (name, kind) in kinds(dimension) {
            let mut sim = pair(&mut random, dimension, kind, settings());
            stabilize::project(&sim.model, &mut sim.state).unwrap();
            let (energy, momentum) = (sim.state.energy(&sim.model), sim.state.momentum(&sim.model));
            let error = run(&mut sim, 2.0);
            let after = sim.state.momentum(&sim.model);
            let off = (sim.state.energy(&sim.model) / energy - 1.0).abs();
            assert!(error < 1e-12, "seed 8, {name} {dimension:?}: joint {error:e}");
            assert!(off < 1e-10, "seed 8, {name} {dimension:?}: energy {off:e}");
            let linear = (after.0 - momentum.0).length();
            let angular = (after.1 - momentum.1).length();
            assert!(linear < 1e-11, "seed 8, {name} {dimension:?}: momentum {linear:e}");
            assert!(angular < 1e-10, "seed 8, {name} {dimension:?}: angular momentum {angular:e}");
        }
    }
}

/// The semi-implicit scheme keeps the linear momentum to round-off too, whatever the joint.
#[test]
fn joint_impulses_come_in_pairs() {
    let mut random = Random::new(13);
    for dimension in [Dimension::Two, Dimension::Three] {
        for (name, kind) in kinds(dimension) {
            let mut sim = pair(&mut random, dimension, kind, Settings::default());
            let before = sim.state.momentum(&sim.model).0;
            run(&mut sim, 1.0);
            let off = (sim.state.momentum(&sim.model).0 - before).length();
            assert!(off < 1e-12, "seed 13, {name} {dimension:?}: {off:e}");
        }
    }
}

/// Pushed about by random forces, every kind holds: with the projection after the step, and with
/// the joints closed by the problem itself.
#[test]
fn joints_hold_under_random_forces() {
    let mut random = Random::new(34);
    for stabilization in ["post-step", "post-step-contacts", "shake"] {
        for dimension in [Dimension::Two, Dimension::Three] {
            for (name, kind) in kinds(dimension) {
                let settings =
                    Settings { stabilization: stabilization.into(), ..Settings::default() };
                let mut sim = pair(&mut random, dimension, kind, settings);
                stabilize::project(&sim.model, &mut sim.state).unwrap();
                for step in 0..100 {
                    for wrench in &mut sim.state.applied {
                        wrench.force = random.vector(dimension) * 20.0;
                        wrench.torque = random.spin(dimension) * 10.0;
                    }
                    let error = sim.step().unwrap().joint_error;
                    assert!(
                        error < 1e-11,
                        "seed 34, {stabilization} {name} {dimension:?} step {step}: {error:e}"
                    );
                }
            }
        }
    }
}

/// Limits of every limited coordinate hold to 1e-9 under random forces.
#[test]
fn limits_are_never_passed() {
    let mut random = Random::new(55);
    let near = Limited([-0.1, 0.2]);
    let cases = [
        (Dimension::Two, JointKind::Generic([near, near, Locked, Locked, Locked, near])),
        (Dimension::Two, JointKind::Generic([Locked, Locked, Locked, Locked, Locked, near])),
        (Dimension::Three, JointKind::Generic([Locked, Locked, Locked, Locked, Locked, near])),
        (Dimension::Three, JointKind::Generic([near, near, near, Locked, Locked, near])),
        (Dimension::Three, JointKind::Generic([Locked, Locked, Locked, near, near, Locked])),
        (Dimension::Three, JointKind::Generic([Locked, Locked, Locked, near, near, near])),
    ];
    for (case, (dimension, kind)) in cases.into_iter().enumerate() {
        let settings = Settings { stabilization: "post-step".into(), ..Settings::default() };
        let mut sim = pair(&mut random, dimension, kind, settings);
        let (mut touched, mut worst) = (0, 0.0_f64);
        for _ in 0..300 {
            for wrench in &mut sim.state.applied {
                wrench.force = random.vector(dimension) * 20.0;
                wrench.torque = random.spin(dimension) * 20.0;
            }
            sim.step().unwrap();
            for q in sim.model.joint_position(&sim.state, JointId::new(0)) {
                worst = worst.max(q - 0.2).max(-0.1 - q);
                touched += usize::from(!(-0.1 + 1e-9..=0.2 - 1e-9).contains(&q));
            }
        }
        assert!(touched > 5, "seed 55, case {case}: limits were met only {touched} times");
        assert!(worst < 1e-9, "seed 55, case {case}: passed by {worst:e}");
    }
}

/// A spherical joint's limit is a cone; a distance joint with limits is a rope.
#[test]
fn cones_and_ropes_hold() {
    let mut random = Random::new(5);
    let mut builder = ModelBuilder::new(Dimension::Three);
    let ball = |name: &str, x: f64| {
        BodyInit::new(&Solid::sphere(0.1).unwrap()).named(name).at(Vec3::new(x, 0.0, -1.0))
    };
    let bob = builder.add(ball("bob", 0.0)).unwrap();
    let load = builder.add(ball("load", 3.0)).unwrap();
    let socket = builder.joint(JointInit::spherical(None, bob).limits(0.0, 0.4)).unwrap();
    let rope = JointInit::distance(None, load)
        .between(Vec3::new(3.0, 0.0, 0.0), Vec3::new(3.0, 0.0, -1.0))
        .limits(0.0, 1.5);
    let rope = builder.joint(rope).unwrap();
    let settings = Settings { stabilization: "post-step".into(), ..Settings::default() };
    let mut sim = simulator(builder, settings);
    let (mut swing, mut length) = (0.0_f64, 0.0_f64);
    for _ in 0..500 {
        for wrench in &mut sim.state.applied {
            wrench.force = random.vector(Dimension::Three) * 30.0;
        }
        sim.step().unwrap();
        swing = swing.max(sim.model.joint_swing(&sim.state, socket).map_or(0.0, |r| r.value));
        length = length.max(sim.model.joint_position(&sim.state, rope)[0]);
    }
    assert!(swing > 0.4 - 1e-6 && swing < 0.4 + 1e-9, "{swing}");
    assert!(length > 1.5 - 1e-6 && length < 1.5 + 1e-9, "{length}");
}

/// Revolute angles do not wrap, and count from where they are said to start.
#[test]
fn angles_count_the_turns() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let mut builder = ModelBuilder::new(dimension);
        builder.gravity(Vec3::ZERO);
        let wheel = BodyInit::new(&Solid::sphere(0.5).unwrap()).spin(Vec3::Z * 10.0);
        let wheel = builder.add(wheel).unwrap();
        let axle = builder.joint(JointInit::revolute(None, wheel).starting(2.5)).unwrap();
        let mut sim = simulator(builder, Settings::default());
        run(&mut sim, 10.0);
        let q = sim.model.joint_position(&sim.state, axle)[0];
        assert!((q - 102.5).abs() < 1e-9, "{dimension:?}: {q}");
    }
}

/// Jointed bodies do not touch each other unless they are told to.
#[test]
fn jointed_bodies_ignore_each_other() {
    let build = |colliding: bool| {
        let mut builder = ModelBuilder::new(Dimension::Three);
        let cube = || BodyInit::new(&Solid::cuboid(Vec3::ONE).unwrap());
        let a = builder.add(cube()).unwrap();
        let b = builder.add(cube().at(Vec3::X)).unwrap();
        let joint = JointInit::revolute(a, b);
        builder.joint(if colliding { joint.colliding() } else { joint }).unwrap();
        builder.build().0.may_touch(a, b)
    };
    assert!(!build(false) && build(true));
}

/// What makes no sense is refused, with the joint's name and the reason.
#[test]
fn wrong_joints_are_refused() {
    let mut builder = ModelBuilder::new(Dimension::Two);
    let body = BodyInit::new(&Solid::disc(1.0).unwrap());
    let a = builder.add(body.clone()).unwrap();
    let wall = builder.add(body.fixed().named("wall")).unwrap();
    let mut refused = |init: JointInit, what: &str| {
        let text = builder.joint(init.named("j")).unwrap_err().to_string();
        assert!(text.contains("\"j\"") && text.contains(what), "{text}");
    };
    refused(JointInit::revolute(None, wall), "dynamic");
    refused(JointInit::revolute(a, a), "itself");
    refused(JointInit::revolute(a, BodyId::new(7)), "no body number 8");
    refused(JointInit::spherical(None, a), "3D");
    refused(JointInit::prismatic(None, a).along(Vec3::Z), "axis");
    refused(JointInit::revolute(None, a).limits(1.0, -1.0), "limits");
    refused(JointInit::revolute(None, a).at(Vec3::X * f64::NAN), "finite");
    refused(JointInit::distance(None, a).between(Vec3::X, Vec3::X), "apart");
    refused(JointInit::fixed(None, a).velocity_motor(1.0, 1.0), "drive");
    refused(JointInit::gear(JointId::new(0), JointId::new(1), 2.0), "no joint");
    builder.joint(JointInit::revolute(None, a).named("j")).unwrap();
    let twice = builder.joint(JointInit::revolute(wall, a).named("j")).unwrap_err().to_string();
    assert!(twice.contains("unique"), "{twice}");
}

/// Limits far away are no rows of the problem; one that an impact would carry a link past within
/// one step is found all the same.
#[test]
fn far_limits_cost_nothing_and_hold() {
    let door = |speed: f64| {
        let mut builder = ModelBuilder::new(Dimension::Three);
        builder.gravity(Vec3::ZERO);
        let leaf = Solid::cuboid(Vec3::new(1.0, 0.05, 1.0)).unwrap();
        let leaf = builder.add(BodyInit::new(&leaf).at(Vec3::X * 0.5)).unwrap();
        builder.joint(JointInit::revolute(None, leaf).limits(-0.5, 0.5)).unwrap();
        // A heavy ball that carries the leaf along, 1 m in one step.
        let ball = BodyInit::new(&Solid::sphere(0.1).unwrap()).mass(100.0);
        builder.add(ball.at(Vec3::new(0.8, -0.2, 0.0)).velocity(Vec3::Y * speed)).unwrap();
        simulator(builder, Settings::default())
    };
    let still = door(0.0);
    let query = stickslip::collide::query(&still.model, &still.state, &still.settings);
    let frame = stickslip::frame::Frame {
        model: &still.model,
        state: &still.state,
        contacts: &[],
        pairs: &[],
        added: stickslip::dynamics::AddedConstraints::NONE,
        shared: &Default::default(),
        exact: true,
        query: &query,
        h: 0.01,
        settings: &still.settings,
    };
    assert!(stickslip::dynamics::JointRows::new(&frame).bounded.is_empty());
    let mut hit = door(100.0);
    for _ in 0..5 {
        let report = hit.step().unwrap();
        assert_eq!(report.solves.failures, 0);
        let q = hit.model.joint_position(&hit.state, JointId::new(0))[0];
        assert!(q < 0.5 + 1e-9, "{q}");
    }
    let q = hit.model.joint_position(&hit.state, JointId::new(0))[0];
    assert!(q > 0.4, "the leaf never came to its limit: {q}");
}
