//! One row per frame: time, scalars, and the numbers of every body.

use std::fmt::Write;

use crate::{Replay, series::SERIES};

/// The replay as a table with a header line. Numbers are written so that reading them back gives
/// the same bits; what was not measured is empty.
pub fn csv(replay: &Replay) -> String {
    let mut out = String::from("step,time");
    for info in SERIES {
        let _ = write!(out, ",{}", info.name);
    }
    let columns = [
        ("position", &replay.position, &["x", "y", "z"][..]),
        ("orientation", &replay.orientation, &["w", "x", "y", "z"][..]),
        ("velocity", &replay.velocity, &["x", "y", "z"][..]),
        ("angular_velocity", &replay.angular_velocity, &["x", "y", "z"][..]),
    ];
    for body in &replay.model.bodies {
        for (name, _, parts) in &columns {
            for part in *parts {
                let _ = write!(out, ",{}", quoted(&format!("{}.{name}.{part}", body.name)));
            }
        }
    }
    out.push('\n');
    let n = replay.model.bodies.len();
    for k in 0..replay.frames() {
        let _ = write!(out, "{},{}", replay.step[k], replay.time[k]);
        replay.series[k].iter().for_each(|&v| push(&mut out, v));
        for b in 0..n {
            for (_, data, parts) in &columns {
                let width = parts.len();
                let from = width * (k * n + b);
                data[from..from + width].iter().for_each(|&v| push(&mut out, v));
            }
        }
        out.push('\n');
    }
    out
}

fn push(out: &mut String, value: f64) {
    out.push(',');
    if value.is_finite() {
        // Rust prints the shortest decimal that reads back as the same number.
        let _ = write!(out, "{value:?}");
    }
}

/// A cell, quoted where it must be (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
