//! Closed loops, chains, and what they cost.

use stickslip::{
    BodyId, BodyInit, Dimension, JointInit, ModelBuilder, Settings, Simulator,
    geometry::{Mat3, Quat, Solid, Vec3},
};

use super::scene::{G, bob, run, simulator};

fn with(name: &str) -> Settings {
    Settings { stabilization: name.into(), ..Settings::default() }
}

/// A four-bar linkage in the x-z plane: three bars and the ground, hinges about y. In 3D its
/// hinges repeat constraints.
fn four_bar(dimension: Dimension, settings: Settings) -> Simulator {
    let mut builder = ModelBuilder::new(dimension);
    let (up, axis) = match dimension {
        Dimension::Two => (Vec3::Y, Vec3::Z),
        Dimension::Three => (Vec3::Z, Vec3::Y),
    };
    let points = [Vec3::ZERO, up, Vec3::X * 2.0 + up * 1.5, Vec3::X * 2.0];
    let mut bars = Vec::new();
    for k in 0..3 {
        let (from, to) = (points[k], points[k + 1]);
        let (length, middle) = ((to - from).length(), 0.5 * (from + to));
        let along = (to - from) / length;
        let solid = match dimension {
            Dimension::Two => Solid::rectangle(length, 0.1),
            Dimension::Three => Solid::cuboid(Vec3::new(length, 0.1, 0.1)),
        };
        let body = BodyInit::new(&solid.unwrap())
            .at(middle)
            .turned(Quat::from_rotation_arc(Vec3::X, along))
            .angle(along.y.atan2(along.x));
        bars.push(builder.add(BodyInit { ..body }).unwrap());
    }
    let ends = [(None, Some(bars[0])), (Some(bars[0]), Some(bars[1]))];
    let more = [(Some(bars[1]), Some(bars[2])), (Some(bars[2]), None)];
    for (k, (a, b)) in ends.into_iter().chain(more).enumerate() {
        builder.joint(JointInit::revolute(a, b).at(points[k]).along(axis)).unwrap();
    }
    for k in 0..3 {
        for j in 0..k {
            builder.ignore(bars[k], bars[j]);
        }
    }
    simulator(builder, settings)
}

/// The loop stays closed for 20 s with every method that closes it, in both dimensions; the
/// smooth integrator keeps the energy as well.
#[test]
fn four_bar_stays_closed() {
    for dimension in [Dimension::Two, Dimension::Three] {
        for name in ["post-step", "shake"] {
            let error = run(&mut four_bar(dimension, with(name)), 20.0);
            assert!(error < 1e-11, "{dimension:?} {name}: {error:e}");
        }
        let gauss = Settings { integrator: "gauss".into(), ..Settings::default() };
        let mut sim = four_bar(dimension, gauss);
        let energy = sim.state.energy(&sim.model);
        let error = run(&mut sim, 20.0);
        let off = (sim.state.energy(&sim.model) - energy).abs() / G;
        assert!(error < 1e-12, "{dimension:?}: {error:e}");
        assert!(off < 1e-8, "{dimension:?}: energy off by {off:e}");
    }
}

/// A Stewart platform: six legs, each a ball joint below, a slider and a ball joint above, hold a
/// plate. Locked sliders (by motors) hold it still; then the whole hangs together for 20 s.
fn stewart(settings: Settings) -> Simulator {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let plate = Solid::cylinder(0.5, 0.1, 12).unwrap();
    let plate = BodyInit::new(&plate).named("plate").mass(5.0).at(Vec3::Z * 1.5);
    let plate = builder.add(plate).unwrap();
    let around =
        |radius: f64, turn: f64, z: f64| Vec3::new(radius * turn.cos(), radius * turn.sin(), z);
    for leg in 0..6 {
        let pair = f64::from(leg / 2) * std::f64::consts::TAU / 3.0;
        let side = if leg % 2 == 0 { -1.0 } else { 1.0 };
        let foot = around(1.0, pair + side * 0.2, 0.0);
        let head = around(0.5, pair + side * 0.8, 1.5);
        let along = (head - foot).normalize();
        let part = |at: Vec3| {
            BodyInit::new(&Solid::sphere(0.05).unwrap())
                .mass(0.5)
                .inertia(Mat3::from_diagonal(Vec3::splat(0.02)))
                .at(at)
        };
        let lower = builder.add(part(foot + (head - foot) * 0.3)).unwrap();
        let upper = builder.add(part(foot + (head - foot) * 0.7)).unwrap();
        builder
            .joint(
                JointInit::new(stickslip::JointKind::Universal, None, lower)
                    .at(foot)
                    .along(Vec3::X)
                    .second(Vec3::Y),
            )
            .unwrap();
        let slide = JointInit::prismatic(lower, upper).at(foot).along(along);
        builder.joint(slide.position_motor(0.0, 400.0, 5.0)).unwrap();
        builder.joint(JointInit::spherical(upper, plate).at(head)).unwrap();
        builder.ignore(lower, plate);
    }
    simulator(builder, settings)
}

