//! The 2D grasp of the thesis (5.2.5, 5.2.6): two fingers of two links each close on a polygon that
//! lies on a table.

use stickslip::{
    BodyInit, Dimension, JointInit, ModelBuilder, Settings, Simulator,
    control::{PdController, Trajectory},
    geometry::{Convex, Polygon, Solid, Vec3},
};

/// A polygon under a gripper of five links, the palm fixed.
pub fn grasp(formulation: &str, h: f64, mu: f64, seed: u64) -> Simulator {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut builder = ModelBuilder::new(Dimension::Two);
    builder.gravity(-Vec3::Y * 9.81);
    let fixed = |solid: Solid, at: Vec3| BodyInit::new(&solid).fixed().friction(mu).at(at);
    builder
        .add(fixed(
            Solid::rectangle(6.0, 1.0).unwrap_or_else(|e| unreachable!("{e}")),
            Vec3::Y * -0.5,
        ))
        .unwrap_or_else(|e| unreachable!("{e}"));
    let points: Vec<Vec3> =
        (0..10).map(|_| Vec3::new(random.signed(), random.signed(), 0.0) * 0.25).collect();
    let solid = Solid::polygon(
        &Polygon::from_points(&points).unwrap_or_else(|e| unreachable!("{e}")).vertices,
    )
    .unwrap_or_else(|e| unreachable!("{e}"));
    let Convex::Polygon(shape) = &solid.shape.parts()[0].convex else {
        unreachable!("a convex polygon")
    };
    // On the side that it can stand on: its lowest corner on the table, and a moment to settle.
    let low = shape.vertices.iter().fold(0.0, |m: f64, v| m.min(v.y));
    builder
        .add(BodyInit::new(&solid).named("object").friction(mu).at(-Vec3::Y * low))
        .unwrap_or_else(|e| unreachable!("{e}"));
    let palm = builder
        .add(fixed(
            Solid::rectangle(0.8, 0.1).unwrap_or_else(|e| unreachable!("{e}")),
            Vec3::Y * 1.25,
        ))
        .unwrap_or_else(|e| unreachable!("{e}"));
    let (mut joints, mut fingers) = (Vec::new(), vec![palm]);
    for side in [-1.0, 1.0] {
        let link = |y: f64| {
            let solid = Solid::rectangle(0.06, 0.55).unwrap_or_else(|e| unreachable!("{e}"));
            BodyInit::new(&solid).mass(0.5).friction(mu).at(Vec3::new(0.5 * side, y, 0.0))
        };
        let upper = builder.add(link(0.92)).unwrap_or_else(|e| unreachable!("{e}"));
        let lower = builder.add(link(0.37)).unwrap_or_else(|e| unreachable!("{e}"));
        for (a, b, y) in [(Some(palm), upper, 1.2), (Some(upper), lower, 0.645)] {
            let hinge = JointInit::revolute(a, b).at(Vec3::new(0.5 * side, y, 0.0)).along(Vec3::Z);
            joints.push(builder.joint(hinge).unwrap_or_else(|e| unreachable!("{e}")));
        }
        fingers.extend([upper, lower]);
    }
    for (i, &a) in fingers.iter().enumerate() {
        fingers[..i].iter().for_each(|&b| {
            builder.ignore(a, b);
        });
    }
    let formulation = formulation.into();
    let settings = Settings { step: h, formulation, threads: 1, ..Settings::default() };
    let (model, state) = builder.build();
    let mut sim = Simulator::new(model, state, settings).unwrap_or_else(|e| unreachable!("{e}"));
    // The tips come in low, under the widest part, and press.
    let goal = vec![0.1, 0.6, -0.1, -0.6];
    let path = Trajectory::between(vec![0.0; 4], goal, 0.5, 1.2);
    let control = PdController::new(joints, path, (60.0, 6.0), h);
    sim.pipeline.hooks.push(Box::new(control));
    sim
}

/// Evenly spread over -1 .. 1.
struct Random(u64);

impl Random {
    fn signed(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let x = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        x as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Prints how far the polygon ends from where the fine run leaves it, seed by seed.
pub fn table(seeds: u64, fine: f64) {
    let steps = [0.0005, 0.001, 0.002, 0.005, 0.01];
    println!(
        "| mu | seed | formulation | {} |",
        steps.map(|h| format!("{} ms", 1e3 * h)).join(" | ")
    );
    println!("|---|---|---|---|---|---|---|---|");
    let end = |formulation: &str, h: f64, mu: f64, seed: u64| {
        let mut sim = grasp(formulation, h, mu, seed);
        for _ in 0..(2.0 / h).round() as usize {
            if sim.step().is_err() {
                return Vec3::NAN;
            }
        }
        sim.state.q[1].position
    };
    for mu in [0.0, 0.25] {
        for seed in 1..=seeds {
            let truth = end("separation", fine, mu, seed);
            for formulation in ["separation", "peg"] {
                let off = steps.map(|h| {
                    format!("{:.3} mm", 1e3 * end(formulation, h, mu, seed).distance(truth))
                });
                println!("| {mu} | {seed} | `{formulation}` | {} |", off.join(" | "));
            }
        }
    }
}
