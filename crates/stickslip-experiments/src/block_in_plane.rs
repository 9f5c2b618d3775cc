//! A block set into a plane: how the penalty method brings it out.

use stickslip::{
    BodyInit, Dimension, Simulator,
    formulate::PenaltyPoints,
    geometry::{Quat, Solid, Vec3},
    oracle,
};

use crate::{
    Context, ExperimentError, Report,
    draw::{Window, snapshot},
    report::{curve, number, over_time},
    scene::{Random, cuboid, kinetic, mean, settings, simulate, wrong},
};

/// The paper's gravity.
pub const GRAVITY: f64 = 9.8;

/// A block of 10 kg and 1 m over a plane with the gains of the paper, which are `(m1 + m2)` = 50
/// times ours.
pub fn block(formulation: &str, points: PenaltyPoints) -> Result<Simulator, ExperimentError> {
    let mut s = settings(formulation, 1e-3);
    if formulation == "penalty" {
        s.integrator = "rk4".into();
        s.penalty.points = points;
        let gains = match points {
            PenaltyPoints::Bottom => (5000.0, 2500.0, 100.0),
            PenaltyPoints::Deepest => (6000.0, 3000.0, 200.0),
        };
        (s.penalty.stiffness, s.penalty.damping, s.penalty.integral) =
            (gains.0 / 50.0, gains.1 / 50.0, gains.2 / 50.0);
    }
    let plane = BodyInit::new(&Solid::half_space(Vec3::Z).map_err(wrong)?);
    let cube = cuboid(Vec3::ONE)?.mass(10.0).at(Vec3::Z * 0.5);
    simulate(Dimension::Three, -Vec3::Z * GRAVITY, vec![plane, cube], s)
}

/// Turns the block at random by up to 0.4 rad and sets its lowest corner 0.1 m into the plane.
fn sink(sim: &mut Simulator, seed: u64) {
    let mut random = Random::new(seed);
    let axis = random.vector(Dimension::Three).with_z(0.0).normalize_or(Vec3::X);
    sim.state.q[1].orientation = Quat::from_axis_angle(axis, random.between(0.1, 0.4));
    let low = (0..8)
        .map(|k| {
            let sign = |bit: usize| if k >> bit & 1 == 0 { -0.5 } else { 0.5 };
            let corner = Vec3::new(sign(0), sign(1), sign(2));
            sim.state.q[1].vector(corner).z
        })
        .fold(f64::INFINITY, f64::min);
    sim.state.q[1].position.z = -low - 0.1;
}

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "A block, askew, is set into a plane before the start. The penalty method lifts it out; \
         with forces at several points it settles, with one at the deepest point it rocks.",
    );
    report.set("Block of 1 m and 10 kg, h = 0.001 s, Runge-Kutta of order 4, 3000 steps, g = 9.8 m/s², as printed.");
    report.set("Gains 5000, 2500, 100 (several points) and 6000, 3000, 200 (deepest), as printed; forgetting factor 0.85.");
    report.set("Random axis, 0.1 to 0.4 rad, lowest corner 0.1 m deep, friction 0.5 (ours).");
    let seeds: Vec<u64> = (1..=c.pick(3, 10)).collect();
    report.seeds = seeds.clone();
    let (mut energy, mut depth, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    let mut late = Vec::new();
    for (points, label) in
        [(PenaltyPoints::Bottom, "several points"), (PenaltyPoints::Deepest, "deepest point")]
    {
        let (mut all_energy, mut all_depth) = (Vec::new(), Vec::new());
        for &seed in &seeds {
            (c.note)(&format!("block-in-plane: {label}, seed {seed}"));
            let mut sim = block("penalty", points)?;
            sink(&mut sim, seed);
            let window = Window { x: (-1.2, 1.2), y: (-0.6, 1.6) };
            if seed == 1 && points == PenaltyPoints::Bottom {
                report.picture("start", "the start, seed 1".into(), snapshot(&sim, window));
            }
            let (mut t, mut e, mut d) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..3000 {
                sim.step().map_err(wrong)?;
                t.push(sim.state.time);
                e.push(kinetic(&sim, 1).max(1e-20));
                d.push(oracle::measure(&sim.model, &sim.state).depth);
            }
            let (last_e, last_d) = (mean(&e[2000..]), mean(&d[2000..]));
            all_energy.push(last_e);
            all_depth.push(last_d);
            rows.push(vec![label.into(), seed.to_string(), number(last_e), number(last_d)]);
            if seed == 1 {
                report.picture(
                    &format!("end-{points:?}"),
                    format!("{label}, after 3 s"),
                    snapshot(&sim, window),
                );
                energy.push(curve(label, t.clone(), e));
                depth.push(curve(label, t, d));
            }
        }
        late.push((mean(&all_energy), mean(&all_depth)));
    }
    let title = "Block sunk into a plane, h = 0.001 s, seed 1";
    report.figure(
        "energy",
        "Kinetic energy (figure 8)",
        energy,
        over_time(title, "kinetic energy [J]", true),
    );
    report.figure(
        "penetration",
        "Penetration (figure 9)",
        depth,
        over_time(title, "penetration [m]", false),
    );
    report.table(
        "runs",
        "Means over the last 1000 of 3000 steps",
        &["points", "seed", "kinetic energy [J]", "penetration [m]"],
        rows,
    );
    let ratio = late[1].0 / late[0].0.max(1e-20);
    report.claim(
        "With several points the kinetic energy ends orders of magnitude below the deepest point's.",
        format!("{} J against {} J: {} times less", number(late[0].0), number(late[1].0), number(ratio)),
        ratio > 10.0,
    );
    report.claim(
        "The penetration with several points is lower.",
        format!("{} m against {} m", number(late[0].1), number(late[1].1)),
        late[0].1 < late[1].1,
    );
    report.claim(
        "Penetration is corrected to about 2 % of the block's size (0.02 m).",
        format!(
            "{} m; the gains give m g / (k_p + k_i / (1 - λ)) = 0.0173 m at rest",
            number(late[0].1)
        ),
        late[0].1 < 0.03,
    );
    Ok(report)
}
