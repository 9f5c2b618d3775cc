//! Formulations that trade a piece of the contact law for something else: what they promise, and
//! the known price.

#![allow(clippy::unwrap_used)]

use stickslip::{
    BodyInit, Dimension, ModelBuilder, Settings, Simulator,
    geometry::{Solid, Vec3},
    settings::Friction,
};

const G: f64 = 9.81;
const DIMENSIONS: [Dimension; 2] = [Dimension::Two, Dimension::Three];

fn up(dimension: Dimension) -> Vec3 {
    if dimension == Dimension::Two { Vec3::Y } else { Vec3::Z }
}

/// Gravity on a slope of that angle, downhill along x.
fn slope(dimension: Dimension, angle: f64) -> Vec3 {
    Vec3::X * (G * angle.sin()) - up(dimension) * (G * angle.cos())
}

fn scene(dimension: Dimension, gravity: Vec3, body: BodyInit, settings: Settings) -> Simulator {
    let mut builder = ModelBuilder::new(dimension);
    builder.gravity(gravity);
    let ground = match dimension {
        Dimension::Two => Solid::half_plane(Vec3::Y),
        Dimension::Three => Solid::half_space(Vec3::Z),
    };
    let mu = body.body.material.friction;
    builder.add(BodyInit::new(&ground.unwrap()).friction(mu)).unwrap();
    builder.add(body).unwrap();
    let (model, state) = builder.build();
    Simulator::new(model, state, settings).unwrap()
}

fn settings(formulation: &str) -> Settings {
    Settings { formulation: formulation.into(), ..Settings::default() }
}

/// A box of edge 1 m with its lower face on the ground.
fn block(dimension: Dimension) -> BodyInit {
    let solid = match dimension {
        Dimension::Two => Solid::rectangle(1.0, 0.2),
        Dimension::Three => Solid::cuboid(Vec3::new(1.0, 1.0, 0.2)),
    };
    BodyInit::new(&solid.unwrap()).at(up(dimension) * 0.1)
}

fn run(sim: &mut Simulator, steps: usize) {
    for _ in 0..steps {
        let report = sim.step().unwrap();
        assert_eq!(report.solves.failures, 0, "{:?}", report.solves);
    }
}

/// The artefact of the relaxation: while it slides with speed v, a block floats by `h mu v`; it is
/// braked by `mu g` all the same, and comes down as it comes to rest.
#[test]
fn convex_floats_by_h_mu_v_while_it_slides() {
    for dimension in DIMENSIONS {
        let (mu, h) = (0.3, 0.01);
        let body = block(dimension).friction(mu).velocity(Vec3::X * 3.0);
        let body = body.at(up(dimension) * (0.1 + h * mu * 3.0));
        let mut sim = scene(dimension, up(dimension) * -G, body, settings("convex"));
        let mut last = 3.0;
        for k in 1..=50 {
            run(&mut sim, 1);
            let (x, v) = (sim.state.q[1].position, sim.state.nu[1].linear.x);
            let (gap, floats) = (x.dot(up(dimension)) - 0.1, h * mu * v);
            assert!((gap - floats).abs() < 1e-9, "{dimension:?} step {k}: {gap} {floats}");
            // In the first steps the block takes up the rate at which it sinks.
            let braked = (last - v) / h;
            assert!(k < 10 || (braked - mu * G).abs() < 1e-6, "{dimension:?} step {k}: {braked}");
            last = v;
        }
        run(&mut sim, 100);
        assert!(sim.state.nu[1].linear.length() < 1e-9, "stops");
        assert!((sim.state.q[1].position.dot(up(dimension)) - 0.1).abs() < 1e-9);
    }
}

/// Set down flat at speed v, the block is thrown up with `mu v`, as the true law never would.
#[test]
fn convex_throws_up_what_begins_to_slide() {
    let body = block(Dimension::Two).friction(0.3).velocity(Vec3::X * 3.0);
    let mut sim = scene(Dimension::Two, Vec3::ZERO, body, settings("convex"));
    run(&mut sim, 1);
    let v = sim.state.nu[1].linear;
    assert!((v.y - 0.3 * v.x).abs() < 1e-9 && v.y > 0.8, "{v}");
}

