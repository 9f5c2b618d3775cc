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
