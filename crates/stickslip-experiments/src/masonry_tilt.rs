//! Walls and columns on a tilting table.

use stickslip::{BodyInit, Dimension, geometry::Vec3};
use stickslip_stability::{Options, picture};

use crate::{
    Context, ExperimentError, Report,
    masonry::{bisect, brick, drift, ground, scene, statics, tilted},
    report::{curve, number, over},
    scene::{settings, simulate},
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
        case("stack bond, 3 x 6", wall(3, 6, false)?, None),
        case("running bond, 3 x 6", wall(3, 6, true)?, None),
        case("running bond, 6 x 6", wall(6, 6, true)?, None),
    ])
}

/// What was found for a structure: angles \[rad\], and a drawing.
struct Found {
    program: f64,
    simulated: f64,
    /// With the associated flow rule.
    associated: Option<f64>,
    svg: String,
}

fn find(c: &Context, case: &Case) -> Result<Found, ExperimentError> {
    (c.note)(&format!("masonry-tilt: {}", case.name));
    let sim = scene(case.bodies.clone(), tilted(0.0), 0.01)?;
    let asked = Options { tilt: vec![Vec3::Z], ..Options::default() };
    let answer = statics(&sim, &asked)?;
    let program = answer.tilt.first().and_then(|t| t.angle).unwrap_or(f64::NAN);
    let by = |formulation: &str, to: f64| {
        bisect((0.8 * program, 1.05 * program), to, |angle| {
            let rules = settings(formulation, 0.01);
            let mut sim = simulate(Dimension::Two, tilted(angle), case.bodies.clone(), rules)?;
            Ok(drift(c, &mut sim, 6.0, 1e-3)? >= 1e-3)
        })
    };
    let to = match case.formula {
        Some(_) => c.pick(1e-3, 1e-5),
        None => c.pick(4e-3, 1e-4),
    };
    let associated = match case.formula {
        Some(_) => None,
        None => Some(by("convex", c.pick(1e-2, 1e-3))?),
    };
    let simulated = by("separation", to)?;
    Ok(Found { program, simulated, associated, svg: picture(&sim.model, &sim.state, &answer) })
}

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "Blocks, columns and walls stand on a table that is tilted, in their own plane, until they \
         slide or topple. The static program gives the angle at once, `stickslip stability --tilt`; \
         the simulator by bisection; formulas give it where they are simple. Walls fall earlier than \
         the program says: it takes friction to follow the associated flow rule, which Coulomb's \
         does not. With that rule, the formulation `convex`, the simulator agrees with the program.",
    );
    report
        .set("Bricks of 0.4 x 0.2 m, friction 0.7 unless said; gravity is turned, not the table.");
    report.set("Simulator: h = 0.01 s; a structure falls if a block moves by 1 mm in 6 s.");
    let mut all = cases()?;
    all.truncate(c.pick(4, all.len()));
    let found = c.each(&all, |case| find(c, case))?;
    let angles: Vec<f64> = found.iter().map(|f| f.program).collect();
    let simulated: Vec<f64> = found.iter().map(|f| f.simulated).collect();
    let x: Vec<f64> = (1..=angles.len()).map(|k| k as f64).collect();
    report.figure(
        "angles",
        "The angle at which each fails, in the order of the table",
        vec![curve("static program", x.clone(), angles), curve("simulator", x, simulated)],
        over("Tilting table", "structure", "angle [rad]", (false, false)),
    );
    judge(c, &mut report, &all, &found);
    for (case, found) in all.iter().zip(found) {
        report.picture(&case.name.replace([' ', ','], "-"), case.name.into(), found.svg);
    }
    Ok(report)
}

fn judge(c: &Context, report: &mut Report, all: &[Case], found: &[Found]) {
    let (mut rows, mut exact, mut near) = (Vec::new(), 0.0_f64, 0.0_f64);
    let (mut lower, mut same) = (Vec::new(), 0.0_f64);
    for (case, f) in all.iter().zip(found) {
        let off = f.simulated / f.program - 1.0;
        match case.formula {
            Some((tangent, _)) => {
                exact = exact.max((f.program - tangent.atan()).abs());
                near = near.max(off.abs());
            }
            None => lower.push(off),
        }
        same = same.max(f.associated.map_or(0.0, |a| (a / f.program - 1.0).abs()));
        rows.push(vec![
            case.name.into(),
            case.formula.map_or("-".into(), |f| format!("{:.7}", f.0.atan())),
            case.formula.map_or("-".into(), |f| f.1.into()),
            format!("{:.7}", f.program),
            format!("{:.6}", f.simulated),
            f.associated.map_or("-".into(), |a| format!("{a:.4}")),
        ]);
    }
    let head = [
        "structure",
        "formula [rad]",
        "tan =",
        "program [rad]",
        "simulator [rad]",
        "simulator, associated [rad]",
    ];
    report.table("angles-table", "The angle at which it fails", &head, rows);
    report.claim(
        "Blocks and columns fail at the angles of the formulas, to 1e-6.",
        format!("off by {} rad at most", number(exact)),
        exact < 1e-6,
    );
    report.claim(
        "The simulator fails at the angle of the program, to 1e-4, where nothing slides on a turning block.",
        format!("off by {} at most", number(near)),
        near < c.pick(5e-3, 1e-4),
    );
    let percent: Vec<String> = lower.iter().map(|x| format!("{:.1} %", 100.0 * x)).collect();
    report.claim(
        "(Ours) Walls fall before the angle of the program: Coulomb's friction is not associated.",
        percent.join(", "),
        lower.iter().all(|x| *x < -5e-3),
    );
    report.claim(
        "(Ours) With the associated flow rule the simulator agrees with the program.",
        format!("off by {} at most", number(same)),
        same < 3e-2,
    );
}
