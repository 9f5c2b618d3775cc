//! The 2D grasp of the thesis (5.2.5, 5.2.6): two fingers of two links each close on a polygon that
//! lies on a table.

use stickslip::{
    BodyInit, Dimension, JointInit, ModelBuilder, Simulator,
    control::{PdController, Trajectory},
    geometry::{Polygon, Solid, Vec3},
};

use super::scene::{EXACT, G, Random, Wrong, run, settings};

/// A polygon under a gripper of five links, the palm fixed.
fn grasp(formulation: &str, h: f64, mu: f64, seed: u64) -> Simulator {
    let mut random = Random::new(seed);
    let mut builder = ModelBuilder::new(Dimension::Two);
    builder.gravity(-Vec3::Y * G);
    let fixed = |solid: Solid, at: Vec3| BodyInit::new(&solid).fixed().friction(mu).at(at);
    builder.add(fixed(Solid::rectangle(6.0, 1.0).unwrap(), Vec3::Y * -0.5)).unwrap();
    let points: Vec<Vec3> =
        (0..10).map(|_| Vec3::new(random.signed(), random.signed(), 0.0) * 0.25).collect();
    let solid = Solid::polygon(&Polygon::from_points(&points).unwrap().vertices).unwrap();
    let stickslip::geometry::Convex::Polygon(shape) = &solid.shape.parts()[0].convex else {
        unreachable!("a convex polygon")
    };
    // On the side that it can stand on: its lowest corner on the table, and a moment to settle.
    let low = shape.vertices.iter().fold(0.0, |m: f64, v| m.min(v.y));
    builder.add(BodyInit::new(&solid).named("object").friction(mu).at(-Vec3::Y * low)).unwrap();
    let palm = builder.add(fixed(Solid::rectangle(0.8, 0.1).unwrap(), Vec3::Y * 1.25)).unwrap();
    let (mut joints, mut fingers) = (Vec::new(), vec![palm]);
    for side in [-1.0, 1.0] {
        let link = |y: f64| {
            let solid = Solid::rectangle(0.06, 0.55).unwrap();
            BodyInit::new(&solid).mass(0.5).friction(mu).at(Vec3::new(0.5 * side, y, 0.0))
        };
        let upper = builder.add(link(0.92)).unwrap();
        let lower = builder.add(link(0.37)).unwrap();
        for (a, b, y) in [(Some(palm), upper, 1.2), (Some(upper), lower, 0.645)] {
            let hinge = JointInit::revolute(a, b).at(Vec3::new(0.5 * side, y, 0.0)).along(Vec3::Z);
            joints.push(builder.joint(hinge).unwrap());
        }
        fingers.extend([upper, lower]);
    }
    for (i, &a) in fingers.iter().enumerate() {
        fingers[..i].iter().for_each(|&b| {
            builder.ignore(a, b);
        });
    }
    let (model, state) = builder.build();
    let mut sim = Simulator::new(model, state, settings(formulation, h)).unwrap();
    // The tips come in low, under the widest part, and press.
    let goal = vec![0.1, 0.6, -0.1, -0.6];
    let path = Trajectory::between(vec![0.0; 4], goal, 0.5, 1.2);
    let control = PdController::new(joints, path, (60.0, 6.0), h);
    sim.pipeline.hooks.push(Box::new(control));
    sim
}

/// Where the object is after 2 s.
fn end(formulation: &str, h: f64, mu: f64, seed: u64) -> (Vec3, usize, f64) {
    let mut sim = grasp(formulation, h, mu, seed);
    let met = run(&mut sim, 2.0, 5);
    (sim.state.q[1].position, met.failures, met.depth)
}

/// The errors against a fine run shrink with the step, linearly without friction, and nothing
/// overlaps; two formulations that share little code end at the same place.
#[test]
fn grasp_converges_to_the_fine_run() {
    let mut wrong = Wrong::default();
    for mu in [0.0, 0.25] {
        for seed in 1..=4 {
            let (truth, ..) = end("separation", 0.0005, mu, seed);
            let mut ends = Vec::new();
            for formulation in EXACT {
                for h in [0.002, 0.01] {
                    let (at, failures, depth) = end(formulation, h, mu, seed);
                    let error = at.distance(truth);
                    let linear = if mu == 0.0 { 0.1 * h } else { 0.003 };
                    wrong.check(error < linear && failures == 0 && depth < 1e-6, || {
                        format!("{formulation}, mu {mu}, h {h}, seed {seed}: off by {error:e}, depth {depth:e}, {failures} failed")
                    });
                    ends.push(at);
                }
            }
            let apart = ends[0].distance(ends[2]).max(ends[1].distance(ends[3]));
            wrong.check(apart < 1e-5, || format!("mu {mu}, seed {seed}: {apart:e} apart"));
        }
    }
    wrong.none();
}

/// A polygon that tips over on a slick table lands flat on a side and gets no sideways push from
/// it, although its side and the table then part the two alike.
#[test]
fn landing_flat_gives_no_sideways_push() {
    let mut wrong = Wrong::default();
    for formulation in EXACT {
        for seed in 1..=10 {
            for h in [0.002, 0.005, 0.01] {
                let mut sim = grasp(formulation, h, 0.0, seed);
                // Before the fingers come.
                run(&mut sim, 0.6, 0);
                let x = sim.state.q[1].position.x;
                wrong.check(x.abs() < 1e-9, || format!("{formulation}, seed {seed}, h {h}: {x:e}"));
            }
        }
    }
    wrong.none();
}