/// Loop error below 1e-9 over 20 s, pushed off its place at the start; it comes to rest where the
/// springs carry the weight.
#[test]
fn stewart_platform_stays_closed() {
    for name in ["post-step", "shake"] {
        let mut sim = stewart(with(name));
        sim.state.nu[0].linear = Vec3::new(0.5, 0.2, 0.0);
        stickslip::stabilize::project(&sim.model, &mut sim.state).unwrap();
        let error = run(&mut sim, 20.0);
        assert!(error < 1e-9, "{name}: {error:e}");
        let speed = sim.state.nu.iter().fold(0.0_f64, |m, t| m.max(t.linear.length()));
        assert!(speed < 1e-3, "{name}: still moving at {speed}");
    }
}

/// A chain of `n` links of length 0.1 from the origin along x.
fn chain(n: usize, masses: impl Fn(usize) -> f64, settings: Settings) -> Simulator {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let mut last = None;
    for k in 0..n {
        let mass = masses(k);
        let link = bob(&format!("link-{k}"), Vec3::X * (0.1 * k as f64 + 0.05))
            .mass(mass)
            .inertia(Mat3::from_diagonal(Vec3::splat(mass * 0.01 / 12.0)));
        let link = BodyInit { body: stickslip::Body { collides: false, ..link.body }, ..link };
        let link = builder.add(link).unwrap();
        let at = Vec3::X * (0.1 * k as f64);
        builder.joint(JointInit::spherical(last, link).at(at)).unwrap();
        last = Some(link);
    }
    simulator(builder, settings)
}

/// Thirty links swing for 10 s: joints closed, and no energy comes from nowhere.
#[test]
fn chain_of_thirty_links_swings() {
    let mut sim = chain(30, |_| 0.1, with("post-step"));
    let start = sim.state.energy(&sim.model);
    let mut error = 0.0_f64;
    let drop = 30.0 * 0.1 * G * 1.5;
    for _ in 0..1000 {
        error = error.max(sim.step().unwrap().joint_error);
        let gain = (sim.state.energy(&sim.model) - start) / drop;
        assert!(gain < 1e-3, "step {}: {gain}", sim.state.step);
    }
    assert!(error < 1e-9, "{error:e}");
    // It has come most of the way down.
    assert!(sim.state.energy(&sim.model) - start < -0.2 * drop);
}

/// The smooth integrator carries the same chain through its first swing without loss.
#[test]
fn smooth_chain_keeps_its_energy() {
    let gauss = Settings { integrator: "gauss".into(), step: 0.005, ..Settings::default() };
    let mut sim = chain(30, |_| 0.1, gauss);
    let start = sim.state.energy(&sim.model);
    let error = run(&mut sim, 0.5);
    let off = (sim.state.energy(&sim.model) - start).abs() / (30.0 * 0.1 * G * 1.5);
    assert!(error < 1e-12 && off < 1e-9, "{error:e} {off:e}");
}

/// A load of 10^4 times the mass of the links that carry it, at any place of the chain: the joints
/// hold, the energy does not grow, and a heavy end falls as the pendulum it is.
#[test]
fn heavy_load_on_a_light_chain() {
    for name in ["post-step", "shake"] {
        for place in [0, 5, 9] {
            let mut sim = chain(10, |k| if k == place { 1000.0 } else { 0.1 }, with(name));
            let start = sim.state.energy(&sim.model);
            for _ in 0..300 {
                let error = sim.step().unwrap().joint_error;
                assert!(error < 1e-9, "{name} {place}: {error:e}");
                let gain = (sim.state.energy(&sim.model) - start) / (1000.0 * G);
                // The band of the scheme is h v / 2 of height at the speed v < 1 m/s.
                assert!(gain < 0.005, "{name} {place}: {gain}");
            }
        }
        let mut sim = chain(10, |k| if k == 9 { 1000.0 } else { 0.1 }, with(name));
        run(&mut sim, 0.3);
        // A point at 0.95 m on a string, released horizontal, by small explicit steps.
        let (mut angle, mut rate) = (0.0_f64, 0.0);
        for _ in 0..30000 {
            rate += 1e-5 * G / 0.95 * angle.cos();
            angle += 1e-5 * rate;
        }
        let x = sim.state.q[9].position;
        let found = (-x.z).atan2(x.x);
        assert!((found / angle - 1.0).abs() < 0.05, "{name}: {found} {angle}");
    }
}

