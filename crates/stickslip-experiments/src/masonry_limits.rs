//! Where the static and the dynamic answer differ.

use stickslip::BodyInit;
use stickslip_stability::{Options, picture};

use crate::{
    Context, ExperimentError, Report,
    masonry::{arch, brick, drift, scene, statics, tilted},
    report::{curve, number, over},
    scene::{settings, simulate},
};

const MU: f64 = 0.5;
const CRITICAL: f64 = 0.106_720_9;

/// A row of unit cubes between two fixed walls, with nothing below.
fn row(n: usize) -> Result<Vec<BodyInit>, ExperimentError> {
    let mut bodies = vec![
        brick("left wall", (-1.0, -6.0), (1.0, 8.0), MU)?.fixed(),
        brick("right wall", (n as f64, -6.0), (1.0, 8.0), MU)?.fixed(),
    ];
    for k in 0..n {
        bodies.push(brick(&format!("cube-{}", k + 1), (k as f64, 0.0), (1.0, 1.0), MU)?);
    }
    Ok(bodies)
}

/// How far the cubes get in half a second with a formulation.
fn falls(c: &Context, n: usize, formulation: &str) -> Result<f64, ExperimentError> {
    let rules = settings(formulation, 0.01);
    let mut sim = simulate(stickslip::Dimension::Two, tilted(0.0), row(n)?, rules)?;
    drift(c, &mut sim, 0.5, 10.0)
}

/// When a stone of an arch that is too thin by a part of its thickness has moved by 1 mm \[s\].
fn fall_time(c: &Context, lack: f64) -> Result<f64, ExperimentError> {
    let mut sim = scene(arch(27, CRITICAL * (1.0 - lack), 0.7)?, tilted(0.0), 0.01)?;
    drift(c, &mut sim, 6.0, 1e-3)?;
    Ok(sim.state.time)
}

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "Limit analysis asks whether forces exist that balance a structure. With Coulomb's friction \
         that is necessary for rest, not sufficient: its flow rule is not associated (sliding does \
         not open a joint), so that the static theorem does not hold (Drucker 1954). Blocks wedged \
         between walls show it: any pressure between the walls would hold them, but nothing makes \
         that pressure. With the associated rule, the formulation `convex`, they do stay. And a \
         structure that cannot rest may take its time.",
    );
    report.set("Cubes of 1 m between fixed walls, friction 0.5, no floor, h = 0.01 s, 0.5 s.");
    report.set("Arch of 27 stones, friction 0.7, too thin by a part of its thickness; h = 0.01 s.");
    wedged(c, &mut report)?;
    slow(c, &mut report)?;
    Ok(report)
}

fn wedged(c: &Context, report: &mut Report) -> Result<(), ExperimentError> {
    let mut rows = Vec::new();
    for n in [1, 3] {
        (c.note)(&format!("masonry-limits: {n} cubes"));
        let sim = scene(row(n)?, tilted(0.0), 0.01)?;
        let found = statics(&sim, &Options::default())?;
        let svg = picture(&sim.model, &sim.state, &found);
        report.picture(
            &format!("row-{n}"),
            format!("{n} between walls: forces that would do"),
            svg,
        );
        let [coulomb, associated] = [falls(c, n, "separation")?, falls(c, n, "convex")?];
        let told = if found.stands { "can rest" } else { "cannot rest" };
        rows.push(vec![n.to_string(), told.into(), number(coulomb), number(associated)]);
        // free fall in h-long steps: g h² k (k + 1) / 2
        let free = 0.5 * 9.81 * 0.5 * 0.51;
        report.claim(
            &format!("{n} between walls: forces exist, and Coulomb's friction does not find them."),
            format!(
                "{told}; fell {} m in 0.5 s (free fall {}); with the associated rule {} m",
                number(coulomb),
                number(free),
                number(associated)
            ),
            found.stands && (coulomb - free).abs() < 1e-6 && associated < 1e-6,
        );
    }
    let head = ["cubes", "static answer", "fell, Coulomb [m]", "fell, associated [m]"];
    report.table("wedged", "Cubes between walls after 0.5 s", &head, rows);
    Ok(())
}

fn slow(c: &Context, report: &mut Report) -> Result<(), ExperimentError> {
    let lacks: &[f64] = c.pick(&[1e-2, 1e-4, 1e-6], &[1e-2, 1e-3, 1e-4, 1e-5, 1e-6]);
    let times = c.each(lacks, |&lack| {
        (c.note)(&format!("masonry-limits: too thin by {lack}"));
        fall_time(c, lack)
    })?;
    let rows = lacks.iter().zip(&times).map(|(e, t)| vec![number(*e), number(*t)]).collect();
    report.table(
        "slow-table",
        "Time until a stone has moved by 1 mm",
        &["too thin by", "time [s]"],
        rows,
    );
    report.figure(
        "slow",
        "A mechanism grows as an exponential: each tenth of the lack costs the same time",
        vec![curve("arch of 27 stones", lacks.to_vec(), times.clone())],
        over("Time to fall", "too thin by", "time to 1 mm [s]", (true, false)),
    );
    let last = lacks.len() - 1;
    let decades = (lacks[0] / lacks[last]).log10();
    let each = (times[last] - times[0]) / decades;
    let found = {
        let sim = scene(arch(27, CRITICAL * (1.0 - 1e-6), 0.7)?, tilted(0.0), 0.01)?;
        statics(&sim, &Options { simulate: Some(0.5), ..Options::default() })?
    };
    report.claim(
        "An arch too thin by 1e-6 cannot rest, but in half a second nobody sees it move.",
        format!(
            "imbalance {}, moved {} m in 0.5 s; 1 mm after {} s; {} s more for each tenth of the lack",
            number(found.imbalance),
            number(found.dynamic.as_ref().map_or(f64::NAN, |d| d.farthest)),
            number(times[last]),
            number(each)
        ),
        !found.stands && found.dynamic.is_some_and(|d| d.farthest < 1e-5) && times[last] < 3.0,
    );
    Ok(())
}
