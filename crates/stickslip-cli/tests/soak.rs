//! Random scenes from the command line.

#![allow(clippy::unwrap_used)]

use std::process::{Command, Output};

fn soak(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stickslip"));
    command.arg("soak").args(arguments).output().unwrap()
}

/// No run panics, stops, goes on without end, loses a body, gains energy, or lets bodies into each other.
#[test]
fn random_scenes_end_well() {
    let said = soak(&["--seeds", "0..199", "--steps", "20", "--brief"]).stdout;
    let said = String::from_utf8(said).unwrap();
    for bad in ["panic", "endless", "error", "lost", "energy", "refused", "deep"] {
        let bad = &format!("{bad} at");
        assert!(!said.contains(bad), "{said}");
    }
    assert!(said.ends_with("200 runs of 20 steps\n"), "{said}");
}

/// The same seeds say the same, as a table too.
#[test]
fn the_same_seeds_end_the_same_way() {
    let arguments = ["--seeds", "0..4", "--steps", "30", "--brief", "--formulation", "corrective"];
    let first = soak(&arguments).stdout;
    assert_eq!(first, soak(&arguments).stdout);
    let deep = String::from_utf8(first).unwrap().matches(": deep at").count();
    let table = soak(&[&arguments[..], &["--report"]].concat()).stdout;
    let table = String::from_utf8(table).unwrap();
    assert!(table.starts_with("| formulation | runs x steps | panic | endless |"), "{table}");
    let row: Vec<&str> = table.lines().nth(2).unwrap().split(" | ").collect();
    assert_eq!((row[0], row[1]), ("| `corrective`", "5 x 30"), "{table}");
    assert_eq!(row[7], deep.to_string(), "{table}");
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
