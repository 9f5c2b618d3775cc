//! Bodies at rest stay where they are, with the forces that hold them, until something happens.

use stickslip::{
    BodyId, BodyInit, Dimension, Settings, Simulator,
    geometry::{Quat, Solid, Vec3},
    state::Wrench,
};

use super::scene::{G, cube, run, simulate};

fn settings(step: f64) -> Settings {
    Settings { step, ..Settings::default() }
}

/// Five cubes on each other, on a fixed slab, after a second.
fn stack() -> Simulator {
    let slab = BodyInit::new(&Solid::cuboid(Vec3::new(8.0, 8.0, 1.0)).unwrap());
    let mut bodies = vec![slab.fixed().named("slab").at(-0.5 * Vec3::Z)];
    bodies.extend((0..5).map(|k| cube(1.0).mass(2.0).at(Vec3::Z * (k as f64 + 0.5))));
    let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, settings(0.01));
    run(&mut sim, 1.0);
    sim
}

/// Upward impulse of all contacts of a body in the last step \[N s\].
fn lift(sim: &Simulator, id: BodyId) -> f64 {
    let motion = &sim.pipeline.last.data.as_ref().unwrap().motion;
    let pushes = motion.forces.iter().map(|f| {
        let c = &motion.contacts[f.contact];
        let push = (c.normal * f.normal + f.friction).z;
        if c.b.body == id {
            push
        } else if c.a.body == id {
            -push
        } else {
            0.0
        }
    });
    pushes.sum()
}

#[test]
fn resting_bodies_keep_every_bit_and_carry_their_weight() {
    let mut sim = stack();
    let q = sim.state.q.clone();
    for _ in 0..300 {
        let report = sim.step().unwrap();
        assert_eq!(report.solves.count, 0, "step {}", report.step);
        assert_eq!(report.constraints.unilateral, 20);
        assert_eq!(sim.state.q, q);
        for k in 1..=5 {
            let id = BodyId::new(k);
            assert_eq!(sim.state.twist(id).linear, Vec3::ZERO);
            let (found, weight) = (lift(&sim, id), 2.0 * G * 0.01);
            assert!((found - weight).abs() < 1e-8 * weight, "body {k}: {found} {weight}");
        }
    }
}

/// What follows is what follows without sleep.
#[test]
fn what_happens_to_resting_bodies_wakes_them() {
    type Happening = (&'static str, fn(&mut Simulator));
    let happenings: [Happening; 4] = [
        ("a force", |sim| {
            sim.state.applied[1] = Wrench { force: Vec3::X * 100.0, torque: Vec3::ZERO };
        }),
        ("a velocity", |sim| sim.state.nu[5].linear = Vec3::new(1.5, 0.2, 0.0)),
        ("a jump", |sim| sim.state.q[5].position += Vec3::new(0.0, 0.7, 0.01)),
        ("a support that is taken away", |sim| sim.state.q[0].position.z -= 3.0),
    ];
    for (what, happens) in happenings {
        let (mut slept, mut awake) = (stack(), stack());
        awake.settings.sleep = false;
        awake.step().unwrap();
        slept.step().unwrap();
        for sim in [&mut slept, &mut awake] {
            happens(sim);
        }
        let before = slept.state.q.clone();
        for k in 0..30 {
            for sim in [&mut slept, &mut awake] {
                sim.step().unwrap();
            }
            for (a, b) in slept.state.q.iter().zip(&awake.state.q) {
                let off = (a.position - b.position).length();
                assert!(off < 1e-7, "{what}, step {k}: {} {}", a.position, b.position);
            }
        }
        assert_ne!(slept.state.q, before, "{what}");
    }
}

/// A stack that is touched is solved from the forces that held it, and not as if it had just been put there, whether
/// another body was solved for since or not.
#[test]
fn who_wakes_goes_on_from_the_forces_that_held_it() {
    let slab = BodyInit::new(&Solid::cuboid(Vec3::new(40.0, 8.0, 1.0)).unwrap());
    for speed in [0.0, 3.0] {
        let mut bodies = vec![slab.clone().fixed().at(-0.5 * Vec3::Z)];
        bodies.extend((0..10).map(|k| cube(1.0).at(Vec3::Z * (k as f64 + 0.5))));
        let slides = cube(1.0).friction(0.0).velocity(Vec3::X * speed);
        bodies.push(slides.at(Vec3::new(-18.0, 0.0, 0.5)));
        let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, settings(0.01));
        run(&mut sim, 1.0);
        let before = sim.step().unwrap().solves;
        assert_eq!(sim.state.nu[10].linear, Vec3::ZERO);
        assert_eq!(before.count, usize::from(speed > 0.0));
        sim.state.applied[10] = Wrench { force: Vec3::X * 0.1, torque: Vec3::ZERO };
        let after = sim.step().unwrap().solves;
        assert!(after.count > 0 && after.iterations <= 2, "{speed}: {before:?} {after:?}");
    }
}

