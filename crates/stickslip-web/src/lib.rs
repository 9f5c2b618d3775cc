//! The simulator for a page of the browser: a scene's text in, a run and the page that shows it out.
//!
//! [`Playground`] does the work. The functions below it are what WebAssembly exports, with numbers
//! only: texts go through two buffers, [`stickslip_input`] and [`stickslip_output`].

#[path = "../../stickslip-view/src/drag.rs"]
mod drag;

use std::{
    cell::RefCell,
    sync::{Arc, Mutex, MutexGuard},
};

use serde_json::{Value, json};
use stickslip::{
    Model, Simulator, State,
    geometry::Vec3,
    hook::{Hook, HookError, StepData},
};
use stickslip_record::{
    Replay,
    replay::{self, LIVE_PAGE_MARK, Message},
};
use stickslip_scene::{BUILTIN, Diagnostic, Scene};

use drag::{Drag, Grip};

/// Collects the frames of a run. Clones share them.
#[derive(Clone)]
struct Frames(Arc<Mutex<Replay>>);

impl Frames {
    fn lock(&self) -> MutexGuard<'_, Replay> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Hook for Frames {
    fn after_step(
        &mut self,
        model: &Model,
        state: &State,
        data: &StepData,
    ) -> Result<(), HookError> {
        self.lock().push(model, state, Some(data));
        Ok(())
    }
}

/// A scene and its run.
#[derive(Default)]
pub struct Playground {
    run: Option<(Simulator, Frames)>,
    drag: Drag,
}

impl std::fmt::Debug for Playground {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Playground {{ open: {} }}", self.run.is_some())
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There are steps left.
    More,
    /// All steps of its duration are done.
    Done,
}

impl Playground {
    /// Reads a scene and makes it ready. What is wrong with it, or else what looks unintended, comes
    /// as a list of `{line, column, message, error}`.
    pub fn open(&mut self, text: &str) -> Result<Value, Value> {
        self.run = None;
        let scene = Scene::parse("playground", text).map_err(|e| told(&e.diagnostics))?;
        let warnings = told(&scene.warnings);
        let fail = |e: String| json!([{ "line": 1, "column": 1, "message": e, "error": true }]);
        let name = text.lines().find_map(|l| l.strip_prefix("# ")?.split(':').next());
        let mut settings = scene.settings;
        settings.threads = 1;
        let mut simulator =
            Simulator::new(scene.model, scene.state, settings).map_err(|e| fail(e.to_string()))?;
        let begun = Replay::begin(name.unwrap_or("playground"), &simulator);
        let frames = Frames(Arc::new(Mutex::new(begun)));
        self.drag = Drag::default();
        simulator.pipeline.hooks.push(Box::new(self.drag.with_step(simulator.settings.step)));
        simulator.pipeline.hooks.push(Box::new(frames.clone()));
        self.run = Some((simulator, frames));
        Ok(warnings)
    }

    /// Goes on by up to so many steps.
    pub fn advance(&mut self, steps: usize) -> Result<Progress, String> {
        let Some((simulator, _)) = &mut self.run else { return Err("no scene is open".into()) };
        for _ in 0..steps {
            if simulator.state.step >= simulator.settings.steps() {
                return Ok(Progress::Done);
            }
            simulator.step().map_err(|e| e.to_string())?;
        }
        match simulator.state.step >= simulator.settings.steps() {
            true => Ok(Progress::Done),
            false => Ok(Progress::More),
        }
    }

    /// Goes on by so many steps, past the scene's duration too; the time reached \[s\].
    pub fn go_on(&mut self, steps: usize) -> Result<f64, String> {
        let Some((simulator, _)) = &mut self.run else { return Err("no scene is open".into()) };
        for _ in 0..steps {
            simulator.step().map_err(|e| e.to_string())?;
        }
        Ok(simulator.state.time)
    }

    /// Pulls a point of a body (body frame) to a target (world) \[m\] until told otherwise.
    pub fn hold(&self, body: usize, point: [f64; 3], target: [f64; 3]) {
        let (point, target) = (Vec3::from(point), Vec3::from(target));
        self.drag.hold(Some(Grip { body, point, target }));
    }

    /// Lets go.
    pub fn release(&self) {
        self.drag.hold(None);
    }

