//! The simulator for a page of the browser: a scene's text in, a run and the page that shows it out.
//!
//! [`Playground`] does the work. The functions below it are what WebAssembly exports, with numbers
//! only: texts go through two buffers, [`stickslip_input`] and [`stickslip_output`].

use std::cell::RefCell;

use serde_json::{Value, json};
use stickslip::Simulator;
use stickslip_record::{ReplayHook, replay};
use stickslip_scene::{BUILTIN, Diagnostic, Scene};

/// A scene and its run.
#[derive(Default)]
pub struct Playground {
    run: Option<(Simulator, ReplayHook)>,
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
        let hook = ReplayHook::new(name.unwrap_or("playground"), &simulator);
        simulator.pipeline.hooks.push(Box::new(hook.clone()));
        self.run = Some((simulator, hook));
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

    /// Steps done and steps of the whole run.
    pub fn steps(&self) -> (u64, u64) {
        self.run.as_ref().map_or((0, 0), |(s, _)| (s.state.step, s.settings.steps()))
    }

    /// The viewer's page with the run so far.
    pub fn page(&self) -> Result<String, String> {
        let Some((_, hook)) = &self.run else { return Err("no scene is open".into()) };
        replay::html(&[hook.replay().for_page()]).map_err(|e| e.to_string())
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
        let (simulator, hook) = playground.run.as_ref().unwrap();
        assert_eq!(hook.replay().frames() as u64, all + 1);
        // The cube of a metre rests on the floor.
        let cube = simulator.model.find("cube").unwrap();
        assert!((simulator.state.pose(cube).position.z - 0.5).abs() < 1e-6);
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
