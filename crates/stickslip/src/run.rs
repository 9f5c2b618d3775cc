//! A whole run: steps, judged and summed up.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    clock::Instant,
    formulate::ConstraintCounts,
    model::Dimension,
    oracle,
    report::{StageTimes, StepReport},
    step::{Simulator, StepError},
};

/// Drives a simulator to its end and keeps the diagnostics.
pub struct Runner {
    /// The simulator.
    pub simulator: Simulator,
    /// Whether true overlap is measured after every step and spurious contacts are counted.
    /// Default true.
    pub judge: bool,
    tally: Tally,
}

/// Sums and extremes over the steps so far.
#[derive(Clone, Debug, Default)]
struct Tally {
    max_penetration: f64,
    max_overlap: f64,
    max_joint_error: f64,
    energy_initial: f64,
    energy_low: f64,
    energy_rise: f64,
    momentum_initial: Momentum,
    contacts_sum: u64,
    contacts_max: usize,
    constraints: ConstraintCounts,
    spurious: u64,
    substeps: u64,
    solves: u64,
    failures: u64,
    fallbacks: u64,
    iterations: u64,
    residual: f64,
    stages: StageTimes,
    step_seconds: StepSeconds,
    steps: u64,
    seconds: f64,
}

/// Times of steps, evenly spaced over a run: however long it is, they take no more memory.
#[derive(Clone, Debug)]
struct StepSeconds {
    kept: Vec<f64>,
    /// Every so manieth step is kept.
    every: usize,
    /// Steps until the next that is.
    wait: usize,
}

impl Default for StepSeconds {
    fn default() -> Self {
        Self { kept: Vec::new(), every: 1, wait: 0 }
    }
}

impl StepSeconds {
    /// Times kept at most.
    const MOST: usize = 1 << 14;

    fn push(&mut self, seconds: f64) {
        if self.wait > 0 {
            self.wait -= 1;
            return;
        }
        if self.kept.len() == Self::MOST {
            // Every second one; this step is the next of those.
            let mut even = false;
            self.kept.retain(|_| {
                even = !even;
                even
            });
            self.every *= 2;
        }
        self.kept.push(seconds);
        self.wait = self.every - 1;
    }

    fn median(&self) -> f64 {
        let mut sorted = self.kept.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
    }
}

/// Linear and angular momentum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Momentum {
    /// Linear \[kg m/s\].
    pub linear: [f64; 3],
    /// Angular, about the origin \[kg m²/s\].
    pub angular: [f64; 3],
}

impl Runner {
    /// Takes over a simulator at its present state.
    pub fn new(simulator: Simulator) -> Self {
        let energy = simulator.state.energy(&simulator.model);
        let momentum = momentum(&simulator);
        let tally = Tally {
            energy_initial: energy,
            energy_low: energy,
            momentum_initial: momentum,
            ..Tally::default()
        };
        Self { simulator, judge: true, tally }
    }

    /// One step, judged.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        self.simulator.pipeline.count_spurious = self.judge;
        let begin = Instant::now();
        let report = self.simulator.step()?;
        let seconds = begin.elapsed().as_secs_f64() - report.judging;
        let energy = self.simulator.state.energy(&self.simulator.model);
        self.tally.add(&report, energy, seconds);
        if self.judge {
            let overlap = oracle::measure(&self.simulator.model, &self.simulator.state);
            self.tally.max_penetration = self.tally.max_penetration.max(overlap.depth);
            self.tally.max_overlap = self.tally.max_overlap.max(overlap.volume);
        }
        Ok(report)
    }

    /// All steps of the settings' duration.
    pub fn run(&mut self) -> Result<RunSummary, StepError> {
        while self.simulator.state.step < self.simulator.settings.steps() {
            self.step()?;
        }
        Ok(self.summary("scene"))
    }

    /// What has been done so far; `scene` is the name to report.
    pub fn summary(&self, scene: &str) -> RunSummary {
        let sim = &self.simulator;
        let bodies = sim.model.ids().map(|id| {
            let (pose, twist) = (sim.state.pose(id), sim.state.twist(id));
            let (q, two) = (pose.orientation, sim.model.dimension() == Dimension::Two);
            let vector = |v: stickslip_geometry::Vec3| {
                if two { vec![v.x, v.y] } else { v.to_array().to_vec() }
            };
            let body = BodySummary {
                position: vector(pose.position),
                orientation: match two {
                    true => Turn::Angle(sim.state.angle[id.index()]),
                    false => Turn::Quaternion([q.w, q.x, q.y, q.z]),
                },
                velocity: vector(twist.linear),
                angular_velocity: match two {
                    true => Spin::Planar(twist.angular.z),
                    false => Spin::Spatial(twist.angular.to_array()),
                },
            };
            (sim.model.body(id).name.clone(), body)
        });
        RunSummary {
            scene: scene.to_owned(),
            formulation: sim.pipeline.formulation.name().to_owned(),
            solver: sim.pipeline.solver.name().to_owned(),
            step: sim.settings.step,
            steps: sim.state.step,
            time: sim.state.time,
            bodies: bodies.collect(),
            diagnostics: self.tally.diagnostics(sim, self.judge),
            wall: self.tally.wall(),
        }
    }
}

