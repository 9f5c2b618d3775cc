//! Results for people, as text.

use std::fmt::Write;

use complementarity::registry;

use crate::Comparison;
use crate::trial::Row;

/// How a solver did on many problems.
#[derive(Clone, Debug, PartialEq)]
pub struct Total {
    /// The solver.
    pub solver: String,
    /// Problems it was given.
    pub given: usize,
    /// Problems it solved.
    pub solved: usize,
    /// Median time of the solved ones \[s\].
    pub median: f64,
    /// Largest time of a solved one \[s\].
    pub worst: f64,
    /// Median of the iterations on the solved ones.
    pub iterations: usize,
}

/// Sums up the rows of one solver.
pub fn total(solver: &str, rows: &[&Row]) -> Total {
    let own: Vec<&&Row> = rows.iter().filter(|r| r.solver == solver).collect();
    let mut times: Vec<f64> = own.iter().filter(|r| r.solved).map(|r| r.seconds).collect();
    let mut counts: Vec<usize> = own.iter().filter(|r| r.solved).map(|r| r.iterations).collect();
    times.sort_by(f64::total_cmp);
    counts.sort_unstable();
    let middle = times.len() / 2;
    let median = match times.len() {
        0 => f64::NAN,
        n if n % 2 == 0 => 0.5 * (times[middle - 1] + times[middle]),
        _ => times[middle],
    };
    Total {
        solver: solver.to_owned(),
        given: own.len(),
        solved: times.len(),
        median,
        worst: times.last().copied().unwrap_or(f64::NAN),
        iterations: counts.get(middle).copied().unwrap_or(0),
    }
}

/// Milliseconds with three digits that count; a dash where there is none.
pub fn milliseconds(seconds: f64) -> String {
    let ms = 1e3 * seconds;
    match ms {
        x if !x.is_finite() => "-".into(),
        x if x < 1.0 => format!("{x:.4}"),
        x if x < 100.0 => format!("{x:.2}"),
        x => format!("{x:.0}"),
    }
}

/// An error, short.
pub fn number(x: f64) -> String {
    if x.is_finite() { format!("{x:.1e}") } else { "-".into() }
}

/// Rows shown one by one; more are only summed up.
const SHOWN: usize = 400;

/// One line per result, then one per solver.
pub fn render(comparison: &Comparison) -> String {
    let rows = &comparison.results;
    let wide =
        |f: fn(&Row) -> usize, least: usize| rows.iter().map(f).max().unwrap_or(0).max(least);
    let problem = wide(|r| r.problem.chars().count(), 7).min(40);
    let solver = wide(|r| r.solver.len(), 6);
    let mut out = String::new();
    if rows.len() <= SHOWN {
        let _ = writeln!(
            out,
            "{:problem$}  {:5} {:>6} {:>8}  {:solver$}  {:15} {:6} {:>8} {:>10} {:>10}",
            "problem",
            "class",
            "size",
            "contacts",
            "solver",
            "status",
            "solved",
            "error",
            "iterations",
            "ms"
        );
    }
    for row in rows.iter().take(if rows.len() <= SHOWN { SHOWN } else { 0 }) {
        let contacts = row.contacts.map_or_else(|| "-".into(), |c| c.to_string());
        let status: String = row.status.chars().take(60).collect();
        let solved = if row.solved { "yes" } else { "no" };
        let _ = writeln!(
            out,
            "{:problem$}  {:5} {:>6} {contacts:>8}  {:solver$}  {status:15} {solved:6} {:>8} {:>10} {:>10}",
            row.problem,
            row.class,
            row.size,
            row.solver,
            number(row.error),
            row.iterations,
            milliseconds(row.seconds)
        );
    }
    totals(&mut out, comparison, solver);
    out
}

/// One line for each solver of each class.
fn totals(out: &mut String, comparison: &Comparison, solver: usize) {
    let rows = &comparison.results;
    for class in comparison.classes() {
        let of: Vec<&Row> = rows.iter().filter(|r| r.class == class).collect();
        let _ = writeln!(
            out,
            "\n{class}, tolerance {:e}: {:solver$}  {:>10}  {:>10} {:>10} {:>10}",
            comparison.tolerance, "", "solved", "iterations", "median ms", "worst ms"
        );
        for name in comparison.solvers(Some(class)) {
            let t = total(name, &of);
            let _ = writeln!(
                out,
                "  {name:solver$}  {:>5} of {:<4} {:>11} {:>10} {:>10}",
                t.solved,
                t.given,
                t.iterations,
                milliseconds(t.median),
                milliseconds(t.worst)
            );
        }
        for (name, why) in comparison.absent(class) {
            // Their names only where somebody asked for them by name.
            let all = comparison.asked.len() + 1 >= registry::names().len();
            if !all {
                let _ = writeln!(out, "  {name:solver$}  {why}");
            }
        }
    }
}
