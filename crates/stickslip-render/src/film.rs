//! A run as a sequence of pictures, and as a file.

use std::{ops::ControlFlow, path::Path, sync::mpsc::sync_channel};

use stickslip::geometry::Vec3;
use stickslip_record::{Replay, WholeFile};

use crate::{
    Camera, CameraChoice, Lens, Moment, Picture, RenderError, RenderOptions, Renderer,
    camera::check_camera, gif::GifSink, palette::Palette,
};

/// Pace and camera of a film.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmOptions {
    /// Frames per second. Default 30.
    pub fps: f64,
    /// Seconds of the run in a second of the film. Default 1.
    pub speed: f64,
    /// Which camera. Default one that sees the whole motion.
    pub camera: CameraChoice,
}

impl Default for FilmOptions {
    fn default() -> Self {
        Self { fps: 30.0, speed: 1.0, camera: CameraChoice::default() }
    }
}

/// Most frames of a film.
const MOST_FRAMES: usize = 1_000_000;

impl FilmOptions {
    /// Whether the numbers make sense.
    pub fn validate(&self) -> Result<(), RenderError> {
        let range = |what, value: f64, low: f64, high: f64, range| match value {
            x if x >= low && x <= high => Ok(()),
            value => Err(RenderError::Range { what, value, range }),
        };
        range("frames per second", self.fps, 0.1, 1000.0, "between 0.1 and 1000")?;
        range("speed", self.speed, 1e-6, 1e6, "between 1e-6 and 1e6")?;
        check_camera(&self.camera)
    }
}

/// Called with the number of frames done and in total; `Break` ends the film.
pub type Progress<'a> = dyn FnMut(usize, usize) -> ControlFlow<()> + 'a;

/// A film of a run: frame `k` shows the time `t0 + k speed / fps`, from the first state on record
/// to the last.
pub struct Film<'a> {
    replay: &'a Replay,
    renderer: Renderer,
    options: FilmOptions,
    frames: usize,
    camera: Camera,
    /// The body that the camera goes along with.
    followed: Option<usize>,
}

impl<'a> Film<'a> {
    /// Prepares a film; an unknown body to follow lists the known.
    pub fn new(
        replay: &'a Replay,
        render: RenderOptions,
        options: FilmOptions,
    ) -> Result<Self, RenderError> {
        options.validate()?;
        let renderer = Renderer::new(replay, render)?;
        let (first, last) = (replay.time[0], replay.time[replay.frames() - 1]);
        // A duration that is a multiple of the pace up to rounding has its last frame.
        let steps = ((last - first) * options.fps / options.speed + 1e-6).floor();
        if !(..MOST_FRAMES as f64).contains(&steps) {
            return Err(RenderError::TooLong { frames: steps + 1.0, most: MOST_FRAMES });
        }
        let mut film = Self {
            camera: renderer.camera(),
            frames: 1 + steps.max(0.0) as usize,
            followed: None,
            replay,
            renderer,
            options,
        };
        film.place_camera()?;
        Ok(film)
    }

    fn place_camera(&mut self) -> Result<(), RenderError> {
        let mut choice = self.options.camera.clone();
        if choice == CameraChoice::default()
            && let Some(scene) = &self.replay.model.camera
        {
            choice.clone_from(scene);
        }
        let mut extent = self.renderer.extent.clone();
        if let Some(name) = &choice.follow {
            let bodies = &self.replay.model.bodies;
            let Some(index) = bodies.iter().position(|b| b.name == *name) else {
                let known: Vec<&str> = bodies.iter().map(|b| b.name.as_str()).collect();
                let known = known.join(", ");
                return Err(RenderError::UnknownBody { name: name.clone(), known });
            };
            extent = extent.beside(index, &Moment::frame(self.replay, 0).poses[index]);
            self.followed = Some(index);
        }
        let (aspect, planar) = (self.renderer.aspect(), self.renderer.planar());
        self.camera = match choice.fov.filter(|_| !planar) {
            Some(fov) => extent.camera_with(fov, aspect),
            None => extent.camera(planar, aspect),
        };
        if let Some(target) = choice.target.map(Vec3::from) {
            self.camera.position += target - self.camera.target;
            self.camera.target = target;
        }
        if let Some(position) = choice.position.map(Vec3::from).filter(|_| !planar) {
            self.camera.position = position;
        }
        if let Some(height) = choice.height.filter(|_| planar) {
            self.camera.lens = Lens::Orthographic { height };
        }
        Ok(())
    }

