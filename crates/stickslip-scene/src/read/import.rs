//! `[[import]]`.

use std::path::{Path, PathBuf};

use stickslip::{Dimension, ModelBuilder};
use stickslip_urdf::{CollisionShape, Options, Packages, Plan, Robot, UrdfError};

use super::{
    pose::placement,
    reader::{Reader, Unchecked},
};
use crate::{
    diagnostic::{Log, Subject},
    node::Node,
    place::Place,
    schema::{IMPORT, World},
};

/// A robot as read, and where to point when the scene refuses it.
#[derive(Debug)]
pub(crate) struct ReadImport {
    pub plan: Plan,
    /// Names of its bodies, in the order in which they are added.
    pub bodies: Vec<String>,
    /// Names of its joints, likewise.
    pub joints: Vec<String>,
    pub subject: Subject,
    pub place: Place,
}

/// Reads all imports; those with something wrong are left out.
pub(crate) fn read(
    list: &[Node],
    world: World,
    folder: Option<&Path>,
    log: &mut Log<'_>,
) -> Vec<ReadImport> {
    let mut found = Vec::new();
    for (k, node) in list.iter().enumerate() {
        let number = k + 1;
        let subject = Subject::new(format!("import {number}"), format!("import.{number}"));
        let Some(table) = Unchecked::new(node, subject, world) else { continue };
        let import = table.check(&IMPORT, &[], log);
        if world == World::Plane {
            let remedy = "set simulation.dimension = 3, or write its bodies as [[body]] entries";
            import.error(log, "file", "a robot exists only in 3D", remedy);
            continue;
        }
        found.extend(robot(&import, folder, log));
    }
    found
}

fn robot(import: &Reader<'_>, folder: Option<&Path>, log: &mut Log<'_>) -> Option<ReadImport> {
    let options = options(import, log);
    let path = located(import, import.text("file")?, folder, log)?;
    let inside = |folder: Option<&Path>, text: &str| folder.map_or(text.into(), |f| f.join(text));
    let packages = pairs(import, "packages", |n| n.text().map(String::from)).into_iter();
    let packages =
        Packages { folders: packages.map(|(name, to)| (name, inside(folder, &to))).collect() };
    let read = match stickslip_mjcf::is_mjcf(&path) {
        true => stickslip_mjcf::read(&path, import.text("keyframe")),
        false => Robot::read(&path, &packages),
    };
    // A trial in an empty scene: everything wrong with the robot itself shows here.
    let mut trial = ModelBuilder::new(Dimension::Three);
    let planned = read
        .and_then(|robot| robot.plan(&options))
        .and_then(|plan| plan.add_to(&mut trial).map(|_| plan));
    let plan = match planned {
        Ok(plan) => plan,
        Err(error) => {
            for one in error.each() {
                let key = match one {
                    UrdfError::Position { .. } => "positions",
                    _ => "file",
                };
                import.error(log, key, one.to_string(), "");
            }
            return None;
        }
    };
    for note in &plan.notes.list {
        import.warning(log, "file", note.to_string(), "");
    }
    let model = trial.build().0;
    Some(ReadImport {
        plan,
        bodies: model.bodies().iter().map(|b| b.name.clone()).collect(),
        joints: model.joints().iter().map(|j| j.name.clone()).collect(),
        subject: import.subject.clone(),
        place: import.place_of("file"),
    })
}

fn options(import: &Reader<'_>, log: &mut Log<'_>) -> Options {
    let default = Options::default();
    let base = import.text("base").map(|base| base == "fixed");
    let fixed = import.flag("fixed_base");
    if base.is_some() && fixed.is_some() && base != fixed {
        let message = "`base` and `fixed_base` contradict each other";
        import.error(log, "fixed_base", message, "remove one of them");
    }
    let shape = import.text("collision").and_then(|word| {
        CollisionShape::NAMES.iter().find(|(name, _)| *name == word).map(|(_, shape)| *shape)
    });
    Options {
        pose: placement(import, log).pose,
        fixed_base: base.or(fixed),
        prefix: import.text("prefix").unwrap_or_default().into(),
        positions: pairs(import, "positions", Node::number).into_iter().collect(),
        cylinder_sides: import.whole("cylinder_sides").unwrap_or(default.cylinder_sides),
        friction: import.number("friction"),
        collision: shape.unwrap_or(default.collision),
        hull_corners: import.whole("hull_corners").unwrap_or(default.hull_corners),
        strict: import.flag("strict").unwrap_or(default.strict),
    }
}

/// The file of an import; `None` after reporting why there is none.
fn located(
    import: &Reader<'_>,
    file: &str,
    folder: Option<&Path>,
    log: &mut Log<'_>,
) -> Option<PathBuf> {
    let ending = Path::new(file).extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    if !ending.is_some_and(|e| ["urdf", "xml", "mjcf"].contains(&e.as_str())) {
        let message = format!("`file` is {file:?}, which is no .urdf or .xml file");
        import.error(log, "file", message, "robots are read from URDF and MJCF");
        return None;
    }
    match folder {
        Some(folder) => Some(folder.join(file)),
        None if Path::new(file).is_absolute() => Some(file.into()),
        None => {
            let remedy = "give an absolute path";
            import.error(log, "file", "a scene without file has no folder to look in", remedy);
            None
        }
    }
}

/// Keys and values of a table within the import.
fn pairs<T>(
    import: &Reader<'_>,
    key: &str,
    value: impl Fn(&Node) -> Option<T>,
) -> Vec<(String, T)> {
    let table = import.node(key).and_then(Node::table);
    let entries = table.map_or(&[][..], |t| &t.entries);
    entries.iter().filter_map(|e| Some((e.key.clone(), value(&e.node)?))).collect()
}
