//! Motors, friction, gears, gyroscopes.

use stickslip::{
    BodyInit, Dimension, JointId, JointInit, ModelBuilder, Settings, Simulator,
    geometry::{Mat3, Solid, Vec3},
};

use super::scene::{G, run, simulator};

const INERTIA: f64 = 0.7;

/// A wheel of inertia 0.7 on an axle through the world, spinning at `w0`.
fn wheel(dimension: Dimension, w0: f64, joint: impl Fn(JointInit) -> JointInit) -> Simulator {
    let mut builder = ModelBuilder::new(dimension);
    builder.gravity(Vec3::ZERO);
    let wheel = BodyInit::new(&Solid::sphere(0.5).unwrap())
        .inertia(Mat3::from_diagonal(Vec3::splat(INERTIA)))
        .spin(Vec3::Z * w0);
    let wheel = builder.add(wheel).unwrap();
    builder.joint(joint(JointInit::revolute(None, wheel))).unwrap();
    simulator(builder, Settings::default())
}

/// Coulomb friction slows at the rate `tau / J`, stops the wheel in the step that contains
/// `t = J w0 / tau`, and holds it there against less than tau.
#[test]
fn friction_decays_linearly_and_sticks() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let mut sim = wheel(dimension, 3.0, |j| j.friction(1.4));
        for step in 1..=200 {
            sim.step().unwrap();
            let t = 0.01 * f64::from(step);
            let expected = (3.0 - 1.4 / INERTIA * t).max(0.0);
            let w = sim.state.nu[0].angular.z;
            assert!((w - expected).abs() < 1e-10, "{dimension:?} {t}: {w} {expected}");
        }
        for _ in 0..10 {
            sim.state.applied[0].torque = Vec3::Z * 1.39;
            sim.step().unwrap();
            assert!(sim.state.nu[0].angular.z.abs() < 1e-12);
        }
        sim.state.applied[0].torque = Vec3::Z * 1.5;
        sim.step().unwrap();
        let w = sim.state.nu[0].angular.z;
        assert!((w - 0.1 * 0.01 / INERTIA).abs() < 1e-12, "{w}");
    }
}

/// A slider on a slope: `a = g sin - f / m`, or rest.
#[test]
fn slider_with_friction_on_a_slope() {
    for (friction, moves) in [(3.0, true), (6.0, false)] {
        let mut builder = ModelBuilder::new(Dimension::Two);
        let block = builder.add(BodyInit::new(&Solid::disc(0.1).unwrap())).unwrap();
        let slope = Vec3::new(30f64.to_radians().cos(), -30f64.to_radians().sin(), 0.0);
        let slide = JointInit::prismatic(None, block).along(slope).friction(friction);
        let slide = builder.joint(slide).unwrap();
        let mut sim = simulator(builder, Settings::default());
        run(&mut sim, 1.0);
        let v = sim.model.joint_velocity(&sim.state, slide)[0];
        let expected = if moves { G * 0.5 - friction } else { 0.0 };
        assert!((v - expected).abs() < 1e-10, "{v} {expected}");
    }
}

/// A velocity motor speeds up at `f / J`, then keeps its speed; one without limit has it at once.
#[test]
fn velocity_motor_with_and_without_limit() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let mut sim = wheel(dimension, 0.0, |j| j.velocity_motor(5.0, 7.0));
        for step in 1..=100 {
            sim.step().unwrap();
            let expected = (7.0 / INERTIA * 0.01 * f64::from(step)).min(5.0);
            let w = sim.state.nu[0].angular.z;
            assert!((w - expected).abs() < 1e-10, "{dimension:?} {step}: {w} {expected}");
        }
        let mut sim = wheel(dimension, 0.0, |j| j.velocity_motor(5.0, f64::INFINITY));
        sim.step().unwrap();
        assert!((sim.state.nu[0].angular.z - 5.0).abs() < 1e-12);
    }
}

