//! A resting block under random forces on its top.

use stickslip::{
    Model, State,
    formulate::PenaltyPoints,
    geometry::{Quat, Vec3},
    hook::Hook,
    oracle,
};

use crate::{
    Context, ExperimentError, Report,
    block_in_plane::{FORGET, GAINS, GRAVITY, block},
    corners::{Block, Law},
    draw::{Window, snapshot},
    report::{curve, number, over_time},
    scene::{Random, kinetic, largest, mean, quartiles, wrong},
};

const SEED: u64 = 7;

/// Forces at points of the block's top, each for 500 steps, then none for 500.
struct Push(Vec<(Vec3, f64)>);

impl Hook for Push {
    fn before_step(&mut self, _: &Model, state: &mut State) {
        let (turn, phase) = ((state.step / 1000) as usize, state.step % 1000);
        let Some(&(point, force)) = self.0.get(turn).filter(|_| phase < 500) else { return };
        let arm = state.q[1].vector(point);
        let f = Vec3::Z * -force;
        state.applied[1].force += f;
        state.applied[1].torque += arm.cross(f);
    }
}

fn pushes(seed: u64) -> Vec<(Vec3, f64)> {
    let mut random = Random::new(seed);
    (0..10)
        .map(|_| {
            let at = Vec3::new(0.5 * random.signed(), 0.5 * random.signed(), 0.5);
            (at, random.between(10.0, 100.0))
        })
        .collect()
}

/// What a run met after each step.
#[derive(Default)]
struct Met {
    time: Vec<f64>,
    energy: Vec<f64>,
    depth: Vec<f64>,
    picture: Option<String>,
}

impl Met {
    fn add(&mut self, time: f64, energy: f64, depth: f64) {
        self.time.push(time);
        self.energy.push(energy);
        self.depth.push(depth);
    }

    /// Median energy once the force is gone and the block should come to rest, in the last 250 steps
    /// of each pause \[J\].
    fn calm(&self) -> f64 {
        let calm = self.energy.chunks(1000).flat_map(|round| &round[750..]).copied();
        quartiles(&calm.collect::<Vec<f64>>())[1]
    }

    fn sunk(&self) -> f64 {
        mean(&self.depth)
    }
}

