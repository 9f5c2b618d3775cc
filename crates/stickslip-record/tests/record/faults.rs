use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use stickslip_record::{FrameChoice, RecordOptions, Recorder, Recording, RunInfo};

use crate::support::flying;

const CHILD: &str = "STICKSLIP_FAULT_CHILD";
const STEPS: u64 = 60;
const FLUSH: u64 = 10;

/// Not a test of its own: the run whose writes fail. It tells each flush.
#[test]
fn child() {
    let Ok(path) = std::env::var(CHILD) else { return };
    let mut sim = flying(4);
    let frames = FrameChoice { every: Some(20), ..FrameChoice::default() };
    let options = RecordOptions { frames, penetration: Some(false), ..RecordOptions::default() };
    println!("armed");
    let info = RunInfo::default();
    let recorder = match Recorder::attach(path.as_ref(), &mut sim, &info, options) {
        Ok(recorder) => recorder,
        Err(error) => return println!("refused: {error}"),
    };
    println!("flushed 0");
    for step in 1..=STEPS {
        if let Err(error) = sim.step() {
            return println!("stopped: {error}");
        }
        if step % FLUSH == 0 {
            match recorder.flush() {
                Ok(()) => println!("flushed {step}"),
                Err(error) => return println!("stopped: {error}"),
            }
        }
    }
    match recorder.finish() {
        Ok(summary) => println!("finished {}", summary.rows),
        Err(error) => println!("stopped: {error}"),
    }
}

struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("stickslip-faults-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The library that lets calls fail; `None` without a C compiler.
fn shim(folder: &Path) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/record/faults.c");
    let out = folder.join("faults.so");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&out).arg(source);
    cc.status().ok()?.success().then_some(out)
}

/// What a run with that fault says, and whether it ended by itself.
fn run(shim: &Path, file: &Path, fault: &str) -> (String, bool) {
    let said = file.with_extension("txt");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "faults::child", "--nocapture"])
        .env(CHILD, file)
        .env("STICKSLIP_FAULT", fault)
        .env("LD_PRELOAD", shim)
        .stdout(std::fs::File::create(&said).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("fault {fault}: the run hangs");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let text = std::fs::read_to_string(&said).unwrap();
    std::fs::remove_file(&said).unwrap();
    (text, status.success())
}

fn last_number(text: &str, word: &str) -> Option<u64> {
    let of = |line: &str| line.rsplit_once(word).and_then(|(_, n)| n.trim().parse().ok());
    text.lines().filter_map(of).next_back()
}

/// Lets the call `at` fail and looks at what is left.
fn check(shim: &Path, folder: &Path, (kind, at, times): (char, u64, u64)) -> Result<(), String> {
    let file = folder.join("run.h5");
    std::fs::write(&file, "old").unwrap();
    let (said, ended) = run(shim, &file, &format!("{kind} {at} {times}"));
    let wrong = |what: String| format!("fault {kind} {at} {times}: {what}\n{said}");
    let flushed = last_number(&said, "flushed ");
    if kind == 'w' && !ended {
        return Err(wrong("the run ended badly".into()));
    }
    if std::fs::read(&file).unwrap() == b"old" {
        let kept = flushed.is_none() && (kind == 'm' || said.contains("refused: "));
        return if kept { Ok(()) } else { Err(wrong("the recording is lost".into())) };
    }
    let recording = Recording::open(&file).map_err(|e| wrong(e.to_string()))?;
    let last = recording.steps().last().copied().ok_or_else(|| wrong("no rows".into()))?;
    if last < flushed.unwrap_or(0) {
        return Err(wrong(format!("only {last} steps")));
    }
    let told = said.contains("finished") || said.contains("run.h5");
    if kind == 'w' && !told {
        return Err(wrong("nobody was told".into()));
    }
    recording.replay().map(drop).map_err(|e| wrong(e.to_string()))
}

/// Of so many calls: all, or some that fit into a gate.
fn points(calls: u64, usual: u64) -> impl Iterator<Item = u64> {
    let given = std::env::var("STICKSLIP_FAULTS").ok().and_then(|n| n.parse().ok());
    let count = given.unwrap_or(usual).clamp(1, calls);
    (0..count).map(move |k| 1 + k * calls / count)
}

/// A write that fails, once or from then on, stops the run with its reason or is made good; a failing
/// allocation may end the process. Every flushed step can be read afterwards, and a file that was there
/// before stays until the new one can be opened.
#[test]
fn failing_writes_and_allocations_lose_nothing_flushed() {
    let folder = Folder::new();
    let Some(shim) = shim(&folder.0) else {
        return println!("skipped: no C compiler makes the library that lets writes fail");
    };
    let mut wrong = Vec::new();
    let mut tried = 0;
    for (kind, times, usual) in [('w', 1, 40), ('w', 1_000_000, 40), ('m', 1, 30)] {
        let (said, _) = run(&shim, &folder.0.join("count.h5"), &format!("{kind} 0 0"));
        let calls = last_number(&said, "calls ").unwrap();
        assert!(said.contains("finished") && calls > 30, "{said}");
        for at in points(calls, usual) {
            tried += 1;
            wrong.extend(check(&shim, &folder.0, (kind, at, times)).err());
        }
    }
    assert!(wrong.is_empty(), "{} of {tried}, the first: {}", wrong.len(), wrong[0]);
}