/// A motor without force limit stops at the joint's limit.
#[test]
fn strong_motor_respects_the_limit() {
    let mut sim =
        wheel(Dimension::Three, 0.0, |j| j.velocity_motor(5.0, f64::INFINITY).limits(-1.0, 1.2));
    run(&mut sim, 1.0);
    let q = sim.model.joint_position(&sim.state, stickslip::JointId::new(0))[0];
    assert!((q - 1.2).abs() < 1e-12, "{q}");
    let mut sim = wheel(Dimension::Three, 0.0, |j| j.velocity_motor(5.0, 30.0).limits(-1.0, 1.2));
    run(&mut sim, 1.0);
    let q = sim.model.joint_position(&sim.state, stickslip::JointId::new(0))[0];
    assert!((q - 1.2).abs() < 1e-9, "{q}");
}

/// The position motor is the implicit Euler solution of `J q'' = k (q* - q) - d q'`: exact per
/// step, and stable for any gain.
#[test]
fn position_motor_is_implicit() {
    let (k, d, h) = (50.0, 2.0, 0.01);
    let mut sim = wheel(Dimension::Three, 0.0, |j| j.position_motor(1.0, k, d));
    sim.pipeline.integrator = Box::new(stickslip::integrate::SemiImplicit);
    let (mut q, mut v) = (0.0, 0.0);
    for _ in 0..300 {
        sim.step().unwrap();
        v = (v + h / INERTIA * k * (1.0 - q)) / (1.0 + h / INERTIA * (d + h * k));
        q += h * v;
        let found = sim.model.joint_position(&sim.state, stickslip::JointId::new(0))[0];
        assert!((found - q).abs() < 1e-10, "{found} {q}");
    }
    for gain in [1e6, 1e12] {
        let mut sim = wheel(Dimension::Three, 30.0, |j| j.position_motor(1.0, gain, 0.0));
        run(&mut sim, 1.0);
        let q = sim.model.joint_position(&sim.state, stickslip::JointId::new(0))[0];
        assert!((q - 1.0).abs() < 1e-3, "gain {gain}: {q}");
    }
}

/// Its force limit holds: a weak motor lifts the arm only as far as `m g l cos q = max_force`.
#[test]
fn limited_position_motor_gives_way() {
    let mut builder = ModelBuilder::new(Dimension::Two);
    let arm = BodyInit::new(&Solid::disc(0.1).unwrap()).at(Vec3::X);
    let arm = builder.add(arm).unwrap();
    let mut hinge = JointInit::revolute(None, arm).position_motor(0.0, 1e5, 100.0);
    if let Some(motor) = &mut hinge.motor {
        motor.max_force = Some(5.0);
    }
    let hinge = builder.joint(hinge).unwrap();
    let mut sim = simulator(builder, Settings::default());
    run(&mut sim, 0.2);
    // It falls with the torque that is left.
    let q = sim.model.joint_position(&sim.state, hinge)[0];
    let expected = -0.5 * (G - 5.0) / (1.0 + 0.005) * 0.2 * 0.2;
    assert!((q / expected - 1.0).abs() < 0.02, "{q} {expected}");
}

/// Two wheels in gear: `q1 + ratio q2` stays, and the torque on one accelerates both as
/// `tau / (J1 + J2 / ratio²)`.
#[test]
fn gears_couple_two_wheels() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let mut builder = ModelBuilder::new(dimension);
        builder.gravity(Vec3::ZERO);
        let mut axle = |x: f64| {
            let wheel = BodyInit::new(&Solid::sphere(0.4).unwrap())
                .inertia(Mat3::from_diagonal(Vec3::splat(INERTIA)))
                .at(Vec3::X * x);
            let wheel = builder.add(wheel).unwrap();
            builder.joint(JointInit::revolute(None, wheel).at(Vec3::X * x)).unwrap()
        };
        let (first, second) = (axle(0.0), axle(1.0));
        let gear = builder.joint(JointInit::gear(first, second, 2.0)).unwrap();
        let mut sim = simulator(builder, Settings::default());
        for _ in 0..300 {
            sim.state.applied[0].torque = Vec3::Z * 3.0;
            sim.step().unwrap();
        }
        let w = sim.state.nu[0].angular.z;
        let expected = 3.0 * 3.0 / (INERTIA + INERTIA / 4.0);
        assert!((w - expected).abs() < 1e-9, "{dimension:?}: {w} {expected}");
        assert!((sim.state.nu[1].angular.z + 0.5 * w).abs() < 1e-11);
        assert!(sim.model.joint_error(&sim.state, gear) < 1e-11);
    }
}

