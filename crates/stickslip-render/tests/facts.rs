//! What is in a picture, by the geometry of projection and light.

#![allow(clippy::unwrap_used)]

use stickslip::{
    BodyInit, Dimension, ModelBuilder, Settings, Simulator,
    geometry::{Solid, Vec3},
};
use stickslip_record::{Replay, ReplayHook};
use stickslip_render::{CameraChoice, Film, FilmOptions, Picture, RenderError, RenderOptions};

const RED: [f32; 3] = [1.0, 0.0, 0.0];

fn simulator(bodies: Vec<BodyInit>, dimension: Dimension) -> Simulator {
    let mut builder = ModelBuilder::new(dimension);
    builder.gravity(Vec3::ZERO);
    for body in bodies {
        builder.add(body).unwrap();
    }
    let (model, state) = builder.build();
    Simulator::new(model, state, Settings { threads: 1, ..Settings::default() }).unwrap()
}

fn still(bodies: Vec<BodyInit>) -> Replay {
    Replay::begin("test", &simulator(bodies, Dimension::Three))
}

fn red(solid: &Solid, name: &str) -> BodyInit {
    let mut init = BodyInit::new(solid).named(name);
    init.body.color = Some(RED);
    init
}

fn from(position: [f64; 3], target: [f64; 3], fov: f64) -> CameraChoice {
    let (position, target, fov) = (Some(position), Some(target), Some(fov));
    CameraChoice { position, target, fov, ..CameraChoice::default() }
}

fn size(width: usize, height: usize) -> RenderOptions {
    RenderOptions { width, height, threads: 2, ..RenderOptions::default() }
}

fn picture(replay: &Replay, options: RenderOptions, camera: CameraChoice) -> Picture {
    let film = FilmOptions { camera, ..FilmOptions::default() };
    Film::new(replay, options, film).unwrap().at(0.0)
}

/// Columns and rows of the pixels that are red for the greater part: the background there has a
/// green of about 240, of which half the light is 178.
fn reds(picture: &Picture) -> Vec<(f64, f64)> {
    let all = (0..picture.width * picture.height).map(|k| (k % picture.width, k / picture.width));
    let is_red = |&(x, y): &(usize, usize)| {
        let [r, g, _] = picture.pixel(x, y);
        g < 178 && u16::from(r) > u16::from(g) + 5
    };
    all.filter(is_red).map(|(x, y)| (x as f64 + 0.5, y as f64 + 0.5)).collect()
}

/// Pixels per unit of tangent.
fn focal(rows: usize, fov: f64) -> f64 {
    0.5 * rows as f64 / (0.5 * fov.to_radians()).tan()
}

/// A cube seen straight on is a square: its front face, `f / distance` pixels wide.
#[test]
fn a_box_covers_as_many_pixels_as_its_projection() {
    let floor = BodyInit::new(&Solid::half_space(Vec3::Z).unwrap()).named("floor");
    let cube = red(&Solid::cuboid(Vec3::ONE).unwrap(), "cube").at(Vec3::Z * 0.5);
    let replay = still(vec![floor, cube]);
    let camera = from([0.0, -10.0, 0.5], [0.0, 0.0, 0.5], 20.0);
    let found = reds(&picture(&replay, size(400, 300), camera)).len() as f64;
    let side = focal(300, 20.0) / 9.5;
    // A border of half a pixel on four sides is undecided.
    assert!((found - side * side).abs() < 2.0 * side, "{found} pixels, {} expected", side * side);
}

/// A ball's silhouette is a circle with tan = r / sqrt(d^2 - r^2).
#[test]
fn a_ball_is_a_disc() {
    let replay = still(vec![red(&Solid::sphere(1.0).unwrap(), "ball")]);
    let camera = from([6.0, 0.0, 0.0], [0.0; 3], 30.0);
    let found = reds(&picture(&replay, size(320, 240), camera));
    let radius = focal(240, 30.0) / 35_f64.sqrt();
    let far = found.iter().map(|(x, y)| (x - 160.0).hypot(y - 120.0)).fold(0.0, f64::max);
    assert!((far - radius).abs() < 1.0, "reaches {far}, expected {radius}");
    let area = std::f64::consts::PI * radius * radius;
    assert!((found.len() as f64 / area - 1.0).abs() < 0.01, "{} of {area}", found.len());
}

