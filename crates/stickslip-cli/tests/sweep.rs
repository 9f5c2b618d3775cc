//! `stickslip sweep` and `stickslip experiment` from outside.
#![allow(clippy::unwrap_used)]

mod common;

use std::{
    fs,
    process::{Command, Output},
};

use common::Folder;

fn stickslip(folder: &Folder, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stickslip"));
    command.args(arguments).current_dir(&folder.0).output().unwrap()
}

const SWEEP: &str = "scene = \"sliding-block\"\nseeds = [0, 1]\n[grid]\nstep = [0.01, 0.02]\n\
                     formulation = [\"stewart-trinkle\", \"separation\"]\nduration = [0.1]\n";

/// Every combination runs once; a second call does nothing again, a run that is missing is done,
/// and the table is the same bit for bit but for times.
#[test]
fn sweep_runs_the_grid_and_resumes() {
    let folder = Folder::new("sweep");
    fs::write(folder.file("grid.toml"), SWEEP).unwrap();
    let run = || {
        let output = stickslip(&folder, &["sweep", "grid.toml", "--out", "out"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let notes = String::from_utf8_lossy(&output.stderr).into_owned();
        (notes, fs::read_to_string(folder.0.join("out/sweep.csv")).unwrap())
    };
    let (notes, first) = run();
    assert!(notes.contains("8 runs, 0 of them done before"), "{notes}");
    assert_eq!(first.lines().count(), 9);
    assert!(first.starts_with("step,formulation,duration,seed,steps,max_penetration"), "{first}");
    fs::remove_file(folder.0.join("out/runs/000003.json")).unwrap();
    let (notes, second) = run();
    assert!(notes.contains("8 runs, 7 of them done before"), "{notes}");
    // The last columns are time and error.
    let without_time = |text: &str| -> Vec<String> {
        let cut = |line: &str| {
            let mut cells: Vec<&str> = line.split(',').collect();
            cells.truncate(cells.len() - 2);
            cells.join(",")
        };
        text.lines().map(cut).collect()
    };
    assert_eq!(without_time(&first), without_time(&second));
}

/// A wrong value is an error before anything runs.
#[test]
fn sweep_refuses_bad_input() {
    let folder = Folder::new("bad-sweep");
    fs::write(folder.0.join("bad.toml"), SWEEP.replace("0.02", "-1")).unwrap();
    let output = stickslip(&folder, &["sweep", "bad.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!folder.0.join("sweep").exists());
    let output = stickslip(&folder, &["sweep", "missing.toml"]);
    assert_eq!(output.status.code(), Some(2));
}

/// Experiments are listed, run by name, and an unknown one lists the known.
#[test]
fn experiments_run_by_name() {
    let folder = Folder::new("experiment");
    let list = stickslip(&folder, &["experiment", "list"]);
    assert!(String::from_utf8_lossy(&list.stdout).contains("rotation"));
    let output =
        stickslip(&folder, &["experiment", "rotation", "momentum", "--quick", "--out", "r"]);
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("rotation: 2 of 2 claims reproduced"), "{text}");
    assert!(folder.0.join("r/index.html").is_file());
    assert!(folder.0.join("r/rotation/index.html").is_file());
    let output = stickslip(&folder, &["experiment", "nothing"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("peg-in-hole"));
}
