//! Random polygons or polyhedra poured into a box, one after the other.

use stickslip::{
    BodyInit, Dimension, Simulator,
    geometry::{Quat, Solid, Vec3},
    oracle,
};

use crate::{
    Context, ExperimentError, Report,
    draw::{Window, snapshot},
    report::{curve, number, over, over_time},
    scene::{G, Random, cuboid, mean, quartiles, rectangle, settings, simulate, wrong},
};

/// What is poured and how.
struct Pour {
    dimension: Dimension,
    /// Time between two bodies \[s\].
    every: f64,
    duration: f64,
}

/// What a run met.
#[derive(Default)]
struct Met {
    /// Total overlap after each step \[m² or m³\].
    overlap: Vec<f64>,
    time: Vec<f64>,
    contacts: Vec<f64>,
    spurious: Vec<f64>,
    /// Seconds of solving, and of the whole step, per step.
    solve: Vec<f64>,
    step: Vec<f64>,
    size: Vec<f64>,
    depth: f64,
    failures: usize,
    ended: Option<String>,
}

impl Pour {
    fn container(&self) -> Result<Vec<BodyInit>, ExperimentError> {
        let wall = |body: BodyInit, at: Vec3| body.friction(0.0).fixed().at(at);
        Ok(match self.dimension {
            Dimension::Two => vec![
                wall(rectangle(3.0, 0.5)?, Vec3::Y * -0.25),
                wall(rectangle(0.5, 6.0)?, Vec3::new(-1.25, 2.9, 0.0)),
                wall(rectangle(0.5, 6.0)?, Vec3::new(1.25, 2.9, 0.0)),
            ],
            Dimension::Three => vec![
                wall(cuboid(Vec3::new(2.2, 2.2, 0.5))?, Vec3::Z * -0.25),
                wall(cuboid(Vec3::new(0.5, 2.2, 4.0))?, Vec3::new(-0.85, 0.0, 1.9)),
                wall(cuboid(Vec3::new(0.5, 2.2, 4.0))?, Vec3::new(0.85, 0.0, 1.9)),
                wall(cuboid(Vec3::new(2.2, 0.5, 4.0))?, Vec3::new(0.0, -0.85, 1.9)),
                wall(cuboid(Vec3::new(2.2, 0.5, 4.0))?, Vec3::new(0.0, 0.85, 1.9)),
            ],
        })
    }

    /// The convex hull of ten random points in ±0.25, at the place where it is let go.
    fn body(&self, random: &mut Random) -> Result<BodyInit, ExperimentError> {
        let points: Vec<Vec3> = (0..10).map(|_| random.vector(self.dimension) * 0.25).collect();
        let body = match self.dimension {
            Dimension::Two => {
                let hull = stickslip::geometry::Polygon::from_points(&points).map_err(wrong)?;
                let solid = Solid::polygon(&hull.vertices).map_err(wrong)?;
                let at = Vec3::new(0.5 * random.signed(), 4.5, 0.0);
                BodyInit::new(&solid).at(at).angle(3.0 * random.signed()).velocity(Vec3::Y * -2.0)
            }
            Dimension::Three => {
                let solid = Solid::convex(&points).map_err(wrong)?;
                let at = Vec3::new(0.2, 0.2 * random.signed(), 3.0);
                let turn = Quat::from_axis_angle(Vec3::Y, 3.0 * random.signed());
                BodyInit::new(&solid).at(at).turned(turn).velocity(Vec3::X * -0.5)
            }
        };
        Ok(body.friction(0.0))
    }

    /// Pours with one formulation; ends early where a step fails.
    fn run(
        &self,
        c: &Context,
        formulation: &str,
        h: f64,
        seed: u64,
    ) -> Result<(Simulator, Met), ExperimentError> {
        let mut random = Random::new(seed);
        let up = if self.dimension == Dimension::Two { Vec3::Y } else { Vec3::Z };
        let make = |bodies: &[BodyInit]| {
            simulate(self.dimension, up * -G, bodies.to_vec(), settings(formulation, h))
        };
        let mut bodies = self.container()?;
        let mut met = Met::default();
        let mut sim = make(&bodies)?;
        let drops = (self.duration / self.every).round() as usize;
        let steps = (self.every / h).round() as usize;
        for _ in 0..drops {
            bodies.push(self.body(&mut random)?);
            // A model is fixed: each new body begins a new one from where the others are.
            let mut next = make(&bodies)?;
            let n = sim.state.q.len();
            next.state.q[..n].copy_from_slice(&sim.state.q);
            next.state.nu[..n].copy_from_slice(&sim.state.nu);
            next.state.angle[..n].copy_from_slice(&sim.state.angle);
            (next.state.time, next.state.step) = (sim.state.time, sim.state.step);
            sim = next;
            for _ in 0..steps {
                c.go_on()?;
                if let Err(error) = met.step(&mut sim) {
                    met.ended = Some(error.to_string());
                    return Ok((sim, met));
                }
            }
        }
        Ok((sim, met))
    }
}

