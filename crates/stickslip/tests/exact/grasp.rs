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
    let goal = vec![-0.2, 0.75, 0.2, -0.75];
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

/// The errors against a fine run shrink with the step, and nothing overlaps, without friction and
/// with it.
#[test]
fn dbg_grasp() {
    for mu in [0.0, 0.25] {
        for seed in 1..=10 {
            let (truth, ..) = end("separation", 0.0005, mu, seed);
            for formulation in EXACT {
                for h in [0.002, 0.005, 0.01] {
                    let (at, failures, depth) = end(formulation, h, mu, seed);
                    println!(
                        "GR {mu} {seed} {formulation} {h}: {:.2e} truth {truth:.3} fail {failures} depth {depth:.1e}",
                        at.distance(truth)
                    );
                }
            }
        }
    }
    let _ = Wrong::default();
}
#[test]
fn dbg_trace() {
    struct Show;
    impl stickslip::hook::Hook for Show {
        fn after_step(
            &mut self,
            _m: &stickslip::Model,
            s: &stickslip::State,
            d: &stickslip::hook::StepData,
        ) -> Result<(), stickslip::hook::HookError> {
            let v = s.nu[1].linear.x;
            if v.abs() > 1e-9 && v.abs() < 100.0 {
                println!(
                    "TR {} x {} v {:?} w {} sub {}",
                    s.step, s.q[1].position, s.nu[1].linear, s.nu[1].angular.z, d.report.substeps
                );
                for f in d.motion.forces.iter().filter(|f| f.normal != 0.0) {
                    let c = &d.motion.contacts[f.contact];
                    println!(
                        "   {:?} {:?} n {} gap {:e} p {:e} at {}",
                        (c.a.body.index(), c.a.feature),
                        (c.b.body.index(), c.b.feature),
                        c.normal,
                        c.gap,
                        f.normal,
                        c.b.point
                    );
                }
            }
            Ok(())
        }
    }
    let mut sim = grasp("separation", 0.005, 0.0, 5);
    sim.pipeline.hooks.push(Box::new(Show));
    run(&mut sim, 2.0, 0);
}
