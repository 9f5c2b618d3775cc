//! Recordings from the command line: resumed, cut short by a full disk, with frames of chosen steps.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::process::{Command, Output};

use common::Folder;
use serde_json::Value;
use stickslip_record::Recording;

fn stickslip(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stickslip")).args(arguments).output().unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A run that goes on from a recording ends where one ends that was never stopped.
#[test]
fn a_resumed_run_ends_where_the_whole_one_does() {
    let folder = Folder::new("resume");
    let (h5, rest) = (folder.file("half.h5"), folder.file("rest.h5"));
    let whole = json(&stickslip(&["run", "hello-world", "--json"]));
    let half = stickslip(&["run", "hello-world", "-q", "--duration", "0.5", "--record", &h5]);
    assert_eq!(half.status.code(), Some(0), "{}", err(&half));
    for at in [None, Some("33")] {
        let mut arguments = vec!["run", "hello-world", "--json", "--resume", &h5];
        arguments.extend(at.iter().flat_map(|k| ["--at", k]));
        arguments.extend(["--record", &rest]);
        let output = stickslip(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        let end = json(&output);
        assert_eq!((&end["bodies"], &end["time"]), (&whole["bodies"], &whole["time"]));
        let recording = Recording::open(rest.as_ref()).unwrap();
        assert_eq!(recording.steps()[0], at.map_or(50, |k| k.parse().unwrap()));
    }
    for (wrong, reason) in [
        (vec!["run", "box-stack", "--resume", &h5], "bodies"),
        (vec!["run", "hello-world", "--resume", &h5, "--at", "51"], "51"),
        (vec!["run", "hello-world", "--resume", &h5, "--record", &h5], "the file to write"),
        (vec!["run", "hello-world", "--resume", "/no/such.h5"], "/no/such.h5"),
    ] {
        let output = stickslip(&wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {}", err(&output));
        assert!(err(&output).contains(reason), "{}", err(&output));
    }
}

/// A full disk ends the run with code 1 and a reason, the state reached is reported, and the file
/// holds what was flushed.
#[cfg(unix)]
#[test]
fn a_full_disk_is_told_and_the_state_reported() {
    let folder = Folder::new("full");
    let h5 = folder.file("full.h5");
    // Files of at most 20,000 blocks of 512 bytes, a few times what is flushed at once however fast
    // the run is; without the signal, writes fail as on a full disk.
    let script = format!(
        "trap '' XFSZ; ulimit -f 20000; exec {} run sphere-cube --json --no-oracle --duration 20 --record {h5}",
        env!("CARGO_BIN_EXE_stickslip")
    );
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let message = err(&output);
    assert!(message.contains("full.h5") && message.contains("no room"), "{message}");
    let run = json(&output);
    let steps = run["steps"].as_u64().unwrap();
    assert!(message.contains(&format!("{steps} steps were done")), "{message}");
    assert!(run["bodies"]["ball-111"]["position"][2].as_f64().unwrap() > 0.0);
    let recording = Recording::open(h5.as_ref()).unwrap();
    let last = *recording.steps().last().unwrap();
    assert!(last > 0 && last <= steps, "{last} of {steps}");
    assert!(recording.replay().is_ok());
}

/// Wherever in the file writes begin to fail: a reason with the file's name, no crash, and either no
/// file at all or one that can be read up to its last flush.
#[cfg(target_os = "linux")]
#[test]
fn writes_may_fail_anywhere() {
    for room in [1, 16, 100, 320, 367, 368, 372, 400, 450, 512, 700] {
        let folder = Folder::new(&format!("room-{room}"));
        let (h5, csv) = (folder.file("a.h5"), folder.file("a.csv"));
        let script = format!(
            "trap '' XFSZ; ulimit -f {room}; exec {} run box-stack --no-oracle --duration 0.3 --record {h5}",
            env!("CARGO_BIN_EXE_stickslip")
        );
        let output = Command::new("bash").args(["-c", &script]).output().unwrap();
        let message = err(&output);
        match output.status.code() {
            Some(0) => {}
            Some(1 | 2) => {
                assert!(
                    message.contains("a.h5") && message.contains("no room"),
                    "{room}: {message}"
                );
            }
            other => panic!("{room}: ended with {other:?}: {message}"),
        }
        if std::path::Path::new(&h5).exists() {
            let read = stickslip(&["export", &h5, "--csv", &csv]);
            assert!(read.status.success(), "{room}: {}", err(&read));
        }
    }
}

#[test]
fn frames_of_chosen_steps_are_kept() {
    let folder = Folder::new("frames");
    let h5 = folder.file("frames.h5");
    let choice = ["--frames", "40", "--frames", "7..9"];
    let mut arguments = vec!["run", "hello-world", "-q", "--record", &h5];
    arguments.extend(choice);
    let output = stickslip(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!(Recording::open(h5.as_ref()).unwrap().frames().unwrap(), [7, 8, 9, 40, 80]);
    for wrong in ["0", "9..7", "some"] {
        let output = stickslip(&["run", "hello-world", "--record", &h5, "--frames", wrong]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
        assert!(err(&output).contains(wrong), "{}", err(&output));
    }
}
