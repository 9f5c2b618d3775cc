//! Several runs at once: the same numbers on any number of cores, and a clean end when stopped.

#![allow(clippy::unwrap_used)]

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use stickslip_experiments::{Cores, EXPERIMENTS, Experiment, ExperimentError, Suite, find};

/// A folder that goes away again.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("stickslip-experiments-{}-{name}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Tables, curves and drawings by file name, but for those that hold times.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut out = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            out.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "csv" || e == "svg")
            && path.file_stem().unwrap() != "times"
        {
            out.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
    out
}

/// The order of the reports, and every table and curve to the last bit, are the same whether runs
/// come one after the other or three at a time.
#[test]
fn results_do_not_depend_on_the_number_of_cores() {
    let names = ["triangle-drop", "block-in-plane", "peg-in-hole", "polyhedra", "cracked-ramp"];
    let chosen: Vec<&Experiment> = names.iter().map(|n| find(n).unwrap()).collect();
    let run = |count: usize| {
        let folder = Folder::new(&format!("on-{count}"));
        let cores = Cores::new(count, Arc::default());
        let suite = Suite { quick: true, out: &folder.0, cores: &cores, note: &|_| {} };
        let reports = suite.run(&chosen, &mut |_, _| {}).unwrap();
        let order: Vec<String> = reports.iter().map(|r| r.name.clone()).collect();
        assert_eq!(order, names);
        let claims: Vec<_> = reports.into_iter().flat_map(|r| r.claims).map(|c| c.ours).collect();
        let files = files(&folder.0).into_iter();
        let files: BTreeMap<PathBuf, Vec<u8>> =
            files.map(|(p, data)| (p.strip_prefix(&folder.0).unwrap().into(), data)).collect();
        (claims, files)
    };
    let ((claims, one), (again, three)) = (run(1), run(3));
    assert!(one.len() > 20, "{} files", one.len());
    assert_eq!(claims, again);
    assert_eq!(one.keys().collect::<Vec<_>>(), three.keys().collect::<Vec<_>>());
    for (path, data) in &one {
        assert!(data == &three[path], "{} differs", path.display());
    }
}

/// Stopped from outside in the middle of a run, all experiments end: whatever had not finished says
/// that it was interrupted, and nothing more begins.
#[test]
fn a_sign_to_stop_ends_all_runs() {
    let folder = Folder::new("stopped");
    let stop = Arc::new(AtomicBool::new(false));
    let cores = Cores::new(2, Arc::clone(&stop));
    // Counted and stopped under one lock: no run begins between the second one and the sign.
    let begun = Mutex::new(0);
    let note = |_: &str| {
        let mut begun = begun.lock().unwrap();
        *begun += 1;
        if *begun == 2 {
            stop.store(true, Ordering::SeqCst);
        }
    };
    let suite = Suite { quick: false, out: &folder.0, cores: &cores, note: &note };
    let chosen: Vec<&Experiment> =
        EXPERIMENTS.iter().filter(|e| ["pile", "grasp", "polygons"].contains(&e.name)).collect();
    let mut finished = 0;
    let result = suite.run(&chosen, &mut |_, _| finished += 1);
    assert!(matches!(result, Err(ExperimentError::Interrupted)));
    assert_eq!(finished, 0);
    // One run on each core had begun when the sign came, and a note may be on its way.
    let begun = *begun.lock().unwrap();
    assert!(begun <= 4, "{begun} runs");
}
