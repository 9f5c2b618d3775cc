//! The table of results, for 80 columns.

use std::fmt::Write;

use stickslip::{
    Dimension, Model, Motion,
    run::{BodySummary, Diagnostics, RunSummary, Spin, Turn, WallSummary},
};

use super::number::{quantity, seconds, short};

/// Bodies shown one by one; the rest are counted.
const SHOWN: usize = 12;
/// Columns of a terminal.
const COLUMNS: usize = 80;
/// Longest name of a body that is shown whole.
const NAME: usize = 13;

/// What happened in a run, for people.
pub fn render(summary: &RunSummary, model: &Model) -> String {
    let head = format!(
        "{}: {} steps of {} s to {} s, formulation {}, solver {}",
        summary.scene,
        summary.steps,
        summary.step,
        trimmed(summary.time),
        summary.formulation,
        summary.solver
    );
    let mut out = wrapped(&head, COLUMNS).join("\n") + "\n\n";
    bodies(&mut out, summary, model);
    let two = model.dimension() == Dimension::Two;
    let mut rows = diagnostics(&summary.diagnostics, two);
    if !model.joints().is_empty() {
        let error = quantity(summary.diagnostics.max_joint_error, "m or rad");
        rows.insert(2, ("max joint error", error));
    }
    rows.extend(wall(&summary.wall));
    let width = rows.iter().map(|r| r.0.len()).max().unwrap_or(0);
    for (name, value) in rows {
        for (k, line) in wrapped(&value, COLUMNS - width - 2).iter().enumerate() {
            let _ = writeln!(out, "{:width$}  {line}", if k == 0 { name } else { "" });
        }
    }
    if let Some(warning) = summary.parted_joints(model) {
        let _ = writeln!(out, "\nwarning: {warning}");
    }
    out
}

/// Text in lines of at most that many letters, broken after commas where that is possible.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for part in text.split_inclusive(", ") {
        let last = lines.len() - 1;
        let longer = lines[last].chars().count() + part.trim_end().chars().count();
        if longer > width && !lines[last].is_empty() {
            lines.push(String::new());
        }
        let last = lines.len() - 1;
        lines[last].push_str(part);
    }
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
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
    let head = ["body", "position [m]", "turn [deg]", "speed [m/s]", "spin [rad/s]"];
    let head = head.map(String::from);
    let mut widths = [0; 5];
    for row in rows.iter().chain([&head]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for (k, row) in [&head].into_iter().chain(&rows).enumerate() {
        let cells: Vec<String> = row
            .iter()
            .zip(widths)
            .enumerate()
            // Names and headings of vectors begin, numbers end where their column does.
            .map(|(c, (cell, width))| match c < 1 || (c < 2 && k == 0) {
                true => format!("{cell:width$}"),
                false => format!("{cell:>width$}"),
            })
            .collect();
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
        Turn::Angle(angle) => angle.to_degrees(),
        // The angle of the rotation about its own axis.
        Turn::Quaternion([w, x, y, z]) => 2.0 * norm(&[x, y, z]).atan2(w.abs()).to_degrees(),
    };
    let spin = match body.angular_velocity {
        Spin::Planar(omega) => omega,
        Spin::Spatial(omega) => norm(&omega),
    };
    let place: Vec<String> = body.position.iter().map(|x| format!("{:>8}", fixed(*x))).collect();
    [clipped(name), place.join(" "), clean(turn), clean(norm(&body.velocity)), clean(spin)]
}

/// A name, or the beginning and the end of a long one, which is where names differ.
fn clipped(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= NAME {
        return name.to_owned();
    }
    let (head, tail) = (NAME / 2, NAME - NAME / 2 - 1);
    let end = &letters[letters.len() - tail..];
    letters[..head].iter().chain(&['…']).chain(end).collect()
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// What is left of a zero by rounding is less than this, and shown as zero; `--json` has every
/// digit.
const ROUNDING: f64 = 1e-12;

/// Three digits.
fn clean(x: f64) -> String {
    short(if x.abs() < ROUNDING { 0.0 } else { x })
}

/// Up to six digits after the point.
fn trimmed(x: f64) -> String {
    let text = format!("{x:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Four digits after the point where they fit.
fn fixed(x: f64) -> String {
    let size = x.abs();
    if size < ROUNDING {
        "0".into()
    } else if (1e-3..100.0).contains(&size) {
        format!("{x:.4}")
    } else if (100.0..1e4).contains(&size) {
        format!("{x:.2}")
    } else {
        format!("{x:.1e}")
    }
}

fn vector(v: &[f64]) -> String {
    let parts: Vec<String> = v.iter().map(|x| clean(*x)).collect();
    format!("({}) kg m/s", parts.join(" "))
}

fn diagnostics(d: &Diagnostics, two: bool) -> Vec<(&'static str, String)> {
    let unit = if two { "m^2" } else { "m^3" };
    let measured = |value: Option<f64>, unit: &str| match value {
        Some(x) => quantity(x, unit),
        None => "not measured".into(),
    };
    let momentum = |p: [f64; 3]| vector(if two { &p[..2] } else { &p });
    let (start, end) = (d.momentum.initial.linear, d.momentum.r#final.linear);
    let joule = |x: f64| quantity(x, "J");
    let (first, last) = (joule(d.energy.initial), joule(d.energy.r#final));
    let increase = joule(d.energy.max_increase);
    let c = &d.constraints;
    let solver = &d.solver;
    vec![
        ("max penetration", measured(d.max_penetration, "m")),
        ("max overlap", measured(d.max_overlap, unit)),
        ("energy", format!("{first} at the start, {last} at the end, largest increase {increase}")),
        ("momentum", format!("{} at the start, {} at the end", momentum(start), momentum(end))),
        (
            "contacts",
            format!("{} in a step on average, {} at most", short(d.contacts.mean), d.contacts.max),
        ),
        (
            "constraints",
            format!(
                "{} unilateral, {} inter-contact, {} cross-contact",
                c.unilateral, c.inter, c.cross
            ),
        ),
        ("spurious contacts", d.sm_traps.map_or("not counted".into(), |n| n.to_string())),
        ("substeps", d.substeps.to_string()),
        (
            "solver",
            format!(
                "{} solves, {} failed, {} fallbacks, {} iterations each, residual {}",
                solver.solves,
                solver.failures,
                solver.fallbacks,
                short(solver.iterations_mean),
                short(solver.residual_max)
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
        ("stabilize", w.stabilise),
    ];
    let share = |s: f64| if w.total > 0.0 { 100.0 * s / w.total } else { 0.0 };
    let split: Vec<String> =
        stages.iter().map(|(name, s)| format!("{name} {:.0} %", share(*s))).collect();
    let (total, median) = (seconds(w.total), seconds(w.per_step_median));
    vec![("time", format!("{total}, median step {median}")), ("time by stage", split.join(", "))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_after_commas() {
        assert_eq!(wrapped("one, two, three", 9), ["one, two,", "three"]);
        assert_eq!(wrapped("unbreakable", 5), ["unbreakable"]);
        assert_eq!(wrapped("", 5), [""]);
    }

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(clipped("cube-1"), "cube-1");
        assert_eq!(clipped("left upper arm link 17"), "left u…ink 17");
    }
}
