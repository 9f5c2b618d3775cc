//! Rows of the problems that PEG and the standard model write.

use stickslip::{Dimension, geometry::Vec3, settings::ProblemForm};

use stickslip_record::plot::Curve;

use crate::{
    Context, ExperimentError, Report,
    draw::{around, snapshot},
    report::{curve, over},
    scene::{G, cuboid, settings, simulate, wrong},
};

/// Contact rows of the standard model, (4.52) without bodies and joints.
fn standard(n_u: usize, n_d: usize) -> usize {
    n_u * (2 + n_d)
}

/// Contact rows of PEG with `n_s` contacts in constraints of two, (4.53).
fn peg(n_u: usize, n_s: usize, n_d: usize) -> usize {
    (n_u - n_s) * (2 + n_d) + n_s + n_s / 2 * (n_d + 1)
}

/// A row of boxes on a slab that ends at x = 0, the first across its edge: sizes of the first
/// step's problem, velocities kept.
fn measured(
    formulation: &str,
    n_boxes: usize,
    across: bool,
) -> Result<(usize, [usize; 3], stickslip::Simulator), ExperimentError> {
    let at = Vec3::new(-10.0, 0.0, -0.5);
    let mut bodies = vec![cuboid(Vec3::new(20.0, 4.0, 1.0))?.fixed().at(at)];
    let first = if across { -0.2 } else { -1.0 };
    for i in 0..n_boxes {
        bodies.push(cuboid(Vec3::splat(0.4))?.at(Vec3::new(first - i as f64, 0.0, 0.2)));
    }
    let mut setup = settings(formulation, 0.01);
    setup.problem_form = ProblemForm::Full;
    setup.friction_directions = 4;
    let mut sim = simulate(Dimension::Three, -Vec3::Z * G, bodies, setup)?;
    let report = sim.step().map_err(wrong)?;
    let n = report.constraints;
    Ok((report.solves.size, [n.unilateral, n.inter, n.cross], sim))
}

fn intro() -> Report {
    let mut report = Report::about(
        "Rows of the mixed problem of one step. Where several contacts of the standard model are \
         one constraint of PEG, only one of them can push and needs friction, so that the problem \
         is smaller.",
    );
    report
        .set("Friction cone with 4 edges (the figure does not say); velocities kept as unknowns.");
    report.set(
        "Boxes of 0.4 m in a row on a slab; the first hangs over its edge, where corners meet.",
    );
    report
}

/// The three lines of the figure.
fn formulas(n_d: usize) -> Vec<Curve> {
    let contacts: Vec<f64> = (2..=40).step_by(2).map(|n| n as f64).collect();
    let line = |label: &str, f: &dyn Fn(usize) -> usize| {
        curve(label, contacts.clone(), contacts.iter().map(|&n| f(n as usize) as f64).collect())
    };
    vec![
        line("standard model, (4.52)", &|n| standard(n, n_d)),
        line("PEG, one constraint of two, (4.54)", &|n| peg(n, 2, n_d)),
        line("PEG, all in constraints of two, (4.55)", &|n| peg(n, n, n_d)),
    ]
}

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    (c.note)("problem-sizes");
    let n_d = 4;
    let mut report = intro();
    let mut curves = formulas(n_d);
    let (mut rows, mut fewer, mut exact) = (Vec::new(), true, true);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for n in [1, 2, 4, 8] {
        for across in [false, true] {
            let (st, counts, _) = measured("stewart-trinkle", n, across)?;
            let (lnc, [u, i, _], _) = measured("lnc", n, across)?;
            let (full, peg_counts, sim) = measured("peg", n, across)?;
            let n_s = 2 * i;
            let formula = 6 * n + peg(u + n_s, n_s, n_d);
            exact &= st == 6 * n + standard(counts[0], n_d) && lnc == formula;
            fewer &= lnc <= 6 * n + standard(u + n_s, n_d);
            x.push((u + n_s) as f64);
            y.push((lnc - 6 * n) as f64);
            let place = if across { "at the edge" } else { "inside" };
            rows.push(vec![
                n.to_string(),
                place.into(),
                format!("{} contacts, {st} rows", counts[0]),
                format!("{u} U, {i} I, {lnc} rows"),
                format!(
                    "{} U, {} I, {} X, {full} rows",
                    peg_counts[0], peg_counts[1], peg_counts[2]
                ),
                formula.to_string(),
            ]);
            if n == 4 && across {
                let caption = "four boxes, the first over the edge".into();
                report.picture("row", caption, snapshot(&sim, around(&sim)));
            }
        }
    }
    curves.push(curve("measured, I constraints", x, y));
    let options = over(
        "Contact rows, 4 friction directions",
        "contacts of the standard model",
        "rows",
        (false, false),
    );
    report.figure("sizes", "Rows of the contact constraints alone", curves, options);
    let head =
        ["boxes", "where", "standard model", "I constraints alone", "all of PEG", "formula (4.53)"];
    report.table("sizes-measured", "Problems of the first step, bodies included", &head, rows);
    report.claim(
        "The sizes are those of (4.52) and (4.53).",
        format!("every measured problem {}", if exact { "agrees" } else { "does not agree" }),
        exact,
    );
    report.claim(
        "A problem of PEG is never larger than that of the standard model on the same contacts.",
        format!(
            "{} with U and I constraints; X constraints add one row for each contact",
            if fewer { "holds" } else { "fails" }
        ),
        fewer,
    );
    Ok(report)
}