impl Met {
    fn step(&mut self, sim: &mut Simulator) -> Result<(), stickslip::StepError> {
        sim.pipeline.count_spurious = true;
        let report = sim.step()?;
        let overlap = oracle::measure(&sim.model, &sim.state);
        self.time.push(sim.state.time);
        self.overlap.push(overlap.volume);
        self.depth = self.depth.max(overlap.depth);
        self.contacts.push(report.contacts as f64);
        self.spurious.push(report.spurious.unwrap_or(0) as f64);
        self.solve.push(report.seconds.solve);
        self.step.push(report.seconds.total());
        self.size.push(report.solves.size as f64);
        self.failures += report.solves.failures;
        Ok(())
    }
}

const MODELS: [(&str, &str); 3] =
    [("peg", "PEG"), ("separation", "separation"), ("corrective", "corrective")];

/// All sets of one model and step.
struct Trials {
    label: &'static str,
    h: f64,
    runs: Vec<Met>,
}

impl Trials {
    /// Quartiles over the sets of the overlap, mean over a run.
    fn overlap(&self) -> [f64; 3] {
        quartiles(&self.runs.iter().map(|met| mean(&met.overlap)).collect::<Vec<f64>>())
    }

    fn row(&self) -> Vec<String> {
        let depth = self.runs.iter().map(|met| met.depth).fold(0.0, f64::max);
        let [a, b, d] = self.overlap();
        let mut row = vec![self.label.to_owned()];
        row.extend([self.h, a, b, d, depth].map(number));
        let failed: usize = self.runs.iter().map(|met| met.failures).sum();
        let ended = self.runs.iter().filter(|met| met.ended.is_some()).count();
        row.extend([failed, ended].map(|n| n.to_string()));
        row
    }

    /// Times apart: the other numbers are the same in every run of the experiment.
    fn times(&self) -> Vec<String> {
        let of = |series: fn(&Met) -> &Vec<f64>| {
            1e3 * mean(&self.runs.iter().map(|met| mean(series(met))).collect::<Vec<f64>>())
        };
        let mut row = vec![self.label.to_owned()];
        row.extend([self.h, of(|met| &met.solve), of(|met| &met.step)].map(number));
        row
    }
}

/// Runs all models, steps and sets.
fn tried(
    c: &Context,
    name: &str,
    pour: &Pour,
    (steps, seeds): (&[f64], &[u64]),
) -> Result<Vec<Trials>, ExperimentError> {
    let mut runs = Vec::new();
    for (model, _) in MODELS {
        runs.extend(steps.iter().flat_map(|&h| seeds.iter().map(move |&seed| (model, h, seed))));
    }
    let mut done = c
        .each(&runs, |&(model, h, seed)| {
            (c.note)(&format!("{name}: {model}, h = {h} s, seed {seed}"));
            Ok(pour.run(c, model, h, seed)?.1)
        })?
        .into_iter();
    let mut out = Vec::new();
    for (_, label) in MODELS {
        for &h in steps {
            out.push(Trials { label, h, runs: done.by_ref().take(seeds.len()).collect() });
        }
    }
    Ok(out)
}

/// Runs all models, steps and sets, and writes what they met: the overlap of each model.
fn study(
    c: &Context,
    name: &str,
    pour: &Pour,
    (steps, seeds): (&[f64], &[u64]),
    report: &mut Report,
) -> Result<Vec<(String, f64)>, ExperimentError> {
    let unit = if pour.dimension == Dimension::Two { "m²" } else { "m³" };
    let trials = tried(c, name, pour, (steps, seeds))?;
    let (mut curves, mut means) = (Vec::new(), Vec::new());
    for ((model, label), of) in MODELS.into_iter().zip(trials.chunks(steps.len())) {
        let overlap: Vec<[f64; 3]> = of.iter().map(Trials::overlap).collect();
        means.push((model.to_owned(), mean(&overlap.iter().map(|o| o[1]).collect::<Vec<f64>>())));
        for (k, what) in [(1, "median"), (0, "quartile 1"), (2, "quartile 3")] {
            let y = overlap.iter().map(|o| o[k].max(1e-18)).collect();
            curves.push(curve(format!("{label}, {what}"), steps.to_vec(), y));
        }
    }
    let text: Vec<String> = seeds.iter().map(u64::to_string).collect();
    let title = format!("{name}: mean total overlap, seeds {}", text.join(", "));
    let options = over(&title, "h [s]", &format!("overlap [{unit}]"), (false, true));
    report.figure(
        "overlap",
        "Total overlap of all pairs, mean over the run: median and quartiles over the sets",
        curves,
        options,
    );
    let head = [
        "model",
        "h [s]",
        "quartile 1",
        "median overlap",
        "quartile 3",
        "depth [m]",
        "unsolved",
        "ended early",
    ];
    let caption = format!("Mean total overlap per step in {unit}, largest depth");
    report.table("runs", &caption, &head, trials.iter().map(Trials::row).collect());
    let caption = "Times per step, mean over the sets; several runs shared the machine";
    let head = ["model", "h [s]", "solve [ms]", "step [ms]"];
    report.table("times", caption, &head, trials.iter().map(Trials::times).collect());
    report.seeds = seeds.to_vec();
    Ok(means)
}