    /// The frames from `first` on, as the viewer reads them; with the first comes the scene.
    pub fn frames(&self, first: usize) -> Result<Vec<u8>, String> {
        let Some((_, frames)) = &self.run else { return Err("no scene is open".into()) };
        let replay = frames.lock();
        let message = if first == 0 { Message::Scene } else { Message::Frames };
        replay.container(message, first.min(replay.frames())).map_err(|e| e.to_string())
    }

    /// Steps done and steps of the whole run.
    pub fn steps(&self) -> (u64, u64) {
        self.run.as_ref().map_or((0, 0), |(s, _)| (s.state.step, s.settings.steps()))
    }

    /// The viewer's page with the run so far.
    pub fn page(&self) -> Result<String, String> {
        let Some((_, frames)) = &self.run else { return Err("no scene is open".into()) };
        let replay = frames.lock().clone();
        replay::html(&[replay.for_page()]).map_err(|e| e.to_string())
    }
}

/// The built-in scenes: name, one line about each, text.
pub fn scenes() -> Value {
    BUILTIN
        .iter()
        .map(|b| json!({ "name": b.name, "summary": b.summary, "text": b.text }))
        .collect()
}

fn told(diagnostics: &[Diagnostic]) -> Value {
    let one = |d: &Diagnostic| {
        let (line, column) = d.position.unwrap_or((1, 1));
        let subject = if d.subject.is_empty() { String::new() } else { format!("{}: ", d.subject) };
        let remedy = if d.remedy.is_empty() { String::new() } else { format!("; {}", d.remedy) };
        let error = d.severity == stickslip_scene::Severity::Error;
        json!({ "line": line, "column": column, "error": error,
                "message": format!("{subject}{}{remedy}", d.message) })
    };
    diagnostics.iter().map(one).collect()
}

/// What the exported functions work on; WebAssembly has one thread.
#[derive(Default)]
struct Desk {
    playground: Playground,
    input: Vec<u8>,
    output: Vec<u8>,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

fn with<T>(work: impl FnOnce(&mut Desk) -> T) -> T {
    DESK.with(|desk| work(&mut desk.borrow_mut()))
}

fn put(desk: &mut Desk, result: Result<(i32, String), String>) -> i32 {
    let (code, text) = result.unwrap_or_else(|error| (-1, error));
    desk.output = text.into_bytes();
    code
}

/// Makes room for `length` bytes of text; where to write them.
#[unsafe(no_mangle)]
pub extern "C" fn stickslip_input(length: usize) -> *mut u8 {
    with(|desk| {
        desk.input = vec![0; length];
        desk.input.as_mut_ptr()
    })
}

/// Where the last text written here starts.
#[unsafe(no_mangle)]
pub extern "C" fn stickslip_output() -> *const u8 {
    with(|desk| desk.output.as_ptr())
}

/// Its length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn stickslip_output_length() -> usize {
    with(|desk| desk.output.len())
}

/// Writes the built-in scenes as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn stickslip_scenes() -> i32 {
    with(|desk| put(desk, Ok((0, scenes().to_string()))))
}

/// Opens the scene whose text was written to the input: 0, or 1 if something is wrong with it; either way
/// a list of remarks is written.
#[unsafe(no_mangle)]
pub extern "C" fn stickslip_open() -> i32 {
    with(|desk| {
        let text = String::from_utf8_lossy(&desk.input).into_owned();
        let found = match desk.playground.open(&text) {
            Ok(remarks) => (0, remarks.to_string()),
            Err(remarks) => (1, remarks.to_string()),
        };
        put(desk, Ok(found))
    })
}

/// Goes on by up to `steps`: 0 while there are more, 1 at the end, -1 after an error; writes
/// `[done, all]`, or the error.
#[unsafe(no_mangle)]
pub extern "C" fn stickslip_advance(steps: usize) -> i32 {
    with(|desk| {
        let result = desk.playground.advance(steps);
        let (done, all) = desk.playground.steps();
        let code = |p: Progress| (i32::from(p == Progress::Done), json!([done, all]).to_string());
        put(desk, result.map(code))
    })
}

/// Goes on by `steps` past the end too: 0 or -1; writes the time reached, or the error.
#[unsafe(no_mangle)]
pub extern "C" fn stickslip_go_on(steps: usize) -> i32 {
    with(|desk| {
        let result = desk.playground.go_on(steps);
        put(desk, result.map(|time| (0, time.to_string())))
    })
}

