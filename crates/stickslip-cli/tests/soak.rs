//! Random scenes from the command line.

#![allow(clippy::unwrap_used)]

use std::process::{Command, Output};

fn soak(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stickslip"));
    command.arg("soak").args(arguments).output().unwrap()
}

/// No run panics, stops, loses a body or gains energy; the same seeds say the same.
#[test]
fn random_scenes_end_well() {
    let arguments = ["--seeds", "0..9", "--steps", "30", "--brief"];
    let first = String::from_utf8(soak(&arguments).stdout).unwrap();
    for bad in ["panic at", "error at", "lost at", "energy at", "refused at"] {
        assert!(!first.contains(bad), "{first}");
    }
    assert!(first.ends_with("10 runs of 30 steps\n"), "{first}");
    assert_eq!(String::from_utf8(soak(&arguments).stdout).unwrap(), first);
}

/// A scene that fails is printed smaller than it was, and fails as a file of its own. `penalty` lets
/// bodies into each other by design.
#[test]
fn failing_scenes_are_printed_smaller() {
    let arguments = ["--seeds", "1..3", "--steps", "60", "--formulation", "penalty"];
    let output = soak(&arguments);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    let scene = said.split("# smaller: ").nth(1).unwrap().split_once('\n').unwrap().1;
    let scene = scene.split("\n\npenalty").next().unwrap();
    assert!(scene.starts_with("# seed "), "{said}");
    assert!(scene.matches("[[body]]").count() <= 3, "{said}");
    let path = std::env::temp_dir().join(format!("stickslip-soak-{}.toml", std::process::id()));
    std::fs::write(&path, scene).unwrap();
    let check = Command::new(env!("CARGO_BIN_EXE_stickslip")).arg("check").arg(&path).output();
    std::fs::remove_file(&path).unwrap();
    assert!(check.unwrap().status.success(), "{scene}");
}