/// Contacts and spurious contacts over time of one run, and pictures.
fn spurious(
    c: &Context,
    pour: &Pour,
    seed: u64,
    window: Window,
    report: &mut Report,
) -> Result<(f64, f64), ExperimentError> {
    let models = ["peg", "corrective"];
    let mut runs = c.each(&models, |model| pour.run(c, model, 0.01, seed))?;
    let (Some((ended, end)), Some((sim, met))) = (runs.pop(), runs.pop()) else {
        return Ok((0.0, 0.0));
    };
    let (contacts, spurious) = (met.contacts.iter().sum::<f64>(), met.spurious.iter().sum::<f64>());
    let curves = vec![
        curve("contacts", met.time.clone(), met.contacts),
        curve("spurious contacts", met.time, met.spurious),
    ];
    let options = over_time(
        &format!("Contacts and spurious contacts, h = 0.01 s, seed {seed}"),
        "number",
        false,
    );
    report.figure("traps", "Potential contacts and spurious ones in each step", curves, options);
    report.picture(
        "end",
        format!("PEG, seed {seed}, t = {} s", number(sim.state.time)),
        snapshot(&sim, window),
    );
    let caption = format!(
        "corrective, seed {seed}, t = {} s{}",
        number(ended.state.time),
        if end.ended.is_some() { ", failed" } else { "" }
    );
    report.picture("end-corrective", caption, snapshot(&ended, window));
    Ok((contacts, spurious))
}

fn conclude(report: &mut Report, means: &[(String, f64)], (contacts, spurious): (f64, f64)) {
    let of = |name: &str| means.iter().find(|m| m.0 == name).map_or(f64::NAN, |m| m.1);
    let ratio = of("corrective") / of("peg").max(1e-18);
    report.claim(
        "The overlap of PEG is orders of magnitude below that of the corrective method.",
        format!(
            "PEG {}, corrective {}: {} times",
            number(of("peg")),
            number(of("corrective")),
            number(ratio)
        ),
        ratio > 100.0,
    );
    report.claim(
        "Standard-model traps occur throughout the run.",
        format!("{spurious} spurious contacts among {contacts} contacts"),
        spurious > 0.0,
    );
    report.claim(
        "(Ours) The overlap of `separation` is orders of magnitude below it as well.",
        format!(
            "{}: {} times less",
            number(of("separation")),
            number(of("corrective") / of("separation").max(1e-18))
        ),
        of("corrective") > 100.0 * of("separation"),
    );
}

pub fn polygons(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "A random convex polygon is dropped into a box every 0.25 s. After every step the area \
         that all bodies share is measured from their shapes.",
    );
    let pour = Pour { dimension: Dimension::Two, every: 0.25, duration: c.pick(2.5, 5.0) };
    report.set(format!(
        "Hulls of ten points in ±0.25 m, one every 0.25 s for {} s (thesis: 5 s), no friction.",
        pour.duration
    ));
    report.set("Box 2 m wide; polygons start at a height of 4.5 m with 2 m/s downward, so that they do not meet in the air (ours). Mass 1 kg.");
    let seeds: Vec<u64> = (1..=c.pick(2, 10)).collect();
    let steps = c.pick(vec![0.005, 0.01, 0.025], vec![0.0025, 0.005, 0.01, 0.0125, 0.025]);
    let means = study(c, "polygons", &pour, (&steps, &seeds), &mut report)?;
    let window = Window { x: (-1.6, 1.6), y: (-0.5, 5.0) };
    let counts = spurious(c, &pour, 1, window, &mut report)?;
    conclude(&mut report, &means, counts);
    Ok(report)
}

pub fn polyhedra(c: &Context) -> Result<Report, ExperimentError> {
    let mut report = Report::about(
        "A random convex polyhedron is dropped into a box every 0.5 s with a velocity in -x. After \
         every step the volume that all bodies share is measured from their shapes.",
    );
    let pour = Pour { dimension: Dimension::Three, every: 0.5, duration: c.pick(2.5, 5.0) };
    report.set(format!(
        "Hulls of ten points in ±0.25 m, one every 0.5 s for {} s (thesis: 5 s), no friction.",
        pour.duration
    ));
    report.set(
        "Box of 1.2 x 1.2 m; bodies start at a height of 3 m with 0.5 m/s in -x (ours). Mass 1 kg.",
    );
    let seeds: Vec<u64> = (1..=c.pick(1, 5)).collect();
    let steps = c.pick(vec![0.01, 0.025], vec![0.005, 0.01, 0.0125, 0.025]);
    let means = study(c, "polyhedra", &pour, (&steps, &seeds), &mut report)?;
    let window = Window { x: (-2.2, 2.2), y: (-1.2, 5.0) };
    let counts = spurious(c, &pour, 1, window, &mut report)?;
    conclude(&mut report, &means, counts);
    Ok(report)
}
