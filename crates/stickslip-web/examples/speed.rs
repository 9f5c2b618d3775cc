//! Runs a scene as the playground does, without a browser, and says how long its steps took:
//! `cargo run --release -p stickslip-web --example speed box-stack`, or a file. To compare with the page.

use std::time::Instant;

use stickslip_web::{Playground, Progress};

fn main() -> Result<(), String> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "box-stack".into());
    let text = match stickslip_scene::find(&name) {
        Some(scene) => scene.text.to_owned(),
        None => std::fs::read_to_string(&name).map_err(|e| format!("{name}: {e}"))?,
    };
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let mut playground = Playground::default();
        playground.open(&text).map_err(|remarks| remarks.to_string())?;
        let begin = Instant::now();
        while playground.advance(64)? == Progress::More {}
        best = best.min(begin.elapsed().as_secs_f64());
    }
    println!("{name}: {:.1} ms, the best of twenty", 1e3 * best);
    Ok(())
}
