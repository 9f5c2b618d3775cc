//! Cost of whole runs, phase by phase: `cargo bench -p stickslip --bench runs -- pile-100`.
//!
//! A figure of the first second hides what a pile costs as it compacts. So every scene runs to its
//! end, and each line is a tenth of it: CPU time per step (mean and worst), solves, iterations,
//! failures, the worst residual and the depth that the judge finds (not in the time). With `--count`
//! neither clock nor judge runs, for programs that count instructions:
//! `valgrind --tool=callgrind target/.../runs --count pile-20`. `--seed=2` makes other piles, `--exact`
//! solves them to the last digit, `--fast` takes the setting of that name, `--threads=2` takes so many,
//! `--steps=90` ends them early.

use stickslip::{
    BodyInit, Dimension, ModelBuilder, Settings, Simulator,
    geometry::{Quat, Solid, Vec3},
    oracle,
    settings::Accuracy,
};

fn main() {
    let filter: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let chosen = |name: &str| filter.is_empty() || filter.iter().any(|f| f == name);
    for (name, seconds, scene) in scenes() {
        if chosen(name) {
            measure(name, seconds, scene());
        }
    }
}

type Scene = Box<dyn Fn() -> Vec<BodyInit>>;

fn scenes() -> Vec<(&'static str, f64, Scene)> {
    vec![
        ("box", 10.0, Box::new(|| floor(vec![cube().at(Vec3::Z * 0.5)]))),
        ("peg", 1.0, Box::new(peg)),
        ("seams", 5.0, Box::new(seams)),
        ("stack-10", 5.0, Box::new(|| floor((0..10).map(stacked).collect()))),
        ("boxes-30", 2.0, Box::new(boxes)),
        ("dominoes-40", 3.0, Box::new(dominoes)),
        ("pushed", 2.0, Box::new(pushed)),
        ("spheres-125", 2.0, Box::new(|| floor(spheres(5)))),
        ("spheres-1000", 2.0, Box::new(|| floor(spheres(10)))),
        ("pile-20", 5.0, Box::new(|| pile(20))),
        ("pile-100", 5.0, Box::new(|| pile(100))),
        ("pile-500", 5.0, Box::new(|| pile(500))),
        ("heap-40", 2.5, Box::new(|| heap(40))),
        ("mixed-500", 1.0, Box::new(|| mixed(500))),
        ("mixed-1000", 2.0, Box::new(|| mixed(1000))),
        ("mixed-2000", 1.0, Box::new(|| mixed(2000))),
        ("mixed-10000", 1.0, Box::new(|| mixed(10_000))),
        ("wall-1000", 0.3, Box::new(wall)),
        ("hulls-128", 1.0, Box::new(|| large(128))),
        ("hulls-512", 1.0, Box::new(|| large(512))),
    ]
}

fn solid(solid: Result<Solid, stickslip::geometry::GeometryError>) -> BodyInit {
    match solid {
        Ok(solid) => BodyInit::new(&solid),
        Err(error) => {
            eprintln!("a shape of the benchmark is wrong: {error}");
            std::process::exit(1)
        }
    }
}

fn cube() -> BodyInit {
    solid(Solid::cuboid(Vec3::ONE))
}

fn stacked(k: usize) -> BodyInit {
    cube().at(Vec3::Z * (k as f64 + 0.5))
}

fn floor(mut bodies: Vec<BodyInit>) -> Vec<BodyInit> {
    bodies.push(solid(Solid::cuboid(Vec3::new(40.0, 40.0, 1.0))).fixed().at(-Vec3::Z * 0.5));
    bodies
}

/// A box of 0.99 m above a hole of 1 m between four others.
fn peg() -> Vec<BodyInit> {
    let walls = [-Vec3::X, Vec3::X, Vec3::Y, -Vec3::Y].map(|at| cube().fixed().at(at));
    let peg = solid(Solid::cuboid(Vec3::splat(0.99))).at(Vec3::Z * 1.5);
    walls.into_iter().chain([peg]).collect()
}

/// A box at 3 m/s over forty flush boxes, without friction.
fn seams() -> Vec<BodyInit> {
    let tile = |i: usize| {
        let at = Vec3::new(i as f64 + 0.5, 0.0, -0.1);
        solid(Solid::cuboid(Vec3::new(1.0, 2.0, 0.2))).fixed().at(at).friction(0.0)
    };
    let moved = solid(Solid::cuboid(Vec3::splat(0.5))).at(Vec3::new(1.3, 0.0, 0.25));
    let moved = moved.velocity(Vec3::X * 3.0).friction(0.0);
    (0..40).map(tile).chain([moved]).collect()
}

