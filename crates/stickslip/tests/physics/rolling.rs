//! Rolling and torsional friction.

use std::f64::consts::FRAC_PI_2;

use stickslip::{
    BodyInit, Dimension, Settings, Simulator,
    formulate::FormulateError,
    geometry::{Quat, Solid, Vec3},
    settings::{Friction, ProblemForm},
    step::SetupError,
};

use super::scene::{G, ground, leaning_gravity, run, settings, simulate, up};

/// rho \[m\].
const RHO: f64 = 2e-3;
/// Radius \[m\].
const R: f64 = 0.05;

/// A ball, a disc in the plane and a smooth cylinder on its side, that roll along x; `J / (m r²)`.
fn rollers() -> [(Dimension, BodyInit, f64); 3] {
    let ball = BodyInit::new(&Solid::sphere(R).unwrap());
    let disc = BodyInit::new(&Solid::disc(R).unwrap());
    let cylinder = BodyInit::new(&Solid::cylinder(R, 0.1, 0).unwrap());
    let lying = Quat::from_rotation_x(FRAC_PI_2);
    [
        (Dimension::Three, ball, 0.4),
        (Dimension::Two, disc, 0.5),
        (Dimension::Three, cylinder.turned(lying), 0.5),
    ]
    .map(|(d, body, ratio)| (d, body.at(up(d) * R).mass(0.7).rolling_friction(RHO), ratio))
}

/// The body rolls at `v` along x without slip.
fn rolling(dimension: Dimension, body: BodyInit, v: f64) -> BodyInit {
    let spin = up(dimension).cross(Vec3::X) * (v / R);
    body.velocity(Vec3::X * v).spin(spin)
}

/// What rolls at `v` loses the power `rho N v / r` of an energy `(1 + J / m r²) m v² / 2`: it slows down by
/// `a = rho g / (r (1 + J / m r²))`, stops after `v² / 2a`, and stays there.
#[test]
fn what_rolls_stops_where_the_energy_says() {
    let (v, h) = (0.3, 0.01);
    for (dimension, body, ratio) in rollers() {
        for friction in [Friction::Linear, Friction::Quadratic] {
            let a = RHO * G / (R * (1.0 + ratio));
            let bodies = vec![ground(dimension), rolling(dimension, body.clone(), v)];
            let settings = Settings { friction, ..settings(h) };
            let mut sim = simulate(dimension, -up(dimension) * G, bodies, settings);
            run(&mut sim, 0.5);
            let speed = sim.state.nu[1].linear.x;
            assert!((speed - (v - 0.5 * a)).abs() < 1e-9, "{dimension:?}: {speed}");
            run(&mut sim, v / a + 0.5);
            // of the scheme: h (n v - a h n (n + 1) / 2) with n whole steps before the last
            let n = (v / (a * h)).floor();
            let scheme = h * (n * v - a * h * n * (n + 1.0) / 2.0);
            let x = sim.state.q[1].position.x;
            assert!((x - scheme).abs() < 1e-8, "{dimension:?}: {x} against {scheme}");
            assert!((x - v * v / (2.0 * a)).abs() < v * h, "{dimension:?}: {x}");
            assert!(sim.state.nu[1].linear.length() < 1e-10, "{dimension:?}");
        }
    }
}

/// On a slope it starts to roll at `tan a = rho / r`, and above that goes as the energy says.
#[test]
fn rolling_starts_at_the_critical_angle() {
    let critical = (RHO / R).atan();
    for (dimension, body, ratio) in rollers() {
        for (part, starts) in [(0.99, false), (1.01, true)] {
            let angle = part * critical;
            let bodies = vec![ground(dimension), body.clone()];
            let gravity = leaning_gravity(dimension, angle);
            let mut sim = simulate(dimension, gravity, bodies, settings(0.01));
            run(&mut sim, 2.0);
            let v = sim.state.nu[1].linear.x;
            let a = G * (angle.sin() - angle.cos() * RHO / R) / (1.0 + ratio);
            let expected = if starts { 2.0 * a } else { 0.0 };
            assert!((v - expected).abs() < 1e-9, "{dimension:?}, {part}: {v}, not {expected}");
        }
    }
}

