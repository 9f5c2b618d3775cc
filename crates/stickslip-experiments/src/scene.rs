//! Scenes and measurements that several experiments share.

use stickslip::{
    BodyInit, Dimension, ModelBuilder, Settings, Simulator,
    geometry::{Solid, Vec3},
    oracle,
    settings::OnUnsolved,
};

use stickslip_scene::{Override, Scene};

use crate::{Context, ExperimentError};

/// Gravity on earth \[m/s²\].
pub const G: f64 = 9.81;

/// The thesis' standard model: "simply includes all contacts within epsilon" (5.2), the primary and
/// secondary ones that algorithms 5 and 6 find, whether they face each other or not.
pub const STANDARD: &str = "stewart-trinkle-every";

/// The formulations in the papers' terms.
pub const MODELS: [(&str, &str); 5] = [
    ("peg", "PEG"),
    (STANDARD, "standard model"),
    ("corrective", "corrective"),
    ("separation", "separation"),
    ("stewart-trinkle", "stewart-trinkle"),
];

/// What every page with [`MODELS`] says about them.
pub const MODELS_NOTE: &str = "Standard model: every contact within epsilon by itself, as in the \
    thesis; a problem without solution ends the run. `stewart-trinkle` is the same scheme with one \
    face for each vertex, `separation` the default of Stickslip.";

/// Makes any error the experiment's own.
pub fn wrong(error: impl std::fmt::Display) -> ExperimentError {
    ExperimentError::Scene(error.to_string())
}

/// Settings with a formulation and a step.
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
) -> Result<Simulator, ExperimentError> {
    let mut builder = ModelBuilder::new(dimension);
    builder.gravity(gravity);
    for body in bodies {
        builder.add(body).map_err(wrong)?;
    }
    finish(builder, settings)
}

/// The simulator of a finished scene. A problem of the standard model that has no solution ends
/// the run, as it did in the thesis.
pub fn finish(builder: ModelBuilder, mut settings: Settings) -> Result<Simulator, ExperimentError> {
    let (model, state) = builder.build();
    if settings.formulation == STANDARD {
        settings.on_unsolved = OnUnsolved::Stop;
    }
    Simulator::new(model, state, settings).map_err(wrong)
}

/// A simulator of a built-in scene with other settings, and changes such as `body.peg.friction=0.2`.
pub fn builtin(
    name: &str,
    changes: &[String],
    settings: Settings,
) -> Result<Simulator, ExperimentError> {
    let changes: Result<Vec<Override>, _> = changes.iter().map(|c| Override::parse(c)).collect();
    let scene = Scene::open(name, &changes.map_err(wrong)?).map_err(wrong)?;
    Simulator::new(scene.model, scene.state, settings).map_err(wrong)
}

/// What happened in a run.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Time after each step \[s\].
    pub time: Vec<f64>,
    /// What was asked for after each step.
    pub value: Vec<f64>,
    /// Largest true penetration \[m\].
    pub depth: f64,
    /// Largest total overlap \[m² or m³\].
    pub overlap: f64,
    /// Solves that missed their tolerance.
    pub failures: usize,
    /// Contacts that the standard model gets wrong.
    pub spurious: usize,
    /// Why it ended early, if it did.
    pub ended: Option<String>,
}

/// Steps until `time`, keeping `look` of the state after every step. A step that fails ends the
/// run, which is a result, not an error. True overlap is measured if `judge`.
pub fn run(
    c: &Context,
    sim: &mut Simulator,
    (time, judge): (f64, bool),
    look: impl Fn(&Simulator) -> f64,
) -> Result<Trace, ExperimentError> {
    let steps = (time / sim.settings.step).round() as u64;
    let mut trace = Trace::default();
    sim.pipeline.count_spurious = true;
    while sim.state.step < steps {
        c.go_on()?;
        match sim.step() {
            Ok(report) => {
                trace.failures += report.solves.failures;
                trace.spurious += report.spurious.unwrap_or(0);
            }
            Err(error) => {
                trace.ended = Some(error.to_string());
                break;
            }
        }
        if judge {
            let overlap = oracle::measure(&sim.model, &sim.state);
            trace.depth = trace.depth.max(overlap.depth);
            trace.overlap = trace.overlap.max(overlap.volume);
        }
        trace.time.push(sim.state.time);
        trace.value.push(look(sim));
    }
    Ok(trace)
}

/// Kinetic energy of body `i` \[J\].
pub fn kinetic(sim: &Simulator, i: usize) -> f64 {
    let (body, nu) = (&sim.model.bodies()[i], sim.state.nu[i]);
    let omega = sim.state.q[i].inverse_vector(nu.angular);
    0.5 * body.mass * nu.linear.length_squared() + 0.5 * omega.dot(body.inertia * omega)
}

/// Median and quartiles; zeros of nothing.
pub fn quartiles(values: &[f64]) -> [f64; 3] {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = share * (sorted.len().max(1) - 1) as f64;
        let (low, high) = (place.floor() as usize, place.ceil() as usize);
        match (sorted.get(low), sorted.get(high)) {
            (Some(a), Some(b)) => a + (b - a) * (place - low as f64),
            _ => 0.0,
        }
    };
    [at(0.25), at(0.5), at(0.75)]
}

/// Mean; zero of nothing.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Largest value.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// A cuboid.
pub fn cuboid(size: Vec3) -> Result<BodyInit, ExperimentError> {
    Ok(BodyInit::new(&Solid::cuboid(size).map_err(wrong)?))
}

/// A rectangle.
pub fn rectangle(width: f64, height: f64) -> Result<BodyInit, ExperimentError> {
    Ok(BodyInit::new(&Solid::rectangle(width, height).map_err(wrong)?))
}

/// Random numbers from a seed: xorshift64*.
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        // Neighbouring seeds start alike.
        (0..8).for_each(|_| {
            random.signed();
        });
        random
    }

    /// Evenly spread over -1 .. 1.
    pub fn signed(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let x = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        x as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Evenly spread between two values.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + 0.5 * (self.signed() + 1.0) * (high - low)
    }

    /// A vector with components in -1 .. 1; z = 0 in the plane.
    pub fn vector(&mut self, dimension: Dimension) -> Vec3 {
        let v = Vec3::new(self.signed(), self.signed(), self.signed());
        if dimension == Dimension::Two { v.with_z(0.0) } else { v }
    }
}