fn spheres(n: usize) -> Vec<BodyInit> {
    let at = |k: usize| Vec3::new((k % n) as f64, (k / n % n) as f64, (k / n / n) as f64 + 0.5);
    (0..n * n * n).map(|k| solid(Solid::sphere(0.5)).at(at(k))).collect()
}

/// Thirty boxes of different sizes that fall on a floor and on each other.
fn boxes() -> Vec<BodyInit> {
    let mut random = random(3);
    let one = |k: usize| {
        let size = Vec3::new(0.3 + 0.2 * random(), 0.3 + 0.2 * random(), 0.3 + 0.2 * random());
        let turn = Quat::from_scaled_axis(Vec3::new(random(), random(), random()));
        let at =
            Vec3::new(0.9 * (k % 3) as f64, 0.9 * (k / 3 % 3) as f64, 0.6 + 0.9 * (k / 9) as f64);
        solid(Solid::cuboid(size)).at(at).turned(turn)
    };
    floor((0..30).map(one).collect())
}

/// Forty dominoes in a row, the first pushed over.
fn dominoes() -> Vec<BodyInit> {
    let one = |k: usize| {
        let body = solid(Solid::cuboid(Vec3::new(0.02, 0.1, 0.2)));
        let body = body.at(Vec3::new(0.08 * k as f64, 0.0, 0.1));
        if k == 0 { body.spin(Vec3::Y * 6.0) } else { body }
    };
    floor((0..40).map(one).collect())
}

/// A wall of a thousand bricks in running bond.
fn wall() -> Vec<BodyInit> {
    let (size, courses, long) = (Vec3::new(0.25, 0.12, 0.06), 40, 25);
    let one = |k: usize| {
        let (i, j) = ((k % long) as f64, (k / long) as f64);
        let x = size.x * (i + 0.5 * (j % 2.0)) - 0.5 * size.x * long as f64;
        solid(Solid::cuboid(size)).at(Vec3::new(x, 0.0, size.z * (j + 0.5)))
    };
    floor((0..courses * long).map(one).collect())
}

/// Boxes, hulls and spheres that fall in four layers on a floor as large as they need: the same heap for
/// any number.
fn mixed(n: usize) -> Vec<BodyInit> {
    let mut random = random(seed());
    let side = (n as f64 / 4.0).sqrt().ceil() as usize;
    let mut one = |k: usize| {
        let mut point = || Vec3::new(random() - 0.5, random() - 0.5, random() - 0.5) * 0.4;
        let shape = match k % 3 {
            0 => Solid::cuboid(Vec3::splat(0.2) + point().abs() * 0.5),
            1 => Solid::convex(&(0..10).map(|_| point()).collect::<Vec<_>>()),
            _ => Solid::sphere(0.15),
        };
        let (i, j, l) = ((k % side) as f64, (k / side % side) as f64, (k / side / side) as f64);
        let half = 0.5 * side as f64;
        let at = Vec3::new(0.42 * (i - half), 0.42 * (j - half), 0.3 + 0.5 * l) + point() * 0.1;
        solid(shape).at(at)
    };
    let mut bodies: Vec<BodyInit> = (0..n).map(&mut one).collect();
    let width = 0.42 * side as f64 + 4.0;
    bodies.push(solid(Solid::cuboid(Vec3::new(width, width, 1.0))).fixed().at(-Vec3::Z * 0.5));
    bodies
}

/// A box pushed over a floor by a cylinder that moves as it is told.
fn pushed() -> Vec<BodyInit> {
    let cylinder = solid(Solid::cylinder(0.1, 0.4, 0)).kinematic().velocity(Vec3::X * 0.3);
    floor(vec![
        cylinder.at(Vec3::new(-0.35, 0.02, 0.2)),
        solid(Solid::cuboid(Vec3::splat(0.4))).at(Vec3::Z * 0.2),
    ])
}

/// Two hulls of many corners, one lying on the other.
fn large(corners: usize) -> Vec<BodyInit> {
    let mut random = random(7);
    let mut hull = || {
        let point = |_| {
            let p = Vec3::new(random() - 0.5, random() - 0.5, random() - 0.5);
            p.normalize_or(Vec3::Z) * 0.5
        };
        solid(Solid::convex(&(0..corners).map(point).collect::<Vec<_>>()))
    };
    vec![hull().fixed(), hull().at(Vec3::Z * 1.01)]
}