/// Where a point is in a picture, by a computation of its own.
fn project(
    p: Vec3,
    eye: Vec3,
    target: Vec3,
    (width, height, fov): (usize, usize, f64),
) -> (usize, usize) {
    let z = (target - eye).normalize();
    let x = z.cross(Vec3::Z).normalize();
    let (y, d) = (x.cross(z), p - eye);
    let f = focal(height, fov) / d.dot(z);
    ((0.5 * width as f64 + f * d.dot(x)) as usize, (0.5 * height as f64 - f * d.dot(y)) as usize)
}

/// The light comes from (-0.5, -1, 1.35): a ball's shadow lies on the ray from it, and the ground
/// on the other side is as bright as without shadows.
#[test]
fn shadows_lie_where_the_light_says() {
    let floor = BodyInit::new(&Solid::half_space(Vec3::Z).unwrap()).named("floor");
    let ball = red(&Solid::sphere(0.5).unwrap(), "ball").at(Vec3::Z * 2.0);
    let replay = still(vec![floor, ball]);
    let (eye, target) = (Vec3::new(1.0, -9.0, 7.0), Vec3::new(0.5, 0.5, 0.3));
    let view = (320, 240, 40.0);
    let draw = |shadows: bool| {
        let options = RenderOptions { shadows, ..size(view.0, view.1) };
        picture(&replay, options, from(eye.to_array(), target.to_array(), view.2))
    };
    let (with, without) = (draw(true), draw(false));
    let light = Vec3::new(-0.5, -1.0, 1.35);
    let hit = Vec3::Z * 2.0 - light * (2.0 / light.z);
    let brightness = |picture: &Picture, p: Vec3| {
        let (x, y) = project(p, eye, target, view);
        picture.pixel(x, y).iter().map(|&b| f64::from(b)).sum::<f64>()
    };
    let ratio = |p: Vec3| brightness(&with, p) / brightness(&without, p);
    assert!(ratio(hit) < 0.85, "{}", ratio(hit));
    // The shadow of a ball is an ellipse, half a metre across the ray.
    let across = light.cross(Vec3::Z).normalize();
    for side in [-1.0, 1.0] {
        let (inside, outside) = (hit + across * (0.4 * side), hit + across * (0.6 * side));
        assert!(
            ratio(inside) < 0.85 && ratio(outside) > 0.99,
            "{} {}",
            ratio(inside),
            ratio(outside)
        );
    }
    let mirrored = Vec3::new(-hit.x, -hit.y, 0.0);
    assert_eq!(brightness(&with, mirrored), brightness(&without, mirrored));
}

fn crowd() -> Replay {
    let mut bodies = vec![BodyInit::new(&Solid::half_space(Vec3::Z).unwrap()).named("floor")];
    let solids = [
        Solid::cuboid(Vec3::new(0.5, 0.3, 0.4)).unwrap(),
        Solid::sphere(0.3).unwrap(),
        Solid::capsule(0.2, 0.5).unwrap(),
    ];
    for k in 0..24 {
        let at =
            Vec3::new(f64::from(k % 5) - 2.0, f64::from(k / 5) - 2.0, 0.4 + 0.05 * f64::from(k));
        let init = BodyInit::new(&solids[k as usize % 3]).named(&format!("b{k}")).at(at);
        bodies.push(init.velocity(Vec3::new(1.0, 0.1, 0.0)).spin(Vec3::ONE));
    }
    let mut simulator = simulator(bodies, Dimension::Three);
    let hook = ReplayHook::new("crowd", &simulator);
    simulator.pipeline.hooks.push(Box::new(hook.clone()));
    for _ in 0..10 {
        simulator.step().unwrap();
    }
    hook.replay()
}

/// The same bits, whatever the number of threads.
#[test]
fn pictures_do_not_depend_on_threads() {
    let replay = crowd();
    let draw = |threads: usize, samples: usize| {
        let options =
            RenderOptions { threads, samples, forces: true, joints: true, ..size(333, 217) };
        picture(&replay, options, CameraChoice::default())
    };
    for samples in [4, 16] {
        let one = draw(1, samples);
        assert_eq!(one, draw(2, samples));
        assert_eq!(one, draw(5, samples));
    }
}

