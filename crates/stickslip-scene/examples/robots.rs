//! Loads robots, one for each file named, and prints what came of each as one line of
//! tab-separated text: file, seconds, bodies, joints, mass, then warnings or errors.
//!
//! `cargo run -p stickslip-scene --example robots -- FILE...`

use std::time::Instant;

use stickslip_scene::{Scene, SceneText};

fn main() {
    for file in std::env::args().skip(1) {
        let text = format!("[[import]]\nfile = {file:?}\n");
        let scene = SceneText { file: file.clone(), name: file.clone(), text, folder: None };
        let start = Instant::now();
        let read = Scene::read(scene, &[]);
        let seconds = start.elapsed().as_secs_f64();
        match read {
            Ok(scene) => {
                let model = &scene.model;
                let mass: f64 = model
                    .ids()
                    .filter(|id| model.dof(*id).is_some())
                    .map(|id| model.body(id).mass)
                    .sum();
                let (bodies, joints) = (model.bodies().len(), model.joints().len());
                println!("ok\t{file}\t{seconds:.2}\t{bodies}\t{joints}\t{mass}");
                scene.warnings.iter().for_each(|w| println!("    {}", w.message));
            }
            Err(error) => {
                println!("refused\t{file}\t{seconds:.2}");
                error.diagnostics.iter().for_each(|d| println!("    {}", d.message));
            }
        }
    }
}
