//! A pile of boxes, cylinders and balls of random masses, held up by penalty forces.

use stickslip::{
    BodyInit, Dimension, Simulator,
    geometry::{Quat, Solid, Vec3},
    oracle,
};

use crate::{
    Context, ExperimentError, Report,
    draw::{Window, snapshot},
    report::{curve, number, over_time},
    scene::{G, Random, cuboid, kinetic, largest, mean, quartiles, settings, simulate, wrong},
};

const SEED: u64 = 3;

fn build(n: usize, h: f64) -> Result<Simulator, ExperimentError> {
    let mut random = Random::new(SEED);
    let mut bodies = vec![BodyInit::new(&Solid::half_space(Vec3::Z).map_err(wrong)?)];
    let wall = |size: Vec3, at: Vec3| cuboid(size).map(|b| b.fixed().at(at));
    for side in [-1.0, 1.0] {
        bodies.push(wall(Vec3::new(0.4, 1.4, 3.0), Vec3::new(0.75 * side, 0.0, 1.5))?);
        bodies.push(wall(Vec3::new(1.4, 0.4, 3.0), Vec3::new(0.0, 0.75 * side, 1.5))?);
    }
    for k in 0..n {
        let size = random.between(0.3, 0.5);
        let solid = match k % 3 {
            0 => Solid::cuboid(Vec3::new(size, 0.8 * size, 0.9 * size)),
            1 => Solid::cylinder(0.45 * size, size, 12),
            _ => Solid::sphere(0.5 * size),
        };
        let axis = random.vector(Dimension::Three).normalize_or(Vec3::X);
        let (x, y) = (0.55 * (k % 2) as f64 - 0.27, 0.55 * (k / 2 % 2) as f64 - 0.27);
        let at = Vec3::new(x, y, 0.45 + 0.65 * (k / 4) as f64);
        let body = BodyInit::new(&solid.map_err(wrong)?).mass(random.between(0.0, 100.0).max(1.0));
        bodies.push(body.at(at).turned(Quat::from_axis_angle(axis, random.signed())));
    }
    simulate(Dimension::Three, -Vec3::Z * G, bodies, settings("penalty", h))
}

fn intro(n: usize, h: f64, time: f64) -> Report {
    let mut report = Report::about(
        "Boxes, cylinders and balls of different sizes and masses fall into a box with walls and \
         come to rest on each other, held up by penalty forces alone.",
    );
    report.set(format!("{n} bodies, masses even in 0 to 100 kg as printed, at least 1 kg (ours)."));
    report.set(format!("Sizes 0.3 to 0.5 m, box of 1.1 x 1.1 m inside, friction 0.5, h = {h} s, {time} s (ours): a light body between heavy ones needs a short step."));
    report.seeds = vec![SEED];
    report
}

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    let (n, h, time) = c.pick((8, 2e-4, 4.0), (16, 1e-4, 8.0));
    let mut report = intro(n, h, time);
    (c.note)("pile");
    let mut sim = build(n, h)?;
    let window = Window { x: (-1.6, 1.6), y: (-0.8, 3.6) };
    report.picture("start", "the start".into(), snapshot(&sim, window));
    let (mut t, mut e, mut d) = (Vec::new(), Vec::new(), Vec::new());
    let steps = (time / h).round() as usize;
    let every = steps / 400;
    for k in 0..steps {
        c.go_on()?;
        sim.step().map_err(wrong)?;
        if k % every == 0 {
            t.push(sim.state.time);
            e.push((5..5 + n).map(|i| kinetic(&sim, i)).sum::<f64>().max(1e-12));
            d.push(oracle::measure(&sim.model, &sim.state).depth.max(1e-12));
        }
    }
    report.picture("end", format!("after {time} s"), snapshot(&sim, window));
    let tail = t.len() * 3 / 4;
    let speeds: Vec<f64> = sim.state.nu[5..].iter().map(|nu| nu.linear.length()).collect();
    let [_, speed, slow] = quartiles(&speeds);
    let fastest = largest(&speeds);
    let row =
        [largest(&e), mean(&e[tail..]), mean(&d[tail..]), speed, fastest].map(number).to_vec();
    let title = format!("Pile of {n} bodies, h = {h} s, seed {SEED}");
    let axes = |label: &str| over_time(&title, label, true);
    let lines = [curve("kinetic energy", t.clone(), e), curve("penetration", t, d)];
    let [energy, depth] = lines.map(|line| vec![line]);
    report.figure("energy", "Kinetic energy of all bodies", energy, axes("kinetic energy [J]"));
    report.figure("penetration", "Largest penetration", depth, axes("penetration [m]"));
    let caption = "Peak, means of the last quarter, and speeds of the centres at the end";
    let head = [
        "peak energy [J]",
        "energy at the end [J]",
        "penetration [m]",
        "median speed [m/s]",
        "largest speed [m/s]",
    ];
    report.table("ends", caption, &head, vec![row]);
    report.claim(
        "The pile comes to a steady configuration.",
        format!(
            "three quarters of the bodies move slower than {} m/s, all slower than {} m/s; nothing in the method stops a ball that rolls or spins",
            number(slow),
            number(fastest)
        ),
        slow < 1e-2,
    );
    Ok(report)
}
