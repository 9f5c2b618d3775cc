//! `stickslip check`: says what is wrong with a scene.

use clap::Args;
use stickslip::{Dimension, Motion};
use stickslip_scene::Scene;

use super::select::Select;
use crate::{failure::Failure, output};

/// Check a scene without simulating it.
///
/// Prints one line if all is well; otherwise every mistake with file, line, key and remedy, and
/// ends with exit code 2.
#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    select: Select,
}

impl Check {
    pub fn execute(&self) -> Result<(), Failure> {
        let scene = self.select.open(false)?;
        output::print(&format!("ok: {}\n", describe(&scene)))?;
        Ok(())
    }
}

/// One line about a scene.
pub fn describe(scene: &Scene) -> String {
    let count = |motion: Motion| scene.model.bodies().iter().filter(|b| b.motion == motion).count();
    let bodies = scene.model.bodies().len();
    let kinds = [
        (count(Motion::Dynamic), "dynamic"),
        (count(Motion::Kinematic), "kinematic"),
        (count(Motion::Static), "static"),
    ];
    let kinds: Vec<String> =
        kinds.iter().filter(|k| k.0 > 0).map(|(n, kind)| format!("{n} {kind}")).collect();
    let dimension = match scene.model.dimension() {
        Dimension::Two => "2D",
        Dimension::Three => "3D",
    };
    let joints = match scene.model.joints().len() {
        0 => String::new(),
        1 => ", 1 joint".into(),
        n => format!(", {n} joints"),
    };
    let settings = &scene.settings;
    format!(
        "{}: {bodies} {} ({}){joints}, {dimension}, {} steps of {} s, formulation {}, solver {}",
        scene.name,
        if bodies == 1 { "body" } else { "bodies" },
        kinds.join(", "),
        settings.steps(),
        settings.step,
        settings.formulation,
        settings.solver,
    )
}
