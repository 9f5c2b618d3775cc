//! `stickslip render`: a run as a picture or a film.

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
    str::FromStr,
    sync::atomic::{AtomicBool, Ordering},
};

use clap::Args;
use stickslip::Simulator;
use stickslip_record::{Replay, ReplayHook};
use stickslip_render::{CameraChoice, Film, FilmOptions, RenderError, RenderOptions, read_camera};

use super::{interrupt, select::Select, view};
use crate::{
    failure::Failure,
    output::{self, bar::Bar, progress::Progress},
};

/// Draw a run as a picture or a film: no browser, no graphics card.
///
/// The ending of the output chooses the format: .mp4 and .gif are films, .png is one picture. A
/// scene is simulated first; a recording is drawn as it is.
#[derive(Debug, Args)]
#[command(mut_arg("scene", |a| a.value_name("RUN.h5|SCENE").help(
    "A recording, a scene file, or the name of a built-in scene"
)))]
pub struct Render {
    #[command(flatten)]
    select: Select,
    /// The picture or film: .mp4, .gif or .png
    #[arg(short, long, value_name = "OUT.mp4")]
    output: PathBuf,
    /// One picture (.png) of this time in seconds; without it, of the end
    #[arg(long, value_name = "SECONDS")]
    at: Option<f64>,
    /// Frames per second
    #[arg(long, default_value_t = 30.0)]
    fps: f64,
    /// Seconds of the run in a second of the film
    #[arg(long, default_value_t = 1.0)]
    speed: f64,
    /// Columns by rows in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    size: Size,
    /// position:target or position:target:angle, as 3,-4,2:0,0,0.5:38 (meters, degrees), or
    /// follow=BODY; without it, all of the motion is seen
    #[arg(long, value_name = "CAMERA", allow_hyphen_values = true, default_value = "auto")]
    camera: Camera,
    /// Draw contact forces
    #[arg(long)]
    forces: bool,
    /// Draw joints
    #[arg(long)]
    joints: bool,
    /// Dark background
    #[arg(long)]
    dark: bool,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

/// Columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size(usize, usize);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = text
            .split_once(['x', 'X'])
            .and_then(|(w, h)| Some(Self(w.trim().parse().ok()?, h.trim().parse().ok()?)));
        sides.ok_or_else(|| format!("{text:?} is not columns x rows, such as 1920x1080"))
    }
}

#[derive(Clone, Debug)]
struct Camera(CameraChoice);

impl FromStr for Camera {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        read_camera(text).map(Self).map_err(|e| e.to_string())
    }
}

impl Render {
    pub fn execute(&self) -> Result<(), Failure> {
        let still = self.output.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
        if self.at.is_some() && !still {
            let text = "--at makes one picture: the output must end in .png";
            return Err(Failure::Input(text.into()));
        }
        output::distinct(&[&self.output], &[Path::new(&self.select.scene)])?;
        // Wrong sizes and cameras are told before anything is simulated.
        let (render, film) = (self.render_options(still), self.film_options());
        render.validate().and(film.validate()).map_err(wrong)?;
        let stopped = interrupt::flag()?;
        let replay = self.replay(&stopped)?;
        let film = Film::new(&replay, render, film).map_err(wrong)?;
        match self.at {
            Some(time) => film.at(time).save(&self.output).map_err(wrong)?,
            None => self.write(&film, &stopped)?,
        }
        if !self.quiet {
            let frames = if still { String::new() } else { format!(", {} frames", film.frames()) };
            output::notice(&format!("wrote {}{frames}", self.output.display()));
        }
        Ok(())
    }

    fn render_options(&self, still: bool) -> RenderOptions {
        RenderOptions {
            width: self.size.0,
            height: self.size.1,
            samples: if still { 16 } else { 4 },
            forces: self.forces,
            joints: self.joints,
            dark: self.dark,
            ..RenderOptions::default()
        }
    }

    fn film_options(&self) -> FilmOptions {
        FilmOptions { fps: self.fps, speed: self.speed, camera: self.camera.0.clone() }
    }

    /// The run: read, or simulated.
    fn replay(&self, stopped: &AtomicBool) -> Result<Replay, Failure> {
        let name = &self.select.scene;
        if view::is_recording(name) {
            if self.select.changes() {
                let text =
                    format!("{name}: a recording is drawn as it is; only scenes can be changed");
                return Err(Failure::Input(text));
            }
            return view::replay(Path::new(name));
        }
        let scene = self.select.open(self.quiet)?;
        let mut simulator = Simulator::new(scene.model, scene.state, scene.settings)
            .map_err(|error| Failure::Input(format!("{name}: {error}")))?;
        let hook = ReplayHook::new(&scene.name, &simulator);
        simulator.pipeline.hooks.push(Box::new(hook.clone()));
        let steps = simulator.settings.steps();
        let progress = Progress::start(steps, self.quiet);
        while simulator.state.step < steps {
            if stopped.load(Ordering::SeqCst) {
                let (step, time) = (simulator.state.step, simulator.state.time);
                let text = format!("interrupted after step {step}, at time {time} s");
                return Err(Failure::Interrupted(text));
            }
            let report = simulator.step().map_err(|e| Failure::Simulation(e.to_string()))?;
            progress.show(&report);
        }
        Ok(hook.replay())
    }

    fn write(&self, film: &Film<'_>, stopped: &AtomicBool) -> Result<(), Failure> {
        let bar = Bar::start(self.quiet);
        let mut progress = |done: usize, count: usize| {
            bar.show(done as u64, count as u64, "drawing");
            match stopped.load(Ordering::SeqCst) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        film.write(&self.output, &mut progress).map_err(wrong)
    }
}

fn wrong(error: RenderError) -> Failure {
    match error {
        RenderError::Interrupted { .. } => Failure::Interrupted(error.to_string()),
        RenderError::Encode { .. } => Failure::Simulation(error.to_string()),
        _ => Failure::Input(error.to_string()),
    }
}
