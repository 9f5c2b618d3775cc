//! Stacks.

use stickslip::{BodyInit, Dimension, geometry::Vec3};

use super::scene::{EXACT, G, Met, Wrong, cube, run, settings, simulate, square, up};

/// How far a staggered stack of ten at rest drifts.
pub fn staggered(formulation: &str, dimension: Dimension, h: f64, time: f64) -> (f64, Met) {
    let shifts = [0.03, -0.07, 0.09, -0.02, 0.06, -0.09, 0.01, 0.08, -0.05, 0.04];
    let flat = dimension == Dimension::Two;
    let mut bodies: Vec<BodyInit> = Vec::new();
    for (i, &x) in shifts.iter().enumerate() {
        let body = if flat { square(1.0) } else { cube(1.0) };
        let y = if flat { 0.0 } else { shifts[9 - i] };
        let body = body.at(Vec3::new(x, y, 0.0) + up(dimension) * i as f64);
        bodies.push(if i == 0 { body.fixed() } else { body });
    }
    let mut sim = simulate(dimension, -up(dimension) * G, bodies, settings(formulation, h));
    let start = sim.state.clone();
    let met = run(&mut sim, time, 0);
    let pairs = sim.state.q.iter().zip(&start.q);
    (pairs.fold(0.0_f64, |m, (a, b)| m.max(a.position.distance(b.position))), met)
}

/// The thesis's stack (5.2.2), dropped from 0.25 m apart: how far it is in the end from where it
/// should have come to rest.
pub fn dropped(formulation: &str, h: f64) -> (f64, Met) {
    let shifts = [0.0, -0.07, 0.09, -0.02, 0.06, -0.09, 0.01, 0.08, -0.05, 0.04];
    let bodies = shifts.iter().enumerate().map(|(i, &x)| {
        let body = square(1.0).at(Vec3::new(x, 1.25 * i as f64, 0.0));
        if i == 0 { body.fixed() } else { body }
    });
    let gravity = -Vec3::Y * G;
    let mut sim = simulate(Dimension::Two, gravity, bodies.collect(), settings(formulation, h));
    let met = run(&mut sim, 3.0, 10);
    let mut off = 0.0_f64;
    for (i, x) in shifts.iter().enumerate() {
        off = off.max(sim.state.q[i].position.distance(Vec3::new(*x, i as f64, 0.0)));
    }
    (off, met)
}

/// Ten boxes, each shifted against the one below, stand still without friction.
#[test]
fn staggered_stack_stands_without_friction() {
    let mut wrong = Wrong::default();
    for formulation in EXACT {
        for (dimension, h, time) in [
            (Dimension::Two, 0.005, 5.0),
            (Dimension::Two, 0.02, 60.0),
            (Dimension::Three, 0.005, 1.0),
            (Dimension::Three, 0.02, 60.0),
        ] {
            let (drift, met) = staggered(formulation, dimension, h, time);
            println!("{formulation}, {dimension:?}, h {h}, {time} s: {drift:.1e} m");
            wrong.check(drift < 1e-9 && met.failures == 0 && met.fallbacks == 0, || {
                format!("{formulation}, {dimension:?}, h {h}: drifted {drift:e}, {met:?}")
            });
        }
    }
    wrong.none();
}

/// A dropped stack comes to rest where it should, and stays.
#[test]
fn dropped_stack_comes_to_rest() {
    let mut wrong = Wrong::default();
    for formulation in EXACT {
        for h in [0.005, 0.02] {
            let (off, met) = dropped(formulation, h);
            wrong.check(off < 1e-9 && met.depth < 1e-9 && met.failures == 0, || {
                format!("{formulation}, h {h}: off by {off:e}, {met:?}")
            });
        }
    }
    wrong.none();
}