/// At rest nothing slides and the relaxation is exact: below the cone's angle a block stays.
#[test]
fn convex_is_exact_where_nothing_slides() {
    for dimension in DIMENSIONS {
        let body = block(dimension).friction(0.5);
        let gravity = slope(dimension, 0.5_f64.atan() - 0.01);
        let mut sim = scene(dimension, gravity, body, settings("convex"));
        run(&mut sim, 200);
        assert!(sim.state.q[1].position.x.abs() < 1e-9, "{}", sim.state.q[1].position);
    }
}

/// With the true cone friction opposes the slip: a block pushed askew runs straight.
#[test]
fn convex_with_the_true_cone_brakes_along_the_slip() {
    let along = Vec3::new(0.8, 0.6, 0.0);
    let body = block(Dimension::Three).friction(0.3).velocity(along * 3.0);
    let s = Settings { friction: Friction::Quadratic, ..settings("convex") };
    let mut sim = scene(Dimension::Three, Vec3::Z * -G, body, s);
    run(&mut sim, 60);
    let x = sim.state.q[1].position;
    let aside = (x - along * x.dot(along)).with_z(0.0).length();
    assert!(aside < 1e-5, "{aside}");
}

/// Restitution: a ball leaves with half its speed.
#[test]
fn convex_rebounds_by_newton() {
    let ball = BodyInit::new(&Solid::sphere(0.5).unwrap()).restitution(0.5).friction(0.3);
    let ball = ball.at(Vec3::Z * 0.5).velocity(Vec3::Z * -4.0);
    let mut sim = scene(Dimension::Three, Vec3::ZERO, ball, settings("convex"));
    run(&mut sim, 1);
    assert!((sim.state.nu[1].linear.z - 2.0).abs() < 1e-9, "{}", sim.state.nu[1].linear);
}

/// A block without friction holds on a slope of 40 degrees: contact alone keeps it from slipping.
#[test]
fn no_slip_sticks_for_any_friction() {
    for dimension in DIMENSIONS {
        for mu in [0.0, 0.01, 1.0] {
            let body = block(dimension).friction(mu);
            let gravity = slope(dimension, 0.7);
            let mut sim = scene(dimension, gravity, body, settings("no-slip"));
            run(&mut sim, 200);
            let x = sim.state.q[1].position;
            assert!((x - up(dimension) * 0.1).length() < 1e-9, "{dimension:?} {mu}: {x}");
        }
    }
}

/// A ball rolls without slipping: `a = g sin(angle) / (1 + 2/5)`, and `v = omega r`.
#[test]
fn no_slip_rolls() {
    let ball = BodyInit::new(&Solid::sphere(0.5).unwrap()).friction(0.0).at(Vec3::Z * 0.5);
    let mut sim = scene(Dimension::Three, slope(Dimension::Three, 0.3), ball, settings("no-slip"));
    run(&mut sim, 100);
    let nu = sim.state.nu[1];
    let wanted = G * 0.3_f64.sin() / 1.4;
    assert!((nu.linear.x - wanted).abs() < 1e-6, "{} {wanted}", nu.linear.x);
    assert!((nu.linear.x - 0.5 * nu.angular.y).abs() < 1e-9);
}

/// A particle slides like a block where a ball would roll: `g (sin - mu cos)`, and it never turns.
#[test]
fn particles_slide_and_do_not_turn() {
    for dimension in DIMENSIONS {
        let solid = match dimension {
            Dimension::Two => Solid::disc(0.5),
            Dimension::Three => Solid::sphere(0.5),
        };
        let ball = BodyInit::new(&solid.unwrap()).friction(0.2).at(up(dimension) * 0.5);
        let mut sim = scene(dimension, slope(dimension, 0.4), ball, settings("particle"));
        run(&mut sim, 100);
        let nu = sim.state.nu[1];
        let wanted = G * (0.4_f64.sin() - 0.2 * 0.4_f64.cos());
        assert!((nu.linear.x - wanted).abs() < 1e-9, "{dimension:?}: {} {wanted}", nu.linear.x);
        assert_eq!(nu.angular, Vec3::ZERO);
    }
}
