//! Results as one page for the browser that needs nothing else.

use std::fmt::Write;

use stickslip_record::{
    RecordError,
    page::{escape, page},
};

use crate::table::{milliseconds, number, total};
use crate::trial::Row;
use crate::{Comparison, plots};

/// The plots of a comparison as SVG, by file name: profiles, accuracy, convergence.
pub fn figures(comparison: &Comparison) -> Result<Vec<(String, String)>, RecordError> {
    let mut out = vec![];
    let mut put = |name: String, plot: Option<Result<String, RecordError>>| {
        if let Some(svg) = plot {
            out.push((name, svg?));
        }
        Ok::<(), RecordError>(())
    };
    for class in comparison.classes() {
        put(format!("profile-{class}"), plots::profile(comparison, class))?;
        put(format!("accuracy-{class}"), plots::accuracy(comparison, class))?;
    }
    for problem in problems(comparison) {
        put(format!("convergence-{problem}"), plots::convergence(comparison, problem, false))?;
        put(format!("convergence-time-{problem}"), plots::convergence(comparison, problem, true))?;
    }
    Ok(out)
}

/// The problems that have curves, in their order.
fn problems(comparison: &Comparison) -> Vec<&str> {
    let mut out: Vec<&str> = vec![];
    for curve in &comparison.curves {
        if !out.contains(&curve.problem.as_str()) {
            out.push(&curve.problem);
        }
    }
    out
}

/// The page.
pub fn render(comparison: &Comparison) -> Result<String, RecordError> {
    let mut out = format!(
        "<h1>Solvers compared</h1>\n<p>Tolerance {:e}, error measure {}. A problem counts as solved \
         when its natural residual is below the tolerance, whatever the solver says.</p>\n",
        comparison.tolerance,
        escape(comparison.metric)
    );
    for class in comparison.classes() {
        let rows: Vec<&Row> = comparison.results.iter().filter(|r| r.class == class).collect();
        let _ = writeln!(out, "<h2>{class}</h2>");
        totals(&mut out, &comparison.solvers(Some(class)), &rows, &comparison.absent(class));
        let plots = [plots::profile(comparison, class), plots::accuracy(comparison, class)];
        for svg in plots.into_iter().flatten() {
            let _ = writeln!(out, "{}", inline(&svg?));
        }
    }
    let drawn = problems(comparison);
    if !drawn.is_empty() {
        out.push_str("<h2>Convergence</h2>\n");
    }
    for problem in drawn {
        for by_time in [false, true] {
            if let Some(svg) = plots::convergence(comparison, problem, by_time) {
                let _ = writeln!(out, "{}", inline(&svg?));
            }
        }
        out.push_str(&undrawn(comparison, problem));
    }
    every(&mut out, &comparison.results);
    Ok(page("Solvers compared", &out))
}

/// SVG inside a page scales with it.
fn inline(svg: &str) -> String {
    let start = svg.find("<svg").unwrap_or(0);
    let svg = &svg[start..];
    let size = |key: &str| {
        let rest = &svg[svg.find(&format!("{key}=\""))? + key.len() + 2..];
        rest[..rest.find('"')?].parse::<u32>().ok()
    };
    match (svg.contains("viewBox"), size("width"), size("height")) {
        (false, Some(w), Some(h)) => {
            let head = format!("<svg role=\"img\" viewBox=\"0 0 {w} {h}\"");
            svg.replacen("<svg", &head, 1)
        }
        _ => svg.to_owned(),
    }
}

/// Solvers without a curve on a problem, and why.
fn undrawn(comparison: &Comparison, problem: &str) -> String {
    let empty = comparison.curves.iter().filter(|c| c.problem == problem && c.samples.is_empty());
    let why = |solver: &str| {
        let row = comparison.results.iter().find(|r| r.problem == problem && r.solver == solver);
        row.map_or_else(|| "no result".to_owned(), |r| r.status.clone())
    };
    let words: Vec<String> =
        empty.map(|c| format!("{} ({})", escape(&c.solver), escape(&why(&c.solver)))).collect();
    match words.is_empty() {
        true => String::new(),
        false => format!("<p class=\"note\">Without a curve: {}.</p>\n", words.join("; ")),
    }
}

fn totals(out: &mut String, solvers: &[&str], rows: &[&Row], absent: &[(&str, &str)]) {
    out.push_str(
        "<div class=\"scroll\"><table class=\"numbers\"><tr><th>solver</th><th>solved</th><th>of</th><th>iterations (median)</th>\
         <th>median ms</th><th>worst ms</th></tr>\n",
    );
    for solver in solvers {
        let t = total(solver, rows);
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escape(&t.solver),
            t.solved,
            t.given,
            t.iterations,
            milliseconds(t.median),
            milliseconds(t.worst)
        );
    }
    for (solver, why) in absent {
        let solver = escape(solver);
        let _ =
            writeln!(out, "<tr><td>{solver}</td><td class=\"why\" colspan=\"5\">{why}</td></tr>");
    }
    out.push_str("</table></div>\n");
}

fn every(out: &mut String, rows: &[Row]) {
    out.push_str(
        "<details><summary>Every result</summary><div class=\"scroll\"><table class=\"numbers\"><tr><th>problem</th><th>class</th>\
         <th>size</th><th>contacts</th><th>solver</th><th>status</th><th>solved</th><th>error</th>\
         <th>iterations</th><th>ms</th></tr>\n",
    );
    for r in rows {
        let contacts = r.contacts.map_or_else(|| "-".into(), |c| c.to_string());
        let solved = if r.solved { "<td>yes</td>" } else { "<td class=\"no\">no</td>" };
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{contacts}</td><td class=\"text\">{}</td>\
             <td class=\"text\">{}</td>{solved}<td>{}</td><td>{}</td><td>{}</td></tr>",
            escape(&r.problem),
            r.class,
            r.size,
            escape(&r.solver),
            escape(&r.status),
            number(r.error),
            r.iterations,
            milliseconds(r.seconds)
        );
    }
    out.push_str("</table></div></details>\n");
}
