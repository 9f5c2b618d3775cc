//! Time of a step of chains of joints against their length: `make bench`.
//!
//! A chain of links hangs from the world by hinges, each with limits far away. The time per link
//! should not depend on the length.

use stickslip::{
    BodyInit, Dimension, JointInit, ModelBuilder, Settings, Simulator,
    geometry::{Solid, Vec3},
};

fn main() {
    println!(
        "{:<14} {:<14} {:>6} {:>12} {:>14}",
        "stabilization", "integrator", "links", "us/step", "us/step/link"
    );
    for (stabilization, integrator) in [
        ("none", "semi-implicit"),
        ("post-step", "semi-implicit"),
        ("shake", "semi-implicit"),
        ("none", "gauss"),
    ] {
        for n in [10, 50, 100, 200, 500] {
            match measure(n, stabilization, integrator) {
                Ok(micros) => println!(
                    "{stabilization:<14} {integrator:<14} {n:>6} {micros:>12.0} {:>14.2}",
                    micros / n as f64
                ),
                Err(error) => println!("{stabilization:<14} {n:>6} {error}"),
            }
        }
    }
}

/// Median time of a step \[us\].
fn measure(n: usize, stabilization: &str, integrator: &str) -> Result<f64, String> {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let solid = Solid::cuboid(Vec3::new(0.1, 0.02, 0.02)).map_err(|e| e.to_string())?;
    let mut last = None;
    for k in 0..n {
        let at = Vec3::X * (0.1 * k as f64);
        let mut link = BodyInit::new(&solid).mass(0.1).at(at + Vec3::X * 0.05);
        link.body.collides = false;
        let link = builder.add(link).map_err(|e| e.to_string())?;
        let hinge = JointInit::revolute(last, link).at(at).along(Vec3::Y).limits(-3.0, 3.0);
        builder.joint(hinge).map_err(|e| e.to_string())?;
        last = Some(link);
    }
    let (model, state) = builder.build();
    let settings = Settings {
        step: 0.001,
        stabilization: stabilization.into(),
        integrator: integrator.into(),
        ..Settings::default()
    };
    let mut sim = Simulator::new(model, state, settings).map_err(|e| e.to_string())?;
    let mut times = Vec::new();
    for _ in 0..60 {
        times.push(sim.step().map_err(|e| e.to_string())?.seconds.total());
    }
    times.sort_by(f64::total_cmp);
    Ok(1e6 * times[times.len() / 2])
}