fn momentum(sim: &Simulator) -> Momentum {
    let (linear, angular) = sim.state.momentum(&sim.model);
    Momentum { linear: linear.to_array(), angular: angular.to_array() }
}

impl Tally {
    fn add(&mut self, report: &StepReport, energy: f64, seconds: f64) {
        self.energy_rise = self.energy_rise.max(energy - self.energy_low);
        self.energy_low = self.energy_low.min(energy);
        self.max_joint_error = self.max_joint_error.max(report.joint_error);
        self.contacts_sum += report.contacts as u64;
        self.contacts_max = self.contacts_max.max(report.contacts);
        self.constraints.unilateral += report.constraints.unilateral;
        self.constraints.inter += report.constraints.inter;
        self.constraints.cross += report.constraints.cross;
        self.spurious += report.spurious.unwrap_or(0) as u64;
        self.substeps += report.substeps as u64;
        self.solves += report.solves.count as u64;
        self.failures += report.solves.failures as u64;
        self.fallbacks += report.solves.fallbacks as u64;
        self.iterations += report.solves.iterations as u64;
        self.residual = self.residual.max(report.solves.residual);
        self.stages.add(&report.seconds);
        self.step_seconds.push(seconds);
        self.steps += 1;
        self.seconds += seconds;
    }

    fn diagnostics(&self, sim: &Simulator, judged: bool) -> Diagnostics {
        let mean = |sum: u64, n: u64| if n == 0 { 0.0 } else { sum as f64 / n as f64 };
        Diagnostics {
            max_penetration: judged.then_some(self.max_penetration),
            max_overlap: judged.then_some(self.max_overlap),
            max_joint_error: self.max_joint_error,
            energy: EnergySummary {
                initial: self.energy_initial,
                r#final: sim.state.energy(&sim.model),
                max_increase: self.energy_rise,
            },
            momentum: MomentumSummary { initial: self.momentum_initial, r#final: momentum(sim) },
            contacts: ContactSummary {
                mean: mean(self.contacts_sum, self.steps),
                max: self.contacts_max,
            },
            constraints: ConstraintSummary {
                unilateral: self.constraints.unilateral,
                inter: self.constraints.inter,
                cross: self.constraints.cross,
            },
            sm_traps: judged.then_some(self.spurious),
            substeps: self.substeps,
            solver: SolverSummary {
                solves: self.solves,
                failures: self.failures,
                fallbacks: self.fallbacks,
                iterations_mean: mean(self.iterations, self.solves),
                residual_max: self.residual,
            },
        }
    }

    fn wall(&self) -> WallSummary {
        WallSummary {
            total: self.seconds,
            per_step_median: self.step_seconds.median(),
            detect: self.stages.detect,
            formulate: self.stages.formulate,
            solve: self.stages.solve,
            integrate: self.stages.integrate,
            stabilise: self.stages.stabilize,
        }
    }
}

/// What a run reports; serialises to the JSON of `stickslip run --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunSummary {
    /// Name of the scene.
    pub scene: String,
    /// Name of the formulation.
    pub formulation: String,
    /// Name of the solver.
    pub solver: String,
    /// Step \[s\].
    pub step: f64,
    /// Steps taken.
    pub steps: u64,
    /// Time reached \[s\].
    pub time: f64,
    /// Final state by name.
    pub bodies: BTreeMap<String, BodySummary>,
    /// How well it went.
    pub diagnostics: Diagnostics,
    /// How long it took.
    pub wall: WallSummary,
}

/// Joints that part by more than this part of the smallest body they hold are worth a word.
const PARTED: f64 = 1e-6;

