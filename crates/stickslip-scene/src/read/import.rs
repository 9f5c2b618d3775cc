//! `[[import]]`.

use std::path::{Path, PathBuf};

use stickslip::{Dimension, ModelBuilder};
use stickslip_urdf::{Options, Packages, Robot, UrdfError};

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
    pub robot: Robot,
    pub options: Options,
    /// Names of its bodies, in the order in which they are added.
    pub bodies: Vec<String>,
    /// Names of its joints, likewise.
    pub joints: Vec<String>,
    pub subject: Subject,
    pub place: Place,
}

impl ReadImport {
    /// Largest force or torque that the drive of a joint may exert, if the robot says so.
    pub fn effort(&self, joint: &str) -> Option<f64> {
        let name = joint.strip_prefix(self.options.prefix.as_str())?;
        self.robot.joint(name)?.effort.filter(|e| *e > 0.0)
    }
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
            import.error(log, "file", "a robot in URDF exists only in 3D", remedy);
            continue;
        }
        found.extend(robot(&import, folder, log));
    }
    found
}

fn robot(import: &Reader<'_>, folder: Option<&Path>, log: &mut Log<'_>) -> Option<ReadImport> {
    let options = Options {
        pose: placement(import, log).pose,
        fixed_base: import.flag("fixed_base"),
        prefix: import.text("prefix").unwrap_or_default().into(),
        positions: pairs(import, "positions", Node::number).into_iter().collect(),
        cylinder_sides: import.whole("cylinder_sides").unwrap_or(0),
        friction: import.number("friction"),
    };
    let path = located(import, import.text("file")?, folder, log)?;
    let inside = |folder: Option<&Path>, text: &str| folder.map_or(text.into(), |f| f.join(text));
    let packages = pairs(import, "packages", |n| n.text().map(String::from)).into_iter();
    let packages =
        Packages { folders: packages.map(|(name, to)| (name, inside(folder, &to))).collect() };
    // A trial in an empty scene: everything wrong with the robot itself shows here.
    let mut trial = ModelBuilder::new(Dimension::Three);
    let read = Robot::read(&path, &packages)
        .and_then(|robot| robot.add_to(&mut trial, &options).map(|_| robot));
    let robot = match read {
        Ok(robot) => robot,
        Err(error) => {
            let key = match error {
                UrdfError::Position { .. } => "positions",
                _ => "file",
            };
            import.error(log, key, error.to_string(), "");
            return None;
        }
    };
    let model = trial.build().0;
    Some(ReadImport {
        robot,
        options,
        bodies: model.bodies().iter().map(|b| b.name.clone()).collect(),
        joints: model.joints().iter().map(|j| j.name.clone()).collect(),
        subject: import.subject.clone(),
        place: import.place_of("file"),
    })
}

/// The file of an import; `None` after reporting why there is none.
fn located(
    import: &Reader<'_>,
    file: &str,
    folder: Option<&Path>,
    log: &mut Log<'_>,
) -> Option<PathBuf> {
    let known = Path::new(file).extension().is_some_and(|e| e.eq_ignore_ascii_case("urdf"));
    if !known {
        let message = format!("`file` is {file:?}, which is no .urdf file");
        import.error(log, "file", message, "robots are read from URDF");
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
