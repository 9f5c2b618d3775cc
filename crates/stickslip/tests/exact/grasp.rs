//! The 2D grasp of the thesis (5.2.5, 5.2.6).

use stickslip::geometry::Vec3;

use super::scene::{EXACT, Wrong, run};

#[path = "../../examples/evidence/grasp.rs"]
#[allow(dead_code, reason = "the program prints more of it")]
mod scenario;

use scenario::grasp;

/// Where the object is after 2 s, with the plain scheme of the thesis.
fn end(formulation: &str, h: f64, mu: f64, seed: u64) -> (Vec3, usize, f64) {
    let mut sim = grasp(formulation, h, mu, seed);
    sim.settings.stabilization = "none".into();
    sim.pipeline.stabilizer = Box::new(stickslip::stabilize::Off);
    let met = run(&mut sim, 2.0, 5);
    (sim.state.q[1].position, met.failures, met.depth)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Ten polygons: the errors against a fine run shrink with the step, all of them without friction
/// and most of them linearly; with friction the mean of them does, since which contact sticks first
/// depends on the step. Nothing overlaps, and two formulations that share little code end at the
/// same place. The whole table: `examples/evidence`.
#[test]
fn grasp_converges_to_the_fine_run() {
    let mut wrong = Wrong::default();
    for mu in [0.0, 0.25] {
        let mut errors = [Vec::new(), Vec::new()];
        for seed in 1..=10 {
            let (truth, ..) = end("separation", 0.0005, mu, seed);
            for (k, h) in [0.002, 0.01].into_iter().enumerate() {
                let ends = EXACT.map(|formulation| {
                    let (at, failures, depth) = end(formulation, h, mu, seed);
                    wrong.check(failures == 0 && depth < 1e-6, || {
                        format!("{formulation}, mu {mu}, h {h}, seed {seed}: {depth:e}, {failures}")
                    });
                    at
                });
                let apart = ends[0].distance(ends[1]);
                wrong.check(apart < 1e-5, || format!("mu {mu}, h {h}, seed {seed}: {apart:e}"));
                errors[k].push(ends[0].distance(truth));
            }
        }
        let mean = errors.each_ref().map(|e| e.iter().sum::<f64>() / 10.0);
        let shrinks = match mu == 0.0 {
            true => errors[0].iter().zip(&errors[1]).all(|(fine, coarse)| *fine < 0.5 * coarse),
            false => mean[0] < mean[1],
        };
        wrong.check(shrinks, || format!("mu {mu}: {errors:?}"));
        let middle = errors.map(median);
        let expected = if mu == 0.0 { [5e-5, 2.5e-4] } else { [1e-3, 1.5e-3] };
        wrong.check(middle[0] < expected[0] && middle[1] < expected[1], || {
            format!("mu {mu}: median {middle:?}")
        });
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