/// What spins about the normal loses `sigma g m / J` of its angular velocity each second, whether it
/// touches in one point or along a face, and then stands still.
#[test]
fn torsional_friction_stops_a_spin_in_time() {
    let (sigma, omega) = (1e-3, 2.0);
    let cases = [
        ("ball", Solid::sphere(R).unwrap(), R, 0.4 * R * R, 1e-9),
        (
            "box",
            Solid::cuboid(Vec3::new(0.2, 0.1, 0.06)).unwrap(),
            0.03,
            (0.04 + 0.01) / 12.0,
            1e-9,
        ),
        ("cylinder", Solid::cylinder(R, 0.06, 0).unwrap(), 0.03, 0.5 * R * R, 1e-9),
    ];
    for (name, solid, height, inertia, tolerance) in cases {
        // without Coulomb friction, which stops the spin of a face as well
        let body = BodyInit::new(&solid).at(Vec3::Z * height).friction(0.0);
        let body = body.torsional_friction(sigma).spin(Vec3::Z * omega);
        let bodies = vec![ground(Dimension::Three), body];
        let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, settings(0.01));
        let (rate, time) = (sigma * G / inertia, omega * inertia / (sigma * G));
        let steps = (0.5 * time / 0.01).round();
        run(&mut sim, 0.01 * steps);
        let left = sim.state.nu[1].angular.z;
        let expected = omega - rate * 0.01 * steps;
        assert!((left - expected).abs() < tolerance, "{name}: {left} against {expected}");
        run(&mut sim, 0.01 * (time / 0.01).ceil() + 0.02);
        assert!(sim.state.nu[1].angular.length() < 1e-10, "{name}");
    }
}

/// In a groove the load of a contact depends on the torque at the other. The bound is the normal impulse of the
/// same step, up to coefficients that are near the radius.
#[test]
fn torques_are_bounded_by_the_normal_impulse_of_the_step() {
    for rho in [1e-4, 1e-3, 1e-2, 2e-2] {
        // the sides lean by 45 degrees and are shifted against each other along the groove
        let side = |y: f64| {
            let solid = Solid::half_space(Vec3::new(0.1 * y, y, 1.0).normalize()).unwrap();
            BodyInit::new(&solid).friction(0.8)
        };
        let ball = BodyInit::new(&Solid::sphere(R).unwrap());
        let ball = ball.at(Vec3::Z * (R * 2.01_f64.sqrt())).friction(0.8);
        let ball = ball.rolling_friction(rho).torsional_friction(0.5 * rho);
        let ball = ball.velocity(Vec3::X * 0.5).spin(Vec3::new(3.0, 9.0, 2.0));
        let gravity = -Vec3::Z * G;
        let settings = Settings { friction: Friction::Quadratic, ..settings(1e-3) };
        let mut sim =
            simulate(Dimension::Three, gravity, vec![side(1.0), side(-1.0), ball], settings);
        let (mut last, mut slides, mut most) = (energy(&sim), 0, 0);
        for step in 0..400 {
            let report = sim.step().unwrap();
            assert_eq!(report.solves.failures, 0, "rho = {rho}, step {step}: {:?}", report.solves);
            most = most.max(report.solves.count);
            let data = sim.pipeline.last.data.as_ref().unwrap();
            for force in &data.motion.forces {
                let normal = data.motion.contacts[force.contact].normal;
                let spin = force.torque.dot(normal);
                let roll = (force.torque - normal * spin).length();
                // 1e-6 m/s times the mass is what a solve may leave
                let slack = 1.1e-6 * rho;
                assert!(
                    roll <= rho * force.normal + slack,
                    "rho = {rho}: {roll}, {}",
                    force.normal
                );
                assert!(spin.abs() <= 0.5 * rho * force.normal + slack, "rho = {rho}: {spin}");
                slides += usize::from(roll >= rho * force.normal - slack && force.normal > 0.0);
            }
            let now = energy(&sim);
            assert!(now <= last + 1e-9, "rho = {rho}, step {step}: {last} to {now}");
            last = now;
        }
        assert!(slides > 10, "rho = {rho}: {slides}");
        println!("rho = {rho}: {most} solves in a step at the most");
    }
}

fn energy(sim: &Simulator) -> f64 {
    sim.state.energy(&sim.model)
}

/// Bodies that tumble to rest never gain energy, and stop sooner than without.
#[test]
fn tumbling_bodies_lose_energy_in_every_step() {
    let solids = [
        Solid::sphere(R).unwrap(),
        Solid::cylinder(R, 0.1, 0).unwrap(),
        Solid::cuboid(Vec3::new(0.1, 0.07, 0.05)).unwrap(),
        Solid::capsule(0.03, 0.1).unwrap(),
    ];
    for (k, solid) in solids.iter().enumerate() {
        let body = BodyInit::new(solid).at(Vec3::Z * 0.12).velocity(Vec3::new(0.8, 0.3, 0.0));
        let body = body.spin(Vec3::new(3.0, -5.0, 8.0)).turned(super::scene::odd_rotation());
        let body = body.rolling_friction(RHO).torsional_friction(RHO);
        let gravity = -Vec3::Z * G;
        let bodies = vec![ground(Dimension::Three), body];
        let mut sim = simulate(Dimension::Three, gravity, bodies, settings(2e-3));
        let mut last = energy(&sim);
        for step in 0..2000 {
            let report = sim.step().unwrap();
            assert_eq!(report.solves.failures, 0, "{k}, step {step}");
            let now = energy(&sim);
            assert!(now <= last + 1e-7, "{k}, step {step}: {last} to {now}");
            last = now;
        }
        assert!(sim.state.nu[1].linear.length() < 1e-6, "{k}: {:?}", sim.state.nu[1]);
    }
}

