//! Piles of random polygons and polytopes: nothing overlaps, nothing fails, nothing explodes.

use stickslip::{
    BodyInit, Dimension,
    geometry::{Polygon, Solid, Vec3},
};

use super::scene::{G, Met, Random, run, settings, simulate};

/// A box without a lid, its walls overlapping so that there are no cracks, and `n` random bodies that fall into it.
pub fn pile(formulation: &str, dimension: Dimension, h: f64, n: usize, seed: u64) -> (Met, f64) {
    let mut random = Random::new(seed);
    let flat = dimension == Dimension::Two;
    let block = |x: f64, y: f64, z: f64| {
        let solid = if flat { Solid::rectangle(x, z) } else { Solid::cuboid(Vec3::new(x, y, z)) };
        BodyInit::new(&solid.unwrap()).fixed().friction(0.0)
    };
    let place =
        |x: f64, y: f64, z: f64| if flat { Vec3::new(x, z, 0.0) } else { Vec3::new(x, y, z) };
    let mut bodies = vec![
        block(4.0, 4.0, 1.0).at(place(0.0, 0.0, -0.5)),
        block(1.0, 4.0, 8.0).at(place(-1.0, 0.0, 3.0)),
        block(1.0, 4.0, 8.0).at(place(1.0, 0.0, 3.0)),
    ];
    if !flat {
        bodies.push(block(1.5, 1.0, 8.0).at(place(0.0, -1.0, 3.0)));
        bodies.push(block(1.5, 1.0, 8.0).at(place(0.0, 1.0, 3.0)));
    }
    for i in 0..n {
        let points: Vec<Vec3> = (0..10).map(|_| random.vector() * 0.25).collect();
        let solid = match dimension {
            Dimension::Two => Solid::polygon(&Polygon::from_points(&points).unwrap().vertices),
            Dimension::Three => Solid::convex(&points),
        };
        let at = place(0.05 * random.signed(), 0.05 * random.signed(), 0.5 + 0.6 * i as f64);
        bodies.push(BodyInit::new(&solid.unwrap()).friction(0.0).at(at));
    }
    let gravity = if flat { -Vec3::Y } else { -Vec3::Z } * G;
    let fixed = bodies.len() - n;
    let mut sim = simulate(dimension, gravity, bodies, settings(formulation, h));
    let met = run(&mut sim, 1.0, 1);
    let height = |p: Vec3| if flat { p.y } else { p.z };
    let inside = |p: Vec3| p.x.abs() < 0.5 && height(p) > 0.0 && (flat || p.y.abs() < 0.5);
    let lost = sim.state.q[fixed..].iter().filter(|q| !inside(q.position)).count();
    (met, lost as f64)
}

#[test]
fn explore_piles() {
    for dimension in [Dimension::Two, Dimension::Three] {
        for formulation in ["peg", "separation", "stewart-trinkle"] {
            for h in [0.002, 0.01] {
                for seed in 0..1 {
                    let begin = std::time::Instant::now();
                    let (met, lost) = pile(formulation, dimension, h, 6, seed);
                    println!(
                        "{dimension:?} {formulation} h {h} seed {seed}: {met:?} lost {lost} {:?}",
                        begin.elapsed()
                    );
                }
            }
        }
    }
}
