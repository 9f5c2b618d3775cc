//! What a run leaves behind: a recording and a page for the browser.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
    str::FromStr,
};

use clap::Args;
use stickslip::Simulator;
use stickslip_record::{
    FrameChoice, RecordError, RecordOptions, Recorder, Recording as Recorded, ReplayHook, RunInfo,
    WholeFile, replay, same_file,
};
use stickslip_scene::Scene;

use crate::{
    failure::{Failure, named},
    output::distinct,
};

/// Files to write.
#[derive(Debug, Args)]
pub struct Files {
    /// Record the run to this HDF5 file
    #[arg(long, value_name = "OUT.h5")]
    record: Option<PathBuf>,
    /// Write the run as one page for the browser, which needs nothing else
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,
    /// With --record: keep whole frames (bodies, joints, contacts, solution) of every N-th step, or
    /// of steps A to B; may be given several times
    #[arg(long, value_name = "N|A..B", requires = "record")]
    frames: Vec<Frames>,
    /// Go on from the last step of a recording of this scene, bit for bit
    #[arg(long, value_name = "RECORD.h5")]
    resume: Option<PathBuf>,
    /// With --resume: go on from this step
    #[arg(long, value_name = "STEP", requires = "resume")]
    at: Option<u64>,
}

/// Steps that get a whole frame.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Frames {
    Every(u64),
    Range(u64, u64),
}

impl FromStr for Frames {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is neither a number of steps nor a range such as 10..20");
        let number = |part: &str| part.parse::<u64>().map_err(|_| wrong());
        match text.split_once("..") {
            Some((a, b)) => {
                let (a, b) = (number(a)?, number(b)?);
                if a > b { Err(wrong()) } else { Ok(Self::Range(a, b)) }
            }
            None => match number(text)? {
                0 => Err(wrong()),
                n => Ok(Self::Every(n)),
            },
        }
    }
}

/// Files being written.
pub struct Recording {
    recorder: Option<(PathBuf, Recorder)>,
    page: Option<(PathBuf, ReplayHook)>,
    /// Taken when the page is written.
    page_file: RefCell<Option<WholeFile>>,
}

impl Files {
    /// Makes the files and listens to the simulator from now on. A file that cannot be made is
    /// told before the first step.
    pub fn attach(&self, scene: &Scene, simulator: &mut Simulator) -> Result<Recording, Failure> {
        let refused = |path: &Path, why: &dyn std::fmt::Display| {
            Failure::Input(format!("{}: cannot be written: {why}", path.display()))
        };
        let mut recording = Recording { recorder: None, page: None, page_file: RefCell::default() };
        if let Some(path) = &self.html {
            let file = WholeFile::create(path).map_err(|error| refused(path, &error))?;
            recording.page_file = RefCell::new(Some(file));
            let hook = ReplayHook::new(&scene.name, simulator);
            simulator.pipeline.hooks.push(Box::new(hook.clone()));
            recording.page = Some((path.clone(), hook));
        }
        if let Some(path) = &self.record {
            let options = RecordOptions { frames: self.chosen(), ..RecordOptions::default() };
            let recorder = Recorder::attach(path, simulator, &info(scene), options)
                .map_err(|error| Failure::Input(error.to_string()))?;
            recording.recorder = Some((path.clone(), recorder));
        }
        Ok(recording)
    }

    fn chosen(&self) -> FrameChoice {
        let mut choice = FrameChoice::default();
        for frames in &self.frames {
            match *frames {
                Frames::Every(n) => choice.every = Some(n),
                Frames::Range(a, b) => choice.ranges.push(a..=b),
            }
        }
        choice
    }

    /// Nothing that is read may be written; `scene` is a path or a built-in name.
    pub fn check(&self, scene: &str) -> Result<(), Failure> {
        let outputs: Vec<&Path> =
            [&self.record, &self.html].into_iter().flatten().map(|p| &**p).collect();
        distinct(&outputs, &[Path::new(scene)])
    }

    /// Brings the simulator to where a recording ends, or to the step asked for.
    pub fn resume(&self, simulator: &mut Simulator) -> Result<(), Failure> {
        let Some(path) = &self.resume else { return Ok(()) };
        if [&self.record, &self.html].into_iter().flatten().any(|out| same_file(out, path)) {
            let path = path.display();
            return Err(Failure::Input(format!("{path}: cannot resume from the file to write")));
        }
        let found = Recorded::open(path).and_then(|recorded| {
            let last = recorded.steps().last().copied().unwrap_or(0);
            recorded.resume(simulator, self.at.unwrap_or(last))
        });
        found.map_err(|error| Failure::Input(format!("cannot resume: {}", named(path, &error))))
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

    /// Writes what is left; one line about each file that is whole, and the first failure.
    pub fn finish(&self) -> (Vec<String>, Result<(), RecordError>) {
        let files = [self.finish_recording(), self.finish_page()];
        let mut lines = Vec::new();
        let mut outcome = Ok(());
        for file in files {
            match file {
                Ok(line) => lines.extend(line),
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        (lines, outcome)
    }

    fn finish_recording(&self) -> Result<Option<String>, RecordError> {
        let Some((path, recorder)) = &self.recorder else { return Ok(None) };
        let done = recorder.finish()?;
        let (path, kilobytes) = (path.display(), done.bytes.div_ceil(1000));
        Ok(Some(format!("wrote {path}: {} states, {kilobytes} kB", done.rows)))
    }

    fn finish_page(&self) -> Result<Option<String>, RecordError> {
        let Some((path, hook)) = &self.page else { return Ok(None) };
        let page = replay::html(&[hook.replay().for_page()])?;
        if let Some(file) = self.page_file.borrow_mut().take() {
            file.finish(page.as_bytes())?;
        }
        Ok(Some(format!("wrote {}: open it in a browser", path.display())))
    }
}
