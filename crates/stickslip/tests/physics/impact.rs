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
