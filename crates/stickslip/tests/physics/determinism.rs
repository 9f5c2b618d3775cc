//! Same input, same bits.

use stickslip::{
    BodyInit, Dimension, Settings, Simulator,
    geometry::{Solid, Vec3},
};

use super::scene::{G, cube, ground, odd_rotation, settings, simulate};

fn pile(threads: usize) -> Simulator {
    let mut bodies = vec![ground(Dimension::Three)];
    for i in 0..27 {
        let (x, y, z) = (i % 3, (i / 3) % 3, i / 9);
        let at = Vec3::new(0.9 * x as f64, 0.9 * y as f64, 0.6 + 0.95 * z as f64);
        let body = match i % 3 {
            0 => cube(0.6).turned(odd_rotation()),
            1 => BodyInit::new(&Solid::sphere(0.35).unwrap()),
            _ => BodyInit::new(&Solid::octahedron(0.6).unwrap()),
        };
        bodies.push(body.at(at));
    }
    let some = Settings { threads, friction_directions: 4, ..settings(0.01) };
    simulate(Dimension::Three, -Vec3::Z * G, bodies, some)
}

/// One thread, two threads, and a second run give the same bits after sixty steps of a pile.
#[test]
fn runs_repeat_bit_for_bit_whatever_the_threads() {
    let ends = [1, 2, 2].map(|threads| {
        let mut sim = pile(threads);
        for _ in 0..60 {
            sim.step().unwrap();
        }
        sim.state
    });
    assert!(ends[0] == ends[1], "one and two threads differ");
    assert!(ends[1] == ends[2], "two runs differ");
}

/// Cubes on each other and side by side, thrown about a little: one island of many contacts.
fn block(threads: usize) -> Simulator {
    let mut bodies = vec![ground(Dimension::Three)];
    for i in 0..300 {
        let (x, y, z) = (i % 10, (i / 10) % 10, i / 100);
        let at = Vec3::new(0.5 * f64::from(x), 0.5 * f64::from(y), 0.25 + 0.5 * f64::from(z));
        let way =
            Vec3::new(f64::from(i * 7 % 5), f64::from(i * 3 % 7), -1.0) - Vec3::new(2.0, 3.0, 0.0);
        bodies.push(cube(0.5).at(at).velocity(0.1 * way));
    }
    let some = Settings { threads, ..settings(0.01) };
    simulate(Dimension::Three, -Vec3::Z * G, bodies, some)
}

/// Large islands are swept in parts, and pairs are shared: the same bits on any number of threads.
#[test]
fn large_islands_repeat_bit_for_bit_whatever_the_threads() {
    let ends = [1, 2, 3, 8].map(|threads| {
        let mut sim = block(threads);
        let mut most = 0;
        for _ in 0..3 {
            most = most.max(sim.step().unwrap().constraints.unilateral);
        }
        assert!(most > 1500, "{most} contacts");
        sim.state
    });
    assert!(ends.iter().all(|end| *end == ends[0]), "threads differ");
}