/// A fast gyroscope on a ball joint precesses at `m g l / (J3 w)` (with the exact root of the
/// steady precession without nutation), here over a whole turn.
#[test]
fn gyroscope_precesses_at_the_analytic_rate() {
    let (j1, j3, l, spin) = (0.02, 0.03, 0.2, 200.0);
    // Steady precession of a horizontal axle: W = m g l / (J3 w3) exactly, at 90 degrees.
    let rate = G * l / (j3 * spin);
    for (integrator, stabilization, tolerance) in
        [("gauss", "none", 1e-9), ("semi-implicit", "shake", 2e-2)]
    {
        // The first-order scheme starts with half a step of nutation.
        let mut builder = ModelBuilder::new(Dimension::Three);
        let disc = BodyInit::new(&Solid::sphere(0.1).unwrap())
            .inertia(Mat3::from_diagonal(Vec3::new(j3, j1, j1)))
            .at(Vec3::X * l)
            .spin(Vec3::new(spin, 0.0, rate))
            .velocity(Vec3::Y * (rate * l));
        let disc = builder.add(disc).unwrap();
        builder.joint(JointInit::spherical(None, disc)).unwrap();
        let settings = Settings {
            step: 0.001,
            integrator: integrator.into(),
            stabilization: stabilization.into(),
            ..Settings::default()
        };
        let mut sim = simulator(builder, settings);
        let time = 1.0;
        run(&mut sim, time);
        let x = sim.state.q[0].position;
        let turned = x.y.atan2(x.x);
        let off = (turned / (rate * time) - 1.0).abs();
        assert!(off < tolerance, "{integrator}: {turned} against {}: {off:e}", rate * time);
        assert!(x.z.abs() < tolerance * l, "{integrator}: sank to {}", x.z);
    }
}

/// A box spun about its middle axis for a minute (S9): energy to 1e-11 with the smooth integrator.
#[test]
fn tumbling_box_keeps_its_energy() {
    let mut builder = ModelBuilder::new(Dimension::Three);
    builder.gravity(Vec3::ZERO);
    let solid = Solid::cuboid(Vec3::new(1.0, 2.0, 3.0)).unwrap();
    let body = BodyInit::new(&solid).mass(6.0).spin(Vec3::new(0.01, 5.0, 0.01));
    builder.add(body).unwrap();
    let settings = Settings { integrator: "gauss".into(), ..Settings::default() };
    let mut sim = simulator(builder, settings);
    let energy = sim.state.energy(&sim.model);
    let momentum = sim.state.momentum(&sim.model).1;
    run(&mut sim, 60.0);
    let off = (sim.state.energy(&sim.model) / energy - 1.0).abs();
    let turned = (sim.state.momentum(&sim.model).1 - momentum).length() / momentum.length();
    assert!(off < 1e-11 && turned < 1e-11, "{off:e} {turned:e}");
}

/// A slider-crank: a body of prescribed rotation drives a rod that pushes a slider. The slider is
/// where the triangle of crank and rod says: `x = r cos + sqrt(l² - r² sin²)`.
#[test]
fn kinematic_crank_drives_a_slider() {
    let (r, l, w) = (0.3, 1.0, 4.0);
    for stabilization in ["shake", "post-step"] {
        let mut builder = ModelBuilder::new(Dimension::Two);
        let part = |x: f64| BodyInit::new(&Solid::disc(0.05).unwrap()).at(Vec3::X * x);
        let crank = builder.add(part(0.0).kinematic().spin(Vec3::Z * w)).unwrap();
        let rod = builder.add(part(r + 0.5 * l)).unwrap();
        let slider = builder.add(part(r + l)).unwrap();
        builder.joint(JointInit::revolute(crank, rod).at(Vec3::X * r)).unwrap();
        builder.joint(JointInit::revolute(rod, slider).at(Vec3::X * (r + l))).unwrap();
        builder.joint(JointInit::prismatic(None, slider).along(Vec3::X)).unwrap();
        let settings = Settings { stabilization: stabilization.into(), ..Settings::default() };
        let mut sim = simulator(builder, settings);
        for _ in 0..300 {
            let error = sim.step().unwrap().joint_error;
            assert!(error < 1e-9, "{stabilization}: {error:e}");
            let angle = w * sim.state.time;
            let expected = r * angle.cos() + (l * l - (r * angle.sin()).powi(2)).sqrt();
            let x = sim.state.pose(slider).position.x;
            assert!((x - expected).abs() < 1e-9, "{stabilization}: {x} {expected}");
        }
    }
}