/// Writes the frames from `first` on as bytes of the viewer's format.
#[unsafe(no_mangle)]
pub extern "C" fn stickslip_frames(first: usize) -> i32 {
    with(|desk| match desk.playground.frames(first) {
        Ok(bytes) => {
            desk.output = bytes;
            0
        }
        Err(error) => put(desk, Err(error)),
    })
}

/// Pulls a point of a body to where the input says: six numbers of 64 bits, point and target.
#[unsafe(no_mangle)]
pub extern "C" fn stickslip_hold(body: usize) -> i32 {
    with(|desk| {
        let number = |bytes: &[u8]| bytes.try_into().map_or(f64::NAN, f64::from_le_bytes);
        let x: Vec<f64> = desk.input.chunks(8).map(number).collect();
        let &[a, b, c, d, e, f] = x.as_slice() else { return -1 };
        if x.iter().all(|v| v.abs() <= FARTHEST) {
            desk.playground.hold(body, [a, b, c], [d, e, f]);
        }
        0
    })
}

/// The farthest point to pull a body to \[m\].
const FARTHEST: f64 = 1e6;

/// Lets go of what is held.
#[unsafe(no_mangle)]
pub extern "C" fn stickslip_release() -> i32 {
    with(|desk| desk.playground.release());
    0
}

/// Writes the viewer's page for a run that goes on: it talks to the page around it.
#[unsafe(no_mangle)]
pub extern "C" fn stickslip_viewer() -> i32 {
    let page =
        replay::page().replacen(LIVE_PAGE_MARK, "<html lang=\"en\" data-live=\"parent\">", 1);
    with(|desk| put(desk, Ok((0, page))))
}

/// Writes the page of the run so far.
#[unsafe(no_mangle)]
pub extern "C" fn stickslip_page() -> i32 {
    with(|desk| {
        let page = desk.playground.page();
        put(desk, page.map(|text| (0, text)))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The playground runs what the program runs, to the same page.
    #[test]
    fn a_scene_runs_to_its_end_and_becomes_a_page() {
        let mut playground = Playground::default();
        let text = stickslip_scene::find("hello-world").unwrap().text;
        assert_eq!(playground.open(text).unwrap(), json!([]));
        while playground.advance(37).unwrap() == Progress::More {}
        let (done, all) = playground.steps();
        assert!(done == all && done > 10);
        let page = playground.page().unwrap();
        assert!(page.contains("application/x-stickslip") && page.starts_with("<!doctype html>"));
        let (simulator, frames) = playground.run.as_ref().unwrap();
        assert_eq!(frames.lock().frames() as u64, all + 1);
        // The cube of a metre rests on the floor.
        let cube = simulator.model.find("cube").unwrap();
        assert!((simulator.state.pose(cube).position.z - 0.5).abs() < 1e-6);
    }

    /// A spring of 12 rad/s lifts the cube by what its weight leaves: target minus g / w².
    #[test]
    fn a_held_body_comes_to_where_it_is_pulled() {
        let mut playground = Playground::default();
        playground.open(stickslip_scene::find("hello-world").unwrap().text).unwrap();
        let (simulator, _) = playground.run.as_ref().unwrap();
        let cube = simulator.model.find("cube").unwrap();
        playground.hold(cube.index(), [0.0; 3], [0.0, 0.0, 3.0]);
        playground.go_on(500).unwrap();
        let height = |p: &Playground| p.run.as_ref().unwrap().0.state.pose(cube).position.z;
        assert!(
            (height(&playground) - (3.0 - 9.81 / 144.0)).abs() < 1e-3,
            "{}",
            height(&playground)
        );
        playground.release();
        playground.go_on(200).unwrap();
        assert!((height(&playground) - 0.5).abs() < 1e-6);
        assert_eq!(&playground.frames(0).unwrap()[..8], b"STICKSLP");
        assert_eq!(&playground.frames(700).unwrap()[..8], b"STICKSLP");
    }

    #[test]
    fn mistakes_come_with_their_lines() {
        let mut playground = Playground::default();
        let wrong = playground.open("[simulation]\nstpe = 0.1\n[[body]]\n").unwrap_err();
        assert_eq!(wrong[0]["line"], 2);
        assert!(wrong[0]["message"].as_str().unwrap().contains("did you mean `step`"));
        assert!(playground.advance(1).is_err() && playground.page().is_err());
    }
}
