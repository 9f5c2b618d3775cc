//! Film files, read by decoders.

#![allow(clippy::unwrap_used)]

use std::{ops::ControlFlow, path::PathBuf};

use stickslip::{
    BodyInit, Dimension, ModelBuilder, Settings, Simulator,
    geometry::{Solid, Vec3},
};
use stickslip_record::{Replay, ReplayHook};
use stickslip_render::{Film, FilmOptions, Picture, RenderError, RenderOptions};

/// Half a second of a ball that crosses the picture.
fn run() -> Replay {
    let mut builder = ModelBuilder::new(Dimension::Three);
    builder.gravity(Vec3::ZERO);
    let ball = BodyInit::new(&Solid::sphere(0.5).unwrap()).named("ball");
    builder.add(ball.velocity(Vec3::X * 2.0)).unwrap();
    let (model, state) = builder.build();
    let mut simulator = Simulator::new(model, state, Settings::default()).unwrap();
    let hook = ReplayHook::new("ball", &simulator);
    simulator.pipeline.hooks.push(Box::new(hook.clone()));
    for _ in 0..50 {
        simulator.step().unwrap();
    }
    hook.replay()
}

fn options() -> (RenderOptions, FilmOptions) {
    let render = RenderOptions { width: 96, height: 64, threads: 2, ..RenderOptions::default() };
    (render, FilmOptions { fps: 20.0, ..FilmOptions::default() })
}

struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("stickslip-film-{}-{name}", std::process::id())))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn on(_: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Mean difference of two pictures, in steps of a byte.
fn difference(a: &[u8], b: &[u8]) -> f64 {
    assert_eq!(a.len(), b.len());
    let sum: u64 = a.iter().zip(b).map(|(x, y)| u64::from(x.abs_diff(*y))).sum();
    sum as f64 / a.len() as f64
}

/// Every frame of a GIF is close to its picture, and the film lasts as long as the run.
#[test]
fn gif_frames_are_the_pictures() {
    let replay = run();
    let (render, film) = options();
    let film = Film::new(&replay, render, film).unwrap();
    let file = File::new("ball.gif");
    film.write(&file.0, &mut on).unwrap();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(std::fs::File::open(&file.0).unwrap()).unwrap();
    let (mut canvas, mut frames, mut hundredths) = (vec![0; 96 * 64 * 3], 0, 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        for (pixel, new) in canvas.chunks_exact_mut(3).zip(frame.buffer.chunks_exact(4)) {
            if new[3] > 0 {
                pixel.copy_from_slice(&new[..3]);
            }
        }
        // 255 colors for a smooth picture: a step or two on average.
        let far = difference(&canvas, &film.picture(frames).pixels);
        assert!(far < 2.5, "frame {frames} is off by {far}");
        frames += 1;
        hundredths += u32::from(frame.delay);
    }
    assert_eq!((frames, hundredths), (11, 55));
}

/// The number in a box of an MP4 file, by its name and place.
#[cfg(feature = "mp4")]
fn number(data: &[u8], name: &[u8; 4], word: usize) -> u32 {
    let at = data.windows(4).position(|w| w == name).unwrap() + 4 + 4 * word;
    u32::from_be_bytes(data[at..at + 4].try_into().unwrap())
}

/// An H.264 decoder finds every frame, and each looks as its picture.
#[cfg(feature = "mp4")]
#[test]
fn mp4_frames_are_the_pictures() {
    use openh264::{decoder::Decoder, formats::YUVSource};
    let replay = run();
    let (render, film) = options();
    let film = Film::new(&replay, render, film).unwrap();
    let file = File::new("ball.mp4");
    film.write(&file.0, &mut on).unwrap();
    let data = std::fs::read(&file.0).unwrap();
    let (frames, mut at) = (number(&data, b"stsz", 2), number(&data, b"stco", 2) as usize);
    assert_eq!(frames, 11);
    // 11 frames of 1000 units, 20000 units a second.
    assert_eq!((number(&data, b"mdhd", 3), number(&data, b"mdhd", 4)), (20_000, 11_000));
    // Parameter sets of the header, then the frames, with start codes.
    let sets = data.windows(4).position(|w| w == b"avcC").unwrap() + 4;
    let length = |i: usize| usize::from(data[i]) << 8 | usize::from(data[i + 1]);
    let (sps, n) = (sets + 8, length(sets + 6));
    let (pps, m) = (sps + n + 3, length(sps + n + 1));
    let mut decoder = Decoder::new().unwrap();
    let mut stream =
        [&[0, 0, 0, 1], &data[sps..sps + n], &[0, 0, 0, 1], &data[pps..pps + m]].concat();
    for k in 0..frames as usize {
        let size = number(&data, b"stsz", 3 + k) as usize;
        let mut inner = at;
        while inner < at + size {
            let unit = u32::from_be_bytes(data[inner..inner + 4].try_into().unwrap()) as usize;
            stream.extend([0, 0, 0, 1]);
            stream.extend(&data[inner + 4..inner + 4 + unit]);
            inner += 4 + unit;
        }
        at += size;
        let decoded = decoder.decode(&stream).unwrap().unwrap();
        stream.clear();
        assert_eq!(decoded.dimensions(), (96, 64));
        let (stride, _, _) = decoded.strides();
        let rows = decoded.y().chunks(stride).take(64);
        let found: Vec<u8> = rows.flat_map(|row| row[..96].to_vec()).collect();
        let far = difference(&found, &luma(&film.picture(k)));
        assert!(far < 2.0, "frame {k} is off by {far}");
    }
    assert_eq!(at, data.len());
}

/// Brightness by BT.709, 16 to 235.
#[cfg(feature = "mp4")]
fn luma(picture: &Picture) -> Vec<u8> {
    let one = |p: &[u8]| {
        let [r, g, b] = [0, 1, 2].map(|c| f64::from(p[c]) / 255.0);
        (16.0 + 219.0 * (0.2126 * r + 0.7152 * g + 0.0722 * b)).round() as u8
    };
    picture.pixels.chunks_exact(3).map(one).collect()
}

#[test]
fn films_that_cannot_be_written_say_so_and_leave_nothing() {
    let replay = run();
    let (render, film) = options();
    let film = Film::new(&replay, render, film).unwrap();
    let error = film.write(&PathBuf::from("/no/such/folder/x.gif"), &mut on).unwrap_err();
    assert!(error.to_string().contains("/no/such/folder"), "{error}");
    let error = film.write(&File::new("x.avi").0, &mut on).unwrap_err();
    assert!(error.to_string().contains(".png, .gif or .mp4"), "{error}");
    let file = File::new("stopped.gif");
    let mut stop = |k: usize, _: usize| match k {
        0..3 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let error = film.write(&file.0, &mut stop).unwrap_err();
    assert!(matches!(error, RenderError::Interrupted { frames: 3 }), "{error}");
    assert!(!file.0.exists());
}
