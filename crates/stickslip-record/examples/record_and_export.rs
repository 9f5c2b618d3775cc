//! Records a scene to HDF5 and writes the page that shows it.
//!
//! `cargo run -p stickslip-record --example record_and_export -- box-stack out`

use std::{error::Error, path::PathBuf};

use stickslip::{Simulator, step::StepError};
use stickslip_record::{RecordOptions, Recorder, Recording, RunInfo, export, replay};
use stickslip_scene::Scene;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "box-stack".into());
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| "out".into()));
    std::fs::create_dir_all(&folder)?;

    let scene = Scene::open(&name, &[])?;
    let info = RunInfo { name: scene.name, scene: scene.text, ..RunInfo::default() };
    let mut simulator = Simulator::new(scene.model, scene.state, scene.settings)?;
    let file = folder.join(format!("{}.h5", info.name));
    let recorder = Recorder::attach(&file, &mut simulator, &info, RecordOptions::default())?;
    if let Err(error) = run(&mut simulator) {
        recorder.failed(&mut simulator, &error.to_string())?;
        eprintln!("{error}");
    }
    let summary = recorder.finish()?;
    println!("{}: {} rows, {} bytes", file.display(), summary.rows, summary.bytes);

    let replay = Recording::open(&file)?.replay()?;
    std::fs::write(file.with_extension("html"), replay::html(std::slice::from_ref(&replay))?)?;
    std::fs::write(file.with_extension("csv"), export::csv(&replay))?;
    std::fs::write(file.with_extension("glb"), export::gltf(&replay)?)?;
    Ok(())
}

fn run(simulator: &mut Simulator) -> Result<(), StepError> {
    while simulator.state.step < simulator.settings.steps() {
        simulator.step()?;
    }
    Ok(())
}
