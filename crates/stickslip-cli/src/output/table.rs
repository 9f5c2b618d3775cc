//! The table of results.

use std::fmt::Write;

use stickslip::{
    Dimension, Model, Motion,
    run::{BodySummary, Diagnostics, RunSummary, Spin, Turn, WallSummary},
};

/// Bodies shown one by one; the rest are counted.
const SHOWN: usize = 12;

/// What happened in a run, for people.
pub fn render(summary: &RunSummary, model: &Model) -> String {
    let mut out = format!(
        "{}: {} steps of {} s to {:.6} s, formulation {}, solver {}\n\n",
        summary.scene,
        summary.steps,
        summary.step,
        summary.time,
        summary.formulation,
        summary.solver
    );
    bodies(&mut out, summary, model);
    let two = model.dimension() == Dimension::Two;
    let mut rows = diagnostics(&summary.diagnostics, two);
    if !model.joints().is_empty() {
        let error = summary.diagnostics.max_joint_error;
        rows.insert(2, ("max joint error", format!("{error:.3e} m or rad")));
    }
    rows.extend(wall(&summary.wall));
    let width = rows.iter().map(|r| r.0.len()).max().unwrap_or(0);
    for (name, value) in rows {
        let _ = writeln!(out, "{name:width$}  {value}");
    }
    if let Some(warning) = summary.parted_joints(model) {
        let _ = writeln!(out, "\nwarning: {warning}");
    }
    out
}

fn bodies(out: &mut String, summary: &RunSummary, model: &Model) {
    let moving: Vec<&str> = model
        .bodies()
        .iter()
        .filter(|b| b.motion != Motion::Static)
        .map(|b| b.name.as_str())
        .collect();
    let still = model.bodies().len() - moving.len();
    let rows: Vec<[String; 5]> = moving
        .iter()
        .take(SHOWN)
        .filter_map(|name| Some(row(name, summary.bodies.get(*name)?)))
        .collect();
    let head =
        ["body", "position [m]", "orientation", "velocity [m/s]", "angular velocity [rad/s]"];
    let head = head.map(String::from);
    let mut widths = [0; 5];
    for row in rows.iter().chain([&head]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for row in [&head].into_iter().chain(&rows) {
        let cells: Vec<String> =
            row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        let _ = writeln!(out, "{}", cells.join("  ").trim_end());
    }
    let mut rest = Vec::new();
    if moving.len() > SHOWN {
        rest.push(format!("{} more that move", moving.len() - SHOWN));
    }
    if still > 0 {
        rest.push(format!("{still} static"));
    }
    if !rest.is_empty() {
        let _ = writeln!(out, "and {}", rest.join(", "));
    }
    out.push('\n');
}

fn row(name: &str, body: &BodySummary) -> [String; 5] {
    let turn = match body.orientation {
        Turn::Angle(angle) => numbers(&[angle]),
        Turn::Quaternion(q) => numbers(&q),
    };
    let spin = match body.angular_velocity {
        Spin::Planar(omega) => numbers(&[omega]),
        Spin::Spatial(omega) => numbers(&omega),
    };
    [name.into(), numbers(&body.position), turn, numbers(&body.velocity), spin]
}

fn numbers(values: &[f64]) -> String {
    let cells: Vec<String> = values.iter().map(|x| format!("{:>9}", number(*x))).collect();
    cells.join(" ")
}

/// Five digits, without an exponent where it is easily read. What rounding leaves of a zero is
/// shown as zero; `--json` has every digit.
fn number(x: f64) -> String {
    const ROUNDING: f64 = 1e-12;
    let size = x.abs();
    if size < ROUNDING {
        "0".into()
    } else if (1e-3..1e5).contains(&size) {
        format!("{x:.4}")
    } else {
        format!("{x:.2e}")
    }
}

fn diagnostics(d: &Diagnostics, two: bool) -> Vec<(&'static str, String)> {
    let unit = if two { "m^2" } else { "m^3" };
    let measured = |value: Option<f64>, unit: &str| match value {
        Some(x) => format!("{x:.3e} {unit}"),
        None => "not measured".into(),
    };
    let momentum = |p: [f64; 3]| numbers(if two { &p[..2] } else { &p });
    let (start, end) = (d.momentum.initial.linear, d.momentum.r#final.linear);
    vec![
        ("max penetration", measured(d.max_penetration, "m")),
        ("max overlap", measured(d.max_overlap, unit)),
        (
            "energy",
            format!(
                "{:.6} J at the start, {:.6} J at the end, largest increase {:.3e} J",
                d.energy.initial, d.energy.r#final, d.energy.max_increase
            ),
        ),
        ("momentum", format!("{} at the start, {} at the end", momentum(start), momentum(end))),
        (
            "contacts",
            format!("{:.1} in a step on average, {} at most", d.contacts.mean, d.contacts.max),
        ),
        (
            "constraints",
            format!(
                "{} unilateral, {} inter-contact, {} cross-contact",
                d.constraints.unilateral, d.constraints.inter, d.constraints.cross
            ),
        ),
        ("spurious contacts", d.sm_traps.map_or("not counted".into(), |n| n.to_string())),
        ("substeps", d.substeps.to_string()),
        (
            "solver",
            format!(
                "{} solves, {} failed, {} fallbacks, {:.1} iterations each, residual {:.1e}",
                d.solver.solves,
                d.solver.failures,
                d.solver.fallbacks,
                d.solver.iterations_mean,
                d.solver.residual_max
            ),
        ),
    ]
}

fn wall(w: &WallSummary) -> Vec<(&'static str, String)> {
    let stages = [
        ("detect", w.detect),
        ("formulate", w.formulate),
        ("solve", w.solve),
        ("integrate", w.integrate),
        ("stabilise", w.stabilise),
    ];
    let share = |s: f64| if w.total > 0.0 { 100.0 * s / w.total } else { 0.0 };
    let split: Vec<String> =
        stages.iter().map(|(name, s)| format!("{name} {:.0} %", share(*s))).collect();
    vec![
        ("time", format!("{:.3} s, median step {:.1} us", w.total, 1e6 * w.per_step_median)),
        ("time by stage", split.join(", ")),
    ]
}
