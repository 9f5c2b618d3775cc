//! The files of a report.

use std::{fs, path::Path};

use stickslip_record::plot::{Curve, png, svg};

use crate::{
    Experiment, ExperimentError, Report, Verdict,
    page::{index_page, report_page},
};

fn put(path: &Path, data: &[u8]) -> Result<(), ExperimentError> {
    let fail = |source| ExperimentError::Write { path: path.display().to_string(), source };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(fail)?;
    }
    fs::write(path, data).map_err(fail)
}

/// Writes tables, plots, drawings and the page into `folder`, which is made if need be.
pub fn write_report(report: &Report, folder: &Path) -> Result<(), ExperimentError> {
    for table in &report.tables {
        let mut text = line(&table.head);
        table.rows.iter().for_each(|row| text.push_str(&line(row)));
        put(&folder.join(format!("{}.csv", table.name)), text.as_bytes())?;
    }
    for figure in &report.figures {
        let file = |ending: &str| folder.join(format!("{}.{ending}", figure.name));
        put(&file("csv"), columns(&figure.curves, &figure.options.x_label).as_bytes())?;
        put(&file("svg"), svg(&figure.curves, &figure.options)?.as_bytes())?;
        put(&file("png"), &png(&figure.curves, &figure.options)?)?;
    }
    for picture in &report.pictures {
        put(&folder.join(format!("{}.svg", picture.name)), picture.svg.as_bytes())?;
    }
    put(&folder.join("index.html"), report_page(report).as_bytes())
}

/// Writes the page that lists the reports, each in the folder of its name, with the time they all
/// took \[s\] and on how many cores; and summary.md, all claims as one table.
pub fn write_index(
    reports: &[(&Experiment, &Report)],
    time: (f64, usize),
    folder: &Path,
) -> Result<(), ExperimentError> {
    put(&folder.join("summary.md"), summary(reports).as_bytes())?;
    put(&folder.join("index.html"), index_page(reports, time).as_bytes())
}

/// All claims as a table in Markdown.
fn summary(reports: &[(&Experiment, &Report)]) -> String {
    let mut text = "| experiment | claim | measured | |\n|---|---|---|---|\n".to_owned();
    for (experiment, report) in reports {
        let name = format!("{}{}", experiment.name, if report.quick { " (quick)" } else { "" });
        for claim in &report.claims {
            let word = match claim.verdict {
                Verdict::Reproduced => "reproduced",
                Verdict::Differs => "**differs**",
            };
            text.push_str(&format!("| {name} | {} | {} | {word} |\n", claim.paper, claim.ours));
        }
    }
    text
}

fn line(cells: &[String]) -> String {
    let quoted: Vec<String> = cells
        .iter()
        .map(|c| match c.contains([',', '"', '\n']) {
            true => format!("\"{}\"", c.replace('"', "\"\"")),
            false => c.clone(),
        })
        .collect();
    format!("{}\n", quoted.join(","))
}

/// One row per value: the curve's name, x and y.
fn columns(curves: &[Curve], x: &str) -> String {
    let mut text = line(&["curve".into(), x.into(), "value".into()]);
    for curve in curves {
        for (t, v) in curve.time.iter().zip(&curve.value) {
            text.push_str(&line(&[curve.label.clone(), format!("{t:e}"), format!("{v:e}")]));
        }
    }
    text
}
