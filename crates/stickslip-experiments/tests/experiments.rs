//! Experiments that take a moment: what they must reproduce, and what their pages hold.

#![allow(clippy::unwrap_used)]

use std::{path::PathBuf, sync::Arc};

use stickslip_experiments::{
    Context, Cores, EXPERIMENTS, Report, Verdict, find, write_index, write_report,
};

fn folder(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("stickslip-experiments-{}-{name}", std::process::id()))
}

fn quick(name: &str) -> Report {
    let out = folder(name);
    let cores = Cores::new(0, Arc::default());
    find(name).unwrap().run(&Context::new(true, &out, &cores, &|_| {})).unwrap()
}

/// These claims are exact facts of the schemes; they hold on any machine.
#[test]
fn exact_claims_are_reproduced() {
    for name in [
        "rotation",
        "momentum",
        "problem-sizes",
        "pendulum",
        "peg-in-hole",
        "box-stack",
        "masonry-rocking",
        "masonry-limits",
        "whitney",
    ] {
        for claim in quick(name).claims {
            assert_eq!(claim.verdict, Verdict::Reproduced, "{name}: {claim:?}");
        }
    }
}

/// The paper's orders of magnitude: several points leave a tenth of the kinetic energy or less.
#[test]
fn several_points_calm_the_block() {
    let report = quick("block-in-plane");
    assert_eq!(report.claims[0].verdict, Verdict::Reproduced, "{:?}", report.claims[0]);
}

/// Every plot says what its axes show with units, names its lines, and carries the seeds.
#[test]
fn plots_are_labelled() {
    // Long ones aside: they draw with the same few functions.
    let long = ["pile", "grasp", "grasp-friction", "solver-profile", "sphere-solvers", "polygons"];
    let long: Vec<&str> =
        long.into_iter().chain(["masonry-arch", "masonry-tilt", "masonry-known"]).collect();
    let plots = EXPERIMENTS.iter().map(|e| e.name).filter(|n| !long.contains(n));
    for name in plots.filter(|n| *n != "robot-speed") {
        let report = quick(name);
        assert!(!report.figures.is_empty() && !report.setup.is_empty());
        for figure in &report.figures {
            let (axes, title) = (&figure.options, &figure.options.title);
            assert!(!axes.label.is_empty() && !axes.x_label.is_empty(), "{name}: {title}");
            assert!(figure.curves.iter().all(|c| !c.label.is_empty()), "{name}: {title}");
            assert!(report.seeds.is_empty() || title.contains("seed"), "{name}: {title}");
        }
    }
}

/// Every solver of the table is drawn, or the caption says why not.
#[test]
fn no_solver_is_left_out() {
    let report = quick("many-solvers");
    assert!(report.tables[0].rows.len() > 15);
    for row in &report.tables[0].rows {
        let shown = report.figures.iter().any(|f| {
            f.caption.contains(row[1].as_str()) || f.curves.iter().any(|c| c.label == row[1])
        });
        assert!(shown, "{}", row[1]);
    }
}

/// The files: tables and curves as CSV with the numbers of the report, SVG, PNG, and a page that
/// shows each of them with its verdicts.
#[test]
fn report_is_written_whole() {
    let (report, out) = (quick("rotation"), folder("written"));
    write_report(&report, &out.join("rotation")).unwrap();
    let read = |file: &str| std::fs::read_to_string(out.join("rotation").join(file)).unwrap();
    let table = read("areas-table.csv");
    assert_eq!(table.lines().count(), 7);
    assert!(table.lines().nth(2).unwrap().starts_with("0.1,0.0025,0.002498"), "{table}");
    assert!(read("areas.svg").contains("area [m²]"));
    let png = std::fs::read(out.join("rotation/areas.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    let page = read("index.html");
    for part in ["areas.svg", "areas.png", "semi.svg", "reproduced", "0.0612", "section 5.3"] {
        assert!(page.contains(part), "{part}");
    }
    write_index(&[(find("rotation").unwrap(), &report)], (1.0, 1), &out).unwrap();
    let index = std::fs::read_to_string(out.join("index.html")).unwrap();
    assert!(index.contains("rotation/index.html") && index.contains("2 of 2"));
    let summary = std::fs::read_to_string(out.join("summary.md")).unwrap();
    assert_eq!(summary.lines().filter(|l| l.starts_with("| rotation (quick) |")).count(), 2);
    std::fs::remove_dir_all(&out).unwrap();
}

/// Names are unique and fit for folders.
#[test]
fn names_are_unique() {
    let mut names: Vec<&str> = EXPERIMENTS.iter().map(|e| e.name).collect();
    assert!(
        names
            .iter()
            .all(|n| n.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c.is_ascii_digit()))
    );
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), EXPERIMENTS.len());
    assert!(find("no-such").is_none());
}