/// The factorisation of a chain stores numbers in proportion to its links.
#[test]
fn cost_of_a_chain_is_linear() {
    let stored = |n: usize| {
        let sim = chain(n, |_| 1.0, Settings::default());
        let mass = stickslip::dynamics::MassMatrix::new(&sim.model, &sim.state);
        let rows = stickslip::dynamics::JointRows::keeping(&sim.model, &sim.state);
        rows.tree(&sim.model, &mass).unwrap().n_stored()
    };
    let (a, b, c) = (stored(50), stored(100), stored(500));
    assert_eq!(b, 2 * a);
    assert_eq!(c, 10 * a);
}

/// Two hinges of one door, a second fixed joint where one would do: repeated constraints do no
/// harm.
#[test]
fn repeated_constraints_do_no_harm() {
    let end = |twice: bool| {
        let mut builder = ModelBuilder::new(Dimension::Three);
        builder.gravity(Vec3::new(1.0, 2.0, -9.0));
        let door = Solid::cuboid(Vec3::new(1.0, 0.05, 2.0)).unwrap();
        let door = builder.add(BodyInit::new(&door).at(Vec3::X * 0.5)).unwrap();
        let hinge = |z: f64| JointInit::revolute(None, door).at(Vec3::Z * z);
        builder.joint(hinge(0.8)).unwrap();
        if twice {
            builder.joint(hinge(-0.8)).unwrap();
        }
        let settings = Settings { integrator: "semi-implicit".into(), ..with("shake") };
        let mut sim = simulator(builder, settings);
        let error = run(&mut sim, 2.0);
        assert!(error < 1e-12, "{twice}: {error:e}");
        sim.state.pose(BodyId::new(0)).position
    };
    assert!((end(true) - end(false)).length() < 1e-9);
}

/// The parallelogram of unit bars (S5b), released 60 degrees from upright: it passes through the
/// position where all bars lie on one line.
fn parallelogram(settings: Settings) -> Simulator {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let tilt = 60f64.to_radians();
    let d = Vec3::new(tilt.sin(), 0.0, tilt.cos());
    let turned = Quat::from_rotation_y(tilt - std::f64::consts::FRAC_PI_2);
    let bar = |at: Vec3, turn: Quat| {
        let solid = Solid::cuboid(Vec3::new(1.0, 0.04, 0.04)).unwrap();
        let mut bar = BodyInit::new(&solid).at(at).turned(turn);
        bar.body.inertia = Mat3::from_diagonal(Vec3::new(0.001, 1.0 / 12.0, 1.0 / 12.0));
        bar.body.collides = false;
        bar
    };
    let a = builder.add(bar(d * 0.5, turned)).unwrap();
    let b = builder.add(bar(d + Vec3::X * 0.5, Quat::IDENTITY)).unwrap();
    let c = builder.add(bar(Vec3::X + d * 0.5, turned)).unwrap();
    let hinge = |a: Option<BodyId>, b: BodyId, at| JointInit::revolute(a, b).at(at).along(Vec3::Y);
    builder.joint(hinge(None, a, Vec3::ZERO)).unwrap();
    builder.joint(hinge(Some(a), b, d)).unwrap();
    builder.joint(hinge(Some(b), c, d + Vec3::X)).unwrap();
    builder.joint(hinge(None, c, Vec3::X)).unwrap();
    simulator(builder, settings)
}

/// Through all these positions the smooth integrator keeps loop and energy for 20 s, and `shake`
/// keeps the loop, its energy in a band.
#[test]
fn parallelogram_passes_its_dependent_positions() {
    let run_with = |integrator: &str, stabilization: &str| {
        let (integrator, stabilization) = (integrator.into(), stabilization.into());
        let mut sim = parallelogram(Settings { integrator, stabilization, ..Settings::default() });
        let start = sim.state.energy(&sim.model);
        let (mut error, mut off, mut turns) = (0.0_f64, 0.0_f64, 0);
        let mut side = 1.0;
        for _ in 0..2000 {
            error = error.max(sim.step().unwrap().joint_error);
            off = off.max((sim.state.energy(&sim.model) - start).abs() / (3.0 * G));
            let height = sim.state.q[0].position.z;
            if height * side < 0.0 {
                (turns, side) = (turns + 1, -side);
            }
        }
        assert!(turns > 20, "{turns}");
        (error, off)
    };
    let (error, off) = run_with("gauss", "none");
    assert!(error < 1e-10 && off < 1e-6, "{error:e} {off:e}");
    let (error, off) = run_with("semi-implicit", "shake");
    assert!(error < 1e-10 && off < 0.05, "{error:e} {off:e}");
}
