//! A cube between four unit cubes: it falls if it fits, and rests if it does not.

use stickslip::{Simulator, settings::Friction};

use crate::{
    Context, ExperimentError, Report,
    draw::{around, snapshot},
    report::{curve, number, over_time},
    scene::{self, G, builtin, settings},
};

const FORMULATIONS: [&str; 6] =
    ["peg", "separation", "stewart-trinkle", "lnc", "corrective", "anitescu-potra"];

fn build(formulation: &str, edge: f64, h: f64) -> Result<Simulator, ExperimentError> {
    let mut s = settings(formulation, h);
    s.friction = Friction::None;
    builtin("peg-in-hole", &[format!("body.peg.shape.size=[{edge}, {edge}, {edge}]")], s)
}

/// Height of the scheme's free fall from 1.5 m after `k` steps.
fn free_fall(h: f64, k: f64) -> f64 {
    1.5 - G * h * h * k * (k + 1.0) / 2.0
}

/// What became of the peg: "falls", "rests", or where it hangs.
fn outcome(edge: f64, z: f64, free: f64) -> String {
    if (z - free).abs() < 1e-6 {
        "falls".into()
    } else if (z - 0.5 - 0.5 * edge).abs() < 1e-6 {
        "rests on top".into()
    } else {
        format!("ends at z = {} m", number(z))
    }
}

fn one(
    c: &Context,
    (formulation, edge): (&str, f64),
    h: f64,
) -> Result<(crate::scene::Trace, String), ExperimentError> {
    (c.note)(&format!("peg-in-hole: {formulation}, edge {edge} m"));
    let mut sim = build(formulation, edge, h)?;
    let trace = scene::run(c, &mut sim, (1.0, true), |s| s.state.q[4].position.z)?;
    let z = sim.state.q[4].position.z;
    Ok((trace, outcome(edge, z, free_fall(h, (1.0 / h).round()))))
}

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "Four static unit cubes leave a hole of one by one metre. A cube scaled to 0.99999 has 5 µm \
         of clearance on every side and must fall through as if nothing were there; one of 1.00001 \
         must rest on the rim.",
    );
    report.set(
        "Step h = 0.01 s, 1 s, gravity 9.81 m/s², no friction (ours; the paper does not say).",
    );
    report.set("Built-in scene peg-in-hole: the peg starts at a height of 1.5 m (ours), centred over the hole.");
    let edges = [0.9, 0.99999, 1.00001, 1.01];
    let (mut rows, mut curves) = (Vec::new(), Vec::new());
    let mut found = std::collections::BTreeMap::new();
    let runs: Vec<(&str, f64)> =
        FORMULATIONS.iter().flat_map(|name| edges.map(|edge| (*name, edge))).collect();
    let mut done = c.each(&runs, |&run| one(c, run, 0.01))?.into_iter();
    for name in FORMULATIONS {
        let mut row = vec![name.to_owned()];
        for (edge, (trace, text)) in edges.into_iter().zip(&mut done) {
            row.push(format!("{text}, depth {}", number(trace.depth)));
            if edge == 0.99999 {
                curves.push(curve(name, trace.time, trace.value));
            }
            found.insert(format!("{name} {edge}"), text);
        }
        rows.push(row);
    }
    let head = ["formulation", "edge 0.9", "0.99999", "1.00001", "1.01 m"];
    report.table(
        "outcomes",
        "Where the peg ends after 1 s, and the largest true penetration in m",
        &head,
        rows,
    );
    let options = over_time("Height of the peg, edge 0.99999 m, h = 0.01 s", "z [m]", false);
    report.figure("height", "Height of the peg with 5 µm of clearance", curves, options);
    let of =
        |name: &str, edge: &str| found.get(&format!("{name} {edge}")).cloned().unwrap_or_default();
    judge(&mut report, &of);
    let mut sim = build("separation", 0.99999, 0.01)?;
    let window = around(&sim);
    for (k, t) in [0.0, 0.4, 0.6].into_iter().enumerate() {
        scene::run(c, &mut sim, (t, false), |_| 0.0)?;
        report.picture(&format!("scene-{k}"), format!("t = {t} s"), snapshot(&sim, window));
    }
    Ok(report)
}

fn judge(report: &mut Report, of: &dyn Fn(&str, &str) -> String) {
    let right =
        |name: &str| of(name, "0.99999") == "falls" && of(name, "1.00001") == "rests on top";
    report.claim(
        "PEG gives accurate results in all cases.",
        format!("peg: 0.99999 {}, 1.00001 {}", of("peg", "0.99999"), of("peg", "1.00001")),
        right("peg") && of("peg", "0.9") == "falls" && of("peg", "1.01") == "rests on top",
    );
    report.claim(
        "Methods that anticipate collisions (Stewart-Trinkle) wrongly prevent the peg from entering.",
        format!("stewart-trinkle: 0.99999 {}", of("stewart-trinkle", "0.99999")),
        of("stewart-trinkle", "0.99999") != "falls",
    );
    report.claim(
        "Methods that allow penetration may let a peg pass that is too large.",
        format!(
            "corrective: 1.00001 {}, 1.01 {}",
            of("corrective", "1.00001"),
            of("corrective", "1.01")
        ),
        of("corrective", "1.00001") != "rests on top",
    );
    report.claim(
        "(Ours) `separation` is right in all cases as well.",
        format!(
            "separation: 0.99999 {}, 1.00001 {}",
            of("separation", "0.99999"),
            of("separation", "1.00001")
        ),
        right("separation"),
    );
}
