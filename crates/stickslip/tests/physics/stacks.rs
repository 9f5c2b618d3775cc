//! Bodies on bodies.

use stickslip::{
    BodyInit, Dimension, ModelBuilder, Settings, Simulator,
    geometry::{Solid, Vec3},
    settings::{Friction, ProblemForm},
};

use super::scene::{G, cube, ground, run, settings, simulate, square, up};

fn stack(dimension: Dimension, n: usize, friction: f64) -> Vec<stickslip::BodyInit> {
    let mut bodies = vec![ground(dimension).friction(friction)];
    bodies.extend((0..n).map(|i| {
        let body = if dimension == Dimension::Two { square(1.0) } else { cube(1.0) };
        body.friction(friction).at(up(dimension) * (i as f64 + 0.5))
    }));
    bodies
}

/// Ten aligned cubes stand for ten seconds without creeping, with and without friction.
#[test]
fn ten_aligned_cubes_stand_still() {
    for dimension in [Dimension::Two, Dimension::Three] {
        for friction in [0.0, 0.5] {
            let some = Settings { friction_directions: 4, ..settings(0.01) };
            let bodies = stack(dimension, 10, friction);
            let mut sim = simulate(dimension, -up(dimension) * G, bodies, some);
            let start = sim.state.clone();
            run(&mut sim, 10.0);
            for (after, before) in sim.state.q.iter().zip(&start.q) {
                let drift = (after.position - before.position).length();
                assert!(drift < 1e-10, "{dimension:?}, mu = {friction}: drifted {drift:e} m");
            }
        }
    }
}

/// The condensed LCP and the full mixed LCP are the same physics: equal motion of a stack that is
/// pushed over.
#[test]
fn both_forms_of_the_problem_agree() {
    let velocities = [ProblemForm::Condensed, ProblemForm::Full].map(|problem_form| {
        let mut bodies = stack(Dimension::Three, 3, 0.4);
        bodies[3] = bodies[3].clone().velocity(Vec3::new(0.3, 0.1, 0.0));
        let form = Settings { problem_form, friction_directions: 4, ..settings(0.01) };
        let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, form);
        run(&mut sim, 0.2);
        sim.state.nu.clone()
    });
    for (a, b) in velocities[0].iter().zip(&velocities[1]) {
        assert!((a.linear - b.linear).length() < 1e-8, "{a:?} against {b:?}");
        assert!((a.angular - b.angular).length() < 1e-8, "{a:?} against {b:?}");
    }
}

/// An unlucky body is left out by `ignore`, a pair's own friction wins over the bodies'.
#[test]
fn ignored_pairs_pass_and_pairs_have_their_own_friction() {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let floor = builder.add(ground(Dimension::Three).friction(0.5)).unwrap();
    let ghost = builder.add(cube(1.0).named("ghost").at(Vec3::new(5.0, 0.0, 0.5))).unwrap();
    let slick = builder.add(cube(1.0).named("slick").at(Vec3::Z * 0.5).velocity(Vec3::X)).unwrap();
    builder.ignore(ghost, floor);
    let none = stickslip::model::PairOverride { friction: Some(0.0), ..Default::default() };
    builder.pair(slick, floor, none);
    let (model, state) = builder.build();
    let mut sim = Simulator::new(model, state, settings(0.01)).unwrap();
    run(&mut sim, 1.0);
    assert!((sim.state.pose(ghost).position.z - (0.5 - 0.5 * G * 1.01)).abs() < 1e-10);
    assert!((sim.state.twist(slick).linear - Vec3::X).length() < 1e-12);
}

/// `friction = "none"` makes every surface slick.
#[test]
fn friction_can_be_switched_off() {
    let mut bodies = stack(Dimension::Three, 1, 0.8);
    bodies[1] = bodies[1].clone().velocity(Vec3::X);
    let off = Settings { friction: Friction::None, ..settings(0.01) };
    let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, off);
    run(&mut sim, 1.0);
    assert!((sim.state.nu[1].linear - Vec3::X).length() < 1e-12);
}

/// Forty dominoes, of which the first falls: no step gains energy beyond what solves of a pile leave. The last one to
/// come down on the others once did so in a step that undid an overlap, kept the speed that it came with, and gained
/// 0.03 of 13 J.
#[test]
fn falling_dominoes_gain_no_energy() {
    for spin in [6.0, 7.0] {
        let domino = Solid::cuboid(Vec3::new(0.02, 0.1, 0.2)).unwrap();
        let place = |k: usize| Vec3::new(0.08 * k as f64, 0.0, 0.1);
        let mut bodies: Vec<_> = (0..40).map(|k| BodyInit::new(&domino).at(place(k))).collect();
        bodies[0] = bodies[0].clone().spin(Vec3::Y * spin);
        bodies.insert(0, ground(Dimension::Three));
        let settings = Settings { threads: 1, ..Settings::default() };
        let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, settings);
        let mut before = sim.state.energy(&sim.model);
        for step in 0..300 {
            sim.step().unwrap();
            let energy = sim.state.energy(&sim.model);
            assert!(energy - before < 1e-4, "spin {spin}, step {step}: {} J", energy - before);
            before = energy;
        }
    }
}
