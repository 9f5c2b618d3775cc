//! Draws a quantity of a recording.
//!
//! `cargo run -p stickslip-record --example plot_recording -- a.h5 position.z z.svg peg`

use std::{error::Error, path::Path};

use stickslip_record::{
    Recording,
    plot::{PlotOptions, png, svg},
};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, what, out, bodies @ ..] = &arguments[..] else {
        return Err(
            "give a recording, a quantity, the picture to write, and names of bodies".into()
        );
    };
    let recording = Recording::open(Path::new(file))?;
    let names: Vec<Option<&str>> = match bodies {
        [] => vec![None],
        names => names.iter().map(|n| Some(n.as_str())).collect(),
    };
    let (mut curves, mut unit) = (Vec::new(), "");
    for name in names {
        let (curve, of_curve) = recording.curve(what, name)?;
        curves.push(curve);
        unit = of_curve;
    }
    let label = if unit.is_empty() { what.clone() } else { format!("{what} [{unit}]") };
    let log = matches!(what.as_str(), "residual" | "joint_error");
    let options =
        PlotOptions { title: recording.model().scene.clone(), label, log, ..Default::default() };
    if out.ends_with(".png") {
        std::fs::write(out, png(&curves, &options)?)?;
    } else {
        std::fs::write(out, svg(&curves, &options)?)?;
    }
    Ok(())
}
