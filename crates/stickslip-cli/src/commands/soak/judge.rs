//! Runs a random scene and judges it.

use std::{
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use stickslip::{
    BodyId, Motion, Simulator, complementarity::solver::Watch, geometry::Vec3, oracle,
    query::raycast,
};
use stickslip_scene::Scene;

use super::make::Plan;

/// What can be wrong with a run, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Panic,
    /// A step takes more work of the solver than any should.
    Endless,
    /// The run stopped with an error.
    Error,
    /// A body went through the floor.
    Lost,
    /// Energy came from nowhere.
    Energy,
    /// Bodies overlap that did not at the start.
    Deep,
    /// A solve failed.
    Unsolved,
    /// The scene was refused: a mistake of the generator.
    Refused,
}

impl Kind {
    pub const ALL: [Self; 8] = [
        Self::Panic,
        Self::Endless,
        Self::Error,
        Self::Lost,
        Self::Energy,
        Self::Deep,
        Self::Unsolved,
        Self::Refused,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Panic => "panic",
            Self::Endless => "endless",
            Self::Error => "error",
            Self::Lost => "lost",
            Self::Energy => "energy",
            Self::Deep => "deep",
            Self::Unsolved => "unsolved",
            Self::Refused => "refused",
        }
    }
}

/// What was found, first and worst.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub kind: Kind,
    pub step: u64,
    /// Depth \[m\], height \[m\], energy gained \[J\], iterations, or failed solves, as the kind has it.
    pub value: Option<f64>,
    /// Names of the bodies it is about, where it is known.
    pub bodies: Vec<String>,
    /// The same in words.
    pub detail: String,
}

impl Finding {
    fn new(kind: Kind, detail: String) -> Self {
        Self { kind, step: 0, value: None, bodies: Vec::new(), detail }
    }

    fn of(kind: Kind, value: f64, detail: String) -> Self {
        Self { value: Some(value), ..Self::new(kind, detail) }
    }
}

/// Iterations of all solves of one step after which it is endless, and solves likewise.
const ITERATIONS: usize = 50_000;
const SOLVES: usize = 5_000;
/// Depth that is told, as a part of the size of the bodies.
const DEEP: f64 = 1e-3;
/// Rise of the energy that is told, as a part of the kinetic energy: beyond what the mean velocity
/// of a turning body is off by.
const RISE: f64 = 0.05;

/// Counts iterations, and ends a solve when there are too many.
struct Meter(Arc<AtomicUsize>);

