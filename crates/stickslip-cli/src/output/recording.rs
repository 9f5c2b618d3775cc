//! What a run leaves behind: a recording and a page for the browser.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use clap::Args;
use stickslip::Simulator;
use stickslip_record::{RecordError, RecordOptions, Recorder, ReplayHook, RunInfo, replay};
use stickslip_scene::Scene;

use crate::failure::Failure;

/// Most frames in a page: more make it heavy and are not seen.
const PAGE_FRAMES: usize = 3000;

/// Files to write.
#[derive(Debug, Args)]
pub struct Files {
    /// Record the run to this HDF5 file
    #[arg(long, value_name = "OUT.h5")]
    record: Option<PathBuf>,
    /// Write the run as one page for the browser, which needs nothing else
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,
}

/// Files being written.
pub struct Recording {
    recorder: Option<(PathBuf, Recorder)>,
    page: Option<(PathBuf, ReplayHook)>,
}

impl Files {
    /// Makes the files and listens to the simulator from now on. A file that cannot be made is
    /// told before the first step.
    pub fn attach(&self, scene: &Scene, simulator: &mut Simulator) -> Result<Recording, Failure> {
        let refused = |path: &Path, why: &dyn std::fmt::Display| {
            Failure::Input(format!("{}: cannot be written: {why}", path.display()))
        };
        let mut recording = Recording { recorder: None, page: None };
        if let Some(path) = &self.html {
            File::create(path).map_err(|error| refused(path, &error))?;
            let hook = ReplayHook::new(&scene.name, simulator);
            simulator.pipeline.hooks.push(Box::new(hook.clone()));
            recording.page = Some((path.clone(), hook));
        }
        if let Some(path) = &self.record {
            let options = RecordOptions::default();
            let recorder = Recorder::attach(path, simulator, &info(scene), options)
                .map_err(|error| Failure::Input(error.to_string()))?;
            recording.recorder = Some((path.clone(), recorder));
        }
        Ok(recording)
    }
}

/// The scene as it was simulated: the text, and the changes made from the command line.
fn info(scene: &Scene) -> RunInfo {
    let changes: String = scene.overrides.iter().map(|o| format!("# changed by {o}\n")).collect();
    let version = env!("CARGO_PKG_VERSION");
    let revision = match env!("STICKSLIP_REVISION") {
        "" => version.into(),
        revision => format!("{version} ({revision})"),
    };
    RunInfo { name: scene.name.clone(), scene: format!("{}{changes}", scene.text), revision }
}

impl Recording {
    /// Keeps the frame of a step that failed.
    pub fn failed(&self, simulator: &mut Simulator, reason: &str) -> Result<(), RecordError> {
        self.recorder.as_ref().map_or(Ok(()), |(_, r)| r.failed(simulator, reason))
    }

    /// Writes what is left; one line about each file.
    pub fn finish(&self) -> Result<Vec<String>, RecordError> {
        let mut lines = Vec::new();
        if let Some((path, recorder)) = &self.recorder {
            let done = recorder.finish()?;
            let (path, kilobytes) = (path.display(), done.bytes.div_ceil(1000));
            lines.push(format!("wrote {path}: {} states, {kilobytes} kB", done.rows));
        }
        if let Some((path, hook)) = &self.page {
            let replay = hook.replay();
            let page = replay.thinned(replay.frames().div_ceil(PAGE_FRAMES));
            fs::write(path, replay::html(&[page])?)?;
            lines.push(format!("wrote {}: open it in a browser", path.display()));
        }
        Ok(lines)
    }
}