/// Friction in every free direction of every kind: a body that moves along one of them alone
/// slows at `f / m` or `f / J` and stops after `v / a`.
#[test]
fn friction_decays_in_every_direction_of_every_kind() {
    use stickslip::JointKind::{Cylindrical, Planar, Prismatic, Revolute, Spherical, Universal};
    let (mass, inertia, friction, h) = (2.0, 0.4, 0.3, 0.01);
    for kind in [Revolute, Prismatic, Cylindrical, Planar, Spherical, Universal] {
        let make = || {
            let mut builder = ModelBuilder::new(Dimension::Three);
            builder.gravity(Vec3::ZERO);
            let body = BodyInit::new(&Solid::sphere(0.1).unwrap()).mass(mass);
            let body = body.inertia(Mat3::from_diagonal(Vec3::splat(inertia)));
            let body = builder.add(body).unwrap();
            let joint = JointInit::new(kind, None, body).along(Vec3::Z).second(Vec3::X);
            builder.joint(joint.friction(friction)).unwrap();
            simulator(builder, Settings::default())
        };
        let sim = make();
        let id = JointId::new(0);
        let directions: Vec<(bool, Vec3)> = sim
            .model
            .joint_coordinates(&sim.state, id)
            .iter()
            .map(|row| (row.force != Vec3::ZERO, row.force + row.torque))
            .collect();
        for (k, (slides, axis)) in directions.into_iter().enumerate() {
            let mut sim = make();
            let axis = axis.normalize();
            let twist = &mut sim.state.nu[0];
            *(if slides { &mut twist.linear } else { &mut twist.angular }) = axis * 0.5;
            let slowing = friction / if slides { mass } else { inertia };
            for step in 1..=400 {
                sim.step().unwrap();
                let expected = (0.5 - slowing * h * f64::from(step)).max(0.0);
                let v = sim.model.joint_velocity(&sim.state, id)[k];
                let off = (v - expected).abs();
                assert!(off < 1e-9, "{kind:?} {k}, step {step}: {v} {expected}");
            }
        }
    }
}

/// The damping of a joint acts beside a motor that keeps a velocity: too weak for it, it ends where
/// damping takes all its force.
#[test]
fn a_velocity_motor_leaves_the_damping_of_its_joint() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let mut sim = wheel(dimension, 0.0, |j| j.velocity_motor(5.0, 7.0).damping(2.0));
        run(&mut sim, 10.0);
        let w = sim.state.nu[0].angular.z;
        assert!((w - 3.5).abs() < 1e-9, "{dimension:?}: {w}");
    }
}

/// Velocity motors keep to the largest speed of their joint.
#[test]
fn a_velocity_motor_keeps_to_the_speed_limit() {
    let fast = |j: JointInit| JointInit { max_velocity: Some(2.0), ..j.velocity_motor(5.0, 70.0) };
    let mut sim = wheel(Dimension::Three, 0.0, fast);
    run(&mut sim, 1.0);
    let w = sim.state.nu[0].angular.z;
    assert!((w - 2.0).abs() < 1e-12, "{w}");
}

