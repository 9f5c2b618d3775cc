//! Time of whole steps and its split over the stages: `make bench`.
//!
//! Each row is the median over the steps of one run; absolute times move from machine to machine,
//! the split and the growth with the number of bodies do not.

use std::fmt::Write as _;

use stickslip::{
    BodyInit, Dimension, ModelBuilder, Settings, Simulator,
    geometry::{Quat, Solid, Vec3},
};

const FORMULATIONS: [&str; 2] = ["stewart-trinkle", "separation"];

fn main() {
    let filter: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    println!(
        "{:<22} {:<16} {:>7} {:>9} {:>9} | {:>7} {:>9} {:>7} {:>9} | {:>8} {:>5}",
        "scene",
        "formulation",
        "bodies",
        "contacts",
        "us/step",
        "detect",
        "formulate",
        "solve",
        "integrate",
        "fallback",
        "fail"
    );
    let mut csv = String::from(
        "scene,formulation,bodies,contacts,us_per_step,detect,formulate,solve,integrate\n",
    );
    for (name, steps, scene) in scenes() {
        if !filter.is_empty() && !filter.iter().any(|f| name.contains(f.as_str())) {
            continue;
        }
        for formulation in FORMULATIONS {
            let row = measure(name, formulation, steps, &scene);
            println!("{row}");
            let _ = writeln!(csv, "{}", row.csv());
        }
    }
    if let Ok(path) = std::env::var("STICKSLIP_BENCH_CSV")
        && let Err(error) = std::fs::write(&path, csv)
    {
        eprintln!("{path}: {error}");
    }
}

type Scene = Box<dyn Fn() -> Vec<BodyInit>>;

fn scenes() -> Vec<(&'static str, usize, Scene)> {
    vec![
        ("1 box on a floor", 2000, Box::new(|| with_floor(vec![cube().at(Vec3::Z * 0.5)]))),
        ("10-box stack", 500, Box::new(|| with_floor(stack(10)))),
        ("125 spheres", 200, Box::new(|| with_floor(spheres(5)))),
        ("1000 spheres", 6, Box::new(|| with_floor(spheres(10)))),
        ("20 polyhedra", 300, Box::new(|| polyhedra(20))),
        ("100 polyhedra", 60, Box::new(|| polyhedra(100))),
        ("100 falling", 300, Box::new(|| falling(100))),
        ("1000 falling", 100, Box::new(|| falling(1000))),
        ("10000 falling", 30, Box::new(|| falling(10_000))),
    ]
}

