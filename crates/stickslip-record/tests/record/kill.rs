use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    time::Duration,
};

use stickslip_record::{FrameChoice, RecordOptions, Recorder, Recording, RunInfo};

use crate::support::{Scratch, flying};

const CHILD: &str = "STICKSLIP_KILL_CHILD";

/// Not a test of its own: the run that the next test kills. It tells each flush.
#[test]
fn child() {
    let Ok(path) = std::env::var(CHILD) else { return };
    let mut sim = flying(40);
    let frames = FrameChoice { every: Some(25), ..FrameChoice::default() };
    let options = RecordOptions { frames, penetration: Some(false), ..RecordOptions::default() };
    let recorder = Recorder::attach(path.as_ref(), &mut sim, &RunInfo::default(), options).unwrap();
    println!("flushed 0");
    for step in 1.. {
        sim.step().unwrap();
        if step % 3 == 0 {
            recorder.flush().unwrap();
            println!("flushed {step}");
        }
    }
}

/// Killed at random moments, a run leaves a file that opens and holds every flushed step.
#[test]
fn a_killed_run_keeps_every_flushed_step() {
    // Another seed kills at other moments.
    let given = std::env::var("STICKSLIP_SEED").ok().and_then(|s| s.parse().ok());
    let seed: u64 = given.unwrap_or(20261115);
    let mut random = seed;
    let mut most = 0;
    for round in 0..100 {
        let file = Scratch::new(&format!("kill-{round}.h5"));
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kill::child", "--nocapture"])
            .env(CHILD, &file.0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let step_of = |line: &str| {
            // The test harness may put its own words before the first one.
            line.rsplit_once("flushed ").and_then(|(_, n)| n.trim().parse::<u64>().ok())
        };
        let first = lines.by_ref().map_while(Result::ok).find_map(|line| step_of(&line));
        assert_eq!(first, Some(0), "the child did not start");
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        std::thread::sleep(Duration::from_micros((random >> 33) % 120_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let told = lines.map_while(Result::ok).filter_map(|line| step_of(&line)).last();
        let flushed = told.unwrap_or(0);
        let recording = Recording::open(&file.0).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let last = *recording.steps().last().unwrap();
        most = most.max(last);
        assert!(last >= flushed, "seed {seed}, round {round}: {last} of {flushed} steps");
        let replay = recording.replay().unwrap();
        // No row of zeros among them: every orientation has length one.
        for q in replay.orientation.chunks(4) {
            let norm: f64 = q.iter().map(|x| x * x).sum();
            assert!((norm - 1.0).abs() < 1e-9, "seed {seed}, round {round}: {q:?}");
        }
        for step in recording.frames().unwrap().into_iter().filter(|&s| s <= flushed) {
            assert_eq!(recording.frame(step).unwrap().numbers("bodies/ids").len(), 41);
        }
    }
    assert!(most > 10, "every run was killed before it had begun: {most} steps");
}