fn random(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Random hulls of ten points dropped into a box with walls, 1000 kg/m³, friction 0.5.
fn pile(n: usize) -> Vec<BodyInit> {
    let mut random = random(seed());
    let wall = |size: Vec3, at: Vec3| solid(Solid::cuboid(size)).fixed().at(at);
    let mut bodies = vec![
        wall(Vec3::new(4.0, 4.0, 0.5), Vec3::new(0.0, 0.0, -0.25)),
        wall(Vec3::new(0.5, 4.0, 11.0), Vec3::new(-1.75, 0.0, 5.0)),
        wall(Vec3::new(0.5, 4.0, 11.0), Vec3::new(1.75, 0.0, 5.0)),
        wall(Vec3::new(3.0, 0.5, 11.0), Vec3::new(0.0, -1.75, 5.0)),
        wall(Vec3::new(3.0, 0.5, 11.0), Vec3::new(0.0, 1.75, 5.0)),
    ];
    for k in 0..n {
        let mut point = || Vec3::new(random() - 0.5, random() - 0.5, random() - 0.5) * 0.5;
        let points: Vec<Vec3> = (0..10).map(|_| point()).collect();
        let (i, j, l) = ((k % 5) as f64, (k / 5 % 5) as f64, (k / 25) as f64);
        let at = Vec3::new(0.55 * (i - 2.0), 0.55 * (j - 2.0), 0.35 + 0.55 * l);
        let hull = Solid::convex(&points);
        let volume = hull.as_ref().map_or(1.0, |h| h.volume);
        bodies.push(solid(hull).mass(1000.0 * volume).at(at));
    }
    bodies
}

/// Hulls of ten points that fall on a floor in a column of four: they come to lie as a heap.
fn heap(n: usize) -> Vec<BodyInit> {
    let mut random = random(seed());
    let one = |k: usize| {
        let mut point = || Vec3::new(random() - 0.5, random() - 0.5, random() - 0.5) * 0.5;
        let points: Vec<Vec3> = (0..10).map(|_| point()).collect();
        let (i, j, l) = ((k % 2) as f64, (k / 2 % 2) as f64, (k / 4) as f64);
        let at = Vec3::new(0.5 * (i - 0.5), 0.5 * (j - 0.5), 0.35 + 0.5 * l);
        solid(Solid::convex(&points)).at(at)
    };
    floor((0..n).map(one).collect())
}

/// Whether something else measures.
fn counts() -> bool {
    std::env::args().any(|a| a == "--count")
}

/// Of the piles.
fn seed() -> u64 {
    number("--seed=").unwrap_or(1)
}

/// The number after an option.
fn number(option: &str) -> Option<u64> {
    std::env::args().find_map(|a| a.strip_prefix(option)?.parse().ok())
}

/// What a part of a run cost.
#[derive(Default)]
struct Phase {
    steps: usize,
    seconds: f64,
    worst: f64,
    contacts: usize,
    solves: usize,
    iterations: usize,
    fallbacks: usize,
    failures: usize,
    substeps: usize,
    residual: f64,
    depth: f64,
    stages: [f64; 3],
}

impl Phase {
    fn line(&self, time: f64) {
        let n = self.steps.max(1) as f64;
        let mean = |x: usize| x as f64 / n;
        let total: f64 = self.stages.iter().sum::<f64>().max(1e-12);
        let [d, f, s] = self.stages.map(|x| 100.0 * x / total);
        println!(
            "{time:>6.2} {:>9.3} {:>9.3} {:>7.0} {:>6.1} {:>7.1} {:>5} {:>5} {:>6.2} {:>9.1e} {:>9.1e} {d:>4.0} {f:>4.0} {s:>4.0}",
            1e3 * self.seconds / n,
            1e3 * self.worst,
            mean(self.contacts),
            mean(self.solves),
            mean(self.iterations),
            self.fallbacks,
            self.failures,
            mean(self.substeps),
            self.residual,
            self.depth,
        );
    }
}

/// The settings that the options ask for.
fn settings(duration: f64) -> Settings {
    let asked = |name: &str| std::env::args().any(|a| a == name);
    let accuracy = match (asked("--exact"), asked("--fast")) {
        (true, _) => Accuracy::Exact,
        (_, true) => Accuracy::Fast,
        _ => Accuracy::Balanced,
    };
    let threads = number("--threads=").unwrap_or(1) as usize;
    Settings { duration, threads, accuracy, ..Settings::default() }
}

fn measure(name: &str, duration: f64, bodies: Vec<BodyInit>) {
    let mut builder = ModelBuilder::new(Dimension::Three);
    for body in bodies {
        if let Err(error) = builder.add(body) {
            eprintln!("{name}: {error}");
        }
    }
    let (model, state) = builder.build();
    let settings = settings(duration);
    let steps = number("--steps=").unwrap_or(settings.steps()) as usize;
    let mut sim = match Simulator::new(model, state, settings) {
        Ok(sim) => sim,
        Err(error) => return eprintln!("{name}: {error}"),
    };
    println!(
        "\n{name}, {steps} steps\n  time   ms/step     worst contact solves   iter  fallb  fail  subst  residual     depth  det form solve %"
    );
    let (mut phase, mut total, mut worst) = (Phase::default(), 0.0, 0.0_f64);
    let clock = std::time::Instant::now();
    let (mut residuals, mut rise) = (Vec::new(), (0.0_f64, 0.0));
    let mut energy = sim.state.energy(&sim.model);
    for k in 1..=steps {
        let begin = cpu_seconds();
        let report = match sim.step() {
            Ok(report) => report,
            Err(error) => return eprintln!("{name}: {error}"),
        };
        let spent = cpu_seconds() - begin;
        (total, worst) = (total + spent, worst.max(spent));
        phase.steps += 1;
        phase.seconds += spent;
        phase.worst = phase.worst.max(spent);
        phase.contacts += report.constraints.unilateral;
        phase.solves += report.solves.count;
        phase.iterations += report.solves.iterations;
        phase.fallbacks += report.solves.fallbacks;
        phase.failures += report.solves.failures;
        phase.substeps += report.substeps;
        residuals.push(report.solves.residual);
        let after = sim.state.energy(&sim.model);
        if after - energy > rise.0 {
            rise = (after - energy, sim.state.time);
        }
        energy = after;
        phase.residual = phase.residual.max(report.solves.residual);
        let s = report.seconds;
        [s.detect, s.formulate, s.solve].iter().zip(&mut phase.stages).for_each(|(x, y)| *y += x);
        if (k % 5 == 0 || k < 100) && !counts() {
            phase.depth = phase.depth.max(oracle::measure(&sim.model, &sim.state).depth);
        }
        if k % (steps / 10).max(1) == 0 {
            std::mem::take(&mut phase).line(sim.state.time);
        }
    }
    println!(
        "largest rise of the energy in a step: {:.1e} J of {energy:.1e}, at {:.2} s",
        rise.0, rise.1
    );
    summary(&sim, residuals);
    println!("wall clock, with what the judge takes: {:.2} s", clock.elapsed().as_secs_f64());
    println!("mean {:.3} ms a step, worst {:.3}", 1e3 * total / steps as f64, 1e3 * worst);
}

/// Residuals over the run, where the bodies ended and how fast they then are.
fn summary(sim: &Simulator, mut residuals: Vec<f64>) {
    residuals.sort_by(f64::total_cmp);
    let part = |x: f64| residuals[(x * (residuals.len() - 1) as f64) as usize];
    let (half, most, all) = (part(0.5), part(0.99), part(1.0));
    println!("residual of a step: median {half:.1e}, 99 % below {most:.1e}, worst {all:.1e}");
    let center = sim.model.ids().filter(|&id| sim.model.dof(id).is_some()).fold(
        (Vec3::ZERO, 0.0),
        |(sum, mass), id| {
            let m = sim.model.body(id).mass;
            (sum + sim.state.pose(id).position * m, mass + m)
        },
    );
    let center = center.0 / center.1;
    println!("center of mass at the end: {center:.6} m");
    println!("a cone of that mass: {:.2} degrees", slope(sim, center));
    let speed = |id| sim.state.twist(id).linear.length();
    let mut speeds: Vec<f64> = sim.model.ids().map(speed).collect();
    speeds.sort_by(f64::total_cmp);
    let last = speeds.last().copied().unwrap_or_default();
    println!("speeds at the end: median {:.1e}, largest {last:.1e} m/s", speeds[speeds.len() / 2]);
}

/// Slope of the cone on the floor whose mass is as high and as wide \[degrees\]: a cone of height H and
/// radius R has its mass at H / 4, and R / 2 from its axis in the mean.
fn slope(sim: &Simulator, center: Vec3) -> f64 {
    let (mut far, mut mass) = (0.0, 0.0);
    for id in sim.model.ids().filter(|&id| sim.model.dof(id).is_some()) {
        let (m, away) = (sim.model.body(id).mass, sim.state.pose(id).position - center);
        (far, mass) = (far + m * away.x.hypot(away.y), mass + m);
    }
    (2.0 * center.z * mass / far).atan().to_degrees()
}

/// CPU time of this process \[s\].
fn cpu_seconds() -> f64 {
    if counts() {
        return 0.0;
    }
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    t.tv_sec as f64 + 1e-9 * t.tv_nsec as f64
}
