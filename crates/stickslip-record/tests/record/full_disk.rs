use std::process::Command;

use stickslip_record::{RecordOptions, Recorder, Recording, RunInfo};

use crate::support::{Scratch, flying};

const CHILD: &str = "STICKSLIP_FULL_CHILD";

/// Not a test of its own: records until the limit on the size of files stops it.
#[test]
fn child() {
    let Ok(path) = std::env::var(CHILD) else { return };
    let mut sim = flying(40);
    let options = RecordOptions { penetration: Some(false), ..RecordOptions::default() };
    let recorder = Recorder::attach(path.as_ref(), &mut sim, &RunInfo::default(), options).unwrap();
    for _ in 0..3000 {
        let before = sim.state.step;
        if let Err(error) = sim.step() {
            // The step itself was done: its state is there for whoever catches the error.
            assert_eq!(sim.state.step, before + 1);
            println!("stopped: {error}");
            let again = recorder.finish().map(|s| s.rows).map_err(|e| e.to_string());
            println!("again: {again:?}");
            return;
        }
    }
    println!("never stopped");
}

/// A disk that is full stops the run with a reason; what was flushed before can be read.
#[test]
fn a_full_disk_is_told_and_loses_nothing_flushed() {
    let file = Scratch::new("full.h5");
    let this = std::env::current_exe().unwrap();
    let script = "trap '' XFSZ; ulimit -f 12000; exec \"$0\" --exact full_disk::child --nocapture";
    let out =
        Command::new("sh").args(["-c", script]).arg(&this).env(CHILD, &file.0).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(text.contains("stopped: step"), "{text}");
    assert!(text.contains("full.h5") && text.contains("append"), "{text}");
    assert!(text.contains("again: Err"), "{text}");
    let recording = Recording::open(&file.0).unwrap();
    assert!(recording.rows() > 50, "{} rows", recording.rows());
}
