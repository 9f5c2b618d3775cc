//! The error falls with the step as the scheme promises.

use stickslip::{
    Dimension,
    geometry::{Solid, Vec3},
};

use super::scene::{G, ground, leaning_gravity, resting_box, run, settings, simulate, square, up};

/// Slope of log error against log h over successive halvings.
fn slope(steps: &[f64], errors: &[f64]) -> f64 {
    let n = steps.len() - 1;
    (errors[0] / errors[n]).ln() / (steps[0] / steps[n]).ln()
}

const STEPS: [f64; 4] = [0.02, 0.01, 0.005, 0.0025];

/// A projectile: first order.
#[test]
fn projectile_converges_at_first_order() {
    let errors = STEPS.map(|h| {
        let body = square(1.0).velocity(Vec3::new(1.0, 4.0, 0.0));
        let mut sim = simulate(Dimension::Two, -Vec3::Y * G, vec![body], settings(h));
        run(&mut sim, 1.0);
        (sim.state.q[0].position - Vec3::new(1.0, 4.0 - 0.5 * G, 0.0)).length()
    });
    let slope = slope(&STEPS, &errors);
    assert!((0.95..1.05).contains(&slope), "slope {slope}, errors {errors:?}");
}

/// A block sliding down a slope with friction: first order.
#[test]
fn sliding_block_converges_at_first_order() {
    let (mu, angle) = (0.2, 0.5_f64);
    let a = G * (angle.sin() - mu * angle.cos());
    let errors = STEPS.map(|h| {
        let bodies = vec![
            ground(Dimension::Three).friction(mu),
            resting_box(Dimension::Three, 0.5).friction(mu),
        ];
        let gravity = leaning_gravity(Dimension::Three, angle);
        let mut sim = simulate(Dimension::Three, gravity, bodies, settings(h));
        run(&mut sim, 1.0);
        (sim.state.q[1].position.x - 0.5 * a).abs()
    });
    let slope = slope(&STEPS, &errors);
    assert!((0.95..1.05).contains(&slope), "slope {slope}, errors {errors:?}");
}

/// A tumbling box: the rotation is of second order once the start is consistent, so its error
/// falls at least with the first power, and the fine run is the reference.
#[test]
fn tumbling_box_converges() {
    let solid = Solid::cuboid(Vec3::new(1.0, 2.0, 3.0)).unwrap();
    let end = |h: f64| {
        let body = stickslip::BodyInit::new(&solid).spin(Vec3::new(1.0, 2.0, 0.5));
        let mut sim = simulate(Dimension::Three, Vec3::ZERO, vec![body], settings(h));
        run(&mut sim, 1.0);
        sim.state.q[0].orientation
    };
    let fine = end(1e-4);
    let errors = STEPS.map(|h| fine.angle_between(end(h)));
    let slope = slope(&STEPS, &errors);
    assert!(slope > 0.95, "slope {slope}, errors {errors:?}");
}

/// A box that tips over the edge of a table, driven by contact alone: first order against a fine
/// run, up to the moment it leaves.
#[test]
fn tipping_box_converges_at_first_order() {
    let end = |h: f64| {
        let table = stickslip::BodyInit::new(&Solid::rectangle(4.0, 1.0).unwrap())
            .fixed()
            .friction(1.0)
            .at(Vec3::new(-2.0, -0.5, 0.0));
        let tipping = square(1.0).friction(1.0).at(Vec3::new(0.1, 0.5, 0.0));
        let mut sim =
            simulate(Dimension::Two, -up(Dimension::Two) * G, vec![table, tipping], settings(h));
        run(&mut sim, 0.4);
        sim.state.angle[1]
    };
    let fine = end(1e-4);
    assert!(fine < -0.05, "the box should tip, its angle is {fine}");
    let errors = STEPS.map(|h| (end(h) - fine).abs());
    let slope = slope(&STEPS, &errors);
    assert!((0.7..1.4).contains(&slope), "slope {slope}, errors {errors:?}");
}
