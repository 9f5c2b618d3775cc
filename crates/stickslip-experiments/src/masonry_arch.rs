//! The least thickness and the least friction of a semicircular arch.

use stickslip_stability::{Options, picture};

use crate::{
    Context, ExperimentError, Report,
    masonry::{arch, bisect, drift, scene, statics, tilted},
    report::{curve, number, over},
};

/// Friction that lets nothing slide.
const ROUGH: f64 = 0.7;
/// Thickness over radius by the linear program with 27 stones.
const LP_27: f64 = 0.106_720_9;
/// Milankovitch's limit (1907), as printed by Heyman (1967: 0.106, from a thrust line whose weight
/// acts on the middle line) and Ochsendorf (2006: 0.1075).
const MILANKOVITCH: f64 = 0.1075;
/// Thickness at which friction is asked for.
const THICK: f64 = 0.2;

/// The thickness by the static program.
fn by_program(n: usize, mu: f64) -> Result<f64, ExperimentError> {
    bisect((0.02, 0.2), 1e-9, |t| {
        Ok(statics(&scene(arch(n, t, mu)?, tilted(0.0), 0.01)?, &Options::default())?.stands)
    })
}

/// Whether the simulator leaves an arch where it is.
fn stands(c: &Context, t: f64, mu: f64) -> Result<bool, ExperimentError> {
    let mut sim = scene(arch(27, t, mu)?, tilted(0.0), 0.01)?;
    Ok(drift(c, &mut sim, 6.0, 1e-3)? < 1e-3)
}

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "A semicircular arch of dry stones stands if a line of thrust fits into it. The least \
         thickness is found by bisection over the static program of `stickslip stability`, and by \
         bisection over the simulator, which knows nothing of thrust lines; so is the least friction.",
    );
    report.set("Mean radius 1 m, friction 0.7 where nothing slides, equal stones, in the plane.");
    report.set("Simulator: defaults, h = 0.01 s; an arch falls if a stone moves by 1 mm in 6 s.");
    let counts: &[usize] = c.pick(&[9, 27, 81], &[5, 9, 15, 27, 45, 81, 135, 243]);
    let found = c.each(counts, |&n| {
        (c.note)(&format!("masonry-arch: {n} stones"));
        by_program(n, ROUGH)
    })?;
    let rows = counts.iter().zip(&found).map(|(n, t)| vec![n.to_string(), format!("{t:.7}")]);
    let head = ["stones", "thickness / radius"];
    report.table("thickness-table", "Least thickness by the static program", &head, rows.collect());
    let x: Vec<f64> = counts.iter().map(|&n| n as f64).collect();
    let limit = vec![MILANKOVITCH; x.len()];
    report.figure(
        "thickness",
        "The least thickness over the number of stones",
        vec![curve("static program", x.clone(), found.clone()), curve("Milankovitch", x, limit)],
        over("Round arch: least thickness", "stones", "thickness / radius", (true, false)),
    );
    let of = |n: usize| counts.iter().position(|&k| k == n).map_or(f64::NAN, |k| found[k]);
    report.claim(
        "27 stones: 0.1067209 of the radius (linear program, HiGHS).",
        format!("{:.7}", of(27)),
        (of(27) - LP_27).abs() < 1e-7,
    );
    let many = counts.last().map_or(f64::NAN, |&n| of(n));
    report.claim(
        "As the stones get many: 0.1075 (Milankovitch 1907, Ochsendorf 2006).",
        format!("{many:.5} with {} stones", counts.last().unwrap_or(&0)),
        (many - MILANKOVITCH).abs() < c.pick(2e-4, 5e-5),
    );
    (c.note)("masonry-arch: simulator");
    let to = c.pick(1e-3, 2e-6) * LP_27;
    let simulated = bisect((0.99 * LP_27, 1.01 * LP_27), to, |t| stands(c, t, ROUGH))?;
    report.claim(
        "The simulator has the same least thickness, to 1e-4.",
        format!("{simulated:.7}, off by {}", number((simulated / LP_27 - 1.0).abs())),
        (simulated / LP_27 - 1.0).abs() < c.pick(1e-3, 1e-4),
    );
    friction(c, &mut report)?;
    Ok(report)
}

fn friction(c: &Context, report: &mut Report) -> Result<(), ExperimentError> {
    let thick = scene(arch(27, THICK, ROUGH)?, tilted(0.0), 0.01)?;
    let asked = Options { friction: true, ..Options::default() };
    let found = statics(&thick, &asked)?;
    let svg = picture(&thick.model, &thick.state, &found);
    report.picture("thick", "An arch of 0.2 R: thrust line and forces".into(), svg);
    let least = found.friction.and_then(|f| f.coefficient).unwrap_or(f64::NAN);
    let to = c.pick(1e-3, 1e-5);
    let simulated = bisect((0.9 * least, 1.1 * least), to, |mu| stands(c, THICK, mu))?;
    report.claim(
        "(Ours) The least friction of an arch of 0.2 R, by program and by simulator.",
        format!("{least:.6} and {simulated:.6}"),
        (simulated / least - 1.0).abs() < 5e-3,
    );
    let thin = scene(arch(27, 0.95 * LP_27, ROUGH)?, tilted(0.0), 0.01)?;
    let found = statics(&thin, &Options::default())?;
    let svg = picture(&thin.model, &thin.state, &found);
    report.picture("thin", "Too thin by 5 %: the mechanism of five hinges".into(), svg);
    Ok(())
}
