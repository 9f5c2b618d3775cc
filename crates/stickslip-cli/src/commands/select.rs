//! Which scene, and what to change in it: the arguments that several commands share.

use clap::Args;
use stickslip_scene::{Override, Scene};

use crate::{failure::Failure, output};

/// A scene and changes to it.
#[derive(Debug, Args)]
pub struct Select {
    /// A scene file, or the name of a built-in scene (`stickslip scenes` lists them)
    pub scene: String,
    /// How contacts become a complementarity problem
    #[arg(long, value_name = "NAME")]
    formulation: Option<String>,
    /// How that problem is solved
    #[arg(long, value_name = "NAME")]
    solver: Option<String>,
    /// How contacts are found
    #[arg(long, value_name = "NAME")]
    detector: Option<String>,
    /// Time step in seconds
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    step: Option<String>,
    /// How long to simulate, in seconds
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    duration: Option<String>,
    /// Threads; 0 means all cores; results do not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<String>,
    /// Changes any key of the scene: step=0.002, solver.tolerance=1e-10, body.peg.friction=0.2
    #[arg(long = "set", value_name = "KEY=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
}

impl Select {
    /// Reads the scene; warnings go to standard error unless `quiet`.
    pub fn open(&self, quiet: bool) -> Result<Scene, Failure> {
        let scene = Scene::open(&self.scene, &self.overrides()?)?;
        if !quiet {
            scene.warnings.iter().for_each(|w| output::notice(&w.with_snippet()));
        }
        Ok(scene)
    }

    /// Whether anything of the scene is changed.
    pub fn changes(&self) -> bool {
        let options = [&self.formulation, &self.solver, &self.detector, &self.step];
        let more = [&self.duration, &self.threads];
        !self.set.is_empty() || options.into_iter().chain(more).any(Option::is_some)
    }

    /// `--set` first, so that an option of its own has the last word.
    fn overrides(&self) -> Result<Vec<Override>, Failure> {
        let mut all = Vec::new();
        for text in &self.set {
            all.push(Override::parse(text)?);
        }
        let options = [
            ("formulation", &self.formulation),
            ("solver", &self.solver),
            ("detector", &self.detector),
            ("step", &self.step),
            ("duration", &self.duration),
            ("threads", &self.threads),
        ];
        for (name, value) in options {
            if let Some(value) = value {
                let (option, path) = (format!("--{name}"), format!("simulation.{name}"));
                all.push(Override::option(&option, &path, value));
            }
        }
        Ok(all)
    }
}
