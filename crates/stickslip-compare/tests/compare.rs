//! Comparing solvers: rows, curves, recorded runs, reports.

#![allow(clippy::unwrap_used)] // helpers of tests may

use std::path::{Path, PathBuf};

use complementarity::Problem;
use stickslip::Simulator;
use stickslip_compare::{
    Comparison, Entry, Progress, Settings, SourceError, capture, facts::Facts, markdown, page,
    source, table,
};
use stickslip_record::{FrameChoice, RecordOptions, Recorder, RunInfo};
use stickslip_scene::Scene;

/// Goes on for so many trials.
struct Patience(usize);

impl Progress for Patience {
    fn begin(&mut self, _done: usize, _count: usize, _what: &str) {
        self.0 = self.0.saturating_sub(1);
    }

    fn interrupted(&self) -> bool {
        self.0 == 0
    }
}

fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems")
}

fn load(names: &[&str]) -> Vec<(Entry, Problem)> {
    let mut out = vec![];
    for name in names {
        for entry in source::load(&own().join(name), &source::Rebuild::default()).unwrap() {
            let problem = entry.problem().unwrap();
            out.push((entry, problem));
        }
    }
    out
}

fn settings(solvers: &[&str]) -> Settings {
    Settings { solvers: solvers.iter().map(|s| (*s).into()).collect(), ..Settings::default() }
}

const FILES: [&str; 3] = ["peg-in-hole-000040.npz", "joints-000100.npz", "pile-cone-000200.npz"];

#[test]
fn every_solver_that_takes_a_problem_gets_a_row() {
    let entries = load(&FILES);
    let chosen = settings(&["auto", "pivotal", "ncp-pgs"]);
    let done = Comparison::run(&entries, &chosen, &mut Patience(100)).unwrap();
    let pairs: Vec<(&str, &str)> =
        done.results.iter().map(|r| (r.class, r.solver.as_str())).collect();
    let right = [
        ("lcp", "auto"),
        ("lcp", "pivotal"),
        ("mlcp", "auto"),
        ("mlcp", "pivotal"),
        ("cone", "auto"),
        ("cone", "ncp-pgs"),
    ];
    assert_eq!(pairs, right);
    assert!(done.results.iter().all(|r| r.solved && r.seconds > 0.0 && r.error < 1e-7));
    assert!(!done.interrupted);
    let json = serde_json::to_value(&done).unwrap();
    let keys = |v: &serde_json::Value| v.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&json), ["metric", "results", "tolerance"]);
    let right = [
        "class",
        "contacts",
        "error",
        "iterations",
        "problem",
        "seconds",
        "size",
        "solved",
        "solver",
        "status",
    ];
    assert_eq!(keys(&json["results"][0]), right);
    assert_eq!(json["results"][0]["contacts"], 16);
}

#[test]
fn an_interrupt_keeps_what_was_done() {
    let entries = load(&FILES);
    let done = Comparison::run(&entries, &settings(&[]), &mut Patience(3)).unwrap();
    assert!(done.interrupted);
    assert_eq!(done.results.len(), 2);
}

#[test]
fn unknown_solvers_are_an_error_that_lists_the_known() {
    let error = Comparison::run(&load(&FILES), &settings(&["lemk"]), &mut Patience(9)).unwrap_err();
    assert!(error.to_string().contains("did you mean \"lemke\""), "{error}");
}

/// Gauss-Seidel on a stack: the error falls, and the last sample is the error of the result.
#[test]
fn curves_end_at_the_result() {
    let entries = load(&["pile-cone-000200.npz"]);
    let settings = Settings { curves: 1, ..settings(&["ncp-pgs"]) };
    let done = Comparison::run(&entries, &settings, &mut Patience(9)).unwrap();
    let samples = &done.curves[0].samples;
    assert!(samples.len() > 10);
    assert!(samples.windows(2).all(|w| w[0].iteration <= w[1].iteration));
    assert!(samples.windows(2).all(|w| w[0].seconds <= w[1].seconds + 1e-3));
    let last = samples.last().unwrap();
    assert_eq!(last.error, done.results[0].error);
    assert!(last.error < 1e-3 * samples[0].error);
}

#[test]
fn reports_hold_every_result_and_ask_nothing_of_the_network() {
    let entries = load(&FILES);
    let settings = Settings { curves: 1, ..settings(&["auto", "pivotal", "pgs", "ncp-pgs"]) };
    let done = Comparison::run(&entries, &settings, &mut Patience(100)).unwrap();
    let html = page::render(&done).unwrap();
    // per class a profile and accuracy, per problem two curves
    assert_eq!(html.matches("<svg").count(), 3 * 2 + 3 * 2);
    assert!(!html.contains("http://www.w3.org/1999/xlink"));
    for word in ["<script", "src=", "@import", "<link"] {
        assert!(!html.contains(word), "{word}");
    }
    let (text, tables) = (table::render(&done), markdown::render(&done));
    for (entry, _) in &entries {
        for report in [&html, &text, &tables] {
            assert!(report.contains(&entry.name), "{}", entry.name);
        }
    }
    assert_eq!(page::figures(&done).unwrap().len(), 12);
}

