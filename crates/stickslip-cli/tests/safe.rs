//! What is on the disk stays: inputs are not overwritten, damaged recordings do not crash the
//! program, names do not command the terminal.

#![allow(clippy::unwrap_used)]

mod common;
#[path = "../../complementarity/tests/support/mutate.rs"]
mod mutate;

use std::process::{Command, Output};

use common::Folder;

fn stickslip(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stickslip")).args(arguments).output().unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const SCENE: &str = "[simulation]\nduration = 0.1\n[[body]]\nname = \"ball\"\n\
                     shape = { type = \"sphere\", radius = 0.5 }\nposition = [0, 0, 1]\n";

#[test]
fn no_output_is_an_input() {
    let folder = Folder::new("inputs");
    let [scene, h5, link] = ["z.toml", "a.h5", "link.toml"].map(|name| folder.file(name));
    std::fs::write(&scene, SCENE).unwrap();
    std::os::unix::fs::symlink(&scene, &link).unwrap();
    assert_eq!(stickslip(&["run", &scene, "-q", "--record", &h5]).status.code(), Some(0));
    let before = std::fs::read(&h5).unwrap();
    let both = folder.file("both");
    for wrong in [
        vec!["run", &scene, "--record", &scene],
        vec!["run", &scene, "--html", &link],
        vec!["run", &scene, "--html", &both, "--record", &both],
        vec!["export", &h5, "--csv", &h5],
        vec!["export", &h5, "--html", &h5],
        vec!["plot", &h5, "--what", "energy", "-o", &h5],
        vec!["problems", "convert", &h5, &h5],
    ] {
        let output = stickslip(&wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {}", err(&output));
    }
    assert_eq!(std::fs::read_to_string(&scene).unwrap(), SCENE);
    assert_eq!(std::fs::read(&h5).unwrap(), before);
    // No temporary file is left.
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 3);
}

/// A runaway is an error, not an end like any other.
#[test]
fn a_state_beyond_the_limits_ends_with_code_1() {
    let folder = Folder::new("limits");
    let scene = folder.file("fast.toml");
    std::fs::write(&scene, format!("{SCENE}velocity = [1e12, 0, 0]\n")).unwrap();
    let output = stickslip(&["run", &scene]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(err(&output).contains("\"ball\" has a speed of 1.000e12 m/s"), "{}", err(&output));
}

#[test]
fn names_do_not_command_the_terminal() {
    let folder = Folder::new("escapes");
    let scene = folder.file("escape.toml");
    let text = SCENE.replace("\"ball\"", "\"ball \\u001b[2J\\u009b31m\"");
    std::fs::write(&scene, &text).unwrap();
    let output = stickslip(&["run", &scene]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("ball \\u001b[2J") && !shown.contains('\u{1b}'), "{shown}");
    std::fs::write(&scene, text.replace("[0, 0, 1]", "[0, 0]")).unwrap();
    let said = err(&stickslip(&["run", &scene]));
    assert!(!said.contains(['\u{1b}', '\u{9b}']), "{said}");
}

/// Recordings without a seal, as killed runs leave them, with bytes changed: read or refused.
#[test]
fn damaged_recordings_do_not_crash() {
    let folder = Folder::new("damaged");
    let [scene, h5, csv] = ["z.toml", "a.h5", "a.csv"].map(|name| folder.file(name));
    std::fs::write(&scene, SCENE).unwrap();
    assert_eq!(stickslip(&["run", &scene, "-q", "--record", &h5]).status.code(), Some(0));
    let mut bytes = std::fs::read(&h5).unwrap();
    bytes.truncate(bytes.len() - 24);
    let (mut read, mut refused) = (0, 0);
    for case in 0..mutate::cases(60) {
        let mut changed = bytes.clone();
        let mut r = mutate::Random::new(case);
        // The structures stand at the beginning.
        let range = if case % 2 == 0 { 4096 } else { bytes.len() };
        for _ in 0..=r.below(2) {
            changed[r.below(range)] = r.below(256) as u8;
        }
        std::fs::write(&h5, &changed).unwrap();
        let output = stickslip(&["export", &h5, "--csv", &csv]);
        let said = format!("seed {}, case {case}: {}", mutate::SEED, err(&output));
        match output.status.code() {
            Some(0) => read += 1,
            Some(2) => {
                refused += 1;
                assert!(said.contains("a.h5"), "{said}");
            }
            other => panic!("{other:?}: {said}"),
        }
    }
    assert!(read > 0 && refused > 0, "{read} read, {refused} refused");
}
