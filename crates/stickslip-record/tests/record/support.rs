//! Scenes and files for the tests.

use std::path::PathBuf;

use stickslip::{
    BodyInit, Dimension, JointInit, ModelBuilder, Settings, Simulator,
    geometry::{Quat, Solid, Vec3},
};

/// A file that is removed at the end.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let folder = std::env::temp_dir();
        Self(folder.join(format!("stickslip-{}-{name}", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

pub fn settings(step: f64) -> Settings {
    Settings { step, duration: 1.0, threads: 1, ..Settings::default() }
}

/// Boxes that tumble onto a floor.
pub fn boxes(n: usize) -> Simulator {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let floor = Solid::half_space(Vec3::Z).unwrap();
    builder.add(BodyInit::new(&floor).named("floor")).unwrap();
    let cube = Solid::cuboid(Vec3::new(0.4, 0.5, 0.6)).unwrap();
    for i in 0..n {
        let (x, y, z) = ((i % 4) as f64, (i / 4 % 4) as f64, (i / 16) as f64);
        let turn = Quat::from_axis_angle(Vec3::new(1.0, x, y).normalize(), 0.2 * i as f64);
        let body = BodyInit::new(&cube)
            .named(&format!("box {}", i + 1))
            .at(Vec3::new(x, y, 0.5 + z))
            .turned(turn)
            .velocity(Vec3::new(0.1 * y, -0.2, 0.0))
            .spin(Vec3::new(0.3, 0.1 * x, -0.5));
        builder.add(body).unwrap();
    }
    let (model, state) = builder.build();
    Simulator::new(model, state, settings(0.01)).unwrap()
}

/// A disc and a rectangle that fall onto a line.
pub fn planar() -> Simulator {
    let mut builder = ModelBuilder::new(Dimension::Two);
    let floor = Solid::half_plane(Vec3::Y).unwrap();
    builder.add(BodyInit::new(&floor).named("floor")).unwrap();
    let disc = Solid::disc(0.3).unwrap();
    let plate = Solid::rectangle(0.8, 0.3).unwrap();
    let spin = Vec3::new(0.0, 0.0, 5.0);
    let at = Vec3::new(-1.0, 0.4, 0.0);
    builder.add(BodyInit::new(&disc).named("disc").at(at).spin(spin)).unwrap();
    let at = Vec3::new(1.0, 0.6, 0.0);
    builder.add(BodyInit::new(&plate).named("plate").at(at).angle(0.4).spin(spin)).unwrap();
    let (model, state) = builder.build();
    Simulator::new(model, state, settings(0.01)).unwrap()
}

/// Boxes in free flight, far apart: all numbers change, and nothing needs solving.
pub fn flying(n: usize) -> Simulator {
    let mut sim = boxes(n);
    for pose in sim.state.q.iter_mut().skip(1) {
        pose.position = pose.position * 1000.0 + Vec3::new(0.0, 0.0, 1e6);
    }
    sim
}

/// A double pendulum with limits on its elbow.
pub fn pendulum() -> Simulator {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let rod = Solid::cuboid(Vec3::new(1.0, 0.1, 0.1)).unwrap();
    let upper = builder.add(BodyInit::new(&rod).named("upper").at(Vec3::X * 0.5)).unwrap();
    let lower = builder.add(BodyInit::new(&rod).named("lower").at(Vec3::X * 1.5)).unwrap();
    let hook = JointInit::revolute(None, upper).named("hook").at(Vec3::ZERO).along(Vec3::Y);
    builder.joint(hook).unwrap();
    let elbow = JointInit::revolute(upper, lower).named("elbow").at(Vec3::X).along(Vec3::Y);
    builder.joint(elbow.limits(-0.5, 0.5)).unwrap();
    let (model, state) = builder.build();
    Simulator::new(model, state, settings(0.01)).unwrap()
}
