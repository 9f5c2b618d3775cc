//! `stickslip problems` and `stickslip compare` as users meet them.
#![allow(clippy::unwrap_used)]

mod common;

use std::{
    path::Path,
    process::{Command, Output},
};

use common::Folder;
use serde_json::Value;

fn stickslip(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stickslip")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn own(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems").join(name);
    path.to_str().unwrap().to_owned()
}

#[test]
fn compare_prints_exactly_the_keys_that_are_promised() {
    let file = own("peg-in-hole-000040.npz");
    let output = stickslip(&["compare", &file, "--solvers", "auto,pgs", "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let keys = |v: &Value| v.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&json), ["metric", "results", "tolerance"]);
    let results = json["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for (row, solver) in results.iter().zip(["auto", "pgs"]) {
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
        assert_eq!(keys(row), right);
        assert_eq!((&row["solver"], &row["solved"]), (&solver.into(), &true.into()));
        assert_eq!((&row["size"], &row["contacts"]), (&144.into(), &16.into()));
    }
}

#[test]
fn compare_writes_a_page_and_pictures() {
    let folder = Folder::new("page");
    let (page, plots) = (folder.file("report.html"), folder.file("plots"));
    let (file, choice) = (own("tight-hole-000040.npz"), "lemke,psor");
    let output = stickslip(&[
        "compare",
        &file,
        "--solvers",
        choice,
        "--html",
        &page,
        "--plots",
        &plots,
        "--metric",
        "norm_CCK",
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("tight-hole-000040"));
    assert!(std::fs::read_to_string(page).unwrap().contains("Performance profiles"));
    assert!(Path::new(&plots).join("profile-lcp.svg").exists());
}

#[test]
fn bad_input_is_told_and_ends_with_code_2() {
    let file = own("tight-hole-000040.npz");
    for (arguments, message) in [
        (vec!["compare", "no-such-file.npz"], "no-such-file.npz"),
        (vec!["compare", &file, "--solvers", "lemk"], "did you mean \"lemke\""),
        (vec!["compare", &file, "--metric", "x"], "norm_mCCK"),
        (vec!["compare", &file, "--tolerance", "2"], "(0, 1)"),
        (vec!["compare", &file, "--time-limit", "0"], "positive"),
        (vec!["problems", "convert", &file, "x.unknown"], "unknown extension"),
        (vec!["problems", "record", "box-stack", "--every", "0", "--out", "x"], "at least 1"),
    ] {
        let output = stickslip(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let told = text(&output.stderr);
        assert!(told.contains(message), "{arguments:?}: {told}");
    }
}

/// A scene's problems, recorded, described, collected and converted there and back.
#[test]
fn problems_are_recorded_described_and_converted() {
    let folder = Folder::new("problems");
    let (out, all) = (folder.file("out"), folder.file("all.h5"));
    let scene = ["problems", "record", "hello-world", "--every", "50", "--out", &out];
    let output = stickslip(&scene);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = stickslip(&["problems", &out, "-o", &all]);
    let lines = text(&output.stdout);
    assert!(lines.contains("hello-world-000100: lcp"), "{lines}");
    assert!(lines.contains("4 contacts"), "{lines}");
    let output = stickslip(&["problems", &all, "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["problems"][0]["facts"]["class"], "lcp");

    let (a, b) = (folder.file("a_lcp.dat"), folder.file("b.mtx"));
    let first = folder.file("out/hello-world-000100.npz");
    for (from, to) in [(&first, &a), (&a, &b)] {
        let output = stickslip(&["problems", "convert", from, to]);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let read = |file: &str| {
        let problem = complementarity::file::read(Path::new(file)).unwrap();
        (problem.matrix().to_dense(), problem.b().to_vec())
    };
    assert_eq!(read(&first), read(&b));
}
