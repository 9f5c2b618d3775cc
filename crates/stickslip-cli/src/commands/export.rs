//! `stickslip export`: a recording in other formats.

use std::path::{Path, PathBuf};

use clap::Args;
use stickslip_record::{Replay, export, replay, write_whole};

use super::view;
use crate::{
    failure::{Failure, named},
    output,
};

/// Write a recording as a page, a table or an animation.
#[derive(Debug, Args)]
#[group(id = "formats", required = true, multiple = true, args = ["html", "csv", "gltf"])]
pub struct Export {
    /// The recordings; several make one page that shows them side by side
    #[arg(required = true, value_name = "RECORD.h5")]
    recordings: Vec<PathBuf>,
    /// One self-contained page that opens by double-click
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,
    /// Time, poses and velocities as comma-separated values
    #[arg(long, value_name = "OUT.csv")]
    csv: Option<PathBuf>,
    /// Animation for Blender and other glTF programs
    #[arg(long, value_name = "OUT.glb")]
    gltf: Option<PathBuf>,
}

impl Export {
    pub fn execute(&self) -> Result<(), Failure> {
        let outputs: Vec<&Path> =
            [&self.html, &self.csv, &self.gltf].into_iter().flatten().map(|p| &**p).collect();
        let inputs: Vec<&Path> = self.recordings.iter().map(|p| &**p).collect();
        output::distinct(&outputs, &inputs)?;
        let replays = self.recordings.iter().map(|path| view::replay(path));
        let replays: Vec<_> = replays.collect::<Result<_, _>>()?;
        let single = || match &replays[..] {
            [one] => Ok(one),
            _ => Err(Failure::Input("only --html takes several recordings".into())),
        };
        if let Some(path) = &self.csv {
            write(path, export::csv(single()?).as_bytes())?;
        }
        if let Some(path) = &self.gltf {
            let animation = export::gltf(single()?);
            let wrong = |e| Failure::Input(named(&self.recordings[0], &e));
            write(path, &animation.map_err(wrong)?)?;
        }
        if let Some(path) = &self.html {
            let pages: Vec<_> = replays.into_iter().map(Replay::for_page).collect();
            write(path, replay::html(&pages)?.as_bytes())?;
        }
        Ok(())
    }
}

/// Writes a file and says so.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_whole(path, bytes).map_err(|e| Failure::Input(format!("{}: {e}", path.display())))?;
    output::notice(&format!("wrote {}", path.display()));
    Ok(())
}
