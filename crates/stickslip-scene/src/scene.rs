//! A scene: what to simulate and how.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use stickslip::{Model, Settings, State};
use stickslip_urdf::Plan;

use crate::{
    assemble::{self, Checked, CheckedBody},
    builtin,
    diagnostic::{Diagnostic, Log, Severity, Subject},
    names::Names,
    node::{self, Node, Table},
    overrides::{self, Override},
    place::{Place, Source},
    read::{self, Unchecked, body::ReadBody, import::ReadImport},
    schema::TOP,
    suggest,
};

/// A scene that has been read and checked.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the built-in scene, or the file's name without folder and ending.
    pub name: String,
    /// The TOML text as it was, before any override.
    pub text: String,
    /// The overrides that were applied, as the user wrote them.
    pub overrides: Vec<String>,
    /// Bodies, materials, pairs and joints.
    pub model: Model,
    /// Places and velocities at time zero.
    pub state: State,
    /// How to simulate.
    pub settings: Settings,
    /// The robots that were imported, as they went into the model.
    pub imports: Vec<Plan>,
    /// What looks unintended, such as bodies that overlap at the start.
    pub warnings: Vec<Diagnostic>,
}

/// A scene that cannot be simulated: everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// What is wrong, errors and warnings in the order of the file; never empty.
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.diagnostics.iter().map(Diagnostic::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for SceneError {}

/// A scene's text and where it came from.
#[derive(Clone, Debug)]
pub struct SceneText {
    /// How messages name the file.
    pub file: String,
    /// Name of the scene.
    pub name: String,
    /// The TOML text.
    pub text: String,
    /// Folder that files in the scene are relative to; `None` forbids such files.
    pub folder: Option<PathBuf>,
}

impl SceneText {
    /// The text of a built-in scene, or of the file at that path.
    pub fn open(scene: &str) -> Result<Self, SceneError> {
        if let Some(found) = builtin::find(scene) {
            return Ok(Self {
                file: format!("<{scene}>"),
                name: scene.into(),
                text: found.text.into(),
                folder: None,
            });
        }
        let path = Path::new(scene);
        let bytes = std::fs::read(path).map_err(|error| unreadable(scene, &error))?;
        let text = String::from_utf8(bytes).map_err(|error| not_text(scene, &error))?;
        let name = path.file_stem().map_or(scene.into(), |s| s.to_string_lossy().into_owned());
        // A byte-order mark is no part of the text.
        let text = text.strip_prefix('\u{feff}').map_or(text.clone(), String::from);
        let folder = Some(path.parent().map_or_else(PathBuf::new, Path::to_path_buf));
        Ok(Self { file: scene.into(), name, text, folder })
    }
}

fn lone(file: &str, message: String, remedy: String) -> SceneError {
    let source = Source { file: file.into(), text: String::new() };
    let mut log = Log::new(&source);
    let place = Place::Given(file.into());
    log.error(&place, &Subject::default(), "", message, remedy);
    SceneError { diagnostics: log.finish() }
}

fn unreadable(scene: &str, error: &std::io::Error) -> SceneError {
    let names: Vec<&str> = builtin::BUILTIN.iter().map(|b| b.name).collect();
    let looks_like_a_file = scene.contains(['/', '\\']) || scene.ends_with(".toml");
    match error.kind() {
        std::io::ErrorKind::NotFound if looks_like_a_file => {
            lone(scene, "there is no such file".into(), "check the path".into())
        }
        std::io::ErrorKind::NotFound => {
            let message = "there is no such file, and no built-in scene of that name";
            let remedy = match suggest::closest(scene, names.iter().copied()) {
                Some(name) => format!("did you mean `{name}`? Scenes: {}", suggest::list(&names)),
                None => format!("scenes: {}", suggest::list(&names)),
            };
            lone(scene, message.into(), remedy)
        }
        _ => lone(scene, format!("cannot be read: {error}"), String::new()),
    }
}

fn not_text(scene: &str, error: &std::string::FromUtf8Error) -> SceneError {
    let at = error.utf8_error().valid_up_to();
    let remedy = "a scene is a TOML text in UTF-8";
    lone(scene, format!("byte {} is not UTF-8", at + 1), remedy.into())
}

impl Scene {
    /// Reads a built-in scene, or the file at that path, with overrides.
    pub fn open(scene: &str, overrides: &[Override]) -> Result<Self, SceneError> {
        Self::read(SceneText::open(scene)?, overrides)
    }

    /// Reads a text that belongs to no file; `name` is how messages call it.
    pub fn parse(name: &str, text: &str) -> Result<Self, SceneError> {
        let (file, name, text) = (name.into(), name.into(), text.into());
        Self::read(SceneText { file, name, text, folder: None }, &[])
    }

    /// Reads a text with overrides.
    pub fn read(text: SceneText, overrides: &[Override]) -> Result<Self, SceneError> {
        let SceneText { file, name, text, folder } = text;
        let source = Source { file, text };
        let mut log = Log::new(&source);
        let parts = tree(&source, overrides, &mut log)
            .map(|top| check(&top, folder.as_deref(), &mut log))
            .filter(|_| !log.has_errors())
            .and_then(|checked| assemble::build(checked, &mut log));
        let found = log.finish();
        match parts {
            Some((model, state, settings, imports))
                if found.iter().all(|d| d.severity == Severity::Warning) =>
            {
                let overrides = overrides.iter().map(|o| o.label.clone()).collect();
                let (text, warnings) = (source.text, found);
                Ok(Self { name, text, overrides, model, state, settings, imports, warnings })
            }
            _ => Err(SceneError { diagnostics: found }),
        }
    }
}

/// The tree of the text after the overrides; `None` if the text is not TOML.
fn tree(source: &Source, changes: &[Override], log: &mut Log<'_>) -> Option<Table> {
    match node::parse(&source.text) {
        Ok(mut top) => {
            overrides::respell(&mut top, log);
            overrides::apply(&mut top, changes, log);
            Some(top)
        }
        Err(faults) => {
            // One slip of the pen makes the rest of its line unreadable: the first is told.
            let mut lines = Vec::new();
            for fault in faults {
                let line = log.line(&fault.place);
                if !lines.contains(&line) {
                    log.error(&fault.place, &Subject::default(), "", fault.message, "");
                    lines.push(line);
                }
            }
            None
        }
    }
}

fn check(top: &Table, folder: Option<&Path>, log: &mut Log<'_>) -> Checked {
    let simulation = read::simulation::read(top, log);
    let world = simulation.world;
    let whole = Unchecked { table: top, subject: Subject::default(), place: Place::START, world };
    whole.check(&TOP, &[], log);
    let list = |key: &str| top.get(key).and_then(Node::list).unwrap_or_default();
    let bodies: Vec<ReadBody<'_>> = list("body")
        .iter()
        .enumerate()
        .filter_map(|(k, node)| read::body::read(node, k, world, folder, log))
        .collect();
    if top.get("body").is_none() && top.get("import").is_none() {
        let remedy = "add at least one [[body]] with a `shape`";
        log.error(&Place::START, &Subject::default(), "body", "the scene has no bodies", remedy);
    }
    let imports = read::import::read(list("import"), world, folder, log);
    let names = Names::new(&bodies, &imports, log);
    let pairs = read::pair::read(list("pair"), &names, world, log);
    let imported = joint_names(&imports, log);
    let (joints, all) = read::joint::read(list("joint"), &names, imported, world, log);
    let forces = read::force::read(list("force"), &names, &all, world, log);
    let motors = read::motor::read(list("motor"), &all, world, log);
    let camera = read::camera::read(top, &names, world, log);
    let ignored = ignored(&bodies, &names, log);
    let bodies = bodies.into_iter().filter_map(CheckedBody::new).collect();
    let description = top.get("description").and_then(Node::text).unwrap_or_default().to_owned();
    Checked {
        simulation,
        description,
        camera,
        bodies,
        imports,
        ignored,
        pairs,
        joints,
        forces,
        motors,
    }
}

/// The names of imported joints, in their order.
fn joint_names(imports: &[ReadImport], log: &mut Log<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for import in imports {
        if let Some(name) = import.joints.iter().find(|j| names.contains(j)) {
            let message = format!("its joint `{name}` has the name of another joint");
            let remedy = "give the import a `prefix`";
            log.error(&import.place, &import.subject, "file", message, remedy);
        }
        names.extend(import.joints.iter().cloned());
    }
    names
}

fn ignored(bodies: &[ReadBody<'_>], names: &Names, log: &mut Log<'_>) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (k, body) in bodies.iter().enumerate() {
        for &(name, place) in &body.ignore {
            found.extend(names.find(name, (place, &body.subject, "ignore"), log).map(|o| (k, o)));
        }
    }
    found
}
