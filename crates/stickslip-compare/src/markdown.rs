//! Results as a page of the book.

use std::fmt::Write;

use crate::Comparison;
use crate::table::{Total, milliseconds, number, total};
use crate::trial::Row;

/// One table per family, and one per family with every problem in it, folded.
pub fn render(comparison: &Comparison) -> String {
    let mut out = String::new();
    let mut families: Vec<&str> = comparison.families.iter().map(String::as_str).collect();
    families.sort_unstable();
    families.dedup();
    for family in families {
        let rows: Vec<&Row> = comparison
            .results
            .iter()
            .zip(&comparison.families)
            .filter(|(_, f)| *f == family)
            .map(|(r, _)| r)
            .collect();
        let _ = writeln!(out, "### {family}, tolerance {:e}\n", comparison.tolerance);
        family_table(&mut out, comparison, &rows);
    }
    out
}

fn family_table(out: &mut String, comparison: &Comparison, rows: &[&Row]) {
    let solvers: Vec<&str> = comparison
        .solvers(None)
        .into_iter()
        .filter(|s| rows.iter().any(|r| r.solver == *s))
        .collect();
    out.push_str("| solver | solved | iterations | median ms | worst ms |\n");
    out.push_str("| --- | --- | --- | --- | --- |\n");
    for solver in &solvers {
        let Total { solver, given, solved, median, worst, iterations } = total(solver, rows);
        let (median, worst) = (milliseconds(median), milliseconds(worst));
        let _ = writeln!(
            out,
            "| `{solver}` | {solved} of {given} | {iterations} | {median} | {worst} |"
        );
    }
    let _ = writeln!(out, "\n<details><summary>Every problem</summary>\n");
    let _ = writeln!(out, "Milliseconds and iterations; failures in words.\n");
    let _ = writeln!(out, "| problem | n | {} |", solvers.join(" | "));
    let _ = writeln!(out, "| --- | --- |{}", " --- |".repeat(solvers.len()));
    let mut names: Vec<(&str, usize)> = vec![];
    for row in rows {
        if names.last().is_none_or(|(name, _)| *name != row.problem) {
            names.push((&row.problem, row.size));
        }
    }
    for (name, size) in names {
        let cell = |solver: &&str| {
            let row = rows.iter().find(|r| r.problem == name && r.solver == **solver);
            row.map_or_else(|| "-".to_owned(), |r| cell(r))
        };
        let cells: Vec<String> = solvers.iter().map(cell).collect();
        let _ = writeln!(out, "| {} | {size} | {} |", name.replace('|', "/"), cells.join(" | "));
    }
    out.push_str("\n</details>\n\n");
}

fn cell(row: &Row) -> String {
    if row.solved {
        return format!("{} ({})", milliseconds(row.seconds), row.iterations);
    }
    match row.status.split_once(':') {
        Some((_, why)) if why.contains("diagonal") => "zero diagonal".into(),
        Some((word, _)) => word.to_owned(),
        // it thinks that it is done, the measure does not
        None => format!("{} {}", row.status, number(row.error)),
    }
}
