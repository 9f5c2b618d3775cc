//! `stickslip new`: a scene to begin with.

use std::{fs::OpenOptions, io::Write, path::PathBuf};

use clap::Args;

use crate::{failure::Failure, output};

/// Write a commented scene to begin with.
///
/// The scene runs as it is: a cube lands on the floor beside a ramp. Change it, and run it again.
#[derive(Debug, Args)]
pub struct New {
    /// Name of the scene: NAME.toml is written, unless there is such a file
    name: PathBuf,
}

/// The scene; `NAME` becomes its name.
const SCENE: &str = include_str!("new.toml");

impl New {
    pub fn execute(&self) -> Result<(), Failure> {
        let mut path = self.name.clone();
        if path.extension().is_none_or(|e| e != "toml") {
            let mut name = path.into_os_string();
            name.push(".toml");
            path = name.into();
        }
        let Some(stem) = path.file_stem().map(|s| s.to_string_lossy().into_owned()) else {
            return Err(Failure::Input(format!("{}: it has no name", path.display())));
        };
        let shown = path.display().to_string();
        let wrong = |e: std::io::Error| match e.kind() {
            std::io::ErrorKind::AlreadyExists => {
                Failure::Input(format!("{shown}: there is such a file; choose another name"))
            }
            _ => Failure::Input(format!("{shown}: {e}")),
        };
        let mut file =
            OpenOptions::new().write(true).create_new(true).open(&path).map_err(wrong)?;
        let line: String = stem.chars().filter(|c| !c.is_control()).collect();
        file.write_all(SCENE.replace("NAME", &line).as_bytes()).map_err(wrong)?;
        output::print(&format!(
            "wrote {shown}; next:\n  stickslip run {shown}\n  stickslip view {shown}\n"
        ))?;
        Ok(())
    }
}
