//! Scenes and helpers of these tests.

use stickslip::{
    BodyInit, Dimension, ModelBuilder, Settings, Simulator,
    geometry::{Quat, Solid, Vec3},
    oracle,
};

pub const G: f64 = 9.81;

/// The formulations that must pass where there is room and nowhere else.
pub const EXACT: [&str; 2] = ["peg", "separation"];

pub fn settings(formulation: &str, step: f64) -> Settings {
    // drift must show
    let sleep = false;
    Settings { step, formulation: formulation.into(), threads: 1, sleep, ..Settings::default() }
}

/// A simulator of some bodies.
pub fn simulate(
    dimension: Dimension,
    gravity: Vec3,
    bodies: Vec<BodyInit>,
    settings: Settings,
) -> Simulator {
    let mut builder = ModelBuilder::new(dimension);
    builder.gravity(gravity);
    for body in bodies {
        builder.add(body).unwrap();
    }
    let (model, state) = builder.build();
    Simulator::new(model, state, settings).unwrap()
}

/// What a run met on its way.
#[derive(Debug, Default)]
pub struct Met {
    /// Solves that ended without a solution.
    pub failures: usize,
    /// Constraints given up.
    pub fallbacks: usize,
    /// Largest true penetration after a step, over the steps measured \[m\].
    pub depth: f64,
}

/// Steps until `time`; measures the true penetration after every `every`-th step (0: never).
pub fn run(simulator: &mut Simulator, time: f64, every: u64) -> Met {
    let steps = (time / simulator.settings.step).round() as u64;
    let mut met = Met::default();
    while simulator.state.step < steps {
        let report = simulator.step().unwrap();
        met.failures += report.solves.failures;
        met.fallbacks += report.fallbacks;
        if every > 0 && report.step.is_multiple_of(every) {
            let overlap = oracle::measure(&simulator.model, &simulator.state);
            met.depth = met.depth.max(overlap.depth);
        }
    }
    met
}

/// Collects what is wrong, so that one run of a table shows all its bad rows.
#[derive(Default)]
pub struct Wrong(Vec<String>);

impl Wrong {
    pub fn check(&mut self, fine: bool, what: impl FnOnce() -> String) {
        if !fine {
            self.0.push(what());
        }
    }

    pub fn none(self) {
        assert!(self.0.is_empty(), "\n{}", self.0.join("\n"));
    }
}

pub fn cube(edge: f64) -> BodyInit {
    BodyInit::new(&Solid::cuboid(Vec3::splat(edge)).unwrap()).friction(0.0)
}

pub fn square(edge: f64) -> BodyInit {
    BodyInit::new(&Solid::rectangle(edge, edge).unwrap()).friction(0.0)
}

/// "Up" of the dimension.
pub fn up(dimension: Dimension) -> Vec3 {
    match dimension {
        Dimension::Two => Vec3::Y,
        Dimension::Three => Vec3::Z,
    }
}

/// A rotation that favours no axis.
pub fn odd_rotation() -> Quat {
    Quat::from_axis_angle(Vec3::new(0.3, -0.8, 0.5).normalize(), 1.1)
}

/// Small random numbers with a seed that can be printed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Evenly spread over -1 .. 1.
    pub fn signed(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let x = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        x as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }
}