/// How a run is made.
#[derive(Clone, Copy)]
enum Method {
    /// By the simulator: formulation and points.
    Ours(&'static str, PenaltyPoints),
    /// By corners alone.
    Corners(Law),
}

const fn law(gains: [f64; 3], deepest: bool, divided: bool) -> Law {
    Law { gains, forget: FORGET, deepest, divided }
}

/// The second reading: every point pushes with its whole force, and the gains of the deepest one are
/// scaled with the mass of the block alone, 10 kg, where the printed ones are those of 50 kg.
const WHOLE: Law = law(GAINS[0], false, false);
const LIGHT: Law = law([1200.0, 600.0, 40.0], true, true);

const METHODS: [(&str, Method); 8] = [
    ("several points", Method::Ours("penalty", PenaltyPoints::Bottom)),
    ("deepest point", Method::Ours("penalty", PenaltyPoints::Deepest)),
    ("LCP (stewart-trinkle)", Method::Ours("stewart-trinkle", PenaltyPoints::Bottom)),
    ("LCP (separation)", Method::Ours("separation", PenaltyPoints::Bottom)),
    ("corners alone, several", Method::Corners(law(GAINS[0], false, true))),
    ("corners alone, deepest", Method::Corners(law(GAINS[1], true, true))),
    ("corners alone, several, not divided", Method::Corners(WHOLE)),
    ("corners alone, deepest, gains for 10 kg", Method::Corners(LIGHT)),
];

fn perturbed(
    c: &Context,
    (label, method): (&str, Method),
    rounds: usize,
) -> Result<Met, ExperimentError> {
    (c.note)(&format!("perturbed-block: {label}"));
    let mut met = Met::default();
    match method {
        Method::Ours(formulation, points) => {
            let mut sim = block(formulation, points)?;
            sim.pipeline.hooks.push(Box::new(Push(pushes(SEED))));
            for _ in 0..1000 * rounds {
                c.go_on()?;
                sim.step().map_err(wrong)?;
                let depth = oracle::measure(&sim.model, &sim.state).depth;
                met.add(sim.state.time, kinetic(&sim, 1), depth);
            }
            met.picture = Some(snapshot(&sim, Window { x: (-1.2, 1.2), y: (-0.6, 1.6) }));
        }
        Method::Corners(law) => met = corners(law, rounds, SEED),
    }
    Ok(met)
}

/// The same by corners alone, with the forces of a seed.
fn corners(law: Law, rounds: usize, seed: u64) -> Met {
    let (pushes, mut met) = (pushes(seed), Met::default());
    let mut block = Block::new(law, GRAVITY, 0.5, Quat::IDENTITY);
    for k in 0..1000 * rounds {
        block.step(1e-3, pushes.get(k / 1000).copied().filter(|_| k % 1000 < 500));
        met.add(1e-3 * (k + 1) as f64, block.kinetic(), block.depth());
    }
    met
}

/// Draws of ten forces for the second reading of the paper: its own draw is not printed.
const DRAWS: u64 = 20;

/// What the second reading gives over the draws: mean depth of several points, of the deepest point,
/// and the ratio of their energies.
fn drawn(c: &Context) -> Result<[Vec<f64>; 3], ExperimentError> {
    let seeds: Vec<u64> = (1..=DRAWS).collect();
    let found = c.each(&seeds, |&seed| {
        c.go_on()?;
        let [whole, light] = [WHOLE, LIGHT].map(|law| corners(law, 10, seed));
        Ok([whole.sunk(), light.sunk(), light.calm() / whole.calm()])
    })?;
    Ok([0, 1, 2].map(|k| found.iter().map(|f| f[k]).collect()))
}

fn intro(rounds: usize) -> Report {
    let mut report = Report::about(
        "A block rests on a plane. A downward force of random size acts at a random point of its \
         top for half a second, then none for half a second, and so on.",
    );
    report.set(format!("10 kg, 1 m, g = 9.8 m/s², forces of 10 to 100 N, 500 steps on and 500 off, {rounds} times (paper: 10), h = 0.001 s, as printed."));
    report.set("Gains as in block-in-plane: section IV-B prints none. Forgetting factor 0.85.");
    report.set("\"Corners alone\" are the same equations without the simulator: a block with forces at its corners, Runge-Kutta of order 4, no friction.");
    report.set("For the paper's LCP method with a penalty against drift stand `stewart-trinkle` and `separation`, which need none.");
    report.seeds = vec![SEED];
    report
}

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    let rounds = c.pick(4, 10);
    let mut report = intro(rounds);
    let [mut energy, mut depth] = [Vec::new(), Vec::new()];
    let (mut rows, mut means) = (Vec::new(), Vec::new());
    let runs = c.each(&METHODS, |&method| perturbed(c, method, rounds))?;
    for ((label, _), met) in METHODS.into_iter().zip(runs) {
        means.push((met.calm(), met.sunk()));
        rows.push(vec![label.into(), number(met.calm()), number(met.sunk())]);
        // A log axis has no zero: what is below the floor is drawn on it.
        let floored = |v: &[f64], floor: f64| v.iter().map(|x| x.max(floor)).collect();
        energy.push(curve(label, met.time.clone(), floored(&met.energy, 1e-9)));
        depth.push(curve(label, met.time, floored(&met.depth, 1e-6)));
        if let Some(picture) = met.picture {
            let name = format!("end-{}", means.len());
            report.picture(&name, format!("{label}, at the end"), picture);
        }
    }
    let title = format!("Perturbed block, h = 0.001 s, seed {SEED}");
    let axes = |label: &str| over_time(&title, label, true);
    report.figure(
        "energy",
        "Kinetic energy (figure 10); what is below 1e-9 J is drawn there",
        energy,
        axes("kinetic energy [J]"),
    );
    report.figure(
        "penetration",
        "Penetration (figure 11); what is below 1e-6 m is drawn there",
        depth,
        axes("penetration [m]"),
    );
    let head =
        ["method", "median kinetic energy at the end of the pauses [J]", "mean penetration [m]"];
    report.table("means", "Stability and penetration", &head, rows);
    judge(&mut report, &means, load(rounds));
    second(&mut report, &drawn(c)?);
    Ok(report)
}

