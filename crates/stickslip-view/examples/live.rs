//! Runs a scene live in the browser: `cargo run -p stickslip-view --example live -- box-stack 8080`.

use std::error::Error;

use stickslip::Simulator;
use stickslip_scene::Scene;
use stickslip_view::Server;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let scene = Scene::open(&arguments.next().unwrap_or_else(|| "box-stack".into()), &[])?;
    let port = arguments.next().map_or(Ok(0), |p| p.parse())?;
    let simulator = Simulator::new(scene.model, scene.state, scene.settings)?;
    let mut server = Server::live(&scene.name, simulator, port)?;
    println!("{}", server.url());
    server.wait();
    Ok(())
}
