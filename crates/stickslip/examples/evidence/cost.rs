//! Processor time of a step: a pile of random hulls in a box with friction, as engines are compared
//! on it, and a staggered stack.

use std::time::Instant;

use stickslip::{
    BodyInit, Dimension, ModelBuilder, Motion, Settings, Simulator,
    geometry::{Solid, Vec3},
    oracle,
    settings::Friction,
};

/// Processor time of this thread \[s\]; where the system does not tell, wall time.
fn cpu(begin: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|s| s.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| begin.elapsed().as_secs_f64(), |n| 1e-9 * n)
}

fn body(solid: Result<Solid, stickslip::geometry::GeometryError>) -> BodyInit {
    BodyInit::new(&solid.unwrap_or_else(|e| unreachable!("{e}")))
}

/// Hulls of ten random points each, 1000 kg/m³, friction 0.5, in layers of 25.
pub fn pile(n: usize) -> Vec<BodyInit> {
    let mut seed = 1_u64;
    let mut random = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let wall =
        |x: f64, y: f64, z: f64| body(Solid::cuboid(Vec3::new(x, y, z))).fixed().friction(0.5);
    let mut bodies = vec![wall(4.0, 4.0, 0.5).at(Vec3::Z * -0.25)];
    for side in [-1.75, 1.75] {
        bodies.push(wall(0.5, 4.0, 31.0).at(Vec3::new(side, 0.0, 15.0)));
        bodies.push(wall(3.0, 0.5, 31.0).at(Vec3::new(0.0, side, 15.0)));
    }
    for k in 0..n {
        let points: Vec<Vec3> =
            (0..10).map(|_| Vec3::new(random(), random(), random()) * 0.5).collect();
        let hull = Solid::convex(&points);
        let mass = 1000.0 * hull.as_ref().map_or(1.0, |h| h.volume);
        let place = |i: usize| 0.55 * (i as f64 - 2.0);
        let at = Vec3::new(place(k % 5), place(k / 5 % 5), 0.35 + 0.55 * (k / 25) as f64);
        bodies.push(body(hull).friction(0.5).mass(mass).at(at));
    }
    bodies
}

/// Cubes on each other, friction 0.5.
pub fn tower(n: usize) -> Vec<BodyInit> {
    let cube = |size: Vec3| body(Solid::cuboid(size)).friction(0.5);
    let mut bodies = vec![cube(Vec3::new(40.0, 40.0, 1.0)).fixed().at(Vec3::Z * -0.5)];
    bodies.extend((0..n).map(|i| cube(Vec3::ONE).at(Vec3::Z * (i as f64 + 0.5))));
    bodies
}

/// The staggered stack of ten without friction.
fn stack() -> Vec<BodyInit> {
    let shifts = [0.03, -0.07, 0.09, -0.02, 0.06, -0.09, 0.01, 0.08, -0.05, 0.04];
    let boxes = shifts.iter().enumerate().map(|(i, &x)| {
        let at = Vec3::new(x, shifts[9 - i], i as f64);
        let cube = body(Solid::cuboid(Vec3::ONE)).friction(0.0).at(at);
        if i == 0 { cube.fixed() } else { cube }
    });
    boxes.collect()
}

/// The bodies under gravity, in space.
pub fn simulator(bodies: Vec<BodyInit>, settings: Settings) -> Simulator {
    let mut builder = ModelBuilder::new(Dimension::Three);
    builder.gravity(Vec3::Z * -9.81);
    for body in bodies {
        builder.add(body).unwrap_or_else(|e| unreachable!("{e}"));
    }
    let (model, state) = builder.build();
    Simulator::new(model, state, settings).unwrap_or_else(|e| unreachable!("{e}"))
}

/// Processor time after which a run of the pile ends \[s\].
const CAP: f64 = 60.0;

/// Prints a table of a scene: `steps` steps of 0.01 s, fewer where they take longer than [`CAP`].
pub fn table(bodies: &[BodyInit], steps: u32, formulations: &[&str], friction: Friction) {
    let n = bodies.iter().filter(|b| b.body.motion == Motion::Dynamic).count();
    println!(
        "| formulation | bodies | steps | CPU ms/step | steps per CPU-s | detect, formulate, solve | contacts | solves/step | rows | deepest | substeps | fallbacks | failures |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for &formulation in formulations {
        let settings = Settings {
            formulation: formulation.into(),
            friction,
            friction_directions: 4,
            threads: 1,
            ..Settings::default()
        };
        let mut sim = simulator(bodies.to_vec(), settings);
        let (begin, mut spent, mut depth) = (Instant::now(), 0.0, 0.0_f64);
        let (mut share, mut counts) = ([0.0; 3], [0_usize; 6]);
        let mut done = 0;
        while done < steps && spent < CAP {
            let before = cpu(begin);
            let Ok(report) = sim.step() else { break };
            spent += cpu(begin) - before;
            done += 1;
            let s = report.seconds;
            share.iter_mut().zip([s.detect, s.formulate, s.solve]).for_each(|(a, b)| *a += b);
            let solves = &report.solves;
            let seen = [
                report.contacts,
                solves.count,
                solves.size,
                report.substeps,
                report.fallbacks,
                solves.failures,
            ];
            counts.iter_mut().zip(seen).for_each(|(a, b)| *a += b);
            if done % 5 == 0 {
                depth = depth.max(oracle::measure(&sim.model, &sim.state).depth);
            }
        }
        let total: f64 = share.iter().sum();
        let [contacts, solves, rows, ..] = counts.map(|c| c as f64 / f64::from(done));
        let percent = share.map(|s| format!("{:.0} %", 100.0 * s / total)).join(", ");
        println!(
            "| `{formulation}` | {n} | {done} | {:.3} | {:.0} | {percent} | {contacts:.0} | {solves:.2} | {rows:.0} | {depth:.1e} m | {} | {} | {} |",
            1e3 * spent / f64::from(done),
            f64::from(done) / spent,
            counts[3],
            counts[4],
            counts[5],
        );
    }
}

/// Prints how far the stack drifts sideways in `seconds`.
pub fn drift(seconds: f64) {
    println!("| formulation | h | drift | fallbacks | failures | CPU ms/step |");
    println!("|---|---|---|---|---|---|");
    for formulation in ["peg", "separation"] {
        for h in [0.005, 0.01, 0.02] {
            let settings = Settings {
                formulation: formulation.into(),
                step: h,
                threads: 1,
                ..Settings::default()
            };
            let mut sim = simulator(stack(), settings);
            let start = sim.state.clone();
            let begin = Instant::now();
            let (before, steps) = (cpu(begin), (seconds / h).round());
            let (mut fallbacks, mut failures) = (0, 0);
            for _ in 0..steps as usize {
                let Ok(report) = sim.step() else { break };
                fallbacks += report.fallbacks;
                failures += report.solves.failures;
            }
            let pairs = sim.state.q.iter().zip(&start.q);
            let off = pairs.fold(0.0_f64, |m, (a, b)| m.max(a.position.distance(b.position)));
            println!(
                "| `{formulation}` | {h} | {off:.1e} m | {fallbacks} | {failures} | {:.2} |",
                1e3 * (cpu(begin) - before) / steps
            );
        }
    }
}
