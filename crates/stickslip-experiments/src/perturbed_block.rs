//! A resting block under random forces on its top.

use stickslip::{
    Model, Simulator, State, formulate::PenaltyPoints, geometry::Vec3, hook::Hook, oracle,
};

use crate::{
    Context, ExperimentError, Report,
    block_in_plane::block,
    draw::{Window, snapshot},
    report::{curve, number, over_time},
    scene::{Random, kinetic, mean, quartiles, wrong},
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

fn pushes() -> Vec<(Vec3, f64)> {
    let mut random = Random::new(SEED);
    (0..10)
        .map(|_| {
            let at = Vec3::new(0.5 * random.signed(), 0.5 * random.signed(), 0.5);
            (at, random.between(10.0, 100.0))
        })
        .collect()
}

struct Met {
    time: Vec<f64>,
    energy: Vec<f64>,
    depth: Vec<f64>,
    sim: Simulator,
}

const METHODS: [(&str, PenaltyPoints, &str); 4] = [
    ("penalty", PenaltyPoints::Bottom, "several points"),
    ("penalty", PenaltyPoints::Deepest, "deepest point"),
    ("stewart-trinkle", PenaltyPoints::Bottom, "LCP (stewart-trinkle)"),
    ("separation", PenaltyPoints::Bottom, "LCP (separation)"),
];

fn perturbed(
    c: &Context,
    formulation: &str,
    points: PenaltyPoints,
    rounds: usize,
) -> Result<Met, ExperimentError> {
    let mut sim = block(formulation, points)?;
    sim.pipeline.hooks.push(Box::new(Push(pushes())));
    let (mut time, mut energy, mut depth) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..1000 * rounds {
        c.go_on()?;
        sim.step().map_err(wrong)?;
        time.push(sim.state.time);
        energy.push(kinetic(&sim, 1));
        depth.push(oracle::measure(&sim.model, &sim.state).depth);
    }
    Ok(Met { time, energy, depth, sim })
}

fn intro(rounds: usize) -> Report {
    let mut report = Report::about(
        "A block rests on a plane. A downward force of random size acts at a random point of its \
         top for half a second, then none for half a second, and so on.",
    );
    report.set(format!("10 kg, 1 m, g = 9.8 m/s², forces of 10 to 100 N, 500 steps on and 500 off, {rounds} times (paper: 10), h = 0.001 s, as printed."));
    report.set("Gains as in block-in-plane.");
    report.set("For the paper's LCP method with a penalty against drift stand `stewart-trinkle` and `separation`, which need none.");
    report.seeds = vec![SEED];
    report
}

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    let rounds = c.pick(4, 10);
    let mut report = intro(rounds);
    let [mut energy, mut depth] = [Vec::new(), Vec::new()];
    let (mut rows, mut means) = (Vec::new(), Vec::new());
    let runs = c.each(&METHODS, |&(formulation, points, label)| {
        (c.note)(&format!("perturbed-block: {label}"));
        perturbed(c, formulation, points, rounds)
    })?;
    for ((_, _, label), met) in METHODS.into_iter().zip(runs) {
        // Once the force is gone the block should come to rest: the last 250 steps of each pause.
        let calm = met.energy.chunks(1000).flat_map(|round| &round[750..]).copied();
        let [_, e, _] = quartiles(&calm.collect::<Vec<f64>>());
        let d = mean(&met.depth);
        means.push((e, d));
        rows.push(vec![label.into(), number(e), number(d)]);
        // A log axis has no zero: what is below the floor is drawn on it.
        let floored = |v: &[f64], floor: f64| v.iter().map(|x| x.max(floor)).collect();
        energy.push(curve(label, met.time.clone(), floored(&met.energy, 1e-20)));
        depth.push(curve(label, met.time, floored(&met.depth, 1e-17)));
        let window = Window { x: (-1.2, 1.2), y: (-0.6, 1.6) };
        let picture = snapshot(&met.sim, window);
        report.picture(&format!("end-{}", means.len()), format!("{label}, at the end"), picture);
    }
    let title = format!("Perturbed block, h = 0.001 s, seed {SEED}");
    let axes = |label: &str| over_time(&title, label, true);
    report.figure("energy", "Kinetic energy (figure 10)", energy, axes("kinetic energy [J]"));
    report.figure("penetration", "Penetration (figure 11)", depth, axes("penetration [m]"));
    let head =
        ["method", "median kinetic energy at the end of the pauses [J]", "mean penetration [m]"];
    report.table("means", "Stability and penetration", &head, rows);
    judge(&mut report, &means);
    Ok(report)
}

fn judge(report: &mut Report, means: &[(f64, f64)]) {
    let [several, deepest, lcp, exact] = [means[0], means[1], means[2], means[3]];
    report.claim(
        "Kinetic energy: several points are orders of magnitude calmer than the deepest point.",
        format!(
            "median at the end of the pauses {} J against {} J; both creep back with k_v / k_p = 0.5 s",
            number(several.0),
            number(deepest.0)
        ),
        deepest.0 > 10.0 * several.0,
    );
    report.claim(
        "Mean penetration of several points: 5.9e-3 m.",
        format!(
            "{} m with eq. 3 as printed; without its division by the number of points weight and mean push (125 N) would rest at 125 / (4 · 5667) = 5.5e-3 m",
            number(several.1)
        ),
        (several.1 / 5.9e-3 - 1.0).abs() < 0.2,
    );
    report.claim(
        "Mean penetration of the deepest point: 9.0e-2 m, an order of magnitude more.",
        format!("{} m", number(deepest.1)),
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
}