impl RunSummary {
    /// What to tell of joints that parted: `None` where the largest error is below a millionth of
    /// the smallest body that a joint holds.
    pub fn parted_joints(&self, model: &crate::Model) -> Option<String> {
        let held = model.joints().iter().flat_map(|j| j.bodies).flatten();
        let size = held.map(|b| model.body(b).radius).filter(|r| *r > 0.0);
        let size = size.fold(f64::INFINITY, f64::min).min(1.0);
        let error = self.diagnostics.max_joint_error;
        (error > PARTED * size && !model.joints().is_empty()).then(|| {
            format!(
                "joints parted by {error:.1e} m or rad; stabilization = \"shake\" (the default) or a \
                 shorter step keeps them closed"
            )
        })
    }
}

/// Final state of a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BodySummary {
    /// Position of the centre of mass \[m\].
    pub position: Vec<f64>,
    /// Quaternion (w, x, y, z), or in 2D the angle \[rad\].
    pub orientation: Turn,
    /// Velocity \[m/s\].
    pub velocity: Vec<f64>,
    /// Angular velocity \[rad/s\].
    pub angular_velocity: Spin,
}

/// An orientation in either dimension.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Turn {
    /// 2D \[rad\].
    Angle(f64),
    /// 3D (w, x, y, z).
    Quaternion([f64; 4]),
}

/// An angular velocity in either dimension \[rad/s\].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Spin {
    /// 2D, about z.
    Planar(f64),
    /// 3D, world frame.
    Spatial([f64; 3]),
}

/// How well a run went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnostics {
    /// Largest true penetration after any step \[m\]; `None` when not measured.
    pub max_penetration: Option<f64>,
    /// Largest total overlap after any step \[m³ or m²\]; `None` when not measured.
    pub max_overlap: Option<f64>,
    /// Largest joint error \[m or rad\].
    pub max_joint_error: f64,
    /// Energy.
    pub energy: EnergySummary,
    /// Momentum.
    pub momentum: MomentumSummary,
    /// Potential contacts per step.
    pub contacts: ContactSummary,
    /// Constraints, summed over the steps.
    pub constraints: ConstraintSummary,
    /// Contacts that the standard model got wrong; `None` when not counted.
    pub sm_traps: Option<u64>,
    /// How often a step was cut short because a body would have passed through another.
    pub substeps: u64,
    /// The solver.
    pub solver: SolverSummary,
}

/// Kinetic plus gravitational energy \[J\].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EnergySummary {
    /// At the start.
    pub initial: f64,
    /// At the end.
    pub r#final: f64,
    /// Largest rise above any earlier value.
    pub max_increase: f64,
}

/// Momentum at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MomentumSummary {
    /// At the start.
    pub initial: Momentum,
    /// At the end.
    pub r#final: Momentum,
}

/// Potential contacts per step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ContactSummary {
    /// Mean.
    pub mean: f64,
    /// Largest.
    pub max: usize,
}

/// Constraints by kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ConstraintSummary {
    /// Single half-spaces.
    pub unilateral: usize,
    /// Inter-contact.
    pub inter: usize,
    /// Cross-contact.
    pub cross: usize,
}

/// What the solver did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SolverSummary {
    /// Problems solved or tried.
    pub solves: u64,
    /// Left unsolved.
    pub failures: u64,
    /// Methods tried in vain.
    pub fallbacks: u64,
    /// Iterations per solve.
    pub iterations_mean: f64,
    /// Largest natural residual.
    pub residual_max: f64,
}

/// Seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WallSummary {
    /// All steps, without judging and recording.
    pub total: f64,
    /// Median step.
    pub per_step_median: f64,
    /// Stage 1.
    pub detect: f64,
    /// Stage 2.
    pub formulate: f64,
    /// Stage 3.
    pub solve: f64,
    /// Stage 4.
    pub integrate: f64,
    /// Stage 5.
    pub stabilise: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A long run keeps few times, evenly spread over it.
    #[test]
    fn times_of_steps_are_bounded() {
        let mut times = StepSeconds::default();
        (0..1_000_000).for_each(|k| times.push(f64::from(k)));
        assert!(times.kept.len() <= StepSeconds::MOST && times.kept.capacity() < 40_000);
        assert!(times.kept.windows(2).all(|w| w[1] - w[0] == times.every as f64));
        assert!((times.median() - 5e5).abs() < 200.0, "{}", times.median());
    }
}
