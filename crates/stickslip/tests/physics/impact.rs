//! Impacts: momentum, restitution.

use stickslip::{
    BodyInit, Dimension, Settings,
    geometry::{Solid, Vec3},
    settings::Impact,
};

use super::scene::{G, cube, ground, run, settings, simulate, square, up};

/// Five cubes in a row, the first runs into the rest and all stick together: the common speed is
/// `m1 v / sum m`, exact, and no momentum is lost on the way. In both dimensions.
#[test]
fn inelastic_cubes_end_with_a_common_speed() {
    let masses = [1.5, 1.0, 0.25, 0.12, 0.8];
    for dimension in [Dimension::Two, Dimension::Three] {
        let bodies = masses.iter().enumerate().map(|(i, &m)| {
            let body = if dimension == Dimension::Two { square(1.0) } else { cube(1.0) };
            let speed = if i == 0 { 2.0 } else { 0.0 };
            body.mass(m).friction(0.0).at(Vec3::X * (1.5 * i as f64)).velocity(Vec3::X * speed)
        });
        let mut sim = simulate(dimension, Vec3::ZERO, bodies.collect(), settings(0.01));
        for _ in 0..400 {
            let report = sim.step().unwrap();
            assert_eq!(report.solves.failures, 0);
            let p = sim.state.momentum(&sim.model).0;
            assert!((p - Vec3::X * 3.0).length() < 3e-12, "{dimension:?}: momentum {p}");
        }
        let common = 1.5 * 2.0 / masses.iter().sum::<f64>();
        for (nu, pose) in sim.state.nu.iter().zip(&sim.state.q) {
            assert!((nu.linear - Vec3::X * common).length() < 1e-12, "{dimension:?}: {nu:?}");
            assert!(nu.angular.length() < 1e-11 && pose.position.y.abs() < 1e-11);
        }
    }
}

/// A ball dropped from H comes back to e² H, up to the O(h) of the scheme; Newton and Poisson
/// agree for a single contact.
#[test]
fn ball_bounces_to_e_squared() {
    let (height, e, h) = (1.0, 0.7, 2e-4);
    for impact in [Impact::Newton, Impact::Poisson] {
        for dimension in [Dimension::Two, Dimension::Three] {
            let solid = match dimension {
                Dimension::Two => Solid::disc(0.1),
                Dimension::Three => Solid::sphere(0.1),
            };
            let ball =
                BodyInit::new(&solid.unwrap()).at(up(dimension) * (height + 0.1)).restitution(e);
            let law = Settings { impact, ..settings(h) };
            let bodies = vec![ground(dimension), ball];
            let mut sim = simulate(dimension, -up(dimension) * G, bodies, law);
            let fall = (2.0 * height / G).sqrt();
            run(&mut sim, fall + 0.01);
            let mut top = 0.0_f64;
            for _ in 0..(e * fall / h) as usize + 100 {
                sim.step().unwrap();
                top = top.max(sim.state.q[1].position.dot(up(dimension)) - 0.1);
            }
            let speed = (2.0 * G * height).sqrt();
            assert!(
                (top - e * e * height).abs() < 4.0 * speed * h,
                "{impact:?}, {dimension:?}: came back to {top}, not {}",
                e * e * height
            );
        }
    }
}

/// Two equal balls, head on, e = 1: they exchange velocities.
#[test]
fn elastic_balls_exchange_velocities() {
    for impact in [Impact::Newton, Impact::Poisson] {
        let ball = |x: f64, v: f64| {
            BodyInit::new(&Solid::sphere(0.5).unwrap())
                .at(Vec3::X * x)
                .velocity(Vec3::X * v)
                .restitution(1.0)
                .friction(0.0)
        };
        let law = Settings { impact, ..settings(0.01) };
        let bodies = vec![ball(-1.0, 1.0), ball(1.0, -0.5)];
        let mut sim = simulate(Dimension::Three, Vec3::ZERO, bodies, law);
        run(&mut sim, 2.0);
        let v: Vec<f64> = sim.state.nu.iter().map(|nu| nu.linear.x).collect();
        assert!((v[0] + 0.5).abs() < 1e-12 && (v[1] - 1.0).abs() < 1e-12, "{impact:?}: {v:?}");
    }
}

/// A body that rests does not start to hop because it is elastic.
#[test]
fn elastic_box_at_rest_stays_at_rest() {
    let bodies = vec![
        ground(Dimension::Three),
        super::scene::resting_box(Dimension::Three, 1.0).restitution(0.9),
    ];
    let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, settings(0.01));
    run(&mut sim, 2.0);
    assert!((sim.state.q[1].position.z - 0.5).abs() < 1e-12);
}