/// Weight and push, mean over the run \[N\].
fn load(rounds: usize) -> f64 {
    let sum: f64 = pushes(SEED).iter().take(rounds).map(|push| 0.5 * push.1).sum();
    10.0 * GRAVITY + sum / rounds as f64
}

/// Depth at which points that share the force carry a load, `load / (k_p + k_i / (1 - λ))` \[m\].
fn carried(load: f64, gains: [f64; 3]) -> f64 {
    load / law(gains, false, true).stiffness()
}

fn judge(report: &mut Report, means: &[(f64, f64)], load: f64) {
    let [several, deepest, lcp, exact] = [means[0], means[1], means[2], means[3]];
    let near = |a: f64, b: f64, part: f64| (a / b - 1.0).abs() < part;
    report.claim(
        "Kinetic energy: several points are orders of magnitude calmer than the deepest point.",
        format!(
            "median at the end of the pauses {} J against {} J with the printed gains and eq. 3 as printed; both creep back with k_v / (k_p + k_i / (1 - λ)) = 0.4 s, whatever the points",
            number(several.0),
            number(deepest.0)
        ),
        deepest.0 > 10.0 * several.0,
    );
    report.claim(
        "Mean penetration of several points: 5.9e-3 m.",
        format!(
            "{} m; eq. 3 as printed cannot give less than about {} m, where the mean depth of its points carries the mean load of {} N",
            number(several.1),
            number(carried(load, GAINS[0])),
            number(load)
        ),
        near(several.1, 5.9e-3, 0.2),
    );
    report.claim(
        "Mean penetration of the deepest point: 9.0e-2 m, an order of magnitude more.",
        format!(
            "{} m; with the gains printed in section IV-A one point carries the mean load at {} m, and no motion in contact can have much more",
            number(deepest.1),
            number(carried(load, GAINS[1]))
        ),
        deepest.1 > 5.0 * several.1,
    );
    report.claim(
        "Mean penetration of the LCP method: 1.5e-4 m, almost two orders of magnitude less.",
        format!(
            "{} m (stewart-trinkle), {} m (separation): positions at the end of the step do not drift",
            number(lcp.1),
            number(exact.1)
        ),
        lcp.1 < 1.5e-4,
    );
    let (like_several, like_deepest) = (means[4], means[5]);
    report.claim(
        "(Ours) Eq. 2 and 3 written down once more, as forces at corners without the simulator, give the same.",
        format!(
            "{} and {} m, {} and {} J (several points, deepest point)",
            number(like_several.1),
            number(like_deepest.1),
            number(like_several.0),
            number(like_deepest.0)
        ),
        near(several.1, like_several.1, 0.05) && near(deepest.1, like_deepest.1, 0.05),
    );
}

fn second(report: &mut Report, [whole, light, ratio]: &[Vec<f64>; 3]) {
    let range = |values: &[f64]| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        (low, largest(values))
    };
    let near = |values: &[f64], x: f64| (mean(values) / x - 1.0).abs() < 0.2;
    let says = |values: &[f64]| {
        let (low, high) = range(values);
        format!("{} ({} to {})", number(mean(values)), number(low), number(high))
    };
    report.claim(
        "(Ours) The paper's three figures come out together if points push with their whole force, not divided by their number, and the gains of the deepest point go with the mass of the block alone (10 kg, a fifth of those in section IV-A). A guess that would explain them.",
        format!(
            "corners alone, {DRAWS} draws of ten forces: several points {} m (paper 5.9e-3), deepest point {} m (paper 9.0e-2), its kinetic energy {} times as high",
            says(whole),
            says(light),
            says(ratio)
        ),
        near(whole, 5.9e-3) && near(light, 9.0e-2) && range(ratio).0 > 100.0,
    );
}