fn cube() -> BodyInit {
    solid(Solid::cuboid(Vec3::ONE))
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

fn with_floor(mut bodies: Vec<BodyInit>) -> Vec<BodyInit> {
    bodies.push(solid(Solid::cuboid(Vec3::new(40.0, 40.0, 1.0))).fixed().at(-Vec3::Z * 0.5));
    bodies
}

fn stack(n: usize) -> Vec<BodyInit> {
    (0..n).map(|i| cube().at(Vec3::Z * (i as f64 + 0.5))).collect()
}

fn spheres(n: usize) -> Vec<BodyInit> {
    grid(n, n, n).map(|at| solid(Solid::sphere(0.5)).at(at + Vec3::Z * 0.5)).collect()
}

fn falling(n: usize) -> Vec<BodyInit> {
    let side = (n as f64).cbrt().ceil() as usize;
    grid(side, side, side).take(n).map(|at| cube().at(at * 3.0)).collect()
}

fn grid(nx: usize, ny: usize, nz: usize) -> impl Iterator<Item = Vec3> {
    (0..nx * ny * nz)
        .map(move |i| Vec3::new((i % nx) as f64, ((i / nx) % ny) as f64, (i / (nx * ny)) as f64))
}

/// Random hulls of ten points dropped into a box with walls, 1000 kg/m³, friction 0.5.
fn polyhedra(n: usize) -> Vec<BodyInit> {
    let mut seed = 1_u64;
    let mut random = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let wall = |size: Vec3, at: Vec3| solid(Solid::cuboid(size)).fixed().at(at);
    let mut bodies = vec![
        wall(Vec3::new(4.0, 4.0, 0.5), Vec3::new(0.0, 0.0, -0.25)),
        wall(Vec3::new(0.5, 4.0, 11.0), Vec3::new(-1.75, 0.0, 5.0)),
        wall(Vec3::new(0.5, 4.0, 11.0), Vec3::new(1.75, 0.0, 5.0)),
        wall(Vec3::new(3.0, 0.5, 11.0), Vec3::new(0.0, -1.75, 5.0)),
        wall(Vec3::new(3.0, 0.5, 11.0), Vec3::new(0.0, 1.75, 5.0)),
    ];
    for k in 0..n {
        let points: Vec<Vec3> = (0..10)
            .map(|_| Vec3::new(random() - 0.5, random() - 0.5, random() - 0.5) * 0.5)
            .collect();
        let (i, j, l) = (k % 5, (k / 5) % 5, k / 25);
        let at =
            Vec3::new(0.55 * (i as f64 - 2.0), 0.55 * (j as f64 - 2.0), 0.35 + 0.55 * l as f64);
        let hull = Solid::convex(&points);
        let volume = hull.as_ref().map_or(1.0, |h| h.volume);
        bodies.push(solid(hull).mass(1000.0 * volume).at(at).turned(Quat::IDENTITY));
    }
    bodies
}

struct Row {
    scene: &'static str,
    formulation: &'static str,
    bodies: usize,
    contacts: f64,
    micros: f64,
    share: [f64; 4],
    fallbacks: usize,
    failures: usize,
}

fn measure(scene: &'static str, formulation: &'static str, steps: usize, make: &Scene) -> Row {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let bodies = make();
    let n = bodies.len();
    for body in bodies {
        if let Err(error) = builder.add(body) {
            eprintln!("{scene}: {error}");
        }
    }
    let (model, state) = builder.build();
    let settings =
        Settings { formulation: formulation.into(), friction_directions: 4, ..Settings::default() };
    let mut sim = match Simulator::new(model, state, settings) {
        Ok(sim) => sim,
        Err(error) => {
            eprintln!("{scene}: {error}");
            std::process::exit(1)
        }
    };
    let (mut times, mut share, mut contacts) = (Vec::new(), [0.0; 4], 0);
    let (mut fallbacks, mut failures) = (0, 0);
    for _ in 0..steps {
        let begin = std::time::Instant::now();
        match sim.step() {
            Ok(report) => {
                let s = report.seconds;
                times.push(begin.elapsed().as_secs_f64());
                for (sum, x) in share.iter_mut().zip([s.detect, s.formulate, s.solve, s.integrate])
                {
                    *sum += x;
                }
                contacts += report.constraints.unilateral;
                fallbacks += report.solves.fallbacks;
                failures += report.solves.failures;
            }
            Err(error) => {
                eprintln!("{scene}, {formulation}: {error}");
                break;
            }
        }
    }
    let total: f64 = share.iter().sum();
    times.sort_by(f64::total_cmp);
    Row {
        scene,
        formulation,
        bodies: n,
        contacts: contacts as f64 / steps as f64,
        micros: 1e6 * times.get(times.len() / 2).copied().unwrap_or(0.0),
        share: share.map(|x| 100.0 * x / total),
        fallbacks,
        failures,
    }
}

impl Row {
    fn csv(&self) -> String {
        let [d, f, s, i] = self.share;
        format!(
            "{},{},{},{:.1},{:.2},{d:.1},{f:.1},{s:.1},{i:.1}",
            self.scene, self.formulation, self.bodies, self.contacts, self.micros
        )
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        let [d, f, s, i] = self.share;
        write!(
            out,
            "{:<22} {:<16} {:>7} {:>9.1} {:>9.1} | {d:>6.0}% {f:>8.0}% {s:>6.0}% {i:>8.0}% | {:>8} {:>5}",
            self.scene,
            self.formulation,
            self.bodies,
            self.contacts,
            self.micros,
            self.fallbacks,
            self.failures
        )
    }
}
