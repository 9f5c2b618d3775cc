//! `stickslip plot`: a quantity of a recording over time.

use std::path::PathBuf;

use clap::Args;
use stickslip_record::{
    Recording,
    plot::{PlotOptions, png, svg},
};

use super::export::write;
use crate::{
    failure::{Failure, named},
    output,
};

/// Draw a quantity of a recording over time.
///
/// Of a body: position, velocity, acceleration, angular_velocity, each with .x, .y, .z; of the
/// whole: energy, momentum, contacts, residual, penetration, joint_error and others. An unknown
/// one lists the known.
#[derive(Debug, Args)]
pub struct Plot {
    /// The recording
    #[arg(value_name = "RECORD.h5")]
    recording: PathBuf,
    /// What to draw
    #[arg(long, value_name = "QUANTITY")]
    what: String,
    /// Of which body; may be given several times
    #[arg(long, value_name = "NAME")]
    body: Vec<String>,
    /// Logarithmic axis
    #[arg(long)]
    log: bool,
    /// The picture, .svg or .png
    #[arg(short, long, value_name = "OUT.svg")]
    output: PathBuf,
}

impl Plot {
    pub fn execute(&self) -> Result<(), Failure> {
        output::distinct(&[&self.output], &[&self.recording])?;
        let input = |e: stickslip_record::RecordError| Failure::Input(named(&self.recording, &e));
        let recording = Recording::open(&self.recording).map_err(input)?;
        let names: Vec<Option<&str>> = match &self.body[..] {
            [] => vec![None],
            names => names.iter().map(|n| Some(n.as_str())).collect(),
        };
        let (mut curves, mut unit) = (Vec::new(), "");
        for name in names {
            let (curve, of_curve) = recording.curve(&self.what, name).map_err(input)?;
            curves.push(curve);
            unit = of_curve;
        }
        let label =
            if unit.is_empty() { self.what.clone() } else { format!("{} [{unit}]", self.what) };
        let title = recording.model().scene.clone();
        let options = PlotOptions { title, label, log: self.log, ..Default::default() };
        match self.output.extension().and_then(|e| e.to_str()) {
            Some("svg") => write(&self.output, svg(&curves, &options)?.as_bytes()),
            Some("png") => write(&self.output, &png(&curves, &options)?),
            _ => Err(Failure::Input(format!(
                "{}: the name must end in .svg or .png",
                self.output.display()
            ))),
        }
    }
}