/// An arm about a level axle, driven at a constant speed: the torque is `m g l cos(q)` at every
/// instant, and the pendulum at its end moves with more than first order.
#[test]
fn velocity_motors_keep_the_order() {
    let arm = |step: f64, max_force: f64| {
        let mut builder = ModelBuilder::new(Dimension::Three);
        let solid = Solid::cuboid(Vec3::new(0.4, 0.05, 0.05)).unwrap();
        let one = builder.add(BodyInit::new(&solid).at(Vec3::X * 0.2)).unwrap();
        let two = builder.add(BodyInit::new(&solid).at(Vec3::X * 0.6)).unwrap();
        let motor = JointInit::revolute(None, one).along(Vec3::Y);
        let motor = builder.joint(motor.velocity_motor(3.0, max_force)).unwrap();
        let hinge = JointInit::revolute(one, two).along(Vec3::Y).at(Vec3::X * 0.4);
        builder.joint(hinge).unwrap();
        let mut sim = simulator(builder, Settings { step, ..Settings::default() });
        // The first step is a jerk; after it the same time is left for all.
        (sim.state.nu[0].angular, sim.state.nu[0].linear) =
            (Vec3::Y * 3.0, Vec3::new(0.0, 0.0, -0.6));
        (sim.state.nu[1].angular, sim.state.nu[1].linear) =
            (Vec3::Y * 3.0, Vec3::new(0.0, 0.0, -1.8));
        run(&mut sim, 1.0);
        (sim, motor)
    };
    for max_force in [f64::INFINITY, 1e3] {
        let [a, b, exact] = [0.02, 0.01, 0.001].map(|h| arm(h, max_force).0.state.q[1].position);
        let (coarse, fine) = ((a - exact).length(), (b - exact).length());
        assert!(fine < 1e-9 && fine <= coarse, "{max_force}: {coarse:e} {fine:e}");
    }
    // The torque, by momentum: what the motor gives is what the weights and the second arm take.
    let (sim, motor) = arm(0.01, f64::INFINITY);
    let data = sim.pipeline.last.data.as_ref().unwrap();
    let found = stickslip::dynamics::reactions(&sim.model, &sim.settings, data, &sim.state);
    let rate = |sim: &Simulator| {
        let spin = |k: usize| {
            let (x, nu, body) = (sim.state.q[k].position, sim.state.nu[k], &sim.model.bodies()[k]);
            (x.cross(nu.linear) * body.mass).y + body.inertia.y_axis.y * nu.angular.y
        };
        spin(0) + spin(1)
    };
    let later = |h: f64| {
        let (model, state) = (sim.model.clone(), sim.state.clone());
        let settings = Settings { step: h, ..sim.settings.clone() };
        let mut sim = Simulator::new(model, state, settings).unwrap();
        sim.step().unwrap();
        rate(&sim)
    };
    let h = 1e-4;
    // second order, from the present on
    let slope = (4.0 * later(h) - later(2.0 * h) - 3.0 * rate(&sim)) / (2.0 * h);
    let weight: f64 = (0..2).map(|k| G * sim.state.q[k].position.x).sum();
    let torque = found[motor.index()].motor;
    assert!(
        (slope - torque - weight).abs() < 1e-5 * torque.abs().max(1.0),
        "{slope} {torque} {weight}"
    );
}

/// A start outside the limits is refused, and one that is set later is told.
#[test]
fn a_start_outside_the_limits_is_refused() {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let ball = builder.add(BodyInit::new(&Solid::sphere(0.1).unwrap()).at(Vec3::X)).unwrap();
    for bad in [
        JointInit::revolute(None, ball).limits(1.0, 2.0),
        JointInit::prismatic(None, ball).limits(-1.0, 1.0).starting(-1.5),
        JointInit::distance(None, ball).limits(2.0, 3.0),
    ] {
        let error = builder.joint(bad).unwrap_err().to_string();
        assert!(error.contains("outside its limits"), "{error}");
    }
    builder.joint(JointInit::revolute(None, ball).limits(1.0, 2.0).starting(1.5)).unwrap();
    let (model, mut state) = builder.build();
    let system = stickslip::control::JointSystem::new(&model).unwrap();
    assert!(system.write(&model, &mut state, (&[2.0], &[0.0])).is_ok());
    assert_eq!(system.beyond_limits(&model, &state), None);
    system.write(&model, &mut state, (&[2.5], &[0.0])).unwrap();
    let error = system.beyond_limits(&model, &state).unwrap().to_string();
    assert!(error.contains("outside its limits 1 to 2"), "{error}");
}

/// Inverse dynamics overcomes damping and friction of the joint.
#[test]
fn inverse_dynamics_knows_damping_and_friction() {
    let sim = wheel(Dimension::Three, 3.0, |j| j.damping(0.5).friction(0.25));
    let wanted = [(JointId::new(0), 2.0)];
    let inverse = stickslip::dynamics::acceleration::inverse_dynamics;
    let torque = inverse(&sim.model, &sim.state, &wanted)[0];
    assert!((torque - (2.0 * INERTIA + 1.5 + 0.25)).abs() < 1e-12, "{torque}");
}