/// A body that slides far is seen all the time, and never touches the border.
#[test]
fn the_camera_holds_the_whole_motion() {
    let cube = red(&Solid::cuboid(Vec3::ONE).unwrap(), "cube").velocity(Vec3::new(8.0, 3.0, 1.0));
    let mut simulator = simulator(vec![cube], Dimension::Three);
    let hook = ReplayHook::new("far", &simulator);
    simulator.pipeline.hooks.push(Box::new(hook.clone()));
    for _ in 0..200 {
        simulator.step().unwrap();
    }
    let replay = hook.replay();
    let options = FilmOptions { fps: 5.0, ..FilmOptions::default() };
    let film = Film::new(&replay, size(160, 120), options).unwrap();
    assert_eq!(film.frames(), 11);
    for k in 0..film.frames() {
        let found = reds(&film.picture(k));
        assert!(found.len() > 20, "frame {k}: {} pixels", found.len());
        let inside = |(x, y): &(f64, f64)| *x > 1.0 && *x < 159.0 && *y > 1.0 && *y < 119.0;
        assert!(found.iter().all(inside), "frame {k}");
    }
}

/// A picture goes into a PNG file and comes out as it was.
#[test]
fn png_files_decode_to_the_picture() {
    let drawn = picture(&crowd(), size(97, 61), CameraChoice::default());
    let bytes = drawn.png().unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (97, 61));
    assert_eq!(pixels, drawn.pixels);
}

/// Scenes in the plane are drawn flat: a disc is a disc, in the color it has.
#[test]
fn the_plane_is_flat() {
    let floor = BodyInit::new(&Solid::half_plane(Vec3::Y).unwrap()).named("floor");
    let disc = red(&Solid::disc(0.5).unwrap(), "disc").at(Vec3::new(0.0, 0.5, 0.0));
    let replay = Replay::begin("plane", &simulator(vec![floor, disc], Dimension::Two));
    let camera = CameraChoice {
        target: Some([0.0, 0.5, 0.0]),
        height: Some(2.0),
        ..CameraChoice::default()
    };
    let drawn = picture(&replay, size(200, 200), camera);
    let (found, area) = (reds(&drawn).len() as f64, std::f64::consts::PI * 2500.0);
    assert!((found / area - 1.0).abs() < 0.01, "{found} of {area}");
    assert_eq!(drawn.pixel(120, 90), [255, 0, 0]);
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let replay = still(vec![red(&Solid::sphere(1.0).unwrap(), "ball")]);
    let new = |options: RenderOptions, film: FilmOptions| Film::new(&replay, options, film).err();
    let plain = FilmOptions::default();
    assert!(matches!(new(size(5, 100), plain.clone()), Some(RenderError::Size { .. })));
    assert!(matches!(new(size(100, 100_000), plain.clone()), Some(RenderError::Size { .. })));
    for fps in [0.0, f64::NAN, -1.0] {
        let film = FilmOptions { fps, ..plain.clone() };
        assert!(matches!(new(size(64, 64), film), Some(RenderError::Range { .. })), "{fps}");
    }
    let camera = CameraChoice { follow: Some("cube".into()), ..CameraChoice::default() };
    let error = new(size(64, 64), FilmOptions { camera, ..plain }).unwrap().to_string();
    assert!(error.contains("cube") && error.contains("ball"), "{error}");
}

/// Cameras anywhere, also inside of bodies, and bodies that are nowhere, do no harm.
#[test]
fn strange_views_do_no_harm() {
    let mut replay = crowd();
    replay.position[5] = f64::NAN;
    replay.position[3 * 7] = 1e300;
    let mut seed = 12345_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
    };
    for k in 0..40 {
        let scale = 10_f64.powi(k % 7 - 2);
        let place = || std::array::from_fn(|_| 0.0);
        let (mut position, mut target): ([f64; 3], [f64; 3]) = (place(), place());
        position.iter_mut().chain(&mut target).for_each(|x| *x = scale * random());
        let camera = from(position, target, 10.0 + 60.0 * (1.0 + random()));
        let options = RenderOptions { forces: true, ..size(40, 30) };
        let drawn = picture(&replay, options, camera);
        assert_eq!(drawn.pixels.len(), 3 * 40 * 30, "case {k} of seed 12345");
    }
}