/// Torques act on both bodies: the angular momentum of two that collide and spin on each other stays.
#[test]
fn torques_are_equal_and_opposite() {
    let ball = |x: f64| {
        // friction acts at two points a gap apart, and turns the two by that
        let ball = BodyInit::new(&Solid::sphere(R).unwrap()).at(Vec3::X * x).friction(0.0);
        ball.rolling_friction(0.01).torsional_friction(0.02).velocity(Vec3::X * (-8.0 * x))
    };
    let bodies = vec![ball(-0.06).spin(Vec3::new(9.0, 4.0, -2.0)), ball(0.06)];
    let mut sim = simulate(Dimension::Three, Vec3::ZERO, bodies, settings(0.005));
    let inertia = 0.4 * R * R;
    let momentum = |sim: &Simulator| {
        let of = |k: usize| {
            let (q, nu) = (&sim.state.q[k], &sim.state.nu[k]);
            q.position.cross(nu.linear) + nu.angular * inertia
        };
        of(0) + of(1)
    };
    let (start, spin) = (momentum(&sim), sim.state.nu[0].angular - sim.state.nu[1].angular);
    run(&mut sim, 0.1);
    let end = sim.state.nu[0].angular - sim.state.nu[1].angular;
    assert!((momentum(&sim) - start).length() < 1e-12);
    assert!(end.x.abs() < 0.9 * spin.x, "{spin} to {end}");
}

/// Formulations and solvers that know contacts agree; the others say that they cannot.
#[test]
fn formulations_and_solvers_agree_or_refuse() {
    let with = |settings: Settings, part: f64| {
        let (dimension, body, _) = rollers()[0].clone();
        let mut builder = stickslip::ModelBuilder::new(dimension);
        builder.gravity(-Vec3::Z * G);
        builder.add(ground(dimension)).unwrap();
        let body = rolling(dimension, body, 0.3).rolling_friction(part * RHO);
        builder.add(body.torsional_friction(part * 1e-3)).unwrap();
        let (model, state) = builder.build();
        Simulator::new(model, state, settings)
    };
    let build = |settings: Settings| with(settings, 1.0);
    // a ball that rolls freely
    let does_friction = |settings: &Settings| {
        with(settings.clone(), 0.0).is_ok_and(|mut sim| {
            (0..3).all(|_| sim.step().is_ok_and(|report| report.solves.failures == 0))
        })
    };
    let speed = 0.3 - RHO * G / (1.4 * R) * 0.5;
    let check = |settings: Settings, tolerance: f64| {
        let name = format!("{} {} {:?}", settings.formulation, settings.solver, settings.friction);
        let mut sim = build(settings).unwrap_or_else(|e| panic!("{name}: {e}"));
        run(&mut sim, 0.5);
        let v = sim.state.nu[1].linear.x;
        assert!((v - speed).abs() < tolerance, "{name}: {v} against {speed}");
    };
    let plain = settings(0.01);
    for formulation in
        ["separation", "stewart-trinkle", "stewart-trinkle-every", "anitescu-potra", "corrective"]
    {
        // these two let a ball in by a part of h² g
        let tolerance = if formulation == "corrective" { 1e-3 } else { 1e-7 };
        check(Settings { formulation: formulation.into(), ..plain.clone() }, tolerance);
    }
    // `enumerate` is for tiny problems
    let names = stickslip::solve::registry::names().into_iter();
    for name in names.filter(|name| *name != "enumerate") {
        for friction in [Friction::Linear, Friction::Quadratic] {
            let settings = Settings { solver: name.into(), friction, ..plain.clone() };
            // splitting methods stop at their own tolerance
            if does_friction(&settings) {
                check(settings, 1e-5);
            }
        }
    }
    for formulation in ["peg", "peg-whole", "lnc", "penalty", "convex", "no-slip", "particle"] {
        let refused = build(Settings { formulation: formulation.into(), ..plain.clone() });
        let Err(SetupError::Formulate(FormulateError::Unsupported { what, .. })) = refused else {
            panic!("{formulation} took a scene that it cannot do");
        };
        assert!(what.contains("rolling or torsional friction"), "{what}");
    }
    let full = build(Settings { problem_form: ProblemForm::Full, ..plain });
    assert!(matches!(full.err(), Some(SetupError::Formulate(FormulateError::Unsupported { .. }))));
}