impl Watch for Meter {
    fn iterate(&mut self, _k: usize, _z: &[f64]) -> ControlFlow<()> {
        match self.0.fetch_add(1, Ordering::Relaxed) > ITERATIONS {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    // Iterations of methods inside others are work as well.
    fn stops(&mut self) -> bool {
        self.iterate(0, &[]).is_break()
    }
}

/// Runs a scene; `None` if nothing is wrong.
pub fn judge(plan: &Plan) -> Option<Finding> {
    let refused = |detail: String| Finding::new(Kind::Refused, detail);
    let scene = match Scene::parse("soak", &plan.text()) {
        Ok(scene) => scene,
        Err(error) => return Some(refused(error.to_string())),
    };
    let mut sim = match Simulator::new(scene.model, scene.state, scene.settings) {
        Ok(sim) => sim,
        Err(error) => return Some(refused(error.to_string())),
    };
    let work = Arc::new(AtomicUsize::new(0));
    sim.pipeline.watch = Box::new(Meter(work.clone()));
    let mut watchdog = Watchdog::new(plan, &sim);
    let mut minor: Option<Finding> = None;
    for step in 1..=plan.steps {
        work.store(0, Ordering::Relaxed);
        let done = catch_unwind(AssertUnwindSafe(|| sim.step()));
        let found = match done {
            Err(_) => Some(Finding::new(Kind::Panic, "a panic".to_owned())),
            Ok(Err(error)) => Some(Finding::new(Kind::Error, error.to_string())),
            Ok(Ok(report)) => {
                let (iterations, solves) = (work.load(Ordering::Relaxed), report.solves.count);
                match iterations > ITERATIONS || solves > SOLVES {
                    true => {
                        let detail = format!("{solves} solves, {iterations} iterations");
                        Some(Finding::of(Kind::Endless, iterations as f64, detail))
                    }
                    false => watchdog.look(&sim, report.solves.failures),
                }
            }
        };
        let Some(found) = found else { continue };
        let found = Finding { step, ..found };
        if found.kind < Kind::Deep {
            return Some(found);
        }
        // Worse may come.
        if minor.as_ref().is_none_or(|known| found.kind < known.kind) {
            minor = Some(found);
        }
    }
    minor
}

/// What a run is measured by.
struct Watchdog {
    size: f64,
    h: f64,
    planar: bool,
    /// Half the side of the floor \[m\]: who falls beside it is not lost.
    floor: f64,
    driven: bool,
    /// Where the centres of the bodies were, and whether they went into the floor since.
    centers: Vec<Vec3>,
    entered: Vec<bool>,
    /// Overlap at the start that is still there \[m\].
    overlap: f64,
    /// Energy at the start, and the lowest so far \[J\].
    start: f64,
    lowest: f64,
    /// Kinetic energy at the start \[J\].
    kinetic: f64,
}

impl Watchdog {
    fn new(plan: &Plan, sim: &Simulator) -> Self {
        let overlap = oracle::deepest(&sim.model, &sim.state).0;
        let lowest = sim.state.energy(&sim.model);
        let kinetic = moving(sim).map(|id| kinetic(sim, id)).sum();
        Self {
            size: plan.size,
            h: plan.h,
            planar: plan.planar,
            floor: plan.floor().unwrap_or(0.0),
            driven: plan.driven,
            centers: centers(sim),
            entered: vec![false; sim.model.bodies().len()],
            overlap,
            start: lowest,
            lowest,
            kinetic,
        }
    }

    fn look(&mut self, sim: &Simulator, failures: usize) -> Option<Finding> {
        if let Some(id) = self.lost(sim) {
            let (name, height) = (sim.model.body(id).name.clone(), height(sim, id));
            let found = Finding::of(Kind::Lost, height, format!("{name} is at {height:e} m"));
            return Some(Finding { bodies: vec![name], ..found });
        }
        let energy = sim.state.energy(&sim.model);
        let (g, h) = (sim.model.gravity().length(), self.h);
        // Semi-implicit steps have the energy off by m g h v / 2, another way up and down.
        let wave: f64 = moving(sim)
            .map(|id| 2.0 * sim.model.body(id).mass * g * h * sim.state.twist(id).linear.length())
            .sum();
        let kinetic: f64 = moving(sim).map(|id| kinetic(sim, id)).sum();
        let weight: f64 = moving(sim).map(|id| sim.model.body(id).mass * g * self.size).sum();
        let slack = wave + RISE * kinetic.max(self.kinetic) + 1e-3 * weight;
        let rise = energy - self.lowest;
        self.lowest = self.lowest.min(energy);
        if !self.driven && self.overlap == 0.0 && rise > slack {
            let detail = format!("{rise:e} J more, {kinetic:e} J of motion");
            return Some(Finding::of(Kind::Energy, rise, detail));
        }
        let (depth, worst) = oracle::deepest(&sim.model, &sim.state);
        if depth > DEEP * self.size && depth > self.overlap {
            let name = |id: BodyId| sim.model.body(id).name.clone();
            let bodies = worst.map_or(Vec::new(), |(a, b)| vec![name(a), name(b)]);
            let detail = format!("{} by {depth:e} m", bodies.join(" in "));
            return Some(Finding { bodies, ..Finding::of(Kind::Deep, depth, detail) });
        }
        if let Some(found) = self.left_overlap(depth, energy, slack + weight) {
            return Some(found);
        }
        let unsolved = || format!("{failures} failed solves");
        (failures > 0).then(|| Finding::of(Kind::Unsolved, failures as f64, unsolved()))
    }
}

impl Watchdog {
    /// A body whose centre went into the floor from above and is now deep below it. Who falls over its edge is
    /// not lost, and may swing in under it on a joint.
    fn lost(&mut self, sim: &Simulator) -> Option<BodyId> {
        let now = centers(sim);
        for id in moving(sim) {
            let (from, to) = (self.centers[id.index()], now[id.index()]);
            let entered = &mut self.entered[id.index()];
            *entered = height(sim, id) < 0.0 && (*entered || enters(sim, from, to));
        }
        self.centers = now;
        let lost = |id: &BodyId| {
            let x = sim.state.pose(*id).position;
            let inside = x.x.abs().max(if self.planar { 0.0 } else { x.y.abs() }) < self.floor;
            inside && self.entered[id.index()] && height(sim, *id) < -2.0 * self.size
        };
        moving(sim).find(lost)
    }

    /// Energy is compared from where bodies that overlapped have left each other, and with the start
    /// there: leaving lifts them, but throws them off no more than a fall by their size would.
    fn left_overlap(&mut self, depth: f64, energy: f64, most: f64) -> Option<Finding> {
        let before = self.overlap;
        self.overlap = if depth < 1e-9 * self.size.min(1.0) { 0.0 } else { before.min(depth) };
        if before == 0.0 || self.overlap > 0.0 {
            return None;
        }
        self.lowest = energy;
        let rise = energy - self.start;
        (!self.driven && rise > most)
            .then(|| Finding::of(Kind::Energy, rise, format!("{rise:e} J more out of an overlap")))
    }
}

fn centers(sim: &Simulator) -> Vec<Vec3> {
    sim.model.ids().map(|id| sim.state.pose(id).position).collect()
}

/// Whether a point that goes straight from one place to another comes to something fixed from outside.
fn enters(sim: &Simulator, from: Vec3, to: Vec3) -> bool {
    let Some(direction) = (to - from).try_normalize() else { return false };
    let moves = |id: BodyId| sim.model.body(id).motion != Motion::Static;
    raycast((&sim.model, &sim.state), (from, direction), from.distance(to), moves).is_some()
}

fn moving(sim: &Simulator) -> impl Iterator<Item = BodyId> + '_ {
    sim.model.ids().filter(|&id| sim.model.body(id).motion == Motion::Dynamic)
}

/// Above the floor \[m\].
fn height(sim: &Simulator, id: BodyId) -> f64 {
    let position = sim.state.pose(id).position;
    let up = -sim.model.gravity().normalize_or_zero();
    position.dot(up)
}

fn kinetic(sim: &Simulator, id: BodyId) -> f64 {
    let (body, twist) = (sim.model.body(id), sim.state.twist(id));
    0.5 * body.mass * twist.linear.length_squared() + turning(sim, id)
}

fn turning(sim: &Simulator, id: BodyId) -> f64 {
    let omega = sim.state.pose(id).inverse_vector(sim.state.twist(id).angular);
    0.5 * omega.dot(sim.model.body(id).inertia * omega)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point that falls through a field enters it; one that goes around its edge, and comes up from
    /// below, does not. Chains that hung over the edge of a field were told as lost.
    #[test]
    fn who_goes_around_the_edge_is_not_lost() {
        let scene = Scene::parse(
            "soak",
            "[[body]]\nstatic = true
shape = { type = \"heightfield\", heights = [[0, 0], [0, -0.1]], size = [2, 2] }\n",
        );
        let scene = scene.unwrap_or_else(|e| panic!("{e}"));
        let sim = Simulator::new(scene.model, scene.state, scene.settings);
        let sim = sim.unwrap_or_else(|e| panic!("{e}"));
        let [above, below] = [0.5, -0.5].map(|z| Vec3::new(0.3, 0.2, z));
        let [beside, under] = [0.5, -0.5].map(|z| Vec3::new(1.3, 0.2, z));
        assert!(enters(&sim, above, below));
        assert!(!enters(&sim, above, beside));
        assert!(!enters(&sim, beside, under));
        assert!(!enters(&sim, under, below));
        assert!(!enters(&sim, below, above));
    }
}
