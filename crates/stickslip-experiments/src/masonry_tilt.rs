//! Walls and columns on a tilting table.

use stickslip::BodyInit;
use stickslip_stability::{Options, picture};

use stickslip::geometry::Vec3;

use crate::{
    Context, ExperimentError, Report,
    masonry::{bisect, brick, drift, ground, scene, statics, tilted},
    report::number,
};

const MU: f64 = 0.7;
/// A brick \[m\].
const BRICK: (f64, f64) = (0.4, 0.2);

/// Drums on each other.
fn column(count: usize, size: (f64, f64), mu: f64) -> Result<Vec<BodyInit>, ExperimentError> {
    let mut bodies = vec![ground(mu)?];
    for k in 0..count {
        bodies.push(brick(&format!("drum-{}", k + 1), (0.0, size.1 * k as f64), size, mu)?);
    }
    Ok(bodies)
}

/// A wall of `n` bricks a course; every other course shifted by half a brick if `running`.
fn wall(n: usize, courses: usize, running: bool) -> Result<Vec<BodyInit>, ExperimentError> {
    let ((w, h), mut bodies) = (BRICK, vec![ground(MU)?]);
    for c in 0..courses {
        let shifted = running && c % 2 == 1;
        let mut cuts: Vec<f64> = (0..=n).map(|k| k as f64).collect();
        if shifted {
            cuts = std::iter::once(0.0).chain((0..n).map(|k| k as f64 + 0.5)).collect();
            cuts.push(n as f64);
        }
        for (k, ends) in cuts.windows(2).enumerate() {
            let name = format!("brick-{}-{}", c + 1, k + 1);
            let size = ((ends[1] - ends[0]) * w, h);
            bodies.push(brick(&name, (ends[0] * w, c as f64 * h), size, MU)?);
        }
    }
    Ok(bodies)
}

struct Case {
    name: &'static str,
    bodies: Vec<BodyInit>,
    /// Tangent of the angle by a formula, and which.
    formula: Option<(f64, &'static str)>,
}

fn cases() -> Result<Vec<Case>, ExperimentError> {
    let case = |name, bodies, formula| Case { name, bodies, formula };
    Ok(vec![
        case("block that slides", column(1, (1.0, 1.0), 0.4)?, Some((0.4, "mu"))),
        case("block that topples", column(1, (0.5, 2.0), MU)?, Some((0.25, "b / h"))),
        case("column of 6 drums", column(6, (1.0, 0.8), MU)?, Some((1.0 / 4.8, "b / h"))),
        case("stack bond, 3 x 6", wall(3, 6, false)?, Some((0.4 / 1.2, "b / h of one stack"))),
        case("running bond, 3 x 6", wall(3, 6, true)?, None),
        case("running bond, 6 x 6", wall(6, 6, true)?, None),
    ])
}

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "Blocks, columns and walls stand on a table that is tilted, in their own plane, until they \
         slide or topple. The static program gives the angle at once, `stickslip stability --tilt`; \
         the simulator by bisection; formulas give it where they are simple.",
    );
    report
        .set("Bricks of 0.4 x 0.2 m, friction 0.7 unless said; gravity is turned, not the table.");
    report.set("Simulator: h = 0.01 s; a structure falls if a block moves by 1 mm in 6 s.");
    let to = c.pick(1e-3, 1e-5);
    let all = cases()?;
    let found = c.each(&all, |case| {
        (c.note)(&format!("masonry-tilt: {}", case.name));
        let sim = scene(case.bodies.clone(), tilted(0.0), 0.01)?;
        let asked = Options { tilt: vec![Vec3::Z], ..Options::default() };
        let answer = statics(&sim, &asked)?;
        let angle = answer.tilt.first().and_then(|t| t.angle).unwrap_or(f64::NAN);
        let falls = |a: f64| -> Result<bool, ExperimentError> {
            let mut sim = scene(case.bodies.clone(), tilted(a), 0.01)?;
            Ok(drift(c, &mut sim, 6.0, 1e-3)? >= 1e-3)
        };
        let simulated = bisect((0.9 * angle, 1.05 * angle), to, falls)?;
        Ok((angle, simulated, picture(&sim.model, &sim.state, &answer)))
    })?;
    let (mut rows, mut exact, mut near) = (Vec::new(), 0.0_f64, 0.0_f64);
    for (case, (angle, simulated, svg)) in all.iter().zip(found) {
        let formula = case.formula.map(|(t, _)| t.atan());
        exact = exact.max(formula.map_or(0.0, |f| (angle - f).abs()));
        near = near.max((simulated / angle - 1.0).abs());
        rows.push(vec![
            case.name.into(),
            formula.map_or("-".into(), |f| format!("{f:.7}")),
            case.formula.map_or("-".into(), |f| f.1.into()),
            format!("{angle:.7}"),
            format!("{simulated:.6}"),
        ]);
        report.picture(&case.name.replace([' ', ','], "-"), case.name.into(), svg);
    }
    let head = ["structure", "formula [rad]", "tan =", "program [rad]", "simulator [rad]"];
    report.table("angles", "The angle at which it fails", &head, rows.clone());
    let angles: Vec<f64> = rows.iter().filter_map(|r| r[3].parse().ok()).collect();
    let x: Vec<f64> = (1..=angles.len()).map(|k| k as f64).collect();
    report.figure(
        "angles",
        "The angle at which each fails, in the order of the table",
        vec![crate::report::curve("static program", x, angles)],
        crate::report::over("Tilting table", "structure", "angle [rad]", (false, false)),
    );
    report.claim(
        "Blocks and columns fail at the angles of the formulas, to 1e-6.",
        format!("off by {} rad at most", number(exact)),
        exact < 1e-6,
    );
    report.claim(
        "The simulator fails at the angle of the program, to 1e-4.",
        format!("off by {} at most, bisected to {} rad", number(near), number(to)),
        near < c.pick(5e-3, 1e-4),
    );
    Ok(report)
}