/// A run recorded with a change from the command line comes back with that change, and under
/// another formulation.
#[test]
fn recorded_runs_become_problems_again() {
    let changes = [stickslip_scene::Override::parse("body.cube.friction=0.3").unwrap()];
    let scene = Scene::open("hello-world", &changes).unwrap();
    let simulator = || {
        let scene = scene.clone();
        Simulator::new(scene.model, scene.state, scene.settings).unwrap()
    };
    let path = std::env::temp_dir().join(format!("stickslip-compare-{}.h5", std::process::id()));
    let text = format!("{}# changed by {}\n", scene.text, changes[0].label);
    let info = RunInfo { name: scene.name.clone(), scene: text, revision: String::new() };
    let frames = FrameChoice { every: Some(20), ranges: vec![] };
    let options = RecordOptions { frames, ..Default::default() };
    let mut run = simulator();
    let recorder = Recorder::attach(&path, &mut run, &info, options).unwrap();
    for _ in 0..run.settings.steps() {
        run.step().unwrap();
    }
    recorder.finish().unwrap();

    let same = source::load(&path, &source::Rebuild::default()).unwrap();
    let seen = capture::run(simulator(), "x", 20, |_| true).unwrap();
    assert!(!same.is_empty());
    let last = |entries: &[Entry]| entries.last().unwrap().content.clone();
    assert_eq!(last(&same), last(&seen));
    let cone = source::Rebuild {
        formulation: Some("stewart-trinkle".into()),
        changes: vec![stickslip_scene::Override::parse("friction=quadratic").unwrap()],
    };
    let other = source::load(&path, &cone).unwrap();
    assert!(other.iter().all(|e| e.content.class_name() == "cone"));
    // combined as the geometric mean of 0.3 and the floor's own
    let Problem::Cone(p) = other.last().unwrap().problem().unwrap() else { unreachable!() };
    let Problem::Lcp(q) = same.last().unwrap().problem().unwrap() else { unreachable!() };
    assert!((p.contacts[0].mu - q.contacts[0].mu).abs() < 1e-15);
    let wrong = source::Rebuild { formulation: Some("nonsense".into()), changes: vec![] };
    assert!(matches!(source::load(&path, &wrong), Err(SourceError::Scene { .. })));
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn folders_expand_and_empty_ones_are_told() {
    let files = source::expand(&[own()]).unwrap();
    assert!(files.len() >= 15 && files.is_sorted());
    let empty = own().join("scenes");
    let error = source::expand(&[empty]).unwrap_err().to_string();
    assert!(error.contains("no problem files"), "{error}");
}

#[test]
fn facts_by_hand() {
    use complementarity::{Lcp, Matrix, problem::Dense};
    let a = Dense::from_rows(&[&[2.0, 1.0, 0.0], &[1.0, 2.0, 0.0], &[0.0, 0.0, 0.0]]);
    let problem = Problem::Lcp(Lcp::new(Matrix::Dense(a), vec![-1.0, 3.0, 0.0]).unwrap());
    let facts = Facts::of(&problem);
    assert_eq!((facts.size, facts.entries, facts.rank), (3, 4, Some(2)));
    assert_eq!((facts.entry_range, facts.b_max, facts.asymmetry), (Some((1.0, 2.0)), 3.0, 0.0));
    assert_eq!(facts.definiteness, Some("positive semidefinite"));
    let (least, most) = facts.spectrum.unwrap();
    assert!(least.abs() < 1e-15 && (most - 3.0).abs() < 1e-14, "{least} {most}");
}

/// Every solver that was asked for is in the table of every class, with its numbers or with the reason.
#[test]
fn solvers_that_take_no_problem_of_a_class_say_so() {
    let entries = load(&FILES);
    let chosen = settings(&["auto", "pivotal", "ncp-pgs"]);
    let done = Comparison::run(&entries, &chosen, &mut Patience(100)).unwrap();
    let why = "does not take problems of this class";
    assert_eq!(done.absent("cone"), [("pivotal", why)]);
    assert_eq!(done.absent("lcp"), [("ncp-pgs", why)]);
    let html = page::render(&done).unwrap();
    assert_eq!(html.matches(why).count(), 3, "pivotal for cones, ncp-pgs for both others");
    assert!(table::render(&done).contains(&format!("ncp-pgs  {why}")));
    assert!(html.contains("prefers-color-scheme:dark"));
}