/// Bodies that overlap at the start are moved apart, and the speed of that does not stay with them:
/// neither with a ball deep in the floor nor with two boxes in each other. The centre of mass of a
/// free pair stays where it is.
#[test]
fn overlaps_are_undone_without_a_throw() {
    for formulation in ["separation", "stewart-trinkle", "peg", "lnc", "convex"] {
        let settings = || Settings { formulation: formulation.into(), ..settings(0.01) };
        let ball = || BodyInit::new(&Solid::sphere(0.5).unwrap());
        let bodies = vec![ground(Dimension::Three), ball().at(Vec3::Z * 0.4)];
        let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, settings());
        for step in 0..100 {
            sim.step().unwrap();
            let (z, v) = (sim.state.q[1].position.z, sim.state.nu[1].linear.z);
            assert!(
                v <= G * 0.01 + 1e-9 && z < 0.51,
                "{formulation}, step {step}: {v} m/s at {z} m"
            );
        }
        let z = sim.state.q[1].position.z;
        assert!((z - 0.5).abs() < 1e-3, "{formulation}: {z}");

        let pair = vec![cube(1.0).mass(1.0), cube(1.0).mass(3.0).at(Vec3::X * 0.9)];
        let mut sim = simulate(Dimension::Three, Vec3::ZERO, pair, settings());
        run(&mut sim, 0.5);
        let speed = sim.state.nu.iter().map(|nu| nu.linear.length()).fold(0.0, f64::max);
        let center = (sim.state.q[0].position + sim.state.q[1].position * 3.0) / 4.0;
        assert!(speed < 1e-6, "{formulation}: {speed} m/s");
        assert!((center - Vec3::X * 0.675).length() < 1e-9, "{formulation}: {center}");
        let apart = stickslip::oracle::measure(&sim.model, &sim.state).depth;
        assert!(apart < 1e-6, "{formulation}: {apart} m left");
    }
}

/// The corrective method undoes a depth within a step, and its speed `depth / h` stays: h is the whole step, also
/// where a bullet elsewhere cuts it into parts.
#[test]
fn a_part_of_a_step_undoes_overlaps_no_faster() {
    let (h, depth) = (0.01, 1e-3);
    for formulation in ["corrective", "stewart-trinkle-every"] {
        let plate = BodyInit::new(&Solid::cuboid(Vec3::new(1e-3, 1.0, 1.0)).unwrap()).fixed();
        let bodies = vec![
            ground(Dimension::Three),
            BodyInit::new(&Solid::sphere(0.5).unwrap()).at(Vec3::Z * (0.5 - depth)),
            plate.at(Vec3::new(3.0, 0.0, 9.0)),
            cube(0.01).at(Vec3::new(1.0, 0.0, 9.0)).velocity(Vec3::X * 1000.0),
        ];
        let settings = Settings { formulation: formulation.into(), ..settings(h) };
        let mut sim = simulate(Dimension::Three, Vec3::ZERO, bodies, settings);
        let report = sim.step().unwrap();
        let speed = sim.state.nu[1].linear.z;
        assert!(report.substeps > 0, "{formulation}: the step is not cut");
        assert!(speed > 0.0 && speed <= depth / h * (1.0 + 1e-9), "{formulation}: {speed} m/s");
    }
}

/// With restitution 1 neither law of impact gives a ball more than it had: of forty bounces none
/// goes higher than the drop, up to the `g h v / 2` by which the scheme's energy sways.
#[test]
fn elastic_bounces_gain_nothing() {
    let (h, height) = (0.01, 1.0);
    for impact in [Impact::Newton, Impact::Poisson] {
        let ball = BodyInit::new(&Solid::sphere(0.1).unwrap()).restitution(1.0);
        let bodies = vec![ground(Dimension::Three), ball.at(Vec3::Z * (height + 0.1))];
        let law = Settings { impact, ..settings(h) };
        let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, law);
        let mut top = 0.0_f64;
        run(&mut sim, 1.0);
        for _ in 0..4000 {
            sim.step().unwrap();
            top = top.max(sim.state.q[1].position.z - 0.1);
        }
        let sway = 0.5 * h * (2.0 * G * height).sqrt();
        assert!(top <= height + sway, "{impact:?}: {top}");
    }
}
