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

/// Three cones among five bodies: the depth of two of them took minutes, its polytope doubled its faces with every corner.
#[test]
fn a_heap_of_cones_ends() {
    let said = soak(&["--seeds", "313", "--steps", "200", "--brief"]).stdout;
    assert_eq!(String::from_utf8(said).unwrap(), "separation: all well\n1 runs of 200 steps\n");
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

/// Pieces run apart and put together give what one run gives; the file says what standard output does.
#[test]
fn pieces_are_put_together_from_their_files() {
    let folder = std::env::temp_dir().join(format!("stickslip-soak-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let common = ["--steps", "30", "--brief", "--formulation", "corrective"];
    let run = |more: &[&str]| soak(&[&common[..], more].concat());
    let whole = run(&["--seeds", "0..4", "--json", &file("whole")]).stdout;
    run(&["--seeds", "0,2..2", "--json", &file("first")]);
    run(&["--seeds", "3..4,1", "--json", &file("second")]);
    let read = |name: &str| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap()
    };
    let put = |more: &[&str]| {
        soak(&[&["--brief", "--merge", &file("first"), &file("second")], more].concat())
    };
    let merged = put(&["--json", &file("merged")]);
    assert_eq!(merged.status.code(), Some(1));
    assert_eq!(merged.stdout, whole);
    let (whole, merged) = (read("whole"), read("merged"));
    assert_eq!(whole["totals"], merged["totals"]);
    assert_eq!(whole["findings"], merged["findings"]);
    assert_eq!(whole["pieces"][0]["runs"], 5);
    let findings = whole["findings"].as_array().unwrap();
    let deep: Vec<_> = findings.iter().filter(|f| f["kind"] == "deep").collect();
    assert_eq!(whole["totals"]["corrective"]["deep"], deep.len());
    for finding in deep {
        assert!(finding["value"].as_f64().unwrap() > 0.0, "{finding}");
        assert_eq!(finding["bodies"].as_array().unwrap().len(), 2, "{finding}");
    }
    // Nothing is counted twice, and no input is written over.
    for wrong in [&["--merge", &file("whole")][..], &["--json", &file("first")]] {
        let output = put(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
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