    /// How many frames it has.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Time that a frame shows \[s\].
    pub fn time(&self, frame: usize) -> f64 {
        self.replay.time[0] + frame as f64 * self.options.speed / self.options.fps
    }

    /// The camera at a moment.
    fn camera_at(&self, moment: &Moment) -> Camera {
        let mut camera = self.camera;
        if let Some(body) = self.followed {
            let start = Moment::frame(self.replay, 0).poses[body].position;
            let gone = moment.poses[body].position - start;
            if gone.is_finite() {
                camera.position += gone;
                camera.target += gone;
            }
        }
        camera
    }

    /// A frame.
    pub fn picture(&self, frame: usize) -> Picture {
        self.at(self.time(frame))
    }

    /// The run at a time \[s\]; before its start and after its end, the nearest there is.
    pub fn at(&self, time: f64) -> Picture {
        let moment = Moment::at(self.replay, time);
        self.renderer.draw(&moment, &self.camera_at(&moment))
    }

    /// Writes the film as .gif or .mp4, or its last picture as .png, by the ending of the name.
    pub fn write(&self, path: &Path, progress: &mut Progress<'_>) -> Result<(), RenderError> {
        let file = |source| RenderError::Io { path: path.to_owned(), source };
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
        if !matches!(ending.as_str(), "png" | "gif" | "mp4") {
            return Err(RenderError::Format { path: path.to_owned() });
        }
        // A file that cannot be made is told before the first picture.
        let whole = WholeFile::create(path).map_err(file)?;
        let bytes = match ending.as_str() {
            "png" => self.at(f64::INFINITY).png()?,
            "gif" => self.gif(progress)?,
            _ => self.mp4(path, progress)?,
        };
        whole.finish(&bytes).map_err(file)
    }

    fn gif(&self, progress: &mut Progress<'_>) -> Result<Vec<u8>, RenderError> {
        // Colors are chosen from a few frames of the whole film.
        let count = self.frames.min(6);
        let frame = |k: usize| k * (self.frames - 1) / (count - 1).max(1);
        let pictures: Vec<Picture> = (0..count).map(|k| self.picture(frame(k))).collect();
        let palette = Palette::of(&pictures);
        let sink = GifSink::new(palette, &self.renderer.options, self.options.fps)?;
        self.encode(sink, progress)
    }

    #[cfg(feature = "mp4")]
    fn mp4(&self, _: &Path, progress: &mut Progress<'_>) -> Result<Vec<u8>, RenderError> {
        self.encode(crate::mp4::Mp4Sink::new(&self.renderer.options, self.options.fps)?, progress)
    }

    #[cfg(not(feature = "mp4"))]
    fn mp4(&self, path: &Path, _: &mut Progress<'_>) -> Result<Vec<u8>, RenderError> {
        Err(RenderError::NoEncoder { path: path.to_owned() })
    }

    /// Draws every frame; another thread packs the one before meanwhile.
    fn encode(
        &self,
        mut sink: impl Sink,
        progress: &mut Progress<'_>,
    ) -> Result<Vec<u8>, RenderError> {
        let (sender, receiver) = sync_channel::<Picture>(2);
        std::thread::scope(|scope| {
            let packer = scope.spawn(move || {
                for picture in receiver {
                    sink.frame(&picture)?;
                }
                sink.finish()
            });
            let mut interrupted = None;
            for k in 0..self.frames {
                if progress(k, self.frames).is_break() {
                    interrupted = Some(RenderError::Interrupted { frames: k });
                    break;
                }
                // The packer has failed: it says why below.
                if sender.send(self.picture(k)).is_err() {
                    break;
                }
            }
            drop(sender);
            let packed = packer.join().unwrap_or_else(|_| {
                Err(RenderError::Encode { format: "film", reason: "it panicked".into() })
            });
            interrupted.map_or(packed, Err)
        })
    }
}

/// A file format for films.
pub(crate) trait Sink: Send {
    /// One more frame.
    fn frame(&mut self, picture: &Picture) -> Result<(), RenderError>;
    /// The file.
    fn finish(self) -> Result<Vec<u8>, RenderError>;
}
