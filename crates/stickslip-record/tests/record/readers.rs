//! The scripts of `docs/recording.md`, run as they are printed, where their programs are there.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use stickslip::Simulator;
use stickslip_record::{RecordOptions, Recorder, RunInfo};
use stickslip_scene::Scene;

/// Programs that other tests start at that moment inherit the open file and its lock, though the
/// recorder has closed it: readers must not ask for one.
const LOCKS: (&str, &str) = ("HDF5_USE_FILE_LOCKING", "FALSE");

/// A folder with a recording of `box-stack` as `a.h5`, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("stickslip-readers-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        let scene = Scene::open("box-stack", &[]).unwrap();
        let mut sim = Simulator::new(scene.model, scene.state, scene.settings).unwrap();
        let (info, options) = (RunInfo::default(), RecordOptions::default());
        let recorder = Recorder::attach(&path.join("a.h5"), &mut sim, &info, options).unwrap();
        for _ in 0..10 {
            sim.step().unwrap();
        }
        recorder.finish().unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The first block of the page in that language.
fn script(language: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/recording.md");
    let text = std::fs::read_to_string(page).unwrap();
    let (_, rest) = text.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

fn runs(program: &Path, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|out| out.status.success())
}

#[test]
fn h5py_plots_a_trajectory_in_five_lines() {
    let code = script("python");
    assert_eq!(code.trim().lines().count(), 5);
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python");
    let given = std::env::var_os("STICKSLIP_PYTHON").map(PathBuf::from);
    let candidates = given.into_iter().chain([venv, PathBuf::from("python3")]);
    let able = |p: &PathBuf| runs(p, &["-c", "import h5py, matplotlib"]);
    let Some(python) = candidates.into_iter().find(able) else {
        println!("skipped: no Python with h5py and matplotlib");
        return;
    };
    let folder = Folder::new("h5py");
    // The cube's height is 8.5 m and stays so.
    let check =
        "\ny = plt.gca().lines[0].get_ydata(); assert len(y) == 11 and abs(y - 8.5).max() < 1e-6";
    let out = Command::new(python)
        .args(["-c", &format!("{code}{check}")])
        .env("MPLBACKEND", "agg")
        .current_dir(&folder.0)
        .env(LOCKS.0, LOCKS.1)
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(folder.0.join("z.png").metadata().unwrap().len() > 1000);
}

#[test]
fn octave_reads_the_same_file() {
    let octave = Path::new("octave-cli");
    if !runs(octave, &["--version"]) {
        println!("skipped: no Octave");
        return;
    }
    let folder = Folder::new("octave");
    let code = script("octave").replace("plot(s.trajectory.time, z)", "");
    let check = "printf('%d rows, %.6f m, %d\\n', numel(z), z(end), numel(s.trajectory.time));";
    let out = Command::new(octave)
        .args(["--quiet", "--no-init-file", "--eval", &format!("{code}{check}")])
        .current_dir(&folder.0)
        .env(LOCKS.0, LOCKS.1)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    let troubles = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(said.contains("11 rows, 8.500000 m, 11"), "{said}{troubles}");
}
