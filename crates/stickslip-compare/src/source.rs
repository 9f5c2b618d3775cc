//! Where problems come from.

use std::path::{Path, PathBuf};

use complementarity::Problem;
use complementarity::file::{self, Content, FileError};
use stickslip::Simulator;
use stickslip_record::{RecordError, Recording, probe};
use stickslip_scene::{Override, Scene, SceneText};

/// A problem to be solved.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name: that of the file, with the step for recorded runs.
    pub name: String,
    /// The folder it came from, for tables by family.
    pub family: String,
    /// The problem as it is in the file.
    pub content: Content,
}

/// Problems that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A file that cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A recording that cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A folder that cannot be read.
    #[error("{}: {error}", .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A folder without problems.
    #[error("{}: no problem files in this folder; known are .npz, .dat, .mtx, .h5 and .hdf5", .path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// The scene of a recording cannot be built again.
    #[error("{}: its scene cannot be built again: {reason}", .path.display())]
    Scene {
        /// The recording.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A step of a run failed while its problems were collected.
    #[error("{0}")]
    Step(String),
}

/// How recorded runs become problems.
#[derive(Clone, Debug, Default)]
pub struct Rebuild {
    /// The formulation; that of the run where `None`.
    pub formulation: Option<String>,
    /// Further changes to the scene.
    pub changes: Vec<Override>,
}

/// Steps taken from a recording that has no whole frames.
const STEPS: usize = 10;

/// The files behind the arguments: folders give the problem files inside them, subfolders too,
/// sorted by name.
pub fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>, SourceError> {
    let mut out = vec![];
    for path in paths {
        if !path.is_dir() {
            out.push(path.clone());
            continue;
        }
        let before = out.len();
        walk(path, &mut out)?;
        if out.len() == before {
            return Err(SourceError::Empty { path: path.clone() });
        }
    }
    Ok(out)
}

fn walk(folder: &Path, out: &mut Vec<PathBuf>) -> Result<(), SourceError> {
    let list = || -> std::io::Result<Vec<PathBuf>> {
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut paths =
        list().map_err(|error| SourceError::Folder { path: folder.to_path_buf(), error })?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            walk(&path, out)?;
        } else if file::is_known(&path) {
            out.push(path);
        }
    }
    Ok(())
}

/// All problems of one file or recorded run.
pub fn load(path: &Path, rebuild: &Rebuild) -> Result<Vec<Entry>, SourceError> {
    let family = path
        .parent()
        .and_then(Path::file_name)
        .map_or_else(String::new, |f| f.to_string_lossy().into_owned());
    if path.extension().is_some_and(|e| e == "h5" || e == "hdf5") {
        probe::check(path)?;
    }
    if is_recording(path) {
        return recorded(path, &family, rebuild);
    }
    let named = file::load_all(path)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let single = named.len() == 1;
    let entry = |n: file::Named| {
        // a collection is a family of its own
        let family = if single { family.clone() } else { stem.clone() };
        Entry { name: n.name, family, content: n.content }
    };
    Ok(named.into_iter().map(entry).collect())
}

impl Entry {
    /// The problem for the solvers.
    pub fn problem(&self) -> Result<Problem, SourceError> {
        self.content.clone().into_problem().map_err(|error| {
            SourceError::File(FileError::Problem { path: PathBuf::from(&self.name), error })
        })
    }
}

/// Whether the file is a run of ours: an .h5 file that opens as one.
pub fn is_recording(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "h5") && Recording::open(path).is_ok()
}

fn recorded(path: &Path, family: &str, rebuild: &Rebuild) -> Result<Vec<Entry>, SourceError> {
    let recording = Recording::open(path)?;
    let mut simulator = simulator(path, &recording, rebuild)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut out = vec![];
    for step in steps(&recording)? {
        if let Some(problem) = recording.subproblem(&mut simulator, step)? {
            let name = format!("{stem}-{step:06}");
            out.push(Entry { name, family: family.to_owned(), content: problem.into() });
        }
    }
    Ok(out)
}

/// The steps with a whole frame; where there are none, some that are spread over the run.
fn steps(recording: &Recording) -> Result<Vec<u64>, RecordError> {
    let whole = recording.frames()?;
    if !whole.is_empty() {
        return Ok(whole);
    }
    // A step needs the row before it.
    let rows = recording.steps();
    let able: Vec<u64> =
        rows.windows(2).filter(|pair| pair[1] == pair[0] + 1).map(|pair| pair[1]).collect();
    let every = able.len().div_ceil(STEPS).max(1);
    Ok(able.into_iter().skip(every - 1).step_by(every).collect())
}

/// The run's scene with the changes it was made with, then those of `rebuild`.
fn simulator(
    path: &Path,
    recording: &Recording,
    rebuild: &Rebuild,
) -> Result<Simulator, SourceError> {
    let wrong = |reason: String| SourceError::Scene { path: path.to_path_buf(), reason };
    let text = recording.scene();
    if text.is_empty() {
        return Err(wrong("it was made in code and has no scene text".into()));
    }
    let mut changes: Vec<Override> =
        text.lines().filter_map(|l| l.strip_prefix("# changed by ")).filter_map(change).collect();
    changes.extend(rebuild.changes.iter().cloned());
    if let Some(name) = &rebuild.formulation {
        changes.push(Override::option("--formulation", "simulation.formulation", name));
    }
    let folder = path.parent().map(Path::to_path_buf);
    let file = path.display().to_string();
    let name = recording.model().scene.clone();
    let scene = Scene::read(SceneText { file, name, text, folder }, &changes).map_err(|e| {
        let all: Vec<String> = e.diagnostics.iter().map(ToString::to_string).collect();
        wrong(all.join("; "))
    })?;
    Simulator::new(scene.model, scene.state, scene.settings).map_err(|e| wrong(e.to_string()))
}

/// The change that a label such as `--set body.peg.friction=0.2` or `--step 0.002` stands for.
fn change(label: &str) -> Option<Override> {
    if let Some(text) = label.strip_prefix("--set ") {
        return Override::parse(text).ok();
    }
    let (option, value) = label.split_once(' ')?;
    let key = option.strip_prefix("--")?;
    Some(Override::option(option, &format!("simulation.{key}"), value))
}
