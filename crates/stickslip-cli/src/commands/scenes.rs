//! `stickslip scenes`: the built-in scenes and the reference of scene files.

use clap::Args;
use stickslip_scene::{BUILTIN, closest, find, reference};

use crate::{failure::Failure, output};

/// List the built-in scenes, or print one.
///
/// `stickslip scenes NAME > my.toml` is a good start for a scene of your own.
#[derive(Debug, Args)]
pub struct Scenes {
    /// Print the TOML text of this scene
    name: Option<String>,
    /// Print the reference of scene files: every key, its type, unit and default (Markdown)
    #[arg(long, conflicts_with = "name")]
    reference: bool,
}

impl Scenes {
    pub fn execute(&self) -> Result<(), Failure> {
        let text = match &self.name {
            _ if self.reference => reference::markdown(),
            None => list(),
            Some(name) => match find(name) {
                Some(scene) => scene.text.to_owned(),
                None => return Err(unknown(name)),
            },
        };
        output::print(&text)?;
        Ok(())
    }
}

fn list() -> String {
    let width = BUILTIN.iter().map(|s| s.name.len()).max().unwrap_or(0);
    BUILTIN.iter().map(|s| format!("{:width$}  {}\n", s.name, s.summary)).collect()
}

fn unknown(name: &str) -> Failure {
    let names: Vec<&str> = BUILTIN.iter().map(|s| s.name).collect();
    let hint = match closest(name, names.iter().copied()) {
        Some(close) => format!("did you mean `{close}`? "),
        None => String::new(),
    };
    Failure::Input(format!(
        "{name}: there is no built-in scene of that name; {hint}there are: {}",
        names.join(", ")
    ))
}
