//! Loads robots, one for each file named, and prints what came of each as lines of tab-separated
//! text: `ok` or `refused`, file, seconds, bodies, joints, mass of what moves; then every body
//! (name, mass, centre of mass), and every warning or error.
//!
//! `cargo run -p stickslip-scene --example robots -- FILE...`; text after `::` in a name is more
//! keys of the import: `arm.urdf::positions = { shoulder = 0.2 }`.

use std::time::Instant;

use stickslip_scene::{Scene, SceneText};

fn main() {
    for argument in std::env::args().skip(1) {
        let (file, keys) = argument.split_once("::").unwrap_or((&argument, ""));
        let text = format!("[[import]]\nfile = {file:?}\n{keys}\n");
        let scene = SceneText { file: file.into(), name: file.into(), text, folder: None };
        let start = Instant::now();
        let read = Scene::read(scene, &[]);
        let seconds = start.elapsed().as_secs_f64();
        match read {
            Ok(scene) => {
                let (model, state) = (&scene.model, &scene.state);
                let moving = model.ids().filter(|id| model.dof(*id).is_some());
                let mass: f64 = moving.map(|id| model.body(id).mass).sum();
                let (bodies, joints) = (model.bodies().len(), model.joints().len());
                println!("ok\t{file}\t{seconds:.2}\t{bodies}\t{joints}\t{mass}");
                for id in model.ids() {
                    let (body, at) = (model.body(id), state.pose(id).position);
                    let [x, y, z] = at.to_array();
                    println!("body\t{}\t{}\t{x}\t{y}\t{z}", body.name, body.mass);
                }
                scene.warnings.iter().for_each(|w| println!("warning\t{}", w.message));
            }
            Err(error) => {
                println!("refused\t{file}\t{seconds:.2}");
                error.diagnostics.iter().for_each(|d| println!("error\t{}", d.message));
            }
        }
    }
}