/// A pile whose bodies rest stays a pile: what still moves is solved as it is where nothing may sleep. Near pairs that
/// rest once did not count, and the last box that moved was solved to the last digit, in three solves a step.
#[test]
fn what_moves_does_not_see_who_rests() {
    let ends = [true, false].map(|sleep| {
        let slab = BodyInit::new(&Solid::cuboid(Vec3::new(40.0, 40.0, 1.0)).unwrap());
        let mut bodies = vec![slab.fixed().at(-0.5 * Vec3::Z)];
        let place = |k: usize| Vec3::new(2.0 * (k % 5) as f64, 2.0 * (k / 5) as f64, 0.5);
        bodies.extend((0..24).map(|k| cube(1.0).at(place(k))));
        // falls for 0.4 s
        let falls = cube(1.0).turned(Quat::from_scaled_axis(Vec3::new(0.3, 0.2, 0.1)));
        bodies.push(falls.at(Vec3::new(-6.0, 0.0, 1.6)).velocity(Vec3::X));
        let mut sim =
            simulate(Dimension::Three, -Vec3::Z * G, bodies, Settings { sleep, ..settings(0.01) });
        run(&mut sim, 0.9);
        assert!(!sleep || sim.state.nu[3] == Default::default());
        sim.state.q[25].position
    });
    let off = (ends[0] - ends[1]).length();
    assert!(off < 1e-9, "{ends:?}");
}

/// A block falls onto a stack that rests, and leaves the one beside it asleep.
#[test]
fn only_the_island_that_is_hit_wakes() {
    let slab = BodyInit::new(&Solid::cuboid(Vec3::new(20.0, 8.0, 1.0)).unwrap());
    let mut bodies = vec![slab.fixed().at(-0.5 * Vec3::Z)];
    bodies.extend((0..2).map(|k| cube(1.0).at(Vec3::new(6.0 * k as f64 - 3.0, 0.0, 0.5))));
    // falls for 0.78 s
    bodies.push(cube(1.0).at(Vec3::new(-3.0, 0.3, 4.5)));
    let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, settings(0.01));
    run(&mut sim, 0.75);
    let q = sim.state.q.clone();
    assert_eq!(sim.state.nu[1].linear, Vec3::ZERO);
    run(&mut sim, 1.0);
    assert_ne!(sim.state.q[1], q[1], "it was hit");
    assert_eq!(sim.state.q[2], q[2], "it was not");
    run(&mut sim, 3.0);
    for k in 1..4 {
        assert_eq!(sim.state.nu[k].linear, Vec3::ZERO, "all rest again");
    }
}

/// A block that stands on its edge, out of balance by 1e-7 rad, seems to rest: it gains
/// `1e-7 g / 1.9 h` = 5e-9 m/s in a step. It falls when it should.
#[test]
fn a_block_that_is_hardly_out_of_balance_falls() {
    let fall = |sleep: bool| {
        let slab = BodyInit::new(&Solid::rectangle(8.0, 1.0).unwrap());
        // The corner is below the centre at 45 degrees.
        let angle = std::f64::consts::FRAC_PI_4 + 1e-7;
        let block = BodyInit::new(&Solid::rectangle(1.0, 1.0).unwrap()).angle(angle);
        let at = Vec3::Y * (0.5_f64.sqrt() * (1e-7_f64).cos());
        let bodies = vec![slab.fixed().at(-0.5 * Vec3::Y), block.at(at)];
        let settings = Settings { sleep, ..settings(0.01) };
        let mut sim = simulate(Dimension::Two, -Vec3::Y * G, bodies, settings);
        while sim.state.q[1].position.y > 0.6 && sim.state.time < 20.0 {
            sim.step().unwrap();
        }
        sim.state.time
    };
    let (slept, awake) = (fall(true), fall(false));
    assert!(slept < 10.0, "{slept} s");
    assert_eq!(slept, awake);
}

/// What is taken up again in the middle of a rest goes on with the same bits, forces included.
#[test]
fn a_rest_is_resumed_bit_for_bit() {
    let mut sim = stack();
    let memory = sim.pipeline.memory();
    let mut again = stack();
    again.pipeline.formulation = stickslip::formulate::make("separation").unwrap();
    again.pipeline.recall(&memory).unwrap();
    assert_eq!(again.pipeline.memory(), memory);
    for step in 0..20 {
        if step == 10 {
            sim.state.nu[3].linear.x = 1.0;
            again.state.nu[3].linear.x = 1.0;
        }
        for s in [&mut sim, &mut again] {
            s.step().unwrap();
        }
        let motion = |s: &Simulator| s.pipeline.last.data.as_ref().unwrap().motion.clone();
        assert_eq!(motion(&sim), motion(&again));
        assert_eq!(sim.state, again.state);
    }
}

/// Nothing holds a body that drifts, however slowly.
#[test]
fn a_slow_drift_without_forces_goes_on() {
    let bodies = vec![
        cube(1.0).velocity(Vec3::X * 1e-13),
        cube(1.0).at(Vec3::X * 1.000_000_1),
        cube(1.0).fixed().at(-Vec3::Z * 1.000_000_1),
    ];
    let mut sim = simulate(Dimension::Three, Vec3::ZERO, bodies, settings(0.01));
    run(&mut sim, 2.0);
    let x = sim.state.q[0].position.x;
    assert!((x - 2e-13).abs() < 1e-18, "{x}");
}
