//! Mechanisms that several tests use.

use stickslip::{
    BodyInit, Dimension, JointInit, ModelBuilder, Settings, Simulator,
    geometry::{Mat3, Solid, Vec3},
};

pub const G: f64 = 9.81;

/// A small box of mass 1 with a round inertia, for joints where the shape does not matter.
pub fn bob(name: &str, at: Vec3) -> BodyInit {
    BodyInit::new(&Solid::cuboid(Vec3::splat(0.1)).unwrap())
        .named(name)
        .inertia(Mat3::from_diagonal(Vec3::splat(1e-2)))
        .at(at)
}

/// The simulator of a finished scene.
pub fn simulator(builder: ModelBuilder, settings: Settings) -> Simulator {
    let (model, state) = builder.build();
    Simulator::new(model, state, settings).unwrap()
}

/// Steps until `time`, insisting that every solve succeeds; returns the largest joint error.
pub fn run(sim: &mut Simulator, time: f64) -> f64 {
    let steps = (time / sim.settings.step).round() as u64;
    let mut worst = 0.0_f64;
    while sim.state.step < steps {
        let report = sim.step().unwrap();
        assert_eq!(report.solves.failures, 0, "step {}: {:?}", report.step, report.solves);
        worst = worst.max(report.joint_error);
    }
    worst
}

/// A rod of length 1 and mass 1, hinged to the world at the origin about y, released along x.
pub fn rod_pendulum(settings: Settings) -> Simulator {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let rod = Solid::cuboid(Vec3::new(1.0, 0.1, 0.1)).unwrap();
    let rod = builder.add(BodyInit::new(&rod).named("rod").at(Vec3::new(0.5, 0.0, 0.0))).unwrap();
    builder.joint(JointInit::revolute(None, rod).named("hinge").along(Vec3::Y)).unwrap();
    simulator(builder, settings)
}

/// A small generator of random numbers.
pub struct Random(rand::rngs::StdRng);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(rand::SeedableRng::seed_from_u64(seed))
    }

    /// Evenly spread over -1 .. 1.
    pub fn signed(&mut self) -> f64 {
        rand::Rng::random_range(&mut self.0, -1.0..1.0)
    }

    /// A vector of the dimension.
    pub fn vector(&mut self, dimension: Dimension) -> Vec3 {
        let v = Vec3::new(self.signed(), self.signed(), self.signed());
        if dimension == Dimension::Two { v.with_z(0.0) } else { v }
    }

    /// An angular velocity of the dimension.
    pub fn spin(&mut self, dimension: Dimension) -> Vec3 {
        let v = Vec3::new(self.signed(), self.signed(), self.signed());
        if dimension == Dimension::Two { Vec3::Z * v.z } else { v }
    }
}
