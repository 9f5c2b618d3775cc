//! Five bodies in a row hit each other one after the other.

use crate::{
    Context, ExperimentError, Report,
    draw::{around, snapshot},
    report::{curve, number, over_time},
    scene::{builtin, settings, wrong},
};

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "The first of five bodies moves at 2 m/s and runs into the others, which are at rest. \
         Impacts are inelastic; after the last the bodies move on together.",
    );
    report.set("Masses 1.5, 1, 0.25, 0.12 and 0.8 kg, 2 m/s, no gravity, no friction, as printed.");
    report.set("Built-in scene momentum: cubes of 1 m with gaps of 0.5 m, h = 0.01 s, 4 s (ours).");
    let mut worst = (0.0_f64, 0.0_f64);
    // 1.5 kg at 2 m/s, shared by all.
    let common = 3.0 / 3.67;
    let mut rows = Vec::new();
    for name in ["stewart-trinkle", "peg", "separation"] {
        (c.note)(&format!("momentum: {name}"));
        let mut sim = builtin("momentum", &[], settings(name, 0.01))?;
        let start = around(&sim);
        let mut curves: Vec<_> =
            (1..=5).map(|k| curve(format!("body {k}"), vec![], vec![])).collect();
        curves.push(curve("total", vec![], vec![]));
        for k in 0..400 {
            c.go_on()?;
            if name == "separation" && (k == 0 || k == 399) {
                let caption = format!("t = {} s", number(sim.state.time));
                report.picture(&format!("row-{k}"), caption, snapshot(&sim, start));
            }
            sim.step().map_err(wrong)?;
            let bodies = sim.model.bodies().iter().zip(&sim.state.nu);
            let p: Vec<f64> = bodies.map(|(body, nu)| body.mass * nu.linear.x).collect();
            let total = p.iter().sum::<f64>();
            worst.0 = worst.0.max((total - 3.0).abs());
            for (line, v) in curves.iter_mut().zip(p.into_iter().chain([total])) {
                line.time.push(sim.state.time);
                line.value.push(v);
            }
        }
        let off = sim.state.nu.iter().map(|nu| (nu.linear.x - common).abs()).fold(0.0, f64::max);
        worst.1 = worst.1.max(off);
        rows.push(vec![name.into(), number(worst.0), number(off)]);
        if name == "separation" {
            let options =
                over_time("Momentum of each body, h = 0.01 s", "momentum [kg m/s]", false);
            report.figure("momenta", "Momentum of each body and of all", curves, options);
        }
    }
    let head = ["formulation", "change of the total [kg m/s]", "speeds off the common one [m/s]"];
    report.table("ends", "Conservation and the end", &head, rows);
    report.claim(
        "The total momentum is constant through all collisions.",
        format!("it changes by at most {} of 3 kg m/s", number(worst.0)),
        worst.0 < 1e-12,
    );
    report.claim(
        "After the last impact the bodies move on together (at 3/3.67 = 0.81744 m/s).",
        format!("speeds are off by at most {} m/s", number(worst.1)),
        worst.1 < 1e-12,
    );
    Ok(report)
}
