//! Runs scenes and prints one line of tab-separated numbers for each: what `scripts/ablation` compares.
//!
//! `cargo run --release -p stickslip-scene --example suite -- SCENE.toml:STEPS...`
//!
//! Columns: scene, steps taken, CPU seconds, solves, iterations, substeps, failed solves, worst residual,
//! deepest overlap by the judge \[m\], largest rise of the energy in a step over the largest kinetic
//! energy, center of mass \[m\]. A scene that takes longer than `SUITE_LIMIT` seconds ends early.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Instant,
};

use stickslip::{Simulator, geometry::Vec3, oracle};
use stickslip_scene::Scene;

fn main() {
    let limit = std::env::var("SUITE_LIMIT").ok().and_then(|s| s.parse().ok());
    for argument in std::env::args().skip(1) {
        let (file, steps) = argument.rsplit_once(':').unwrap_or((&argument, "100"));
        let name = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".toml");
        let run = || run(file, steps.parse().unwrap_or(100), limit.unwrap_or(f64::INFINITY));
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(line)) => println!("{name}\t{line}"),
            Ok(Err(error)) => println!("{name}\terror\t{error}"),
            Err(_) => println!("{name}\terror\tpanic"),
        }
    }
}

fn run(file: &str, steps: usize, limit: f64) -> Result<String, String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
    let scene = Scene::parse(file, &text).map_err(|e| e.to_string().replace('\n', " "))?;
    let mut settings = scene.settings;
    settings.threads = 1;
    let mut sim = Simulator::new(scene.model, scene.state, settings).map_err(|e| e.to_string())?;
    let start = Instant::now();
    let (mut solves, mut iterations, mut substeps, mut failures) = (0, 0, 0, 0);
    let (mut residual, mut depth, mut rise, mut most) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    let (mut energy, mut taken) = (sim.state.energy(&sim.model), 0);
    for k in 0..steps {
        let report = sim.step().map_err(|e| format!("step {k}: {e}"))?;
        taken += 1;
        solves += report.solves.count;
        iterations += report.solves.iterations;
        substeps += report.substeps;
        failures += report.solves.failures;
        residual = residual.max(report.solves.residual);
        let after = sim.state.energy(&sim.model);
        (rise, energy) = (rise.max(after - energy), after);
        most = most.max(kinetic(&sim));
        if k % 8 == 7 || k + 1 == steps || steps <= 60 {
            depth = depth.max(oracle::measure(&sim.model, &sim.state).depth);
        }
        if start.elapsed().as_secs_f64() > limit {
            break;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let [x, y, z] = center(&sim).to_array();
    let rise = rise / most.max(f64::MIN_POSITIVE);
    Ok(format!(
        "{taken}\t{seconds:.3}\t{solves}\t{iterations}\t{substeps}\t{failures}\t{residual:.2e}\t{depth:.2e}\t{rise:.2e}\t{x:.17e}\t{y:.17e}\t{z:.17e}"
    ))
}

/// Kinetic energy of translation \[J\].
fn kinetic(sim: &Simulator) -> f64 {
    let moving = sim.model.ids().filter(|&id| sim.model.dof(id).is_some());
    let of = |id| 0.5 * sim.model.body(id).mass * sim.state.twist(id).linear.length_squared();
    moving.map(of).sum()
}

fn center(sim: &Simulator) -> Vec3 {
    let moving = sim.model.ids().filter(|&id| sim.model.dof(id).is_some());
    let add = |(sum, mass), id| {
        let m = sim.model.body(id).mass;
        (sum + sim.state.pose(id).position * m, mass + m)
    };
    let (sum, mass): (Vec3, f64) = moving.fold((Vec3::ZERO, 0.0), add);
    sum / mass
}
