//! The curves of a report.

use stickslip_record::RecordError;
use stickslip_record::plot::{Curve as Line, PlotOptions, svg};

use crate::Comparison;
use crate::profile::profiles;
use crate::trial::Row;

/// Errors below are drawn here: nothing can be measured there.
const FLOOR: f64 = 1e-17;

/// Performance profiles of the solvers of a class; `None` where nothing was solved.
pub(crate) fn profile(comparison: &Comparison, class: &str) -> Option<Result<String, RecordError>> {
    let rows: Vec<&Row> = comparison.results.iter().filter(|r| r.class == class).collect();
    let all = profiles(&rows, &comparison.solvers(Some(class)));
    let last = all.iter().flat_map(|p| p.steps.last()).fold(10.0_f64, |m, s| m.max(s.0));
    let lines: Vec<Line> = all.iter().map(|p| steps(&p.solver, &p.steps, last)).collect();
    let any = all.iter().any(|p| !p.steps.is_empty());
    let options = PlotOptions {
        title: format!("Performance profiles, {class}"),
        label: "share of the problems solved".into(),
        x_label: "time, as a multiple of the fastest".into(),
        log_x: true,
        ..PlotOptions::default()
    };
    any.then(|| svg(&lines, &options))
}

/// A step function from 1 to `last`.
fn steps(label: &str, steps: &[(f64, f64)], last: f64) -> Line {
    let (mut time, mut value) = (vec![1.0], vec![0.0]);
    let mut before = 0.0;
    for &(ratio, share) in steps {
        time.extend([ratio, ratio]);
        value.extend([before, share]);
        before = share;
    }
    time.push(last);
    value.push(before);
    Line { label: label.to_owned(), time, value }
}

/// Error against time, one point per problem and solver.
pub(crate) fn accuracy(
    comparison: &Comparison,
    class: &str,
) -> Option<Result<String, RecordError>> {
    let line = |solver: &&str| {
        let rows: Vec<&Row> = comparison
            .results
            .iter()
            .filter(|r| r.class == class && r.solver == **solver && r.error.is_finite())
            .collect();
        let label = match rows.is_empty() {
            true => format!("{solver} (no result)"),
            false => (*solver).to_owned(),
        };
        Line {
            label,
            time: rows.iter().map(|r| 1e3 * r.seconds).collect(),
            value: rows.iter().map(|r| r.error.max(FLOOR)).collect(),
        }
    };
    let lines: Vec<Line> = comparison.solvers(Some(class)).iter().map(line).collect();
    let options = PlotOptions {
        title: format!("Accuracy against time, {class}"),
        label: format!("error ({})", comparison.metric),
        x_label: "time [ms]".into(),
        log: true,
        log_x: true,
        marks: true,
        ..PlotOptions::default()
    };
    lines.iter().any(|l| !l.time.is_empty()).then(|| svg(&lines, &options))
}

/// The best error so far against the iterations (or the time) on one problem.
pub(crate) fn convergence(
    comparison: &Comparison,
    problem: &str,
    by_time: bool,
) -> Option<Result<String, RecordError>> {
    let of: Vec<_> = comparison.curves.iter().filter(|c| c.problem == problem).collect();
    let line = |c: &&crate::comparison::Curve| {
        let (mut time, mut value, mut best) = (vec![], vec![], f64::INFINITY);
        for s in &c.samples {
            best = best.min(s.error.max(FLOOR));
            time.push(if by_time { 1e3 * s.seconds } else { s.iteration.max(1) as f64 });
            value.push(best);
        }
        Line { label: c.solver.clone(), time, value }
    };
    let lines: Vec<Line> = of.iter().map(line).filter(|l| !l.time.is_empty()).collect();
    let options = PlotOptions {
        title: problem.to_owned(),
        label: format!("best error so far ({})", comparison.metric),
        x_label: if by_time { "time [ms]" } else { "iterations" }.into(),
        log: true,
        log_x: true,
        ..PlotOptions::default()
    };
    (!lines.is_empty()).then(|| svg(&lines, &options))
}
